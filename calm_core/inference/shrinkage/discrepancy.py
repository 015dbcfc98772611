"""How large residuals are, and how large noise and priors make them (the discrepancy principle, Morozov 1966).

Near a mode the residuals of what was measured, in units of its noise, are normal with the covariance
K = 1 - D^1/2 H A^-1 H D^1/2, D = diag(1/V) and A the posterior precision, if the population is as the priors
say. Their squares sum to tr K, which is what the priors hold of all that was measured, with variance 2 tr K^2.
They are summed over the moments of sets of up to each order: tables of so many attributes consist of these, and
where a prior leads pairs astray, the residuals of larger sets may well be as small as they should be.
"""

from typing import NamedTuple

import numpy as np

from calm_core.inference.shrinkage.features import Contrasts
from calm_core.inference.shrinkage.fitting import Fits, Targets, posterior_covariances
from calm_core.inference.shrinkage.large import LargeSystem, diagonal_covariances

# Residuals may be larger than expected by so many standard deviations.
EXCESS = 3.0


class Expected(NamedTuple):
    """Mean and variance of sums of squares, over moments of at most two, three, ... axes, both (Q, R)."""

    mean: np.ndarray
    variance: np.ndarray

    def exceeded(self, found: np.ndarray) -> np.ndarray:
        """Where one of the sums (Q, R) is larger than chance makes it, shape (Q,)."""
        return np.any(found > self.mean + EXCESS * np.sqrt(self.variance), axis=1)


def sums_of_squares(contrasts: Contrasts, fits: Fits, targets: Targets) -> np.ndarray:
    """Of what each table's moments are off those measured, in units of their noise, shape (Q, R)."""
    off = contrasts.moments(fits.tables) - targets.moments
    return _up_to(contrasts, targets.white(off) ** 2)


def expected(contrasts: Contrasts, fits: Fits, targets: Targets) -> Expected:
    """What these sums should be; of large tables from few quadratic forms (Hutchinson 1989)."""
    if not contrasts.dense:
        each = zip(fits.tables, targets.precisions, targets.priors, targets.lift)
        systems, ends = [LargeSystem(contrasts, *one) for one in each], _ends(contrasts)
        shares = np.array([[one.prior_share(end) for end in ends] for one in systems])
        return Expected(shares[..., 0], shares[..., 1])
    moved = contrasts.covariances(fits.tables)
    inverse = posterior_covariances(moved, targets)
    moved = targets.spread_white(moved)
    left = -moved.transpose(0, 2, 1) @ inverse @ moved
    diagonal = np.arange(left.shape[1])
    left[:, diagonal, diagonal] += targets.precisions > 0
    mean = _up_to(contrasts, np.einsum("qff->qf", left))
    squares = [(left[:, :end, :end] ** 2).sum(axis=(1, 2)) for end in _ends(contrasts)]
    return Expected(mean, 2 * np.stack(squares, axis=1))


def expected_alone(contrasts: Contrasts, fits: Fits, targets: Targets) -> Expected:
    """The same as if each coefficient were alone: quick, and of all orders together not too much."""
    held = (targets.precisions > 0) * targets.priors * lone_variances(contrasts, fits, targets)
    return Expected(_up_to(contrasts, held), _up_to(contrasts, 2 * held**2))


def lone_variances(contrasts: Contrasts, fits: Fits, targets: Targets) -> np.ndarray:
    """The diagonal of A^-1 as if each coefficient were alone, shape (Q, F): at most what it is."""
    if contrasts.dense:
        matrix = contrasts.matrix()
        moved = fits.tables @ (matrix**2).T - (fits.tables @ matrix.T) ** 2
    else:
        moved = np.array([diagonal_covariances(contrasts, table) for table in fits.tables])
    return 1 / (moved**2 * targets.precisions + targets.priors)


def _up_to(contrasts: Contrasts, terms: np.ndarray) -> np.ndarray:
    """Sums over the coefficients (Q, F) of sets of at most two, three, ... axes, shape (Q, R)."""
    return np.cumsum(terms, axis=1)[:, [end - 1 for end in _ends(contrasts)]]


def _ends(contrasts: Contrasts) -> list[int]:
    """How many coefficients are of sets of at most two, three, ... axes."""
    ends = {max(2, len(s)): part.stop for s, part in zip(contrasts.subsets, contrasts.parts)}
    return list(ends.values())
