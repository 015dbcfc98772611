"""Ordered scales: words such as "never" and "often", sizes, marks, bands of numbers."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache

from calm_core.ingest.values.words import WORDS, fold_letters, read_patterns

# Alternatives of patterns, by name in capitals.
PARTS = {
    name.upper(): WORDS[name].replace("\n", "")
    for name in "above and below from less more nothing steps to mark_name".split()
}
NONE = frozenset(PARTS["NOTHING"].split("|"))
LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "’": "'", "´": "'", "`": "'"}
)
PLAIN = 2.0  # strength of a pole without a modifier
AFFIRMING = ("yes", "tak", "ja", "oui", "si", "sim")
ROMANS = {"i": 1, "v": 5, "x": 10}


def normalize_word(text: str) -> str:
    """A text in lower case, without accents, with plain hyphens and single blanks."""
    return " ".join(fold_letters(text, LETTERS).split())


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
    for scale in _read_scales():
        if all(word in scale for word in folded):
            return [float(scale[word]) for word in folded]
    for language in WORDS["polar"]:
        ranks = _polar_ranks(folded, language)
        if ranks is not None:
            return ranks
    return None


@cache
def _read_scales() -> list[dict[str, int]]:
    """Each scale as a step for each of its words."""
    return [
        {
            fold_word(word): step
            for step, level in enumerate(line.split(" < "))
            for word in level.split("|")
        }
        for line in WORDS["scales"].strip().splitlines()
    ]


@lru_cache(maxsize=16)
def _read_language(name: str) -> tuple[dict[str, tuple[str, float]], dict[str, list]]:
    """Phrases of a language with their kind and strength, and for each subject its poles as (word, side)."""
    phrases, poles = {}, {}
    for line in WORDS["polar"][name].strip().splitlines():
        head, _, rest = line.partition(": ")
        kind, _, strength = head.partition(" ")
        if kind == "poles":
            for subject in rest.split("; "):
                poles[subject] = [
                    (pole[1:].strip(), 1 if pole[0] == "+" else -1)
                    for pole in re.findall(r"[+-][^+-]+", subject)
                ]
        else:
            for phrase in rest.split("|"):
                phrases.setdefault(phrase, (kind, float(strength or 0)))
    return phrases, poles


def _polar_ranks(words: Sequence[str], language: str) -> list[float] | None:
    """Ranks of words about one subject, such as "very unlikely" and "likely"."""
    phrases, poles = _read_language(language)
    for subject, sides in sorted(poles.items()):
        ranks = []
        # Most subjects end with the first word.
        for word in words:
            rank = _rank(word, phrases, sides)
            if rank is None:
                break
            ranks.append(rank)
        # Two words with one rank have no order.
        if len(ranks) < len(words) or len(set(zip(ranks, words))) > len(set(ranks)):
            continue
        graded = any(abs(rank) not in (0.0, PLAIN) for rank in ranks)
        if len(set(ranks)) > 2 and (graded or not re.search(r"\+(yes|ja)", subject)):
            return ranks
    return None


def _rank(word: str, phrases, sides: list[tuple[str, int]]) -> float | None:
    """Rank of a phrase between the poles; None if it has other words."""
    if phrases.get(word, ("",))[0] == "middle":
        return 0.0
    remaining, side, turned, strength, middle = word.split(), 0, 1, 0.0, False
    while remaining:
        for size in range(min(5, len(remaining)), 0, -1):
            phrase = " ".join(remaining[:size])
            pole = next((s for pole, s in sides if _matches_pole(pole, phrase)), 0)
            kind, much = phrases.get(phrase, ("", 0.0))
            if pole:
                side = side or pole
            elif kind in ("negate", "strong"):
                turned = -turned if kind == "negate" else turned
                strength = max(strength, much)
            elif kind == "both":
                middle = True
            elif kind != "filling":
                continue
            remaining = remaining[size:]
            break
        else:
            return None
    if middle:
        return 0.0
    # "probably not" beside "probably yes".
    if not side and turned < 0 and any(pole in AFFIRMING for pole, _ in sides):
        side = 1
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
    marked = re.search(PARTS["MARK_NAME"], fold_word(name)) is not None
    for form, pattern in PATTERNS.items():
        every_rank = [_pattern_rank(form, pattern, word) for word in plain]
        ranks = [rank for rank in every_rank if rank is not None]
        every = len(ranks) == len(plain)
        if every and len(set(ranks)) > 2 and _are_steps(form, set(plain), marked):
            return ranks
    return None


def _pattern_rank(form: str, pattern: re.Pattern, word: str) -> float | None:
    if word in (named := NAMED_RANKS.get(form, {})):
        return named[word]
    match = pattern.match(fold_word(word) if form in ("step", "quarter") else word)
    return RANKS[form](match) if match else None


def _are_steps(form: str, words: set[str], marked: bool) -> bool:
    """Whether words of one form are steps of a scale, by what the whole column holds."""
    match form:
        case "language":
            return len({word[0] for word in words}) > 1
        case "mark":
            # Marks and not blood groups.
            several = any(word.endswith("++") for word in words)
            bare = any(len(word) == 1 for word in words)
            signed = any(len(word) > 1 for word in words)
            return marked or several or (signed and bare and any(word[0] > "b" for word in words))
        case "credit":
            return any(word[:2] in ("aa", "bb", "cc") for word in words)
        case "school_year":
            return are_school_years(words)
        case "sign":
            return any("+" in word for word in words)
        case "roman":
            return sum(len(word) > 1 for word in words) > 1
    return True


def are_school_years(words: Iterable[str]) -> bool:
    """Whether several texts are years with the next one, and so no months.

    Examples
    --------
    >>> are_school_years(["2009/10", "2010/11"]), are_school_years(["2010-10", "2010-11"])
    (True, False)
    """
    matches = [PATTERNS["school_year"].match(normalize_word(word)) for word in words]
    return len(matches) > 1 and all(
        one is not None and (int(one["number"]) + 1) % 10 ** len(one["next"]) == int(one["next"])
        for one in matches
    )


def _size_rank(match: re.Match) -> float | None:
    times = int(match["times"]) if match["times"] else len(match["xs"])
    if match["size"] == "m":
        return None if times else 1.0
    if match["times"] and "x" not in match[0]:
        return None
    return 2.0 + times if match["size"] == "l" else 0.0 - times


def _language_rank(match: re.Match) -> float:
    return 2.0 * "abc".index(match["letter"]) + int(match["number"]) + 0.5 * bool(match["more"])


def _mark_rank(match: re.Match) -> float:
    sign = match["sign"]
    return (
        6.0 - "abcdefg".index(match["letter"]) - 3.0 + 0.3 * sign.count("+") - 0.3 * sign.count("-")
    )


def _credit_rank(match: re.Match) -> float:
    place = ("d", "c", "cc", "ccc", "b", "bb", "bbb", "a", "aa", "aaa").index(match["letters"])
    return place + {"+": 0.3, "-": -0.3, "": 0.0}[match["sign"]]


def _sign_rank(match: re.Match) -> float:
    signs = match["signs"]
    size = 0.5 if signs in ("+/-", "±") else float(signs.count("+") - signs.count("-"))
    return {"(+)": 0.5, "(-)": -0.5}.get(match[0], size)


def _roman_rank(match: re.Match) -> float | None:
    if match["step"] and not PATTERNS["step"].match(match["step"] + " 1"):
        return None
    if not match["roman"]:
        return None
    digits = [ROMANS[letter] for letter in match["roman"]]
    number = sum(-one if one < two else one for one, two in zip(digits, [*digits[1:], 0]))
    part, letters = match["part"], match["part"].rstrip("0123456789")
    letter = 0.2 * ("abcd".index(letters) + 1) if letters else 0
    return number + letter + 0.02 * int(part.removeprefix(letters) or 0)


def _number_rank(match: re.Match) -> float:
    part = match.groupdict().get("part")
    return int(match["number"]) + (0.2 * ("abcd".index(part) + 1) if part else 0.0)


PATTERNS = {
    name: re.compile(pattern)
    for name, pattern in read_patterns("steps_of_scales", STEPS=PARTS["STEPS"]).items()
}
RANKS: dict[str, Callable[[re.Match], float | None]] = {
    "size": _size_rank,
    "language": _language_rank,
    "mark": _mark_rank,
    "credit": _credit_rank,
    "sign": _sign_rank,
    "roman": _roman_rank,
    "step": _number_rank,
    "quarter": _number_rank,
    "ordinal": _number_rank,
    "school_year": _number_rank,
    "stars": lambda found: float(sum(map(found[0].count, "★*⭐"))),
}
# Values without a pattern.
NAMED_RANKS = {
    "size": {"medium": 1.0, "small": 0.0, "large": 2.0},
    "roman": {"0": 0.0, "tis": 0.0, "cis": 0.0},
}
BANDS = {name: re.compile(pattern) for name, pattern in read_patterns("bands", **PARTS).items()}
SCALE = {"k": 1e3, "tys": 1e3, "tsd": 1e3, "tausend": 1e3, "mil": 1e3, "mille": 1e3, "": 1.0}


def band_ranks(words: Sequence[str]) -> list[float] | None:
    """Lower end of each band; None if not all are bands, or two are equal.

    Examples
    --------
    >>> band_ranks(["50 und älter", "unter 20", "20–29"]), band_ranks(["red", "1-2", "3-4"])
    ([50.0, 19.75, 20.0], None)
    """
    keys = [range_key(word) for word in words]
    bands = [key for key in keys if key is not None]
    nothing = sum(normalize_word(word) in NONE for word in words)
    if len(bands) + nothing < len(keys) or len(set(bands)) < len(bands) or nothing > 1:
        return None
    # "none" is before all bands.
    return [min(bands, default=0.0) - 1 if key is None else key for key in keys]


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
    if interval := BANDS["interval"].match(word):
        return float(interval["number"].replace("∞", "inf"))
    match = BANDS["range"].match(word)
    if not match:
        return None
    shift = -0.25 if match["below"] or match["less"] else 0.25 if match["above"] else 0.0
    number = re.sub(r"[.,' ](?=\d{3}(?!\d))", "", match["number"]).replace(",", ".")
    return (float(number) + shift) * SCALE.get(match["scale"] or "", 1e6)
