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
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from calm_core.inference.shrinkage.discrepancy import diagonal_variances
from calm_core.inference.shrinkage.features import Contrasts
from calm_core.inference.shrinkage.fitting import Fits, Targets, posterior_covariances
from calm_core.inference.shrinkage.mixtures import Evidence, nonzero_probability

# Of what the prior alone holds no more is asked than this.
MIN_SHARE, MIN_DIVISOR = 1e-6, 0.1
# Of the matrix of contrasts. It is built for one inverse where it is too large for every step.
MAX_INVERTED_NUMBERS = 2**20


class CavityEvidence(NamedTuple):
    """What the reports say about the strengths of the sets of some regions.

    Attributes
    ----------
    sets : mapping of int to Evidence
        Of every set of several axes, by order; every part has the shape (Q, sets of the order).
        Of sets that nobody measured it means nothing.
    common : ndarray, shape (Q, R)
        How much of what the sets of every order have in common a priori is believed, from 0 to 1.
    """

    sets: Mapping[int, Evidence]
    common: np.ndarray


def compute_cavities(
    contrasts: Contrasts, fits: Fits, targets: Targets, alike: float = 0.0
) -> CavityEvidence:
    """What the reports say about the strength of every set of several axes.

    Where pairs are `alike`, with that chance, there is no doubt that sets have something in common.
    """
    own = replace(targets, common=np.zeros_like(targets.common))
    if contrasts.cells * len(contrasts.index) > MAX_INVERTED_NUMBERS:
        variances = diagonal_variances(contrasts, fits, own)
        believed = np.ones(targets.common.shape[:2])
    else:
        inverse = posterior_covariances(contrasts.covariances(fits.tables), own)
        variances = np.einsum("qff->qf", inverse)
        believed = _common_share(fits, targets, inverse, alike)
    # What the coefficients have in common, if anything, is taken as known: it belongs to the centre.
    common = targets.common * np.sqrt(believed)[:, :, None]
    settled = replace(targets, common=common).settled(fits.coefficients)
    found: dict[int, list[Evidence]] = {}
    for subset, part in zip(contrasts.subsets, contrasts.parts):
        if len(subset) == 1:
            continue
        cells = math.prod(contrasts.sizes[a] for a in subset)
        spread = variances[:, part].mean(axis=1)
        share = np.clip(1 - settled.priors[:, part.start] * spread, MIN_SHARE, 1)
        off = (fits.coefficients - settled.centres)[:, part]
        off = off / np.maximum(share, MIN_DIVISOR)[:, None]
        dims = np.full(len(off), float(off.shape[1]))
        seen = Evidence(off[:, 0], (off**2).sum(axis=1), spread / share, dims)
        found.setdefault(len(subset), []).append(seen.divided(math.sqrt(cells)))
    sets = {
        order: Evidence(*(np.stack(column, axis=1) for column in zip(*parts)))
        for order, parts in found.items()
    }
    return CavityEvidence(sets, believed)


def _common_share(fits: Fits, targets: Targets, inverse: np.ndarray, alike: float) -> np.ndarray:
    """How much of what is common a priori leaves as much of it as is likely to be there, (Q, R).

    The posterior of how much is common has the precision 1 + C (D - D A^-1 D) C', C what is common
    a priori and D the prior precisions of the coefficients. Of its mean the chance is kept that it is not 0.
    """
    weighed = targets.common * targets.priors[:, None, :]
    told = weighed @ targets.common.transpose(0, 2, 1)
    told -= weighed @ inverse @ weighed.transpose(0, 2, 1)
    left = np.einsum("qrr->qr", np.linalg.inv(told + np.eye(told.shape[1])))
    chance = nonzero_probability(targets.shared(fits.coefficients) ** 2 / left, left)
    chance = alike + (1 - alike) * chance
    return chance * left / np.maximum(left + (1 - left) * (1 - chance), 1e-300)
