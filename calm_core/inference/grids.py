"""Grids of HDG: ordered values grouped into ranges, made consistent, and what follows from them.

Every attribute is cut twice: into fine cells for its one-way grid and into coarse cells for the grids of
pairs. Every value without an order is a cell of its own. No data is seen for that.

Cells between the grids are filled in by weighted update: starting from uniform tables, every table is
scaled to one grid after the other until all agree, which gives the table of maximum entropy.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations, pairwise
from math import prod

import numpy as np

from calm_core.inference.nonnegativity import norm_sub
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal
from calm_core.tables.ranges import Ranges, check_ranges

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


# The limits of the authors' program.
MAX_ROUNDS = MAX_UPDATES = 100

Pair = tuple[int, int]


def make_grids_consistent(
    lines: Mapping[int, np.ndarray], squares: Mapping[Pair, np.ndarray], axes: Sequence[Axis]
) -> tuple[dict[int, np.ndarray], dict[Pair, np.ndarray]]:
    """Make the totals of every coarse cell agree and remove negative cells, alternately.

    Parameters
    ----------
    lines : mapping of int to ndarray, shape (fine cells,)
        The grid of every attribute, by its position.
    squares : mapping of (int, int) to ndarray, shape (coarse cells, coarse cells)
        The grid of every pair.
    axes : sequence of Axis
        How the attributes are cut, by position.

    Notes
    -----
    The totals of a coarse cell are averaged over the grids with weights inverse to the mean number of
    cells in it, since all cells are equally noisy; the change is spread evenly over these cells. A grid
    has one weight for all coarse cells, so the means sum to 1 as all grids do: then attributes do not
    interfere, and all are changed at once.
    """
    grids = {**{(a,): table for a, table in lines.items()}, **squares}
    kept = [(table.shape, at) for at, table in grids.items()]
    flat = np.concatenate([table.ravel() for table in grids.values()])
    ends = list(accumulate((prod(shape) for shape, _ in kept), initial=0))
    places = [np.arange(start, end) for start, end in pairwise(ends)]
    shared = _CoarseTotals(kept, places, axes)
    alike: dict[int, list[np.ndarray]] = {}
    for cells in places:
        alike.setdefault(len(cells), []).append(cells)
    batches = [np.stack(cells) for cells in alike.values()]

    def without_negative() -> None:
        for cells in batches:
            flat[cells] = norm_sub(flat[cells], total=1.0)

    without_negative()
    for _ in range(MAX_ROUNDS):
        checkpoint()
        flat += shared.changes(flat)
        done = flat.min() >= 0
        without_negative()
        if done:
            break
    tables = [flat[cells].reshape(shape) for cells, (shape, _) in zip(places, kept)]
    return dict(zip(lines, tables)), dict(zip(squares, tables[len(lines) :]))


class _CoarseTotals:
    """Which cells belong to which coarse cell of which attribute, for all grids."""

    def __init__(self, kept, places, axes: Sequence[Axis]):
        first = list(accumulate((len(axis.coarse) for axis in axes), initial=0))
        cells, slots, groups, weights, used = [], [], [], [], 0
        for (shape, attributes), own in zip(kept, places):
            for place, a in enumerate(attributes):
                inside = axes[a].coarse_of if len(attributes) == 1 else np.arange(shape[place])
                bins = inside[np.indices(shape)[place].ravel()]
                cells.append(own)
                slots.append(used + bins)
                several = len(axes[a].coarse)
                groups.append(np.arange(first[a], first[a + 1]))
                weights.append(np.full(several, several / len(own)))
                used += several
        self.cells, self.slots = np.concatenate(cells), np.concatenate(slots)
        self.groups, self.weights = np.concatenate(groups), np.concatenate(weights)
        self.count = np.bincount(self.slots)

    def changes(self, flat: np.ndarray) -> np.ndarray:
        """Return the change of every cell that makes all totals agree."""
        totals = np.bincount(self.slots, weights=flat[self.cells])
        sums = np.bincount(self.groups, weights=self.weights * totals)
        # Attributes without grids have no weight.
        means = sums / np.maximum(np.bincount(self.groups, weights=self.weights), 1e-300)
        part = (means[self.groups] - totals) / self.count
        return np.bincount(self.cells, weights=part[self.slots], minlength=len(flat))


def _scale_factors(sums: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return factors that scale sums to those wanted; empty cells stay empty."""
    return np.divide(wanted, sums, out=np.ones_like(sums), where=sums > 0)


def _uniform_tables(shape: tuple[int, ...]) -> np.ndarray:
    """Return a batch of uniform tables."""
    return np.full(shape, 1 / prod(shape[1:]))


def _normalize(tables: np.ndarray) -> np.ndarray:
    """Return a batch of tables scaled to total 1; uniform if all cells are 0."""
    cells = tuple(range(1, tables.ndim))
    total = tables.sum(axis=cells, keepdims=True)
    return np.divide(tables, total, out=_uniform_tables(tables.shape), where=total > 0)


def fit_response_matrices(
    rows: np.ndarray,
    columns: np.ndarray,
    squares: np.ndarray,
    axes: tuple[Axis, Axis],
    tolerance: float,
) -> np.ndarray:
    """Fit tables of fine cells for many pairs cut alike, by weighted update (algorithm 1 of the paper).

    The paper's response matrix has a cell for every two values. All values of two fine cells are always
    scaled alike, so their total suffices. It may start from uniform fine cells, since rows and columns are
    scaled before anything else.

    Parameters
    ----------
    rows, columns : ndarray, shape (pairs, fine cells)
        The grids of the first and of the second attribute.
    squares : ndarray, shape (pairs, coarse cells, coarse cells)
        The grids of both.
    axes : pair of Axis
        How the two attributes are cut.
    tolerance : float
        A batch is done when a round changes no table by more in total.

    Returns
    -------
    ndarray, shape (pairs, fine cells, fine cells)
        Tables that agree exactly with the two-way grid, which is applied last.
    """
    one, two = axes
    tables = _uniform_tables((len(squares), len(one.fine), len(two.fine)))
    inside = np.ix_(np.arange(len(squares)), one.coarse_of, two.coarse_of)
    for _ in range(MAX_UPDATES):
        checkpoint()
        before = tables
        tables = _normalize(tables * _scale_factors(tables.sum(axis=2), rows)[:, :, None])
        tables = _normalize(tables * _scale_factors(tables.sum(axis=1), columns)[:, None, :])
        sums = np.add.reduceat(np.add.reduceat(tables, one.coarse, axis=1), two.coarse, axis=2)
        tables = _normalize(tables * _scale_factors(sums, squares)[inside])
        if np.abs(tables - before).sum(axis=(1, 2)).max() <= tolerance:
            break
    return tables


def estimate_range_shares(pairs: np.ndarray, among: Sequence[Pair], tolerance: float) -> np.ndarray:
    """Estimate the share of people inside several ranges from the shares inside two (algorithm 2 of the paper).

    A table of all 2^k combinations of inside and outside starts uniform; the shares inside two ranges are
    scaled to the known ones, and all to a total of 1.

    Parameters
    ----------
    pairs : ndarray, shape (queries, pairs)
        Share inside both ranges of every pair.
    among : sequence of (int, int)
        The pairs of ranges, from 0.
    tolerance : float
        A batch is done when a round changes no table by more in total.

    Examples
    --------
    Three independent ranges, each with half of the people:

    >>> estimate_range_shares(np.full((1, 3), 0.25), [(0, 1), (0, 2), (1, 2)], 1e-9).round(4).tolist()
    [0.125]
    """
    k = max(map(max, among)) + 1
    tables = _uniform_tables((len(pairs), *(2,) * k))
    cells = tuple(range(1, k + 1))
    for _ in range(MAX_UPDATES):
        checkpoint()
        before = tables.copy()
        for known, pair in zip(pairs.T, among):
            both = (slice(None), *(0 if i in pair else slice(None) for i in range(k)))
            sums = tables[both].reshape(len(tables), -1).sum(axis=1)
            scale = _scale_factors(sums, known)
            tables[both] *= scale.reshape(-1, *(1,) * (k - 2))
            tables = _normalize(tables)
        if np.abs(tables - before).sum(axis=cells).max() <= tolerance:
            break
    return tables[(slice(None), *(0,) * k)]


def fit_joint_table(
    pairs: Mapping[Pair, np.ndarray], shape: tuple[int, ...], tolerance: float
) -> np.ndarray:
    """Fit a table over several attributes to those over two, by weighted update."""
    table = _uniform_tables((1, *shape))
    for _ in range(MAX_UPDATES):
        checkpoint()
        before = table
        for (a, b), known in pairs.items():
            others = tuple(i + 1 for i in range(len(shape)) if i not in (a, b))
            sums = table.sum(axis=others, keepdims=True)
            table = _normalize(table * _scale_factors(sums, known.reshape(sums.shape)))
        if np.abs(table - before).sum() <= tolerance:
            break
    return table[0]


@dataclass(frozen=True, eq=False)
class GridMarginals:
    """Marginals and range queries from consistent grids.

    Attributes
    ----------
    grids : Grids
        How the attributes are cut.
    lines : mapping of int to ndarray
        The grid of every measured attribute, by its position.
    squares : mapping of (int, int) to ndarray
        The grid of every pair of them.
    tolerance : float
        Change at which weighted updates stop, as a share of the people.
    """

    grids: Grids
    lines: Mapping[int, np.ndarray]
    squares: Mapping[Pair, np.ndarray]
    tolerance: float

    @cached_property
    def pairs(self) -> dict[Pair, np.ndarray]:
        """A table of fine cells for every pair; pairs cut alike are computed together."""
        axes, alike = self.grids.axes, {}
        for a, b in self.squares:
            alike.setdefault((axes[a], axes[b]), []).append((a, b))
        found = {}
        for cut, pairs in alike.items():
            rows, columns = (np.stack([self.lines[pair[i]] for pair in pairs]) for i in (0, 1))
            squares = np.stack([self.squares[pair] for pair in pairs])
            found |= zip(pairs, fit_response_matrices(rows, columns, squares, cut, self.tolerance))
        return found

    def cells(self, at: Sequence[int]) -> np.ndarray:
        """Return the table of the fine cells of some attributes, by their positions in ascending order."""
        known = [a for a in at if a in self.lines]
        if len(known) < 2:
            found = self.lines[known[0]] if known else np.ones(())
        elif len(known) == 2:
            found = self.pairs[known[0], known[1]]
        else:
            places = {
                (known.index(a), known.index(b)): self.pairs[a, b]
                for a, b in combinations(known, 2)
            }
            shape = tuple(len(self.grids.axes[a].fine) for a in known)
            found = fit_joint_table(places, shape, self.tolerance)
        return found.reshape([len(self.grids.axes[a].fine) for a in at])

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the marginal over `attrs`: all values inside a fine cell have equal shares."""
        domain = self.grids.domain
        at = domain.positions(attrs)
        domain.cells_of(attrs)
        values = self.cells(at)
        for place, a in enumerate(at):
            axis = self.grids.axes[a]
            broad = [1] * len(at)
            broad[place] = axis.size
            values = values.take(axis.fine_of, axis=place) * axis.shares.reshape(broad)
        return Marginal(domain.project(attrs), values / values.sum())

    def share(self, ranges: Ranges) -> float:
        """Return the share of people inside the ranges of all named attributes, as the paper answers."""
        ranges = check_ranges(self.grids.domain, ranges)
        inside = {}
        for name, (low, high) in ranges.items():
            (a,) = self.grids.domain.positions(name)
            if a in self.lines:
                axis = self.grids.axes[a]
                inside[a] = np.bincount(
                    axis.fine_of[low : high + 1],
                    weights=axis.shares[low : high + 1],
                    minlength=len(axis.fine),
                )
        at = sorted(inside)
        if len(at) < 2:
            return float(self.lines[at[0]] @ inside[at[0]]) if at else 1.0
        among = list(combinations(range(len(at)), 2))
        known = [inside[at[i]] @ self.pairs[at[i], at[j]] @ inside[at[j]] for i, j in among]
        if len(at) == 2:
            return float(known[0])
        return float(estimate_range_shares(np.array([known]), among, self.tolerance)[0])
