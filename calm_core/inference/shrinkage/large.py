"""Posterior precisions of large tables, without the matrix of contrasts.

H diag(1/V) H + diag(rho) is applied by fast transforms and solved by conjugate gradients.
"""

import numpy as np

from calm_core.inference.shrinkage.features import Contrasts, contrast_basis

CG_TOLERANCE, MAX_CG_STEPS = 1e-2, 30
# A trace as mean of so many quadratic forms in random signs (Hutchinson 1989); the same signs always.
PROBES, PROBE_SEED, PROBE_STEPS = 4, 1989, 200


def diagonal_covariances(contrasts: Contrasts, p: np.ndarray) -> np.ndarray:
    """Variance of every contrast under one table p (cells,), shape (F,), without the matrix."""
    table = p.reshape(contrasts.sizes)
    found = np.empty(len(contrasts.index))
    for subset, part in zip(contrasts.subsets, contrasts.parts):
        inside = table.sum(axis=tuple(a for a in range(table.ndim) if a not in subset))
        first = second = inside
        for size in inside.shape:
            basis = contrast_basis(size)
            first = np.tensordot(first, basis, axes=(0, 1))
            second = np.tensordot(second, basis**2, axes=(0, 1))
        found[part] = (second - first**2).ravel()
    return np.maximum(found, 1e-12)


class LargeSystem:
    """The posterior precision of the coefficients near one table.

    Parameters
    ----------
    contrasts : Contrasts
        The features.
    table : ndarray, shape (cells,)
        The table.
    precision, prior : ndarray, shape (F,)
        1/V and rho.
    lift : ndarray, shape (R, F)
        What the prior precision is less, see `Targets.lift`.
    damping : float
        Added as a share of the diagonal.
    """

    def __init__(self, contrasts, table, precision, prior, lift, damping=0.0):
        self.contrasts, self.table = contrasts, table
        self.precision, self.prior, self.lift, self.damping = precision, prior, lift, damping
        diagonal = diagonal_covariances(contrasts, table) ** 2 * precision + prior
        self.unit = 1 / np.sqrt(diagonal)

    def spread(self, vector: np.ndarray) -> np.ndarray:
        """H times a vector (F,)."""
        change = self.contrasts.exponents(vector[None])[0]
        return self.contrasts.moments((self.table * (change - self.table @ change))[None])[0]

    def _times(self, vector: np.ndarray) -> np.ndarray:
        """The precision, damped, in units in which its diagonal is about 1."""
        moved = self.unit * vector
        own = self.prior * moved - self.lift.T @ (self.lift @ moved)
        back = self.spread(self.precision * self.spread(moved)) + own
        return self.unit * back + self.damping * vector

    def solve(self, vector: np.ndarray, steps: int) -> np.ndarray:
        """The inverse times a vector (F,), as far as so many steps get."""
        rest = self.unit * vector
        found, way, size = np.zeros_like(rest), rest, rest @ rest
        goal = CG_TOLERANCE**2 * size
        for _ in range(steps):
            if size <= goal:
                break
            pushed = self._times(way)
            far = size / (way @ pushed)
            found, rest = found + far * way, rest - far * pushed
            before, size = size, rest @ rest
            way = rest + size / before * way
        return self.unit * found

    def prior_share(self, end: int) -> tuple[float, float]:
        """What the prior holds of the first moments, and the variance of their residuals' sum of squares.

        Both are right on average: tr K, see `discrepancy`, of those before `end` that were measured, and 2 tr K^2.
        """
        root = np.sqrt(self.precision)
        first = (root > 0) & (np.arange(len(root)) < end)
        signs = np.random.default_rng(PROBE_SEED).choice((-1.0, 1.0), (PROBES, len(root))) * first
        told = [self.spread(self.solve(self.spread(root * s), PROBE_STEPS)) for s in signs]
        left = (signs - root * told) * first
        return float((signs * left).sum() / PROBES), float(2 * (left**2).sum() / PROBES)
