"""Dataset: the private records, as codes that are valid for a Domain; counted exactly in compiled code.

A Population is any number of people, drawn from a known table and never stored one by one. A collection needs only the
number of people of each group in each cell. For independent people these counts have a multinomial distribution.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from calm_core._checks import MAX_PEOPLE, as_readonly, check_count, check_rng, set_fields
from calm_core.errors import DataError, InfeasibleError, InputError
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal


@cache
def _kernels():
    """Compiled once per machine (cached on disk); imported late so that starting up stays quick."""
    from numba import njit

    # Unsigned indices throughout: numba then need not look for negative ones.
    one = np.uintp(1)

    @njit(cache=True, nogil=True)
    def count_own(codes, d, labels, first, at, weight, offset, counts):
        row, width = np.uintp(0), np.uintp(d)
        for user in range(len(labels)):
            group = np.uintp(labels[np.uintp(user)])
            cell = offset[group]
            for j in range(first[group], first[group + one]):
                cell += weight[j] * np.uint32(codes[row + np.uintp(at[j])])
            counts[np.uintp(cell)] += one
            row += width

    @njit(cache=True, nogil=True)
    def count_all(codes, d, first, at, weight, offset, counts):
        row, width = np.uintp(0), np.uintp(d)
        for _ in range(len(codes) // d):
            for view in range(len(first) - 1):
                cell = offset[view]
                for j in range(first[view], first[view + 1]):
                    cell += weight[j] * np.uint32(codes[row + np.uintp(at[j])])
                counts[np.uintp(cell)] += one
            row += width

    return count_own, count_all


@lru_cache(maxsize=64)
def _layout(sizes: tuple[int, ...], views: tuple[tuple[int, ...], ...]):
    """Offsets, attributes and weights of all views, and the boundaries of their cells."""
    at, weight, first, edges = [], [], [0], [0]
    for view in views:
        at += view
        weight += [math.prod(sizes[a] for a in view[i + 1 :]) for i in range(len(view))]
        first.append(len(at))
        edges.append(edges[-1] + math.prod(sizes[a] for a in view))
    tables = (
        np.array(first, dtype=np.uint32),
        np.array(at, dtype=np.uint16),
        np.array(weight, dtype=np.uint32),
        np.array(edges, dtype=np.uint32),
    )
    return tables, edges


def count_cells(
    codes: np.ndarray,
    sizes: Sequence[int],
    views: Sequence[Sequence[int]],
    labels: np.ndarray | None = None,
) -> list[np.ndarray]:
    """Number of users in every cell of every view.

    Parameters
    ----------
    codes : ndarray of unsigned int, shape (n, d)
        Valid codes, row-major.
    sizes : sequence of int
        Number of values of the d attributes.
    views : sequence of sequence of int
        Attribute positions of each view.
    labels : ndarray of unsigned int, shape (n,), optional
        The view each user belongs to; without it every user counts in every view.

    Returns
    -------
    list of ndarray of int64
        Flat counts, row-major over each view's attributes.

    Examples
    --------
    >>> codes = np.array([[0, 2], [1, 0], [1, 2]], dtype=np.uint8)
    >>> [counts.tolist() for counts in count_cells(codes, (2, 3), [(0, 1), (1,)])]
    [[0, 0, 1, 1, 0, 1], [1, 0, 2]]
    """
    tables, edges = _layout(tuple(sizes), tuple(map(tuple, views)))
    count_own, count_all = _kernels()
    d = codes.shape[1]
    counts = np.zeros(edges[-1], dtype=np.uint32)
    if labels is None:
        count_all(codes.reshape(-1), d, *tables, counts)
    else:
        count_own(codes.reshape(-1), d, labels, *tables, counts)
    long_counts = counts.astype(np.int64)
    return [long_counts[a:b] for a, b in zip(edges, edges[1:])]


# Maximum number of codes when users are duplicated: 2 GB at one byte each.
MAX_CODES = 2_000_000_000
# Users times tables counted in one pass: about half a second.
AT_ONCE = 100_000_000


@dataclass(frozen=True, eq=False)
class Dataset:
    """Records of n users; every row is one user, every code a value of the domain.

    Attributes
    ----------
    codes : array of whole numbers, shape (n, d)
        Kept as a copy: smallest integer type that holds every code, row-major, read-only.
    domain : Domain
        Names and numbers of values of the d attributes.

    Raises
    ------
    DataError
        If the array is empty, not of whole numbers, of the wrong width, or a code is outside
        0..c_i-1 (a missing value must become a value of its own or its row be left out first).

    Examples
    --------
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> data = Dataset.from_codes([[0, 2], [1, 0], [1, 2], [1, 1]], domain)
    >>> data.marginal(("sex", "age")).values.tolist()
    [[0.0, 0.0, 0.25], [0.25, 0.25, 0.25]]
    """

    codes: np.ndarray
    domain: Domain

    def __post_init__(self):
        # Compiled code counts these records without bounds checks.
        codes, domain = np.asarray(self.codes), self.domain
        if codes.ndim != 2 or codes.shape[1] != domain.d:
            raise DataError(
                f"codes of shape {codes.shape} must have one column for each of the {domain.d} attributes"
            )
        if not len(codes):
            raise DataError("the data holds no rows; at least one person is needed")
        if codes.dtype.kind not in "iub":
            raise DataError(f"codes of type {codes.dtype} must be whole numbers from 0")
        low, high = codes.min(axis=0), codes.max(axis=0)
        for i, (name, size) in enumerate(zip(domain.names, domain.sizes)):
            if low[i] < 0 or high[i] >= size:
                bad = low[i] if low[i] < 0 else high[i]
                raise DataError(
                    f"column {name!r} holds the code {bad}, outside 0 to {size - 1}; "
                    "give missing values a code of their own or leave those rows out"
                )
        smallest = np.min_scalar_type(max(domain.sizes) - 1)
        # A copy: the caller may go on writing into the array it gave.
        codes = as_readonly(np.array(codes, dtype=smallest, order="C"))
        object.__setattr__(self, "codes", codes)

    @classmethod
    def from_codes(cls, codes, domain: Domain) -> "Dataset":
        """The data set of these codes; the same as `Dataset(codes, domain)`."""
        return cls(codes, domain)

    @classmethod
    def _unchecked(cls, codes: np.ndarray, domain: Domain) -> "Dataset":
        """A data set of row-major codes that are known to be valid."""
        dataset = object.__new__(cls)
        set_fields(dataset, codes=as_readonly(codes), domain=domain)
        return dataset

    @classmethod
    def concatenate(cls, parts: Sequence["Dataset"]) -> "Dataset":
        """The users of several data sets of one domain, concatenated."""
        if len({part.domain for part in parts}) != 1:
            raise InputError("only data sets of the same domain are joined; pass at least one")
        return cls._unchecked(np.concatenate([part.codes for part in parts]), parts[0].domain)

    def __reduce__(self):
        return Dataset._unchecked, (self.codes, self.domain)

    @property
    def n(self) -> int:
        """Number of users."""
        return len(self.codes)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.codes.nbytes

    def select(self, attrs: Iterable[str]) -> "Dataset":
        """The same users with only the given attributes."""
        at = self.domain.positions(attrs)
        codes = np.ascontiguousarray(self.codes[:, at])
        return Dataset._unchecked(codes, self.domain.project(attrs))

    def select_users(self, rows: np.ndarray) -> "Dataset":
        """Some of the users, by row numbers or a boolean mask; may be empty."""
        return Dataset._unchecked(self.codes[rows], self.domain)

    def cells(self, attrs: Iterable[str]) -> np.ndarray:
        """Flat cell index (int64, row-major over the attributes) of every user, shape (n,)."""
        at = self.domain.positions(attrs)
        self.domain.cells_of(attrs)
        flat = np.zeros(self.n, dtype=np.int64)
        for i in at:
            flat *= self.domain.sizes[i]
            flat += self.codes[:, i]
        return flat

    def counts(self, views: Sequence[Iterable[str]]) -> list[np.ndarray]:
        """Number of users in every cell of every view (int64, shape of the view), in one pass."""
        for view in views:
            self.domain.cells_of(view)
        positions = [self.domain.positions(view) for view in views]
        # In several passes if the data is large, so that counting can be cancelled.
        once, tables = max(1, AT_ONCE // max(1, self.n)), []
        for start in range(0, len(positions), once):
            checkpoint()
            tables += count_cells(self.codes, self.domain.sizes, positions[start : start + once])
        return [c.reshape(self.domain.shape_of(view)) for c, view in zip(tables, views)]

    def marginals(self, queries: Sequence[Iterable[str]]) -> list[Marginal]:
        """The true marginals of many queries, as fractions."""
        queries = [self.domain.canonical(query) for query in queries]
        return [
            Marginal(self.domain.project(query), counts / self.n)
            for query, counts in zip(queries, self.counts(queries))
        ]

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """The true marginal over `attrs`, as fractions."""
        return self.marginals([attrs])[0]

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether every given attribute is in the data."""
        return self.domain.covers(attrs)

    def resample(self, n: int, *, rng: np.random.Generator) -> "Dataset":
        """n users as the papers take them: without replacement, or all duplicated and the rest drawn.

        Where n exceeds the data, every row appears floor(n / rows) times and the remainder is drawn
        without replacement.
        """
        n, rng = check_count("n", n), check_rng(rng)
        if n * self.domain.d > MAX_CODES:
            raise InfeasibleError(
                f"n ({n:,}) people with {self.domain.d} attributes would be {n * self.domain.d:,} "
                f"values, more than the limit of {MAX_CODES:,}; use fewer people or attributes",
                remedies=[("n", MAX_CODES // self.domain.d), ("d", MAX_CODES // n)],
            )
        copies, rest = divmod(n, self.n)
        chosen_rows = rng.permutation(self.n)[:rest]
        codes = np.concatenate([np.tile(self.codes, (copies, 1)), self.codes[np.sort(chosen_rows)]])
        return Dataset._unchecked(codes, self.domain)


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
        if not isinstance(self.rows, Dataset):
            raise InputError("rows must be a Dataset, whose rows are what people are drawn from")
        object.__setattr__(self, "n", check_count("n", self.n, high=MAX_PEOPLE))

    @property
    def domain(self) -> Domain:
        """Shape of the data."""
        return self.rows.domain

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
        tables = self.rows.counts(views)
        return [_drawn(cells.ravel(), int(size), rng) for cells, size in zip(tables, sizes)]

    def draw(self, *, rng: np.random.Generator) -> "DrawnPopulation":
        """Draw the n people once, so that several tables can be counted of the same people."""
        row = np.ones(self.rows.n, dtype=np.int64)
        return DrawnPopulation(self.rows, _drawn(row, self.n, check_rng(rng)))


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
        Number of people with each row.

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
