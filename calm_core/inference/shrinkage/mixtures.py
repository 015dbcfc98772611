"""Normal mixture priors of many noisy strengths, fitted to all of them at once.

The prior is a mixture of normal distributions with a common mean and a grid of variances; its weights
are fitted by EM (Robbins 1956; the "ash" family of Stephens 2017). Each interaction is shrunk as strongly
as its whole order turns out to be noise. EM starts from pseudo-counts of two kinds of population: one in
which all sets interact about as strongly as is typical, and one in which few do (sparse). Both priors are
averaged by their posterior probability.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

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


@dataclass(frozen=True, eq=False)
class Posterior:
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
    log_likelihood = np.log(np.maximum(likelihood.scaled_likelihoods(mean) @ kinds.T, 1e-300)).sum(
        axis=0
    )
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
