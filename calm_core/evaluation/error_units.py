"""Errors in percentage points, and what numbers that far off are good for."""

import math
from collections.abc import Iterable
from enum import Enum

import numpy as np

from calm_core.errors import InputError


class Band(Enum):
    """What a released table can be read for.

    Attributes
    ----------
    EXACT
        To the point: at most one point off, and at most a tenth of the error of the equal-shares guess.
    TREND
        Large cells from small ones, no more.
    NOISE
        More than a third of the error of the equal-shares guess.
    """

    EXACT = "exact"
    TREND = "trend"
    NOISE = "noise"


def typical_points(errors: Iterable[float], cells: Iterable[float] | int) -> float:
    """Root mean square error of a cell in percentage points: 100 * sqrt(mean of SSE / cells).

    Parameters
    ----------
    errors : iterable of float
        Sum of squared errors of each table, in squared fractions.
    cells : iterable of float, or int
        Number of cells of each table, possibly a mean, or of every one.

    Raises
    ------
    InputError
        If there is no table, or one whose error is not known.

    Examples
    --------
    >>> round(typical_points([0.0024], 6), 3), round(typical_points([0.0024, 0.0], [6, 4]), 3)
    (2.0, 1.414)
    """
    errors = np.asarray([*errors], dtype=float)
    if not errors.size or np.isnan(errors).any():
        raise InputError("errors must be known for at least one table; score one first")
    cells = np.broadcast_to(np.asarray(cells if isinstance(cells, int) else [*cells]), errors.shape)
    return 100 * math.sqrt(float(np.mean(errors / cells)))


def classify_error(error: float, guess: float) -> Band:
    """What a table is good for whose typical error is `error` points, where guessing is `guess` off.

    Parameters
    ----------
    error, guess : float
        Points of the released table and of equal shares, as `typical_points` gives them.

    Examples
    --------
    >>> [classify_error(error, guess=18.0).value for error in (0.9, 2.6, 8.5)]
    ['exact', 'trend', 'noise']
    """
    if error > guess / 3:
        return Band.NOISE
    return Band.EXACT if error <= 1 and error <= guess / 10 else Band.TREND
