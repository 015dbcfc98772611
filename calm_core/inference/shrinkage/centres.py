"""The centre of the prior of one region: the same strength for the first contrast of every pair.

What is known of a region before its interactions are looked at is its one-way tables and how strong
pairs are on the average. The log-linear table with the coefficients of single attributes and one common
coefficient t of `sum_ij w_ij f_ij,1`, w_ij = sqrt(L_ij) / number of pairs, that has these one-way
moments and the mean of the expected pairs' moments always exists, however strong the pairs are. A table
in which every single pair has the mean correlation need not exist.
"""

from collections.abc import Sequence

import numpy as np

from calm_core.inference.shrinkage.features import Contrasts
from calm_core.inference.shrinkage.fitting import tables_from_exponents
from calm_core.inference.shrinkage.interactions import Subset
from calm_core.inference.shrinkage.priors import Knowledge
from calm_core.runtime.cancellation import checkpoint

# Pull towards 0: keeps coefficients finite where a cell is empty, and the common one where the mean
# correlation is more than these attributes can have.
CENTER_RIDGE, COMMON_RIDGE = 1e-6, 1e-2
CENTER_STEPS, CENTER_TOLERANCE = 60, 1e-6


def _expected_moments(known: Knowledge, region: Subset, weights: dict[Subset, float]) -> np.ndarray:
    """Moments of single attributes, and of the common feature in their senses, before pairs are looked at."""
    alone = [known.contrasts[i] for i in region]
    common = 0.0
    for (a, b), weight in weights.items():
        i, j = region[a], region[b]
        turned = known.senses[i] * known.senses[j]
        apart = turned * known.contrasts[i][0] * known.contrasts[j][0]
        common += weight * (apart + known.pair_mean * np.sqrt(known.spreads[i] * known.spreads[j]))
    return np.append(np.concatenate(alone), common)


def find_prior_centers(
    known: Knowledge, contrasts: Contrasts, regions: Sequence[Subset]
) -> np.ndarray:
    """Prior means of all coefficients of regions of one shape, shape (Q, F)."""
    pairs = [s for s in contrasts.subsets if len(s) == 2]
    first = {s: p.start for s, p in zip(contrasts.subsets, contrasts.parts) if len(s) == 2}
    weights = {
        (a, b): np.sqrt(contrasts.sizes[a] * contrasts.sizes[b]) / len(pairs) for a, b in pairs
    }
    singles = sum(size - 1 for size in contrasts.sizes)
    basis = np.zeros((singles + 1, len(contrasts.index)))
    basis[:singles, :singles] = np.eye(singles)
    for pair in pairs:
        basis[singles, first[pair]] = weights[pair]
    features = contrasts.exponents(basis)
    signs = contrasts.signs(known.senses[np.array(regions)])
    targets = np.array([_expected_moments(known, region, weights) for region in regions])
    targets[:, :singles] *= signs[:, :singles]
    found = (
        _fit_ridge(features, targets, np.append(np.full(singles, CENTER_RIDGE), COMMON_RIDGE))
        @ basis
    )
    return found * signs


def _fit_ridge(features: np.ndarray, targets: np.ndarray, ridge: np.ndarray) -> np.ndarray:
    """Coefficients of the ridge-penalised tables of maximum entropy, by damped Newton steps."""
    found = np.zeros(targets.shape)
    todo, diagonal = np.arange(len(targets)), np.arange(len(ridge))
    for _ in range(CENTER_STEPS):
        checkpoint()
        now = found[todo]
        p = tables_from_exponents(now @ features)
        mean = p @ features.T
        gradient = targets[todo] - mean - ridge * now
        going = np.abs(gradient).max(axis=1, initial=0) > CENTER_TOLERANCE
        if not going.any():
            break
        todo, p, mean, gradient = todo[going], p[going], mean[going], gradient[going]
        root = features * np.sqrt(p)[:, None, :]
        hessian = root @ root.transpose(0, 2, 1) - mean[:, :, None] * mean[:, None, :]
        hessian[:, diagonal, diagonal] += ridge
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        # A step of log(1 + s) / s never overshoots where the exponent changes by a spread of s.
        spread = np.maximum(np.ptp(step @ features, axis=1), 1e-9)
        found[todo] += (np.log1p(spread) / spread)[:, None] * step
    return found
