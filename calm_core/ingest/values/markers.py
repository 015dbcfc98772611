"""Texts and numbers that often mean missing."""

import numpy as np
import pyarrow as pa

from calm_core.ingest.table import pc
from calm_core.ingest.values.words import WORDS, split_words

NO_VALUE = split_words(WORDS["no_value"])
MAY_BE_VALUE = split_words(WORDS["may_be_value"])
MISSING_WORDS = NO_VALUE | MAY_BE_VALUE
NO_OPINION = split_words(WORDS["no_opinion"])
CODES = tuple(
    float(sign + digit * length)
    for length in (1, 2, 3, 4, 5)
    for digit in "789"
    for sign in ("", "-")
) + (-1.0, 97.0, 98.0, 997.0, 998.0, 9997.0, 9998.0)  # fmt: skip
MIN_ROWS = 2
MIN_SPIKE, OFTEN = 5, 2.5  # least number of rows, and factor over the usual number


def is_word(texts: pa.Array, words: frozenset[str]) -> np.ndarray:
    """Which texts are among the words, in any case."""
    lower = pc.utf8_lower(pc.utf8_trim_whitespace(texts))
    return np.asarray(pc.is_in(lower, pa.array(sorted(words))))


def suspicious_codes(numbers: np.ndarray, counts: np.ndarray) -> list[float]:
    """Numbers such as 98, 999 or -9 that are far from all others, as codes for missing.

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
    others = numbers[~is_code]
    if len(others) < 2:
        return []
    low, highest = float(others.min()), float(others.max())
    # 77 and 88 are ages if others are as high; then only the largest can be a code.
    top = float(numbers.max())
    high = top if top in CODES and top <= highest * 1.1 + 1 else highest
    usual = float(np.median(counts[~is_code]))
    found = []
    for code in np.sort(numbers[is_code]):
        rows = int(counts[numbers == code].sum())
        # Below zero if no other is; or far above the others, and often.
        below = code < 0 <= low
        above = code >= 9 and code > high + max(1.0, 0.5 * (high - low))
        # Just above the others and frequent, such as 98 and 99 beside ages.
        spike = code >= 60 and code > highest and rows >= MIN_SPIKE and rows > OFTEN * usual
        if below or (above and (rows >= MIN_ROWS or code >= 99)) or spike:
            found.append(float(code))
    return found
