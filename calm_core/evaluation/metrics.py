"""How far an answer is from the truth."""

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd
from scipy.special import rel_entr

from calm_core.attention import attend
from calm_core.errors import InputError
from calm_core.tables.marginal import Marginal, uniform


def _pair(truth: Marginal, answer: Marginal) -> tuple[np.ndarray, np.ndarray]:
    if truth.attrs != answer.attrs or truth.values.shape != answer.values.shape:
        raise InputError(f"tables over {truth.attrs} and {answer.attrs} cannot be compared")
    return truth.values, answer.values


def sse(truth: Marginal, answer: Marginal) -> float:
    """Sum of squared errors over the cells, in squared fractions (CALM section 3.1).

    Examples
    --------
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(("sex", "age"), (2, 3))
    >>> truth = Marginal(domain, [[0.5, 0, 0], [0, 0, 0.5]])
    >>> round(sse(truth, uniform(domain, domain.names)), 4)
    0.3333
    """
    a, b = _pair(truth, answer)
    return float(((a - b) ** 2).sum())


def ratio_of_means(mine: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Ratio of the means of paired errors, and its standard error by the delta method; NaN of one pair.

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
    return math.sqrt(sse(truth, answer))


def l1(truth: Marginal, answer: Marginal) -> float:
    """Sum of absolute errors; half of it is the total variation distance."""
    a, b = _pair(truth, answer)
    return float(np.abs(a - b).sum())


def jensen_shannon(truth: Marginal, answer: Marginal) -> float:
    """Jensen-Shannon divergence in nats, 0 to ln 2 (PriView equation 1).

    Negative cells of a raw estimate count as 0, since a divergence needs distributions.
    """
    a, b = (np.maximum(table, 0) for table in _pair(truth, answer))
    middle = (a / a.sum() + (b / b.sum() if b.sum() else 1 / b.size)) / 2

    def divergence(p):
        p = p / p.sum() if p.sum() else np.full(p.shape, 1 / p.size)
        held = middle > 0
        return float(rel_entr(p[held], middle[held]).sum())

    return max(0.0, (divergence(a) + divergence(b)) / 2)


METRICS: dict[str, Callable[[Marginal, Marginal], float]] = {
    "sse": sse,
    "l1": l1,
    "l2": l2,
    "jensen_shannon": jensen_shannon,
}


def score(
    truths: Sequence[Marginal], answers: Sequence[Marginal], covered: Iterable[bool]
) -> pd.DataFrame:
    """One row per query: every metric, whether a view covered it, and the uniform guess's SSE."""
    rows = []
    for i, (truth, answer, inside) in enumerate(zip(truths, answers, covered)):
        attend()
        row = {"query": i, "attributes": truth.attrs, "covered": bool(inside)}
        row |= {name: metric(truth, answer) for name, metric in METRICS.items()}
        row["uniform_sse"] = sse(truth, uniform(truth.domain, truth.attrs))
        rows.append(row)
    return pd.DataFrame(rows)
