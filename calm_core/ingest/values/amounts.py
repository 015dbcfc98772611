"""Numbers as people write them: "€30,732.80", "29.355 €", "1'200", "45%", "29k", "(120)"."""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

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
EITHER = PATTERNS["either"]
AMOUNT, AROUND, ABOUT, DOUBT = (
    re.compile(PATTERNS[name], flag)
    for name, flag in (("amount", re.A), ("around", 0), ("about", 0), ("either", re.A))
)
WRITTEN = {
    name: re.compile(PATTERNS[name], re.A)
    for name in ("whole", "one_sign", "apart", "commas", "points")
}
# Blanks, apostrophes and hyphens as plain ones.
PLAIN_SIGNS = str.maketrans(
    "\xa0\u2007\u2008\u2009\u200a\u202f’ʼ‘´`‐‑‒–—―−", " " * 6 + "'" * 5 + "-" * 7
)
NO_DOUBT, POINT, COMMA = 0, 1, 2
PLUS, MINUS, BRACKETS = 0, 1, 2
SIGNS = {"": PLUS, "+": PLUS, "-": MINUS, "()": BRACKETS}
LARGEST = 1e300


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


class Amount(NamedTuple):
    """One number with what its text says of it.

    Attributes
    ----------
    number : float
        With the point as decimal sign where there is doubt; NaN where the text is no number.
    doubt : int
        `POINT` for "1.234", `COMMA` for "1,234", else `NO_DOUBT`.
    says : int
        The decimal sign that the text itself proves: `POINT`, `COMMA` or `NO_DOUBT`.
    decimals : int
        Digits after the decimal sign; -1 where in doubt.
    parts : str
        The sign between thousands, if it is certain.
    brackets : bool
    affix : Affix
    """

    number: float
    doubt: int = NO_DOUBT
    says: int = NO_DOUBT
    decimals: int = -1
    parts: str = ""
    brackets: bool = False
    affix: Affix = Affix()


FIELDS = [*zip(Amount._fields, (float, np.int8, np.int8, np.int8, "U1", bool, np.int32))]


@dataclass(frozen=True, eq=False)
class Amounts:
    """Numbers of texts, before the column decides ambiguous ones.

    Attributes
    ----------
    records : record array
        With the fields of `Amount`; an affix is a position in `affixes`.
    affixes : tuple of Affix
    """

    records: Any
    affixes: tuple[Affix, ...]

    @property
    def numbers(self) -> np.ndarray:
        """The numbers, with the point as decimal sign where there is doubt; NaN where a text is none."""
        return self.records.number

    def resolve_letters(self, scales: Collection[str]) -> "Amounts":
        """The amounts with "m" and "b" as meters and bytes, unless they are among these scales."""
        doubtful = DOUBTFUL_SCALES.difference(scales)
        affixes = tuple(
            Affix(one.scale) if one.scale in doubtful and not one.unit else one
            for one in self.affixes
        )
        return replace(self, affixes=affixes)

    def read(self, form: NumberForm) -> np.ndarray:
        """Each text as a float; NaN if the form does not allow it."""
        out, doubt, affix = self.numbers.copy(), self.records.doubt, self.records.affix
        if form.decimal == ",":
            out[doubt == POINT] = np.round(out[doubt == POINT] * 1000)
            out[doubt == COMMA] = out[doubt == COMMA] / 1000
        units = form.units or ("",)
        main = next((unit for unit in units if unit), "")
        affixes = self.resolve_letters(form.scales).affixes
        factors = [
            one.factor
            if one.unit in units and (not one.scale or one.scale in form.scales)
            else np.nan
            for one in affixes
        ]
        shares = [unit_share(one.unit, main) for one in affixes]
        if any(factor != 1.0 for factor in factors) or any(share != 1.0 for share in shares):
            # Divided: 57 cents are 0.57, not 57 times 0.01.
            out = out * np.array(factors)[affix] / np.array(shares)[affix]
            # 1.2 million is 1,200,000, not 1,199,999.9999999998.
            larger = [factor > 1 or share != 1 for factor, share in zip(factors, shares)]
            scaled = np.array(larger)[affix] & ~np.isnan(out)
            whole = np.round(out[scaled])
            near = np.abs(whole - out[scaled]) <= 1e-9 * np.abs(whole)
            out[scaled] = np.where(near, whole, out[scaled])
        if not form.negative:
            out[self.records.brackets] = np.nan
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
    >>> found.records.doubt.tolist(), found.records.says.tolist()
    ([0, 1, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0])
    """
    records = np.zeros(len(texts), FIELDS).view(np.recarray)
    records.number, records.decimals = np.nan, -1
    plain = plain_numbers(texts)
    _fill_plain(records, np.flatnonzero(plain), texts.filter(pa.array(plain)))
    rest = np.flatnonzero(~plain & np.asarray(texts.is_valid()))
    affixes = {Affix(): 0}
    for at, text in zip(rest, texts.take(pa.array(rest)).to_pylist()):
        if (one := parse_amount(text)) is not None:
            records[at] = (*one[:-1], affixes.setdefault(one.affix, len(affixes)))
    return Amounts(records, tuple(affixes))


def _fill_plain(records, at: np.ndarray, texts: pa.Array) -> None:
    """Fill in plain numbers; only "1.234" is ambiguous."""
    records.number[at] = np.asarray(pc.utf8_ltrim(texts, "+").cast(pa.float64()))
    pointed = np.asarray(pc.match_substring(texts, "."))
    doubt = np.asarray(pc.match_substring_regex(texts, EITHER))
    records.doubt[at] = np.where(doubt, POINT, NO_DOUBT)
    records.says[at] = np.where(pointed & ~doubt, POINT, NO_DOUBT)
    digits = np.asarray(pc.utf8_length(texts)) - np.asarray(pc.find_substring(texts, ".")) - 1
    records.decimals[at] = np.where(doubt, -1, np.where(pointed, np.minimum(digits, 100), 0))


def parse_amount(text: str) -> Amount | None:
    """The number that a text writes, with its unit; None if it is no number.

    Examples
    --------
    >>> parse_amount("€30,732.80").number, parse_amount("1 h 30 min").affix.unit, parse_amount("red")
    (30732.8, 'h', None)
    """
    if not text.isascii():
        text = text.translate(PLAIN_SIGNS)
    text = ABOUT.sub(r"\1", AROUND.sub("", text))
    if LIKELY.search(text) and (several := parse_composite(text)):
        return Amount(several[0], affix=Affix(normalize_unit(several[1])))
    match = AMOUNT.match(text)
    if match is None:
        return None
    part = match.groupdict("")
    sign = SIGNS.get("".join(part[name] for name in "abcd").replace(" ", ""))
    affix = parse_affix(part["before"], part["after"])
    amount = _read_digits(part["core"], part["power"])
    if sign is None or affix is None or amount is None:
        return None
    number = amount.number if sign == PLUS else -amount.number
    return amount._replace(number=number, brackets=sign == BRACKETS, affix=affix)


def _read_digits(core: str, power: str) -> Amount | None:
    """The number of digits with signs, and what the signs prove."""
    kind = next((name for name, pattern in WRITTEN.items() if pattern.match(core)), None)
    if kind is None:
        return None
    doubt = kind == "one_sign" and not power and DOUBT.match(core) is not None
    comma = kind == "points" or (kind != "commas" and "," in core and not doubt)
    point = kind == "commas" or (kind != "points" and "." in core and not doubt)
    parts = next(
        (sign for sign in " '" if sign in core), {"commas": ",", "points": "."}.get(kind, "")
    )
    plain = core.replace(" ", "").replace("'", "")
    plain = plain.replace(".", "").replace(",", ".") if comma else plain.replace(",", "")
    return Amount(
        float(plain + power),
        (COMMA if "," in core else POINT) if doubt else NO_DOUBT,
        COMMA if comma else POINT if point else NO_DOUBT,
        -1 if doubt else min(len(plain.partition(".")[2]), 100),
        parts,
    )


...
