"""Numbers as people write them: "€30,732.80", "29.355 €", "1'200", "45%", "29k", "(120)"."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from calm_core.ingest.normalize_table import LEADING_ZERO, NUMBER
from calm_core.ingest.table import pc
from calm_core.ingest.values.units import (
    DOUBTFUL_SCALES,
    LIKELY,
    Affix,
    normalize_unit,
    parse_affix,
    parse_composite,
    unit_share,
)
from calm_core.ingest.values.words import read_patterns

PATTERNS = read_patterns("amounts")
AMOUNT, EITHER = PATTERNS["amount"], PATTERNS["either"]
SPACES = "[\u00a0\u2007-\u200a\u202f]"
NO_DOUBT, POINT, COMMA = 0, 1, 2
PLUS, MINUS, BRACKETS, WRONG = 0, 1, 2, 3
SIGNS = {"": PLUS, "+": PLUS, "-": MINUS, "()": BRACKETS}
LARGEST = 1e300
MIN_ALIKE = 1000  # of more texts many may have one form


@dataclass(frozen=True)
class NumberForm:
    """How the texts of a column are read as numbers.

    Attributes
    ----------
    decimal : str
        "." or ",": what "1.234" and "1,234" mean; all else says by itself what it is.
    units : tuple of str
        Units a number may have ("" is none); () is the same as ("",).
    scales : tuple of str
        Words for powers of ten that count, such as "k".
    negative : str
        "()" where brackets mean less than zero.
    """

    decimal: str = "."
    units: tuple[str, ...] = ()
    scales: tuple[str, ...] = ()
    negative: str = ""


@dataclass(frozen=True, eq=False)
class Amounts:
    """Numbers of texts, before the column decides ambiguous ones.

    Attributes
    ----------
    numbers : ndarray of float
        With the point as decimal sign wherever there is doubt; NaN where the text is no number.
    doubt : ndarray of int
        `POINT` for "1.234", `COMMA` for "1,234", else `NO_DOUBT`.
    says : ndarray of int
        The decimal sign that the text itself proves: `POINT`, `COMMA` or `NO_DOUBT`.
    decimals : ndarray of int
        Digits after the decimal sign; -1 where in doubt.
    parts : ndarray of str
        The sign between thousands, if it is certain.
    brackets : ndarray of bool
    affix : ndarray of int
        Position in `affixes`.
    affixes : tuple of Affix or None
        None is a text with no meaning: not a number.
    """

    numbers: np.ndarray
    doubt: np.ndarray
    says: np.ndarray
    decimals: np.ndarray
    parts: np.ndarray
    brackets: np.ndarray
    affix: np.ndarray
    affixes: tuple[Affix | None, ...]

    def resolve_letters(self, scales: Collection[str]) -> "Amounts":
        """The amounts with "m" and "b" as meters and bytes, unless they are among these scales."""
        doubtful = DOUBTFUL_SCALES.difference(scales)
        affixes = tuple(
            Affix(one.scale) if one is not None and one.scale in doubtful and not one.unit else one
            for one in self.affixes
        )
        return replace(self, affixes=affixes)

    def read(self, form: NumberForm) -> np.ndarray:
        """Each text as a float; NaN if the form does not allow it."""
        out = self.numbers.copy()
        if form.decimal == ",":
            out[self.doubt == POINT] = np.round(out[self.doubt == POINT] * 1000)
            out[self.doubt == COMMA] = out[self.doubt == COMMA] / 1000
        units = form.units or ("",)
        main = next((unit for unit in units if unit), "")
        meant = self.resolve_letters(form.scales).affixes
        factors = [
            one.factor
            if one is not None and one.unit in units and (not one.scale or one.scale in form.scales)
            else np.nan
            for one in meant
        ]
        shares = [1.0 if one is None else unit_share(one.unit, main) for one in meant]
        if any(factor != 1.0 for factor in factors) or any(share != 1.0 for share in shares):
            # Divided: 57 cents are 0.57, not 57 times 0.01.
            out = out * np.array(factors)[self.affix] / np.array(shares)[self.affix]
            # 1.2 million is 1,200,000, not 1,199,999.9999999998.
            larger = [factor > 1 or share != 1 for factor, share in zip(factors, shares)]
            scaled = np.array(larger)[self.affix] & ~np.isnan(out)
            whole = np.round(out[scaled])
            near = np.abs(whole - out[scaled]) <= 1e-9 * np.abs(whole)
            out[scaled] = np.where(near, whole, out[scaled])
        if not form.negative:
            out[self.brackets] = np.nan
        out[~(np.abs(out) < LARGEST)] = np.nan
        return out


def plain_numbers(texts: pa.Array) -> np.ndarray:
    """Which texts are numbers with a decimal point (no leading zero, at most 18 digits)."""
    plain = pc.match_substring_regex(texts, NUMBER).fill_null(False)
    if pc.any(plain).as_py():
        plain = pc.and_(plain, pc.invert(pc.match_substring_regex(texts, LEADING_ZERO)))
    return np.asarray(plain.fill_null(False))


def parse_amounts(texts: pa.Array) -> Amounts:
    """Numbers of texts, with what is ambiguous about them.

    Examples
    --------
    >>> found = parse_amounts(pa.array(["12", "1.234", "€30,732.80", "1'200", "(120)", "007", "29k"]))
    >>> found.numbers.tolist()
    [12.0, 1.234, 30732.8, 1200.0, -120.0, nan, 29.0]
    >>> found.doubt.tolist(), found.says.tolist()
    ([0, 1, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0])
    """
    size = len(texts)
    found = Amounts(
        np.full(size, np.nan), np.zeros(size, np.int8), np.zeros(size, np.int8),
        np.full(size, -1, np.int8), np.full(size, "", "U1"), np.zeros(size, bool),
        np.zeros(size, np.int32), (Affix(),),
    )  # fmt: skip
    plain = plain_numbers(texts)
    if plain.any():
        some = texts if plain.all() else texts.filter(pa.array(plain))
        _fill_plain(found, np.flatnonzero(plain), some)
    if plain.all():
        return found
    rest = np.flatnonzero(~plain & np.asarray(texts.is_valid()))
    return _parse_written(found, rest, texts.take(pa.array(rest)))


def _fill_plain(found: Amounts, at: np.ndarray, texts: pa.Array) -> None:
    """Fill in plain numbers; only "1.234" is ambiguous."""
    found.numbers[at] = np.asarray(pc.utf8_ltrim(texts, "+").cast(pa.float64()))
    pointed = np.asarray(pc.match_substring(texts, "."))
    if not pointed.any():
        found.decimals[at] = 0
        return
    doubt = np.asarray(pc.match_substring_regex(texts, EITHER))
    found.doubt[at] = np.where(doubt, POINT, NO_DOUBT)
    found.says[at] = np.where(pointed & ~doubt, POINT, NO_DOUBT)
    digits = np.asarray(pc.utf8_length(texts)) - np.asarray(pc.find_substring(texts, ".")) - 1
    found.decimals[at] = np.where(doubt, -1, np.where(pointed, np.minimum(digits, 100), 0))


def _parse_written(found: Amounts, at: np.ndarray, texts: pa.Array) -> Amounts:
    """The amounts with formatted numbers filled in."""
    affixes: list[Affix | None] = [Affix()]
    # First texts that need no normalization, which is faster; then the normalized ones.
    at, texts = _parse_alike(found, at, texts, affixes)
    if not len(texts):
        return replace(found, affixes=tuple(affixes))
    at, texts = _parse_alike(found, at, _normalize_signs(texts), affixes)
    _fill_composites(found, at, texts, affixes)
    split = pc.extract_regex(texts, AMOUNT)
    fits = np.asarray(split.is_valid()) & np.isnan(found.numbers[at])
    if fits.any():
        _fill_written(found, at[fits], split.filter(pa.array(fits)), affixes)
    return replace(found, affixes=tuple(affixes))


def _normalize_signs(texts: pa.Array) -> pa.Array:
    """Texts with plain blanks, apostrophes and hyphens, without notes around amounts."""
    if not pc.all(pc.string_is_ascii(texts)).as_py():
        for pattern, plain in ((SPACES, " "), ("[’ʼ‘´`]", "'"), ("[\u2010-\u2015\u2212]", "-")):
            if pc.any(pc.match_substring_regex(texts, pattern)).as_py():
                texts = pc.replace_substring_regex(texts, pattern, plain)
    for pattern, plain in ((PATTERNS["around"], ""), (PATTERNS["about"], r"\1")):
        if pc.any(pc.match_substring_regex(texts, pattern)).as_py():
            texts = pc.replace_substring_regex(texts, pattern, plain)
    return texts


def _is_normalized(text: str) -> bool:
    """Whether a text needs no normalization and has only one part."""
    one = pa.array([text])
    return (
        _normalize_signs(one)[0].as_py() == text
        and not pc.match_substring_regex(one, LIKELY)[0].as_py()
    )


def _fill_composites(found: Amounts, at: np.ndarray, texts: pa.Array, affixes: list) -> None:
    """Fill in amounts of several parts, such as "1 h 20 min"."""
    likely = np.flatnonzero(np.asarray(pc.match_substring_regex(texts, LIKELY)))
    place: dict[str, int] = {"": 0}
    for i, text in zip(likely, texts.take(pa.array(likely)).to_pylist()):
        said = parse_composite(text)
        if said is None:
            continue
        number, unit = said[0], normalize_unit(said[1])
        if unit not in place:
            place[unit] = len(affixes)
            affixes.append(Affix(unit))
        found.numbers[at[i]], found.affix[at[i]] = number, place[unit]


def _parse_alike(found: Amounts, at: np.ndarray, texts: pa.Array, affixes: list):
    """Fill in texts with the prefix and suffix of the first; returns the others."""
    if len(texts) <= MIN_ALIKE or not _is_normalized(texts[0].as_py()):
        return at, texts
    first = pc.extract_regex(texts.slice(0, 1), AMOUNT)[0].as_py()
    if first is None or any(first[sign].strip() for sign in "abcd") or first["power"]:
        return at, texts
    before, after = texts[0].as_py().split(first["core"], 1)
    affix = parse_affix(first["before"], first["after"])
    alike = pc.starts_with(texts, before)
    alike = pc.and_(alike, pc.ends_with(texts, after)) if after else alike
    core = pc.utf8_slice_codeunits(texts, len(before), -len(after) or None)
    core = core if pc.all(alike).as_py() else pc.if_else(alike, core, "")
    alike = np.asarray(pc.match_substring_regex(core, r"^\d(?:[\d.,]*\d)?$"))
    if affix is None or alike.mean() < 0.5:
        return at, texts
    affixes.append(affix)
    rest = np.flatnonzero(~alike)
    chosen = at[alike] if len(rest) else at
    core = core.filter(pa.array(alike)) if len(rest) else core
    found.numbers[chosen] = _read_cores(core, None, found, chosen)
    found.affix[chosen] = len(affixes) - 1
    _clear_unread(found, chosen, np.isnan(found.numbers[chosen]))
    return at[rest], texts.take(pa.array(rest))


def _fill_written(found: Amounts, at: np.ndarray, split: pa.StructArray, affixes: list) -> None:
    """Fill in numbers from the parts of texts."""

    def part(name: str) -> pa.Array:
        return pc.struct_field(split, name)

    signs = pc.binary_join_element_wise(*(part(name) for name in "abcd"), "").dictionary_encode()
    means = [SIGNS.get(text.replace(" ", ""), WRONG) for text in signs.dictionary.to_pylist()]
    sign = np.array(means)[np.asarray(signs.indices)]
    numbers = _read_cores(part("core"), part("power"), found, at)
    found.numbers[at] = np.where(sign == WRONG, np.nan, np.where(sign == PLUS, numbers, -numbers))
    found.brackets[at] = sign == BRACKETS
    around = pc.binary_join_element_wise(part("before"), part("after"), "\t").dictionary_encode()
    meant = [parse_affix(*text.split("\t")) for text in around.dictionary.to_pylist()]
    found.affix[at] = np.asarray(around.indices) + len(affixes)
    affixes += meant
    unknown = np.array([affix is None for affix in meant])[np.asarray(around.indices)]
    _clear_unread(found, at, np.isnan(found.numbers[at]) | unknown)


def _clear_unread(found: Amounts, at: np.ndarray, unread: np.ndarray) -> None:
    """Clear everything known of texts that are no numbers."""
    found.numbers[at[unread]] = np.nan
    for field in (found.doubt, found.says, found.affix, found.brackets):
        field[at[unread]] = 0
    found.parts[at[unread]] = ""


def _read_cores(
    core: pa.Array, power: pa.Array | None, found: Amounts, at: np.ndarray
) -> np.ndarray:
    """Numbers of digits with signs; fills in what the signs prove."""

    def matches(name: str, which: np.ndarray) -> np.ndarray:
        found = np.zeros(len(core), bool)
        if which.any():
            some = core if which.all() else core.filter(pa.array(which))
            found[which] = np.asarray(pc.match_substring_regex(some, PATTERNS[name]))
        return found

    def holds(sign: str) -> np.ndarray:
        return np.asarray(pc.match_substring(core, sign))

    powered = np.zeros(len(core), bool) if power is None else np.asarray(pc.not_equal(power, ""))
    point, comma, space, tick = holds("."), holds(","), holds(" "), holds("'")
    spaced, pointed = space | tick, point | comma
    # Each pattern is tried only on texts with its signs, which is faster.
    one = matches("one_sign", (point != comma) & ~spaced)
    apart, whole = matches("apart", spaced), matches("whole", ~spaced & ~pointed)
    commas = matches("commas", comma & ~spaced & ~one)
    points = matches("points", point & ~spaced & ~one & ~commas)
    doubt = matches("either", one) & ~powered
    sure_one = (one & ~doubt) | apart
    decimal_comma = (sure_one & comma) | points
    decimal_point = (sure_one & point) | commas
    number = whole | one | apart | commas | points
    found.doubt[at] = np.where(doubt, np.where(comma, COMMA, POINT), NO_DOUBT)
    found.says[at] = np.where(decimal_comma, COMMA, np.where(decimal_point, POINT, NO_DOUBT))
    parts = np.full(len(core), "", "U1")
    for sign, there in ((".", points), (",", commas), ("'", tick & number), (" ", space & number)):
        parts[there] = sign
    found.parts[at] = parts
    plain = core
    for sign, there in ((" ", space), ("'", tick)):
        plain = pc.replace_substring(plain, sign, "") if there.any() else plain
    as_point = pc.replace_substring(plain, ",", "") if comma.any() else plain
    if decimal_comma.any():
        as_comma = pc.replace_substring(pc.replace_substring(plain, ".", ""), ",", ".")
        as_point = pc.if_else(pa.array(decimal_comma), as_comma, as_point)
    plain = as_point
    last = np.asarray(pc.find_substring(plain, "."))
    digits = np.where(last < 0, 0, np.asarray(pc.binary_length(plain)) - last - 1)
    found.decimals[at] = np.where(doubt, -1, np.minimum(digits, 100))
    out = np.full(len(core), np.nan)
    if power is not None:
        plain = pc.binary_join_element_wise(plain, power, "")
    written = plain if number.all() else plain.filter(pa.array(number))
    out[number] = np.asarray(written.cast(pa.float64()))
    return out
