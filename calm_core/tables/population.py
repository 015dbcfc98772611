"""Population: any number of people, drawn from a known table and never stored one by one.

A collection needs only the number of people of each group in each cell. For independent people these
counts have a multinomial distribution.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calm_core._checks import MAX_PEOPLE, as_readonly, check_count, check_rng
from calm_core.errors import InfeasibleError, InputError
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

# Largest data set advised where a method needs the row of every person.
MAX_ROWS = 5_000_000


@dataclass(frozen=True, eq=False)
class Population:
    """n independent people, each one of the rows of a table, drawn with replacement.

    It replaces a `Dataset` wherever only counts are needed: in `collect` and the methods based on it
    (CALM, CALM+, FC, AM, CALM-binary), and in central methods, for which `drawn` draws the people.
    Methods that need the row of every person are refused. The true marginals are those of the rows: the
    difference between the people drawn and the rows is part of the error.

    Attributes
    ----------
    rows : Dataset
        The known table: every row is equally likely.
    n : int
        Number of people, 1 to 10^12.

    Raises
    ------
    InputError
        If the rows are not a `Dataset`, or n is out of range.

    Examples
    --------
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> rows = Dataset.from_codes([[0, 2], [1, 0], [1, 2], [1, 1]], domain)
    >>> people = Population(rows, 10**12)
    >>> people.n, people.marginal(("sex",)).values.tolist()
    (1000000000000, [0.25, 0.75])
    """

    rows: Dataset
    n: int

    def __post_init__(self):
        _check_rows(self.rows)
        object.__setattr__(self, "n", check_count("n", self.n, high=MAX_PEOPLE))

    @property
    def domain(self) -> Domain:
        """Shape of the data."""
        return self.rows.domain

    @property
    def nbytes(self) -> int:
        """Bytes in memory: those of the rows."""
        return self.rows.nbytes

    def _refuse_rows(self) -> Any:
        """Refuse what a `Dataset` has because it holds a row for every person."""
        raise InfeasibleError(
            f"n ({self.n:,}) people drawn from a population are only counted, and this needs the "
            f"row of each; use CALM or CALM+, or at most {MAX_ROWS:,} rows instead of a population",
            remedies=[("method", "calm"), ("n", MAX_ROWS)],
        )

    codes = counts = cells = select_users = property(_refuse_rows)

    def marginals(self, queries: Sequence[Iterable[str]]) -> list[Marginal]:
        """The true marginals of many queries, as fractions."""
        return self.rows.marginals(queries)

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """The true marginal over `attrs`, as fractions."""
        return self.rows.marginal(attrs)

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether every given attribute is in the data."""
        return self.domain.covers(attrs)

    def select(self, attrs: Iterable[str]) -> "Population":
        """The same people with only the given attributes."""
        return Population(self.rows.select(attrs), self.n)

    def map_rows(self, change: Callable[[Dataset], Dataset]) -> "Population":
        """The same number of people, drawn from the changed rows."""
        return Population(change(self.rows), self.n)

    def resample(self, n: int, *, rng: np.random.Generator) -> "Population":
        """n other people of the same population."""
        return Population(self.rows, n)

    def group_counts(
        self, views: Sequence[Iterable[str]], sizes: Sequence[int], *, rng: np.random.Generator
    ) -> list[np.ndarray]:
        """Number of people of every group in each cell of its view, as if each were drawn on her own.

        Parameters
        ----------
        views : sequence of attribute sets
            The view of each group.
        sizes : sequence of int
            People of each group; together at most n.
        rng : numpy Generator
            Draws the people: one multinomial draw for each group.

        Returns
        -------
        list of ndarray of int64
            Flat counts, row-major over each view's attributes.
        """
        check_rng(rng)
        if sum(sizes) > self.n:
            raise InputError(f"groups of {sum(sizes):,} people together must be at most {self.n:,}")
        known = self.rows.counts(views)
        return [_drawn(cells.ravel(), int(size), rng) for cells, size in zip(known, sizes)]

    def draw(self, *, rng: np.random.Generator) -> "DrawnPopulation":
        """Draw the n people once, so that several tables can be counted of the same people."""
        row = np.ones(self.rows.n, dtype=np.int64)
        return DrawnPopulation(self.rows, _drawn(row, self.n, check_rng(rng)))


def _check_rows(rows: object) -> None:
    if not isinstance(rows, Dataset):
        raise InputError("rows must be a Dataset, whose rows are what people are drawn from")


def _drawn(cells: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Counts of `size` people drawn from a table of counts."""
    # Only occupied cells, the largest last: numpy gives what rounding leaves to the last cell, which
    # must never be an empty one.
    order = np.argsort(cells, kind="stable")[np.count_nonzero(cells == 0) :]
    counts = np.zeros(len(cells), dtype=np.int64)
    counts[order] = rng.multinomial(size, cells[order] / cells.sum())
    return counts


@dataclass(frozen=True, eq=False)
class DrawnPopulation:
    """People drawn from a population: the number of people with each row of its table.

    Attributes
    ----------
    rows : Dataset
        The known table.
    times : ndarray of int64, shape (rows.n,)
        Number of people with each row; read-only.

    Raises
    ------
    InputError
        If the rows are not a `Dataset`, `times` is not a whole number from 0 for each of them, or their sum
        is not from 1 to 10^12.

    Examples
    --------
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> rows = Dataset.from_codes([[0, 2], [1, 0], [1, 2]], domain)
    >>> people = DrawnPopulation(rows, np.array([5, 0, 10**11]))
    >>> people.n, people.counts([("sex",), ("age",)])[1].tolist()
    (100000000005, [0, 0, 100000000005])
    """

    rows: Dataset
    times: np.ndarray

    def __post_init__(self):
        _check_rows(self.rows)
        times = np.array(self.times)
        if times.shape != (self.rows.n,) or times.dtype.kind not in "iu" or times.min() < 0:
            raise InputError(
                f"times must hold one whole number from 0 for each of {self.rows.n:,} rows"
            )
        check_count("people", int(times.sum()), high=MAX_PEOPLE)
        object.__setattr__(self, "times", as_readonly(times))

    @property
    def domain(self) -> Domain:
        """Shape of the data."""
        return self.rows.domain

    @property
    def n(self) -> int:
        """Number of people."""
        return int(self.times.sum())

    def counts(self, views: Sequence[Iterable[str]]) -> list[np.ndarray]:
        """Number of people in every cell of every view (int64, shape of the view)."""
        return [self._count(view) for view in views]

    def _count(self, view: Iterable[str]) -> np.ndarray:
        checkpoint()
        shape = self.domain.shape_of(view)
        # Sums of at most 10^12 people are whole in floating point.
        flat = np.bincount(self.rows.cells(view), self.times, math.prod(shape))
        return flat.astype(np.int64).reshape(shape)


# The people of a collection.
People = Dataset | Population


def draw_people(people: People, *, rng: np.random.Generator) -> Dataset | DrawnPopulation:
    """The people for counting several tables; a population is drawn first."""
    return people.draw(rng=rng) if isinstance(people, Population) else people
