"""Error metrics of answers."""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np
import pandas as pd

from calm_core.errors import InputError
from calm_core.runtime.cancellation import checkpoint
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
    """One row per query: every metric, whether a view covered it, and the SSE of the uniform table."""
    alike: dict[int, list[int]] = {}
    for i, (truth, answer) in enumerate(zip(truths, answers)):
        _check_same(truth, answer)
        alike.setdefault(truth.values.size, []).append(i)
    found = {name: np.empty(len(truths)) for name in (*_ROWS, "uniform_sse")}
    for cells, at in alike.items():
        checkpoint()
        a, b = (np.array([tables[i].values.ravel() for i in at]) for tables in (truths, answers))
        for name, rows in _ROWS.items():
            found[name][at] = rows(a, b)
        found["uniform_sse"][at] = _sse(a, np.full(a.shape, 1 / cells))
    asked = {"query": np.arange(len(truths)), "attributes": [truth.attrs for truth in truths]}
    return pd.DataFrame(asked | {"covered": [bool(inside) for inside in covered]} | found)
