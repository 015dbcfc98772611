"""How the measured moments err together, exactly, from what is known of the oracles.

A first fit takes the moments R_S as if each erred alone and by as much whatever the table is. But a report
errs more where many people are, and the cells of a view share their reports: contrasts c and c' of a
view have the covariance `A c . c' + B E[c c']` under its true table (`Oracle.value_variance`), and
users who are drawn to report on a view that of their values. Both are known once a table is fitted; where
they make a difference it is fitted again.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from calm_core._checks import as_readonly
from calm_core.collection.aggregation import NoisyMarginals
from calm_core.inference.shrinkage.interactions import Subset
from calm_core.inference.shrinkage.log_linear import Contrasts

# Fits gain by knowing how moments err together where so much of it, as a share of the rest, depends on the table.
MIN_TABLE_SHARE = 0.3
# Standard deviation of a rare cell, in people, below which reports count them: below, CALM+ erred more on two tables
# of six, above about as much or less on these (256 cells asked at once, epsilon 10 to 14). Cells of many err more.
FEW_PEOPLE = 1.6
# Of a person, that numbers may be off by rounding.
ROUNDING = 1e-6
# Of a moment, and of what is left of it where others are known, as a share.
MIN_MOMENT_VARIANCE, RIDGE = 1e-18, 1e-9


def is_nearly_exact(noisy: NoisyMarginals, attrs: Iterable[str]) -> bool:
    """Whether everybody reported on these together, and the noise of a rare cell is that of very few people.

    Then hardly a report differs from the answer, and no prior knows better.
    """
    wanted, total = set(attrs), sum(noisy.users)
    cells = noisy.domain.cells_of(wanted)
    return any(
        total * math.sqrt(variance * table.values.size / cells) < FEW_PEOPLE
        for table, variance, users, told in zip(
            noisy.tables, noisy.variances, noisy.users, noisy.sets
        )
        if users == total > 0 and told is None and wanted <= set(table.attrs)
    )


def round_to_people(ends: tuple[np.ndarray, np.ndarray], noisy: NoisyMarginals) -> tuple:
    """The ends of intervals, outwards to the next number of people: where few reports are changed, most err by one."""
    total = sum(noisy.users)
    if not total:
        return ends
    low, high = (total * end for end in ends)
    return np.floor(low + ROUNDING) / total, np.minimum(np.ceil(high - ROUNDING) / total, 1.0)


@dataclass(frozen=True, eq=False)
class MomentNoise:
    """What the views tell of how moments err.

    Attributes
    ----------
    holds : ndarray of bool, shape (m, d)
        Which attributes each view holds.
    sets : tuple, length m
        Which sets of them it tells (positions), or None where that is all.
    weights : ndarray, shape (m,)
        Of a view in the average of all that hold a set, up to a factor of the set.
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
        """That of the views on which somebody reported."""
        some = np.isfinite(noisy.variances)
        cells = np.array([table.values.size for table in noisy.tables], dtype=float)[some]
        spread = np.array(noisy.contrast_variances)[some]
        value, users = np.array(noisy.value_variances)[some], np.array(noisy.users)[some]
        holds = np.zeros((len(noisy.tables), noisy.domain.d), dtype=bool)
        sets: list[frozenset[Subset] | None] = []
        for row, (table, told) in enumerate(zip(noisy.tables, noisy.sets)):
            at = noisy.domain.positions(table.attrs)
            holds[row, list(at)] = True
            if some[row]:
                sets.append(told and frozenset(tuple(at[a] for a in axes) for axes in told))
        total = sum(noisy.users)
        return cls(
            holds[some],
            tuple(sets),
            1 / np.maximum(spread * cells, 1e-18),
            np.maximum(spread * cells - value, 0),
            value,
            np.divide(1.0, users, out=np.zeros(len(users)), where=users > 0),
            1 / total if total else 0.0,
        )

    @property
    def depends_on_table(self) -> bool:
        """Whether enough of it depends on the table for fits to gain by knowing it."""
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
        """Of the moments of a region's contrasts that were measured, shape (F, F).

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
            Whether with `B E[c] E[c']`. Fits leave it out: since no cell can be negative, a fit has to take
            elsewhere what cells that are measured below 0 lack. Taken from where errors are largest it
            is all taken from the largest cells, which are then worse than if each had its share.
        """
        if not contrasts.subsets:
            return np.zeros((0, 0))
        members, owner, cells = _layout(contrasts)
        inside = self.holds[:, list(region)].astype(float)
        held = inside @ members.T == members.sum(axis=1)
        asked = [tuple(region[a] for a in s) for s in contrasts.subsets]
        # Of views that tell some sets only, those within the region; most have nothing there.
        for row in np.flatnonzero(held.any(axis=1)):
            told = self.sets[row]
            if told is not None:
                held[row] &= [s in told for s in asked]
        shares = held * self.weights[:, None]
        shares = shares / np.maximum(shares.sum(axis=0), 1e-300)

        def spread(of: np.ndarray) -> np.ndarray:
            """sum over the views of their number, by the shares they have in both sets."""
            return (shares.T @ (of[:, None] * shares))[owner[:, None], owner]

        # Groups are drawn from all who report without return; of some views nobody knows how many did.
        counted = (shares * (self.sampling > 0)[:, None]).sum(axis=0)[owner]
        drawn = spread(self.sampling) - self.everyone * np.outer(counted, counted)
        value = spread(self.value)
        found = (value + drawn) * covariance
        if include_means:
            mean = contrasts.moments(table[None])[0]
            found += value * np.outer(mean, mean)
        even = (shares**2 * self.even[:, None]).sum(axis=0) / cells
        found[np.diag_indices(len(owner))] += even[owner]
        return found


@lru_cache(maxsize=32)
def _layout(contrasts: Contrasts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which axes every set has (S, axes), the set of every contrast (F,), and the cells of every set (S,)."""
    members = np.zeros((len(contrasts.subsets), len(contrasts.sizes)))
    for row, subset in enumerate(contrasts.subsets):
        members[row, list(subset)] = 1
    counts = [part.stop - part.start for part in contrasts.parts]
    owner = np.repeat(np.arange(len(counts)), counts)
    cells = np.array([math.prod(contrasts.sizes[a] for a in s) for s in contrasts.subsets])
    return as_readonly(members), as_readonly(owner), as_readonly(cells)


def whitening_matrix(covariance: np.ndarray) -> np.ndarray:
    """W, lower triangular, of which W' W is the inverse of a covariance (F, F)."""
    unit = np.sqrt(np.maximum(covariance.diagonal(), MIN_MOMENT_VARIANCE))
    together = covariance / np.outer(unit, unit)
    np.fill_diagonal(together, 1 + RIDGE)
    return np.linalg.inv(np.linalg.cholesky(together)) / unit
