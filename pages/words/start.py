"""Wording of the page Start."""

from pages.words import numbers
from pages.words.texts import read_texts

TEXTS = read_texts("start")
WHAT_IT_IS = TEXTS["what_it_is"]
DOORS_LABEL = "Ways in"
# Title and text of each way in.
DOORS = TEXTS["doors"]
BEGIN = "Or begin with:"
# Titles of the settings worth beginning with, and what they change in words.
PRESETS: dict[str, tuple[str, str]] = TEXTS["presets"]


def subtitle(people: int, trusted: bool) -> str:
    """Return who took part, and where noise was added."""
    how = "noise added by a trusted curator" if trusted else "one noisy report each"
    return f"{numbers.amount(people)} people, {how}"
