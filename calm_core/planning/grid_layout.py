"""Grids of HDG: ordered values grouped into ranges, so that views have fewer cells.

Every attribute is cut twice: into fine cells for its one-way grid and into coarse cells for the grids of
pairs. Every value without an order is a cell of its own. No data is seen.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from calm_core.tables.domain import Domain

# Constants of the paper for the unevenness of values inside a cell of a one-way and a two-way grid.
ALPHA_1, ALPHA_2 = 0.7, 0.03


def granularities(n: int, epsilon: float, groups: int) -> tuple[int, int]:
    """Cells per attribute of one-way and two-way grids, with n / groups users in every group.

    The guideline of HDG. With the variance 4V of a cell, V = e^epsilon groups / (n (e^epsilon - 1)^2),
    its first formula is where 4 V g + (0.7 / g)^2 is least, the noise of all cells and the square of
    what a cell that is cut through is off; the second where V g^2 + (2 x 0.03 / g)^2 is, the noise of a
    quarter of the cells and what those on the sides of a square are off. Both are rounded to the
    nearest power of two, the lower of two, at least 2.

    Examples
    --------
    >>> granularities(1_000_000, 1.0, 21)
    (16, 4)
    """
    quarter = math.exp(epsilon) * groups / (n * math.expm1(epsilon) ** 2)
    one = (ALPHA_1**2 / (2 * quarter)) ** (1 / 3)
    two = math.sqrt(2 * ALPHA_2) / quarter**0.25
    return _power_of_two(one), _power_of_two(two)


def _power_of_two(number: float) -> int:
    lower = 2 ** int(math.log2(max(number, 2)))
    return lower if number - lower <= 2 * lower - number else 2 * lower


def _cuts(values: int, cells: int) -> list[int]:
    """The first value of every range, with ranges as equal as possible."""
    cells = min(values, cells)
    return [i * values // cells for i in range(cells)]


@dataclass(frozen=True)
class Axis:
    """The fine and coarse cells of one attribute; every coarse cell is a union of fine cells.

    Attributes
    ----------
    size : int
        Number of values.
    fine : tuple of int
        The first value of every fine cell, ascending from 0.
    coarse : tuple of int
        The first fine cell of every coarse cell, ascending from 0.
    """

    size: int
    fine: tuple[int, ...]
    coarse: tuple[int, ...]

    @cached_property
    def widths(self) -> np.ndarray:
        """Number of values in every fine cell."""
        return np.diff((*self.fine, self.size))

    @cached_property
    def shares(self) -> np.ndarray:
        """The share of every value in its fine cell, (size,); equal within a cell."""
        return np.repeat(1 / self.widths, self.widths)

    @cached_property
    def fine_of(self) -> np.ndarray:
        """The fine cell of every value, (size,)."""
        return np.repeat(np.arange(len(self.fine)), self.widths)

    @cached_property
    def coarse_of(self) -> np.ndarray:
        """The coarse cell of every fine cell."""
        return np.repeat(np.arange(len(self.coarse)), np.diff((*self.coarse, len(self.fine))))


def cut_axis(size: int, ordered: int, g1: int, g2: int) -> Axis:
    """Cut one attribute into up to `g1` fine and `g2` coarse ranges of its ordered values.

    Each value without an order is a cell of its own.

    Examples
    --------
    Ages 0 to 9, and "missing":

    >>> cut_axis(11, 10, 4, 2)
    Axis(size=11, fine=(0, 2, 5, 7, 10), coarse=(0, 2, 4))
    """
    own = range(ordered, size)
    fine = (*(_cuts(ordered, g1) if ordered else ()), *own)
    first = len(fine) - len(own)
    coarse = (*(_cuts(first, g2) if first else ()), *range(first, len(fine)))
    return Axis(size, fine, coarse)


@dataclass(frozen=True)
class Grids:
    """A domain with the cells of its attributes.

    Attributes
    ----------
    domain : Domain
        Shape of the data.
    axes : tuple of Axis
        The cells of every attribute.

    Examples
    --------
    >>> domain = Domain(("age", "income"), (8, 8))
    >>> cells = Grids(domain, (cut_axis(8, 8, 4, 2), cut_axis(8, 8, 4, 2))).cells
    >>> cells.names, cells.sizes
    (('age#1', 'income#1', 'age#2', 'income#2'), (4, 4, 2, 2))
    """

    domain: Domain
    axes: tuple[Axis, ...]

    @cached_property
    def cells(self) -> Domain:
        """The domain of cells: every attribute with its fine cells, then with its coarse cells."""
        names = [f"{name}#{cut}" for cut in (1, 2) for name in self.domain.names]
        fine, coarse = zip(*((len(axis.fine), len(axis.coarse)) for axis in self.axes))
        return Domain(tuple(names), fine + coarse)
