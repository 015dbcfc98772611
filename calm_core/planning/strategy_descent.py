"""Strategy matrices for a workload of tables, and projected gradient descent on them.

McKenna, Maity, Mazumdar and Miklau (VLDB 2020) let each user send one of m outputs with the
probabilities of a strategy matrix, chosen by projected gradient descent for the least variance of the
workload. The workload does not change under cyclic shifts of the values of an attribute, and the variance
is convex in the information, so a matrix together with all its shifts is never worse than the matrix
alone. The descent here is theirs on such matrices: a row stands for its N shifts, and a step costs N
times less.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from calm_core._checks import as_readonly, check_epsilon, check_k
from calm_core.errors import InputError
from calm_core.planning.workload import Workload, cyclic_differences, k_way_workload
from calm_core.runtime.cancellation import checkpoint

_STEPS, _MIN_STEP, _MIN_GAIN = 100, 1e-6, 1e-7


@dataclass(frozen=True, eq=False)
class Strategy:
    """A strategy matrix, stored without the cyclic shifts of its rows.

    Attributes
    ----------
    sizes : tuple of int
        Numbers of values of the attributes; N cells.
    k : int
        Attributes of the tables of the workload.
    epsilon : float
        Privacy budget.
    rows : ndarray, shape (J, N)
        Probability that a user in cell x sends (j, x - y), with cyclic differences, for every j and y.

    Raises
    ------
    InputError
        If the probabilities do not sum to 1, or one in a row exceeds e^epsilon times another.
    """

    sizes: tuple[int, ...]
    k: int
    epsilon: float
    rows: np.ndarray

    def __post_init__(self):
        check_epsilon(self.epsilon)
        check_k(self.k, len(self.sizes))
        rows = np.array(self.rows, dtype=float)
        if rows.ndim != 2 or rows.shape[1] != math.prod(self.sizes) or not rows.size:
            raise InputError(
                f"each of the rows must have a chance for each of the sizes {self.sizes}"
            )
        if not (rows > 0).all() or abs(rows.sum() - 1) > 1e-9:
            raise InputError("the chances of all rows must be above 0 and sum to 1")
        if (rows.max(axis=1) > math.exp(self.epsilon) * rows.min(axis=1) * (1 + 1e-12)).any():
            raise InputError("no chance of a row may be over e^epsilon times another")
        object.__setattr__(self, "rows", as_readonly(rows / rows.sum()))

    @property
    def m(self) -> int:
        """Number of groups: all users do the same."""
        return 1

    @property
    def matrix(self) -> np.ndarray:
        """Probability of every output for every cell, shape (J N, N): the matrix Q of the paper."""
        less = cyclic_differences(self.sizes)
        return np.vstack([row[less.T] for row in self.rows])

    @property
    def workload(self) -> Workload:
        """The workload it is made for."""
        return k_way_workload(self.sizes, self.k)

    @cached_property
    def information(self) -> np.ndarray:
        """Information of a report on every wave, shape (K,)."""
        return _told(self.workload, self.rows)

    def error(self, at: Sequence[int]) -> float:
        """Expected SSE of the table over the attributes `at`, times the number of reports, for any data."""
        wide = [i for i, size in enumerate(self.sizes) if size > 1]
        load, left = self.workload, [place for place, i in enumerate(wide) if i not in at]
        inside = ~load.over[:, left].any(axis=1)
        noise = load.times[inside] @ (1 / self.information[inside] - 1)
        return float(noise) / math.prod(self.sizes[i] for i in at)

    def cells(self, counts: np.ndarray) -> np.ndarray:
        """Estimate of the full table whose k-way tables are unbiased, shape (N,).

        Parameters
        ----------
        counts : ndarray, shape (J, N)
            Number of reports of every output.
        """
        load, shares = self.workload, self.rows.sum(axis=1)[:, np.newaxis]
        sent = counts / counts.sum() / shares
        waves = load.product(self.rows @ load.columns, sent @ load.columns).sum(axis=0)
        waves *= load.spread(load.times / self.information)
        return (1 + load.columns @ waves) / self.rows.shape[1]


def _told(load: Workload, rows: np.ndarray) -> np.ndarray:
    return (load.power(rows @ load.columns) / rows.sum(axis=1, keepdims=True)).sum(axis=0)


def variance(load: Workload, rows: np.ndarray) -> tuple[float, np.ndarray]:
    """The objective tr((Q^T D^-1 Q)^+ W^T W) / N per table, and its gradient (J, N)."""
    shares, parts = rows.sum(axis=1, keepdims=True), rows @ load.columns
    power = load.power(parts) / shares
    told = power.sum(axis=0)
    if not told.all():
        return math.inf, np.zeros_like(rows)
    slope = -load.importance / told**2
    slopes = 2 * (parts / shares * load.spread(slope)) @ load.columns.T
    return float((load.importance / told).sum()), slopes - (power / shares) @ slope[:, np.newaxis]


def project(rows: np.ndarray, least: np.ndarray, ratio: float) -> np.ndarray:
    """Project rows on those with sum 1 and entries from `least` (J,) to `ratio` times `least`.

    Examples
    --------
    >>> project(np.array([[0.9, 0.5], [0.2, 0.0]]), np.array([0.2, 0.1]), 2.0).round(3).tolist()
    [[0.4, 0.4], [0.1, 0.1]]
    """
    low = np.broadcast_to(least[:, np.newaxis], rows.shape)
    high = ratio * low
    # The sum is a piecewise linear function of the amount added to all entries.
    breaks = np.concatenate([(low - rows).ravel(), (high - rows).ravel()])
    order = np.argsort(breaks)
    slopes = np.cumsum(np.where(order < rows.size, 1, -1))[:-1]
    breaks = breaks[order]
    sums = low.sum() + np.append(0.0, np.cumsum(slopes * np.diff(breaks)))
    return np.clip(rows + np.interp(1.0, sums, breaks), low, high)


def descend(load: Workload, rows: np.ndarray, epsilon: float) -> np.ndarray:
    """Improve rows by projected gradient descent on them and on their smallest entries."""
    ratio, least = math.exp(epsilon), rows.min(axis=1)
    rows = project(rows, least, ratio)
    value, slopes = variance(load, rows)
    step = first = rows.mean() / np.abs(slopes).max()
    for _ in range(_STEPS):
        checkpoint()
        low, high = rows <= least[:, None], rows >= ratio * least[:, None]
        free = ~(low | high)
        # Keep the sum at 1: the price is the mean slope of the entries that are not at a bound.
        price = slopes[free].mean() if free.any() else float((slopes * rows).sum())
        pull = ((slopes - price) * (low + ratio * high)).sum(axis=1) / (ratio * rows.shape[1])
        before = value
        while step > _MIN_STEP * first:
            checkpoint()
            after = np.maximum(least - step * pull, 1e-15)
            total = after.sum() * rows.shape[1]
            after *= np.clip(total, 1 / ratio, 1) / total
            moved = project(rows - step * slopes, after, ratio)
            found, next_slopes = variance(load, moved)
            if found < value:
                rows, least, value, slopes = moved, after, found, next_slopes
                break
            step /= 2
        if before - value <= _MIN_GAIN * value:
            break
        step *= 1.5
    return rows
