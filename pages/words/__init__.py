"""Everything the app says, by page: `from pages import words`, then `words.plan.THETA`."""

from pages.words import (
    ask,
    assignment,
    attack,
    classroom,
    classroom_results,
    collect,
    collection,
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
