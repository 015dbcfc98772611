"""The words of words.toml, how texts are compared with them, and what often means missing."""

import re
import tomllib
import unicodedata
from itertools import filterfalse
from pathlib import Path

import numpy as np
import pyarrow as pa

from calm_core.ingest.table import pc

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def read_synonyms(name: str, separator: str | None = None) -> dict[str, str]:
    """Each word of a list in words.toml with the word before the colon, which it means."""
    lines = (line.split(": ") for line in WORDS[name].strip().splitlines())
    return {word: main for main, words in lines for word in words.split(separator)}


def read_patterns(table: str, **parts: str) -> dict[str, str]:
    """Patterns of a table in words.toml; {NAME} stands for a part given, or else defined above."""
    for name, pattern in WORDS[table].items():
        if name not in parts:
            pattern = pattern.replace("\n", "")
            parts[name] = re.sub(r"\{([A-Z]+)\}", lambda found: parts[found[1]], pattern)
    return {name: pattern for name, pattern in parts.items() if not name.isupper()}


def split_words(lines: str) -> frozenset[str]:
    """Words separated by bars and lines; those with points also with blanks after them.

    Examples
    --------
    >>> sorted(split_words("k.a.|none"))
    ['k. a.', 'k.a.', 'none']
    """
    words = [word.strip() for line in lines.strip().splitlines() for word in line.split("|")]
    spaced = (re.sub(r"(?<=[a-z])\.(?=[a-z])", ". ", word) for word in words)
    return frozenset((*words, *spaced))


def fold_letters(text: str, letters: dict[int, str]) -> str:
    """A text in lower case, without accents, with plain hyphens; `letters` is for `translate`."""
    parts = unicodedata.normalize("NFKD", text.casefold().translate(letters))
    plain = parts if parts.isascii() else "".join(filterfalse(unicodedata.combining, parts))
    return re.sub("[\u2010-\u2015\u2212]", "-", plain)


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
    usual_numbers = numbers[~is_code]
    if len(usual_numbers) < 2:
        return []
    low, highest = float(usual_numbers.min()), float(usual_numbers.max())
    # 77 and 88 are ages if others are as high; then only the largest can be a code.
    top = float(numbers.max())
    high = top if top in CODES and top <= highest * 1.1 + 1 else highest
    usual = float(np.median(counts[~is_code]))
    codes = []
    for code in np.sort(numbers[is_code]):
        rows = int(counts[numbers == code].sum())
        # Below zero if no other is; or far above the others, and often.
        below = code < 0 <= low
        above = code >= 9 and code > high + max(1.0, 0.5 * (high - low))
        # Just above the others and frequent, such as 98 and 99 beside ages.
        spike = code >= 60 and code > highest and rows >= MIN_SPIKE and rows > OFTEN * usual
        if below or (above and (rows >= MIN_ROWS or code >= 99)) or spike:
            codes.append(float(code))
    return codes
