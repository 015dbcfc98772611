"""Priors: how strong interactions are in this population, from the reports alone.

The central interaction D_S of a set S is the part of its table beyond independence. Standardized by the
spread of its attributes it is a vector of correlations. This suits weak dependence; the fits themselves use
coefficients, see `empirical_bayes`.

The prior of each order is a mixture of normal distributions with a common mean and a grid of variances,
fitted to all sets of the order at once by EM (Robbins 1956; the "ash" family of Stephens 2017). Each
interaction is shrunk as strongly as its whole order turns out to be noise. EM starts from pseudo-counts of
two kinds of population: one in which all sets interact about as strongly as is typical, and one in which few
do (sparse). Both priors are averaged by their posterior probability.

Pairs share a positive mean correlation if people who say yes to one question tend to say yes to others.
Questions coded in the reverse direction hide it, so signs of the attributes are estimated first: those
that maximize the common mean of all pairs, if it is large enough for the best of so many.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from calm_core.inference.nonnegativity import norm_sub
from calm_core.inference.shrinkage.interactions import (
    Contrasts,
    Family,
    Interactions,
    MomentNoise,
    Subset,
    contrast_basis,
)
from calm_core.inference.shrinkage.one_way import SharePosterior, infer_shares
from calm_core.runtime.cancellation import checkpoint

GRID = np.geomspace(3e-5, 2.0, 20)
# Pseudo-counts of five sets with interactions typical of survey data, so that a few noisy sets of a
# high order cannot turn shrinkage off.
PSEUDO_SETS = 5.0
TYPICAL_VARIANCE = {1: 0.2, 2: 0.02, 3: 0.003}
# Smallest prior variance: keeps precisions finite.
MIN_STRENGTH = 1e-9
# A sparse population: its prior probability, the share of sets that interact, and the variances of these
# and of the others as multiples of the typical one.
SPARSE_PROBABILITY, SPARSE_SHARE, STRONG_FACTOR, WEAK_FACTOR = 0.4, 0.2, 5.0, 0.03
# Standard deviations of log strengths, around the typical one and in a sparse population.
LOG_SPREAD, SPARSE_LOG_SPREAD = math.log(4), 0.7
EM_STEPS, MEAN_STEPS, WEIGHT_STEPS = 60, 8, 8


class Evidence(NamedTuple):
    """What was observed about the strengths of m sets; of one set where the fields are numbers.

    Attributes
    ----------
    first : ndarray, shape (m,)
        First standardized contrast of every set, the one whose mean may be nonzero.
    square : ndarray, shape (m,)
        Squared length of all its contrasts.
    noise : ndarray, shape (m,)
        Noise variance of a standardized contrast.
    dims : ndarray, shape (m,)
        Number of contrasts.
    """

    first: np.ndarray
    square: np.ndarray
    noise: np.ndarray
    dims: np.ndarray

    def centered_at(self, mean: float) -> "Evidence":
        """Return the evidence about strengths minus a mean of the first contrasts."""
        off = self.first - mean
        return self._replace(first=off, square=self.square - self.first**2 + off**2)

    def divided_by(self, scale) -> "Evidence":
        """Return the evidence about strengths divided by `scale` (m,)."""
        return Evidence(
            self.first / scale, self.square / scale**2, self.noise / scale**2, self.dims
        )


@dataclass(frozen=True, eq=False)
class MixturePrior:
    """Prior of one order: N(mean e_1, s^2 I) with s^2 drawn from the grid.

    Attributes
    ----------
    mean : float
        Common mean of the first contrast.
    population_weights : ndarray, shape (K, G)
        Mixture weights of `GRID` if all sets interact, and, if considered, if few do.
    population_probabilities : ndarray, shape (K,)
        Probabilities of these populations.
    log_evidence : float
        Log marginal likelihood up to a constant.
    """

    mean: float
    population_weights: np.ndarray
    population_probabilities: np.ndarray
    log_evidence: float = 0.0

    @property
    def weights(self) -> np.ndarray:
        """Mixture weights of `GRID`, averaged over the populations."""
        return self.population_probabilities @ self.population_weights

    @property
    def variance(self) -> float:
        """Mean prior variance of a standardized contrast."""
        return float(self.weights @ GRID)


class Posterior(NamedTuple):
    """Posterior of standardized contrasts under a `MixturePrior`.

    Attributes
    ----------
    factor : ndarray, shape (m,)
        Shrinkage factor: the share of the measured deviation from the mean that is kept, in [0, 1).
    variance : ndarray, shape (m,)
        Posterior variance of a contrast.
    mean_matched, variance_matched : ndarray, shape (m,)
        Variances of single normal priors that give the same posterior mean, and the same posterior
        variance. The second is larger where the shrinkage factor itself is uncertain.
    """

    factor: np.ndarray
    variance: np.ndarray
    mean_matched: np.ndarray
    variance_matched: np.ndarray


class _Likelihood:
    """Likelihood of every measured set under every variance of the grid."""

    def __init__(self, first, square, noise, dims):
        self.first, self.others = first, square - first**2
        total = GRID + noise[:, None]
        self.precision = 1 / total
        self.constant = -0.5 * dims[:, None] * np.log(total)

    def squared_distances(self, mean: float) -> np.ndarray:
        """Squared distance of the contrasts from the mean, shape (m,)."""
        return self.others + (self.first - mean) ** 2

    def scaled_likelihoods(self, mean: float) -> np.ndarray:
        """Likelihoods, shape (m, G), scaled to a maximum of 1 for every set."""
        log = self.log_likelihoods(mean)
        log -= log.max(axis=1, keepdims=True)
        return np.exp(log, out=log)

    def log_likelihoods(self, mean: float) -> np.ndarray:
        """Log-likelihoods, shape (m, G)."""
        return self.constant - 0.5 * self.squared_distances(mean)[:, None] * self.precision

    def responsibilities(self, prior: MixturePrior) -> np.ndarray:
        """Posterior probability of every grid variance, shape (m, G)."""
        table = self.scaled_likelihoods(prior.mean)
        likelihoods = np.maximum(table @ prior.population_weights.T, 1e-300)
        share = table * ((prior.population_probabilities / likelihoods) @ prior.population_weights)
        return share / share.sum(axis=1, keepdims=True)


def pseudo_counts(usual: float) -> np.ndarray:
    """Return the pseudo-counts of each variance of `GRID`, shape (2, G): typical and sparse population.

    Learning them from five other tables gained nothing.
    """
    places = np.clip(usual * np.array([1.0, STRONG_FACTOR, WEAK_FACTOR]), GRID[0], GRID[-1])
    spreads = np.array([LOG_SPREAD, SPARSE_LOG_SPREAD, SPARSE_LOG_SPREAD])
    near = np.exp(-0.5 * (np.log(GRID / places[:, None]) / spreads[:, None]) ** 2)
    near /= near.sum(axis=1, keepdims=True)
    return PSEUDO_SETS * np.stack([near[0], SPARSE_SHARE * near[1] + (1 - SPARSE_SHARE) * near[2]])


def fit_mixture(
    seen: Evidence, *, usual: float, free_mean: bool = False, few: float = 0.0
) -> MixturePrior:
    """Fit the prior of one order by EM, weights and mean in turn.

    Each kind of population has its own weights; its probability follows from its marginal likelihood,
    penalized by how far the weights moved from the pseudo-counts.

    Parameters
    ----------
    seen : Evidence
        Of all sets of the order.
    usual : float
        Variance around which the pseudo-counts lie.
    free_mean : bool
        Whether the mean is fitted; otherwise it is 0.
    few : float
        Prior probability that few sets interact.
    """
    pseudo = pseudo_counts(usual)[: 2 if few else 1]
    before = np.array([1 - few, few])[: len(pseudo)]
    imagined = kinds = pseudo / pseudo.sum(axis=1, keepdims=True)
    mean = mean_precision = 0.0
    likelihood, first = _Likelihood(*seen), seen.first
    for _ in range(MEAN_STEPS if free_mean else 1):
        checkpoint()
        table = likelihood.scaled_likelihoods(mean)
        for _ in range(WEIGHT_STEPS if free_mean else EM_STEPS):
            likelihoods = np.maximum(table @ kinds.T, 1e-300)
            counts = kinds * ((1 / likelihoods).T @ table) + pseudo
            kinds = counts / counts.sum(axis=1, keepdims=True)
        if free_mean:
            share = likelihood.responsibilities(MixturePrior(mean, kinds, before))
            # The mean's own prior is as wide as the strength of one typical set.
            precision = (share * likelihood.precision).sum(axis=1)
            mean_precision = precision.sum()
            mean = float(precision @ first / (mean_precision + 1 / usual))
    likelihoods = np.maximum(likelihood.scaled_likelihoods(mean) @ kinds.T, 1e-300)
    log_likelihood = np.log(likelihoods).sum(axis=0)
    log_likelihood += likelihood.log_likelihoods(mean).max(axis=1).sum()
    moved = np.log(np.maximum(kinds, 1e-300) / np.maximum(imagined, 1e-300))
    log = np.log(before) + log_likelihood + (pseudo * moved).sum(axis=1)
    evidence = np.logaddexp.reduce(log)
    chances = np.exp(log - evidence)
    if free_mean:
        evidence -= (math.log1p(usual * mean_precision) + mean**2 / usual) / 2
    return MixturePrior(mean, kinds, chances, float(evidence))


def mean_nonzero_probability(prior: MixturePrior, seen: Evidence, *, usual: float) -> float:
    """Return the posterior probability that a fitted mean is not 0."""
    likelihood = _Likelihood(*seen)
    precision = (likelihood.responsibilities(prior) * likelihood.precision).sum() + 1 / usual
    return float(nonzero_probability(prior.mean**2 * precision, 1 / (usual * precision)))


def nonzero_probability(square, left):
    """Return the posterior probability that a quantity is not 0, at prior odds of 1.

    It follows from the ratio of the densities at 0 before and after (Dickey 1971).

    Parameters
    ----------
    square : float or ndarray
        Squared posterior mean over the posterior variance.
    left : float or ndarray
        Posterior variance over prior variance.
    """
    from scipy.special import expit

    return expit((np.log(left) + square) / 2)


def compute_posterior(shrinkage: MixturePrior, seen: Evidence) -> Posterior:
    """Return the posterior of every measured interaction under a prior."""
    likelihood = _Likelihood(*seen)
    share = likelihood.responsibilities(shrinkage)
    rest = likelihood.squared_distances(shrinkage.mean)
    kept = GRID / (GRID + seen.noise[:, None])
    factor = (share * kept).sum(axis=1)
    between = (share * (kept - factor[:, None]) ** 2).sum(axis=1) * rest / seen.dims
    variance = factor * seen.noise + between
    alone = _single_prior_variance(factor, seen.noise)
    wide = _single_prior_variance(variance / np.maximum(seen.noise, 1e-300), seen.noise)
    return Posterior(factor, variance, alone, np.maximum(alone, np.minimum(wide, GRID[-1])))


def _single_prior_variance(kept: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Variances of normal priors under which this share of the noise is kept, shape (m,)."""
    share = np.minimum(kept, 1 - 1e-12)
    return np.maximum(noise * share / (1 - share), MIN_STRENGTH)


class SignEstimate(NamedTuple):
    """Signs of the attributes, and the evidence and prior of their pairs after applying them.

    Attributes
    ----------
    signs : ndarray, shape (d,)
        1, or -1 for an attribute coded in reverse.
    seen : Evidence
        Of the pairs.
    prior : MixturePrior
        With a free mean.
    chance : float
        Probability that this mean is not 0.
    """

    signs: np.ndarray
    seen: Evidence
    prior: MixturePrior
    chance: float


def estimate_signs(seen: Evidence, pairs: np.ndarray, d: int) -> SignEstimate:
    """Estimate the signs of d attributes from their pairs.

    Parameters
    ----------
    seen : Evidence
        Of m pairs, as coded.
    pairs : ndarray of int, shape (m, 2)
        Their attributes.
    d : int
        Number of attributes.

    Examples
    --------
    The last of six questions is coded in reverse:

    >>> pairs = np.array([(i, j) for i in range(6) for j in range(i + 1, 6)])
    >>> first = np.where(pairs[:, 1] == 5, -0.4, 0.5)
    >>> seen = Evidence(first, first**2, np.full(15, 0.001), np.ones(15))
    >>> estimate_signs(seen, pairs, 6).signs.tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, -1.0]
    """
    coded = _estimate_with_signs(np.ones(d), seen, pairs)
    weights = np.zeros((d, d))
    weight = 1 / (seen.noise + coded.prior.mean**2 + coded.prior.variance)
    weights[pairs[:, 0], pairs[:, 1]] = weight * seen.first
    signs = maximize_agreement(weights + weights.T)
    if (signs > 0).all():
        return coded
    turned = _estimate_with_signs(signs, seen, pairs)
    nothing = fit_mixture(seen, usual=TYPICAL_VARIANCE[2], few=SPARSE_PROBABILITY)
    # The coded signs have the prior probability of all others together: a few strong pairs agree in some by chance.
    others = (len(np.unique(pairs)) - 1) * math.log(2)
    odds = turned.prior.log_evidence - nothing.log_evidence - others
    if odds <= max(0.0, coded.prior.log_evidence - nothing.log_evidence):
        return coded
    return turned._replace(chance=1 / (1 + math.exp(-odds)))


def _estimate_with_signs(signs: np.ndarray, seen: Evidence, pairs: np.ndarray) -> SignEstimate:
    """The estimate for given signs."""
    seen = seen._replace(first=seen.first * signs[pairs].prod(axis=1))
    prior = fit_mixture(seen, usual=TYPICAL_VARIANCE[2], free_mean=True)
    chance = mean_nonzero_probability(prior, seen, usual=TYPICAL_VARIANCE[2])
    return SignEstimate(signs, seen, prior, chance)


def maximize_agreement(weights: np.ndarray) -> np.ndarray:
    """Return signs s with a large sum of s_i s_j agreement_ij, which no single flip increases."""
    signs = np.where(np.linalg.eigh(weights)[1][:, -1] < 0, -1.0, 1.0)
    agreement = signs * (weights @ signs)
    while agreement.min(initial=0) < 0:
        signs[agreement.argmin()] *= -1
        agreement = signs * (weights @ signs)
    # Flipping all signs changes nothing: keep most attributes as coded.
    return signs if (signs.sum(), signs[0]) > (0, 0) else -signs


FLAT_PRECISION = 1e-6
# Smallest variance of a measurement: keeps precisions finite.
MIN_VARIANCE = 1e-18


# From so many contrasts of one attribute on they share its dependence.
FREE_CONTRASTS = 2


def shared_by(sizes: Sequence[int]) -> float:
    """Return by how many contrasts a set's strength is divided: many values do not make a set depend more.

    Examples
    --------
    >>> shared_by((2, 3)), shared_by((2, 11))
    (1.0, 5.0)
    """
    return max(1.0, (max(sizes) - 1) / FREE_CONTRASTS)


def strength_scales(contrasts: Contrasts) -> tuple[list[float], list[int]]:
    """Return the squared coefficients of each subset of strength 1: in fits, and in intervals, which share nothing."""
    sizes = ([contrasts.sizes[axis] for axis in subset] for subset in contrasts.subsets)
    cells = contrasts.subset_cells
    return [count / shared_by(own) for count, own in zip(cells, sizes)], cells


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Measured interactions and the priors learned from them, as the fits need them.

    Attributes
    ----------
    interactions : Interactions
        The measured interactions.
    one_way : tuple of ndarray
        Mean shares of every attribute, each a distribution.
    contrasts : tuple of ndarray
        U_i p_i, the contrasts of those tables.
    shares : mapping of int to SharePosterior
        What is known of the shares of every attribute with several values.
    spreads : ndarray, shape (d,)
        g_i = (1 - |p_i|^2) / (c_i - 1), the variance of a contrast of attribute i.
    shrinkages : mapping of int to MixturePrior
        The prior of every order from 2 on.
    prior_variances : mapping of subset to float
        s_S^2 of every measured subset of several attributes: the variance of a single normal prior
        that shrinks as the mixture does.
    wide_variances : mapping of subset to float
        Variance of a single normal prior with the posterior variance of the mixture; at least as large.
    variances : mapping of subset to float
        Posterior variance of D_S of every measured subset, per contrast.
    strengths : mapping of subset to float
        Mean square of a standardized contrast of every measured pair, drawn from its posterior: choosing
        the largest measured values would choose the largest errors.
    common_mean_probability : float
        Probability that the mean correlation of pairs is not 0.
    signs : ndarray, shape (d,)
        Signs of the attributes, see `estimate_signs`.
    common : mapping of int to float
        Weight of the common direction of every order in the prior; 1 where missing.
    first_evidence : mapping of subset to Evidence
        Evidence about z_S minus its mean if attributes were nearly independent.
    """

    interactions: Interactions
    one_way: tuple[np.ndarray, ...]
    contrasts: tuple[np.ndarray, ...]
    shares: Mapping[int, SharePosterior]
    spreads: np.ndarray
    shrinkages: Mapping[int, MixturePrior]
    prior_variances: Mapping[Subset, float]
    wide_variances: Mapping[Subset, float]
    variances: Mapping[Subset, float]
    strengths: Mapping[Subset, float]
    first_evidence: Mapping[Subset, Evidence]
    common_mean_probability: float
    signs: np.ndarray
    common: Mapping[int, float] = field(default_factory=dict)

    def measured_precision(self, subset: Subset) -> float:
        """Return 1/V_S of a measured set as used by the fits; for one attribute, after shrinkage.

        An attribute without reports is fixed at its uniform table: assumptions about its interactions
        must not move it.
        """
        alone = len(subset) == 1
        if alone and subset not in self.interactions.index:
            return 1 / MIN_VARIANCE
        variance = self.variances[subset] if alone else self.interactions.variance(subset)
        return 1 / max(variance, MIN_VARIANCE)

    def kept_share(self, subset: Subset) -> float:
        """Return the share of the measurement of a set that its moments keep: below 1 only for one attribute."""
        if len(subset) > 1 or subset not in self.interactions.index:
            return 1.0
        return self.shares[next(iter(subset))].kept_share

    def prior_covariance_change(self, i: int) -> np.ndarray:
        """Return by how much the prior changes the covariance of the contrasts of attribute i.

        It is the posterior covariance minus the part of the measurements' covariance that reaches it.
        """
        own, basis = self.shares[i], contrast_basis(len(self.one_way[i]))
        return basis @ (own.covariance() - own.kept_share**2 * own.noise_covariance()) @ basis.T

    @property
    def pair_mean(self) -> float:
        """Mean correlation of the first contrasts of two attributes, after applying the signs."""
        return self.shrinkages[2].mean if 2 in self.shrinkages else 0.0

    def target(self, subset: Subset) -> np.ndarray:
        """Return R_S as used by the fits: as measured, or for one attribute from the shrunken table."""
        return self.contrasts[subset[0]] if len(subset) == 1 else self.interactions.values(subset)


# Noise variance of a share on which nobody reported.
NO_REPORTS = 100.0


def _infer_one_way(found: Interactions, noise: MomentNoise) -> dict[int, SharePosterior]:
    """Return the posterior of the shares of every attribute with several values."""
    several = [i for i, size in enumerate(found.domain.sizes) if size > 1]
    measured, variances = [], []
    for i in several:
        size = found.domain.sizes[i]
        shares = np.full(size, 1 / size)
        if (i,) in found.index:
            shares = shares + found.values((i,)) @ contrast_basis(size)
            near = norm_sub(shares[None], total=1.0)[0]
            variances.append(noise.share_variances(i, near))
        else:
            variances.append(np.full(size, NO_REPORTS))
        measured.append(shares)
    return dict(zip(several, infer_shares(measured, variances)))


def _central_interactions(found: Interactions, family: Family, means, q, one_way_variances):
    """Return the central interactions D_S of a family and their noise variances per contrast."""
    r, rows = len(family.sizes), len(family.subsets)
    dims = [c - 1 for c in family.sizes]
    u = [np.stack([means[i] for i in family.subsets[:, axis]]) for axis in range(r)]
    share = [q[family.subsets[:, axis]] / dims[axis] for axis in range(r)]

    def block(part):
        """R_T (m, F_T) and V_T (m,) of the sub-subsets at these axes."""
        if not part:
            return np.ones((rows, 1)), np.zeros(rows)
        if len(part) == 1:
            at = family.subsets[:, part[0]]
            return u[part[0]], one_way_variances[at]
        if len(part) == r:
            return family.values, family.variances
        keys = list(map(tuple, family.subsets[:, part].tolist()))
        values = np.stack([found.values(key) for key in keys])
        return values, np.array([found.variance(key) for key in keys])

    total, noise = np.zeros((rows, *dims)), np.zeros(rows)
    for size in range(r + 1):
        for part in combinations(range(r), size):
            values, variance = block(part)
            shape = [rows] + [dims[a] if a in part else 1 for a in range(r)]
            term = values.reshape(shape)
            for a in range(r):
                if a not in part:
                    at = [rows] + [dims[a] if b == a else 1 for b in range(r)]
                    term = term * -u[a].reshape(at)
                    variance = variance * share[a]
            total += term
            noise += variance
    return total.reshape(rows, -1), noise


def _draw_strengths(seen: Evidence, mean: float, after: Posterior) -> np.ndarray:
    """Return mean squares of contrasts drawn from their posterior, always with the same random numbers."""
    first = mean + after.factor * (seen.first - mean)
    others = after.factor**2 * np.maximum(seen.square - seen.first**2, 0)
    length = np.sqrt((first**2 + others) / seen.dims)
    chance = np.random.default_rng(0).standard_normal(len(length))
    return (length + np.sqrt(after.variance) * chance) ** 2


def learn_priors(found: Interactions, noise: MomentNoise) -> Knowledge:
    """Fit the priors of all orders and shrink every measured interaction by them."""
    shares, d = _infer_one_way(found, noise), found.domain.d
    # An attribute without reports is fixed at equal shares, see `measured_precision`.
    tables = tuple(
        shares[i].mean if i in shares and (i,) in found.index else np.full(size, 1 / size)
        for i, size in enumerate(found.domain.sizes)
    )
    means = tuple(contrast_basis(len(p)) @ p for p in tables)
    one_way_variances = np.array(
        [shares[i].mean_variance if i in shares else 0.0 for i in range(d)]
    )
    sizes = np.array(found.domain.sizes)
    square = np.array([p @ p for p in tables])
    q = np.maximum(square - 1 / sizes, 0)
    spreads = np.maximum((1 - square) / np.maximum(sizes - 1, 1), 1e-6)
    shrinkages, signs, alike = {}, np.ones(d), 0.0
    prior_variances, wide, strengths, first_evidence = {}, {}, {}, {}
    variances = {(i,): variance for i, variance in enumerate(one_way_variances)}
    for order in range(2, found.order + 1):
        families = [family for family in found.families if len(family.sizes) == order]
        g = np.concatenate([spreads[family.subsets].prod(axis=1) for family in families])
        parts = []
        for family in families:
            values, spread = _central_interactions(found, family, means, q, one_way_variances)
            dims = np.full(len(values), float(values.shape[1]))
            parts.append((values[:, 0], (values**2).sum(axis=1), spread, dims))
        # The correlations: D_S over sqrt(G_S); those of many values share their strength.
        shared = np.concatenate([np.full(len(f.subsets), shared_by(f.sizes)) for f in families])
        g /= shared
        seen = Evidence(*map(np.concatenate, zip(*parts))).divided_by(np.sqrt(g))
        if order == 2:
            pairs = np.concatenate([family.subsets for family in families])
            signs, seen, prior, alike = estimate_signs(seen, pairs, d)
            # Shrink the mean by the probability that it is not 0.
            prior = replace(prior, mean=alike * prior.mean)
        else:
            prior = fit_mixture(seen, usual=TYPICAL_VARIANCE.get(order, TYPICAL_VARIANCE[3]))
        after = compute_posterior(prior, seen)
        shrinkages[order] = prior
        subsets = [tuple(s) for family in families for s in family.subsets.tolist()]
        cells = np.concatenate([sizes[family.subsets].prod(axis=1) for family in families])
        if order == 2:
            drawn = _draw_strengths(seen, prior.mean, after) / shared
            strengths = dict(zip(subsets, drawn.tolist()))
        # At independence a coefficient block is D_S / G_S, and z_S that over sqrt(L_S).
        bare = seen.centered_at(prior.mean).divided_by(np.sqrt(g * shared * cells))
        first_evidence |= dict(zip(subsets, map(Evidence._make, zip(*bare))))
        prior_variances |= dict(zip(subsets, after.mean_matched.tolist()))
        wide |= dict(zip(subsets, after.variance_matched.tolist()))
        variances |= dict(zip(subsets, (after.variance * g).tolist()))
    return Knowledge(
        found, tables, means, shares, spreads, shrinkages, prior_variances, wide, variances, strengths,
        first_evidence, alike, signs,
    )  # fmt: skip
