"""Columns of numbers (decimal sign, unit, codes for missing) and of dates (order of day and month, unit of the bins)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from calm_core.ingest.binning import FEW_WORDS, make_binned_column, make_listed_column
from calm_core.ingest.counting import ValueCounts
from calm_core.ingest.detect_words import (
    BIRTH_NAME,
    FEW_WHOLE,
    YEAR_NAME,
    as_id_column,
    is_clock,
    is_running_number,
)
from calm_core.ingest.schema import ColumnSchema, read_numbers
from calm_core.ingest.suggestions import Choice, Question, missing_proposal
from calm_core.ingest.values.amounts import (
    COMMA,
    NO_DOUBT,
    POINT,
    Amounts,
    NumberForm,
    parse_amounts,
)
from calm_core.ingest.values.dates import (
    CLOCK,
    DAY,
    FORM_UNITS,
    FORMS,
    LIKELY,
    MAX_BINS,
    NUMBERED,
    UNITS,
    YEAR,
    Dates,
    find_sentinels,
    is_no_date,
    parse_dates,
)
from calm_core.ingest.values.scales import are_school_years
from calm_core.ingest.values.units import (
    CENTS,
    COLONS,
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


@dataclass(frozen=True)
class Hints:
    """What is known of the table when one of its columns is detected.

    Attributes
    ----------
    decimal, order : str or None
        The decimal sign, and the order of dates that leave it open, where the user says them.
    usual_decimal, usual_order : str
        What the other columns suggest where a column leaves a doubt; "" if they suggest nothing.
    """

    decimal: str | None = None
    order: str | None = None
    usual_decimal: str = ""
    usual_order: str = ""


def number_column(cells: ValueCounts, hints: Hints, *, forced: bool = False) -> ColumnSchema | None:
    """The column read as numbers, or as a few ordered values; None if it has too few.

    Parameters
    ----------
    forced : bool
        Take it as numbers however few of its texts are, and put them into bins.
    """
    markers = is_word(cells.texts, MISSING_WORDS)
    rest = cells.select(~markers)
    if not forced and (_has_few_numbers(rest) or is_clock(rest)):
        return None
    amounts = parse_amounts(cells.texts)
    form, numbers = _number_form(cells, amounts, ".")
    is_number = ~np.isnan(numbers)
    rows, words = int(cells.counts[is_number].sum()), int((~is_number & ~markers).sum())
    of = int(cells.counts[~markers | is_number].sum())
    # A few words such as "<0.5" may be frequent; typing errors are many rare ones.
    enough = rows >= (MAX_NUMBERS if words > FEW_WORDS else MANY_NUMBERS) * of
    if not rows or not (forced or enough):
        return None
    decimal, doubt = _decimal_sign(cells, amounts, is_number, form, hints)
    if decimal != ".":
        form, numbers = _number_form(cells, amounts, decimal)
    column = _make_column(cells, amounts, form, numbers, forced)
    if not doubt:
        return column
    form, numbers = _number_form(cells, amounts, "." if decimal == "," else ",")
    other = _make_column(cells, amounts, form, numbers, forced)
    if replace(other, decimal=decimal, thousands=column.thousands) == column:
        return column  # it makes no difference
    return _ask("decimal", cells, (amounts.records.doubt != NO_DOUBT) & is_number, column, [other])


def _has_few_numbers(cells: ValueCounts) -> bool:
    """Whether most of the frequent texts of a large column are no numbers."""
    if len(cells.texts) <= 2 * LOOK:
        return False
    some = cells.most_frequent(LOOK)
    return bool(np.isnan(_number_form(some, parse_amounts(some.texts), ".")[1]).mean() > 0.5)


def _number_form(
    cells: ValueCounts, amounts: Amounts, decimal: str
) -> tuple[NumberForm, np.ndarray]:
    """How numbers of the column are written (units, words, brackets), and the numbers."""
    number = ~np.isnan(amounts.numbers)
    rows = np.bincount(amounts.records.affix[number], cells.counts[number], len(amounts.affixes))
    there = [one for one, count in zip(amounts.affixes, rows) if count]
    scales = {one.scale for one in there if one.scale}
    # "5 m" is meters, but five million beside "29k" or "$".
    if scales <= DOUBTFUL_SCALES and not any(is_money(one.unit) for one in there):
        scales = set()
    by_unit: dict[str, float] = {}
    for one, count in zip(amounts.resolve_letters(scales).affixes, rows):
        if count:
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
    convertible = convertible_units(units[0], named) if units else ()
    # Beside meters and centimeters, the unit of a bare number is unknown.
    bare_rows = by_unit.get("", 0)
    if units and (units[0][0] in "/:" or units[0] == "in") and bare_rows:
        # Beside "7/10" or 5'11" the unit of "8" is unknown.
        form = replace(form, units=units if bare_rows < sum(named.values()) else ("",))
    elif convertible and bare_rows <= 0.1 * sum(by_unit.values()):
        form = replace(form, units=(*units, *(one for one in convertible if one not in units)))
    elif "" in by_unit or not units:
        form = replace(form, units=(*units, ""))
    if units == ("h",) and _are_short(cells, amounts.read(form)):
        # 00:03:27 is said in minutes.
        form = replace(form, units=("min", *form.units))
    if amounts.records.brackets.any() and not amounts.records.brackets[number].all():
        form = replace(form, negative="()")
    numbers = amounts.read(form)
    bare = np.array([not one.unit for one in amounts.affixes])[amounts.records.affix]
    if units == ("%",) and bare.any() and (np.abs(numbers[bare]) <= 1).any():
        # Beside 45%, 0.45 is not 0.45%: it stays a text.
        form = replace(form, units=units)
        numbers = amounts.read(form)
    return replace(form, units=() if form.units == ("",) else form.units), numbers


def _are_short(cells: ValueCounts, hours: np.ndarray) -> bool:
    """Whether lengths of time such as 00:03:27 are mostly below an hour."""
    short = cells.matches(COLONS) & (hours < 1)
    return bool(cells.counts[short].sum() > 0.5 * cells.counts[~np.isnan(hours)].sum())


def _decimal_sign(
    cells: ValueCounts, amounts: Amounts, is_number, form: NumberForm, hints: Hints
) -> tuple[str, bool]:
    """The decimal sign by the evidence of all texts, and whether to ask."""
    if hints.decimal:
        return hints.decimal, False
    doubt, says = amounts.records.doubt * is_number, amounts.records.says * is_number
    signs = {sign for sign in (POINT, COMMA) if (doubt == sign).any()}
    point, comma = (int(cells.counts[says == sign].sum()) for sign in (POINT, COMMA))
    if point or comma:
        decimal, sign = (",", COMMA) if comma > point else (".", POINT)
        # Prices with two decimals do not sometimes have a third one.
        digits = amounts.records.decimals[says == sign]
        digits = digits[digits > 0]
        odd = sign in signs and len(digits) >= 5 and bool((digits == 2).all())
        return decimal, bool(signs) and (odd or (point > 0 and comma > 0))
    if not signs:
        return ".", False
    if len(signs) == 2:
        return hints.usual_decimal or ".", True
    sign_used = "." if signs == {POINT} else ","
    other = "," if sign_used == "." else "."
    if np.isin(amounts.records.parts[is_number], (" ", "'")).any():
        return sign_used, False  # another sign separates thousands
    unit = next((unit for unit in form.units if unit), "")
    if sign_used == "," and unit in COMMA_PARTS_THOUSANDS:
        return ".", False
    sure = amounts.numbers[is_number & (doubt == NO_DOUBT) & (amounts.records.parts == "")]
    small = np.setdiff1d(sure, [0.0, *CODES])
    if len(small) >= 3 and (np.abs(sure) < 1000).all() and not hints.usual_decimal == sign_used:
        return other, False  # 850 and 999 beside 1.250: each larger number has the sign
    large = cells.select(is_number & (doubt != NO_DOUBT))
    if len(small) and len(large.texts) >= 5 and large.share(r"[.,]\d{2}0(?:\D|$)") > 0.5:
        # 850 beside 90.700 and 95.000: decimals would not end in zeros only there.
        return other, True
    if hints.usual_decimal:
        return hints.usual_decimal, True
    return ("," if is_money(unit) and sign_used == "." else "."), True


def _make_column(
    cells: ValueCounts, amounts: Amounts, form: NumberForm, numbers: np.ndarray, forced: bool
) -> ColumnSchema:
    """The column read by this form."""
    decimal = form.decimal
    is_number = ~np.isnan(numbers)
    is_missing = ~is_number
    is_missing[is_missing] = is_word(cells.texts.filter(pa.array(is_missing)), NO_VALUE)
    parts = {sign for sign in " ',." if (amounts.records.parts[is_number] == sign).any()}
    doubtful = POINT if decimal == "," else COMMA
    if (amounts.records.doubt[is_number] == doubtful).any():
        parts.add("." if decimal == "," else ",")
    cells = cells.mark(is_missing)
    base = replace(
        cells.new_column("number"), decimal=decimal, thousands="".join(sorted(parts)),
        units=form.units, scales=form.scales, negative=form.negative,
    )  # fmt: skip
    return _choose_kind(base, cells, numbers[~is_missing], forced)


def _choose_kind(
    base: ColumnSchema, cells: ValueCounts, numbers: np.ndarray, forced: bool
) -> ColumnSchema:
    """The column with few values ordered, many in bins, and running numbers as id-like."""
    distinct = np.unique(numbers[~np.isnan(numbers)])
    are_whole = bool((distinct == np.round(distinct)).all())
    few = len(distinct) <= (FEW_WHOLE if are_whole else FEW_DECIMAL)
    if few and not forced:
        texts = set(cells.texts.filter(pa.array(~np.isnan(numbers))).to_pylist())
        base = replace(base, kind="yes/no" if texts in ZERO_ONE else "ordered")
        return make_listed_column(base, cells, numbers)
    rows = int(cells.counts.sum())
    bare = not base.units and not base.thousands
    if are_whole and bare and not forced and is_running_number(base.name, distinct, rows):
        base = as_id_column(base, len(distinct), rows)
    column = make_binned_column(base, cells, numbers)
    return _propose_codes(column, cells, numbers)


def _propose_codes(column: ColumnSchema, cells: ValueCounts, numbers: np.ndarray) -> ColumnSchema:
    """The column with a proposal to count numbers such as 999 as missing."""
    if not column.keep or not np.isin(numbers, CODES).any():
        return column
    is_number = ~np.isnan(numbers)
    values, at = np.unique(numbers[is_number], return_inverse=True)
    codes = suspicious_codes(values, np.bincount(at, cells.counts[is_number]))
    return propose_as_missing(column, cells, np.isin(numbers, codes)) if codes else column


def propose_as_missing(
    column: ColumnSchema, cells: ValueCounts, is_code: np.ndarray
) -> ColumnSchema:
    """The column with a proposal to count some of its numbers or dates as missing."""
    codes = cells.select(is_code)
    texts = tuple(sorted(codes.texts.to_pylist()))
    return replace(column, codes=(missing_proposal(texts, codes.rows),))


def _ask(
    about: str,
    cells: ValueCounts,
    in_doubt: np.ndarray,
    column: ColumnSchema,
    alternatives: Sequence[ColumnSchema],
) -> ColumnSchema:
    """The column with the question which reading is right, about a text that the others read otherwise."""
    example = min(cells.texts.filter(pa.array(in_doubt)).to_pylist())
    columns = sorted((column, *alternatives), key=lambda one: (one.decimal == ",", one.date_order))
    readings = [_say(example, one) for one in columns]
    choices = [Choice(f"{example} is {text} ({HOW[reads]})", reads) for text, reads in readings]
    taken = columns.index(column)
    sentence = (
        f"Is {example!r:.40} in column {column.name!r:.60} {' or '.join(text for text, _ in readings)}? It is read as "
        f"{readings[taken][0]} until you answer."
    )
    return replace(column, questions=(Question(about, tuple(choices), choices[taken], sentence),))


def _say(text: str, column: ColumnSchema) -> tuple[str, str]:
    """What a column reads in a text, and by which order or decimal sign."""
    number = float(read_numbers(pa.array([text]), column)[0])
    if column.kind != "date":
        return f"{number:,.10g}", column.decimal
    if np.isnan(number):
        return "no date", column.date_order
    day = np.datetime64(int(np.floor(number)), "D").item()
    return f"{day.day} {day:%B %Y}", column.date_order


HOW = {
    ".": "decimal point", ",": "decimal comma", "dmy": "the day first", "mdy": "the month first",
    "ymd": "the year first",
}  # fmt: skip
MAX_DAYS = 40_000  # distinct dates in a column of numbers such as 20130501
SHARE = 0.95  # least share of texts, and of rows, in a column of dates
AS_NUMBERS = ("digits", "long digits", "year", "month year")  # dates that could also be numbers
NAMED = ("iso", "day name", "name day", "year name")  # days that are unambiguous
LOOK_AT_YEARS = 100
AGES = 30 * YEAR  # days between births that make age groups of decades
WRITTEN = tuple(form for form in FORMS if form not in ("digits", "long digits"))


def date_column(cells: ValueCounts, hints: Hints, *, forced: bool = False) -> ColumnSchema | None:
    """The column read as dates; None if it has too few."""
    markers = is_word(cells.texts, MISSING_WORDS) | is_no_date(cells.texts)
    forms = tuple(FORMS)
    if not forced:
        rest = cells.select(~markers)
        forms = WRITTEN
        if are_school_years(rest.texts.slice(0, LOOK_AT_YEARS).to_pylist()):
            return None
        if not len(rest.texts) or rest.share(LIKELY) < SHARE:
            return None
        if len(rest.texts) > 2 * LOOK:
            some = rest.most_frequent(LOOK)
            if parse_dates(some.texts, forms).is_date.mean() < 0.5:
                return None
    dates = parse_dates(cells.texts, forms)
    is_date = dates.is_date
    rows, dated = cells.counts[~markers].sum(), cells.counts[is_date & ~markers].sum()
    if not is_date.any() or not (forced or dated >= SHARE * max(1, rows)):
        return None
    order, doubt = date_order(cells, dates, hints)
    column = _make_date_column(cells, dates, order, forced)
    if column is None or not doubt:
        return column
    alternatives = [_make_date_column(cells, dates, other, forced) for other in doubt]
    in_doubt = _is_ambiguous(dates, (order, *doubt))
    return _ask("date order", cells, in_doubt, column, [other for other in alternatives if other])


def numbers_as_dates(cells: ValueCounts, hints: Hints) -> ColumnSchema | None:
    """The column read as dates if its numbers are years or eight digits such as 20130501."""
    if len(cells.texts) > 2 * MAX_DAYS:
        return None  # even if a few of them mean missing
    markers = is_word(cells.texts, MISSING_WORDS) | is_no_date(cells.texts)
    rest = cells.select(~markers)
    if not 3 <= len(rest.texts) <= MAX_DAYS:
        return None
    if parse_dates(rest.texts.slice(0, 20), AS_NUMBERS).is_date.mean() < 0.5:
        return None
    dates = parse_dates(rest.texts, AS_NUMBERS)
    other = ~dates.is_date
    # Typing errors and dates in other forms are no numbers; words beside years are no dates.
    amounts = parse_amounts(rest.texts.filter(pa.array(other))).numbers
    if other.any() and (dates.forms() != ("digits",) or not np.isnan(amounts).all()):
        return None
    if dates.forms() == ("year",) and not _are_years(rest):
        return None
    forms = AS_NUMBERS if not other.any() else ("digits", *NAMED)
    return _make_date_column(cells, parse_dates(cells.texts, forms), "ymd", False)


def _are_years(cells: ValueCounts) -> bool:
    """Whether whole numbers of four digits are years and not amounts."""
    if YEAR_NAME.search(cells.name):
        return True
    years = np.array([int(text) for text in cells.texts.to_pylist()])
    recent = years.min() >= 1900 and years.max() <= 2035
    return bool(recent and len(years) >= 4 and (years % 5 != 0).any())


def date_order(cells: ValueCounts, dates: Dates, hints: Hints) -> tuple[str, tuple[str, ...]]:
    """The order of day, month and year in dates such as 01/05/2013, and other possible orders."""
    records = dates.records[dates.is_numeric]
    if not len(records):
        return "ymd", ()
    orders = ("dmy", "mdy")
    if records.short.all():
        # Years of two digits may come first: surely above 31, perhaps if the last part varies less.
        first, last = records.a, records.c
        if (first > 31).any() or (
            len(np.unique(first)) < len(np.unique(last)) and last.max() <= 31
        ):
            orders = ("dmy", "mdy", "ymd")
    fits = {order: ~np.isnan(dates.read(order, NUMBERED)) for order in orders}
    rows = {order: int(cells.counts[fits[order]].sum()) for order in orders}
    best = max(rows.values())
    likely = [order for order in orders if rows[order] == best]
    if records.pointed.any() and "dmy" in likely:
        likely = ["dmy"]  # with points the day is first
    sure = {
        o: (fits[o] & ~np.any([fits[p] for p in orders if p != o], axis=0)).any() for o in orders
    }
    if not _is_ambiguous(dates, orders).any():
        return likely[0], ()
    if len(likely) == 1:
        against = [order for order in orders if order != likely[0] and sure[order]]
        if hints.order in against:
            return hints.order, ()
        return likely[0], tuple(against) if hints.order is None else ()
    if hints.order in likely:
        return hints.order, ()
    usual = hints.usual_order if hints.usual_order in likely else ""
    default = _likelier_order(records, likely) or usual or ("mdy" if "mdy" in likely else likely[0])
    return default, tuple(order for order in likely if order != default)


def _is_ambiguous(dates: Dates, orders: Sequence[str]) -> np.ndarray:
    """Which texts are different dates in different orders."""
    seconds = [dates.read(order, NUMBERED) for order in orders]
    low, high = np.fmin.reduce(seconds), np.fmax.reduce(seconds)
    return ~np.isnan(low) & (low != high)


def _likelier_order(records, orders: list[str]) -> str:
    """The order in which a part that is always 1 is the day; "" if no part is."""
    a, b = np.unique(records.a), np.unique(records.b)
    if a.tolist() == [1] and len(b) > 2 and "dmy" in orders:
        return "dmy"
    return "mdy" if b.tolist() == [1] and len(a) > 2 and "mdy" in orders else ""


def _make_date_column(
    cells: ValueCounts, dates: Dates, order: str, forced: bool
) -> ColumnSchema | None:
    """The column read in this order."""
    forms = dates.forms()
    days = dates.read(order, forms) / DAY
    is_date = ~np.isnan(days)
    if not is_date.any():
        return None
    nothing = is_word(cells.texts, NO_VALUE)
    if not {*forms} <= CLOCK:
        nothing |= is_no_date(cells.texts)
    is_missing = nothing & ~is_date
    rest, days = cells.mark(is_missing), days[~is_missing]
    base = replace(rest.new_column("date"), date_order=order, date_forms=forms)
    distinct = np.unique(days[~np.isnan(days)])
    few = len(distinct) <= MAX_BINS and len(distinct) == (~np.isnan(days)).sum()
    few = few and not forced and not {*NUMBERED} & {*forms}
    sentinels, finest = find_sentinels(days, rest.counts), _finest_unit(dates, forms)
    if BIRTH_NAME.search(cells.name) and np.ptp(distinct[:-1]) > AGES:
        finest = "decade"

    if few:
        column = make_listed_column(base, rest, days)
    else:
        column = make_binned_column(base, rest, days, finest, sentinels)
    return propose_as_missing(column, rest, sentinels) if sentinels.any() else column


def _finest_unit(dates: Dates, forms: tuple[str, ...]) -> str:
    """The finest unit in which the dates are written."""
    if (np.nan_to_num(dates.records.clock) > 0).any():
        return "minute"
    return min((FORM_UNITS.get(form, "day") for form in forms), key=[*UNITS].index)
