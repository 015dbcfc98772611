"""Errors of answers: metrics, errors in percentage points and what they are good for, measured or expected."""

import math
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from functools import partial

import numpy as np
import pandas as pd

from calm_core._checks import check_k
from calm_core.errors import InputError
from calm_core.methods.base import Method
from calm_core.planning.plan import MAX_SSE, Plan, default_queries, expected_errors
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

Rows = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _one(rows: Rows, truth: Marginal, answer: Marginal) -> float:
    """A metric of two tables, from its function for arrays of shape (tables, cells)."""
    _check_same(truth, answer)
    return float(rows(truth.values.reshape(1, -1), answer.values.reshape(1, -1))[0])


def _check_same(truth: Marginal, answer: Marginal) -> None:
    if truth.attrs != answer.attrs or truth.values.shape != answer.values.shape:
        raise InputError(f"tables over {truth.attrs} and {answer.attrs} cannot be compared")


def _sse(truths: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return ((truths - answers) ** 2).sum(axis=1)


def _l2(truths: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return np.sqrt(_sse(truths, answers))


def _l1(truths: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return np.abs(truths - answers).sum(axis=1)


def _jensen_shannon(truths: np.ndarray, answers: np.ndarray) -> np.ndarray:
    a, b = _distributions(truths), _distributions(answers)
    middle = (a + b) / 2
    return np.maximum(0.0, (_divergence(a, middle) + _divergence(b, middle)) / 2)


def _divergence(tables: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Kullback-Leibler divergence of each table to `middle`, without the slow import of scipy."""
    # Cells of 0 add nothing.
    there = (tables > 0) & (middle > 0)
    ratio = np.divide(tables, middle, out=np.ones(tables.shape), where=there)
    return (tables * np.log(ratio)).sum(axis=1)


def _distributions(tables: np.ndarray) -> np.ndarray:
    """Clip negative cells and normalize to 1; uniform if nothing is left."""
    tables = np.maximum(tables, 0)
    totals = tables.sum(axis=1, keepdims=True)
    equal = np.full(tables.shape, 1 / tables.shape[1])
    return np.divide(tables, totals, out=equal, where=totals > 0)


def sse(truth: Marginal, answer: Marginal) -> float:
    """Sum of squared errors over the cells, in squared fractions (CALM section 3.1).

    Examples
    --------
    >>> from calm_core.tables.domain import Domain
    >>> from calm_core.tables.marginal import uniform
    >>> domain = Domain(("sex", "age"), (2, 3))
    >>> truth = Marginal(domain, [[0.5, 0, 0], [0, 0, 0.5]])
    >>> round(sse(truth, uniform(domain, domain.names)), 4)
    0.3333
    """
    return _one(_sse, truth, answer)


def ratio_of_means(mine: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Ratio of the means of paired errors, and its standard error by the delta method (NaN for one pair).

    Examples
    --------
    >>> found, error = ratio_of_means((1.0, 1.2), (2.0, 2.0))
    >>> round(found, 3), round(error, 3)
    (0.55, 0.05)
    """
    errors, others = np.asarray(mine, dtype=float), np.asarray(other, dtype=float)
    found = float(errors.mean() / others.mean())
    if len(errors) < 2:
        return found, math.nan
    apart = errors - found * others
    return found, float(apart.std(ddof=1) / math.sqrt(len(errors)) / others.mean())


def l2(truth: Marginal, answer: Marginal) -> float:
    """Euclidean distance: the square root of the SSE."""
    return _one(_l2, truth, answer)


def l1(truth: Marginal, answer: Marginal) -> float:
    """Sum of absolute errors; half of it is the total variation distance."""
    return _one(_l1, truth, answer)


def jensen_shannon(truth: Marginal, answer: Marginal) -> float:
    """Jensen-Shannon divergence in nats, 0 to ln 2 (PriView equation 1).

    Negative cells of a raw estimate count as 0, since a divergence needs distributions.
    """
    return _one(_jensen_shannon, truth, answer)


# Metrics of many tables of equal size at once, and of two tables.
_ROWS: dict[str, Rows] = {"sse": _sse, "l1": _l1, "l2": _l2, "jensen_shannon": _jensen_shannon}
METRICS: dict[str, Callable[[Marginal, Marginal], float]] = {
    name: partial(_one, rows) for name, rows in _ROWS.items()
}


def score(
    truths: Sequence[Marginal], answers: Sequence[Marginal], covered: Iterable[bool]
) -> pd.DataFrame:
    """One row per query: every metric, whether a view covered it, and SSE and L1 of the uniform table."""
    alike: dict[int, list[int]] = {}
    for i, (truth, answer) in enumerate(zip(truths, answers)):
        _check_same(truth, answer)
        alike.setdefault(truth.values.size, []).append(i)
    guesses = {"uniform_sse": _sse, "uniform_l1": _l1}
    found = {name: np.empty(len(truths)) for name in (*_ROWS, *guesses)}
    for cells, at in alike.items():
        checkpoint()
        a, b = (np.array([tables[i].values.ravel() for i in at]) for tables in (truths, answers))
        for name, rows in _ROWS.items():
            found[name][at] = rows(a, b)
        for name, rows in guesses.items():
            found[name][at] = rows(a, np.full(a.shape, 1 / cells))
    asked = {"query": np.arange(len(truths)), "attributes": [truth.attrs for truth in truths]}
    return pd.DataFrame(asked | {"covered": [bool(inside) for inside in covered]} | found)


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
