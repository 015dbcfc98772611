"""Dates as the calendar has them, in units for bins, and dates and times as texts write them."""

import datetime
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from calm_core.ingest.table import pc
from calm_core.ingest.values.words import WORDS, fold_letters, read_patterns

DAY = 86_400
MAX_BINS = 12
# From fine to coarse; each at most three times the one before where the calendar allows it.
UNITS = {
    "minute": (60, "s"), "2 minutes": (120, "s"), "5 minutes": (300, "s"), "10 minutes": (600, "s"),
    "15 minutes": (900, "s"), "30 minutes": (1800, "s"), "hour": (3600, "s"), "2 hours": (7200, "s"),
    "3 hours": (10_800, "s"), "6 hours": (21_600, "s"), "12 hours": (43_200, "s"), "day": (1, "D"),
    "2 days": (2, "D"), "week": (7, "D"), "2 weeks": (14, "D"), "month": (1, "M"), "quarter": (3, "M"),
    "half-year": (6, "M"), "year": (12, "M"), "2 years": (24, "M"), "5 years": (60, "M"),
    "decade": (120, "M"), "20 years": (240, "M"), "50 years": (600, "M"), "century": (1200, "M"),
}  # fmt: skip
# First number of a period, by kind: weeks begin on Mondays, and months count from the year 0, so that decades are
# 1990 to 1999.
MONDAY, YEAR_0 = 4, -12 * 1970


def _origin(unit: str) -> int:
    """Where the periods of a unit are counted from."""
    return MONDAY if "week" in unit else YEAR_0 if UNITS[unit][1] == "M" else 0


def periods(days: np.ndarray, unit: str) -> np.ndarray:
    """Number of the period of each date.

    Examples
    --------
    >>> np.diff(periods(np.array([0.0, 30.0, 31.0, 365.0]), "month")).tolist()
    [0, 1, 11]
    """
    size, kind = UNITS[unit]
    seconds = np.round(np.asarray(days, dtype=float) * DAY).astype("timedelta64[s]")
    counts = (np.datetime64(0, "s") + seconds).astype(f"datetime64[{kind}]").astype(np.int64)
    return np.floor_divide(counts - _origin(unit), size)


def start_of(period: int, unit: str) -> float:
    """First day of a period, with the time as a fraction."""
    size, kind = UNITS[unit]
    start = np.array(int(period) * size + _origin(unit)).astype(f"datetime64[{kind}]")
    return float(start.astype("datetime64[s]").astype(np.int64) / DAY)


def end_of(period: int, unit: str) -> float:
    """The last day (or second) that belongs to a period."""
    step = 1 / DAY if UNITS[unit][1] == "s" else 1.0
    return start_of(period + 1, unit) - step


def choose_unit(sketch, finest: str, max_bins: int = MAX_BINS) -> str:
    """The finest unit that gives at most `most` bins; a few odd dates far away do not count.

    Parameters
    ----------
    sketch : sequence of float
        Quantiles of the dates.
    finest : str
        The finest unit.
    """
    low, high = _inner_range(sketch)
    names = list(UNITS)
    for unit in names[names.index(finest) : -1]:
        first, last = periods(np.array([low, high]), unit)
        if last - first < max_bins:
            return unit
    return names[-1]


def _inner_range(sketch) -> tuple[float, float]:
    """Range of nearly all dates."""
    grid = np.asarray(sketch, dtype=float)
    inner = grid[max(1, len(grid) // 100) : len(grid) - max(1, len(grid) // 100)]
    return (float(inner[0]), float(inner[-1])) if len(inner) else (float(grid[0]), float(grid[-1]))


def calendar_edges(sketch, unit: str, max_bins: int = 100) -> tuple[float, ...]:
    """Upper ends of all but the last period between the first date and the last."""
    first, last = periods(np.array([sketch[0], sketch[-1]], dtype=float), unit)
    if last - first >= MAX_BINS:
        # A few outliers belong to the outer bins, whose labels are open.
        first, last = periods(np.array(_inner_range(sketch)), unit)
    last = min(last, first + max_bins - 1)
    return tuple(end_of(period, unit) for period in range(first, last))


def period_labels(edges: tuple[float, ...], sketch, unit: str) -> list[str]:
    """Labels of the bins with these edges; outer ones may be open.

    Examples
    --------
    >>> edges = calendar_edges([0.0, 40.0, 80.0], "month")
    >>> period_labels((30.0, 58.0), (0.0, 40.0, 80.0), "month")
    ['1970-01', '1970-02', '1970-03']
    >>> period_labels((30.0, 58.0), (-99.0, 40.0, 180.0), "month")
    ['1970-01 or before', '1970-02', '1970-03 or later']
    """
    if not edges:
        first, last = (
            _period_name(int(period), unit)
            for period in periods(np.array([sketch[0], sketch[-1]]), unit)
        )
        return [first if first == last else f"{first} to {last}"]
    first = int(periods(np.array(edges[:1]), unit)[0])
    names = [_period_name(first + i, unit) for i in range(len(edges) + 1)]
    low, high = periods(np.array([sketch[0], sketch[-1]]), unit)
    if low < first:
        names[0] += " or before"
    if high > first + len(edges):
        names[-1] += " or later"
    return names


def _period_name(period: int, unit: str) -> str:
    size, kind = UNITS[unit]
    start, end = start_of(period, unit), end_of(period, unit)
    if kind == "s":
        first, last = (np.datetime64(round(at * DAY), "s").item() for at in (start, end))
        date = "" if 0 <= start < 1 else f"{first:%Y-%m-%d} "
        return f"{date}{first:%H:%M}" + (f" to {last:%H:%M}" if size > 60 else "")
    day = str(np.datetime64(int(start), "D"))
    if kind == "D":
        return day if size == 1 else f"{day} to {np.datetime64(int(end), 'D')}"
    year = int(day[:4])
    if size < 12:
        month = int(day[5:7])
        part = {1: day[:7], 3: f"{year} Q{(month + 2) // 3}", 6: f"{year} H{(month + 5) // 6}"}
        return part[size]
    return str(year) if size == 12 else f"{year} to {year + size // 12 - 1}"


def _number_words(name: str) -> dict[str, int]:
    """The words of a list in words.toml with the number of their line."""
    lines = enumerate(WORDS[name].strip().splitlines(), start=1)
    return {fold_letters(word, {}): number for number, line in lines for word in line.split()}


MONTHS, ORDINALS = _number_words("months"), _number_words("ordinals")
_NTH = f"(?i:{'|'.join(sorted(WORDS['ordinals'].split(), key=len, reverse=True))})"
_WEEKDAYS = sorted(map(re.escape, WORDS["weekdays"].split()), key=len, reverse=True)
# Forms of dates by name; a text fits at most one.
FORMS = read_patterns("dates", WEEKDAYS=f"(?i:{'|'.join(_WEEKDAYS)})", NTH=_NTH)
NUMBER_PARTS = ("a", "b", "y", "m", "d", "w", "H", "M", "S", "weekday")


def month_number(text: str) -> int:
    """Number of a month by its name; 0 for anything else.

    Examples
    --------
    >>> month_number("May"), month_number("März"), month_number("févr"), month_number("Ulm")
    (5, 3, 2, 0)
    """
    return MONTHS.get(fold_letters(text, {}).rstrip("."), 0)


# How finely dates are written in forms without a day, which are called so.
FORM_UNITS = {
    form: unit
    for unit in ("year", "month", "quarter", "half-year", "week")
    for form in FORMS
    if form == unit or (unit != "year" and unit in form)
}
NUMBERED = ("numbers", "short numbers")  # whose order the column decides
CLOCK = frozenset(("time", "hour"))
# Each date matches this; a quick test for columns of words.
LIKELY = r"\d{4}|\d ?[-/.:h] ?\d|\d ?[AaPp]\.?[Mm]|\d ?Uhr|\d{2}$"
# How old schemas read dates that are not in their order.
OLD_FORMS = {"ymd": ("iso",), "dmy": ("numbers",), "mdy": ("numbers",)}
ORDERS = ("dmy", "mdy", "ymd")
PIVOT = 30  # years of two digits from here on are of the last century
# The apostrophe by which Excel keeps a text, the star of a note, the point of a Hungarian date.
AROUND = re.compile(r"^['‘’`]|(?: ?[*†‡]+|\.)$")
PLAIN_SIGNS = str.maketrans("\xa0\u2007\u2008\u2009\u200a\u202f‐‑‒–—―", " " * 6 + "-" * 6)
# Zeros that programs write for no date at all.
NO_DATE = r"^0{1,8}$|^0{1,4}([-/. ])0{1,2}[-/. ]0{1,4}(?:[T ]00:00(?::00)?)?$"
# Days that programs write for "never" or "not known".
SENTINELS = np.array(WORDS["sentinel_days"].split(), "datetime64[D]").astype(np.int64)
OFTEN = 5  # factor by which a sentinel just outside the range is more frequent than usual
YEAR = 366
EPOCH = datetime.date(1970, 1, 1).toordinal()


class WrittenDate(NamedTuple):
    """One date or time as its text writes it.

    Attributes
    ----------
    form : int
        Position of the form in FORMS; -1 where the text is no date.
    seconds : float
        Since 1970; NaN where the text is no date, or the order of its numbers says which.
    a, b, c : int
        The three numbers of the forms in NUMBERED; 0 elsewhere.
    clock : float
        Seconds of the day; NaN where the text has no time.
    pointed : bool
        Whether points separate the numbers, as in dates with the day first.
    short : bool
        Whether the year has two digits.
    """

    form: int
    seconds: float = np.nan
    a: int = 0
    b: int = 0
    c: int = 0
    clock: float = np.nan
    pointed: bool = False
    short: bool = False


FIELDS = list(WrittenDate.__annotations__.items())


@dataclass(frozen=True, eq=False)
class Dates:
    """Dates of texts, before the column decides ambiguous ones.

    Attributes
    ----------
    records : record array
        With the fields of `WrittenDate`.
    """

    records: Any

    def read(self, order: str, forms: tuple[str, ...]) -> np.ndarray:
        """Seconds since 1970; NaN if the text is no date in one of the forms."""
        names, out = list(FORMS), self.records.seconds.copy()
        numeric = np.flatnonzero(self.is_numeric)
        for at, fields in zip(numeric, self.records[numeric].tolist()):
            one = WrittenDate(*fields)
            part = dict(zip(order, (one.a, one.b, one.c)))
            year = expand_year(part["y"]) if one.short else part["y"]
            days = _days(year, part["m"], part["d"]) if one.short or order != "ymd" else np.nan
            out[at] = _moment(days, one.clock)
        out[~np.isin(self.records.form, [names.index(form) for form in forms])] = np.nan
        return out

    @property
    def is_date(self) -> np.ndarray:
        """Which of the texts are dates."""
        return self.records.form >= 0

    @property
    def is_numeric(self) -> np.ndarray:
        """Which of the texts are made of three numbers."""
        return np.isin(self.records.form, [list(FORMS).index(form) for form in NUMBERED])

    def forms(self) -> tuple[str, ...]:
        """The forms that occur, in the order of FORMS."""
        return tuple(name for at, name in enumerate(FORMS) if (self.records.form == at).any())


def expand_year(short: int) -> int:
    """A year of two digits in full: 1930 to 2029.

    Examples
    --------
    >>> expand_year(13), expand_year(99)
    (2013, 1999)
    """
    return short + (2000 if short < PIVOT else 1900)


def parse_dates(texts: pa.Array, forms: tuple[str, ...] = tuple(FORMS)) -> Dates:
    """Dates of texts in any of the forms.

    Examples
    --------
    >>> found = parse_dates(pa.array(["1970-01-02", "May 01, 1970", "1. Mai 1970", "01/05/1970", "x"]))
    >>> (found.read("dmy", tuple(FORMS)) / DAY).tolist()
    [1.0, 120.0, 120.0, 120.0, nan]
    >>> (found.read("mdy", tuple(FORMS)) / DAY).tolist()[3]
    4.0
    """
    # The form of one text is tried first on the next: a text fits at most one.
    patterns = [(form, _compile(form)) for form in forms]
    dates = []
    for text in texts.to_pylist():
        one = WrittenDate(-1)
        for at, (form, pattern) in enumerate(patterns) if text and re.search(LIKELY, text) else ():
            split = pattern.match(AROUND.sub("", text.translate(PLAIN_SIGNS)))
            if split and (read := _read(form, split.groupdict(""))) is not None:
                one = read
                patterns.insert(0, patterns.pop(at))
                break
        dates.append(one)
    return Dates(np.array(dates, FIELDS).view(np.recarray))


@lru_cache(maxsize=64)
def _compile(form: str) -> re.Pattern:
    return re.compile(FORMS[form])


def _read(form: str, part: dict[str, str]) -> WrittenDate | None:
    """The date of the parts of a text; None if it is in no calendar."""
    place = list(FORMS).index(form)
    year_text = part.get("y", "").lstrip("'")
    number = {key: int(part[key]) for key in NUMBER_PARTS if part.get(key)}
    short, year = "y" in part and len(year_text) < 4, int(year_text or 0)
    clock = _clock(number, part.get("half", ""))
    if clock is None:
        return None
    if form in CLOCK:
        return WrittenDate(place, clock, clock=clock)
    if form in NUMBERED:
        a, b = number["a"], number["b"]
        some = 2000 if short else year
        if not (short and a > 31) and np.isnan([_days(some, a, b), _days(some, b, a)]).all():
            return None
        return WrittenDate(place, np.nan, a, b, year, clock, part["sign"] == ".", short)
    month = number.get("m", 1)
    if "name" in part:
        month = month_number(part["name"])
    for key, months in (("q", 3), ("half_year", 6)):
        if key in part:
            month = months * ORDINALS[fold_letters(part[key], {})] - months + 1
    if "w" in part:
        week = number["w"], number.get("weekday", 1)
        days = _days(year, *week, make=datetime.date.fromisocalendar)
    else:
        days = _days(expand_year(year) if short else year, month, number.get("d", 1))
    if np.isnan(days):
        return None
    return WrittenDate(place, _moment(days, clock), clock=clock, short=short)


def _clock(number: dict[str, int], half: str) -> float | None:
    """Seconds of the day; NaN without a time, None if it is invalid."""
    if "H" not in number:
        return np.nan
    hour, minute, second = (number.get(key, 0) for key in "HMS")
    if hour > 23 or minute > 59 or second > 60 or (half and not 1 <= hour <= 12):
        return None
    if half:
        hour = hour % 12 + 12 * (half[0] in "pP")
    return 3600.0 * hour + 60 * minute + second


def _moment(days: float, clock: float) -> float:
    """Seconds since 1970; a date without a time is its midnight."""
    return days * DAY + (0.0 if math.isnan(clock) else clock)


def _days(year: int, *parts: int, make: Callable[..., datetime.date] = datetime.date) -> float:
    """Days from 1970; NaN for days that are in no calendar, and years of less than four digits."""
    try:
        return make(year, *parts).toordinal() - EPOCH if year >= 1000 else np.nan
    except ValueError:
        return np.nan


def is_no_date(texts: pa.Array) -> np.ndarray:
    """Which texts are zeros instead of a date.

    Examples
    --------
    >>> is_no_date(pa.array(["0", "0000-00-00", "00/00/0000", "2000-01-01"])).tolist()
    [True, True, True, False]
    """
    return np.asarray(pc.match_substring_regex(texts, NO_DATE).fill_null(False))


def find_sentinels(days: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Which dates are sentinels such as 9999-12-31 or 1900-01-01, far from all others.

    Parameters
    ----------
    days, counts : ndarray
        Days since 1970 (NaN for none), and the number of rows with each.

    Examples
    --------
    >>> days = np.array(["2013-01-05", "2013-02-01", "9999-12-31"], "datetime64[D]").astype(float)
    >>> find_sentinels(days, np.array([3, 4, 5])).tolist()
    [False, False, True]
    """
    day_numbers = np.floor(days)
    special = np.isin(day_numbers, SENTINELS)
    usual_days = day_numbers[~special & ~np.isnan(day_numbers)]
    if not special.any() or len(np.unique(usual_days)) < 2:
        return np.zeros(len(days), bool)
    low, high = usual_days.min(), usual_days.max()
    gap = np.maximum(low - day_numbers, day_numbers - high)
    usual = float(np.median(counts[~special & ~np.isnan(day_numbers)]))
    often = np.zeros(len(days), bool)
    for day in np.unique(day_numbers[special]):
        often |= (day_numbers == day) & (counts[day_numbers == day].sum() > OFTEN * usual)
    return special & ((gap > max(YEAR, 0.5 * (high - low))) | ((gap > 0) & often))
