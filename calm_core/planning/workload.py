"""All k-way tables at once, in waves over the cells of the full table.

The values of an attribute may be renamed in a circle without changing what is asked. Whoever reports
by a rule that does not change either has errors that are independent from wave to wave (the characters
of the group; of attributes of two values these are the signs of parities), so that a strategy for N
cells is told by one number for each wave.
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
    """The waves that k-way tables are made of; K of them, a wave and its mirror image counted once.

    Attributes
    ----------
    sizes : tuple of int
        Numbers of values of the attributes with more than one; N cells.
    columns : ndarray, shape (N, K + T)
        Cosines of all waves, then sines of those that are no cosines only.
    turned : ndarray of int, shape (T,)
        Which waves have sines.
    times : ndarray, shape (K,)
        Two for a wave with a mirror image, else one.
    importance : ndarray, shape (K,)
        How much the variance of a wave counts in the mean squared error of a k-way table.
    kinds : ndarray of int, shape (K,)
        Waves are of one kind where the attributes they run over have the same numbers of values.
    over : ndarray of bool, shape (K, attributes)
        Which attributes a wave runs over.
    """

    sizes: tuple[int, ...]
    columns: np.ndarray
    turned: np.ndarray
    times: np.ndarray
    importance: np.ndarray
    kinds: np.ndarray
    over: np.ndarray

    def product(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Complex products of two tables' waves, each (J, K + T): of what is laid one upon the other."""
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
        """One number for each wave (K,) as one for each column (K + T,)."""
        return np.append(numbers, numbers[self.turned])

    def of_kinds(self, numbers: np.ndarray) -> np.ndarray:
        """Means over the waves of each kind: (J, K) to (J, kinds)."""
        held = (self.kinds[:, np.newaxis] == np.arange(self.kinds.max() + 1)) * self.times[:, None]
        return numbers @ (held / held.sum(axis=0))


def _importance(held: Counter[int], own: tuple[int, ...], d: int, k: int) -> float:
    """Chance that a random k-way table holds attributes of sizes `own`, over its cells, on average."""
    ways = [Fraction(1)] + [Fraction(0)] * (k - len(own))
    for size, number in (held - Counter(own)).items():
        more = [Fraction(math.comb(number, i), size**i) for i in range(len(ways))]
        ways = [sum(ways[j] * more[i - j] for j in range(i + 1)) for i in range(len(ways))]
    return float(ways[-1] / math.prod(own) / math.comb(d, k))


def _codes(sizes: tuple[int, ...]) -> np.ndarray:
    """The codes of every cell, one row each."""
    return np.indices(sizes).reshape(len(sizes), math.prod(sizes)).T


def cyclic_differences(sizes: tuple[int, ...]) -> np.ndarray:
    """Number of the cell that is x less y, digit by digit in a circle, for all cells: shape (N, N).

    Examples
    --------
    >>> cyclic_differences((3,)).tolist()
    [[0, 2, 1], [1, 0, 2], [2, 1, 0]]
    """
    cells, places = _codes(sizes), np.cumprod((1, *sizes[:0:-1]))[::-1][: len(sizes)]
    return ((cells[:, np.newaxis] - cells) % np.array(sizes, dtype=int)) @ places


@lru_cache(maxsize=16)
def k_way_workload(sizes: tuple[int, ...], k: int) -> Workload:
    """The workload of all tables over k of attributes with so many values.

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
