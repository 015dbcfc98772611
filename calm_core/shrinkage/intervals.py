"""Posterior standard deviation of every cell: noise, shrinkage and what was never measured.

The Laplace approximation at the fitted table. The reports measure the moments m_S with variance
V_S, the prior holds the coefficients lambda_S near their centre with variance s_S^2 / G_S; moments
move with coefficients as H, the covariance of the contrasts under the table. So the coefficients
have posterior precision H diag(1/V) H + diag(G/s^2), and a cell moves by p(x) (f(x) - m) per
coefficient. An interaction that no view holds has 1/V = 0: its prior is all that is known of it,
which puts CALM's reconstruction error into the interval.
"""

from itertools import combinations
from math import prod

import numpy as np

from calm_core.shrinkage.fitting import contrasts_within
from calm_core.shrinkage.interactions import Subset
from calm_core.shrinkage.priors import USUAL, Knowledge

# Beyond this many contrasts the moments stand in for the Laplace approximation.
LAPLACE_CONTRASTS = 300
_FLAT = 1e-6


def _prior_variance(known: Knowledge, order: int) -> float:
    """Prior variance s^2 of a standardised interaction that was not measured."""
    if order in known.shrinkages:
        return known.shrinkages[order].variance
    return USUAL.get(order, USUAL[3])


def _laplace(known: Knowledge, query: Subset, table: np.ndarray) -> np.ndarray:
    """Variance of every cell by the Laplace approximation, shape of the table."""
    contrasts = contrasts_within(table.shape, table.ndim)
    matrix, p = contrasts.matrix(), table.ravel()
    mean = matrix @ p
    hessian = (matrix * p) @ matrix.T - np.outer(mean, mean)
    measured, prior = np.zeros(len(mean)), np.full(len(mean), _FLAT)
    for subset, part in zip(contrasts.subsets, contrasts.parts):
        key = tuple(query[a] for a in subset)
        if len(key) == 1:
            measured[part] = 1 / max(known.variances[key], 1e-18)
            continue
        if key in known.penalties:
            variance = known.interactions.variance(key)
            measured[part] = 1 / max(variance, 1e-18)
            s2 = variance / known.penalties[key]
        else:
            s2 = _prior_variance(known, len(key))
        prior[part] = prod(known.spreads[i] for i in key) / max(s2, 1e-12)
    precision = (hessian * measured) @ hessian
    precision[np.diag_indices(len(mean))] += prior
    moves = (matrix * p).T - np.outer(p, mean)
    spread = (np.linalg.solve(precision, moves.T).T * moves).sum(axis=1)
    return np.maximum(spread, 0).reshape(table.shape)


def _by_moments(known: Knowledge, query: Subset, table: np.ndarray, order: int) -> np.ndarray:
    """Variance of every cell from the moments of up to `order` attributes, the rest independent."""
    k, sizes = table.ndim, table.shape
    shapes = [[sizes[a] if a == b else 1 for b in range(k)] for a in range(k)]
    square = [table.sum(axis=tuple(b for b in range(k) if b != a)) ** 2 for a in range(k)]
    total = np.zeros(sizes)
    for r in range(1, min(order, k) + 1):
        for subset in combinations(range(k), r):
            key = tuple(query[a] for a in subset)
            variance = known.variances.get(key)
            if variance is None:
                variance = prod(known.spreads[i] for i in key) * _prior_variance(known, r)
            term = np.full([1] * k, variance)
            for a in range(k):
                share = 1 - 1 / sizes[a] if a in subset else square[a].reshape(shapes[a])
                term = term * share
            total += term
    return total


def cell_deviations(known: Knowledge, query: Subset, table: np.ndarray) -> np.ndarray:
    """Posterior standard deviation of every cell of a fitted table.

    Parameters
    ----------
    known : Knowledge
        Variances and priors.
    query : tuple of int
        Positions of the k attributes.
    table : ndarray, shape (c_1, ..., c_k)
        The answer.
    """
    if table.size - 1 > LAPLACE_CONTRASTS:
        return np.sqrt(_by_moments(known, query, table, table.ndim))
    # Where a value seems to have nobody the Laplace approximation sees no room to move; the
    # one-way table is as uncertain there as elsewhere.
    least = _by_moments(known, query, table, 1)
    return np.sqrt(np.maximum(_laplace(known, query, table), least))
