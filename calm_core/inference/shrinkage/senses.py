"""Which attributes count backwards: coded the other way round than those that they go with.

What pairs have in common shows where people who say yes to one question say yes to the others, and not where half of
the questions are asked the other way round. Those are turned first: by the senses in which the
common mean of all pairs is largest, if it is large enough for the best of so many.
"""

import math
from typing import NamedTuple

import numpy as np

from calm_core.inference.shrinkage.mixtures import (
    SPARSE_PROBABILITY,
    TYPICAL_VARIANCE,
    Evidence,
    MixturePrior,
    fit_mixture,
    mean_nonzero_probability,
)


class SignEstimate(NamedTuple):
    """The senses of attributes, and what their pairs are like in these.

    Attributes
    ----------
    senses : ndarray, shape (d,)
        1, or -1 where values count backwards.
    seen : Evidence
        Of the pairs.
    prior : Shrinkage
        With a free mean.
    chance : float
        That this mean is not 0.
    """

    senses: np.ndarray
    seen: Evidence
    prior: MixturePrior
    chance: float


def estimate_signs(seen: Evidence, pairs: np.ndarray, d: int) -> SignEstimate:
    """The senses of d attributes, as their pairs tell them.

    Parameters
    ----------
    seen : Evidence
        Of m pairs, as they are coded.
    pairs : ndarray of int, shape (m, 2)
        Their attributes.
    d : int
        How many attributes there are.

    Examples
    --------
    The last of six questions is asked the other way round:

    >>> pairs = np.array([(i, j) for i in range(6) for j in range(i + 1, 6)])
    >>> first = np.where(pairs[:, 1] == 5, -0.4, 0.5)
    >>> seen = Evidence(first, first**2, np.full(15, 0.001), np.ones(15))
    >>> estimate_signs(seen, pairs, 6).senses.tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, -1.0]
    """
    coded = _estimate_with_signs(np.ones(d), seen, pairs)
    told = np.zeros((d, d))
    weight = 1 / (seen.noise + coded.prior.mean**2 + coded.prior.variance)
    told[pairs[:, 0], pairs[:, 1]] = weight * seen.first
    senses = maximize_agreement(told + told.T)
    if (senses > 0).all():
        return coded
    turned = _estimate_with_signs(senses, seen, pairs)
    nothing = fit_mixture(seen, usual=TYPICAL_VARIANCE[2], few=SPARSE_PROBABILITY)
    # As likely as the codes are all other senses together. A few strong pairs would agree in some, too.
    others = (len(np.unique(pairs)) - 1) * math.log(2)
    odds = turned.prior.evidence - nothing.evidence - others
    if odds <= max(0.0, coded.prior.evidence - nothing.evidence):
        return coded
    return turned._replace(chance=1 / (1 + math.exp(-odds)))


def _estimate_with_signs(senses: np.ndarray, seen: Evidence, pairs: np.ndarray) -> SignEstimate:
    """The same for given senses."""
    seen = seen._replace(first=seen.first * senses[pairs].prod(axis=1))
    prior = fit_mixture(seen, usual=TYPICAL_VARIANCE[2], free_mean=True)
    return SignEstimate(
        senses, seen, prior, mean_nonzero_probability(prior, seen, usual=TYPICAL_VARIANCE[2])
    )


def maximize_agreement(told: np.ndarray) -> np.ndarray:
    """Senses s for which the sum of s_i s_j told_ij is large: it is less with any other attribute turned."""
    senses = np.where(np.linalg.eigh(told)[1][:, -1] < 0, -1.0, 1.0)
    agreement = senses * (told @ senses)
    while agreement.min(initial=0) < 0:
        senses[agreement.argmin()] *= -1
        agreement = senses * (told @ senses)
    # All turned is the same: most are left as they are coded.
    return senses if (senses.sum(), senses[0]) > (0, 0) else -senses
