"""Names of months and weekdays in the languages that spreadsheets come in."""

import re
import unicodedata

from calm_core.ingest.values.markers import WORDS


def plain(text: str) -> str:
    """Lower case without accents."""
    apart = unicodedata.normalize("NFD", text.casefold())
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


MONTHS = {
    plain(name): number
    for number, line in enumerate(WORDS["months"].strip().splitlines(), start=1)
    for name in line.split()
}
WEEKDAY = "(?i:" + "|".join(sorted(map(re.escape, WORDS["weekdays"].split()), key=len, reverse=True)) + ")"


def month_of(text: str) -> int:
    """Number of a month by its name; 0 for anything else.

    Examples
    --------
    >>> month_of("May"), month_of("März"), month_of("févr"), month_of("Ulm")
    (5, 3, 2, 0)
    """
    return MONTHS.get(plain(text).rstrip("."), 0)
