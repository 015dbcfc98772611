"""Wording of the page Start."""

from collections.abc import Sequence

from pages.words import numbers

WHAT_IT_IS = (
    "Each person adds [[noise]] to her own answer before it leaves her phone. The [[table|tables]] still come "
    "out: drag [[epsilon|ε]] and watch what that costs."
)
DOORS_LABEL = "Ways in"
# Title and text of each way in.
DOORS = {
    "learn": ("Learn it", "Eight lessons, three minutes each"),
    "data": ("Try your data", "Upload a table, or use a sample"),
    "lecture": ("Show someone", "Lecture mode for a projector"),
}
BEGIN = "Or begin with:"
# Titles of the settings worth beginning with, and what they change in words.
PRESETS = {
    "survey": ("Health survey", "Health survey, ε = 1, k = 3"),
    "shopping": ("Shopping visits", "Shopping visits, 16 attributes"),
    "large_k": ("Tables of 6", "k = 6, 16 attributes"),
    "fails": ("When it fails", "ε = 0.1, 1,000 people, 18 attributes"),
}


def first_title(titles: Sequence[str]) -> str:
    """Return the title of the first table."""
    return ", ".join(titles)


def subtitle(people: int, trusted: bool) -> str:
    """Return who took part, and where noise was added."""
    how = "noise added by a trusted curator" if trusted else "one noisy report each"
    return f"{numbers.amount(people)} people, {how}"
