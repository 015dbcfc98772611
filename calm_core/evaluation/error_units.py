"""Errors in percentage points: of tables, expected before anything is collected, and what they are good for."""

import math
from collections.abc import Iterable
from enum import Enum

import numpy as np

from calm_core._checks import check_k
from calm_core.errors import InputError
from calm_core.methods.base import Method
from calm_core.planning.expected_error import MAX_SSE, default_queries, expected_errors
from calm_core.planning.plan import Plan
from calm_core.tables.domain import Domain


class Band(Enum):
    """What a released table can be used for.

    Attributes
    ----------
    EXACT
        Error at most one percentage point, and at most a tenth of the error of equal shares.
    TREND
        Distinguishes large cells from small ones only.
    NOISE
        Error more than a third of that of equal shares.
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
        Number of cells of each table, or of all.

    Raises
    ------
    InputError
        If there is no table, or an error is NaN.

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
    """Classify a table with a typical error of `error` points, where equal shares have `guess` points.

    Parameters
    ----------
    error, guess : float
        Typical errors of the released table and of equal shares, as from `typical_points`.

    Examples
    --------
    >>> [classify_error(error, guess=18.0).value for error in (0.9, 2.6, 8.5)]
    ['exact', 'trend', 'noise']
    """
    if error > guess / 3:
        return Band.NOISE
    return Band.EXACT if error <= 1 and error <= guess / 10 else Band.TREND


def predict_points(
    method: Method, domain: Domain, n: int, *, rng: np.random.Generator
) -> float | None:
    """Expected typical error of the k-way tables, in percentage points; None without a formula.

    Sees no data; the assumptions are in `Method.expected_errors`. With strong noise the measured error is
    smaller, since released shares are not negative.

    Parameters
    ----------
    method : Method
        The method, with its epsilon and k.
    domain : Domain
        Shape of the data.
    n : int
        Number of users.
    rng : numpy Generator
        Randomness of the plan.

    Examples
    --------
    >>> from calm_core.methods import Calm, Em
    >>> domain, rng = Domain(names=("sex", "age"), sizes=(2, 3)), np.random.default_rng(1)
    >>> round(predict_points(Calm(epsilon=1.0, k=2), domain, 10_000, rng=rng), 2)
    1.63
    >>> predict_points(Em(epsilon=1.0, k=2), domain, 10_000, rng=rng) is None
    True
    """
    check_k(method.k, domain.d)
    queries = default_queries(domain, method.k)
    errors = method.expected_errors(domain, n, queries, rng=rng)
    return None if errors is None else typical_points_of(errors, domain, queries)


def predict_plan_points(plan: Plan) -> float:
    """Expected typical error of a plan of CALM in percentage points, with the allowance for reconstruction.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> plan = make_plan(domain, 10_000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> round(predict_plan_points(plan), 2)
    1.63
    """
    queries = default_queries(plan.domain, plan.k)
    errors = np.minimum(expected_errors(plan, queries), MAX_SSE)
    return typical_points_of(errors, plan.domain, queries)


def typical_points_of(errors: Iterable[float], domain: Domain, queries) -> float:
    """Return `typical_points` of the tables over some sets of attributes."""
    return typical_points(errors, [math.prod(domain.shape_of(query)) for query in queries])
