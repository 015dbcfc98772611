"""Ordered scales: words such as "never" and "often", sizes, marks, bands of numbers."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import filterfalse

from calm_core.ingest.values.markers import WORDS

# Alternatives of patterns.
ABOVE, AND, BELOW, FROM, LESS, MORE, NOTHING, STEPS, TO, MARK_NAME = (
    WORDS[name].replace("\n", "")
    for name in "above and below from less more nothing steps to mark_name".split()
)
LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "’": "'", "´": "'", "`": "'"}
)
PLAIN = 2.0  # strength of a pole without a modifier
ROMAN = re.compile(r"(?:(?P<step>[a-z]+)\.? )?(?P<roman>x?(?:ix|iv|v?i{0,3}))(?P<part>[abcd]?\d?)$")
ROMANS = {"i": 1, "v": 5, "x": 10}
SIZE = re.compile(r"(?:(?P<times>\d{1,2}) ?x?|(?P<xs>x*)) ?-?(?P<size>[sml])$")
MARK = re.compile(r"(?P<letter>[a-g])(?P<sign>\+{0,3}|-{0,2})$")
CREDIT = re.compile(r"(?P<letters>aaa|aa|a|bbb|bb|b|ccc|cc|c|d)(?P<sign>[+-]?)$")
LANGUAGE = re.compile(r"(?P<letter>[abc])(?P<number>[12])(?P<more>\+?)$")
SIGNS = re.compile(r"\(?(?P<signs>\+{1,5}|-{1,5}|0|\+/-|±|ø)\)?$")
STEP = re.compile(rf"(?:{STEPS})\.? ?(?P<number>\d{{1,2}})(?P<part>[a-d]?)$")
ORDINAL = re.compile(r"(?P<number>\d{1,2})(?:st|nd|rd|th|\.|er|ere|e|eme|o|a|º|ª)$")
STARS = re.compile(r"[★*☆⭐]{1,10}$")
QUARTER = re.compile(r"(?:[qkt]|quartal |quarter |trim\.? ?|trimestre )(?P<number>[1-4])$")


def normalize_word(text: str) -> str:
    """A text in lower case, without accents, with plain hyphens and single blanks."""
    apart = unicodedata.normalize("NFKD", text.casefold().translate(LETTERS))
    plain = apart if apart.isascii() else "".join(filterfalse(unicodedata.combining, apart))
    return " ".join(re.sub("[\u2010-\u2015\u2212]", "-", plain).split())


def fold_word(text: str) -> str:
    """A word as written in scales.

    Examples
    --------
    >>> fold_word("Plutôt pas d’accord"), fold_word("Satisfait(e)"), fold_word("Teils/teils")
    ('plutot pas d accord', 'satisfait', 'teils teils')
    """
    plain = re.sub(r"\([a-z/]{1,3}\)|(?<=[a-z])[·/-](?:e|a|in|o)\b", "", normalize_word(text))
    plain = re.sub(r"(?<=n)'(?=t\b)", "", plain)
    return " ".join(re.sub(r"[^\w+%<>=≤≥]+|_", " ", plain).split())


def word_ranks(words: Sequence[str]) -> list[float] | None:
    """The step of each word if all are of one scale, from low to high; else None.

    Examples
    --------
    >>> word_ranks(["Nie", "Oft", "Immer"]), word_ranks(["strongly agree", "agree", "not at all"])
    ([0.0, 6.0, 10.0], None)
    >>> word_ranks(["Stimme eher nicht zu", "Stimme voll zu", "Teils/teils"])
    [-1.0, 4.0, 0.0]
    """
    folded = [fold_word(word) for word in words]
    for scale in _word_scales():
        if all(word in scale for word in folded):
            return [float(scale[word]) for word in folded]
    for language in WORDS["polar"]:
        ranks = _polar_ranks(folded, language)
        if ranks is not None:
            return ranks
    return None


@cache
def _word_scales() -> tuple[dict[str, int], ...]:
    return tuple(
        {
            fold_word(word): step
            for step, level in enumerate(line.split(" < "))
            for word in level.split("|")
        }
        for line in WORDS["scales"].strip().splitlines()
    )


@lru_cache(maxsize=16)
def _language(name: str) -> tuple[dict[str, tuple[str, float]], list[tuple[str, str, int]]]:
    """Phrases of a language with their kind and strength, and its poles as (word, subject, side)."""
    phrases, poles = {}, []
    for line in WORDS["polar"][name].strip().splitlines():
        head, _, rest = line.partition(": ")
        kind, _, strength = head.partition(" ")
        if kind == "poles":
            for subject in rest.split("; "):
                for pole in re.findall(r"[+-][^+-]+", subject):
                    poles.append((pole[1:].strip(), subject, 1 if pole[0] == "+" else -1))
        else:
            for phrase in rest.split("|"):
                phrases.setdefault(phrase, (kind, float(strength or 0)))
    return phrases, poles


def _polar_ranks(words: Sequence[str], language: str) -> list[float] | None:
    """Ranks of words about one subject, such as "very unlikely" and "likely"."""
    phrases, poles = _language(language)
    subjects = sorted({subject for _, subject, _ in poles})
    for subject in subjects:
        sides = [(pole, side) for pole, of, side in poles if of == subject]
        ranks = [_rank(word, phrases, sides) for word in words]
        known = [rank for rank in ranks if rank is not None]
        # Two words with one rank have no order.
        if len(known) < len(ranks) or len(set(zip(ranks, words))) > len(set(ranks)):
            continue
        if len(set(known)) > 2 and any(abs(rank) not in (0.0, PLAIN) for rank in known):
            return known
        if len(set(known)) > 2 and "+yes" not in subject and "+ja" not in subject:
            return known
    return None


def _rank(word: str, phrases, sides: list[tuple[str, int]]) -> float | None:
    """Rank of a phrase between the poles; None if it has other words."""
    if phrases.get(word, ("",))[0] == "middle":
        return 0.0
    left, side, turned, strength, middle = word.split(), 0, 1, None, False
    while left:
        taken = 0
        for size in range(min(5, len(left)), 0, -1):
            phrase = " ".join(left[:size])
            pole = next((s for pole, s in sides if _matches_pole(pole, phrase)), 0)
            kind, much = phrases.get(phrase, ("", 0.0))
            if pole:
                side = side or pole
            elif kind in ("negate", "strong"):
                turned = -turned if kind == "negate" else turned
                strength = max(strength or 0.0, much) or None
            elif kind == "both":
                middle = True
            elif kind != "filling":
                continue
            taken = size
            break
        if not taken:
            return None
        left = left[taken:]
    if middle:
        return 0.0
    if not side:
        # "probably not" beside "probably yes".
        known = turned < 0 and any(
            pole in ("yes", "tak", "ja", "oui", "si", "sim") for pole, _ in sides
        )
        side = 1 if known else 0
    return side * turned * (strength or PLAIN) if side else None


def _matches_pole(pole: str, phrase: str) -> bool:
    if pole.endswith("*"):
        return " " not in phrase and phrase.startswith(pole[:-1])
    return phrase == pole


def pattern_ranks(words: Sequence[str], name: str) -> list[float] | None:
    """The step of each value if all have one form: sizes, marks, stages, plus signs; else None.

    Parameters
    ----------
    name : str
        Of the column; letters alone are marks only if the name says so.

    Examples
    --------
    >>> pattern_ranks(["S", "2XL", "xs"], ""), pattern_ranks(["III", "I", "IV"], "")
    ([0.0, 4.0, -1.0], [3.0, 1.0, 4.0])
    >>> pattern_ranks(["A", "B", "C"], "team"), pattern_ranks(["A", "B", "C"], "energy label")
    (None, [3.0, 2.0, 1.0])
    """
    plain = [
        " ".join(word.casefold().translate(str.maketrans("−–", "--")).split()) for word in words
    ]
    marked = re.search(MARK_NAME, fold_word(name)) is not None
    for rank, enough in _patterns(marked):
        ranks = [rank(word) for word in plain]
        known = [rank for rank in ranks if rank is not None]
        if len(known) == len(plain) and len(set(known)) > 2 and enough(set(plain)):
            return known
    return None


def _patterns(marked: bool) -> tuple[tuple[Callable, Callable], ...]:
    """Each form with the condition on its column."""
    return (
        (_size_rank, lambda words: True),
        (_language_rank, lambda words: len({word[0] for word in words}) > 1),
        (_mark_rank, lambda words: marked or _shows_marks(words)),
        (_credit_rank, lambda words: any(word[:2] in ("aa", "bb", "cc") for word in words)),
        (_sign_rank, lambda words: any("+" in word for word in words)),
        (_roman_rank, lambda words: sum(len(word) > 1 for word in words) > 1),
        (_number_ranker(STEP), lambda words: True),
        (_number_ranker(QUARTER), lambda words: True),
        (_number_ranker(ORDINAL), lambda words: True),
        (lambda word: float(word.count("★") + word.count("*") + word.count("⭐")) if STARS.match(word) else None,
         lambda words: True),
    )  # fmt: skip


def _shows_marks(words: set[str]) -> bool:
    """Whether letters with signs are marks and not blood groups."""
    several = any(word.endswith("++") for word in words)
    bare = sum(len(word) == 1 for word in words)
    signed = any(len(word) > 1 for word in words)
    return several or (signed and bare > 0 and any(word[0] > "b" for word in words))


def _size_rank(word: str) -> float | None:
    found = SIZE.match(word)
    if not found:
        return {"medium": 1.0, "small": 0.0, "large": 2.0}.get(word)
    times = int(found["times"]) if found["times"] else len(found["xs"])
    if found["size"] == "m":
        return None if times else 1.0
    if found["times"] and "x" not in word:
        return None
    return 2.0 + times if found["size"] == "l" else 0.0 - times


def _mark_rank(word: str) -> float | None:
    found = MARK.match(word)
    if not found:
        return None
    sign = found["sign"]
    return (
        6.0 - "abcdefg".index(found["letter"]) - 3.0 + 0.3 * sign.count("+") - 0.3 * sign.count("-")
    )


def _credit_rank(word: str) -> float | None:
    found = CREDIT.match(word)
    if not found:
        return None
    place = ("d", "c", "cc", "ccc", "b", "bb", "bbb", "a", "aa", "aaa").index(found["letters"])
    return place + {"+": 0.3, "-": -0.3, "": 0.0}[found["sign"]]


def _language_rank(word: str) -> float | None:
    found = LANGUAGE.match(word)
    if not found:
        return None
    return 2.0 * "abc".index(found["letter"]) + int(found["number"]) + 0.5 * bool(found["more"])


def _sign_rank(word: str) -> float | None:
    found = SIGNS.match(word)
    if not found:
        return None
    signs = found["signs"]
    size = 0.5 if signs in ("+/-", "±") else float(signs.count("+") - signs.count("-"))
    return 0.5 if word == "(+)" else -0.5 if word == "(-)" else size


def _roman_rank(word: str) -> float | None:
    if word in ("0", "tis", "cis"):
        return 0.0
    found = ROMAN.match(word)
    if not found or not found["roman"] or (found["step"] and not STEP.match(found["step"] + " 1")):
        return None
    digits = [ROMANS[letter] for letter in found["roman"]]
    number = sum(-one if one < two else one for one, two in zip(digits, [*digits[1:], 0]))
    part = found["part"]
    letters = [sign for sign in part if sign.isalpha()]
    numbers = [sign for sign in part if sign.isdigit()]
    return (
        number
        + 0.2 * ("abcd".index(letters[0]) + 1 if letters else 0)
        + 0.02 * int("".join(numbers) or 0)
    )


def _number_ranker(pattern: re.Pattern) -> Callable[[str], float | None]:
    def rank(word: str) -> float | None:
        found = pattern.match(fold_word(word) if pattern is not ORDINAL else word)
        if not found:
            return None
        part = found.groupdict().get("part") or ""
        return int(found["number"]) + (0.2 * ("abcd".index(part) + 1) if part else 0.0)

    return rank


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
    """Lower end of each band; None if not all are bands, or two are equal.

    Examples
    --------
    >>> band_ranks(["50 und älter", "unter 20", "20–29"]), band_ranks(["red", "1-2", "3-4"])
    ([50.0, 19.75, 20.0], None)
    """
    keys = [range_key(word) for word in words]
    known = [key for key in keys if key is not None]
    nothing = [" ".join(normalize_word(word).split()) in NONE for word in words]
    if len(known) + sum(nothing) < len(keys) or len(set(known)) < len(known) or sum(nothing) > 1:
        return None
    # "none" is before all bands.
    return [min(known, default=0.0) - 1 if key is None else key for key in keys]


def range_key(word: str) -> float | None:
    """Lower end of a range, shifted a little for open ones; None if it is no range.

    Examples
    --------
    >>> [range_key(word) for word in ("18-25", "65+", "under 20", "50k–100k", "[25, 35)", "red")]
    [18.0, 65.0, 19.75, 50000.0, 25.0, None]
    >>> [range_key(word) for word in ("1.000 bis unter 2.000 €", "plus de 65 ans", "65 ans et plus")]
    [1000.0, 65.25, 65.0]
    """
    word = normalize_word(word)
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
