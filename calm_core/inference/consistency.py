"""Consistency: make overlapping noisy views agree (PriView section 4.4, CALM section 4.4).

The papers average the projections of all views on every shared set of attributes, in topological
order. Here the same result is computed in one pass. In an orthonormal basis whose first vector is
constant along every attribute, a view splits into one block of coefficients per subset S of its
attributes. Divided by the scale of the attributes outside S, a block estimates a property of the
population; it is averaged over all views that contain S and written back.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from calm_core._checks import as_readonly, check_choice, check_count
from calm_core.collection.aggregation import NoisyMarginals, check_tables
from calm_core.errors import InputError
from calm_core.inference.nonnegativity import NONNEGATIVITY, make_nonnegative
from calm_core.inference.reconstruction.answers import (
    RECONSTRUCTION,
    MarginalQuery,
    ReconstructionNote,
    answer_queries,
    answer_roughly,
    check_query,
)
from calm_core.inference.reconstruction.patterns import ViewIndex
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal, transform_contrasts

WEIGHTS = ("precision", "equal")
# Of all views together; 24 bytes each.
CACHED_CELLS = 2**16
MAX_CACHED_CELLS = 2_000_000


@dataclass(frozen=True, eq=False)
class _Structure:
    """The layout of the coefficients of given views, whatever their tables hold.

    All coefficients of all views are one vector; views of one shape are adjacent.

    Attributes
    ----------
    groups : tuple of (sizes, views)
        Shape and the indices of the views of that shape.
    block : ndarray of int, shape (cells of all views,)
        Which coefficient of the population each entry is; 0 is the total.
    scale : ndarray, same shape
        sqrt of the number of cells over the attributes that the coefficient does not involve.
    owner : ndarray, same shape
        Index of the view.
    """

    groups: tuple[tuple[tuple[int, ...], np.ndarray], ...]
    block: np.ndarray
    scale: np.ndarray
    owner: np.ndarray


def _index(sizes: tuple[int, ...], views: tuple[tuple[int, ...], ...]) -> _Structure:
    """Compute the layout of views (positions of attributes) in a domain of these sizes."""
    by_shape: dict[tuple[int, ...], list[int]] = {}
    for index, view in enumerate(views):
        by_shape.setdefault(tuple(sizes[i] for i in view), []).append(index)
    groups = tuple((shape, np.array(index)) for shape, index in by_shape.items())
    ordered = [index for _, members in groups for index in members]
    counts = [math.prod(sizes[i] for i in views[index]) for index in ordered]
    owner = np.repeat(ordered, counts)
    starts = np.cumsum([0, *counts])
    key = np.zeros(starts[-1], dtype=np.int64)
    scale = np.ones(starts[-1])
    bound = 1
    holders: list[list[tuple[int, int, int]]] = [[] for _ in sizes]
    for start, index in zip(starts, ordered):
        for axis, attribute in enumerate(views[index]):
            holders[attribute].append((start, index, axis))
    digits = {
        shape: np.indices(shape, dtype=np.int64).reshape(len(shape), -1) for shape, _ in groups
    }
    for size, places in zip(sizes, holders):
        if bound > 2**62 // size:
            _, key = np.unique(key, return_inverse=True)
            bound = int(key.max()) + 1
        key *= size
        bound *= size
        for start, index, axis in places:
            digit = digits[tuple(sizes[i] for i in views[index])][axis]
            part = slice(start, start + len(digit))
            key[part] += digit
            scale[part] *= np.where(digit, 1.0, math.sqrt(size))
    _, block = np.unique(key, return_inverse=True)
    return _Structure(groups, as_readonly(block), as_readonly(scale), as_readonly(owner))


# Sixteen large layouts could take gigabytes: only the last large one is cached, and none over 50 MB.
_small, _large = lru_cache(maxsize=16)(_index), lru_cache(maxsize=1)(_index)


def _structure(sizes: tuple[int, ...], views: tuple[tuple[int, ...], ...]) -> _Structure:
    """Return the cached layout of these views."""
    cells = sum(math.prod(sizes[i] for i in view) for view in views)
    make = _small if cells <= CACHED_CELLS else _large if cells <= MAX_CACHED_CELLS else _index
    return make(sizes, views)


def _precisions(variances: Iterable[float]) -> np.ndarray:
    """Return 1/variance up to a common factor; a view without noise outweighs all others."""
    variances = np.array(tuple(variances), dtype=float)
    noisy = variances[(variances > 0) & np.isfinite(variances)]
    least = float(noisy.min()) if noisy.size else 1.0
    return least / np.maximum(variances, least * 1e-30)


class Averager:
    """Averages shared coefficients for given views and weights; tables are one vector of all cells."""

    def __init__(self, noisy: NoisyMarginals, weights: str):
        views = tuple(noisy.domain.positions(view) for view in noisy.views)
        self.structure = _structure(noisy.domain.sizes, views)
        self.members = np.concatenate([index for _, index in self.structure.groups])
        precision = _precisions(noisy.variances)
        if check_choice("weights", weights, WEIGHTS) == "equal":
            self.weight = (precision > 0).astype(float)[self.structure.owner]
        else:
            self.weight = precision[self.structure.owner] / self.structure.scale**2
        total = np.bincount(self.structure.block, self.weight)
        self.mass = np.where(total > 0, total, np.inf)

    def _map(self, cells: np.ndarray, change: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Return the cells with all tables of each shape, (m, *sizes), changed together."""
        changed, start = np.empty_like(cells), 0
        for sizes, members in self.structure.groups:
            checkpoint()
            part = slice(start, start + len(members) * math.prod(sizes))
            changed[part] = change(cells[part].reshape(len(members), *sizes)).ravel()
            start = part.stop
        return changed

    def _move(self, cells: np.ndarray, *, inverse: bool) -> np.ndarray:
        def transform(tables: np.ndarray) -> np.ndarray:
            flat = tables.reshape(len(tables), -1)
            return transform_contrasts(flat, tables.shape[1:], inverse=inverse)

        return self._map(cells, transform)

    def average(self, cells: np.ndarray) -> np.ndarray:
        """Return consistent tables: shared coefficients averaged, totals 1."""
        s = self.structure
        own = self._move(cells, inverse=False) * s.scale
        shared = np.bincount(s.block, own * self.weight) / self.mass
        shared[0] = 1.0
        return self._move(shared[s.block] / s.scale, inverse=True)

    def residual(self, cells: np.ndarray) -> float:
        """Return the largest difference of two views over one shared coefficient."""
        s = self.structure
        own = self._move(cells, inverse=False) * s.scale
        high = np.full(len(self.mass), -np.inf)
        low = np.full(len(self.mass), np.inf)
        np.maximum.at(high, s.block, own)
        np.minimum.at(low, s.block, own)
        return float((high - low).max())

    def nonnegative(self, cells: np.ndarray, nonnegativity: str) -> np.ndarray:
        """Return every table without negative cells, by the named variant."""
        return self._map(cells, lambda tables: make_nonnegative(tables, nonnegativity))

    def flatten(self, tables: tuple[Marginal, ...]) -> np.ndarray:
        """Return all cells of the views in one vector."""
        return np.concatenate([tables[index].values.ravel() for index in self.members])

    def tables(self, noisy: NoisyMarginals, cells: np.ndarray) -> tuple[Marginal, ...]:
        """Return the views, in their own order, with the given cells."""
        found: list = [None] * len(noisy.tables)
        stops = np.cumsum([noisy.tables[index].values.size for index in self.members])
        for index, values in zip(self.members, np.split(cells, stops[:-1])):
            like = noisy.tables[index]
            found[index] = Marginal(like.domain, values.reshape(like.domain.sizes))
        return tuple(found)


MAX_ROUNDS = 1000


@dataclass(frozen=True)
class ConsistencyReport:
    """How well the views agree after the last step.

    Attributes
    ----------
    nonnegativity, weights : str
        The variant and the weights that were used.
    rounds : int
        How often (non-negativity, consistency) followed the first consistency step.
    residual : float
        Largest difference of two views over a shared contrast (an orthonormal coefficient of a
        shared marginal, in fractions); 0 up to rounding, as consistency comes last.
    most_negative : float
        Smallest cell of all views, 0 if none is negative.
    converged : bool
        Whether the views agree to 1e-9.
    """

    nonnegativity: str
    weights: str
    rounds: int
    residual: float
    most_negative: float
    converged: bool


@dataclass(frozen=True, eq=False)
class ConsistentMarginals:
    """Views that agree on every overlap and sum to 1; answers any marginal.

    Attributes
    ----------
    domain : Domain
        All attributes of the collection.
    tables : tuple of Marginal
        One table per view; cells may be slightly negative (`report.most_negative`), answers never.
    report : ConsistencyReport
        The settings used and how well the views agree.
    reconstruction : str
        How a marginal that no view covers is computed, one of RECONSTRUCTION.
    raw : tuple of Marginal
        The views before consistency, which "lp" works on.

    Raises
    ------
    InputError
        If there are no tables, if they do not fit the domain, or if "lp" has no raw views.
    """

    domain: Domain
    tables: tuple[Marginal, ...]
    report: ConsistencyReport
    reconstruction: str = "maxent"
    raw: tuple[Marginal, ...] = ()

    def __post_init__(self):
        check_choice("reconstruction", self.reconstruction, RECONSTRUCTION)
        if not self.tables:
            raise InputError("tables (0) must be at least one; pass the measured views")
        check_tables(self.domain, self.tables)
        check_tables(self.domain, self.raw)
        if self.reconstruction == "lp" and not self.raw:
            raise InputError('raw () must hold the views before consistency; "lp" works on them')

    @cached_property
    def views(self) -> tuple[tuple[str, ...], ...]:
        """Attribute names of every view."""
        return tuple(table.attrs for table in self.tables)

    @cached_property
    def _index(self) -> ViewIndex:
        return ViewIndex(self.domain, self.raw if self.reconstruction == "lp" else self.tables)

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether some view contains all given attributes."""
        return bool(self._index.views_containing(self.domain.positions(attrs)).size)

    def _answer(self, queries: Iterable[Iterable[str]]) -> list[MarginalQuery]:
        at = [check_query(self.domain, attrs) for attrs in queries]
        return answer_queries(self._index, at, self.reconstruction)

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the marginal over `attrs`, a distribution, whether a view covers it or not."""
        return self._answer([attrs])[0].table()

    def marginals(self, queries: Iterable[Iterable[str]]) -> list[Marginal]:
        """Return many marginals in the given order; faster than one by one."""
        return [question.table() for question in self._answer(queries)]

    def rough_cells(self, attrs: Iterable[str]) -> np.ndarray:
        """Return the cells of a marginal that no view covers, quickly and to four digits."""
        return answer_roughly(self._index, check_query(self.domain, attrs))

    def explain(self, attrs: Iterable[str]) -> ReconstructionNote:
        """Return how the marginal over `attrs` is computed and how well it is determined."""
        return self._answer([attrs])[0].note(self.reconstruction)


def consistency_stages(
    noisy: NoisyMarginals,
    *,
    nonnegativity: str = "ripple",
    rounds: int = 3,
    weights: str = "precision",
) -> Iterator[tuple[str, tuple[Marginal, ...]]]:
    """Yield (name, tables) after every step of `make_consistent`.

    The names are "raw", "consistent", "non-negative i", "consistent i" (i from 1 to rounds); the
    last one is what `make_consistent` returns.
    """
    averager = Averager(noisy, weights)
    yield "raw", noisy.tables
    for name, cells in _steps(averager, noisy, nonnegativity, rounds):
        yield name, averager.tables(noisy, cells)


def _steps(averager, noisy, nonnegativity, rounds) -> Iterator[tuple[str, np.ndarray]]:
    check_choice("nonnegativity", nonnegativity, NONNEGATIVITY)
    rounds = check_count("rounds", rounds, low=0, high=MAX_ROUNDS)
    cells = averager.average(averager.flatten(noisy.tables))
    yield "consistent", cells
    for i in range(1, 1 + (rounds if nonnegativity != "none" else 0)):
        checkpoint()
        cells = averager.nonnegative(cells, nonnegativity)
        yield f"non-negative {i}", cells
        cells = averager.average(cells)
        yield f"consistent {i}", cells


def make_consistent(
    noisy: NoisyMarginals,
    *,
    nonnegativity: str = "ripple",
    rounds: int = 3,
    weights: str = "precision",
    reconstruction: str = "maxent",
) -> ConsistentMarginals:
    """Make noisy views agree on every overlap, sum to 1 and be (nearly) non-negative.

    Runs consistency once, then `rounds` times non-negativity and consistency (PriView's Ripple_r).

    Parameters
    ----------
    noisy : NoisyMarginals
        Unbiased estimates of m views with their variances. A view without reports (infinite
        variance) has no weight; it is filled in from the other views, else uniform.
    nonnegativity : {"ripple", "none", "simple", "global", "norm_sub"}
        How negative cells are removed.
    rounds : int
        Number of (non-negativity, consistency) rounds; 0 only makes the views consistent.
    weights : {"precision", "equal"}
        Weight of a view in the average over a shared set: the precision of its projection on that
        set, or the same for all views (PriView).
    reconstruction : {"maxent", "lp", "clp", "cln"}
        How marginals that no view covers are computed later.

    Raises
    ------
    InputError
        If a choice or number is not allowed.

    Examples
    --------
    The example of PriView section 4.4, with attributes of 2, 2 and 2 values:

    >>> domain = Domain(("a1", "a2", "a3"), (2, 2, 2))
    >>> views = (Marginal(domain.project(("a1", "a2")), [[0.3, 0.3], [0.3, 0.1]]),
    ...          Marginal(domain.project(("a1", "a3")), [[0.2, 0.3], [0.1, 0.4]]))
    >>> noisy = NoisyMarginals(domain, views, variances=(1e-4, 1e-4), users=(100, 100))
    >>> for table in make_consistent(noisy).tables:
    ...     print(table.values.round(3).tolist())
    [[0.275, 0.275], [0.325, 0.125]]
    [[0.225, 0.325], [0.075, 0.375]]
    """
    averager = Averager(noisy, weights)
    *_, (_, cells) = _steps(averager, noisy, nonnegativity, rounds)
    residual = averager.residual(cells)
    report = ConsistencyReport(
        nonnegativity=nonnegativity,
        weights=weights,
        rounds=rounds if nonnegativity != "none" else 0,
        residual=residual,
        most_negative=min(0.0, float(cells.min())),
        converged=residual <= 1e-9,
    )
    tables = averager.tables(noisy, cells)
    return ConsistentMarginals(noisy.domain, tables, report, reconstruction, noisy.tables)
