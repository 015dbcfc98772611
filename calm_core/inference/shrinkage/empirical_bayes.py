"""Empirical Bayes: learn the priors from the fits, and adapt them where residuals are too large.

1. Cavities. A coefficient block lambda_S over L_S cells is z_S = lambda_S / sqrt(L_S) on a scale that does
not depend on the one-way tables; its prior is z_S ~ N(center, s_S^2). Near a fitted table the coefficients
have posterior precision A = H diag(1/V) H + diag(rho). Of the variance v_S, the mean of the diagonal of
A^-1 over S, the reports contribute the share phi_S = 1 - rho_S v_S; without its own prior the coefficient
would be at center + (lambda_S - center) / phi_S with variance v_S / phi_S (the cavity of expectation
propagation, Minka 2001). From these noisy strengths `priors` learns the prior of each order, which all
later fits use. A second round, from the fits under these priors, is used if its estimated error is smaller.

2. Discrepancy (Morozov 1966). Near a mode the residuals of the measurements, in units of their noise, are
normal with the covariance K = 1 - D^1/2 H A^-1 H D^1/2, D = diag(1/V), if the population follows the
priors. Their sum of squares has mean tr K, the prior's share of all measurements, and variance 2 tr K^2.
Sums run over the moments of sets of up to each order, since tables of so many attributes consist of these.
Regions with larger residuals are fitted again under looser priors, so that the error falls with the noise
whatever the population is. Where answers are still farther from the reports than expected they are mixed with
CALM's, the fit having the weight of the best mean of fit and reports (James and Stein 1961), and at most that
of the best mean of fit and CALM's answer, where this is better beyond noise. The smaller the prior's share,
the less priors gain, and the larger the weight of CALM's answer too.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from calm_core.inference.shrinkage.calm_share import (
    CalmAnswer,
    answer_weights,
    order_ends,
    weigh_beside_calm,
)
from calm_core.inference.shrinkage.interactions import (
    Contrasts,
    MomentNoise,
    Subset,
)
from calm_core.inference.shrinkage.log_linear import (
    Fits,
    LargeSystem,
    Targets,
    diagonal_covariances,
    posterior_covariances,
)
from calm_core.inference.shrinkage.priors import (
    SPARSE_PROBABILITY,
    TYPICAL_VARIANCE,
    Evidence,
    Knowledge,
    MixturePrior,
    Posterior,
    compute_posterior,
    fit_mixture,
    nonzero_probability,
    strength_scales,
)
from calm_core.inference.shrinkage.regions import RegionFit, RegionProblem
from calm_core.runtime.cancellation import checkpoint

# Residuals may exceed their expectation by so many standard deviations.
EXCESS = 3.0


class ExpectedSums(NamedTuple):
    """Mean and variance of sums of squares over moments of at most one, two, ... axes, both (Q, R)."""

    mean: np.ndarray
    variance: np.ndarray

    def is_exceeded(self, found: np.ndarray) -> np.ndarray:
        """Whether one of the sums (Q, R) is larger than chance explains, shape (Q,)."""
        return np.any(found > self.mean + EXCESS * np.sqrt(self.variance), axis=1)


class ResidualCheck(NamedTuple):
    """How the residuals of fits compare with what is expected of them.

    Attributes
    ----------
    is_exceeded : ndarray of bool, shape (Q,)
        Whether residuals are too large.
    helped : ndarray, shape (Q,)
        The prior's share of the measurements.
    """

    is_exceeded: np.ndarray
    helped: np.ndarray


class PriorGains(NamedTuple):
    """Gains for answers to all sets of one, two, ... axes, the rows of `_weights`.

    Attributes
    ----------
    share : ndarray, shape (Q, rows)
        Reduction of the squared error by the best mean of fit and measurements, as a share of theirs.
    doubt : ndarray, shape (Q, rows)
        0 where residuals are as large as expected or smaller, 1 from one standard deviation above on.
    weight : ndarray, shape (Q, rows)
        Weight of the fit in the best mean.
    noise, followed : ndarray, shape (Q, F)
        Variance of every measured moment, and covariance of its noise with the fitted one.
    """

    share: np.ndarray
    doubt: np.ndarray
    weight: np.ndarray
    noise: np.ndarray
    followed: np.ndarray


def residual_sums(contrasts: Contrasts, fits: Fits, targets: Targets) -> np.ndarray:
    """Return the sums of squared residuals, in units of their noise, shape (Q, R)."""
    off = contrasts.moments(fits.tables) - targets.moments
    return _sum_by_order(contrasts, targets.whiten(off) ** 2)


def expected_sums(contrasts: Contrasts, fits: Fits, targets: Targets) -> ExpectedSums:
    """Return mean and variance of `residual_sums`; estimated from a few quadratic forms for large tables."""
    if not contrasts.dense:
        each = zip(fits.tables, targets.precisions, targets.priors, targets.low_rank)
        systems = [LargeSystem(contrasts, *one) for one in each]
        ends = order_ends(contrasts).values()
        shares = np.array([[one.estimate_prior_share(end) for end in ends] for one in systems])
        return ExpectedSums(shares[..., 0], shares[..., 1])
    moved = contrasts.covariances(fits.tables)
    inverse = posterior_covariances(moved, targets)
    moved = targets.whiten_covariance(moved)
    left = -moved.transpose(0, 2, 1) @ inverse @ moved
    diagonal = np.arange(left.shape[1])
    left[:, diagonal, diagonal] += targets.precisions > 0
    mean = _sum_by_order(contrasts, np.einsum("qff->qf", left))
    ends = order_ends(contrasts).values()
    squares = [(left[:, :end, :end] ** 2).sum(axis=(1, 2)) for end in ends]
    return ExpectedSums(mean, 2 * np.stack(squares, axis=1))


def compute_gains(contrasts: Contrasts, fits: Fits, targets: Targets) -> PriorGains:
    """Return what the priors gain for answers.

    Squared deviations of cells from the measurements sum to R. If the population follows the priors, R is E
    on average, and E is the gain; otherwise the best mean of both answers takes a share E / R of the fit and
    gains E^2 / R of the noise (James and Stein 1961).
    """
    moved, noise = contrasts.covariances(fits.tables), targets.noise_covariance()
    left = noise - moved @ posterior_covariances(moved, targets) @ moved
    squares = (contrasts.moments(fits.tables) - targets.moments) ** 2
    found = []
    for row in answer_weights(contrasts):
        weights = row * (targets.precisions > 0)
        root = np.sqrt(weights)
        spread = np.sqrt(2 * ((root[:, :, None] * left * root[:, None, :]) ** 2).sum(axis=(1, 2)))
        gained, whole = (np.einsum("qf,qff->q", weights, one) for one in (left, noise))
        off = (weights * squares).sum(axis=1)
        weight = np.minimum(1, gained / np.maximum(off, 1e-300))
        share = gained * weight / np.maximum(whole, 1e-300)
        # Where nothing is shrunk, rounding is no doubt.
        doubt = np.clip((off - gained) / np.maximum(spread, 1e-6 * whole + 1e-300), 0, 1)
        found.append((share, doubt, weight))
    diagonals = (np.einsum("qff->qf", one) for one in (noise, noise - left))
    return PriorGains(*np.stack(found, axis=2), *diagonals)


def estimate_followed_noise(
    contrasts: Contrasts, fits: Fits, targets: Targets
) -> tuple[np.ndarray, np.ndarray]:
    """Return `noise` and `followed` of `PriorGains` for large tables: estimated without bias, both (Q, F)."""
    noise = np.divide(
        1, targets.precisions, out=np.zeros(targets.moments.shape), where=targets.precisions > 0
    )
    each = zip(fits.tables, targets.precisions, targets.priors, targets.low_rank)
    followed = [LargeSystem(contrasts, *one).estimate_gains() for one in each]
    return noise, noise * np.stack(followed)


def expected_sums_diagonal(contrasts: Contrasts, fits: Fits, targets: Targets) -> ExpectedSums:
    """Return the same as if coefficients were independent: quick, and an underestimate over all orders."""
    held = (targets.precisions > 0) * targets.priors * diagonal_variances(contrasts, fits, targets)
    return ExpectedSums(_sum_by_order(contrasts, held), _sum_by_order(contrasts, 2 * held**2))


def diagonal_variances(contrasts: Contrasts, fits: Fits, targets: Targets) -> np.ndarray:
    """Return the diagonal of A^-1 as if coefficients were independent, shape (Q, F): a lower bound."""
    if contrasts.dense:
        matrix = contrasts.matrix()
        moved = fits.tables @ (matrix**2).T - (fits.tables @ matrix.T) ** 2
    else:
        moved = np.array([diagonal_covariances(contrasts, table) for table in fits.tables])
    return 1 / (moved**2 * targets.precisions + targets.priors)


def _sum_by_order(contrasts: Contrasts, terms: np.ndarray) -> np.ndarray:
    """Sums over the coefficients (Q, F) of sets of at most one, two, ... axes, shape (Q, R)."""
    return np.cumsum(terms, axis=1)[:, [end - 1 for end in order_ends(contrasts).values()]]


# Limits on the reports' share where the prior dominates.
MIN_SHARE, MIN_DIVISOR = 1e-6, 0.1
# Up to this size the matrix of contrasts is built for a single inverse even if it is too large for every step.
MAX_INVERTED_NUMBERS = 2**20


class CavityEvidence(NamedTuple):
    """Evidence about the strengths of the sets of some regions.

    Attributes
    ----------
    sets : mapping of int to Evidence
        Evidence about every set of several axes, by order, in arrays of shape (Q, sets of the order).
        It is meaningless for unmeasured sets.
    common : ndarray, shape (Q, R)
        Weight of the common direction of every order, from 0 to 1.
    """

    sets: Mapping[int, Evidence]
    common: np.ndarray


def compute_cavities(problem: RegionProblem, fits: Fits, alike: float = 0.0) -> CavityEvidence:
    """Return the evidence about the strength of every set of several axes.

    `alike` is the probability that there is a common direction for certain.
    """
    contrasts, targets = problem.contrasts, problem.targets
    if not problem.start.size:
        return CavityEvidence({}, np.ones(targets.common.shape[:2]))
    own = replace(targets, common=np.zeros_like(targets.common))
    if contrasts.cells * len(contrasts.index) > MAX_INVERTED_NUMBERS:
        variances = diagonal_variances(contrasts, fits, own)
        believed = np.ones(targets.common.shape[:2])
    else:
        inverse = posterior_covariances(contrasts.covariances(fits.tables), own)
        variances = np.einsum("qff->qf", inverse)
        believed = _common_share(fits, targets, inverse, alike)
    # The common part is taken as known: it belongs to the center.
    common = targets.common * np.sqrt(believed)[:, :, None]
    settled = replace(targets, common=common).with_common_fixed(fits.coefficients)
    found: dict[int, list[Evidence]] = {}
    for subset, part, scale in zip(
        contrasts.subsets, contrasts.parts, strength_scales(contrasts)[0]
    ):
        if len(subset) == 1:
            continue
        spread = variances[:, part].mean(axis=1)
        share = np.clip(1 - settled.priors[:, part.start] * spread, MIN_SHARE, 1)
        off = (fits.coefficients - settled.centers)[:, part]
        off = off / np.maximum(share, MIN_DIVISOR)[:, None]
        dims = np.full(len(off), float(off.shape[1]))
        seen = Evidence(off[:, 0], (off**2).sum(axis=1), spread / share, dims)
        found.setdefault(len(subset), []).append(seen.divided_by(math.sqrt(scale)))
    sets = {
        order: Evidence(*(np.stack(column, axis=1) for column in zip(*parts)))
        for order, parts in found.items()
    }
    return CavityEvidence(sets, believed)


def _common_share(fits: Fits, targets: Targets, inverse: np.ndarray, alike: float) -> np.ndarray:
    """Return the weight of each common direction that leaves its posterior mean unchanged, (Q, R).

    The posterior precision of the common amount is 1 + C (D - D A^-1 D) C', where C are the common
    directions and D the prior precisions. Its mean is multiplied by the probability that it is not 0.
    """
    weighed = targets.common * targets.priors[:, None, :]
    precision = weighed @ targets.common.transpose(0, 2, 1)
    precision -= weighed @ inverse @ weighed.transpose(0, 2, 1)
    left = np.einsum("qrr->qr", np.linalg.inv(precision + np.eye(precision.shape[1])))
    chance = nonzero_probability(targets.common_amounts(fits.coefficients) ** 2 / left, left)
    chance = alike + (1 - alike) * chance
    return chance * left / np.maximum(left + (1 - left) * (1 - chance), 1e-300)


# Factor on prior precisions that residuals contradict, and how often it is applied.
LOOSENING_FACTOR, MAX_LOOSENINGS = 0.3, 8
# Prior's share of the measurements below which CALM answers where it can, and from which on the fit is trusted:
# with a small share priors gain less than one wrong prior loses.
MIN_PRIOR_SHARE, TRUSTED_PRIOR_SHARE, NEARLY_FLAT = 0.1, 0.4, 1e-4
# Reduction of the estimated squared error of a region, in noise variances of a moment, required of a second round.
MIN_GAIN = 2.0

OrderPriors = Mapping[int, MixturePrior]


def learn_strengths(
    known: Knowledge, problems: Sequence[RegionProblem], noise: MomentNoise | None
) -> tuple[Knowledge, OrderPriors, list[RegionProblem]]:
    """Learn the strength of every measured set and the prior of every order from some regions.

    Parameters
    ----------
    known : Knowledge
        The first priors.
    problems : sequence of RegionProblem
        The problems of the regions.
    noise : MomentNoise, optional
        As for `fit_with_adaptive_priors`.

    Returns
    -------
    known : Knowledge
        With the updated `prior_variances` and `wide_variances`.
    order_priors : mapping of int to MixturePrior
        The prior of every order.
    problems : list of RegionProblem
        The problems under these priors.
    """
    fits = [problem.fit() for problem in problems]
    first = _learn_from(known, problems, fits, known.common_mean_probability)
    refitted = [_refit_with_joint_noise(problem, problem.fit(), noise) for problem in first[2]]
    fits = [fit for _, fit in refitted]
    first = (*first[:2], [problem for problem, _ in refitted])
    # The common directions were already weighted in the first round.
    again = _learn_from(first[0], first[2], fits, 1.0)
    better = [problem.fit() for problem in again[2]]
    gain = _estimated_error(first[2], fits) - _estimated_error(again[2], better)
    (known, order_priors, problems), fits = (again, better) if gain > MIN_GAIN else (first, fits)
    return known, order_priors, [replace(p, start=f.coefficients) for p, f in zip(problems, fits)]


def _learn_from(
    known: Knowledge, problems: Sequence[RegionProblem], fits: Sequence[Fits], undoubted: float
) -> tuple[Knowledge, OrderPriors, list[RegionProblem]]:
    """Learn the priors from given fits; `undoubted` is the probability that common directions are certain."""
    prior_variances, wide = dict(known.prior_variances), dict(known.wide_variances)
    order_priors: dict[int, MixturePrior] = {}
    seen = [compute_cavities(*each, undoubted) for each in zip(problems, fits)]
    for order in range(2, max(2, known.interactions.order) + 1):
        checkpoint()
        keys, pooled = _pool_evidence(known, order, problems, seen)
        usual = TYPICAL_VARIANCE.get(order, TYPICAL_VARIANCE[3])
        few = SPARSE_PROBABILITY * (1 - known.common_mean_probability)
        order_priors[order] = fit_mixture(pooled, usual=usual, few=few)
        after = compute_posterior(order_priors[order], pooled)
        prior_variances |= dict(zip(keys, after.mean_matched.tolist()))
        wide |= dict(zip(keys, after.variance_matched.tolist()))
    common = {}
    for order in order_priors:
        shares = np.concatenate([one.common[:, order - 2 : order - 1].ravel() for one in seen])
        if len(shares):
            common[order] = float(np.mean(shares))
    problems = [_update_priors(*each, order_priors, common) for each in zip(problems, fits, seen)]
    common = {order: known.common.get(order, 1.0) * share for order, share in common.items()}
    known = replace(known, prior_variances=prior_variances, wide_variances=wide, common=common)
    return known, order_priors, problems


def fit_with_adaptive_priors(
    problem: RegionProblem,
    noise: MomentNoise | None,
    calm: Callable[[], CalmAnswer],
    loosenings: int = MAX_LOOSENINGS,
) -> dict[Subset, RegionFit]:
    """Fit regions, under looser priors where residuals are too large or priors hardly help.

    Parameters
    ----------
    problem : RegionProblem
        The regions.
    noise : MomentNoise, optional
        Covariance of the moments; None treats them as independent.
    calm : callable
        Returns CALM's answer, where it is needed.
    loosenings : int
        How often priors may still be loosened.
    """
    problem, fits = _refit_with_joint_noise(problem, problem.fit(), noise)
    if not problem.start.size:
        return problem.to_region_fits(fits, np.ones((len(problem.regions), 1)))
    if not loosenings:
        return problem.to_region_fits(fits, np.zeros((len(problem.regions), 1)))
    check = _check_residuals(problem, fits)
    trust = _trust_in_share(check.helped)[:, None]
    by_order = _trust_by_order(problem, fits, calm)
    found = problem.to_region_fits(fits, np.minimum(trust, by_order))
    idle = check.helped < MIN_PRIOR_SHARE
    again = (check.is_exceeded & ~idle, LOOSENING_FACTOR, loosenings - 1), (idle, NEARLY_FLAT, 0)
    for rows, looser, left in again:
        if rows.any():
            found |= fit_with_adaptive_priors(problem.select(rows, fits, looser), noise, calm, left)
    return found


def _trust_in_share(share: np.ndarray) -> np.ndarray:
    """Weight of a fit given the prior's share or gain."""
    return np.clip((share - MIN_PRIOR_SHARE) / (TRUSTED_PRIOR_SHARE - MIN_PRIOR_SHARE), 0, 1)


def _trust_by_order(
    problem: RegionProblem, fits: Fits, calm: Callable[[], CalmAnswer]
) -> np.ndarray:
    """Weights in answers to one, two, ... attributes of every region, (Q, rows)."""
    targets, contrasts = problem.targets.with_common_fixed(fits.coefficients), problem.contrasts
    problem = replace(problem, targets=targets)
    if contrasts.dense:
        gains = compute_gains(contrasts, fits, targets)
        weight = np.minimum(_trust_in_share(gains.share), gains.weight)
        trust = 1 - gains.doubt * (1 - weight)
        noise, followed = gains.noise, gains.followed
    else:
        trust = 1.0
        noise, followed = estimate_followed_noise(contrasts, fits, targets)
    return np.minimum(trust, weigh_beside_calm(problem, fits, noise, followed, calm()))


def _refit_with_joint_noise(
    problem: RegionProblem, fits: Fits, noise: MomentNoise | None
) -> tuple[RegionProblem, Fits]:
    """Return the problem with the covariance of moments under its fits, and its new fits."""
    if noise is None or not problem.contrasts.dense or not problem.start.size:
        return problem, fits
    problem = problem.with_joint_noise(fits, noise)
    # The common part is kept fixed.
    settled = replace(problem, targets=problem.targets.with_common_fixed(fits.coefficients))
    return problem, settled.fit()


def _check_residuals(problem: RegionProblem, fits: Fits) -> ResidualCheck:
    """Compare residuals with what is expected: quick lower bounds, exact values where these do not decide."""
    contrasts, targets = problem.contrasts, problem.targets.with_common_fixed(fits.coefficients)
    found = residual_sums(contrasts, fits, targets)
    should = expected_sums_diagonal(contrasts, fits, targets)
    count = problem.interaction_mask.sum(axis=1)
    sure = TRUSTED_PRIOR_SHARE * count
    rows = np.flatnonzero(should.is_exceeded(found) | (should.mean[:, -1] < sure))
    if len(rows):
        exact = expected_sums(contrasts, fits.select(rows), targets.select(rows))
        should.mean[rows], should.variance[rows] = exact
    helped = np.divide(should.mean[:, -1], count, out=np.ones(len(count)), where=count > 0)
    return ResidualCheck(should.is_exceeded(found), helped)


def _estimated_error(problems: Sequence[RegionProblem], fits: Sequence[Fits]) -> float:
    """Return the mean squared error of a region, in units of noise and up to a constant (Stein 1981).

    It is unbiased for normal noise: the residuals, minus twice the prior's share.
    """
    each = []
    for problem, fit in zip(problems, fits):
        if problem.start.size:
            targets = problem.targets.with_common_fixed(fit.coefficients)
            held = expected_sums(problem.contrasts, fit, targets).mean
            found = residual_sums(problem.contrasts, fit, targets)
            each.append((found - 2 * held)[:, -1])
    return float(np.concatenate(each).mean()) if each else 0.0


def _update_priors(
    problem: RegionProblem, fits: Fits, seen: CavityEvidence, order_priors: OrderPriors, common
):
    """Return the problem under the prior variances that follow from its own fit."""
    strengths = {}
    for order, all_sets in seen.sets.items():
        after = compute_posterior(order_priors[order], Evidence(*map(np.ravel, all_sets)))
        strengths[order] = Posterior(*(part.reshape(all_sets.first.shape) for part in after))
    return problem.with_priors(fits, strengths, common)


def _pool_evidence(known: Knowledge, order: int, problems, seen) -> tuple[list[Subset], Evidence]:
    """Return every measured set of one order once: from the region with least noise, else the first evidence."""
    rows = {key: look for key, look in known.first_evidence.items() if len(key) == order}
    least: dict[Subset, float] = dict.fromkeys(rows, np.inf)
    for problem, found in zip(problems, seen):
        checkpoint()
        if order not in found.sets:
            continue
        sets = Evidence(*(part.tolist() for part in found.sets[order]))
        for row, keys in enumerate(problem.keys(order)):
            for column, key in enumerate(keys):
                if key in rows and sets.noise[row][column] < least[key]:
                    rows[key] = Evidence(*(part[row][column] for part in sets))
                    least[key] = float(rows[key].noise)
    return list(rows), Evidence(*np.array(list(rows.values()), dtype=float).reshape(-1, 4).T)
