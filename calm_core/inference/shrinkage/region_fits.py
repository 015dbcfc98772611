"""Local problems: what the fits of regions of one shape start from, and what they come to."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calm_core.inference.shrinkage.interactions import Subset, subsets_within
from calm_core.inference.shrinkage.log_linear import (
    Contrasts,
    Fits,
    Targets,
    contrasts_of_subsets,
    find_modes,
    tables_from_exponents,
)
from calm_core.inference.shrinkage.mixtures import TYPICAL_VARIANCE, Posterior
from calm_core.inference.shrinkage.noise import MomentNoise, whitening_matrix
from calm_core.inference.shrinkage.priors import FLAT_PRECISION, MIN_VARIANCE, Knowledge
from calm_core.runtime.cancellation import checkpoint

# DOC of merged: """The center of the prior of one region: the same strength for the first contrast of every pair.
#
# What is known of a region before its interactions are looked at is its one-way tables and how strong
# pairs are on the average. The log-linear table with the coefficients of single attributes and one common
# coefficient t of `sum_ij w_ij f_ij,1`, w_ij = sqrt(L_ij) / number of pairs, that has these one-way
# moments and the mean of the expected pairs' moments always exists, however strong the pairs are. A table
# in which every single pair has the mean correlation need not exist.
# """
#

# Pull towards 0: keeps coefficients finite where a cell is empty, and the common one where the mean
# correlation is more than these attributes can have.
CENTER_RIDGE, COMMON_RIDGE = 1e-6, 1e-2
CENTER_STEPS, CENTER_TOLERANCE = 60, 1e-6


def _expected_moments(known: Knowledge, region: Subset, weights: dict[Subset, float]) -> np.ndarray:
    """Moments of single attributes, and of the common feature in their signs, before pairs are looked at."""
    alone = [known.contrasts[i] for i in region]
    common = 0.0
    for (a, b), weight in weights.items():
        i, j = region[a], region[b]
        turned = known.signs[i] * known.signs[j]
        apart = turned * known.contrasts[i][0] * known.contrasts[j][0]
        common += weight * (apart + known.pair_mean * np.sqrt(known.spreads[i] * known.spreads[j]))
    return np.append(np.concatenate(alone), common)


def find_prior_centers(
    known: Knowledge, contrasts: Contrasts, regions: Sequence[Subset]
) -> np.ndarray:
    """Prior means of all coefficients of regions of one shape, shape (Q, F)."""
    pairs = [s for s in contrasts.subsets if len(s) == 2]
    first = {s: p.start for s, p in zip(contrasts.subsets, contrasts.parts) if len(s) == 2}
    weights = {
        (a, b): np.sqrt(contrasts.sizes[a] * contrasts.sizes[b]) / len(pairs) for a, b in pairs
    }
    singles = sum(size - 1 for size in contrasts.sizes)
    basis = np.zeros((singles + 1, len(contrasts.index)))
    basis[:singles, :singles] = np.eye(singles)
    for pair in pairs:
        basis[singles, first[pair]] = weights[pair]
    features = contrasts.exponents(basis)
    signs = contrasts.sign_factors(known.signs[np.array(regions)])
    targets = np.array([_expected_moments(known, region, weights) for region in regions])
    targets[:, :singles] *= signs[:, :singles]
    found = (
        _fit_ridge(features, targets, np.append(np.full(singles, CENTER_RIDGE), COMMON_RIDGE))
        @ basis
    )
    return found * signs


def _fit_ridge(features: np.ndarray, targets: np.ndarray, ridge: np.ndarray) -> np.ndarray:
    """Coefficients of the ridge-penalized tables of maximum entropy, by damped Newton steps."""
    found = np.zeros(targets.shape)
    todo, diagonal = np.arange(len(targets)), np.arange(len(ridge))
    for _ in range(CENTER_STEPS):
        checkpoint()
        now = found[todo]
        p = tables_from_exponents(now @ features)
        mean = p @ features.T
        gradient = targets[todo] - mean - ridge * now
        going = np.abs(gradient).max(axis=1, initial=0) > CENTER_TOLERANCE
        if not going.any():
            break
        todo, p, mean, gradient = todo[going], p[going], mean[going], gradient[going]
        root = features * np.sqrt(p)[:, None, :]
        hessian = root @ root.transpose(0, 2, 1) - mean[:, :, None] * mean[:, None, :]
        hessian[:, diagonal, diagonal] += ridge
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        # A step of log(1 + s) / s never overshoots where the exponent changes by a spread of s.
        spread = np.maximum(np.ptp(step @ features, axis=1), 1e-9)
        found[todo] += (np.log1p(spread) / spread)[:, None] * step
    return found


# A precision that holds a coefficient at its center, for subsets no view contains.
UNMEASURED_PRECISION = 1e8
# Fits of so many numbers at once keep the memory of thousands of regions small.
MAX_BATCH_NUMBERS = 1_000_000


@dataclass(frozen=True, eq=False)
class RegionFit:
    """A fitted table over the attributes at some positions.

    Attributes
    ----------
    region : tuple of int
        Positions of the attributes, one for every axis.
    table : ndarray
        The mode.
    converged : bool
        Whether it is one.
    trust : ndarray
        Its share, from 0 to 1, in the answers to up to two, three, ... attributes that CALM can give without it.
    priors : ndarray, shape (F,)
        Prior precisions of the coefficients, as uncertain as they are themselves.
    common : ndarray, shape (R, F)
        What the coefficients had in common a priori, see `Targets`.
    contrasts : Contrasts
        Features of the coefficients.
    whitening : ndarray, shape (F, F), optional
        How what was measured was taken to err together, see `Targets`.
    """

    region: Subset
    table: np.ndarray
    converged: bool
    trust: np.ndarray
    priors: np.ndarray
    common: np.ndarray
    contrasts: Contrasts
    whitening: np.ndarray | None = None

    def axes_of(self, query: Subset) -> Subset:
        """Axes of the table that hold the attributes of a query."""
        return tuple(self.region.index(i) for i in query)

    def trust_for(self, count: int) -> float:
        """Its share in answers to so many attributes."""
        return float(self.trust[min(max(count - 2, 0), len(self.trust) - 1)])

    def marginal(self, query: Subset) -> np.ndarray:
        """The table summed over all attributes but those of a query."""
        kept = self.axes_of(query)
        return self.table.sum(axis=tuple(a for a in range(self.table.ndim) if a not in kept))


@dataclass(frozen=True, eq=False)
class RegionProblem:
    """The fits of Q regions of one shape.

    Attributes
    ----------
    regions : tuple of tuple of int
        Positions of the attributes.
    contrasts : Contrasts
        Features, pairs before higher orders.
    targets : Targets
        What the tables are fitted to.
    wide_precisions : ndarray, shape (Q, F)
        Prior precisions that leave as much uncertainty as the mixtures do, at most the `targets`'.
    start : ndarray, shape (Q, F)
        Coefficients to start from.
    kept_shares : ndarray, shape (Q, F)
        Which share of what was measured the moments keep.
    """

    regions: tuple[Subset, ...]
    contrasts: Contrasts
    targets: Targets
    wide_precisions: np.ndarray
    start: np.ndarray
    kept_shares: np.ndarray

    @property
    def interaction_mask(self) -> np.ndarray:
        """Which contrasts are of several attributes and were measured, shape (Q, F)."""
        alone = sum(size - 1 for size in self.contrasts.sizes)
        measured = self.targets.precisions > 0
        return measured & (np.arange(measured.shape[1]) >= alone)

    def keys(self, order: int) -> list[list[Subset]]:
        """The sets of one order of every region, by their positions in the domain."""
        within = [s for s in self.contrasts.subsets if len(s) == order]
        return [[tuple(region[a] for a in s) for s in within] for region in self.regions]

    def fit(self) -> Fits:
        """The modes under the present priors."""
        if not self.start.size:
            ones = np.ones((len(self.regions), 1))
            return Fits(ones, self.start, ones[:, 0] > 0)
        return find_modes(self.contrasts, self.targets, self.start)

    def with_joint_noise(self, fits: Fits, noise: MomentNoise) -> "RegionProblem":
        """The same from given fits on, with moments that err together as they do under the fitted tables."""
        moved = self.contrasts.covariances(fits.tables)
        whitening = np.zeros_like(moved)
        for row, region in enumerate(self.regions):
            checkpoint()
            (on,) = np.nonzero(self.targets.precisions[row])
            told = noise.covariance(
                region, self.contrasts, fits.tables[row], moved[row], include_means=False
            )
            # The prior of one attribute is in its moments: they are that much surer than they err.
            told *= np.sqrt(np.outer(self.kept_shares[row], self.kept_shares[row]))
            whitening[row, on[:, None], on] = whitening_matrix(told[on[:, None], on])
        targets = replace(self.targets, whitening=whitening)
        return replace(self, targets=targets, start=fits.coefficients)

    def with_priors(
        self, fits: Fits, strengths: Mapping[int, Posterior], common: Mapping[int, float]
    ) -> "RegionProblem":
        """The same from given fits on, with what is known of the sets (Q, sets) of every order."""
        priors, wide = self.targets.priors.copy(), self.wide_precisions.copy()
        at = dict.fromkeys(strengths, 0)
        for subset, part in zip(self.contrasts.subsets, self.contrasts.parts):
            order = len(subset)
            if order > 1:
                cells = math.prod(self.contrasts.sizes[a] for a in subset)
                measured = self.targets.precisions[:, part.start] > 0
                for rho, s2 in (
                    (priors, strengths[order].mean_matched),
                    (wide, strengths[order].variance_matched),
                ):
                    rho[measured, part] = 1 / (cells * s2[measured, at[order], None])
                at[order] += 1
        believed = self.targets.common * _common_scale(common, self.targets.common.shape[1])
        targets = replace(self.targets, priors=priors, common=believed)
        return replace(self, targets=targets, wide_precisions=wide, start=fits.coefficients)

    def select(self, rows: np.ndarray, fits: Fits, looser: float) -> "RegionProblem":
        """Some of the regions, from given fits on, their interactions under looser priors."""
        targets = self.targets.select(rows)
        by = np.where(self.interaction_mask[rows], looser, 1.0)
        regions = tuple(region for region, row in zip(self.regions, rows) if row)
        return RegionProblem(
            regions,
            self.contrasts,
            replace(targets, priors=by * targets.priors),
            by * self.wide_precisions[rows],
            fits.coefficients[rows],
            self.kept_shares[rows],
        )

    def to_region_fits(self, fits: Fits, trust: np.ndarray) -> dict[Subset, RegionFit]:
        """The fits by their regions; how far each is trusted (Q, R)."""
        whitening = self.targets.whitening
        return {
            region: RegionFit(
                region,
                fits.tables[row].reshape(self.contrasts.sizes),
                bool(fits.converged[row]),
                trust[row],
                self.wide_precisions[row],
                self.targets.common[row],
                self.contrasts,
                None if whitening is None else whitening[row],
            )
            for row, region in enumerate(self.regions)
        }


def _modeled_subsets(known: Knowledge, region: Subset) -> tuple[Subset, ...]:
    """The sets of axes of a region that its fit has coefficients of: all pairs, and what else was measured."""
    sizes, index = known.interactions.domain.sizes, known.interactions.index
    axes = [axis for axis, i in enumerate(region) if sizes[i] > 1]
    within = subsets_within(axes, max(2, known.interactions.order))
    return tuple(s for s in within if len(s) <= 2 or tuple(region[a] for a in s) in index)


def _common_directions(contrasts: Contrasts, measured: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """What the first contrasts of the measured sets of every order have in common in their signs, (Q, R, F).

    It is as uncertain as the strength of one usual set. A common mean of N strengths is worth finding from four of them on (Efron and Morris 1975): it
    counts by the share (N - 3) / N.
    """
    orders = {len(subset) for subset in contrasts.subsets if len(subset) > 1}
    first = np.zeros((len(orders), len(contrasts.index)))
    for subset, part in zip(contrasts.subsets, contrasts.parts):
        if len(subset) > 1:
            cells = math.prod(contrasts.sizes[a] for a in subset)
            usual = TYPICAL_VARIANCE.get(len(subset), TYPICAL_VARIANCE[3])
            first[len(subset) - 2, part.start] = math.sqrt(usual * cells)
    common = first * (measured * contrasts.sign_factors(signs))[:, None, :]
    count = np.maximum((common != 0).sum(axis=2, keepdims=True), 3)
    return common * np.sqrt((count - 3) / count)


def _common_scale(common: Mapping[int, float], orders: int) -> np.ndarray:
    """By how much less is common a priori, where it is doubted that anything is, shape (R, 1)."""
    return np.sqrt([[common.get(order, 1.0)] for order in range(2, orders + 2)]).reshape(-1, 1)


def build_problem(known: Knowledge, regions: Sequence[Subset]) -> RegionProblem:
    """Gather what the fits of regions (positions) start from, of one shape and with the same sets measured."""
    sizes = tuple(known.interactions.domain.sizes[i] for i in regions[0])
    contrasts = contrasts_of_subsets(sizes, _modeled_subsets(known, regions[0]))
    shape = len(regions), len(contrasts.index)
    moments, precisions, kept = np.zeros(shape), np.zeros(shape), np.ones(shape)
    priors, wide = np.full(shape, UNMEASURED_PRECISION), np.full(shape, UNMEASURED_PRECISION)
    positions = list(zip(*regions))
    for subset, part in zip(contrasts.subsets, contrasts.parts):
        keys = list(zip(*(positions[a] for a in subset)))
        if len(subset) == 1:
            # The prior of one attribute is in its target already.
            moments[:, part] = [known.target(key) for key in keys]
            precisions[:, part] = [[known.measured_precision(key)] for key in keys]
            kept[:, part] = [[known.kept_share(key)] for key in keys]
            priors[:, part] = wide[:, part] = FLAT_PRECISION
            continue
        rows = [row for row, key in enumerate(keys) if key in known.prior_variances]
        if rows:
            told, cells = [keys[row] for row in rows], math.prod(sizes[a] for a in subset)
            moments[rows, part], variances = known.interactions.get_batch(told)
            precisions[rows, part] = 1 / np.maximum(variances, MIN_VARIANCE)[:, None]
            for rho, s2 in ((priors, known.prior_variances), (wide, known.wide_variances)):
                rho[rows, part] = 1 / (cells * np.array([[s2[key]] for key in told]))
    centers = find_prior_centers(known, contrasts, regions) if len(contrasts.index) else moments
    common = _common_directions(contrasts, precisions > 0, known.signs[np.array(regions)])
    common *= _common_scale(known.common, common.shape[1])
    targets = Targets(moments, precisions, centers, priors, common)
    return RegionProblem(tuple(regions), contrasts, targets, wide, centers, kept)


def build_problems(known: Knowledge, regions: Sequence[Subset]) -> list[RegionProblem]:
    """The problems of all regions, those that are alike together as far as memory allows."""
    kinds: dict[tuple, list[Subset]] = {}
    for region in dict.fromkeys(regions):
        sizes = tuple(known.interactions.domain.sizes[i] for i in region)
        kinds.setdefault((sizes, _modeled_subsets(known, region)), []).append(region)
    problems = []
    for (sizes, subsets), alike in kinds.items():
        checkpoint()
        count = len(contrasts_of_subsets(sizes, subsets).index)
        together = max(1, MAX_BATCH_NUMBERS // max(1, math.prod(sizes) * count))
        parts = (alike[i : i + together] for i in range(0, len(alike), together))
        problems += [build_problem(known, part) for part in parts]
    return problems
