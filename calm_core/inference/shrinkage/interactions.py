"""Measured interactions: the estimate and variance of every measured set of attributes.

In an orthonormal basis whose first vector is constant along every attribute, a view splits into one
block of coefficients per subset S of its attributes. Normalized by the attributes outside S, the
block R_S estimates a property of the population; it is averaged over all views that contain S,
weighted by inverse variance.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from calm_core.collection.aggregation import NoisyMarginals
from calm_core.errors import InputError
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.contrasts import transform_contrasts
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal, uniform

Subset = tuple[int, ...]


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

    Raises
    ------
    InputError
        If the shapes do not fit each other, or a variance is negative.
    """

    sizes: tuple[int, ...]
    subsets: np.ndarray
    values: np.ndarray
    variances: np.ndarray

    def __post_init__(self):
        m, contrasts = len(self.subsets), math.prod(size - 1 for size in self.sizes)
        shapes = self.subsets.shape, self.values.shape, self.variances.shape
        if shapes != ((m, len(self.sizes)), (m, contrasts), (m,)):
            raise InputError(
                f"subsets, values and variances of shapes {shapes} must have a row for every subset "
                f"of {len(self.sizes)} attributes with {contrasts} contrasts"
            )
        if not (self.variances >= 0).all():
            raise InputError("variances must be numbers from 0")


@dataclass(frozen=True, eq=False)
class Interactions:
    """R_S and V_S of every measured subset S of at most `order` attributes.

    Raises
    ------
    InputError
        If a family names attributes that the domain does not have, or of other sizes.

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

    def __post_init__(self):
        sizes = np.array(self.domain.sizes)
        for family in self.families:
            subsets = family.subsets
            known = not subsets.size or (subsets.min() >= 0 and subsets.max() < self.domain.d)
            if not known or not (sizes[subsets] == family.sizes).all():
                raise InputError(
                    f"the family of sizes {family.sizes} must be of attributes of the domain that "
                    "have these numbers of values"
                )

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
        batch = np.stack([noisy.tables[i].values for i in members])
        moved = transform_contrasts(batch.reshape(len(members), -1), sizes).reshape(batch.shape)
        positions = np.array([views[i] for i in members])
        spread = np.array([noisy.contrast_variances[i] for i in members])
        users = np.array([noisy.users[i] or math.inf for i in members])
        axes = [axis for axis in range(len(sizes)) if sizes[axis] > 1]
        for r in range(1, min(order, len(axes)) + 1):
            for subset in combinations(axes, r):
                if sets is not None and subset not in sets:
                    continue
                part = tuple(slice(1, None) if a in subset else 0 for a in range(len(sizes)))
                outside = math.prod(sizes) / math.prod(sizes[a] for a in subset)
                found = moved[(slice(None), *part)].reshape(len(members), -1) * math.sqrt(outside)
                weight = 1 / np.maximum(spread * outside, 1e-18)
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
            rows = np.flatnonzero(kept)
            family = Family(
                family.sizes, family.subsets[rows], family.values[rows], family.variances[rows]
            )
        found.append(family)
    return [family for family in found if len(family.subsets)]


def subsets_within(attrs: Iterable[int], order: int) -> list[Subset]:
    """Return the non-empty subsets of the positions with at most `order` members, small ones first."""
    attrs = tuple(attrs)
    return [s for r in range(1, min(order, len(attrs)) + 1) for s in combinations(attrs, r)]


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
            held.update(s for r in range(len(subset)) for s in combinations(subset, r + 1))
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
    size = math.prod(domain.sizes)
    moved, spread = np.zeros(domain.sizes), 0.0
    moved[(0,) * len(subset)] = 1 / math.sqrt(size)
    for r in range(1, len(subset) + 1):
        for axes in combinations(range(len(subset)), r):
            part = tuple(subset[a] for a in axes)
            at = tuple(slice(1, None) if a in axes else 0 for a in range(len(subset)))
            outside = size / math.prod(domain.sizes[a] for a in axes)
            values = found.values(part)
            moved[at] = values.reshape(moved[at].shape) / math.sqrt(outside)
            spread += values.size * found.variance(part) / outside
    values = transform_contrasts(moved.reshape(1, -1), domain.sizes, inverse=True).reshape(
        domain.sizes
    )
    return Marginal(domain, values), spread / max(size - 1, 1)
