"""Bins of dates by calendar units, and their labels."""

import numpy as np

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
MONDAY = 4  # days from 1970-01-01 back to a Monday that weeks are counted from
FINEST = {"time": "minute", "day": "day", "month": "month", "quarter": "quarter", "year": "year"}


def periods(days: np.ndarray, unit: str) -> np.ndarray:
    """Number of the period of each date.

    Examples
    --------
    >>> periods(np.array([0.0, 30.0, 31.0, 365.0]), "month").tolist()
    [0, 0, 1, 12]
    """
    size, kind = UNITS[unit]
    days = np.asarray(days, dtype=float)
    if kind == "s":
        return np.floor_divide(np.round(days * DAY), size).astype(np.int64)
    whole = np.floor(days).astype(np.int64)
    if kind == "D":
        # Weeks start on Mondays; other numbers of days count from 1970.
        return np.floor_divide(whole - MONDAY if unit.endswith(("week", "weeks")) else whole, size)
    months = whole.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    # Years count from 0, so that decades are 1990 to 1999.
    return np.floor_divide(months + 12 * 1970, size) - (12 * 1970 // size if size <= 12 else 0)


def start_of(period: int, unit: str) -> float:
    """First day of a period, with the time as a fraction."""
    size, kind = UNITS[unit]
    if kind == "s":
        return period * size / DAY
    if kind == "D":
        return float(period * size + (MONDAY if unit.endswith(("week", "weeks")) else 0))
    months = period * size - (12 * 1970 if size > 12 else 0)
    return float(np.datetime64(int(months), "M").astype("datetime64[D]").astype(np.int64))


def end_of(period: int, unit: str) -> float:
    """The last day (or second) that belongs to a period."""
    step = 1 / DAY if UNITS[unit][1] == "s" else 1.0
    return start_of(period + 1, unit) - step


def choose_unit(sketch, finest: str, most: int = MAX_BINS) -> str:
    """The finest unit that gives at most `most` bins; a few odd dates far away do not count.

    Parameters
    ----------
    sketch : sequence of float
        Quantiles of the dates.
    finest : str
        How finely the dates are written: a key of FINEST.
    """
    low, high = _inner_range(sketch)
    names = list(UNITS)
    names = names[names.index(FINEST[finest]) :]
    for unit in names:
        first, last = periods(np.array([low, high]), unit)
        if last - first < most:
            return unit
    return names[-1]


def _inner_range(sketch) -> tuple[float, float]:
    """Range of nearly all dates."""
    grid = np.asarray(sketch, dtype=float)
    inner = grid[max(1, len(grid) // 100) : len(grid) - max(1, len(grid) // 100)]
    return (float(inner[0]), float(inner[-1])) if len(inner) else (float(grid[0]), float(grid[-1]))


def calendar_edges(sketch, unit: str, most: int = 100) -> tuple[float, ...]:
    """Upper ends of all but the last period between the first date and the last."""
    first, last = periods(np.array([sketch[0], sketch[-1]], dtype=float), unit)
    if last - first >= MAX_BINS:
        # A few outliers belong to the outer bins, whose labels are open.
        first, last = periods(np.array(_inner_range(sketch)), unit)
    last = min(last, first + most - 1)
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
