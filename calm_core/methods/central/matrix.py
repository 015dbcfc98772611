"""Matrix Mechanism: an optimized strategy of weighted marginals (Li et al.; PriView section 3.5)."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from calm_core._checks import as_readonly
from calm_core.errors import InfeasibleError
from calm_core.methods.central.base import MeasuredTablesMethod

MAX_ATTRIBUTES = 9
MIN_WEIGHT = 1e-4


def _sums(values: np.ndarray, *, over: str) -> np.ndarray:
    """Return sums over all supersets or subsets; axis i of shape (2,)*d says whether i is in the set."""
    for axis in range(values.ndim):
        out, inside = np.take(values, 0, axis), np.take(values, 1, axis)
        pair = [out + inside, inside] if over == "supersets" else [out, out + inside]
        values = np.stack(pair, axis=axis)
    return values


class _Workload:
    """All k-way marginals in the algebra of marginals: one number per set of attributes.

    A strategy measures marginal a with weight theta_a. In the residual space of set S it gives the information
    lambda_S = sum over a containing S of theta_a^2 times the cells outside a, and the workload needs omega_S of
    it. The expected squared error, summed over the workload, is V_u (sum theta)^2 sum_S dim_S omega_S /
    lambda_S; the empty S is left out, since n is known.
    """

    def __init__(self, sizes: tuple[int, ...], k: int):
        d = len(sizes)
        member = np.indices((2,) * d)
        shape = np.array(sizes, dtype=float).reshape(-1, *(1,) * d)
        self.order = member.sum(axis=0)
        self.outside = np.prod(np.where(member, 1, shape), axis=0)
        dims = np.prod(np.where(member, shape - 1, 1), axis=0)
        is_query = self.order == k
        self.queries = int(is_query.sum())
        self.needed = dims * _sums(np.where(is_query, self.outside, 0.0), over="supersets")
        self.needed[(0,) * d] = 0.0
        self.useful = self.needed > 0

    def error(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the mean expected squared error of a query in units of V_u, and its gradient."""
        total = theta.sum()
        information = _sums(theta**2 * self.outside, over="supersets")
        if (information[self.useful] <= 0).any():
            return np.inf, np.zeros_like(theta)
        ratio = np.divide(self.needed, information, where=self.useful, out=np.zeros_like(theta))
        slope = np.divide(ratio, information, where=self.useful, out=np.zeros_like(theta))
        error = total**2 * ratio.sum()
        pull = total**2 * theta * self.outside * _sums(slope, over="subsets")
        gradient = 2 * (total * ratio.sum() - pull)
        return error / self.queries, gradient / self.queries


@lru_cache(maxsize=32)
def best_strategy(sizes: tuple[int, ...], k: int) -> tuple[np.ndarray, float]:
    """Return weights of all 2^d marginals, shape (2,)*d with sum 1, and the mean error in units of V_u.

    Examples
    --------
    >>> weights, error = best_strategy((2, 3), 1)
    >>> round(error, 2) <= 6
    True
    """
    load = _Workload(sizes, k)
    from scipy.optimize import minimize

    shape = (2,) * len(sizes)

    def objective(flat):
        error, gradient = load.error(flat.reshape(shape))
        return error, gradient.ravel()

    starts = [np.where(load.order == len(sizes), 1.0, 0.01), np.where(load.order >= k, 1.0, 0.01)]
    results = [
        minimize(objective, (s / s.sum()).ravel(), jac=True, bounds=[(1e-9, None)] * s.size)
        for s in starts
    ]
    weights = min(results, key=lambda result: result.fun).x.reshape(shape)
    weights[(0,) * len(sizes)] = 0.0
    weights = np.where(weights >= MIN_WEIGHT * weights.max(), weights, 0.0)
    weights /= weights.sum()
    error, _ = load.error(weights)
    return as_readonly(weights), float(error)


@dataclass(frozen=True)
class MatrixMechanism(MeasuredTablesMethod):
    """Weighted marginals, chosen by optimization for the k-way workload, reconciled by least squares.

    The optimum over all strategies is a semi-definite program that is too large; over weighted marginals
    (McKenna et al., VLDB 2018, for Laplace noise) it is a smooth problem in 2^d weights. The full table is
    among these strategies, so the expected error is never above Flat's.
    """

    name: ClassVar[str] = "matrix"
    title: ClassVar[str] = "Matrix Mechanism"
    summary: ClassVar[str] = (
        "Weighted tables chosen by optimization for all k-way tables, reconciled by least "
        "squares (Li et al.)."
    )
    reconciles: ClassVar[bool] = True

    def analytical_sse(self, domain, n, attrs, *, truth=None) -> float:
        """Return the expected squared error, mean over all k-way marginals, in fractions squared."""
        _, error = best_strategy(domain.sizes, self.k)
        return error * self.unit_variance / n**2

    def views(self, domain):
        """The tables with a weight above 0."""
        if domain.d > MAX_ATTRIBUTES:
            raise InfeasibleError(
                f"the Matrix Mechanism would optimize {2**domain.d:,} weights for {domain.d} "
                f"attributes; use at most {MAX_ATTRIBUTES}",
                remedies=[("d", MAX_ATTRIBUTES)],
            )
        members = np.argwhere(best_strategy(domain.sizes, self.k)[0] > 0)
        return [tuple(domain.names[i] for i in np.flatnonzero(row)) for row in members]

    def scales(self, domain, count):
        """By the weights."""
        weights, _ = best_strategy(domain.sizes, self.k)
        return [1 / (weight * self.record_epsilon) for weight in weights[weights > 0]]
