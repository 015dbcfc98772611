"""Columns of numbers: decimal sign, unit, and codes for missing."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

import numpy as np
import pyarrow as pa

from calm_core.ingest.binning import (
    FEW_WORDS,
    make_binned_column,
    make_listed_column,
    weighted_sketch,
    with_default_bins,
    with_missing_texts,
)
from calm_core.ingest.counting import ValueCounts
from calm_core.ingest.detect_words import FEW_WHOLE, as_id_column, is_clock, is_running_number
from calm_core.ingest.schema import ColumnSchema
from calm_core.ingest.suggestions import Choice, Question, missing_proposal
from calm_core.ingest.values.amounts import (
    COMMA,
    NO_DOUBT,
    POINT,
    Amounts,
    NumberForm,
    parse_amounts,
)
from calm_core.ingest.values.units import (
    CENTS,
    COMMA_PARTS_THOUSANDS,
    DOUBTFUL_SCALES,
    convertible_units,
    is_money,
    same_units,
)
from calm_core.ingest.values.words import CODES, MISSING_WORDS, NO_VALUE, is_word, suspicious_codes

FEW_DECIMAL = 10
# Least share of rows in a column of numbers, with many different words and with few.
MAX_NUMBERS, MANY_NUMBERS = 0.9, 0.8
LOOK = 2000
ZERO_ONE = ({"0", "1"}, {"0.0", "1.0"})
# Fields that an answer sets; the others belong to the user.
READING = (
    "kind", "n_values", "n_missing", "labels", "values", "counts", "groups", "edges", "binning", "sketch",
    "numbers_count", "other", "other_count", "missing_code", "missing_texts", "missing_counts", "decimal",
    "date_order", "thousands", "units", "scales", "negative", "date_forms", "bin_unit",
)  # fmt: skip


@dataclass(frozen=True)
class Hints:
    """What is known of the table when one of its columns is detected.

    Attributes
    ----------
    decimal, order : str or None
        The decimal sign, and the order of dates that leave it open, where the user says them.
    usual_decimal, usual_order : str
        What the other columns suggest where a column leaves a doubt; "" if they suggest nothing.
    letters : frozenset
        Pairs of single letters that are no and yes in the language of the other columns.
    """

    decimal: str | None = None
    order: str | None = None
    usual_decimal: str = ""
    usual_order: str = ""
    letters: frozenset[tuple[str, str]] = frozenset()


def changes_to_json(column: ColumnSchema) -> str:
    """The fields of a column that reading decides, as JSON."""
    plain = asdict(replace(column, questions=(), codes=()))
    return json.dumps({name: plain[name] for name in READING}, ensure_ascii=False)


def number_column(found: ValueCounts, hints: Hints, *, forced: bool = False) -> ColumnSchema | None:
    """The column read as numbers, or as a few ordered values; None if it has too few.

    Parameters
    ----------
    forced : bool
        Take it as numbers however few of its texts are, and put them into bins.
    """
    markers = is_word(found.texts, MISSING_WORDS)
    rest = found.select(~markers)
    if not forced and (_has_few_numbers(rest) or is_clock(rest)):
        return None
    amounts = parse_amounts(found.texts)
    form, numbers = _number_form(found, amounts, ".")
    known = ~np.isnan(numbers)
    rows, words = int(found.counts[known].sum()), int((~known & ~markers).sum())
    of = int(found.counts[~markers | known].sum())
    # A few words such as "<0.5" may be frequent; typing errors are many rare ones.
    enough = rows >= (MAX_NUMBERS if words > FEW_WORDS else MANY_NUMBERS) * of
    if not rows or not (forced or enough):
        return None
    decimal, doubt = _decimal_sign(found, amounts, known, form, hints)
    if decimal != ".":
        form, numbers = _number_form(found, amounts, decimal)
    column = _make_column(found, amounts, form, numbers, forced)
    if not doubt:
        return column
    form, numbers = _number_form(found, amounts, "." if decimal == "," else ",")
    other = _make_column(found, amounts, form, numbers, forced)
    if replace(other, decimal=decimal, thousands=column.thousands) == column:
        return column  # it makes no difference
    return replace(column, questions=(_question(found, amounts, column, other),))


def _has_few_numbers(found: ValueCounts) -> bool:
    """Whether most of the frequent texts of a large column are no numbers."""
    if len(found.texts) <= 2 * LOOK:
        return False
    some = found.most_frequent(LOOK)
    return bool(np.isnan(_number_form(some, parse_amounts(some.texts), ".")[1]).mean() > 0.5)


def _number_form(
    found: ValueCounts, amounts: Amounts, decimal: str
) -> tuple[NumberForm, np.ndarray]:
    """How numbers of the column are written (units, words, brackets), and the numbers."""
    number = ~np.isnan(amounts.numbers)
    rows = np.bincount(amounts.affix[number], found.counts[number], len(amounts.affixes))
    there = [one for one, count in zip(amounts.affixes, rows) if one is not None and count]
    scales = {one.scale for one in there if one.scale}
    # "5 m" is meters, but five million beside "29k" or "$".
    if scales <= DOUBTFUL_SCALES and not any(is_money(one.unit) for one in there):
        scales = set()
    by_unit: dict[str, float] = {}
    for one, count in zip(amounts.resolve_letters(scales).affixes, rows):
        if one is not None and count:
            by_unit[one.unit] = by_unit.get(one.unit, 0) + count
    named = {unit: count for unit, count in by_unit.items() if unit}
    units: tuple[str, ...] = ()
    if named:
        main = min(named, key=lambda unit: (-named[unit], unit))
        money = {unit for unit in named if is_money(unit) and unit not in CENTS}
        if main in CENTS and money:
            main = min(money, key=lambda unit: (-named[unit], unit))
        units = same_units(main, named)
        if is_money(main) and main not in CENTS:
            units = (*units, *sorted(CENTS & {*named}))
    form = NumberForm(decimal, units, tuple(sorted(scales)))
    others = convertible_units(units[0], named) if units else ()
    # Beside meters and centimeters, the unit of a bare number is unknown.
    bare_rows = by_unit.get("", 0)
    if units and (units[0][0] in "/:" or units[0] == "in") and bare_rows:
        # Beside "7/10" or 5'11" the unit of "8" is unknown.
        form = replace(form, units=units if bare_rows < sum(named.values()) else ("",))
    elif others and bare_rows <= 0.1 * sum(by_unit.values()):
        form = replace(form, units=(*units, *(one for one in others if one not in units)))
    elif "" in by_unit or not units:
        form = replace(form, units=(*units, ""))
    if amounts.brackets.any() and not amounts.brackets[number].all():
        form = replace(form, negative="()")
    numbers = amounts.read(form)
    bare = np.array([one is not None and not one.unit for one in amounts.affixes])[amounts.affix]
    if units == ("%",) and bare.any() and (np.abs(numbers[bare]) <= 1).any():
        # Beside 45%, 0.45 is not 0.45%: it stays a text.
        form = replace(form, units=units)
        numbers = amounts.read(form)
    return replace(form, units=() if form.units == ("",) else form.units), numbers


def _decimal_sign(
    found: ValueCounts, amounts: Amounts, known, form: NumberForm, hints: Hints
) -> tuple[str, bool]:
    """The decimal sign by the evidence of all texts, and whether to ask."""
    if hints.decimal:
        return hints.decimal, False
    doubt, says = amounts.doubt * known, amounts.says * known
    signs = {sign for sign in (POINT, COMMA) if (doubt == sign).any()}
    point, comma = (int(found.counts[says == sign].sum()) for sign in (POINT, COMMA))
    if point or comma:
        decimal, sign = (",", COMMA) if comma > point else (".", POINT)
        # Prices with two decimals do not sometimes have a third one.
        digits = amounts.decimals[says == sign]
        digits = digits[digits > 0]
        odd = sign in signs and len(digits) >= 5 and bool((digits == 2).all())
        return decimal, bool(signs) and (odd or (point > 0 and comma > 0))
    if not signs:
        return ".", False
    if len(signs) == 2:
        return hints.usual_decimal or ".", True
    written = "." if signs == {POINT} else ","
    other = "," if written == "." else "."
    if (amounts.parts[known] == " ").any() or (amounts.parts[known] == "'").any():
        return written, False  # another sign separates thousands
    unit = next((unit for unit in form.units if unit), "")
    if written == "," and unit in COMMA_PARTS_THOUSANDS:
        return ".", False
    whole = amounts.numbers[known & (doubt == NO_DOUBT) & (amounts.parts == "")]
    small = np.setdiff1d(whole, [0.0, *CODES])
    if len(small) >= 3 and (np.abs(whole) < 1000).all() and not hints.usual_decimal == written:
        return other, False  # 850 and 999 beside 1.250: each larger number has the sign
    large = found.select(known & (doubt != NO_DOUBT))
    if len(small) and len(large.texts) >= 5 and large.share(r"[.,]\d{2}0(?:\D|$)") > 0.5:
        # 850 beside 90.700 and 95.000: decimals would not end in zeros only there.
        return other, True
    if hints.usual_decimal:
        return hints.usual_decimal, True
    return ("," if is_money(unit) and written == "." else "."), True


def _make_column(
    found: ValueCounts, amounts: Amounts, form: NumberForm, numbers: np.ndarray, forced: bool
) -> ColumnSchema:
    """The column read by this form."""
    decimal = form.decimal
    known = ~np.isnan(numbers)
    taken = ~known
    taken[taken] = is_word(found.texts.filter(pa.array(taken)), NO_VALUE)
    parts = {sign for sign in " ',." if (amounts.parts[known] == sign).any()}
    doubtful = POINT if decimal == "," else COMMA
    if (amounts.doubt[known] == doubtful).any():
        parts.add("." if decimal == "," else ",")
    base = replace(
        found.column_without("number", taken), decimal=decimal, thousands="".join(sorted(parts)),
        units=form.units, scales=form.scales, negative=form.negative,
    )  # fmt: skip
    return _choose_kind(base, found.select(~taken), numbers[~taken], forced)


def _choose_kind(
    base: ColumnSchema, found: ValueCounts, numbers: np.ndarray, forced: bool
) -> ColumnSchema:
    """The column with few values ordered, many in bins, and running numbers as id-like."""
    distinct = np.unique(numbers[~np.isnan(numbers)])
    whole = bool((distinct == np.round(distinct)).all())
    few = len(distinct) <= (FEW_WHOLE if whole else FEW_DECIMAL)
    if few and not forced:
        known = set(found.texts.filter(pa.array(~np.isnan(numbers))).to_pylist())
        base = replace(base, kind="yes/no" if known in ZERO_ONE else "ordered")
        return make_listed_column(base, found.texts, found.counts, by_number=numbers)
    rows = int(found.counts.sum())
    bare = not base.units and not base.thousands
    if whole and bare and not forced and is_running_number(base.name, distinct, rows):
        base = as_id_column(base, len(distinct), rows)
    column = make_binned_column(base, found.texts, found.counts, numbers)
    return _propose_codes(column, base, found, numbers)


def _propose_codes(
    column: ColumnSchema, base: ColumnSchema, found: ValueCounts, numbers: np.ndarray
) -> ColumnSchema:
    """The column with a proposal to count numbers such as 999 as missing."""
    if not column.keep or not np.isin(numbers, CODES).any():
        return column
    known = ~np.isnan(numbers)
    values, at = np.unique(numbers[known], return_inverse=True)
    codes = suspicious_codes(values, np.bincount(at, found.counts[known]))
    if not codes:
        return column
    is_code = np.isin(numbers, codes)

    def bins(without: ColumnSchema, rest: ValueCounts) -> ColumnSchema:
        return make_binned_column(without, rest.texts, rest.counts, numbers[~is_code])

    return propose_as_missing(column, base, found, is_code, bins)


def propose_as_missing(
    column: ColumnSchema,
    base: ColumnSchema,
    found: ValueCounts,
    is_code: np.ndarray,
    make: Callable[[ColumnSchema, ValueCounts], ColumnSchema],
) -> ColumnSchema:
    """The column with a proposal to count some of its numbers or dates as missing.

    Parameters
    ----------
    base : ColumnSchema
        The column before its values were put into bins.
    is_code : ndarray of bool
        Which of the texts of `found`.
    make : callable
        Makes the column of the others.
    """
    codes = found.select(is_code)
    texts, counts = codes.texts.to_pylist(), codes.counts.tolist()
    taken = dict(zip(base.missing_texts, base.missing_counts)) | dict(zip(texts, counts))
    before = replace(
        base,
        n_values=len(found.counts) + len(base.missing_texts),
        n_missing=base.n_missing - sum(base.missing_counts),
    )
    without = with_missing_texts(before, list(taken), list(taken.values()))
    return _with_codes(column, make(without, found.select(~is_code)), texts, counts)


def _with_codes(
    column: ColumnSchema, without: ColumnSchema, texts: list[str], counts: list[int]
) -> ColumnSchema:
    """The column with a proposal to count texts as missing, which makes it `without` them."""
    changes = changes_to_json(without)
    offer = missing_proposal(tuple(sorted(texts)), sum(counts), changes=changes)
    return replace(column, codes=(offer,))


def plain_number_column(found: ValueCounts) -> ColumnSchema:
    """The column if a typed file has very many distinct numbers."""
    numbers, counts = found.numbers, found.counts
    assert numbers is not None
    base = found.new_column("number")
    rows = int(counts.sum())
    if (numbers == np.round(numbers)).all() and is_running_number(base.name, numbers, rows):
        base = as_id_column(base, len(numbers), rows)

    def bins(base: ColumnSchema, which: np.ndarray) -> ColumnSchema:
        sketch = weighted_sketch(numbers[which], counts[which])
        return with_default_bins(base, sketch, int(counts[which].sum()) + found.infinite, [])

    column = bins(base, np.ones(len(numbers), bool))
    codes = suspicious_codes(numbers, counts) if column.keep else []
    if not codes:
        return column
    is_code = np.isin(numbers, codes)
    texts, rows_of = [f"{code:.0f}" for code in codes], counts[is_code].tolist()
    without = bins(with_missing_texts(base, texts, rows_of), ~is_code)
    return _with_codes(column, without, texts, rows_of)


def _question(
    found: ValueCounts, amounts: Amounts, column: ColumnSchema, other: ColumnSchema
) -> Question:
    """The question what a number such as 1.234 means in this column."""
    doubtful = found.texts.filter(pa.array(amounts.doubt != NO_DOUBT)).to_pylist()
    example = min(doubtful)
    at = found.texts.index(example).as_py()
    point = float(amounts.numbers[at])
    comma = point * 1000 if amounts.doubt[at] == POINT else point / 1000
    choices = {}
    for one in (column, other):
        value, sign = (point, "point") if one.decimal == "." else (comma, "comma")
        text = f"{example} is {value:,.10g} (decimal {sign})"
        choices[one.decimal] = Choice(text, changes_to_json(one))
    sentence = (
        f"Is {example!r:.40} in column {column.name!r:.60} {point:,.10g} or {comma:,.10g}? It is read as "
        f"{point if column.decimal == '.' else comma:,.10g} until you answer."
    )
    return Question("decimal", (choices["."], choices[","]), choices[column.decimal], sentence)
