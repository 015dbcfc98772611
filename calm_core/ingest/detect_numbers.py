"""Columns of numbers (decimal sign, unit, codes for missing) and of dates (order of day and month, unit of the bins)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from calm_core.ingest.binning import (
    FEW_WORDS,
    make_binned_column,
    make_listed_column,
)
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
    return _ask("decimal", found, (amounts.written.doubt != NO_DOUBT) & known, column, [other])


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
    rows = np.bincount(amounts.written.affix[number], found.counts[number], len(amounts.affixes))
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
    if units == ("h",) and _are_short(found, amounts.read(form)):
        # 00:03:27 is said in minutes.
        form = replace(form, units=("min", *form.units))
    if amounts.written.brackets.any() and not amounts.written.brackets[number].all():
        form = replace(form, negative="()")
    numbers = amounts.read(form)
    bare = np.array([not one.unit for one in amounts.affixes])[amounts.written.affix]
    if units == ("%",) and bare.any() and (np.abs(numbers[bare]) <= 1).any():
        # Beside 45%, 0.45 is not 0.45%: it stays a text.
        form = replace(form, units=units)
        numbers = amounts.read(form)
    return replace(form, units=() if form.units == ("",) else form.units), numbers


def _are_short(found: ValueCounts, hours: np.ndarray) -> bool:
    """Whether lengths of time such as 00:03:27 are mostly below an hour."""
    short = found.matches(COLONS) & (hours < 1)
    return bool(found.counts[short].sum() > 0.5 * found.counts[~np.isnan(hours)].sum())


def _decimal_sign(
    found: ValueCounts, amounts: Amounts, known, form: NumberForm, hints: Hints
) -> tuple[str, bool]:
    """The decimal sign by the evidence of all texts, and whether to ask."""
    if hints.decimal:
        return hints.decimal, False
    doubt, says = amounts.written.doubt * known, amounts.written.says * known
    signs = {sign for sign in (POINT, COMMA) if (doubt == sign).any()}
    point, comma = (int(found.counts[says == sign].sum()) for sign in (POINT, COMMA))
    if point or comma:
        decimal, sign = (",", COMMA) if comma > point else (".", POINT)
        # Prices with two decimals do not sometimes have a third one.
        digits = amounts.written.decimals[says == sign]
        digits = digits[digits > 0]
        odd = sign in signs and len(digits) >= 5 and bool((digits == 2).all())
        return decimal, bool(signs) and (odd or (point > 0 and comma > 0))
    if not signs:
        return ".", False
    if len(signs) == 2:
        return hints.usual_decimal or ".", True
    written = "." if signs == {POINT} else ","
    other = "," if written == "." else "."
    if (amounts.written.parts[known] == " ").any() or (amounts.written.parts[known] == "'").any():
        return written, False  # another sign separates thousands
    unit = next((unit for unit in form.units if unit), "")
    if written == "," and unit in COMMA_PARTS_THOUSANDS:
        return ".", False
    whole = amounts.numbers[known & (doubt == NO_DOUBT) & (amounts.written.parts == "")]
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
    parts = {sign for sign in " ',." if (amounts.written.parts[known] == sign).any()}
    doubtful = POINT if decimal == "," else COMMA
    if (amounts.written.doubt[known] == doubtful).any():
        parts.add("." if decimal == "," else ",")
    found = found.mark(taken)
    base = replace(
        found.new_column("number"), decimal=decimal, thousands="".join(sorted(parts)),
        units=form.units, scales=form.scales, negative=form.negative,
    )  # fmt: skip
    return _choose_kind(base, found, numbers[~taken], forced)


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
        return make_listed_column(base, found, numbers)
    rows = int(found.counts.sum())
    bare = not base.units and not base.thousands
    if whole and bare and not forced and is_running_number(base.name, distinct, rows):
        base = as_id_column(base, len(distinct), rows)
    column = make_binned_column(base, found, numbers)
    return _propose_codes(column, found, numbers)


def _propose_codes(column: ColumnSchema, found: ValueCounts, numbers: np.ndarray) -> ColumnSchema:
    """The column with a proposal to count numbers such as 999 as missing."""
    if not column.keep or not np.isin(numbers, CODES).any():
        return column
    known = ~np.isnan(numbers)
    values, at = np.unique(numbers[known], return_inverse=True)
    codes = suspicious_codes(values, np.bincount(at, found.counts[known]))
    return propose_as_missing(column, found, np.isin(numbers, codes)) if codes else column


def propose_as_missing(
    column: ColumnSchema, found: ValueCounts, is_code: np.ndarray
) -> ColumnSchema:
    """The column with a proposal to count some of its numbers or dates as missing."""
    codes = found.select(is_code)
    texts = tuple(sorted(codes.texts.to_pylist()))
    return replace(column, codes=(missing_proposal(texts, codes.rows),))


def _ask(
    about: str,
    found: ValueCounts,
    in_doubt: np.ndarray,
    column: ColumnSchema,
    others: Sequence[ColumnSchema],
) -> ColumnSchema:
    """The column with the question which reading is right, about a text that the others read otherwise."""
    example = min(found.texts.filter(pa.array(in_doubt)).to_pylist())
    columns = sorted((column, *others), key=lambda one: (one.decimal == ",", one.date_order))
    said = [_say(example, one) for one in columns]
    choices = [Choice(f"{example} is {text} ({HOW[reads]})", reads) for text, reads in said]
    taken = columns.index(column)
    sentence = (
        f"Is {example!r:.40} in column {column.name!r:.60} {' or '.join(text for text, _ in said)}? It is read as "
        f"{said[taken][0]} until you answer."
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


def date_column(found: ValueCounts, hints: Hints, *, forced: bool = False) -> ColumnSchema | None:
    """The column read as dates; None if it has too few."""
    markers = is_word(found.texts, MISSING_WORDS) | is_no_date(found.texts)
    forms = tuple(FORMS)
    if not forced:
        rest = found.select(~markers)
        forms = WRITTEN
        if are_school_years(rest.texts.slice(0, LOOK_AT_YEARS).to_pylist()):
            return None
        if not len(rest.texts) or rest.share(LIKELY) < SHARE:
            return None
        if len(rest.texts) > 2 * LOOK:
            some = rest.most_frequent(LOOK)
            if parse_dates(some.texts, forms).is_date.mean() < 0.5:
                return None
    dates = parse_dates(found.texts, forms)
    known = dates.is_date
    rows, dated = found.counts[~markers].sum(), found.counts[known & ~markers].sum()
    if not known.any() or not (forced or dated >= SHARE * max(1, rows)):
        return None
    order, doubt = date_order(found, dates, hints)
    column = _make_date_column(found, dates, order, forced)
    if column is None or not doubt:
        return column
    others = [_make_date_column(found, dates, other, forced) for other in doubt]
    in_doubt = _is_ambiguous(dates, (order, *doubt))
    return _ask("date order", found, in_doubt, column, [other for other in others if other])


def numbers_as_dates(found: ValueCounts, hints: Hints) -> ColumnSchema | None:
    """The column read as dates if its numbers are years or eight digits such as 20130501."""
    if len(found.texts) > 2 * MAX_DAYS:
        return None  # even if a few of them mean missing
    markers = is_word(found.texts, MISSING_WORDS) | is_no_date(found.texts)
    rest = found.select(~markers)
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
    return _make_date_column(found, parse_dates(found.texts, forms), "ymd", False)


def _are_years(found: ValueCounts) -> bool:
    """Whether whole numbers of four digits are years and not amounts."""
    if YEAR_NAME.search(found.name):
        return True
    years = np.array([int(text) for text in found.texts.to_pylist()])
    recent = years.min() >= 1900 and years.max() <= 2035
    return bool(recent and len(years) >= 4 and (years % 5 != 0).any())


def date_order(found: ValueCounts, dates: Dates, hints: Hints) -> tuple[str, tuple[str, ...]]:
    """The order of day, month and year in dates such as 01/05/2013, and other possible orders."""
    written = dates.written[dates.is_numeric]
    if not len(written):
        return "ymd", ()
    orders = ("dmy", "mdy")
    if written.short.all():
        # Years of two digits may come first: surely above 31, perhaps if the last part varies less.
        first, last = written.a, written.c
        if (first > 31).any() or (
            len(np.unique(first)) < len(np.unique(last)) and last.max() <= 31
        ):
            orders = ("dmy", "mdy", "ymd")
    fits = {order: ~np.isnan(dates.read(order, NUMBERED)) for order in orders}
    rows = {order: int(found.counts[fits[order]].sum()) for order in orders}
    best = max(rows.values())
    left = [order for order in orders if rows[order] == best]
    if written.pointed.any() and "dmy" in left:
        left = ["dmy"]  # with points the day is first
    sure = {
        o: (fits[o] & ~np.any([fits[p] for p in orders if p != o], axis=0)).any() for o in orders
    }
    if not _is_ambiguous(dates, orders).any():
        return left[0], ()
    if len(left) == 1:
        against = [order for order in orders if order != left[0] and sure[order]]
        if hints.order in against:
            return hints.order, ()
        return left[0], tuple(against) if hints.order is None else ()
    if hints.order in left:
        return hints.order, ()
    usual = hints.usual_order if hints.usual_order in left else ""
    default = _likelier_order(written, left) or usual or ("mdy" if "mdy" in left else left[0])
    return default, tuple(order for order in left if order != default)


def _is_ambiguous(dates: Dates, orders: Sequence[str]) -> np.ndarray:
    """Which texts are different dates in different orders."""
    read = [dates.read(order, NUMBERED) for order in orders]
    low, high = np.fmin.reduce(read), np.fmax.reduce(read)
    return ~np.isnan(low) & (low != high)


def _likelier_order(written, left: list[str]) -> str:
    """The order in which a part that is always 1 is the day; "" if no part is."""
    a, b = np.unique(written.a), np.unique(written.b)
    if a.tolist() == [1] and len(b) > 2 and "dmy" in left:
        return "dmy"
    return "mdy" if b.tolist() == [1] and len(a) > 2 and "mdy" in left else ""


def _make_date_column(
    found: ValueCounts, dates: Dates, order: str, forced: bool
) -> ColumnSchema | None:
    """The column read in this order."""
    forms = dates.forms()
    days = dates.read(order, forms) / DAY
    known = ~np.isnan(days)
    if not known.any():
        return None
    nothing = is_word(found.texts, NO_VALUE)
    if not {*forms} <= CLOCK:
        nothing |= is_no_date(found.texts)
    taken = nothing & ~known
    rest, days = found.mark(taken), days[~taken]
    base = replace(rest.new_column("date"), date_order=order, date_forms=forms)
    distinct = np.unique(days[~np.isnan(days)])
    few = len(distinct) <= MAX_BINS and len(distinct) == (~np.isnan(days)).sum()
    few = few and not forced and not {*NUMBERED} & {*forms}
    apart, finest = find_sentinels(days, rest.counts), _finest_unit(dates, forms)
    if BIRTH_NAME.search(found.name) and np.ptp(distinct[:-1]) > AGES:
        finest = "birth"

    if few:
        column = make_listed_column(base, rest, days)
    else:
        column = make_binned_column(base, rest, days, finest, apart)
    return propose_as_missing(column, rest, apart) if apart.any() else column


def _finest_unit(dates: Dates, forms: tuple[str, ...]) -> str:
    """The finest unit in which the dates are written."""
    if (np.nan_to_num(dates.written.clock) > 0).any():
        return "time"
    return min((FORM_UNITS.get(form, "day") for form in forms), key=[*UNITS].index)
