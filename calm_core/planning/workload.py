"""The workload of all k-way tables in the Fourier basis of the full table.

Cyclic shifts of the values of an attribute do not change the workload. The errors of a strategy with the
same symmetry are independent between the waves (the characters of the group; parities for binary
attributes), so one number per wave describes a strategy for N cells.
"""

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from calm_core._checks import as_readonly


@dataclass(frozen=True, eq=False)
class Workload:
    """The K waves that span the k-way tables; a wave and its complex conjugate count once.

    Attributes
    ----------
    sizes : tuple of int
        Numbers of values of the attributes with more than one; N cells.
    columns : ndarray, shape (N, K + T)
        Cosines of all waves, then sines of those that have them.
    turned : ndarray of int, shape (T,)
        Which waves have sines.
    times : ndarray, shape (K,)
        Two for a wave that differs from its conjugate, else one.
    importance : ndarray, shape (K,)
        Weight of the variance of a wave in the mean squared error of a k-way table.
    kinds : ndarray of int, shape (K,)
        Waves over attributes with the same numbers of values are of one kind.
    over : ndarray of bool, shape (K, attributes)
        The attributes along which a wave varies.
    """

    sizes: tuple[int, ...]
    columns: np.ndarray
    turned: np.ndarray
    times: np.ndarray
    importance: np.ndarray
    kinds: np.ndarray
    over: np.ndarray

    def product(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Complex products of the waves of two tables, each (J, K + T): the waves of their convolution."""
        count, turned = len(self.times), self.turned
        cosines = one[:, :count] * other[:, :count]
        cosines[:, turned] -= one[:, count:] * other[:, count:]
        sines = one[:, turned] * other[:, count:] + one[:, count:] * other[:, turned]
        return np.hstack([cosines, sines])

    def power(self, parts: np.ndarray) -> np.ndarray:
        """Squared moduli (J, K) of `table @ columns` (J, K + T)."""
        count = len(self.times)
        squared = parts[:, :count] ** 2
        squared[:, self.turned] += parts[:, count:] ** 2
        return squared

    def spread(self, numbers: np.ndarray) -> np.ndarray:
        """Expand one number per wave (K,) to one per column (K + T,)."""
        return np.append(numbers, numbers[self.turned])

    def kind_means(self, numbers: np.ndarray) -> np.ndarray:
        """Means over the waves of each kind: (J, K) to (J, kinds)."""
        held = (self.kinds[:, np.newaxis] == np.arange(self.kinds.max() + 1)) * self.times[:, None]
        return numbers @ (held / held.sum(axis=0))


def _importance(held: Counter[int], own: tuple[int, ...], d: int, k: int) -> float:
    """Mean over random k-way tables of [the table contains attributes of sizes `own`] / cells."""
    ways = [Fraction(1)] + [Fraction(0)] * (k - len(own))
    for size, number in (held - Counter(own)).items():
        more = [Fraction(math.comb(number, i), size**i) for i in range(len(ways))]
        ways = [sum(ways[j] * more[i - j] for j in range(i + 1)) for i in range(len(ways))]
    return float(ways[-1] / math.prod(own) / math.comb(d, k))


def _codes(sizes: tuple[int, ...]) -> np.ndarray:
    """The codes of every cell, one row per cell."""
    return np.indices(sizes).reshape(len(sizes), math.prod(sizes)).T


def cyclic_differences(sizes: tuple[int, ...]) -> np.ndarray:
    """Index of the cell x - y, with cyclic differences of the codes, for all cells: shape (N, N).

    Examples
    --------
    >>> cyclic_differences((3,)).tolist()
    [[0, 2, 1], [1, 0, 2], [2, 1, 0]]
    """
    cells, places = _codes(sizes), np.cumprod((1, *sizes[:0:-1]))[::-1][: len(sizes)]
    return ((cells[:, np.newaxis] - cells) % np.array(sizes, dtype=int)) @ places


@lru_cache(maxsize=16)
def k_way_workload(sizes: tuple[int, ...], k: int) -> Workload:
    """The workload of all tables over k of the attributes with these numbers of values.

    Examples
    --------
    >>> load = k_way_workload((2, 2, 2), 2)
    >>> load.columns.shape, load.times.tolist()
    ((8, 6), [1, 1, 1, 1, 1, 1])
    >>> load.importance.round(3).tolist()
    [0.167, 0.167, 0.083, 0.167, 0.083, 0.083]
    """
    wide = tuple(size for size in sizes if size > 1)
    cells, mirrored = _codes(wide), cyclic_differences(wide)[0]
    order = (cells > 0).sum(axis=1)
    waves = np.flatnonzero((order > 0) & (order <= k) & (mirrored >= np.arange(len(cells))))
    turned = np.flatnonzero(mirrored[waves] > waves)
    angles = 2 * np.pi * ((cells @ (cells[waves] / wide).T) % 1)
    owners = [tuple(sorted(np.array(wide)[cells[wave] > 0].tolist())) for wave in waves]
    times = np.where(mirrored[waves] > waves, 2, 1)
    kinds = {own: number for number, own in enumerate(dict.fromkeys(owners))}
    held = Counter(sizes)
    share = {own: _importance(held, own, len(sizes), k) for own in kinds}
    return Workload(
        wide, as_readonly(np.hstack([np.cos(angles), np.sin(angles[:, turned])])), turned, times,
        times * [share[own] for own in owners], np.array([kinds[own] for own in owners], dtype=int),
        cells[waves] > 0,
    )  # fmt: skip
