"""Texts and numbers that often stand for an empty cell."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa

from calm_core.ingest.table import pc

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def words_of(lines: str) -> frozenset[str]:
    """Words parted by bars and lines, those with points also with blanks after them.

    Examples
    --------
    >>> sorted(words_of("k.a.|none"))
    ['k. a.', 'k.a.', 'none']
    """
    words = [word.strip() for line in lines.strip().splitlines() for word in line.split("|")]
    spaced = (re.sub(r"(?<=[a-z])\.(?=[a-z])", ". ", word) for word in words)
    return frozenset((*words, *spaced))


NO_VALUE = words_of(WORDS["no_value"])
MAY_BE_VALUE = words_of(WORDS["may_be_value"])
MISSING_WORDS = NO_VALUE | MAY_BE_VALUE
NO_OPINION = words_of(WORDS["no_opinion"])
CODES = tuple(
    float(sign + digit * length)
    for length in (1, 2, 3, 4, 5)
    for digit in "789"
    for sign in ("", "-")
) + (-1.0, 97.0, 98.0, 997.0, 998.0, 9997.0, 9998.0)  # fmt: skip
MIN_ROWS = 2
MIN_SPIKE, OFTEN = 5, 2.5  # rows, and times as many as usual, that stand out


def is_word(texts: pa.Array, words: frozenset[str]) -> np.ndarray:
    """Which texts are among the words, in any case."""
    lower = pc.utf8_lower(pc.utf8_trim_whitespace(texts))
    return np.asarray(pc.is_in(lower, pa.array(sorted(words))))


def suspicious_codes(numbers: np.ndarray, counts: np.ndarray) -> list[float]:
    """Numbers such as 98, 999 or -9 that lie apart from all others, as codes for missing do.

    Parameters
    ----------
    numbers, counts : ndarray
        The distinct numbers and how many rows hold each.

    Examples
    --------
    >>> ages = np.array([18.0, 35.0, 61.0, 999.0])
    >>> suspicious_codes(ages, np.array([3, 4, 5, 6]))
    [999.0]
    >>> suspicious_codes(np.arange(18.0, 100.0), np.append(np.full(80, 2), [30, 20]))
    [98.0, 99.0]
    >>> suspicious_codes(np.array([1.0, 2.0, 3.0, 4.0]), np.array([3, 4, 5, 6]))
    []
    """
    is_code = np.isin(numbers, CODES)
    if not is_code.any():
        return []
    low, high = _range_without(numbers, is_code)
    if low is None:
        return []
    others, usual = float(numbers[~is_code].max()), float(np.median(counts[~is_code]))
    found = []
    for code in np.sort(numbers[is_code]):
        rows = int(counts[numbers == code].sum())
        # Below zero where nothing else is; or above by more than the others span, and often.
        below = code < 0 <= low
        above = code >= 9 and code > high + max(1.0, 0.5 * (high - low))
        # Just above the others, such as 98 and 99 beside ages, where hardly anybody would be.
        spike = code >= 60 and code > others and rows >= MIN_SPIKE and rows > OFTEN * usual
        if below or (above and (rows >= MIN_ROWS or code >= 99)) or spike:
            found.append(float(code))
    return found


def _range_without(numbers, is_code) -> tuple[float | None, float]:
    """Smallest and largest number that is no code far from all others."""
    others = numbers[~is_code]
    if len(others) < 2:
        return None, 0.0
    low, high = float(others.min()), float(others.max())
    # 77 or 88 are ages where others are as high; then only 99 at the very end is looked at.
    top = float(numbers.max())
    if top in CODES and top <= high * 1.1 + 1:
        high = top
    return low, high
