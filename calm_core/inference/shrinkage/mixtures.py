"""Mixtures of normal distributions as priors of many noisy strengths, fitted to all of them at once.

The prior is a mixture of normal distributions with one common mean and a grid of variances, whose
weights are fitted by EM (Robbins 1956; the "ash" family of Stephens 2017). A noisy interaction is
thereby shrunk by as much as its whole order proves to be noise.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from calm_core.attention import attend

GRID = np.geomspace(3e-5, 2.0, 20)
# Five imaginary sets with the interactions usual in survey data, so that a few noisy sets of a
# high order cannot by themselves call for no shrinkage at all.
PSEUDO_SETS = 5.0
USUAL = {1: 0.2, 2: 0.02, 3: 0.003}
# Of a prior variance: keeps its precision finite.
LEAST_STRENGTH = 1e-9
EM_STEPS, MEAN_STEPS, WEIGHT_STEPS = 60, 8, 8


class Evidence(NamedTuple):
    """What was seen of the strengths of m sets; of one set where the parts are numbers.

    Attributes
    ----------
    first : ndarray, shape (m,)
        First standardised contrast of every set, the one whose mean may be free.
    square : ndarray, shape (m,)
        Squared length of all its contrasts.
    noise : ndarray, shape (m,)
        Noise variance of a standardised contrast.
    dims : ndarray, shape (m,)
        Number of contrasts.
    """

    first: np.ndarray
    square: np.ndarray
    noise: np.ndarray
    dims: np.ndarray

    def around(self, mean: float) -> "Evidence":
        """The same of strengths less a mean of the first contrasts."""
        off = self.first - mean
        return self._replace(first=off, square=self.square - self.first**2 + off**2)

    def divided(self, scale) -> "Evidence":
        """The same of strengths over numbers (m,)."""
        return Evidence(
            self.first / scale, self.square / scale**2, self.noise / scale**2, self.dims
        )


@dataclass(frozen=True, eq=False)
class Shrinkage:
    """Prior of one order: N(mean e_1, s^2 I) with s^2 drawn from the grid by `weights`.

    Attributes
    ----------
    mean : float
        Common mean of the first contrast.
    weights : ndarray, shape (G,)
        Mixture weights of `GRID`.
    """

    mean: float
    weights: np.ndarray

    @property
    def variance(self) -> float:
        """Mean prior variance of a standardised contrast."""
        return float(self.weights @ GRID)


@dataclass(frozen=True, eq=False)
class Posterior:
    """Posterior of standardised contrasts under a `Shrinkage`.

    Attributes
    ----------
    factor : ndarray, shape (m,)
        Share of the measured deviation from the mean that is kept, in [0, 1).
    variance : ndarray, shape (m,)
        Posterior variance of a contrast.
    alone, wide : ndarray, shape (m,)
        Variances of single normal priors: one that shrinks by the same factor, and one that leaves
        the same posterior variance. The second is larger as far as the factor itself is uncertain.
    """

    factor: np.ndarray
    variance: np.ndarray
    alone: np.ndarray
    wide: np.ndarray


class _Likelihood:
    """Likelihood of every measured set under every variance of the grid."""

    def __init__(self, first, square, noise, dims):
        self.first, self.others = first, square - first**2
        total = GRID + noise[:, None]
        self.precision = 1 / total
        self.constant = -0.5 * dims[:, None] * np.log(total)

    def rest(self, mean: float) -> np.ndarray:
        """Squared distance of the contrasts from the mean, shape (m,)."""
        return self.others + (self.first - mean) ** 2

    def at(self, mean: float) -> np.ndarray:
        """Likelihoods, shape (m, G), the largest of every set being 1."""
        log = self.constant - 0.5 * self.rest(mean)[:, None] * self.precision
        log -= log.max(axis=1, keepdims=True)
        return np.exp(log, out=log)

    def responsibilities(self, weights: np.ndarray, mean: float) -> np.ndarray:
        """Posterior probability of every grid variance, shape (m, G)."""
        share = self.at(mean) * np.maximum(weights, 1e-300)
        return share / share.sum(axis=1, keepdims=True)


def imagined_sets(usual: float) -> np.ndarray:
    """How many of the imaginary sets have each variance of `GRID`, those around the usual one most.

    Learnt from five other tables instead they gain nothing, see `tests/benchmarks/bench_hyper_prior.py`.
    """
    near = np.exp(-0.5 * np.log(GRID / usual) ** 2 / math.log(4) ** 2)
    return PSEUDO_SETS * near / near.sum()


def fit_shrinkage(seen: Evidence, *, usual: float, free_mean: bool) -> Shrinkage:
    """Fit the prior of one order by EM, weights and mean in turn.

    Parameters
    ----------
    seen : Evidence
        Of all sets of the order.
    usual : float
        Variance around which the pseudo-observations lie.
    free_mean : bool
        Whether the mean is fitted or 0.
    """
    pseudo = imagined_sets(usual)
    weights, mean = pseudo / pseudo.sum(), 0.0
    likelihood, first = _Likelihood(*seen), seen.first
    for _ in range(MEAN_STEPS if free_mean else 1):
        attend()
        table = likelihood.at(mean)
        for _ in range(WEIGHT_STEPS if free_mean else EM_STEPS):
            counts = weights * ((1 / np.maximum(table @ weights, 1e-300)) @ table) + pseudo
            weights = counts / counts.sum()
        if free_mean:
            share = table * weights
            share /= share.sum(axis=1, keepdims=True)
            # The mean has a prior of its own: as uncertain as one usual set.
            precision = (share * likelihood.precision).sum(axis=1)
            mean = float(precision @ first / (precision.sum() + 1 / usual))
    return Shrinkage(mean, weights)


def posterior(shrinkage: Shrinkage, seen: Evidence) -> Posterior:
    """What is left of every measured interaction, and how uncertain it remains."""
    likelihood = _Likelihood(*seen)
    share = likelihood.responsibilities(shrinkage.weights, shrinkage.mean)
    rest = likelihood.rest(shrinkage.mean)
    kept = GRID / (GRID + seen.noise[:, None])
    factor = (share * kept).sum(axis=1)
    between = (share * (kept - factor[:, None]) ** 2).sum(axis=1) * rest / seen.dims
    variance = factor * seen.noise + between
    alone = _single(factor, seen.noise)
    wide = _single(variance / np.maximum(seen.noise, 1e-300), seen.noise)
    return Posterior(factor, variance, alone, np.maximum(alone, np.minimum(wide, GRID[-1])))


def _single(kept: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Variances of normal priors under which this share of the noise is kept, shape (m,)."""
    share = np.minimum(kept, 1 - 1e-12)
    return np.maximum(noise * share / (1 - share), LEAST_STRENGTH)
