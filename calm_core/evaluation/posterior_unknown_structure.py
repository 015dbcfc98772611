"""The posterior of a table for somebody who is told less: not which sets interact, or not how strongly.

Where only some sets of attributes interact it is known how many do and how strongly, but not which. Where
all do it is not known how strongly: about as is usual. Given which and how strongly, coefficients are normal
and move as in `table_posterior`; given the coefficients, it is drawn anew which sets interact, or how strongly.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from calm_core.evaluation.table_posterior import TablePosterior, softmax
from calm_core.inference.shrinkage.mixtures import TYPICAL_VARIANCE
from calm_core.runtime.cancellation import checkpoint

DRAWS, WARM_UP = 400, 100
# So many sets are tried at once: fewer take longer, of more too few trials are taken.
TOGETHER = 9
# The strengths of an order are looked for on this grid. Before anybody reports, the root of a strength is half
# a normal distribution, of the usual strength as variance: neither none nor a multiple of it is ruled out.
STRENGTHS = np.geomspace(1e-8, 4.0, 160)
# By how much all coefficients of an order are stretched at once, on a logarithmic scale.
STRETCH = 0.4


class SetPrior(NamedTuple):
    """What is known of a set of attributes before anybody reports.

    Attributes
    ----------
    part : slice
        Where its coefficients stand among all.
    order, cells : int
        Number of its attributes, and of the cells of their table.
    weak, strong : float
        Variances of its coefficients where it does not interact and where it does.
    share : float
        Chance that it does.
    """

    part: slice
    order: int
    cells: int
    weak: float
    strong: float
    share: float

    @property
    def is_uncertain(self) -> bool:
        """Whether it is not known."""
        return 0 < self.share < 1


class UnknownStructurePosterior:
    """Draws of tables from what is known without being told more.

    Parameters
    ----------
    features : ndarray, shape (cells, F)
    laws : sequence of SetPrior
        Where any is doubtful the variances are known, else only what is usual.
    maps, measured
        As of `TablePosterior`.
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
            Whether to start where every set that may interact does, or where none does.
        """
        prior, tables = np.empty(self.features.shape[1]), []
        for law in self.laws:
            usual = law.strong if self.uncertain else law.cells * TYPICAL_VARIANCE[law.order]
            prior[law.part] = usual if law.share == 1 or (law.is_uncertain and strong) else law.weak
        given = self._given(prior)
        at = given.mode()
        told = given.curvature(at) - np.diag(1 / prior)
        for number in range(WARM_UP + DRAWS):
            checkpoint()
            root = np.linalg.inv(np.linalg.cholesky(told + np.diag(1 / prior))).T
            at = self._given(prior).moved(at, root, rng)
            change = self._draw_which if self.uncertain else self._draw_strengths
            at, prior = change(at, prior, rng)
            if number >= WARM_UP:
                tables.append(softmax(self.features @ at))
        return np.array(tables)

    def _given(self, prior: np.ndarray) -> TablePosterior:
        return TablePosterior(self.features, prior, self.maps, self.measured)

    def _fit(self, at: np.ndarray) -> float:
        """Log likelihood of coefficients."""
        off = self.measured - self.maps @ softmax(self.features @ at)
        return -float(off @ off) / 2

    def _draw_strengths(self, at, prior, rng):
        """All coefficients of an order stretched at once, and how strong it is, given them."""
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
        """Whether sets interact together with their coefficients, some sets at a time (Metropolis)."""
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
        """How precisely reports tell each of some coefficients near a table, and that times its place."""
        moved = self.maps @ (p[:, None] * (features - p @ features))
        precision = np.einsum("mf,mf->f", moved, moved)
        return precision, precision * now + off @ moved


def _strength_chances(square: np.ndarray, usual: float) -> np.ndarray:
    """Log of the joint density of every strength of the grid and squared coefficients (F,)."""
    powers = (len(square) - 1) * np.log(STRENGTHS)
    return -(STRENGTHS / usual + powers + square.sum() / STRENGTHS) / 2


class NormalProposal(NamedTuple):
    """A normal approximation: what some coefficients may be, each as if the others were known.

    Attributes
    ----------
    log_chances : ndarray, shape (2, F)
        That the set of a coefficient does not interact, and that it does; 0 but for its first one.
    means, precisions : ndarray, shape (2, F)
        Of the coefficient in both cases.
    """

    log_chances: np.ndarray
    means: np.ndarray
    precisions: np.ndarray

    def log_density(self, at: np.ndarray, strong: np.ndarray) -> float:
        """Of coefficients, and of which sets interact, but for a constant."""
        chance, mean, precision = (np.where(strong, each[1], each[0]) for each in self)
        return float((chance + (np.log(precision) - (at - mean) ** 2 * precision) / 2).sum())


class UncertainSets:
    """Some sets of which it is not known whether they interact; whether they do is told per coefficient."""

    def __init__(self, laws: Sequence[SetPrior]):
        self.sizes = [law.part.stop - law.part.start for law in laws]
        self.first = np.cumsum([0, *self.sizes[:-1]])
        self.where = np.concatenate([np.arange(law.part.start, law.part.stop) for law in laws])
        self.variances = np.repeat([[law.weak, law.strong] for law in laws], self.sizes, axis=0).T
        self.log_chances = np.zeros(self.variances.shape)
        self.log_chances[:, self.first] = np.log([[1 - law.share, law.share] for law in laws]).T

    def log_prior(self, at: np.ndarray, strong: np.ndarray) -> float:
        """Log density of coefficients, and of which sets interact, before anybody reports."""
        chance, variance = (
            np.where(strong, each[1], each[0]) for each in (self.log_chances, self.variances)
        )
        return float((chance - (at**2 / variance + np.log(variance)) / 2).sum())

    def guess(self, precision: np.ndarray, pull: np.ndarray) -> NormalProposal:
        """What they may be where reports tell them so precisely (F,), and that times where."""
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
        """Coefficients, and whether their sets interact."""
        chance = np.exp(guess.log_chances[1, self.first])
        strong = np.repeat(rng.random(len(self.sizes)) < chance, self.sizes)
        mean, precision = (np.where(strong, each[1], each[0]) for each in guess[1:])
        return mean + rng.standard_normal(len(mean)) / np.sqrt(precision), strong
