"""The shares of single attributes, shrunk by what their own reports say about their skew.

The prior of an attribute with c values is a mixture of symmetric Dirichlet distributions, from nearly all
people in one value to nearly equal shares; with two values, of beta distributions around several centers, since
few say yes to most questions of some surveys. Common weights of the mixture are learned from all attributes with
two values, and from all others; the weights for one attribute follow from the reports on it. So shares that are
nearly equal are shrunk together, and the large shares of a skewed attribute stay while its many rare values are
lowered.

Under one Dirichlet distribution shares are independent given that their sum is 1. Each has the density
p^(a - 1) exp(-t p) times the likelihood of its measurement, integrated on a grid, where t makes the sum of
the means 1 (a saddlepoint approximation, Daniels 1954).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from calm_core.runtime.cancellation import checkpoint

# The Dirichlet distributions: how many, and a c of the most skewed, a of the most equal.
DISTRIBUTIONS, MAX_SKEWED, MAX_EQUAL = 13, 0.06, 1000.0
# Weights of the distributions before any report, and for how many attributes these count. Nearly equal shares are
# rare, and believing in them costs most where a share is large after all.
PSEUDO_ATTRIBUTES, WEIGHT_STEPS = 8.0, 20
COMMON = np.append(np.ones(DISTRIBUTIONS - 3), [0.2, 0.05, 0.05])
COMMON /= COMMON.sum()
# With two values: centers of the distributions, as logits, and the weights with them.
CENTERS = np.arange(-7.0, 8.0)
COMMON_OF_TWO = np.outer(COMMON, np.exp(-0.5 * (CENTERS / 1.5) ** 2)).ravel()
COMMON_OF_TWO /= COMMON_OF_TWO.sum()
# Nodes of the integrals: in standard deviations around the measurement, by orders of magnitude, and in
# multiples of an equal share.
NEAR, FAR = np.linspace(-6, 6, 25), np.geomspace(1e-8, 1, 30)
EQUAL = np.append(np.geomspace(0.1, 10, 31), np.geomspace(0.87, 1.15, 14))
LOGISTIC = 1 / (1 + np.exp(-np.linspace(-18, 18, 73)))
TILT_STEPS, TILT_TOLERANCE, FIRST_REACH = 60, 1e-6, 10.0
MIN_NOISE = 1e-18
# Numbers per batch of attributes: bounds memory.
MAX_BATCH_NUMBERS = 2_000_000


@dataclass(frozen=True, eq=False)
class SharePosterior:
    """Posterior of the shares of one attribute.

    Attributes
    ----------
    weights : ndarray, shape (G,)
        Probability of every Dirichlet distribution.
    means, variances : ndarray, shape (G, c)
        Of every share under it; the variances as if the sum were not known.
    noise : ndarray, shape (c,)
        Variances of the measured shares, as if they were independent.
    """

    weights: np.ndarray
    means: np.ndarray
    variances: np.ndarray
    noise: np.ndarray

    @cached_property
    def mean(self) -> np.ndarray:
        """The mean shares, shape (c,), of sum 1."""
        return self.weights @ self.means

    def covariance(self) -> np.ndarray:
        """Return the covariance of the shares, shape (c, c)."""
        off = self.means - self.mean
        found = off.T @ (self.weights[:, None] * off)
        return found + _covariance_given_sum(self.weights, self.variances)

    def noise_covariance(self) -> np.ndarray:
        """Return what the covariance would be without a prior, shape (c, c)."""
        return _covariance_given_sum(np.ones(1), self.noise[None])

    @cached_property
    def trace(self) -> float:
        """The trace of the covariance."""
        between = ((self.means - self.mean) ** 2).sum(axis=1)
        return float(self.weights @ (_trace_given_sum(self.variances) + between))

    @property
    def mean_variance(self) -> float:
        """Mean variance of a contrast of the shares."""
        return self.trace / (len(self.noise) - 1)

    @cached_property
    def kept_share(self) -> float:
        """How much of a change of the measured shares reaches the mean shares, on average."""
        return self.trace / float(_trace_given_sum(self.noise))


def _covariance_given_sum(weights: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """Return the mean covariance of independent shares of variances (G, c) whose sum is known, (c, c)."""
    total = np.maximum(variances.sum(axis=1, keepdims=True), 1e-300)
    against = variances / np.sqrt(total)
    return np.diag(weights @ variances) - against.T @ (weights[:, None] * against)


def _trace_given_sum(variances: np.ndarray) -> np.ndarray:
    """Return the traces of the covariances of independent shares of variances (..., c) whose sum is known."""
    total = np.maximum(variances.sum(axis=-1), 1e-300)
    return total - (variances**2).sum(axis=-1) / total


def infer_shares(
    measured: Sequence[np.ndarray], noise: Sequence[np.ndarray]
) -> list[SharePosterior]:
    """Return the posterior of every attribute.

    Parameters
    ----------
    measured : sequence of ndarray, shape (c,)
        Measured shares of each attribute, c >= 2, of sum 1; they may be negative.
    noise : sequence of ndarray, shape (c,)
        Their variances.

    Examples
    --------
    One value is common; the others are told from 0 no more than noise would be:

    >>> shares = np.array([0.91, 0.08, -0.06, 0.05, -0.04, 0.06])
    >>> (one,) = infer_shares([shares], [np.full(6, 0.05**2)])
    >>> one.mean.round(2).tolist()
    [0.92, 0.03, 0.0, 0.02, 0.0, 0.02]
    """
    by_size: dict[int, list[int]] = {}
    for i, shares in enumerate(measured):
        by_size.setdefault(len(shares), []).append(i)
    parts: dict[int, tuple[np.ndarray, ...]] = {}
    evidence: dict[int, np.ndarray] = {}
    for size, attributes in by_size.items():
        numbers = DISTRIBUTIONS * size * (len(NEAR) + len(FAR) + len(EQUAL))
        step = max(1, MAX_BATCH_NUMBERS // numbers)
        for first in range(0, len(attributes), step):
            rows = attributes[first : first + step]
            # As if the measurements were independent, before their sum is known to be 1.
            own = np.stack([noise[i] for i in rows]) * size / (size - 1)
            own = np.maximum(own, MIN_NOISE)
            infer = _posteriors if size > 2 else _posteriors_of_two
            means, variances, found = infer(np.stack([measured[i] for i in rows]), own)
            parts |= dict(zip(rows, zip(means, variances, own)))
            evidence |= dict(zip(rows, found))
    weights: dict[int, np.ndarray] = {}
    two = by_size.get(2, [])
    for rows, before in ((two, COMMON_OF_TWO), (sorted(set(parts) - set(two)), COMMON)):
        if rows:
            learned = _learn_weights(np.stack([evidence[i] for i in rows]), before)
            weights |= dict(zip(rows, learned))
    return [SharePosterior(weights[i], *parts[i]) for i in range(len(measured))]


def _learn_weights(evidence: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Return the probabilities of the distributions for every attribute, from log evidence (d, G).

    Before any report they are `before` (G,).
    """
    likelihood = np.exp(evidence - evidence.max(axis=1, keepdims=True))
    found, common = likelihood, before
    for _ in range(WEIGHT_STEPS):
        found = common * likelihood
        found /= found.sum(axis=1, keepdims=True)
        counts = found.sum(axis=0) + PSEUDO_ATTRIBUTES * before
        common = counts / counts.sum()
    return found


def _posteriors_of_two(measured: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the same as `_posteriors` for attributes with two values, whose one share is integrated exactly."""
    centers = 1 / (1 + np.exp(-CENTERS))
    amounts = np.geomspace(MAX_SKEWED, 2 * MAX_EQUAL, DISTRIBUTIONS)[:, None]
    a, b = (amounts * centers).ravel(), (amounts * (1 - centers)).ravel()
    y, sd = measured[:, :1], np.sqrt(noise[:, :1] / 2)
    nodes = np.clip(y + sd * NEAR, FAR[0], 1 - FAR[0])
    nodes = np.concatenate([nodes, np.broadcast_to(LOGISTIC, (len(y), len(LOGISTIC)))], axis=1)
    nodes.sort(axis=1)
    # The trapezoidal rule in the logit; all beyond the first and the last node counts there.
    logits = np.log(nodes) - np.log1p(-nodes)
    weights = np.repeat(_trapezoid_weights(logits)[:, None], len(a), axis=1)
    weights[..., 0] += 1 / a
    weights[..., -1] += 1 / b
    with np.errstate(divide="ignore"):
        density = np.log(weights) - 0.5 * (((nodes - y) / sd) ** 2)[:, None]
    density += a[:, None] * np.log(nodes)[:, None] + b[:, None] * np.log1p(-nodes)[:, None]
    means, variances, log_mass = _moments(nodes[:, None], density)
    constants = [math.lgamma(i + j) - math.lgamma(i) - math.lgamma(j) for i, j in zip(a, b)]
    evidence = log_mass + constants
    # Two equal variances leave half of one once the sum is known.
    return np.stack([means, 1 - means], axis=2), np.stack([2 * variances] * 2, axis=2), evidence


def _posteriors(measured: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return means and variances (m, G, c), and log evidence (m, G), of m attributes of one size.

    The evidence is up to a number for each attribute.
    """
    size = measured.shape[1]
    amounts = np.geomspace(MAX_SKEWED / size, MAX_EQUAL, DISTRIBUTIONS)
    nodes, log_weights = _nodes(measured, np.sqrt(noise), amounts)
    tilt = np.broadcast_to(amounts * size, log_weights.shape[:2]).copy()
    low, high = np.full(tilt.shape, -np.inf), np.full(tilt.shape, np.inf)
    for _ in range(TILT_STEPS):
        checkpoint()
        means, variances, _ = _moments(nodes, log_weights - tilt[:, :, None, None] * nodes)
        excess, spread = means.sum(axis=2) - 1, np.maximum(variances.sum(axis=2), 1e-300)
        if np.abs(excess).max() < TILT_TOLERANCE:
            break
        low, high = np.where(excess > 0, tilt, low), np.where(excess > 0, high, tilt)
        # Far from the solution nearly all shares are 0, and Newton's step has no limit.
        reach = FIRST_REACH + 2 * np.abs(tilt)
        step = tilt + np.clip(excess / spread, -reach, reach)
        outside = ((step < low) | (step > high)) & np.isfinite(low + high)
        tilt = np.where(outside, (low + high) / 2, step)
    means, variances, log_mass = _moments(nodes, log_weights - tilt[:, :, None, None] * nodes)
    evidence = log_mass.sum(axis=2) + tilt - np.log(np.maximum(variances.sum(axis=2), 1e-300)) / 2
    evidence += [math.lgamma(size * a) - size * math.lgamma(a) for a in amounts]
    return means / means.sum(axis=2, keepdims=True), variances, evidence


def _moments(nodes: np.ndarray, log_density: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return means, variances and log masses of densities given at nodes, along the last axis."""
    top = log_density.max(axis=-1, keepdims=True)
    density = np.exp(log_density - top)
    mass = density.sum(axis=-1)
    means = (density * nodes).sum(axis=-1) / mass
    variances = (density * (nodes - means[..., None]) ** 2).sum(axis=-1) / mass
    return means, variances, np.log(mass) + top[..., 0]


def _trapezoid_weights(points: np.ndarray) -> np.ndarray:
    """Return the weights of the trapezoidal rule at ascending points, along the last axis."""
    steps = np.diff(points, axis=-1, prepend=points[..., :1], append=points[..., -1:])
    return (steps[..., 1:] + steps[..., :-1]) / 2


def _nodes(measured: np.ndarray, sd: np.ndarray, amounts: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the nodes (m, 1, c, N), and the logarithms of weight, likelihood and p^(a - 1), (m, G, c, N)."""
    measured, sd = measured[:, :, None], sd[:, :, None]
    same = np.concatenate([FAR, np.minimum(EQUAL / measured.shape[1], 1)])
    same = np.broadcast_to(same, (*measured.shape[:2], len(same)))
    nodes = np.concatenate([np.clip(measured + sd * NEAR, FAR[0], 1), same], axis=2)
    nodes.sort(axis=2)
    likelihood = -0.5 * ((nodes - measured) / sd) ** 2
    # The trapezoidal rule in the logarithm of a share; all below the first node counts there.
    logs = np.log(nodes)
    a = amounts[:, None, None]
    weights = np.repeat(_trapezoid_weights(logs)[:, None], len(a), axis=1)
    weights[..., 0] += 1 / a[..., 0]
    with np.errstate(divide="ignore"):
        return nodes[:, None], np.log(weights) + likelihood[:, None] + a * logs[:, None]
