"""Searches for the number at which something begins or ends to hold, by halving."""

import math
from collections.abc import Callable

Condition = Callable[[float], bool]


def find_end(holds: Condition, high: float = 1.0) -> float:
    """The largest number up to which something holds, from below; 0 if it holds nowhere. `high` is tried first.

    >>> round(find_end(lambda number: number**2 < 2), 6)
    1.414214
    """
    low = 0.0
    while holds(high):
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def find_smallest(enough: Condition, low: float, high: float) -> float | None:
    """Find the smallest value from low to high that is enough, to 1%, by bisection; None if none is."""
    if enough(low):
        return low
    return bisect(enough, low, high) if enough(high) else None


def bisect(enough: Condition, low: float, high: float, *, tolerance: float = 0.01) -> float:
    """The smallest value that is enough, to a relative tolerance, between `low` and `high`, which is enough."""
    while high > low * (1 + tolerance):
        middle = math.sqrt(float(low) * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
