"""Wording of the page Start."""

from pages.words import numbers
from pages.words.texts import Texts

TEXTS = Texts("start")
__getattr__ = TEXTS.__getattr__


def subtitle(people: int, trusted: bool) -> str:
    """Return who took part, and where noise was added."""
    how = "noise added by a trusted curator" if trusted else "one noisy report each"
    return f"{numbers.amount(people)} people, {how}"
