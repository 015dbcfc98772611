"""Mixtures of normal distributions as priors of many noisy strengths, fitted to all of them at once.

The prior is a mixture of normal distributions with one common mean and a grid of variances, whose
weights are fitted by EM (Robbins 1956; the "ash" family of Stephens 2017). A noisy interaction is
thereby shrunk by as much as its whole order proves to be noise. EM starts from imaginary sets: those of a
population in which all sets interact about as usual, and of one in which few do; both priors are averaged.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from calm_core.runtime.cancellation import checkpoint

GRID = np.geomspace(3e-5, 2.0, 20)
# Five imaginary sets with the interactions usual in survey data, so that a few noisy sets of a
# high order cannot by themselves call for no shrinkage at all.
PSEUDO_SETS = 5.0
TYPICAL_VARIANCE = {1: 0.2, 2: 0.02, 3: 0.003}
# Of a prior variance: keeps its precision finite.
MIN_STRENGTH = 1e-9
# Where sets have no mean in common perhaps few interact: chance, and of the imaginary sets of such a
# population the share that does and how strongly, and the others, as multiples of the usual.
SPARSE_PROBABILITY, SPARSE_SHARE, STRONG_FACTOR, WEAK_FACTOR = 0.4, 0.2, 5.0, 0.03
# Of the logarithm of a strength, around the usual one and around those where few interact.
LOG_SPREAD, SPARSE_LOG_SPREAD = math.log(4), 0.7
EM_STEPS, MEAN_STEPS, WEIGHT_STEPS = 60, 8, 8


class Evidence(NamedTuple):
    """What was seen of the strengths of m sets; of one set where the parts are numbers.

    Attributes
    ----------
    first : ndarray, shape (m,)
        First standardized contrast of every set, the one whose mean may be free.
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
        """The same of strengths less a mean of the first contrasts."""
        off = self.first - mean
        return self._replace(first=off, square=self.square - self.first**2 + off**2)

    def rescaled(self, scale) -> "Evidence":
        """The same of strengths over numbers (m,)."""
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
        Mixture weights of `GRID` where all sets interact, and where few do if that may be.
    population_probabilities : ndarray, shape (K,)
        Of these.
    log_evidence : float
        Logarithm of how well all that might have been fitted foretells what was seen; only differences count.
    """

    mean: float
    population_weights: np.ndarray
    population_probabilities: np.ndarray
    log_evidence: float = 0.0

    @property
    def weights(self) -> np.ndarray:
        """Mixture weights of `GRID` whatever the kind is."""
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
        Share of the measured deviation from the mean that is kept, in [0, 1).
    variance : ndarray, shape (m,)
        Posterior variance of a contrast.
    mean_matched, variance_matched : ndarray, shape (m,)
        Variances of single normal priors: one that shrinks by the same factor, and one that leaves
        the same posterior variance. The second is larger as far as the factor itself is uncertain.
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

    def scaled(self, mean: float) -> np.ndarray:
        """Likelihoods, shape (m, G), the largest of every set being 1."""
        log = self.log_likelihoods(mean)
        log -= log.max(axis=1, keepdims=True)
        return np.exp(log, out=log)

    def log_likelihoods(self, mean: float) -> np.ndarray:
        """Their logarithms, shape (m, G), as large as they are."""
        return self.constant - 0.5 * self.squared_distances(mean)[:, None] * self.precision

    def responsibilities(self, prior: MixturePrior) -> np.ndarray:
        """Posterior probability of every grid variance, shape (m, G)."""
        table = self.scaled(prior.mean)
        told = np.maximum(table @ prior.population_weights.T, 1e-300)
        share = table * ((prior.population_probabilities / told) @ prior.population_weights)
        return share / share.sum(axis=1, keepdims=True)


def pseudo_counts(usual: float) -> np.ndarray:
    """How many of the imaginary sets have each variance of `GRID`, shape (2, G): all interact, and few do.

    Learned from five other tables instead, they gain nothing.
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

    Either kind of population has weights of its own, and is believed by how well these foretell what was
    seen, less by how far they had to move from those imagined.

    Parameters
    ----------
    seen : Evidence
        Of all sets of the order.
    usual : float
        Variance around which the imaginary sets lie.
    free_mean : bool
        Whether the mean is fitted or 0.
    few : float
        Chance that few sets interact, before anything was seen.
    """
    pseudo = pseudo_counts(usual)[: 2 if few else 1]
    before = np.array([1 - few, few])[: len(pseudo)]
    imagined = kinds = pseudo / pseudo.sum(axis=1, keepdims=True)
    mean = told_of_mean = 0.0
    likelihood, first = _Likelihood(*seen), seen.first
    for _ in range(MEAN_STEPS if free_mean else 1):
        checkpoint()
        table = likelihood.scaled(mean)
        for _ in range(WEIGHT_STEPS if free_mean else EM_STEPS):
            told = np.maximum(table @ kinds.T, 1e-300)
            counts = kinds * ((1 / told).T @ table) + pseudo
            kinds = counts / counts.sum(axis=1, keepdims=True)
        if free_mean:
            share = likelihood.responsibilities(MixturePrior(mean, kinds, before))
            # The mean has a prior of its own: as uncertain as one usual set.
            precision = (share * likelihood.precision).sum(axis=1)
            told_of_mean = precision.sum()
            mean = float(precision @ first / (told_of_mean + 1 / usual))
    told = np.log(np.maximum(likelihood.scaled(mean) @ kinds.T, 1e-300)).sum(axis=0)
    told += likelihood.log_likelihoods(mean).max(axis=1).sum()
    moved = np.log(np.maximum(kinds, 1e-300) / np.maximum(imagined, 1e-300))
    log = np.log(before) + told + (pseudo * moved).sum(axis=1)
    evidence = np.logaddexp.reduce(log)
    chances = np.exp(log - evidence)
    if free_mean:
        evidence -= (math.log1p(usual * told_of_mean) + mean**2 / usual) / 2
    return MixturePrior(mean, kinds, chances, float(evidence))


def mean_nonzero_probability(prior: MixturePrior, seen: Evidence, *, usual: float) -> float:
    """Chance that a fitted mean is not 0; before it was as uncertain as one usual set."""
    likelihood = _Likelihood(*seen)
    precision = (likelihood.responsibilities(prior) * likelihood.precision).sum() + 1 / usual
    return float(nonzero_probability(prior.mean**2 * precision, 1 / (usual * precision)))


def nonzero_probability(square, left):
    """Chance that something is not 0, which before anything was seen was as likely as that it is.

    It is the ratio of the densities at 0, before and after (Dickey 1971).

    Parameters
    ----------
    square : float or ndarray
        Its posterior mean squared over its posterior variance.
    left : float or ndarray
        Its posterior variance over that before.
    """
    from scipy.special import expit

    return expit((np.log(left) + square) / 2)


def compute_posterior(shrinkage: MixturePrior, seen: Evidence) -> Posterior:
    """What is left of every measured interaction, and how uncertain it remains."""
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
