"""The features of log-linear models: contrasts of all small sets of attributes, over tables of one shape.

A table is p(x) proportional to exp(sum_S lambda_S . f_S(x)); the contrast f_S of a set S is that of its
orthonormal basis, constant along the other attributes.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from calm_core._checks import readonly
from calm_core.inference.shrinkage.interactions import Subset, subsets_within
from calm_core.tables.contrasts import transform

# Above this many numbers, or products to multiply it with itself, the matrix of contrasts is not used in
# every step; fast transforms stand in for it.
DENSE_NUMBERS, DENSE_PRODUCTS = 2**20, 3e8


def contrast_basis(size: int) -> np.ndarray:
    """Orthonormal contrasts U of one attribute, shape (c - 1, c)."""
    return transform(np.eye(size), (size,)).T[1:]


@dataclass(frozen=True, eq=False)
class Contrasts:
    """The contrasts f_S of some subsets S of the axes of tables of one shape.

    Attributes
    ----------
    sizes : tuple of int
        Shape of the tables.
    subsets : tuple of tuple of int
        Subsets of axes, small ones first.
    parts : tuple of slice
        Where the coefficients of each subset stand among all F.
    index : ndarray of int, shape (F,)
        Coefficient of the orthonormal basis of the whole table, flat.
    scale : ndarray, shape (F,)
        f_S is that basis vector times this: sqrt of the number of cells outside S.
    """

    sizes: tuple[int, ...]
    subsets: tuple[Subset, ...]
    parts: tuple[slice, ...]
    index: np.ndarray
    scale: np.ndarray

    @property
    def cells(self) -> int:
        """Cells of one table."""
        return math.prod(self.sizes)

    @property
    def dense(self) -> bool:
        """Whether `matrix` is small enough for every step."""
        numbers = self.cells * len(self.index)
        return numbers <= DENSE_NUMBERS and numbers * len(self.index) <= DENSE_PRODUCTS

    def matrix(self) -> np.ndarray:
        """The contrasts as rows, shape (F, cells)."""
        return _matrix(self)

    def covariances(self, tables: np.ndarray) -> np.ndarray:
        """H: covariances of the contrasts under tables (Q, cells), shape (Q, F, F).

        Of attributes with two values the product of two contrasts is one again, of those that are
        in one of both sets only.
        """
        if max(self.sizes, default=0) <= 2:
            moved = transform(tables, self.sizes)
            square = moved[:, _products(self)]
            square *= np.outer(self.scale, self.scale) / math.sqrt(self.cells)
            mean = moved[:, self.index] * self.scale
        else:
            matrix = self.matrix()
            rooted = matrix * np.sqrt(tables)[:, None, :]
            square, mean = rooted @ rooted.transpose(0, 2, 1), tables @ matrix.T
        square -= mean[:, :, None] * mean[:, None, :]
        return square

    def moments(self, tables: np.ndarray) -> np.ndarray:
        """Mean of every contrast under tables (Q, cells), shape (Q, F)."""
        return transform(tables, self.sizes)[:, self.index] * self.scale

    def signs(self, senses: np.ndarray) -> np.ndarray:
        """1, or -1 where a contrast changes its sign with the values of some axes counted backwards, (Q, F).

        Parameters
        ----------
        senses : ndarray, shape (Q, axes)
            -1 where they are, else 1. The contrasts of one attribute are odd and even in turn.
        """
        odd = np.stack(np.unravel_index(self.index, self.sizes)) % 2
        return 1.0 - 2.0 * ((senses < 0) @ odd % 2)

    def exponents(self, coefficients: np.ndarray) -> np.ndarray:
        """sum lambda f in every cell for coefficients (Q, F), shape (Q, cells)."""
        full = np.zeros((len(coefficients), self.cells))
        full[:, self.index] = coefficients * self.scale
        return transform(full, self.sizes, inverse=True)


@lru_cache(maxsize=32)
def _matrix(contrasts: Contrasts) -> np.ndarray:
    return readonly(np.ascontiguousarray(contrasts.exponents(np.eye(len(contrasts.index)))))


@lru_cache(maxsize=32)
def _products(contrasts: Contrasts) -> np.ndarray:
    """Which coefficient of a binary table tells of the product of two contrasts, shape (F, F)."""
    return readonly(contrasts.index[:, None] ^ contrasts.index)


@lru_cache(maxsize=256)
def contrasts_up_to_order(sizes: tuple[int, ...], order: int) -> Contrasts:
    """The contrasts of all subsets of at most `order` axes.

    Examples
    --------
    >>> contrasts = contrasts_up_to_order((2, 3), 2)
    >>> contrasts.subsets, contrasts.matrix().shape
    (((0,), (1,), (0, 1)), (5, 6))
    """
    axes = [axis for axis in range(len(sizes)) if sizes[axis] > 1]
    return contrasts_of_subsets(sizes, tuple(subsets_within(axes, order)))


@lru_cache(maxsize=256)
def contrasts_of_subsets(sizes: tuple[int, ...], subsets: tuple[Subset, ...]) -> Contrasts:
    """The contrasts of these subsets of the axes, in this order.

    Examples
    --------
    >>> contrasts_of_subsets((2, 3), ((0,), (0, 1))).parts
    (slice(0, 1, None), slice(1, 3, None))
    """
    cells = math.prod(sizes)
    numbers = np.arange(cells).reshape(sizes)
    index, scale, parts, at = [np.empty(0, dtype=np.int64)], [np.empty(0)], [], 0
    for subset in subsets:
        part = tuple(slice(1, None) if a in subset else 0 for a in range(len(sizes)))
        found = numbers[part].ravel()
        index.append(found)
        outside = cells / math.prod(sizes[a] for a in subset)
        scale.append(np.full(len(found), math.sqrt(outside)))
        parts.append(slice(at, at + len(found)))
        at += len(found)
    return Contrasts(
        sizes, subsets, tuple(parts),
        readonly(np.concatenate(index)), readonly(np.concatenate(scale)),
    )  # fmt: skip


def count_contrasts(sizes: tuple[int, ...], order: int) -> int:
    """Number of contrasts of at most `order` axes.

    Examples
    --------
    >>> count_contrasts((2, 3), 2)
    5
    """
    # Coefficients of prod (1 + (c - 1) x), degree by degree.
    counts = np.ones(1, dtype=np.int64)
    for size in sizes:
        counts = np.convolve(counts, (1, size - 1))
    return int(counts[1 : order + 1].sum())
