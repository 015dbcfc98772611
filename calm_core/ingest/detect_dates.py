"""Columns of dates and times: the order of day and month, and the unit of the bins."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from calm_core.ingest.binning import make_binned_column, make_listed_column
from calm_core.ingest.counting import ValueCounts
from calm_core.ingest.detect_numbers import LOOK, Hints, changes_to_json, propose_as_missing
from calm_core.ingest.detect_words import YEAR_NAME
from calm_core.ingest.schema import ColumnSchema
from calm_core.ingest.suggestions import Choice, Question
from calm_core.ingest.values.amounts import parse_amounts
from calm_core.ingest.values.calendar import MAX_BINS
from calm_core.ingest.values.dates import (
    CLOCK,
    DAY,
    FORMS,
    LIKELY,
    MONTHLY,
    NUMBERED,
    Dates,
    find_sentinels,
    is_no_date,
    parse_dates,
)
from calm_core.ingest.values.words import MISSING_WORDS, NO_VALUE, is_word

MAX_DAYS = 40_000  # distinct dates in a column of numbers such as 20130501
SHARE = 0.95  # least share of texts, and of rows, in a column of dates
AS_NUMBERS = ("digits", "long digits", "year", "month year")  # dates that could also be numbers
NAMED = ("iso", "day name", "name day", "year name")  # days that are unambiguous
WRITTEN = tuple(form for form in FORMS if form not in ("digits", "long digits"))


def date_column(found: ValueCounts, hints: Hints, *, forced: bool = False) -> ColumnSchema | None:
    """The column read as dates; None if it has too few."""
    markers = is_word(found.texts, MISSING_WORDS) | is_no_date(found.texts)
    forms = tuple(FORMS)
    if not forced:
        rest = found.select(~markers)
        forms = WRITTEN
        if not len(rest.texts) or rest.share(LIKELY) < SHARE:
            return None
        if len(rest.texts) > 2 * LOOK:
            some = rest.most_frequent(LOOK)
            if (parse_dates(some.texts, forms).form >= 0).mean() < 0.5:
                return None
    dates = parse_dates(found.texts, forms)
    known = dates.form >= 0
    rows, dated = found.counts[~markers].sum(), found.counts[known & ~markers].sum()
    if not known.any() or not (forced or dated >= SHARE * max(1, rows)):
        return None
    order, doubt = date_order(found, dates, hints)
    column = _make_column(found, dates, order, forced)
    if column is None or not doubt:
        return column
    others = [_make_column(found, dates, other, forced) for other in doubt]
    return replace(column, questions=(_question(found, dates, column, [c for c in others if c]),))


def numbers_as_dates(found: ValueCounts, hints: Hints) -> ColumnSchema | None:
    """The column read as dates if its numbers are years or eight digits such as 20130501."""
    if len(found.texts) > 2 * MAX_DAYS:
        return None  # even if a few of them mean missing
    markers = is_word(found.texts, MISSING_WORDS) | is_no_date(found.texts)
    rest = found.select(~markers)
    if not 3 <= len(rest.texts) <= MAX_DAYS:
        return None
    start = parse_dates(rest.texts.slice(0, 20), AS_NUMBERS).form
    if 2 * (start < 0).sum() > len(start):
        return None
    dates = parse_dates(rest.texts, AS_NUMBERS)
    other = dates.form < 0
    # Typing errors and dates in other forms are no numbers; words beside years are no dates.
    amounts = parse_amounts(rest.texts.filter(pa.array(other))).numbers
    if other.any() and (dates.forms() != ("digits",) or not np.isnan(amounts).all()):
        return None
    if dates.forms() == ("year",) and not _are_years(rest):
        return None
    forms = AS_NUMBERS if not other.any() else ("digits", *NAMED)
    return _make_column(found, parse_dates(found.texts, forms), "ymd", False)


def _are_years(found: ValueCounts) -> bool:
    """Whether whole numbers of four digits are years and not amounts."""
    if YEAR_NAME.search(found.name):
        return True
    years = np.array([int(text) for text in found.texts.to_pylist()])
    recent = years.min() >= 1900 and years.max() <= 2035
    return bool(recent and len(years) >= 4 and (years % 5 != 0).any())


def date_order(found: ValueCounts, dates: Dates, hints: Hints) -> tuple[str, tuple[str, ...]]:
    """The order of day, month and year in dates such as 01/05/2013, and other possible orders."""
    numbers = dates.is_numeric
    if not numbers.any():
        return "ymd", ()
    orders = ("dmy", "mdy")
    if (numbers & dates.short).all(where=numbers):
        # Years of two digits may come first: surely above 31, perhaps if the last part varies less.
        first, last = dates.a[numbers], dates.c[numbers]
        if (first > 31).any() or (
            len(np.unique(first)) < len(np.unique(last)) and last.max() <= 31
        ):
            orders = ("dmy", "mdy", "ymd")
    fits = {order: dates.fits(order) for order in orders}
    rows = {order: int(found.counts[fits[order]].sum()) for order in orders}
    best = max(rows.values())
    left = [order for order in orders if rows[order] == best]
    if (dates.pointed & numbers).any() and "dmy" in left:
        left = ["dmy"]  # with points the day is first
    sure = {
        o: (fits[o] & ~np.any([fits[p] for p in orders if p != o], axis=0)).any() for o in orders
    }
    open_ = _is_ambiguous(dates, fits, orders)
    if len(left) == 1:
        against = [order for order in orders if order != left[0] and sure[order]]
        if hints.order in against and open_.any():
            return hints.order, ()
        return left[0], tuple(against) if open_.any() and hints.order is None else ()
    if not open_.any():
        return left[0], ()
    if hints.order in left:
        return hints.order, ()
    usual = hints.usual_order if hints.usual_order in left else ""
    default = _likelier_order(dates, numbers, left) or usual
    default = default or ("mdy" if "mdy" in left else left[0])
    return default, tuple(order for order in left if order != default)


def _is_ambiguous(dates: Dates, fits: dict[str, np.ndarray], orders) -> np.ndarray:
    """Which texts are different dates in different orders."""
    read = [np.where(fits[order], dates.read(order, NUMBERED), np.nan) for order in orders]
    low, high = np.fmin.reduce(read), np.fmax.reduce(read)
    return ~np.isnan(low) & (low != high)


def _likelier_order(dates: Dates, numbers: np.ndarray, left: list[str]) -> str:
    """The order in which a part that is always 1 is the day; "" if no part is."""
    a, b = np.unique(dates.a[numbers]), np.unique(dates.b[numbers])
    if a.tolist() == [1] and len(b) > 2 and "dmy" in left:
        return "dmy"
    return "mdy" if b.tolist() == [1] and len(a) > 2 and "mdy" in left else ""


def _make_column(found: ValueCounts, dates: Dates, order: str, forced: bool) -> ColumnSchema | None:
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
    base = replace(found.column_without("date", taken), date_order=order, date_forms=forms)
    rest, days = found.select(~taken), days[~taken]
    distinct = np.unique(days[~np.isnan(days)])
    few = len(distinct) <= MAX_BINS and len(distinct) == (~np.isnan(days)).sum()
    few = few and not forced and not {*NUMBERED} & {*forms}
    apart, finest = find_sentinels(days, rest.counts), _finest_unit(dates, forms)

    def made(base: ColumnSchema, part: ValueCounts, which: np.ndarray) -> ColumnSchema:
        if few:
            return make_listed_column(base, part.texts, part.counts, by_number=days[which])
        return make_binned_column(base, part.texts, part.counts, days[which], finest, apart[which])

    column = made(base, rest, np.ones(len(days), bool))
    if not apart.any():
        return column
    return propose_as_missing(
        column, base, rest, apart, lambda without, others: made(without, others, ~apart)
    )


def _finest_unit(dates: Dates, forms: tuple[str, ...]) -> str:
    """The finest unit in which the dates are written."""
    if (np.nan_to_num(dates.clock) > 0).any():
        return "time"
    if set(forms) == {"year"}:
        return "year"
    if set(forms) <= {"quarter", "year quarter", "year"}:
        return "quarter"
    return "month" if set(forms) <= {*MONTHLY, "year"} else "day"


def _question(
    found: ValueCounts, dates: Dates, column: ColumnSchema, others: list[ColumnSchema]
) -> Question:
    """The question which number of a date such as 01/05/2013 is the day."""
    columns = sorted((column, *others), key=lambda one: one.date_order)
    orders = [one.date_order for one in columns]
    open_ = _is_ambiguous(dates, {order: dates.fits(order) for order in orders}, orders)
    example = min(found.texts.filter(pa.array(open_)).to_pylist())
    at = found.texts.index(example).as_py()
    said = {order: _describe_date(float(dates.read(order, NUMBERED)[at])) for order in orders}
    first = {"dmy": "the day", "mdy": "the month", "ymd": "the year"}
    choices = {}
    for one, order in zip(columns, orders):
        text = f"{example} is {said[order]} ({first[order]} first)"
        choices[order] = Choice(text, changes_to_json(one))
    sentence = (
        f"Is {example!r:.40} in column {column.name!r:.60} {' or '.join(said.values())}? It is read as "
        f"{said[column.date_order]} until you answer."
    )
    return Question("date order", tuple(choices.values()), choices[column.date_order], sentence)


def _describe_date(seconds: float) -> str:
    """A day with the name of its month: 1 May 2013."""
    if np.isnan(seconds):
        return "no date"
    day = np.datetime64(int(seconds // DAY), "D").item()
    return f"{day.day} {day:%B %Y}"
