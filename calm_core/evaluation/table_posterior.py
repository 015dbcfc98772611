"""The posterior of a table, given noisy sums of its cells: with normal log-linear coefficients, or unknown structure.

The structure is which sets of attributes interact, or how strongly. If only some sets interact, their share and strength
are known but not which they are. If all interact, their strength has a prior around typical values. Gibbs sampling:
given the sets and strengths, coefficients are normal; given the coefficients, sets or strengths are drawn.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from calm_core.inference.shrinkage.log_linear import softmax
from calm_core.inference.shrinkage.priors import TYPICAL_VARIANCE
from calm_core.runtime.cancellation import checkpoint

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
        centered = p[:, None] * (self.features - p @ self.features)
        moved = self.maps @ centered
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


STRUCTURE_DRAWS, STRUCTURE_WARM_UP = 400, 100
# Sets per Metropolis proposal: fewer are slower, more are rarely accepted.
TOGETHER = 9
# The strengths of an order are looked for on this grid. Before anybody reports, the root of a strength is half
# a normal distribution, of the usual strength as variance: neither none nor a multiple of it is ruled out.
STRENGTHS = np.geomspace(1e-8, 4.0, 160)
# Step size, on a log scale, for rescaling all coefficients of an order.
STRETCH = 0.4


class SetPrior(NamedTuple):
    """The prior of the coefficients of a set of attributes.

    Attributes
    ----------
    part : slice
        Position of its coefficients.
    order, cells : int
        Number of its attributes, and of the cells of their table.
    weak, strong : float
        Variances of its coefficients where it does not interact and where it does.
    share : float
        Probability that it interacts.
    """

    part: slice
    order: int
    cells: int
    weak: float
    strong: float
    share: float

    @property
    def is_uncertain(self) -> bool:
        """Whether it is unknown if the set interacts."""
        return 0 < self.share < 1


class UnknownStructurePosterior:
    """Sampler of the posterior of a table with unknown sets or strengths.

    Parameters
    ----------
    features : ndarray, shape (cells, F)
    laws : sequence of SetPrior
        Where any is doubtful the variances are known, else only what is usual.
    maps, measured
        As in `TablePosterior`.
    """

    def __init__(self, features, laws: Sequence[SetPrior], maps, measured):
        self.features, self.laws, self.maps, self.measured = features, laws, maps, measured
        self.uncertain = [law for law in laws if law.is_uncertain]
        self.orders: dict[int, list[SetPrior]] = {}
        for law in laws:
            self.orders.setdefault(law.order, []).append(law)

    def draws(self, rng: np.random.Generator, *, strong: bool = False) -> np.ndarray:
        """Tables drawn from the posterior, shape (DRAWS, cells).

        Parameters
        ----------
        rng : numpy Generator
        strong : bool
            Whether to start with all uncertain sets interacting, or with none.
        """
        prior, tables = np.empty(self.features.shape[1]), []
        for law in self.laws:
            usual = law.strong if self.uncertain else law.cells * TYPICAL_VARIANCE[law.order]
            prior[law.part] = usual if law.share == 1 or (law.is_uncertain and strong) else law.weak
        given = self._given(prior)
        at = given.mode()
        reports = given.curvature(at) - np.diag(1 / prior)
        for number in range(STRUCTURE_WARM_UP + STRUCTURE_DRAWS):
            checkpoint()
            root = np.linalg.inv(np.linalg.cholesky(reports + np.diag(1 / prior))).T
            at = self._given(prior).take_hmc_step(at, root, rng)
            change = self._draw_which if self.uncertain else self._draw_strengths
            at, prior = change(at, prior, rng)
            if number >= STRUCTURE_WARM_UP:
                tables.append(softmax(self.features @ at))
        return np.array(tables)

    def _given(self, prior: np.ndarray) -> TablePosterior:
        return TablePosterior(self.features, prior, self.maps, self.measured)

    def _fit(self, at: np.ndarray) -> float:
        """Log likelihood of the coefficients."""
        off = self.measured - self.maps @ softmax(self.features @ at)
        return -float(off @ off) / 2

    def _draw_strengths(self, at, prior, rng):
        """Rescale all coefficients of an order (Metropolis), then draw its strength given them."""
        at, prior = at.copy(), prior.copy()
        for order, laws in self.orders.items():
            where = np.concatenate([np.arange(law.part.start, law.part.stop) for law in laws])
            cells = np.concatenate(
                [np.full(law.part.stop - law.part.start, law.cells) for law in laws]
            )
            by, stretched = STRETCH * rng.standard_normal(), at.copy()
            stretched[where] *= math.exp(by)
            chances = [
                _strength_chances(each[where] ** 2 / cells, TYPICAL_VARIANCE[order])
                for each in (at, stretched)
            ]
            gain = (
                np.logaddexp.reduce(chances[1]) - np.logaddexp.reduce(chances[0]) + by * len(where)
            )
            if math.log(rng.random()) < gain + self._fit(stretched) - self._fit(at):
                at, chances = stretched, chances[1:]
            chance = np.exp(chances[0] - chances[0].max())
            prior[where] = rng.choice(STRENGTHS, p=chance / chance.sum()) * cells
        return at, prior

    def _draw_which(self, at, prior, rng):
        """Draw which sets interact together with their coefficients, some sets at a time (Metropolis)."""
        at, prior = at.copy(), prior.copy()
        p = softmax(self.features @ at)
        off = self.measured - self.maps @ p
        groups = -(-len(self.uncertain) // TOGETHER)
        for chosen in np.array_split(rng.permutation(len(self.uncertain)), groups):
            some = UncertainSets([self.uncertain[i] for i in chosen])
            features, now = self.features[:, some.where], at[some.where]
            was = prior[some.where] == some.variances[1]
            there = some.guess(*self._reported(p, off, features, now))
            new, strong = some.draw(there, rng)
            moved = p * np.exp(features @ (new - now))
            moved /= moved.sum()
            new_off = self.measured - self.maps @ moved
            back = some.guess(*self._reported(moved, new_off, features, new))
            gain = (off @ off - new_off @ new_off) / 2
            gain += some.log_prior(new, strong) - some.log_prior(now, was)
            gain += back.log_density(now, was) - there.log_density(new, strong)
            if math.log(rng.random()) < gain:
                p, off = moved, new_off
                at[some.where] = new
                prior[some.where] = np.where(strong, some.variances[1], some.variances[0])
        return at, prior

    def _reported(self, p, off, features, now) -> tuple[np.ndarray, np.ndarray]:
        """Precision of the reports on some coefficients near a table, and precision times position."""
        moved = self.maps @ (p[:, None] * (features - p @ features))
        precision = np.einsum("mf,mf->f", moved, moved)
        return precision, precision * now + off @ moved


def _strength_chances(square: np.ndarray, usual: float) -> np.ndarray:
    """Log joint density of every strength of the grid and the squared coefficients (F,)."""
    powers = (len(square) - 1) * np.log(STRENGTHS)
    return -(STRENGTHS / usual + powers + square.sum() / STRENGTHS) / 2


class NormalProposal(NamedTuple):
    """A normal approximation of some coefficients, each given the others.

    Attributes
    ----------
    log_chances : ndarray, shape (2, F)
        Log probability that its set does not interact, and that it does; 0 except for its first coefficient.
    means, precisions : ndarray, shape (2, F)
        Mean and precision of the coefficient in both cases.
    """

    log_chances: np.ndarray
    means: np.ndarray
    precisions: np.ndarray

    def log_density(self, at: np.ndarray, strong: np.ndarray) -> float:
        """Log density of coefficients and of which sets interact, up to a constant."""
        chance, mean, precision = (np.where(strong, each[1], each[0]) for each in self)
        return float((chance + (np.log(precision) - (at - mean) ** 2 * precision) / 2).sum())


class UncertainSets:
    """Some sets that may interact; whether they do is stored per coefficient."""

    def __init__(self, laws: Sequence[SetPrior]):
        self.sizes = [law.part.stop - law.part.start for law in laws]
        self.first = np.cumsum([0, *self.sizes[:-1]])
        self.where = np.concatenate([np.arange(law.part.start, law.part.stop) for law in laws])
        self.variances = np.repeat([[law.weak, law.strong] for law in laws], self.sizes, axis=0).T
        self.log_chances = np.zeros(self.variances.shape)
        self.log_chances[:, self.first] = np.log([[1 - law.share, law.share] for law in laws]).T

    def log_prior(self, at: np.ndarray, strong: np.ndarray) -> float:
        """Log prior density of coefficients and of which sets interact."""
        chance, variance = (
            np.where(strong, each[1], each[0]) for each in (self.log_chances, self.variances)
        )
        return float((chance - (at**2 / variance + np.log(variance)) / 2).sum())

    def guess(self, precision: np.ndarray, pull: np.ndarray) -> NormalProposal:
        """The proposal for reports with this precision (F,), and precision times position."""
        total = precision + 1 / self.variances
        mean = pull / total
        each = self.log_chances + (mean * pull - np.log(total * self.variances)) / 2
        log = np.add.reduceat(each, self.first, axis=1)
        chances = np.zeros(each.shape)
        chances[:, self.first] = log - np.logaddexp(*log)
        return NormalProposal(chances, mean, total)

    def draw(
        self, guess: NormalProposal, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw coefficients, and whether their sets interact."""
        chance = np.exp(guess.log_chances[1, self.first])
        strong = np.repeat(rng.random(len(self.sizes)) < chance, self.sizes)
        mean, precision = (np.where(strong, each[1], each[0]) for each in guess[1:])
        return mean + rng.standard_normal(len(mean)) / np.sqrt(precision), strong
