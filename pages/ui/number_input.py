"""Numbers as people type them."""

from calm_core.errors import InputError
from pages import words


def parse_int(text, name: str) -> int:
    """A whole number as people type it: 60000, 60,000 or 60 000."""
    plain = str(text).replace(",", "").replace(" ", "").replace("_", "")
    try:
        return int(plain)
    except ValueError:
        raise InputError(words.settings.not_whole(name, text)) from None


def parse_float(text: str, name: str) -> float:
    """A number as people type it: 0.5 or 0,5."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise InputError(words.settings.not_a_number(name, text)) from None
