"""Measured interactions: the estimate and variance of every measured set of attributes, and their covariance.

In an orthonormal basis whose first vector is constant along every attribute, a view splits into one
block of coefficients per subset S of its attributes. Normalized by the attributes outside S, the
block R_S estimates a property of the population; it is averaged over all views that contain S,
weighted by inverse variance.

The contrast f_S of a set S of attributes consists of the orthonormal basis vectors of S, constant along the
other attributes.

The first fit treats the moments R_S as independent, with variances that do not depend on the table. But
cells of a view share their reports, and the variance of a report depends on its value: contrasts c and c'
of a view have the covariance `A c . c' + B E[c c']` under its true table (`Oracle.value_variance`), and
sampling users for a view adds the covariance of their values. Both are known once a table is fitted; if
they matter, it is fitted again.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np

from calm_core._checks import as_readonly
from calm_core.collection.aggregation import NoisyMarginals
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal, transform_contrasts, uniform

Subset = tuple[int, ...]


def subsets_within(attrs: Iterable[int], order: int) -> list[Subset]:
    """Return the non-empty subsets of the positions with at most `order` members, small ones first."""
    attrs = tuple(attrs)
    return [s for r in range(1, min(order, len(attrs)) + 1) for s in combinations(attrs, r)]


# Above this many numbers, or multiplications of the matrix of contrasts with itself, fast transforms replace it.
DENSE_NUMBERS, DENSE_PRODUCTS = 2**20, 3e8


def contrast_basis(size: int) -> np.ndarray:
    """Return the orthonormal contrasts U of one attribute, shape (c - 1, c)."""
    return transform_contrasts(np.eye(size), (size,)).T[1:]


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
        Position of the coefficients of each subset among all F.
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
        """Number of cells of one table."""
        return math.prod(self.sizes)

    @cached_property
    def subset_cells(self) -> list[int]:
        """Number of cells of the table over each subset."""
        return [math.prod(self.sizes[axis] for axis in subset) for subset in self.subsets]

    @cached_property
    def membership(self) -> np.ndarray:
        """1 where a subset contains an axis, else 0, shape (subsets, axes)."""
        axes = range(len(self.sizes))
        return as_readonly(np.array([[float(a in s) for a in axes] for s in self.subsets]))

    @cached_property
    def owner(self) -> np.ndarray:
        """The subset of every contrast, shape (F,)."""
        counts = [part.stop - part.start for part in self.parts]
        return as_readonly(np.repeat(np.arange(len(counts)), counts))

    @property
    def dense(self) -> bool:
        """Whether `matrix` is small enough to be used in every step."""
        numbers = self.cells * len(self.index)
        return numbers <= DENSE_NUMBERS and numbers * len(self.index) <= DENSE_PRODUCTS

    def matrix(self) -> np.ndarray:
        """Return the contrasts as rows, shape (F, cells)."""
        return _matrix(self)

    def covariances(self, tables: np.ndarray) -> np.ndarray:
        """Return H, the covariances of the contrasts under tables (Q, cells), shape (Q, F, F).

        For attributes with two values the product of two contrasts is again a contrast, that of the
        symmetric difference of both sets.
        """
        if max(self.sizes, default=0) <= 2:
            moved = transform_contrasts(tables, self.sizes)
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
        """Return the mean of every contrast under tables (Q, cells), shape (Q, F)."""
        return transform_contrasts(tables, self.sizes)[:, self.index] * self.scale

    def sign_factors(self, signs: np.ndarray) -> np.ndarray:
        """Return -1 where a contrast changes its sign when some axes are reversed, else 1, shape (Q, F).

        Parameters
        ----------
        signs : ndarray, shape (Q, axes)
            -1 where an axis is reversed, else 1. The contrasts of one attribute alternate odd and even.
        """
        odd = np.stack(np.unravel_index(self.index, self.sizes)) % 2
        return 1.0 - 2.0 * ((signs < 0) @ odd % 2)

    def exponents(self, coefficients: np.ndarray) -> np.ndarray:
        """Return sum lambda f in every cell for coefficients (Q, F), shape (Q, cells)."""
        full = np.zeros((len(coefficients), self.cells))
        full[:, self.index] = coefficients * self.scale
        return transform_contrasts(full, self.sizes, inverse=True)


@lru_cache(maxsize=32)
def _matrix(contrasts: Contrasts) -> np.ndarray:
    return as_readonly(np.ascontiguousarray(contrasts.exponents(np.eye(len(contrasts.index)))))


@lru_cache(maxsize=32)
def _products(contrasts: Contrasts) -> np.ndarray:
    """Index of the coefficient of a binary table that is the product of two contrasts, shape (F, F)."""
    return as_readonly(contrasts.index[:, None] ^ contrasts.index)


@lru_cache(maxsize=256)
def contrasts_up_to_order(sizes: tuple[int, ...], order: int) -> Contrasts:
    """Return the contrasts of all subsets of at most `order` axes.

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
    """Return the contrasts of the given subsets of the axes, in this order.

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
    numbers, scales = as_readonly(np.concatenate(index)), as_readonly(np.concatenate(scale))
    return Contrasts(sizes, subsets, tuple(parts), numbers, scales)


def count_contrasts(sizes: tuple[int, ...], order: int) -> int:
    """Return the number of contrasts of at most `order` axes.

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


@dataclass(frozen=True, eq=False)
class Family:
    """All measured subsets whose attributes have the same numbers of values.

    Attributes
    ----------
    sizes : tuple of int
        Values of each of the r attributes.
    subsets : ndarray of int, shape (m, r)
        Positions of the attributes, ascending in a row.
    values : ndarray, shape (m, F)
        R_S, with F = prod(c_i - 1) contrasts.
    variances : ndarray, shape (m,)
        Variance V_S of one contrast, from randomization and from sampling of the users.
    """

    sizes: tuple[int, ...]
    subsets: np.ndarray
    values: np.ndarray
    variances: np.ndarray


@dataclass(frozen=True, eq=False)
class Interactions:
    """R_S and V_S of every measured subset S of at most `order` attributes.

    Examples
    --------
    >>> from calm_core.tables.marginal import Marginal
    >>> domain = Domain(("sex", "age"), (2, 3))
    >>> table = Marginal(domain, [[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]])
    >>> noisy = NoisyMarginals(domain, (table,), variances=(1e-4,), users=(1000,))
    >>> found = measure_interactions(noisy)
    >>> sorted(found.index)
    [(0,), (0, 1), (1,)]
    >>> found.values((0,)).round(3).tolist()
    [-0.141]
    """

    domain: Domain
    families: tuple[Family, ...]

    @cached_property
    def index(self) -> Mapping[Subset, tuple[int, int]]:
        """The family and row of every measured subset."""
        return {
            tuple(subset): (f, row)
            for f, family in enumerate(self.families)
            for row, subset in enumerate(family.subsets.tolist())
        }

    @cached_property
    def order(self) -> int:
        """The size of the largest measured subset."""
        return max((len(family.sizes) for family in self.families), default=0)

    def restrict_order(self, order: int) -> "Interactions":
        """Return the interactions of at most `order` attributes."""
        small = tuple(family for family in self.families if len(family.sizes) <= order)
        return Interactions(self.domain, small)

    def find_unmeasured(self, attrs: Iterable[int]) -> set[int]:
        """Return those of the attributes without measurement: no reports, and several values."""
        return {i for i in attrs if self.domain.sizes[i] > 1 and (i,) not in self.index}

    def is_complete(self, attrs: Iterable[int]) -> bool:
        """Whether all interactions of the attributes were measured, up to the largest measured order."""
        several = [i for i in attrs if self.domain.sizes[i] > 1]
        return all(subset in self.index for subset in subsets_within(several, self.order))

    def values(self, subset: Subset) -> np.ndarray:
        """Return R_S of one measured subset, shape (F,)."""
        family, row = self.index[subset]
        return self.families[family].values[row]

    def get_batch(self, subsets: Sequence[Subset]) -> tuple[np.ndarray, np.ndarray]:
        """Return R_S (m, F) and V_S (m,) of measured subsets that belong to one family."""
        places = [self.index[subset] for subset in subsets]
        family, rows = self.families[places[0][0]], [row for _, row in places]
        return family.values[rows], family.variances[rows]

    def variance(self, subset: Subset) -> float:
        """Return V_S of one measured subset."""
        family, row = self.index[subset]
        return float(self.families[family].variances[row])


def _blocks(noisy: NoisyMarginals, order: int):
    """Yield (sizes of S, positions, R_S, weight, users) for all views of one shape and one kind of oracle."""
    views = [noisy.domain.positions(table.attrs) for table in noisy.tables]
    alike: dict[tuple, list[int]] = {}
    for i, (table, sets) in enumerate(zip(noisy.tables, noisy.sets)):
        checkpoint()
        if math.isfinite(noisy.variances[i]):
            alike.setdefault((table.domain.sizes, sets), []).append(i)
    for (sizes, sets), members in alike.items():
        batch = np.stack([noisy.tables[i].values.ravel() for i in members])
        moved = transform_contrasts(batch, sizes)
        positions = np.array([views[i] for i in members])
        spread = np.array([noisy.contrast_variances[i] for i in members])
        users = np.array([noisy.users[i] or math.inf for i in members])
        contrasts = contrasts_up_to_order(sizes, order)
        for subset, part, cells in zip(contrasts.subsets, contrasts.parts, contrasts.subset_cells):
            if sets is None or subset in sets:
                found = moved[:, contrasts.index[part]] * contrasts.scale[part]
                weight = 1 / np.maximum(spread * (contrasts.cells / cells), 1e-18)
                yield tuple(sizes[a] for a in subset), positions[:, subset], found, weight, users


def measure_interactions(noisy: NoisyMarginals, *, order: int | None = None) -> Interactions:
    """Average the interactions of all views; see `Interactions`.

    Parameters
    ----------
    noisy : NoisyMarginals
        Unbiased estimates of the views with their variances.
    order : int, optional
        Size of the largest subsets of interest; the default is all measured subsets.
    """
    order = order or noisy.domain.d
    pieces: dict[tuple[int, ...], list] = {}
    for sizes, *piece in _blocks(noisy, order):
        pieces.setdefault(sizes, []).append(piece)
    everyone = sum(noisy.users) or math.inf
    families = []
    for sizes, parts in pieces.items():
        positions, found, weight, users = (np.concatenate(column) for column in zip(*parts))
        subsets, owner = np.unique(positions, axis=0, return_inverse=True)
        owner = owner.reshape(-1)
        mass = np.bincount(owner, weight)
        values = np.stack([np.bincount(owner, weight * column) for column in found.T], axis=1)
        # Groups are drawn without replacement, so the finite population correction applies.
        sampled = np.maximum(np.bincount(owner, weight**2 / users) / mass**2 - 1 / everyone, 0)
        values /= mass[:, None]
        # One user's contrast has mean square 1/L_S; its variance subtracts the squared mean.
        level = np.maximum((values**2).mean(axis=1) - 1 / mass, 0) * math.prod(sizes)
        spread = np.clip(1 - level, 0.05, 1) / math.prod(sizes)
        families.append(Family(sizes, subsets, values, 1 / mass + sampled * spread))
    families.sort(key=lambda family: (len(family.sizes), family.sizes))
    return Interactions(noisy.domain, tuple(_drop_incomplete(families)))


def _drop_incomplete(families: list[Family]) -> list[Family]:
    """Keep the sets of which every subset was measured; parities may measure a set without its subsets."""
    known: set[Subset] = {()}
    found = []
    for family in families:
        sets = list(map(tuple, family.subsets.tolist()))
        kept = [all(part in known for part in combinations(s, len(s) - 1)) for s in sets]
        known.update(s for s, good in zip(sets, kept) if good)
        if not all(kept):
            parts = (family.subsets, family.values, family.variances)
            family = Family(family.sizes, *(part[np.flatnonzero(kept)] for part in parts))
        found.append(family)
    return [family for family in found if len(family.subsets)]


def full_tables_from_parities(noisy: NoisyMarginals) -> NoisyMarginals:
    """Return the same information as tables of views of which all interactions are known.

    If every view has all of its interactions, they are returned unchanged. Otherwise a table is built from
    the measured interactions of every set of attributes that no larger measured set contains; these tables
    agree. An attribute without reports gets a uniform table with infinite variance.

    Examples
    --------
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(("sex", "votes"), (2, 2))
    >>> alone = [Marginal(domain.project((name,)), [0.4, 0.6]) for name in domain.names]
    >>> agree = Marginal(domain, [[0.3, 0.2], [0.2, 0.3]])
    >>> sets = None, None, frozenset({(0, 1)})
    >>> noisy = NoisyMarginals(domain, (*alone, agree), (1e-4,) * 3, (100,) * 3, sets=sets)
    >>> full_tables_from_parities(noisy).tables[0].values.round(3).tolist()
    [[0.2, 0.2], [0.2, 0.4]]
    """
    if not any(noisy.sets):
        return noisy
    found = measure_interactions(noisy)
    held: set[Subset] = set()
    tables, cells, contrasts = [], [], []
    for subset in sorted(found.index, key=len, reverse=True):
        checkpoint()
        if subset not in held:
            held.update(subsets_within(subset, len(subset)))
            table, variance = _table(noisy, found, subset)
            tables.append(table)
            contrasts.append(variance)
            cells.append(variance * (1 - 1 / table.values.size))
    for i, name in enumerate(noisy.domain.names):
        if (i,) not in held:
            alone = noisy.domain.project((name,))
            tables.append(uniform(alone, alone.names))
            contrasts.append(math.inf)
            cells.append(math.inf)
    return NoisyMarginals(
        noisy.domain, tuple(tables), tuple(cells), (0,) * len(tables), tuple(contrasts)
    )


def _table(noisy: NoisyMarginals, found: Interactions, subset: Subset) -> tuple[Marginal, float]:
    """Return the table over a set of attributes, and the mean variance of its contrasts."""
    domain = noisy.domain.project([noisy.domain.names[i] for i in subset])
    contrasts = contrasts_up_to_order(domain.sizes, domain.d)
    parts = [tuple(subset[a] for a in axes) for axes in contrasts.subsets]
    values = [found.values(part) for part in parts]
    moved = np.zeros((1, contrasts.cells))
    moved[0, 0] = 1 / math.sqrt(contrasts.cells)
    moved[0, contrasts.index] = np.concatenate(values) / contrasts.scale
    spread = sum(
        own.size * found.variance(part) / (contrasts.cells / cells)
        for own, part, cells in zip(values, parts, contrasts.subset_cells)
    )
    table = transform_contrasts(moved, domain.sizes, inverse=True).reshape(domain.sizes)
    return Marginal(domain, table), spread / max(contrasts.cells - 1, 1)


# The covariance is used if the part that depends on the table is at least this share of the rest.
MIN_TABLE_SHARE = 0.3
# Standard deviation of a rare cell, in people. Below it CALM+ erred more than CALM on two tables of six, above it
# about as much or less (256 cells at once, epsilon 10 to 14).
FEW_PEOPLE = 1.6
# Tolerance for rounding, in people.
ROUNDING = 1e-6


def is_nearly_exact(noisy: NoisyMarginals, attrs: Iterable[str]) -> bool:
    """Whether all users reported on these attributes together, and the noise of a rare cell is a few people.

    Then hardly a report differs from the true value, and no prior improves on the reports.
    """
    wanted, total = set(attrs), sum(noisy.users)
    cells = noisy.domain.cells_of(wanted)
    return any(
        total * math.sqrt(variance * table.values.size / cells) < FEW_PEOPLE
        for table, variance, users, view_sets in zip(
            noisy.tables, noisy.variances, noisy.users, noisy.sets
        )
        if users == total > 0 and view_sets is None and wanted <= set(table.attrs)
    )


def round_to_people(ends: tuple[np.ndarray, np.ndarray], noisy: NoisyMarginals) -> tuple:
    """Round the ends of intervals outwards to whole numbers of people.

    With little noise most errors are of a single person.
    """
    total = sum(noisy.users)
    if not total:
        return ends
    low, high = (total * end for end in ends)
    return np.floor(low + ROUNDING) / total, np.minimum(np.ceil(high - ROUNDING) / total, 1.0)


@dataclass(frozen=True, eq=False)
class MomentNoise:
    """What determines the covariance of the moments, per view.

    Attributes
    ----------
    holds : ndarray of bool, shape (m, d)
        Which attributes each view contains.
    sets : tuple, length m
        Which interactions of them it measures (positions), or None for all.
    weights : ndarray, shape (m,)
        Weight of a view in the average over all views with a set, up to a factor of the set.
    even, value : ndarray, shape (m,)
        A L and B of every view, for contrasts orthonormal over the set's own cells.
    sampling : ndarray, shape (m,)
        1 / users of every view.
    everyone : float
        1 / all users.
    """

    holds: np.ndarray
    sets: tuple[frozenset[Subset] | None, ...]
    weights: np.ndarray
    even: np.ndarray
    value: np.ndarray
    sampling: np.ndarray
    everyone: float

    @classmethod
    def from_views(cls, noisy: NoisyMarginals) -> "MomentNoise":
        """Collect it from the views with reports."""
        some = np.isfinite(noisy.variances)
        cells = np.array([table.values.size for table in noisy.tables], dtype=float)[some]
        spread = np.array(noisy.contrast_variances)[some]
        value, users = np.array(noisy.value_variances)[some], np.array(noisy.users)[some]
        holds = np.zeros((len(noisy.tables), noisy.domain.d), dtype=bool)
        sets: list[frozenset[Subset] | None] = []
        for row, (table, view_sets) in enumerate(zip(noisy.tables, noisy.sets)):
            at = noisy.domain.positions(table.attrs)
            holds[row, list(at)] = True
            sets.append(view_sets and frozenset(tuple(at[a] for a in axes) for axes in view_sets))
        total = sum(noisy.users)
        return cls(
            holds[some],
            tuple(own for own, on in zip(sets, some) if on),
            1 / np.maximum(spread * cells, 1e-18),
            np.maximum(spread * cells - value, 0),
            value,
            np.divide(1.0, users, out=np.zeros(len(users)), where=users > 0),
            1 / total if total else 0.0,
        )

    @property
    def depends_on_table(self) -> bool:
        """Whether enough of the covariance depends on the table for fits to gain from it."""
        more = self.value + self.sampling - self.everyone
        return bool((more > MIN_TABLE_SHARE * self.even).any())

    def share_variances(self, i: int, shares: np.ndarray) -> np.ndarray:
        """Return the variances (c,) of the measured shares of attribute i, if its true ones are `shares`."""
        weights = self.weights * self.holds[:, i]
        weights /= max(weights.sum(), 1e-300)
        counted = weights @ (self.sampling > 0)
        drawn = weights**2 @ self.sampling - self.everyone * counted**2
        size = len(shares)
        cells = weights**2 @ self.even / size + weights**2 @ self.value * shares
        # Measured shares sum to 1: each also bears its part of the errors of all cells.
        together = cells * (1 - 2 / size) + cells.sum() / size**2
        return together + max(drawn, 0.0) * shares * (1 - shares)

    def covariance(
        self,
        region: Subset,
        contrasts: Contrasts,
        table: np.ndarray,
        covariance: np.ndarray,
        *,
        include_means: bool = True,
    ) -> np.ndarray:
        """Return the covariance of the measured moments of a region's contrasts, shape (F, F).

        Parameters
        ----------
        region : tuple of int
            Positions of the attributes.
        contrasts : Contrasts
            Its contrasts.
        table : ndarray, shape (cells,)
            A table near the true one.
        covariance : ndarray, shape (F, F)
            Covariance of the contrasts under it.
        include_means : bool
            Whether to include `B E[c] E[c']`. Fits leave it out: raising cells measured below 0 lowers
            others, and with this term only the largest cells, which then err more than if all were
            lowered.
        """
        if not contrasts.subsets:
            return np.zeros((0, 0))
        owner, members = contrasts.owner, contrasts.membership
        inside = self.holds[:, list(region)].astype(float)
        measured = inside @ members.T == members.sum(axis=1)
        region_sets = [tuple(region[a] for a in s) for s in contrasts.subsets]
        # Views of parities measure some sets only.
        for row in np.flatnonzero(measured.any(axis=1)):
            view_sets = self.sets[row]
            if view_sets is not None:
                measured[row] &= [s in view_sets for s in region_sets]
        shares = measured * self.weights[:, None]
        shares = shares / np.maximum(shares.sum(axis=0), 1e-300)

        def spread(of: np.ndarray) -> np.ndarray:
            """Sum of one number per view, weighted by its shares in both sets."""
            return (shares.T @ (of[:, None] * shares))[owner[:, None], owner]

        # Groups are drawn without replacement; the number of users of some views is unknown (0).
        counted = (shares * (self.sampling > 0)[:, None]).sum(axis=0)[owner]
        drawn = spread(self.sampling) - self.everyone * np.outer(counted, counted)
        value = spread(self.value)
        found = (value + drawn) * covariance
        if include_means:
            mean = contrasts.moments(table[None])[0]
            found += value * np.outer(mean, mean)
        even = (shares**2 * self.even[:, None]).sum(axis=0) / contrasts.subset_cells
        found[np.diag_indices(len(owner))] += even[owner]
        return found
