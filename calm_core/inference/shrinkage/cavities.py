"""How strong each interaction is, weighed on the scale of the coefficients that the fits move.

A coefficient block lambda_S over L_S cells is z_S = lambda_S / sqrt(L_S) on a scale that does not
depend on the one-way tables; its prior is z_S ~ N(centre, s_S^2). Near a fitted table the coefficients
have posterior precision A = H diag(1/V) H + diag(rho). Of the variance v_S, the mean of the diagonal of
A^-1 over S, the reports brought the share phi_S = 1 - rho_S v_S; without its own prior the coefficient
would lie at centre + (lambda_S - centre) / phi_S with variance v_S / phi_S (the cavity of expectation
propagation, Minka 2001). These are the noisy strengths of which `mixtures` learns the prior.
"""

import math
from collections.abc import Mapping

import numpy as np

from calm_core.inference.shrinkage.features import Contrasts
from calm_core.inference.shrinkage.fitting import (
    Fits,
    Targets,
    posterior_precisions,
)
from calm_core.inference.shrinkage.large import diagonal_covariances
from calm_core.inference.shrinkage.mixtures import Evidence

# Of what the prior alone holds no more is asked than this.
LEAST_SHARE, LEAST_DIVISOR = 1e-6, 0.1
# Felt only in directions in which neither reports nor prior say anything.
RIDGE = 1e-12
# Of the matrix of contrasts. It is built for one inverse where it is too large for every step.
INVERTIBLE_NUMBERS = 2**20


def lone_variances(contrasts: Contrasts, fits: Fits, targets: Targets) -> np.ndarray:
    """The diagonal of A^-1 as if each coefficient were alone, shape (Q, F): at most what it is."""
    if contrasts.dense:
        matrix = contrasts.matrix()
        moved = fits.tables @ (matrix**2).T - (fits.tables @ matrix.T) ** 2
    else:
        moved = np.array([diagonal_covariances(contrasts, table) for table in fits.tables])
    return 1 / (moved**2 * targets.precisions + targets.priors)


def coefficient_variances(contrasts: Contrasts, fits: Fits, targets: Targets) -> np.ndarray:
    """The diagonal of A^-1, shape (Q, F); of very large tables as if each coefficient were alone."""
    if contrasts.cells * len(contrasts.index) > INVERTIBLE_NUMBERS:
        return lone_variances(contrasts, fits, targets)
    system, unit = posterior_precisions(contrasts.covariances(fits.tables), targets)
    diagonal = np.arange(system.shape[1])
    system[:, diagonal, diagonal] += RIDGE
    return np.linalg.inv(system)[:, diagonal, diagonal] * unit**2


def find_cavities(contrasts: Contrasts, fits: Fits, targets: Targets) -> Mapping[int, Evidence]:
    """What the reports say about the strength of every set of several axes, by order.

    Every part of an `Evidence` has the shape (Q, sets of the order); of sets that nobody measured
    it means nothing.
    """
    # What the coefficients have in common is taken as known: it belongs to the centre.
    targets = targets.settled(fits.coefficients)
    variances = coefficient_variances(contrasts, fits, targets)
    found: dict[int, list[Evidence]] = {}
    for subset, part in zip(contrasts.subsets, contrasts.parts):
        if len(subset) == 1:
            continue
        cells = math.prod(contrasts.sizes[a] for a in subset)
        spread = variances[:, part].mean(axis=1)
        share = np.clip(1 - targets.priors[:, part.start] * spread, LEAST_SHARE, 1)
        off = (fits.coefficients - targets.centres)[:, part]
        off = off / np.maximum(share, LEAST_DIVISOR)[:, None]
        dims = np.full(len(off), float(off.shape[1]))
        seen = Evidence(off[:, 0], (off**2).sum(axis=1), spread / share, dims)
        found.setdefault(len(subset), []).append(seen.divided(math.sqrt(cells)))
    return {
        order: Evidence(*(np.stack(column, axis=1) for column in zip(*sets)))
        for order, sets in found.items()
    }
