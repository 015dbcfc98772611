"""Columns of dates and times: which order their numbers have, and by which unit they are binned."""

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa

from calm_core.ingest.binning import binned, listed, with_taken
from calm_core.ingest.column import ColumnSchema
from calm_core.ingest.counting import Counted
from calm_core.ingest.detect_numbers import LOOK, Hints, changes_of, offered_as_missing
from calm_core.ingest.suggestions import Choice, Question
from calm_core.ingest.table import pc
from calm_core.ingest.values.amounts import amounts_of
from calm_core.ingest.values.calendar import MAX_BINS
from calm_core.ingest.values.dates import (
    CLOCK,
    DAY,
    FORMS,
    LIKELY,
    MONTHLY,
    NUMBERED,
    Dates,
    dates_of,
    is_no_date,
    sentinels,
)
from calm_core.ingest.values.markers import MISSING_WORDS, NO_VALUE, is_word

MAX_DAYS = 40_000  # that numbers such as 20130501 may be
SHARE = 0.95  # of the texts, and of the rows, from which on a column is one of dates
YEAR_NAME = re.compile(
    r"year|jahr|jaar|année|annee|año|anno|\bano\b|\byr\b|birth|geburt", re.IGNORECASE
)
AS_NUMBERS = ("digits", "long digits", "year", "month year")  # dates that could also be numbers
NAMED = ("iso", "day name", "name day", "year name")  # days that leave no doubt
WRITTEN = tuple(form for form in FORMS if form not in ("digits", "long digits"))


def date_column(found: Counted, hints: Hints, *, forced: bool = False) -> ColumnSchema | None:
    """The column as one of dates; None where it is none."""
    markers = is_word(found.texts, MISSING_WORDS) | is_no_date(found.texts)
    forms = tuple(FORMS)
    if not forced:
        rest = found.only(~markers)
        forms = WRITTEN
        likely = np.asarray(pc.match_substring_regex(rest.texts, LIKELY))
        if not len(likely) or likely.mean() < SHARE:
            return None
        if len(rest.texts) > 2 * LOOK:
            some = rest.most_frequent(LOOK)
            if (dates_of(some.texts, forms).form >= 0).mean() < 0.5:
                return None
    dates = dates_of(found.texts, forms)
    known = dates.form >= 0
    if not known.any() or not (forced or _enough(found, known, ~markers)):
        return None
    order, doubt = date_order(found, dates, hints)
    column = _shaped(found, dates, order, forced)
    if column is None:
        return None
    if not doubt:
        return column
    others = [_shaped(found, dates, other, forced) for other in doubt]
    return replace(column, questions=(_question(found, dates, column, [c for c in others if c]),))


def numbers_as_dates(found: Counted, hints: Hints) -> ColumnSchema | None:
    """A column of numbers that are dates: years, or eight digits such as 20130501."""
    if len(found.texts) > 2 * MAX_DAYS:
        return None  # whatever few of them are markers
    markers = is_word(found.texts, MISSING_WORDS) | is_no_date(found.texts)
    rest = found.only(~markers)
    if not 3 <= len(rest.texts) <= MAX_DAYS:
        return None
    start = dates_of(rest.texts.slice(0, 20), AS_NUMBERS).form
    if 2 * (start < 0).sum() > len(start):
        return None
    dates = dates_of(rest.texts, AS_NUMBERS)
    other = dates.form < 0
    # Slips and days written otherwise are no numbers; beside years alone, words tell of no calendar.
    if other.any() and (dates.forms() != ("digits",) or _any_number(rest.only(other))):
        return None
    if dates.forms() == ("year",) and not _are_years(rest):
        return None
    forms = AS_NUMBERS if not other.any() else ("digits", *NAMED)
    return _shaped(found, dates_of(found.texts, forms), "ymd", False)


def _any_number(found: Counted) -> bool:
    return bool((~np.isnan(amounts_of(found.texts).numbers)).any())


def _are_years(found: Counted) -> bool:
    """Whether whole numbers of four digits are years and no amounts."""
    years = np.array([int(text) for text in found.texts.to_pylist()])
    if YEAR_NAME.search(found.name):
        return True
    recent = years.min() >= 1900 and years.max() <= 2035
    return bool(recent and len(years) >= 4 and (years % 5 != 0).any())


def _enough(found: Counted, known: np.ndarray, counted: np.ndarray) -> bool:
    rows = found.counts[counted].sum()
    return bool(found.counts[known & counted].sum() >= SHARE * max(1, rows))


def date_order(found: Counted, dates: Dates, hints: Hints) -> tuple[str, tuple[str, ...]]:
    """The order of the numbers in dates such as 01/05/2013, and the other orders it may have."""
    numbers = dates.numbered
    if not numbers.any():
        return "ymd", ()
    orders = ("dmy", "mdy")
    if (numbers & dates.short).all(where=numbers):
        # Years of two digits may stand first: certainly above 31, perhaps where the last part varies more.
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
        left = ["dmy"]  # points are how those write who put the day first
    sure = {
        o: (fits[o] & ~np.any([fits[p] for p in orders if p != o], axis=0)).any() for o in orders
    }
    open_ = _differ(dates, fits, orders)
    if len(left) == 1:
        against = [order for order in orders if order != left[0] and sure[order]]
        if hints.order in against and open_.any():
            return hints.order, ()
        return left[0], tuple(against) if open_.any() and hints.order is None else ()
    if not open_.any():
        return left[0], ()
    if hints.order in left:
        return hints.order, ()
    default = _likelier(dates, numbers, left) or (
        hints.usual_order if hints.usual_order in left else ""
    )
    default = default or ("mdy" if "mdy" in left else left[0])
    return default, tuple(order for order in left if order != default)


def _differ(dates: Dates, fits: dict[str, np.ndarray], orders) -> np.ndarray:
    """Which texts are two different dates, depending on the order."""
    read = [np.where(fits[order], dates.read(order, NUMBERED), np.nan) for order in orders]
    low, high = np.fmin.reduce(read), np.fmax.reduce(read)
    return ~np.isnan(low) & (low != high)


def _likelier(dates: Dates, numbers: np.ndarray, left: list[str]) -> str:
    """Where one part is always 1 it is the day: the first of every month."""
    a, b = np.unique(dates.a[numbers]), np.unique(dates.b[numbers])
    if a.tolist() == [1] and len(b) > 2 and "dmy" in left:
        return "dmy"
    return "mdy" if b.tolist() == [1] and len(a) > 2 and "mdy" in left else ""


def _shaped(found: Counted, dates: Dates, order: str, forced: bool) -> ColumnSchema | None:
    """The column with the order of numbers said."""
    forms = dates.forms()
    days = dates.read(order, forms) / DAY
    known = ~np.isnan(days)
    if not known.any():
        return None
    nothing = is_word(found.texts, NO_VALUE)
    if not {*forms} <= CLOCK:
        nothing |= is_no_date(found.texts)
    taken = nothing & ~known
    base = with_taken(found.base("date"), found.texts.filter(pa.array(taken)).to_pylist(),
                      found.counts[taken].tolist())  # fmt: skip
    base = replace(base, date_order=order, date_forms=forms)
    rest, days = found.only(~taken), days[~taken]
    distinct = np.unique(days[~np.isnan(days)])
    few = len(distinct) <= MAX_BINS and len(distinct) == (~np.isnan(days)).sum()
    few = few and not forced and not {*NUMBERED} & {*forms}
    apart, finest = sentinels(days, rest.counts), _finest(dates, forms)

    def made(base: ColumnSchema, part: Counted, which: np.ndarray) -> ColumnSchema:
        if few:
            return listed(base, part.texts, part.counts, by_number=days[which])
        return binned(base, part.texts, part.counts, days[which], finest, apart[which])

    column = made(base, rest, np.ones(len(days), bool))
    if not apart.any():
        return column
    return offered_as_missing(
        column, base, rest, apart, lambda without, others: made(without, others, ~apart)
    )


def _finest(dates: Dates, forms: tuple[str, ...]) -> str:
    """How finely the dates are written."""
    if (np.nan_to_num(dates.clock) > 0).any():
        return "time"
    if set(forms) == {"year"}:
        return "year"
    if set(forms) <= {"quarter", "year quarter", "year"}:
        return "quarter"
    return "month" if set(forms) <= {*MONTHLY, "year"} else "day"


def _question(
    found: Counted, dates: Dates, column: ColumnSchema, others: list[ColumnSchema]
) -> Question:
    """Which number of a date such as 01/05/2013 is the day."""
    columns = sorted((column, *others), key=lambda one: one.date_order)
    open_ = _differ(dates, {c.date_order: dates.fits(c.date_order) for c in columns},
                    [c.date_order for c in columns])  # fmt: skip
    example = min(found.texts.filter(pa.array(open_)).to_pylist())
    at = found.texts.index(example).as_py()
    said = {
        one.date_order: _said(float(dates.read(one.date_order, NUMBERED)[at])) for one in columns
    }
    first = {"dmy": "the day", "mdy": "the month", "ymd": "the year"}
    choices = {
        one.date_order: Choice(
            f"{example} is {said[one.date_order]} ({first[one.date_order]} first)", changes_of(one)
        )
        for one in columns
    }
    sentence = (
        f"Is {example!r:.40} in column {column.name!r:.60} {' or '.join(said.values())}? It is read as "
        f"{said[column.date_order]} until you say."
    )
    return Question("date order", tuple(choices.values()), choices[column.date_order], sentence)


def _said(seconds: float) -> str:
    """A day as everybody reads it: 1 May 2013."""
    if np.isnan(seconds):
        return "no date"
    day = np.datetime64(int(seconds // DAY), "D").item()
    return f"{day.day} {day:%B %Y}"
