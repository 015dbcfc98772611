"""The words of words.toml, and how texts are compared with them."""

import re
import tomllib
import unicodedata
from itertools import filterfalse
from pathlib import Path

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def read_synonyms(name: str, separator: str | None = None) -> dict[str, str]:
    """Each word of a list in words.toml with the word before the colon, which it means."""
    lines = (line.split(": ") for line in WORDS[name].strip().splitlines())
    return {word: main for main, words in lines for word in words.split(separator)}


def read_patterns(table: str, **parts: str) -> dict[str, str]:
    """Patterns of a table in words.toml; {NAME} stands for a part given or defined above."""
    for name, pattern in WORDS[table].items():
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
    apart = unicodedata.normalize("NFKD", text.casefold().translate(letters))
    plain = apart if apart.isascii() else "".join(filterfalse(unicodedata.combining, apart))
    return re.sub("[\u2010-\u2015\u2212]", "-", plain)
