"""Posterior standard deviation of every cell: noise, shrinkage and what was never measured.

The Laplace approximation at the fitted table. The reports measure the moments m_S with errors whose
inverse covariance is W'W as the fit took it (diag(1/V) where each erred alone), the prior holds the
coefficients lambda_S near their center with precision rho_S; moments move with coefficients as H, the
covariance of the contrasts under the table. So the coefficients have posterior precision
H W'W H + diag(rho), and a cell moves by p(x) (f(x) - m) per coefficient. Of an interaction that no view
holds W tells nothing: its prior is all that is known of it, which puts CALM's reconstruction error into
the interval. What this misses is added: how moments really err together (`noise`), and how far a cell
near 0 may be from its mode, also where the prior is no guide.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod

import numpy as np

from calm_core.inference.shrinkage.empirical_bayes import OrderPriors
from calm_core.inference.shrinkage.interactions import Subset, subsets_within
from calm_core.inference.shrinkage.log_linear import (
    Contrasts,
    Targets,
    contrasts_of_subsets,
    contrasts_up_to_order,
    count_contrasts,
    posterior_covariances,
)
from calm_core.inference.shrinkage.mixtures import TYPICAL_VARIANCE
from calm_core.inference.shrinkage.noise import MomentNoise
from calm_core.inference.shrinkage.priors import Knowledge
from calm_core.inference.shrinkage.region_fits import RegionFit

# Beyond this many contrasts the moments stand in for the Laplace approximation.
MAX_LAPLACE_CONTRASTS = 1_024
# Chance that the prior is no guide to a cell near the edge, of which then the reports alone tell.
PRIOR_DOUBT = 0.12
# Of the logarithm of a cell: beyond it anything is possible as far as the fit knows.
MAX_LOG_SPREAD = 600.0
# With a probability of nearly nothing an interval is as long as noise that is nearly nothing makes it.
MIN_QUANTILE = 1e-9


@dataclass(frozen=True, eq=False)
class LaplaceApproximation:
    """The Laplace approximation at one fitted table.

    Attributes
    ----------
    table : ndarray, shape (c_1, ..., c_k)
        The fit.
    moves : ndarray, shape (c_1, ..., c_k, F)
        Change of every cell with every coefficient.
    covariance : ndarray, shape (F, F)
        Posterior covariance of the coefficients.
    """

    table: np.ndarray
    moves: np.ndarray
    covariance: np.ndarray

    def deviations(self, axes: tuple[int, ...], inside: np.ndarray | None = None) -> np.ndarray:
        """Standard deviation of every cell of the marginal over some axes, or of the sum of those `inside`."""
        others = tuple(a for a in range(self.table.ndim) if a not in axes)
        moves = self.moves.sum(axis=others)
        if inside is not None:
            moves = moves[inside].sum(axis=0)
        return np.sqrt(np.maximum(((moves @ self.covariance) * moves).sum(axis=-1), 0))


def unmeasured_precision(known: Knowledge, order_priors: OrderPriors, subset: Subset) -> float:
    """Prior precision of a coefficient that was not measured.

    By the mean variance of its order, or of the largest order that was measured, falling from there
    on as usual variances do.
    """
    order = max(r for r in order_priors if r <= len(subset))
    fall = (TYPICAL_VARIANCE[3] / TYPICAL_VARIANCE[2]) ** (len(subset) - order)
    cells = prod(known.interactions.domain.sizes[i] for i in subset)
    return 1 / (cells * max(order_priors[order].variance * fall, 1e-12))


def laplace_approximation(
    known: Knowledge, order_priors: OrderPriors, fit: RegionFit, noise: MomentNoise, order: int
) -> LaplaceApproximation | None:
    """The Laplace approximation of a fitted table; None where it has too many contrasts.

    Parameters
    ----------
    known : Knowledge
        Variances of the reports.
    order_priors : mapping of int to Shrinkage
        The prior of every order, for what was not measured.
    fit : RegionFit
        The table and the priors it was found with.
    noise : Noise
        How the moments really err.
    order : int
        Largest interactions that what is asked may have. Of larger ones, outside it, only those count
        that were measured.
    """
    table = fit.table
    if count_contrasts(table.shape, order) > MAX_LAPLACE_CONTRASTS:
        return None
    own = dict(zip(fit.contrasts.subsets, fit.contrasts.parts))
    axes = [axis for axis, size in enumerate(table.shape) if size > 1]
    asked = set(subsets_within(axes, order)) - set(own)
    subsets = sorted([*own, *asked], key=lambda subset: (len(subset), subset))
    contrasts = contrasts_of_subsets(table.shape, tuple(subsets))
    count = len(contrasts.index)
    if count > MAX_LAPLACE_CONTRASTS:
        return None
    nothing = np.zeros((4, 1, count))
    common = np.zeros((1, len(fit.common), count))
    targets = Targets(nothing[0], nothing[1], nothing[2], nothing[3], common)
    for subset, part in zip(contrasts.subsets, contrasts.parts):
        key = tuple(fit.region[a] for a in subset)
        if subset in own:
            common[0, :, part] = fit.common[:, own[subset]]
        if len(key) == 1 or key in known.prior_variances:
            targets.precisions[0, part] = known.measured_precision(key)
            targets.priors[0, part] = fit.priors[own[subset]]
        else:
            targets.priors[0, part] = unmeasured_precision(known, order_priors, key)
    p = table.reshape(1, -1)
    moved = contrasts.covariances(p)
    targets = replace(targets, whitening=_whitening(fit, contrasts, targets))
    covariance = posterior_covariances(moved, targets)[0]
    covariance += _noise_correction(known, fit, contrasts, targets, moved, covariance, noise)
    matrix = contrasts.matrix()
    moves = (matrix * p).T - np.outer(p, matrix @ p[0])
    return LaplaceApproximation(table, moves.reshape(*table.shape, -1), covariance)


def _whitening(fit: RegionFit, contrasts: Contrasts, targets: Targets) -> np.ndarray:
    """W of a fit, of contrasts that hold its own, shape (1, F, F)."""
    if fit.whitening is None:
        return np.sqrt(targets.precisions)[:, :, None] * np.eye(len(contrasts.index))
    places = dict(zip(contrasts.subsets, contrasts.parts))
    index = np.arange(len(contrasts.index))
    own = np.concatenate([index[places[subset]] for subset in fit.contrasts.subsets])
    found = np.zeros((1, len(index), len(index)))
    found[0, own[:, None], own] = fit.whitening
    return found


def _noise_correction(known, fit, contrasts, targets, moved, covariance, noise) -> np.ndarray:
    """What the covariance of coefficients misses where moments err otherwise than the fit took them, (F, F).

    The mode moves by C H W' W with the errors of the moments, whatever their covariance is.
    """
    kept = np.ones(len(covariance))
    for subset, part in zip(contrasts.subsets, contrasts.parts):
        kept[part] = known.kept_share(tuple(fit.region[a] for a in subset))
    place = fit.region, contrasts, fit.table.ravel(), moved[0]
    off = noise.covariance(*place)
    if fit.whitening is None:
        off[np.diag_indices(len(off))] -= 1 / np.maximum(targets.precisions[0] * kept, 1e-300)
    else:
        off -= noise.covariance(*place, include_means=False)
    gain = covariance @ targets.whiten_covariance(moved)[0] @ targets.whitening[0] * kept
    return gain @ off @ gain.T


def moment_deviations(
    known: Knowledge,
    order_priors: OrderPriors,
    query: Subset,
    table: np.ndarray,
    inside: np.ndarray | None = None,
) -> np.ndarray:
    """Deviations of cells, or of the sum of those `inside`, from their moments as if these were independent."""
    k, sizes = table.ndim, table.shape
    shares = [table.sum(axis=tuple(b for b in range(k) if b != a)) for a in range(k)]
    total = np.zeros(sizes if inside is None else ())
    for r in range(1, k + 1):
        for subset in combinations(range(k), r):
            key = tuple(query[a] for a in subset)
            variance = known.variances.get(key)
            if variance is None:
                variance = prod(known.spreads[i] for i in key) ** 2 / unmeasured_precision(
                    known, order_priors, key
                )
            total += variance * _squares(shares, subset, inside)
    return np.sqrt(total)


def _squares(shares: list[np.ndarray], subset: Subset, inside: np.ndarray | None) -> np.ndarray:
    """How far cells, or the sum of those `inside`, move with all moments of a subset of axes, squared."""
    k = len(shares)
    found = np.ones([1] * k) if inside is None else inside.astype(float)
    for a, share in enumerate(shares):
        shape = [share.size if a == b else 1 for b in range(k)]
        if inside is None:
            found = found * (1 - 1 / share.size if a in subset else share.reshape(shape) ** 2)
        elif a in subset:
            found = found - found.mean(axis=a, keepdims=True)
        else:
            found = (found * share.reshape(shape)).sum(axis=a, keepdims=True)
    return found if inside is None else (found**2).sum()


def report_deviations(
    known: Knowledge,
    order_priors: OrderPriors,
    query: Subset,
    table: np.ndarray,
    noise: MomentNoise,
    inside: np.ndarray | None = None,
) -> np.ndarray:
    """Deviations of cells, or of the sum of those `inside`, by what the reports alone say of their moments.

    Moments that nobody measured are as uncertain as their prior.
    """
    contrasts = contrasts_up_to_order(table.shape, table.ndim)
    p = table.reshape(1, -1)
    found = noise.covariance(query, contrasts, p[0], contrasts.covariances(p)[0])
    share = np.empty(len(found))
    for subset, part in zip(contrasts.subsets, contrasts.parts):
        key = tuple(query[a] for a in subset)
        share[part] = prod(table.shape[a] for a in subset) / table.size
        if key not in known.interactions.index:
            found[part], found[:, part] = 0, 0
            guess = prod(known.spreads[i] for i in key) ** 2
            found[part, part] = np.eye(part.stop - part.start) * (
                guess / unmeasured_precision(known, order_priors, key)
            )
    cells = contrasts.matrix() * share[:, None]
    if inside is not None:
        cells = cells[:, inside.ravel()].sum(axis=1)
    found = np.sqrt(np.maximum((cells * (found @ cells)).sum(axis=0), 0))
    return found.reshape(table.shape) if inside is None else found


def cell_deviations(
    known: Knowledge,
    order_priors: OrderPriors,
    query: Subset,
    table: np.ndarray,
    around: LaplaceApproximation | None,
    axes: Subset,
    noise: MomentNoise,
    level: float,
    inside: np.ndarray | None = None,
) -> np.ndarray:
    """Posterior standard deviation of every cell of an answer, as its interval needs it.

    A sum of cells is a linear functional of the table as a cell is: all that is said of a cell holds of it.

    Parameters
    ----------
    known : Knowledge
        Variances and priors.
    order_priors : mapping of int to Shrinkage
        The prior of every order.
    query : tuple of int
        Positions of the k attributes.
    table : ndarray, shape (c_1, ..., c_k)
        The answer.
    around : Laplace or None
        The approximation at the fit that the answer is a marginal of.
    axes : tuple of int
        Axes of that fit's table that hold the attributes of the query.
    noise : Noise
        How the moments err.
    level : float
        Probability of the interval.
    inside : ndarray of bool, optional
        Cells whose sum is asked for, in place of all cells one by one.
    """
    if around is None:
        return moment_deviations(known, order_priors, query, table, inside)
    near = around.deviations(axes, inside)
    share = table if inside is None else table[inside].sum()
    # Coefficients move the logarithm of a cell: one whose interval would be cut at the edge may be many
    # times as large, and has an interval as long as that of its logarithm, as far as the reports alone
    # let it.
    from scipy.special import ndtri

    z, room = (
        max(ndtri((1 + level) / 2), MIN_QUANTILE),
        np.maximum(np.minimum(share, 1 - share), 1e-300),
    )
    far = room * np.sinh(np.minimum(z * near / room, MAX_LOG_SPREAD)) / z
    alone = report_deviations(known, order_priors, query, table, noise, inside)
    found = np.where(z * near > room, np.maximum(near, np.minimum(far, alone)), near)
    # A rare cell that the reports alone could not tell from an empty one is where the prior says most, and is
    # most often wrong: as a mixture of both has it.
    more = np.where(z * alone > room, np.maximum(alone**2 - found**2, 0), 0)
    return np.sqrt(found**2 + PRIOR_DOUBT * more)


def credible_interval(
    known: Knowledge,
    order_priors: OrderPriors,
    query: Subset,
    tables: Sequence[np.ndarray],
    around: LaplaceApproximation | None,
    axes: Subset,
    noise: MomentNoise,
    level: float,
    inside: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest plausible share of every cell, or of the sum of those `inside`.

    Parameters
    ----------
    tables : sequence of ndarray
        The answer that the interval is to lie around, that which the approximation is of, and others.

    Other parameters are those of `cell_deviations`.
    """
    deviations = cell_deviations(
        known, order_priors, query, tables[0], around, axes, noise, level, inside
    )
    # All cells together may be 1 and a little more.
    share, *others = (
        table if inside is None else np.clip(table[inside].sum(), 0, 1) for table in tables
    )
    for other in others:
        # Two answers from the same reports: what they differ by is not known better than that.
        deviations = np.hypot(deviations, share - other)
    reach = interval_reach(share, deviations, level)
    return np.maximum(share - reach, 0), np.minimum(share + reach, 1)


def interval_reach(centers: np.ndarray, deviations: np.ndarray, level: float) -> np.ndarray:
    """How far the most probable interval reaches to either side, for normal cells cut to [0, 1].

    A cell cannot be negative: where the interval is cut at an edge, all its probability lies on the
    other side, which therefore is shorter than that of an uncut normal distribution.

    Examples
    --------
    >>> interval_reach(np.array([0.5, 0.01]), np.array([0.01, 0.01]), 0.95).round(4).tolist()
    [0.0196, 0.0173]
    """
    sd = np.maximum(deviations, 1e-300)
    near, far = np.minimum(centers, 1 - centers) / sd, np.maximum(centers, 1 - centers) / sd
    from scipy.special import ndtr, ndtri

    inside = level * (ndtr(far) - ndtr(-near))
    both = ndtri((1 + inside) / 2)
    one = ndtri(np.minimum(inside + ndtr(-near), 1.0))
    return sd * np.minimum(np.where(both <= near, both, one), far)
