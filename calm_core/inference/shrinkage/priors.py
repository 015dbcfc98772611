"""Empirical Bayes: how strong interactions are in this population, learnt from the reports alone.

The central interaction D_S of a set S is what its table holds beyond independence. Standardised by
the spread of its attributes it is a vector of correlations; its prior is a mixture of normal
distributions with one common mean and a grid of variances, whose weights are fitted by EM to all
measured sets of one order at once (Robbins 1956; the "ash" family of Stephens 2017). A noisy
interaction is thereby shrunk by as much as its whole order proves to be noise.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from calm_core.inference.nonnegativity import norm_sub
from calm_core.inference.shrinkage.interactions import Family, Interactions, Subset
from calm_core.tables.contrasts import transform

GRID = np.geomspace(3e-5, 2.0, 20)
# Five imaginary sets with the interactions usual in survey data, so that a few noisy sets of a
# high order cannot by themselves call for no shrinkage at all.
PSEUDO_SETS = 5.0
USUAL = {1: 0.2, 2: 0.02, 3: 0.003}
EM_STEPS, MEAN_STEPS, WEIGHT_STEPS = 60, 8, 8
# Keeps coefficients finite where a cell is empty; moves a moment by about a millionth.
LEAST_PENALTY = 1e-7
FLAT = 1e-6
# Of a measurement as the fits take it: keeps precisions finite.
LEAST_VARIANCE = 1e-18


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
    """

    factor: np.ndarray
    variance: np.ndarray


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


def fit_shrinkage(
    first: np.ndarray,
    square: np.ndarray,
    noise: np.ndarray,
    dims: np.ndarray,
    *,
    usual: float,
    free_mean: bool,
) -> Shrinkage:
    """Fit the prior of one order by EM, weights and mean in turn.

    Parameters
    ----------
    first : ndarray, shape (m,)
        First standardised contrast of every set, the one whose mean is free.
    square : ndarray, shape (m,)
        Squared length of all its contrasts.
    noise : ndarray, shape (m,)
        Noise variance of a standardised contrast.
    dims : ndarray, shape (m,)
        Number of contrasts.
    usual : float
        Variance around which the pseudo-observations lie.
    free_mean : bool
        Whether the mean is fitted or 0.
    """
    pseudo = np.exp(-0.5 * np.log(GRID / usual) ** 2 / math.log(4) ** 2)
    pseudo *= PSEUDO_SETS / pseudo.sum()
    weights, mean = pseudo / pseudo.sum(), 0.0
    likelihood = _Likelihood(first, square, noise, dims)
    for _ in range(MEAN_STEPS if free_mean else 1):
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


def posterior(
    shrinkage: Shrinkage, first: np.ndarray, square: np.ndarray, noise: np.ndarray, dims: np.ndarray
) -> Posterior:
    """What is left of every measured interaction, and how uncertain it remains."""
    likelihood = _Likelihood(first, square, noise, dims)
    share = likelihood.responsibilities(shrinkage.weights, shrinkage.mean)
    rest = likelihood.rest(shrinkage.mean)
    kept = GRID / (GRID + noise[:, None])
    factor = (share * kept).sum(axis=1)
    between = (share * (kept - factor[:, None]) ** 2).sum(axis=1) * rest / dims
    return Posterior(factor, factor * noise + between)


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What the local fits need to know about the whole population.

    Attributes
    ----------
    interactions : Interactions
        What was measured.
    one_way : tuple of ndarray
        Shrunken one-way table of every attribute, each a distribution.
    contrasts : tuple of ndarray
        U_i p_i, the contrasts of those tables.
    spreads : ndarray, shape (d,)
        g_i = (1 - |p_i|^2) / (c_i - 1), the variance of a contrast of attribute i.
    shrinkages : mapping of int to Shrinkage
        The prior of every order.
    penalties : mapping of subset to float
        delta_S = V_S / s_S^2 of every measured subset.
    variances : mapping of subset to float
        Posterior variance of D_S of every measured subset, per contrast.
    strengths : mapping of subset to float
        Mean square of a standardised contrast of every measured pair, after shrinkage.
    """

    interactions: Interactions
    one_way: tuple[np.ndarray, ...]
    contrasts: tuple[np.ndarray, ...]
    spreads: np.ndarray
    shrinkages: Mapping[int, Shrinkage]
    penalties: Mapping[Subset, float]
    variances: Mapping[Subset, float]
    strengths: Mapping[Subset, float]

    def prior_precision(self, subset: Subset) -> float:
        """Precision of a coefficient of `subset` before its reports: G_S / s_S^2.

        Of a set that was not measured, by the mean variance of its order, or of the largest order
        that was measured, falling from there on as usual variances do.
        That of one attribute is flat: its prior is already in its target.
        """
        if len(subset) == 1:
            return FLAT
        if subset in self.penalties:
            s2 = self.interactions.variance(subset) / self.penalties[subset]
        else:
            # What was learnt of the largest order that was measured; each further one is weaker.
            order = max(r for r in self.shrinkages if r <= len(subset))
            fall = (USUAL[3] / USUAL[2]) ** (len(subset) - order)
            s2 = self.shrinkages[order].variance * fall
        return math.prod(self.spreads[i] for i in subset) / max(s2, 1e-12)

    def measured_precision(self, subset: Subset) -> float:
        """1/V_S of a measured set as the fits take it; of one attribute, after shrinkage.

        An attribute that nobody reported on is held at its uniform table: what is supposed about
        its interactions must not move it.
        """
        alone = len(subset) == 1
        if alone and subset not in self.interactions.index:
            return 1 / LEAST_VARIANCE
        variance = self.variances[subset] if alone else self.interactions.variance(subset)
        return 1 / max(variance, LEAST_VARIANCE)

    @property
    def pair_mean(self) -> float:
        """Mean correlation of the first contrasts of two attributes."""
        return self.shrinkages[2].mean if 2 in self.shrinkages else 0.0

    def target(self, subset: Subset) -> np.ndarray:
        """R_S as the fits take it: measured, or of one attribute the shrunken table."""
        return self.contrasts[subset[0]] if len(subset) == 1 else self.interactions.values(subset)

    def expected(self, subset: Subset) -> np.ndarray:
        """R_S of one or two attributes before their interaction was looked at."""
        if len(subset) == 1:
            return self.contrasts[subset[0]]
        i, j = subset
        moments = np.outer(self.contrasts[i], self.contrasts[j]).ravel()
        moments[0] += self.pair_mean * math.sqrt(self.spreads[i] * self.spreads[j])
        return moments


def contrasts_of(size: int) -> np.ndarray:
    """Orthonormal contrasts U of one attribute, shape (c - 1, c)."""
    return transform(np.eye(size), (size,)).T[1:]


def _first_square(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return values[:, 0], (values**2).sum(axis=1)


def _one_way(found: Interactions) -> tuple[tuple[np.ndarray, ...], np.ndarray, Shrinkage]:
    """Shrunken one-way tables, their variances per contrast, and the prior that shrank them."""
    families = [family for family in found.families if len(family.sizes) == 1]
    rows = [(f, row) for f in families for row in range(len(f.subsets))]
    scale = np.array([math.sqrt(f.sizes[0]) for f, _ in rows])
    z = [f.values[row] * s for (f, row), s in zip(rows, scale)]
    noise = np.array([f.variances[row] for f, row in rows]) * scale**2
    first, square = np.array([v[0] for v in z]), np.array([v @ v for v in z])
    dims = np.array([len(v) for v in z], dtype=float)
    shrinkage = fit_shrinkage(first, square, noise, dims, usual=USUAL[1], free_mean=True)
    after = posterior(shrinkage, first, square, noise, dims)
    tables = [np.full(c, 1 / c) for c in found.domain.sizes]
    # Of an attribute that nobody reported on only the prior is known.
    variances = shrinkage.variance / np.array(found.domain.sizes)
    for i, (family, row) in enumerate(rows):
        (at,) = family.subsets[row]
        centre = np.zeros(len(z[i]))
        centre[0] = shrinkage.mean
        kept = (centre + after.factor[i] * (z[i] - centre)) / scale[i]
        size = family.sizes[0]
        table = 1 / size + kept @ contrasts_of(size)
        tables[at] = norm_sub(table[None], total=1.0)[0]
        variances[at] = after.variance[i] / scale[i] ** 2
    return tuple(tables), variances, shrinkage


def _central(found: Interactions, family: Family, means, q, one_way_variances):
    """Central interactions D_S of a family and their noise variances per contrast."""
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


def learn(found: Interactions, *, free_mean: bool = True) -> Knowledge:
    """Fit the priors of all orders and shrink every measured interaction by them."""
    tables, one_way_variances, first_order = _one_way(found)
    means = [contrasts_of(len(p)) @ p for p in tables]
    sizes = np.array(found.domain.sizes)
    square = np.array([p @ p for p in tables])
    q = np.maximum(square - 1 / sizes, 0)
    spreads = np.maximum((1 - square) / np.maximum(sizes - 1, 1), 1e-6)
    shrinkages, penalties, variances, strengths = {1: first_order}, {}, {}, {}
    for i in range(found.domain.d):
        penalties[(i,)], variances[(i,)] = LEAST_PENALTY, one_way_variances[i]
    for order in range(2, found.order + 1):
        families = [family for family in found.families if len(family.sizes) == order]
        parts = [_central(found, family, means, q, one_way_variances) for family in families]
        scale = [spreads[family.subsets].prod(axis=1) for family in families]
        first = np.concatenate([d[:, 0] / np.sqrt(g) for (d, _), g in zip(parts, scale)])
        squares = np.concatenate([(d**2).sum(axis=1) / g for (d, _), g in zip(parts, scale)])
        noise = np.concatenate([v / g for (_, v), g in zip(parts, scale)])
        dims = np.concatenate([np.full(len(d), d.shape[1], dtype=float) for d, _ in parts])
        prior = fit_shrinkage(
            first, squares, noise, dims,
            usual=USUAL.get(order, USUAL[3]), free_mean=free_mean and order == 2,
        )  # fmt: skip
        after = posterior(prior, first, squares, noise, dims)
        shrinkages[order] = prior
        subsets = [tuple(s) for family in families for s in family.subsets.tolist()]
        measured = np.concatenate([family.variances for family in families])
        g = np.concatenate(scale)
        if order == 2:
            strengths = dict(zip(subsets, (after.factor**2 * squares / dims).tolist()))
        # The s^2 that a single normal prior would need for the same shrinkage.
        s2 = noise * after.factor / np.maximum(1 - after.factor, 1e-12)
        for key, delta, spread in zip(
            subsets, np.maximum(measured / np.maximum(s2, 1e-9), LEAST_PENALTY), after.variance * g
        ):
            penalties[key], variances[key] = float(delta), float(spread)
    return Knowledge(
        found, tables, tuple(means), spreads, shrinkages, penalties, variances, strengths
    )
