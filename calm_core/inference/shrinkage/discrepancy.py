"""How large residuals are, and how large noise and priors make them (the discrepancy principle, Morozov 1966).

Near a mode the residuals of what was measured, in units of its noise, are normal with the covariance
K = 1 - D^1/2 H A^-1 H D^1/2, D = diag(1/V) and A the posterior precision, if the population is as the priors
say. Their squares sum to tr K, which is what the priors hold of all that was measured, with variance 2 tr K^2.
They are summed over the moments of sets of up to each order: tables of so many attributes consist of these, and
where a prior leads pairs astray, the residuals of larger sets may well be as small as they should be. What priors
gain for an answer is seen where squares are those of its cells: there the moments that err most count most.
"""

from functools import lru_cache, reduce
from typing import NamedTuple

import numpy as np

from calm_core._checks import readonly
from calm_core.inference.shrinkage.features import Contrasts
from calm_core.inference.shrinkage.fitting import Fits, Targets, posterior_covariances
from calm_core.inference.shrinkage.large import LargeSystem, diagonal_covariances

# Residuals may be larger than expected by so many standard deviations.
EXCESS = 3.0


class ExpectedSums(NamedTuple):
    """Mean and variance of sums of squares, over moments of at most two, three, ... axes, both (Q, R)."""

    mean: np.ndarray
    variance: np.ndarray

    def exceeded(self, found: np.ndarray) -> np.ndarray:
        """Where one of the sums (Q, R) is larger than chance makes it, shape (Q,)."""
        return np.any(found > self.mean + EXCESS * np.sqrt(self.variance), axis=1)


class PriorGains(NamedTuple):
    """Of the answers to all sets of two, three, ... axes together, both (Q, R).

    Attributes
    ----------
    share : ndarray
        By how much the priors lessen their squared error, as a share of that of what was measured.
    doubt : ndarray
        Whether that has to be asked: 0 where residuals are as large as the priors make them or smaller, 1 from one standard
        deviation more on.
    """

    share: np.ndarray
    doubt: np.ndarray


def residual_sums(contrasts: Contrasts, fits: Fits, targets: Targets) -> np.ndarray:
    """Of what each table's moments are off those measured, in units of their noise, shape (Q, R)."""
    off = contrasts.moments(fits.tables) - targets.moments
    return _sum_by_order(contrasts, targets.white(off) ** 2)


def expected_sums(contrasts: Contrasts, fits: Fits, targets: Targets) -> ExpectedSums:
    """What these sums should be; of large tables from few quadratic forms (Hutchinson 1989)."""
    if not contrasts.dense:
        each = zip(fits.tables, targets.precisions, targets.priors, targets.lift)
        systems = [LargeSystem(contrasts, *one) for one in each]
        ends = _order_ends(contrasts).values()
        shares = np.array([[one.prior_share(end) for end in ends] for one in systems])
        return ExpectedSums(shares[..., 0], shares[..., 1])
    moved = contrasts.covariances(fits.tables)
    inverse = posterior_covariances(moved, targets)
    moved = targets.spread_white(moved)
    left = -moved.transpose(0, 2, 1) @ inverse @ moved
    diagonal = np.arange(left.shape[1])
    left[:, diagonal, diagonal] += targets.precisions > 0
    mean = _sum_by_order(contrasts, np.einsum("qff->qf", left))
    squares = [
        (left[:, :end, :end] ** 2).sum(axis=(1, 2)) for end in _order_ends(contrasts).values()
    ]
    return ExpectedSums(mean, 2 * np.stack(squares, axis=1))


def compute_gains(contrasts: Contrasts, fits: Fits, targets: Targets) -> PriorGains:
    """What the priors gain for answers.

    Cells are off what was measured by squares that sum to R. If the population is as the priors say, these are E, and
    E is what is gained; else the best mean of both answers takes a share E / R of the fit, and gains E^2 / R of the noise
    (James and Stein 1961).
    """
    moved, noise = contrasts.covariances(fits.tables), targets.noise()
    left = noise - moved @ posterior_covariances(moved, targets) @ moved
    squares = (contrasts.moments(fits.tables) - targets.moments) ** 2
    share, doubt = [], []
    for row in _weights(contrasts):
        weights = row * (targets.precisions > 0)
        root = np.sqrt(weights)
        spread = np.sqrt(2 * ((root[:, :, None] * left * root[:, None, :]) ** 2).sum(axis=(1, 2)))
        gained, whole = (np.einsum("qf,qff->q", weights, one) for one in (left, noise))
        found = (weights * squares).sum(axis=1)
        gained_at_best = gained * np.minimum(1, gained / np.maximum(found, 1e-300))
        share.append(gained_at_best / np.maximum(whole, 1e-300))
        doubt.append(np.clip((found - gained) / np.maximum(spread, 1e-300), 0, 1))
    return PriorGains(np.stack(share, axis=1), np.stack(doubt, axis=1))


def expected_sums_diagonal(contrasts: Contrasts, fits: Fits, targets: Targets) -> ExpectedSums:
    """The same as if each coefficient were alone: quick, and of all orders together not too much."""
    held = (targets.precisions > 0) * targets.priors * diagonal_variances(contrasts, fits, targets)
    return ExpectedSums(_sum_by_order(contrasts, held), _sum_by_order(contrasts, 2 * held**2))


def diagonal_variances(contrasts: Contrasts, fits: Fits, targets: Targets) -> np.ndarray:
    """The diagonal of A^-1 as if each coefficient were alone, shape (Q, F): at most what it is."""
    if contrasts.dense:
        matrix = contrasts.matrix()
        moved = fits.tables @ (matrix**2).T - (fits.tables @ matrix.T) ** 2
    else:
        moved = np.array([diagonal_covariances(contrasts, table) for table in fits.tables])
    return 1 / (moved**2 * targets.precisions + targets.priors)


def _sum_by_order(contrasts: Contrasts, terms: np.ndarray) -> np.ndarray:
    """Sums over the coefficients (Q, F) of sets of at most two, three, ... axes, shape (Q, R)."""
    return np.cumsum(terms, axis=1)[:, [end - 1 for end in _order_ends(contrasts).values()]]


@lru_cache(maxsize=32)
def _weights(contrasts: Contrasts) -> np.ndarray:
    """How much the square of every coefficient counts in those of all answers to two, three, ... axes, (R, F)."""
    orders = list_orders(contrasts)
    found = np.zeros((len(orders), len(contrasts.index)))
    for subset, part in zip(contrasts.subsets, contrasts.parts):
        others = [size for axis, size in enumerate(contrasts.sizes) if axis not in subset]
        # Of each number of other axes: one over the cells they have, summed over all choices of them.
        chosen = reduce(lambda sums, size: np.convolve(sums, (1, 1 / size)), others, np.ones(1))
        for row, order in enumerate(orders):
            more = order - len(subset)
            if 0 <= more < len(chosen):
                found[row, part] = chosen[more]
    return readonly(found)


def list_orders(contrasts: Contrasts) -> list[int]:
    """Two, three, ...: up to how many axes sets have."""
    return list(_order_ends(contrasts))


def _order_ends(contrasts: Contrasts) -> dict[int, int]:
    """How many coefficients are of sets of at most two, three, ... axes."""
    return {max(2, len(s)): part.stop for s, part in zip(contrasts.subsets, contrasts.parts)}
