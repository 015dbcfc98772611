"""Spellings of one value: case, accents, blanks, punctuation, plurals, and letters for words."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from calm_core.ingest.values.words import WORDS, fold_letters, read_synonyms

OUTER = " \t.,;:!?\"'`´‘’“”()[]{}"
LETTERS = str.maketrans({"ł": "l", "đ": "d", "ø": "o", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe"})
SAME_WORDS = read_synonyms("same_words")
MIN_LETTERS = 6  # of words in which typing errors are searched
RARER = 4  # factor by which a typing error is rarer
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
MAX_COMPARED = 400  # with more values no typing errors are searched
MAX_WORDS = 12  # with more values a single letter is no abbreviation
TICKS = frozenset(WORDS["ticks"].split())


def fold_spelling(text: str) -> str:
    """A text without differences between spellings of one value.

    Examples
    --------
    >>> fold_spelling(" YES?"), fold_spelling("Köln") == fold_spelling("Koln"), fold_spelling("State-gov."), fold_spelling("18 – 25")
    ('yes', True, 'state gov', '18-25')
    >>> fold_spelling("Łódź") == fold_spelling("Lodz"), fold_spelling("Ærø") == fold_spelling("aero")
    (True, True)
    >>> fold_spelling("A+") == fold_spelling("A-"), fold_spelling("1.5") == fold_spelling("15")
    (False, False)
    """
    plain = " ".join(fold_letters(text, LETTERS).replace("_", " ").split())
    plain = re.sub(r" ?([-/&+]) ?", r"\1", plain)
    if not re.search(r"\d", plain):
        plain = re.sub(r"(?<=[^\W\d_])[-/.](?=[^\W\d_])", " ", plain)
    return plain.strip(OUTER) or plain


_PAIRS = [line.split() for line in WORDS["yes_no"].strip().splitlines()]
# As written and as folded, each once.
YES_NO = tuple(
    dict.fromkeys([*map(tuple, _PAIRS), *(tuple(map(fold_spelling, p)) for p in _PAIRS)])
)
# Single letters that mean no and yes beside words that do.
LETTER_PAIRS = tuple(tuple(line.split()) for line in WORDS["yes_no_letters"].strip().splitlines())
SURE_WORDS = TICKS.union(*YES_NO)
YES_NO_WORDS = SURE_WORDS.union(*LETTER_PAIRS)


def find_spellings(
    values: Sequence[str], counts: Sequence[int]
) -> list[tuple[tuple[str, ...], str]]:
    """Groups of values that seem to be one, the most frequent first, with the spelling to keep.

    Examples
    --------
    >>> find_spellings(["Yes", "no", "yes", "YES?"], [9, 5, 3, 1])
    [(('Yes', 'yes', 'YES?'), 'Yes')]
    >>> find_spellings(["Male", "Female", "M", "f"], [9, 8, 3, 1])
    [(('Male', 'M'), 'Male'), (('Female', 'f'), 'Female')]
    >>> find_spellings(["yes", "no", "y", "Y", "n"], [9, 8, 3, 2, 1])
    [(('yes', 'y', 'Y'), 'yes'), (('no', 'n'), 'no')]
    >>> find_spellings(["A", "AB", "B", "0"], [9, 8, 3, 1]), find_spellings(["A+", "A-"], [2, 1])
    ([], [])
    """
    keys = [fold_spelling(value) for value in values]
    first: dict[str, int] = {}
    pairs = []
    for i, value in enumerate(values):
        for key in (keys[i], fold_spelling(value.casefold().translate(UMLAUTS))):
            pairs.append((i, first.setdefault(key, i)))
    for i, key in enumerate(keys):
        for other in _other_ways(key, values[i]):
            pairs.append((i, first.setdefault(other, i)))
    for key in [key for key in first if len(key) > 2 and not re.search(r"\d", key)]:
        plurals = [key + ending for ending in ("s", "es") if key + ending in first]
        pairs += [(first[key], first[plural]) for plural in plurals]
    pairs += _initials(values)
    pairs += [(first[letter], first[word]) for letter, word in _letter_words(set(keys)).items()]
    pairs += find_slips(keys, counts)
    sides = yes_no_codes(values) if len(values) > 2 else None
    for side in (0, 1) if sides is not None else ():
        same = np.flatnonzero(sides == side).tolist()
        pairs += [(same[0], i) for i in same[1:]]
    groups = [[i] for i in range(len(values))]  # of each value, one list for all of its group
    for i, j in pairs:
        if groups[i] is not groups[j]:
            groups[i] += groups[j]
            for member in groups[j]:
                groups[member] = groups[i]
    merged = []
    for members in {id(group): group for group in groups}.values():
        if len(members) < 2:
            continue
        members.sort(key=lambda i: (-counts[i], values[i]))
        # Neither an abbreviation, nor with punctuation or blanks around it, if there is another.
        plain = [i for i in members if len(values[i]) > 1 and values[i] == values[i].strip(OUTER)]
        rows = sum(counts[i] for i in members)
        texts = tuple(values[i] for i in members)
        merged.append((texts, values[(plain or members)[0]], rows))
    return [(texts, into) for texts, into, _ in sorted(merged, key=lambda one: (-one[2], one[0]))]


def _other_ways(key: str, value: str) -> list[str]:
    """Other keys of a value: an abbreviation without points, words in their main spelling."""
    keys = []
    if re.fullmatch(r"(?:[^\W\d_]\. ?){2,5}[^\W\d_]?", value):
        keys.append(re.sub(r"[. ]", "", value).casefold())
    words = re.sub(r"(?<=\w{3})str\b\.?", "strasse", key).replace(".", " ").split()
    usual = " ".join(SAME_WORDS.get(word, word) for word in words)
    return [*keys, usual] if len(usual) > 2 and usual != key else keys


def _initials(values: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of initials and the only value with these initials: "HR", "Human Resources"."""
    begin: defaultdict[str, list[int]] = defaultdict(list)
    for i, value in enumerate(values):
        words = value.replace("-", " ").split()
        if len(words) > 1 and all(word[:1].isalpha() for word in words):
            begin["".join(word[0] for word in words).upper()].append(i)
    short = [(i, re.sub(r"[. ]", "", value)) for i, value in enumerate(values)]
    return [
        (i, begin[letters][0])
        for i, letters in short
        if 2 <= len(letters) <= 5 and letters.isupper() and len({fold_spelling(values[j]) for j in begin[letters]}) == 1
        and i not in begin[letters]
    ]  # fmt: skip


def find_slips(keys: Sequence[str], counts: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of values of which the rarer is the other with a typing error in one letter.

    Examples
    --------
    >>> find_slips(["quercus robur", "quercus robor", "quercus rubra"], [58, 2, 32])
    [(1, 0)]
    >>> find_slips(["agreeable", "disagreeable"], [9, 1]), find_slips(["stage iii", "stage iv"], [9, 1])
    ([], [])
    """
    rows: Counter[str] = Counter()
    for key, count in zip(keys, counts):
        rows[key] += count
    at = {key: i for i, key in reversed([*enumerate(keys)])}
    long = [key for key in at if _may_slip(key)]
    if len(long) > MAX_COMPARED:
        return []
    pairs = []
    for rare in long:
        near = [k for k in long if rows[k] >= RARER * rows[rare] and differs_by_one_letter(rare, k)]
        if len(near) == 1:
            pairs.append((at[rare], at[near[0]]))
    return pairs


def _may_slip(key: str) -> bool:
    """Whether a text has long enough words, and no codes, numbers or Roman numerals."""
    words = key.split()
    return (
        not re.search(r"[\d/&+]", key)
        and not any(re.fullmatch("[ivx]{1,5}", word) for word in words)
        and max(map(len, words), default=0) >= MIN_LETTERS
    )


def differs_by_one_letter(one: str, two: str) -> bool:
    """Whether texts differ in one letter of a long word or two swapped ones, not at its start.

    Examples
    --------
    >>> differs_by_one_letter("fagus silvatica", "fagus sylvatica"), differs_by_one_letter("germnay", "germany")
    (True, True)
    >>> differs_by_one_letter("likely", "unlikely"), differs_by_one_letter("male", "female"), differs_by_one_letter("unsafe", "onsafe")
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
        # Endings such as -o/-a/-s/-e mark gender and number.
        return short[at:] == long[at + 1 :] and at < len(short)
    if at == len(short) - 1:
        return False
    swapped = short[at + 1] == long[at] and short[at] == long[at + 1]
    return short[at + 1 :] == long[at + 1 :] or (swapped and short[at + 2 :] == long[at + 2 :])


def _letter_words(keys: set[str]) -> dict[str, str]:
    """The word that each single letter abbreviates, if all letters do."""
    letters = {key for key in keys if len(key) == 1 and key.isalpha()}
    words = {key for key in keys if len(key) > 2 and key.isalpha()}
    if not letters or len(keys) > MAX_WORDS:
        return {}
    candidates = {letter: [word for word in words if word.startswith(letter)] for letter in letters}
    if any(len(found) != 1 for found in candidates.values()):
        return {}
    return {letter: found[0] for letter, found in candidates.items()}


def yes_no_codes(values: Sequence[str]) -> np.ndarray | None:
    """0 for each no and 1 for each yes, in any spelling; None if there are other words.

    Examples
    --------
    >>> yes_no_codes(["Yes", "no", "YES?"]).tolist(), yes_no_codes(["f", "m"]), yes_no_codes(["yes"])
    ([1.0, 0.0, 1.0], None, None)
    """
    words = _compared_words(values)
    if not 2 <= len(words) <= MAX_WORDS:
        return None
    for pair in YES_NO:
        if set(words) == set(pair):
            return np.array([pair.index(word) for word in words], dtype=float)
    if len(words) == 2:
        return None
    # Several pairs at once, such as "Yes", "y", 1, "no", "n" and 0, but not "s" alone.
    sides = {word: side for pair in (*YES_NO, *LETTER_PAIRS) for side, word in enumerate(pair)}
    sides |= dict.fromkeys(TICKS, 1)
    full = {w for w in words if len(w) > 1 and w.isalpha() or not w.isascii()}
    are_known = all(word in sides for word in words) and {sides[w] for w in full} == {0, 1}
    letter = all(
        any(w.startswith(word) for w in full)
        for word in words
        if len(word) == 1 and word.isalpha() and word not in SURE_WORDS
    )
    return np.array([sides[word] for word in words], dtype=float) if are_known and letter else None


def _compared_words(values: Sequence[str]) -> list[str]:
    """The values in the form in which they are compared."""
    return [value.casefold() if len(values) == 2 else fold_spelling(value) for value in values]
