"""First priors: how strong interactions are in this population, from the reports alone.

The central interaction D_S of a set S is the part of its table beyond independence. Standardized by
the spread of its attributes it is a vector of correlations, of which `mixtures` fits a prior for each
order. This suits weak dependence; the fits themselves use coefficients, see `empirical_bayes`.

Pairs share a positive mean correlation if people who say yes to one question tend to say yes to others.
Questions coded in the reverse direction hide it, so signs of the attributes are estimated first: those
that maximize the common mean of all pairs, if it is large enough for the best of so many.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from calm_core.inference.nonnegativity import norm_sub
from calm_core.inference.shrinkage.interactions import Family, Interactions, Subset
from calm_core.inference.shrinkage.log_linear import contrast_basis
from calm_core.inference.shrinkage.mixtures import (
    SPARSE_PROBABILITY,
    TYPICAL_VARIANCE,
    Evidence,
    MixturePrior,
    Posterior,
    compute_posterior,
    fit_mixture,
    mean_nonzero_probability,
)


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
    return SignEstimate(
        signs, seen, prior, mean_nonzero_probability(prior, seen, usual=TYPICAL_VARIANCE[2])
    )


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


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Measured interactions and the priors learned from them, as the fits need them.

    Attributes
    ----------
    interactions : Interactions
        The measured interactions.
    one_way : tuple of ndarray
        Shrunken one-way table of every attribute, each a distribution.
    contrasts : tuple of ndarray
        U_i p_i, the contrasts of those tables.
    spreads : ndarray, shape (d,)
        g_i = (1 - |p_i|^2) / (c_i - 1), the variance of a contrast of attribute i.
    shrinkages : mapping of int to MixturePrior
        The prior of every order.
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
        return self.variances[subset] / max(self.interactions.variance(subset), 1e-300)

    @property
    def pair_mean(self) -> float:
        """Mean correlation of the first contrasts of two attributes, after applying the signs."""
        return self.shrinkages[2].mean if 2 in self.shrinkages else 0.0

    def target(self, subset: Subset) -> np.ndarray:
        """Return R_S as used by the fits: as measured, or for one attribute from the shrunken table."""
        return self.contrasts[subset[0]] if len(subset) == 1 else self.interactions.values(subset)


def _shrink_one_way(found: Interactions) -> tuple[tuple[np.ndarray, ...], np.ndarray, MixturePrior]:
    """Return shrunken one-way tables, their variances per contrast, and the prior that shrank them."""
    families = [family for family in found.families if len(family.sizes) == 1]
    rows = [(f, row) for f in families for row in range(len(f.subsets))]
    scale = np.array([math.sqrt(f.sizes[0]) for f, _ in rows])
    z = [f.values[row] * s for (f, row), s in zip(rows, scale)]
    noise = np.array([f.variances[row] for f, row in rows]) * scale**2
    first, square = np.array([v[0] for v in z]), np.array([v @ v for v in z])
    dims = np.array([len(v) for v in z], dtype=float)
    seen = Evidence(first, square, noise, dims)
    shrinkage = fit_mixture(seen, usual=TYPICAL_VARIANCE[1], free_mean=True)
    after = compute_posterior(shrinkage, seen)
    tables = [np.full(c, 1 / c) for c in found.domain.sizes]
    # For an attribute without reports only the prior is known.
    variances = shrinkage.variance / np.array(found.domain.sizes)
    for i, (family, row) in enumerate(rows):
        (at,) = family.subsets[row]
        center = np.zeros(len(z[i]))
        center[0] = shrinkage.mean
        kept = (center + after.factor[i] * (z[i] - center)) / scale[i]
        size = family.sizes[0]
        table = 1 / size + kept @ contrast_basis(size)
        tables[at] = norm_sub(table[None], total=1.0)[0]
        variances[at] = after.variance[i] / scale[i] ** 2
    return tuple(tables), variances, shrinkage


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


def _correlation_evidence(families, spreads: np.ndarray, central) -> Evidence:
    """Return the correlations of all sets of some families: D_S over sqrt(G_S)."""
    parts = []
    for family in families:
        values, noise = central(family)
        dims = np.full(len(values), float(values.shape[1]))
        seen = Evidence(values[:, 0], (values**2).sum(axis=1), noise, dims)
        parts.append(seen.divided_by(np.sqrt(spreads[family.subsets].prod(axis=1))))
    return Evidence(*map(np.concatenate, zip(*parts)))


def _draw_strengths(seen: Evidence, mean: float, after: Posterior) -> np.ndarray:
    """Return mean squares of contrasts drawn from their posterior, always with the same random numbers."""
    first = mean + after.factor * (seen.first - mean)
    others = after.factor**2 * np.maximum(seen.square - seen.first**2, 0)
    length = np.sqrt((first**2 + others) / seen.dims)
    chance = np.random.default_rng(0).standard_normal(len(length))
    return (length + np.sqrt(after.variance) * chance) ** 2


def learn_priors(found: Interactions) -> Knowledge:
    """Fit the priors of all orders and shrink every measured interaction by them."""
    tables, one_way_variances, first_order = _shrink_one_way(found)
    means = [contrast_basis(len(p)) @ p for p in tables]
    sizes = np.array(found.domain.sizes)
    square = np.array([p @ p for p in tables])
    q = np.maximum(square - 1 / sizes, 0)
    spreads = np.maximum((1 - square) / np.maximum(sizes - 1, 1), 1e-6)
    shrinkages, prior_variances, wide, strengths, first_evidence, alike = (
        {1: first_order},
        {},
        {},
        {},
        {},
        0.0,
    )
    signs = np.ones(found.domain.d)
    variances = {(i,): variance for i, variance in enumerate(one_way_variances)}
    for order in range(2, found.order + 1):
        families = [family for family in found.families if len(family.sizes) == order]
        seen = _correlation_evidence(
            families,
            spreads,
            lambda f: _central_interactions(found, f, means, q, one_way_variances),
        )
        if order == 2:
            pairs = np.concatenate([family.subsets for family in families])
            signs, seen, prior, alike = estimate_signs(seen, pairs, found.domain.d)
            # Shrink the mean by the probability that it is not 0.
            prior = replace(prior, mean=alike * prior.mean)
        else:
            prior = fit_mixture(seen, usual=TYPICAL_VARIANCE.get(order, TYPICAL_VARIANCE[3]))
        after = compute_posterior(prior, seen)
        shrinkages[order] = prior
        subsets = [tuple(s) for family in families for s in family.subsets.tolist()]
        g = np.concatenate([spreads[family.subsets].prod(axis=1) for family in families])
        cells = np.concatenate([sizes[family.subsets].prod(axis=1) for family in families])
        if order == 2:
            drawn = _draw_strengths(seen, prior.mean, after)
            strengths = dict(zip(subsets, drawn.tolist()))
        # At independence a coefficient block is D_S / G_S, and z_S that over sqrt(L_S).
        bare = seen.centered_at(prior.mean).divided_by(np.sqrt(g * cells))
        first_evidence |= dict(zip(subsets, map(Evidence._make, zip(*bare))))
        prior_variances |= dict(zip(subsets, after.mean_matched.tolist()))
        wide |= dict(zip(subsets, after.variance_matched.tolist()))
        variances |= dict(zip(subsets, (after.variance * g).tolist()))
    return Knowledge(
        found, tables, tuple(means), spreads, shrinkages, prior_variances, wide, variances, strengths, first_evidence,
        alike, signs,
    )  # fmt: skip
