"""The posterior of a table whose log-linear coefficients are normal, given noisy sums of its cells."""

import math

import numpy as np

from calm_core.inference.shrinkage.log_linear import softmax

DRAWS, WARM_UP, STEPS, STEP = 300, 30, 6, 0.25
NEWTON_STEPS = 60


class TablePosterior:
    """Log-linear coefficients given normal estimates of linear maps of the table.

    Parameters
    ----------
    features : ndarray, shape (cells, F)
    prior : ndarray, shape (F,)
        Variances.
    maps : ndarray, shape (M, cells)
        Linear maps of the measurements, scaled to noise with identity covariance.
    measured : ndarray, shape (M,)
    """

    def __init__(self, features, prior, maps, measured):
        self.features, self.prior, self.maps, self.measured = features, prior, maps, measured

    def value(self, at: np.ndarray) -> float:
        """Log density up to a constant."""
        off = self.measured - self.maps @ softmax(self.features @ at)
        return float(-(off @ off + (at**2 / self.prior).sum()) / 2)

    def slope(self, at: np.ndarray) -> np.ndarray:
        """Gradient of the log density."""
        p = softmax(self.features @ at)
        pull = p * (self.maps.T @ (self.measured - self.maps @ p))
        return self.features.T @ (pull - p * pull.sum()) - at / self.prior

    def curvature(self, at: np.ndarray) -> np.ndarray:
        """Precision around a point (Gauss-Newton), shape (F, F)."""
        p = softmax(self.features @ at)
        centred = p[:, None] * (self.features - p @ self.features)
        moved = self.maps @ centred
        return moved.T @ moved + np.diag(1 / self.prior)

    def mode(self) -> np.ndarray:
        """The mode of the coefficients, by damped Gauss-Newton steps."""
        at, damping = np.zeros(len(self.prior)), 1e-3
        value = self.value(at)
        for _ in range(NEWTON_STEPS):
            slope, curvature = self.slope(at), self.curvature(at)
            step = np.linalg.solve(curvature + damping * np.diag(np.diag(curvature)), slope)
            new = self.value(at + step)
            if new < value:
                damping *= 8
                continue
            at, gained, value, damping = at + step, new - value, new, max(damping / 4, 1e-9)
            if gained < 1e-8:
                break
        return at

    def take_hmc_step(
        self, at: np.ndarray, root: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Coefficients after one Hamiltonian Monte Carlo step.

        Parameters
        ----------
        at : ndarray, shape (F,)
        root : ndarray, shape (F, F)
            Coordinates in which the posterior is nearly standard normal.
        """
        speed = rng.standard_normal(len(at))
        energy = self.value(at) - speed @ speed / 2
        length, new, slope = STEP * rng.uniform(0.7, 1.3), at, root.T @ self.slope(at)
        for _ in range(STEPS):
            speed = speed + length / 2 * slope
            new = new + length * (root @ speed)
            slope = root.T @ self.slope(new)
            speed = speed + length / 2 * slope
        kept = math.log(rng.random()) < self.value(new) - speed @ speed / 2 - energy
        return new if kept else at

    def draws(self, rng: np.random.Generator) -> np.ndarray:
        """Tables drawn from the posterior, shape (DRAWS, cells), by Hamiltonian Monte Carlo."""
        at, tables = self.mode(), []
        root = np.linalg.inv(np.linalg.cholesky(self.curvature(at))).T
        for number in range(WARM_UP + DRAWS):
            at = self.take_hmc_step(at, root, rng)
            if number >= WARM_UP:
                tables.append(softmax(self.features @ at))
        return np.array(tables)
