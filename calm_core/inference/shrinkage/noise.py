"""The covariance of the measured moments, exactly, from the properties of the oracles.

The first fit treats the moments R_S as independent, with variances that do not depend on the table. But
cells of a view share their reports, and the variance of a report depends on its value: contrasts c and c'
of a view have the covariance `A c . c' + B E[c c']` under its true table (`Oracle.value_variance`), and
sampling users for a view adds the covariance of their values. Both are known once a table is fitted; if
they matter, it is fitted again.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from calm_core.collection.aggregation import NoisyMarginals
from calm_core.inference.shrinkage.interactions import Contrasts, Subset

# The covariance is used if the part that depends on the table is at least this share of the rest.
MIN_TABLE_SHARE = 0.3
# Standard deviation of a rare cell, in people. Below it CALM+ erred more than CALM on two tables of six, above it
# about as much or less (256 cells at once, epsilon 10 to 14).
FEW_PEOPLE = 1.6
# Tolerance for rounding, in people.
ROUNDING = 1e-6
# Smallest variance of a moment, and a ridge on the correlations.
MIN_MOMENT_VARIANCE, RIDGE = 1e-18, 1e-9


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


def whitening_matrix(covariance: np.ndarray) -> np.ndarray:
    """Return W, lower triangular, such that W' W is the inverse of a covariance (F, F)."""
    unit = np.sqrt(np.maximum(covariance.diagonal(), MIN_MOMENT_VARIANCE))
    together = covariance / np.outer(unit, unit)
    np.fill_diagonal(together, 1 + RIDGE)
    return np.linalg.inv(np.linalg.cholesky(together)) / unit
