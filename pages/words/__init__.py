"""Everything the app says, by page: `from pages import words`, then `words.plan.THETA`."""

from pages.words import (
    ask,
    assignment,
    classroom,
    classroom_results,
    collect,
    common,
    compare,
    data,
    errors,
    exports,
    glossary,
    languages,
    learn,
    marginals,
    numbers,
    plan,
    settings,
    start,
)
from pages.words.texts import Texts

# These pages say only what is in their files.
attack, collection = Texts("attack"), Texts("collection")
