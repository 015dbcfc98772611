"""Bands of numbers in words: "18-25", "unter 20", "50 et plus", "1.000 bis unter 2.000 €", "[25, 35)"."""

import re
from collections.abc import Sequence

from calm_core.ingest.values.scales import (
    ABOVE,
    AND,
    BELOW,
    FROM,
    LESS,
    MORE,
    NOTHING,
    TO,
    plain_word,
)

_MONEY = "[$€£¥]|eur|usd|chf|pln|sek|zl|kr"
_NUMBER = r"(?:\d{1,3}(?:[.,' ]\d{3})+(?!\d)|\d+(?:[.,]\d{1,2}(?!\d))?)"
_UNIT = r"(?:[a-z%€$£°²'.]{1,14})"
RANGE = re.compile(
    rf"(?:(?:{FROM})\s+)?(?:(?P<below>{BELOW})(?![a-z])|(?P<above>{ABOVE})(?![a-z]))?\s*(?:{_MONEY})?\s*"
    rf"(?P<number>{_NUMBER})\s*(?P<scale>k|m|mio|mln|mln|tys|tsd|tausend|mil|mille)?(?![a-z])\.?\s*"
    rf"(?:{_UNIT}(?:\s+{_UNIT})?\s*?)??\s*"
    rf"(?:$|\+\s*{_UNIT}?\s*$|(?:[-=]|(?:{TO})\s)\s*(?:(?:{BELOW})\s)?\s*(?:{_MONEY})?\s*(?P<to>{_NUMBER})"
    rf"|(?:(?:{AND}|/|,)?\s*(?:{_UNIT}\s+)?(?:{MORE}))|(?P<less>(?:{AND}|/|,)?\s*(?:{_UNIT}\s+)?(?:{LESS}))"
    r"|(?P<word>=))"
)
# "[25, 35)" and "(-inf, 18.5]".
INTERVAL = re.compile(
    r"[\[(]\s*(?P<number>[-−]?(?:\d+(?:\.\d+)?|inf|∞))\s*[,;]\s*[-+−]?(?:\d+(?:\.\d+)?|inf|∞)\s*[\])]$"
)
SCALE = {"k": 1e3, "tys": 1e3, "tsd": 1e3, "tausend": 1e3, "mil": 1e3, "mille": 1e3, "": 1.0}
NONE = frozenset(NOTHING.split("|"))


def band_ranks(words: Sequence[str]) -> list[float] | None:
    """Where each band begins; None where not all are bands, or two begin alike.

    Examples
    --------
    >>> band_ranks(["50 und älter", "unter 20", "20–29"]), band_ranks(["red", "1-2", "3-4"])
    ([50.0, 19.75, 20.0], None)
    """
    keys = [range_key(word) for word in words]
    known = [key for key in keys if key is not None]
    nothing = [" ".join(plain_word(word).split()) in NONE for word in words]
    if len(known) + sum(nothing) < len(keys) or len(set(known)) < len(known) or sum(nothing) > 1:
        return None
    # "none" is before all bands.
    return [min(known, default=0.0) - 1 if key is None else key for key in keys]


def range_key(word: str) -> float | None:
    """Where a range begins, those open to one side a little before or after; None where it is none.

    Examples
    --------
    >>> [range_key(word) for word in ("18-25", "65+", "under 20", "50k–100k", "[25, 35)", "red")]
    [18.0, 65.0, 19.75, 50000.0, 25.0, None]
    >>> [range_key(word) for word in ("1.000 bis unter 2.000 €", "plus de 65 ans", "65 ans et plus")]
    [1000.0, 65.25, 65.0]
    """
    word = plain_word(word)
    if interval := INTERVAL.match(word):
        return float(interval["number"].replace("∞", "inf"))
    found = RANGE.match(word)
    if not found:
        return None
    shift = -0.25 if found["below"] or found["less"] else 0.25 if found["above"] else 0.0
    number = found["number"]
    number = re.sub(r"[.,' ](?=\d{3}(?!\d))", "", number).replace(",", ".")
    scale = SCALE.get(found["scale"] or "", 1e6)
    return (float(number) + shift) * scale
