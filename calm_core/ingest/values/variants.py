"""Spellings of one value: case, accents, blanks, punctuation, plurals, and letters for words."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import filterfalse

import numpy as np

OUTER = " \t.,;:!?\"'`´‘’“”()[]{}"
LETTERS = str.maketrans({"ł": "l", "đ": "d", "ø": "o", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe"})
# Words that are written in more than one way, each in the one way they are compared.
SAME_WORDS = {
    "st": "saint", "sankt": "saint", "ste": "saint", "sainte": "saint", "skt": "saint", "sint": "saint",
    "gray": "grey", "str": "strasse", "strase": "strasse", "st.": "saint", "color": "colour",
    "center": "centre", "theater": "theatre", "organisation": "organization", "univ": "university",
    "dept": "department", "prof": "professor", "dr": "doctor", "mt": "mount", "intl": "international",
    "ave": "avenue", "blvd": "boulevard", "rd": "road", "avda": "avenida", "pl": "plac", "ul": "ulica",
    "labour": "labor", "fiber": "fibre", "tyre": "tire", "aluminum": "aluminium", "jewelry": "jewellery",
}  # fmt: skip
MIN_LETTERS, RARER = 6, 4  # of words in which a slip is looked for, and how much rarer it is
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
MAX_COMPARED = 400  # of more values no slips are looked for
MAX_WORDS = 12  # with more values than these a single letter says too little
YES_NO = (
    ("0", "1"), ("0.0", "1.0"), ("no", "yes"), ("n", "y"), ("false", "true"), ("off", "on"),
    ("nein", "ja"), ("non", "oui"), ("nee", "ja"), ("nej", "ja"), ("nie", "tak"),
    ("não", "sim"), ("nao", "sim"), ("no", "si"), ("no", "sí"), ("no", "sì"), ("нет", "да"),
    ("falsch", "wahr"), ("faux", "vrai"), ("falso", "verdadero"), ("falso", "vero"), ("unchecked", "checked"),
)  # fmt: skip
# Letters that are no and yes in some language, and north and south or new and old in others: by the words
# of other columns that show the language.
LETTER_PAIRS = {
    ("n", "j"): {"nein", "nee", "nej", "ja"}, ("n", "o"): {"non", "oui"},
    ("n", "s"): {"não", "nao", "sim", "si", "sí", "sì"}, ("f", "t"): {"false", "true"},
}  # fmt: skip


def folded(text: str) -> str:
    """A text without what spellings of one value differ in.

    Examples
    --------
    >>> folded(" YES?"), folded("Köln") == folded("Koln"), folded("State-gov."), folded("18 – 25")
    ('yes', True, 'state gov', '18-25')
    >>> folded("Łódź") == folded("Lodz"), folded("Ærø") == folded("aero")
    (True, True)
    >>> folded("A+") == folded("A-"), folded("1.5") == folded("15")
    (False, False)
    """
    apart = unicodedata.normalize("NFKD", text.casefold().translate(LETTERS))
    plain = apart if apart.isascii() else "".join(filterfalse(unicodedata.combining, apart))
    plain = re.sub("[\u2010-\u2015\u2212]", "-", plain)
    plain = " ".join(plain.replace("_", " ").split())
    plain = re.sub(r" ?([-/&+]) ?", r"\1", plain)
    if not re.search(r"\d", plain):
        plain = re.sub(r"(?<=[^\W\d_])[-/.](?=[^\W\d_])", " ", plain)
    return plain.strip(OUTER) or plain


def spellings(values: Sequence[str], counts: Sequence[int]) -> list[tuple[tuple[str, ...], str]]:
    """Values that seem to be one, commonest first, each group with the spelling to keep.

    Examples
    --------
    >>> spellings(["Yes", "no", "yes", "YES?"], [9, 5, 3, 1])
    [(('Yes', 'yes', 'YES?'), 'Yes')]
    >>> spellings(["Male", "Female", "M", "f"], [9, 8, 3, 1])
    [(('Male', 'M'), 'Male'), (('Female', 'f'), 'Female')]
    >>> spellings(["yes", "no", "y", "Y", "n"], [9, 8, 3, 2, 1])
    [(('yes', 'y', 'Y'), 'yes'), (('no', 'n'), 'no')]
    >>> spellings(["A", "AB", "B", "0"], [9, 8, 3, 1]), spellings(["A+", "A-"], [2, 1])
    ([], [])
    """
    parent = list(range(len(values)))

    def root(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    def join(i: int, j: int) -> None:
        parent[max(root(i), root(j))] = min(root(i), root(j))

    keys = [folded(value) for value in values]
    first: dict[str, int] = {}
    for i, value in enumerate(values):
        for key in (keys[i], folded(value.casefold().translate(UMLAUTS))):
            join(i, first.setdefault(key, i))
    for i, key in enumerate(keys):
        for other in _other_ways(key, values[i]):
            join(i, first.setdefault(other, i))
    for key in [key for key in first if len(key) > 2]:
        for plural in (key + "s", key + "es"):
            if plural in first and not re.search(r"\d", key):
                join(first[key], first[plural])
    for short, long in _initials(values):
        join(short, long)
    for letter, word in _letters(set(keys)).items():
        join(first[letter], first[word])
    for i, j in slips(keys, counts):
        join(i, j)
    sides = yes_or_no(values) if len(values) > 2 else None
    for side in (0, 1) if sides is not None else ():
        same = np.flatnonzero(sides == side).tolist()
        for i in same[1:]:
            join(same[0], i)
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for i in range(len(values)):
        groups[root(i)].append(i)
    found = []
    for members in groups.values():
        if len(members) > 1:
            members.sort(key=lambda i: (-counts[i], values[i]))
            into = min(members, key=lambda i: (_odd(values[i]), -counts[i], values[i]))
            found.append(
                (tuple(values[i] for i in members), values[into], sum(counts[i] for i in members))
            )
    return [(texts, into) for texts, into, _ in sorted(found, key=lambda one: (-one[2], one[0]))]


def _other_ways(key: str, value: str) -> list[str]:
    """Other keys of a value: without the points of an abbreviation, with its words as usually written."""
    found = []
    if re.fullmatch(r"(?:[^\W\d_]\. ?){2,5}[^\W\d_]?", value):
        found.append(re.sub(r"[. ]", "", value).casefold())
    words = re.sub(r"(?<=\w{3})str\b\.?", "strasse", key).replace(".", " ").split()
    usual = " ".join(SAME_WORDS.get(word, word) for word in words)
    return [*found, usual] if len(usual) > 2 and usual != key else found


def _initials(values: Sequence[str]) -> list[tuple[int, int]]:
    """Capital letters beside the only value of several words that begin with them: "HR", "Human Resources"."""
    begin: defaultdict[str, list[int]] = defaultdict(list)
    for i, value in enumerate(values):
        words = value.replace("-", " ").split()
        if len(words) > 1 and all(word[:1].isalpha() for word in words):
            begin["".join(word[0] for word in words).upper()].append(i)
    short = [(i, re.sub(r"[. ]", "", value)) for i, value in enumerate(values)]
    return [
        (i, begin[letters][0])
        for i, letters in short
        if 2 <= len(letters) <= 5 and letters.isupper() and len({folded(values[j]) for j in begin[letters]}) == 1
        and i not in begin[letters]
    ]  # fmt: skip


def slips(keys: Sequence[str], counts: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of values of which the rarer is the commoner one with a slip of one letter.

    Examples
    --------
    >>> slips(["quercus robur", "quercus robor", "quercus rubra"], [58, 2, 32])
    [(1, 0)]
    >>> slips(["agreeable", "disagreeable"], [9, 1]), slips(["stage iii", "stage iv"], [9, 1])
    ([], [])
    """
    rows: dict[str, int] = {}
    for key, count in zip(keys, counts):
        rows[key] = rows.get(key, 0) + count
    at = {key: i for i, key in reversed([*enumerate(keys)])}
    long = [key for key in at if _may_slip(key)]
    found = []
    if len(long) > MAX_COMPARED:
        return []
    for rare in long:
        near = [k for k in long if rows[k] >= RARER * rows[rare] and one_letter(rare, k)]
        if len(near) == 1:
            found.append((at[rare], at[near[0]]))
    return found


def _may_slip(key: str) -> bool:
    """Whether a text is of words long enough; codes, numbers and Roman numerals are not."""
    words = key.split()
    return (
        not re.search(r"[\d/&+]", key)
        and not any(re.fullmatch("[ivx]{1,5}", word) for word in words)
        and max(map(len, words), default=0) >= MIN_LETTERS
    )


def one_letter(one: str, two: str) -> bool:
    """Whether texts differ in one letter of a long word, or two neighbours changed places, not at its start.

    Examples
    --------
    >>> one_letter("fagus silvatica", "fagus sylvatica"), one_letter("germnay", "germany")
    (True, True)
    >>> one_letter("likely", "unlikely"), one_letter("male", "female"), one_letter("unsafe", "onsafe")
    (False, False, False)
    """
    words = [(a, b) for a, b in zip(one.split(), two.split()) if a != b]
    if len(one.split()) != len(two.split()) or len(words) != 1:
        return False
    short, long = sorted(words[0], key=len)
    if len(long) - len(short) > 1 or len(long) < MIN_LETTERS - 1 or short[:1] != long[:1]:
        return False
    at = next((i for i, (a, b) in enumerate(zip(short, long)) if a != b), len(short))
    if len(short) < len(long):
        # Endings such as -o/-a/-s/-e tell genders and numbers apart.
        return short[at:] == long[at + 1 :] and at < len(short)
    if at == len(short) - 1:
        return False
    swapped = short[at + 1] == long[at] and short[at] == long[at + 1]
    return short[at + 1 :] == long[at + 1 :] or (swapped and short[at + 2 :] == long[at + 2 :])


def _letters(keys: set[str]) -> dict[str, str]:
    """The word that each single letter stands for, where that is so for every letter."""
    letters = {key for key in keys if len(key) == 1 and key.isalpha()}
    words = {key for key in keys if len(key) > 2 and key.isalpha()}
    if not letters or len(keys) > MAX_WORDS:
        return {}
    stands = {letter: [word for word in words if word.startswith(letter)] for letter in letters}
    if any(len(found) != 1 for found in stands.values()):
        return {}
    return {letter: found[0] for letter, found in stands.items()}


def _odd(text: str) -> bool:
    """Whether a spelling is no good one: an abbreviation, or with punctuation or blanks around it."""
    return len(text) == 1 or text != text.strip(OUTER)


def yes_or_no(values: Sequence[str], letters: Iterable[tuple[str, str]] = ()) -> np.ndarray | None:
    """0 for every no and 1 for every yes, in any spelling; None where they are anything else.

    Parameters
    ----------
    letters : iterable of pairs
        Those of `LETTER_PAIRS` that are known to be no and yes.

    Examples
    --------
    >>> yes_or_no(["Yes", "no", "YES?"]).tolist(), yes_or_no(["f", "m"]), yes_or_no(["yes"])
    ([1.0, 0.0, 1.0], None, None)
    >>> yes_or_no(["N", "S"]) is None, yes_or_no(["S", "N"], [("n", "s")]).tolist()
    (True, [1.0, 0.0])
    """
    words = _words(values)
    if not 2 <= len(words) <= MAX_WORDS:
        return None
    for pair in (*YES_NO, *letters):
        if set(words) == set(pair):
            return np.array([pair.index(word) for word in words], dtype=float)
    if len(words) == 2:
        return None
    # Several pairs at once, such as "Yes", "y", "no" and "n", but no single letter alone.
    sides = {word: side for pair in (*YES_NO[2:], *LETTER_PAIRS) for side, word in enumerate(pair)}
    full = {word for word in words if len(word) > 1}
    known = all(word in sides for word in words) and {sides[w] for w in full} == {0, 1}
    letter = all(any(w.startswith(word) for w in full) for word in words if len(word) == 1)
    return np.array([sides[word] for word in words], dtype=float) if known and letter else None


def letters_of(values: Sequence[str]) -> tuple[str, str] | None:
    """The pair of `LETTER_PAIRS` that the values are, in any spelling.

    Examples
    --------
    >>> letters_of(["S", "N", "s"]), letters_of(["y", "n"]), letters_of(["N"])
    (('n', 's'), None, None)
    """
    words = set(_words(values))
    return next((pair for pair in LETTER_PAIRS if words == set(pair)), None)


def _words(values: Sequence[str]) -> list[str]:
    """The values as they are compared."""
    return [value.casefold() if len(values) == 2 else folded(value) for value in values]
