"""Latent classes: a mixture of a few classes of people, within each of which attributes are independent.

p(x) = sum_k w_k prod_i theta_ki(x_i). The moment of the contrasts of a set S is then sum_k w_k of the
products of u_ki = U_i theta_ki, i in S, so the mixture is fitted to the measured interactions of every
set by Levenberg-Marquardt steps, whatever the oracles were. Normal priors keep the log shares of the
classes near each other, and their log odds near those of the population.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from calm_core.inference.shrinkage.interactions import Subset, contrast_basis
from calm_core.inference.shrinkage.log_linear import softmax
from calm_core.inference.shrinkage.priors import MIN_VARIANCE, Knowledge
from calm_core.runtime.cancellation import checkpoint

# Standard deviations of the priors: of log odds within a class, and of log shares of classes.
ODDS_SPREAD, SHARE_SPREAD = 1.0, 1.5
MIN_FRACTION = 1e-4
# Start: classes are spread along the direction in which pairs depend most, with a small random jitter.
JITTER, JITTER_SEED = 0.1, 1956
STEPS, TRIES, TOLERANCE = 40, 8, 1e-2
FIRST_DAMPING, MIN_DAMPING = 1e-2, 1e-6
# Largest number of derivatives of one family of sets for which a mixture is fitted.
MAX_NUMBERS = 20_000_000
MAX_ORDER = 3


@dataclass(frozen=True, eq=False)
class LatentClasses:
    """A mixture of K classes.

    Attributes
    ----------
    shares : ndarray, shape (K,)
        Share of people in every class.
    rates : tuple of ndarray, each of shape (K, c_i)
        Distribution of every attribute within each class.
    """

    shares: np.ndarray
    rates: tuple[np.ndarray, ...]

    def table(self, query: Subset) -> np.ndarray:
        """Return the marginal over the attributes at some positions.

        Examples
        --------
        >>> two = LatentClasses(np.array([0.5, 0.5]), (np.array([[1.0, 0], [0, 1]]),) * 2)
        >>> two.table((0, 1)).tolist()
        [[0.5, 0.0], [0.0, 0.5]]
        """
        found = self.shares[:, np.newaxis]
        for i in query:
            found = found[:, :, np.newaxis] * self.rates[i][:, np.newaxis]
            found = found.reshape(len(self.shares), -1)
        return found.sum(axis=0).reshape([self.rates[i].shape[1] for i in query])


class _FamilyMoments(NamedTuple):
    """Sets of attributes of the same sizes: positions (m, r), moments (m, F), precisions (m,)."""

    subsets: np.ndarray
    moments: np.ndarray
    precisions: np.ndarray


class _Mixture:
    """K classes as a vector of parameters: K log shares, then K rows of contrasts of log odds (D,)."""

    def __init__(self, known: Knowledge, count: int, order: int):
        self.count = count
        self.bases = [contrast_basis(size) for size in known.interactions.domain.sizes]
        self.starts = np.cumsum([0] + [len(basis) for basis in self.bases])
        self.numbers = count * (1 + int(self.starts[-1]))
        tables = (np.log(np.maximum(table, MIN_FRACTION)) for table in known.one_way)
        self.center = np.concatenate([basis @ t for basis, t in zip(self.bases, tables)])
        self.families = [_family_moments(known, family) for family in known.interactions.families
                         if len(family.sizes) <= order]  # fmt: skip
        spreads = [SHARE_SPREAD] * count + [ODDS_SPREAD] * (self.numbers - count)
        self.prior = 1 / np.array(spreads) ** 2
        self.middle = np.concatenate([np.zeros(count), np.tile(self.center, count)])

    @property
    def size(self) -> int:
        """Number of derivatives of the largest family."""
        columns = [
            self.count * (1 + sum(len(self.bases[i]) for i in family.subsets[0]))
            for family in self.families
        ]
        squares = (
            len(family.subsets) * width * max(width, family.moments.shape[1])
            for family, width in zip(self.families, columns)
        )
        return max(squares, default=0)

    def classes(self, at: np.ndarray) -> LatentClasses:
        """Return the mixture with these parameters."""
        logs, odds = at[: self.count], at[self.count :].reshape(self.count, -1)
        rates = tuple(
            softmax(odds[:, start:end] @ basis)
            for basis, start, end in zip(self.bases, self.starts, self.starts[1:])
        )
        return LatentClasses(softmax(logs), rates)

    def loss(self, at: np.ndarray) -> float:
        """Minus twice the log posterior."""
        classes, total = self.classes(at), float(self.prior @ (at - self.middle) ** 2)
        contrasts = self._contrasts(classes)
        for family in self.families:
            off = self._moments(classes, family, contrasts)[0] - family.moments
            total += float(family.precisions @ (off**2).sum(axis=1))
        return total

    def slopes(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Half the gradient of the misfit, and its Gauss-Newton matrix."""
        classes = self.classes(at)
        contrasts, moved = self._contrasts(classes), self._moved(classes)
        gradient = self.prior * (at - self.middle)
        matrix = np.diag(self.prior)
        for family in self.families:
            checkpoint()
            moments, parts = self._moments(classes, family, contrasts)
            slopes, columns = self._slopes(classes, family, contrasts, moved, moments, parts)
            weighed = slopes * family.precisions[:, None, None]
            off = moments - family.moments
            pull = (weighed * off[:, :, None]).sum(axis=1)
            gradient += np.bincount(columns.ravel(), pull.ravel(), minlength=self.numbers)
            square = weighed.transpose(0, 2, 1) @ slopes
            index = columns[:, :, None] * self.numbers + columns[:, None, :]
            found = np.bincount(index.ravel(), square.ravel(), minlength=self.numbers**2)
            matrix += found.reshape(matrix.shape)
        return gradient, matrix

    def _contrasts(self, classes: LatentClasses) -> list[np.ndarray]:
        """u_i of every class, shape (K, f_i) each."""
        return [rates @ basis.T for rates, basis in zip(classes.rates, self.bases)]

    def _moved(self, classes: LatentClasses) -> list[np.ndarray]:
        """How u_i moves with the contrasts of the log odds, shape (K, f_i, f_i) each."""
        found = []
        for rates, basis in zip(classes.rates, self.bases):
            mean = rates @ basis.T
            square = np.einsum("fc,kc,gc->kfg", basis, rates, basis)
            found.append(square - mean[:, :, None] * mean[:, None, :])
        return found

    def _moments(self, classes: LatentClasses, family: _FamilyMoments, contrasts):
        """Moments (m, F) of the sets of a family, and those of every class (m, K, F)."""
        gathered = [_stack_rows(contrasts, column) for column in family.subsets.T]
        parts = _outer_products(gathered, len(family.subsets), self.count)
        return np.einsum("k,mkf->mf", classes.shares, parts), parts

    def _slopes(self, classes, family: _FamilyMoments, contrasts, moved, moments, parts):
        """How the moments move with the numbers that they depend on (m, F, n), and which (m, n)."""
        m, count = len(family.subsets), self.count
        shares = classes.shares[None, :, None]
        slopes = [(shares * (parts - moments[:, None])).transpose(0, 2, 1)]
        columns = [np.broadcast_to(np.arange(count), (m, count))]
        gathered = [_stack_rows(contrasts, column) for column in family.subsets.T]
        width = int(self.starts[-1])
        for axis, column in enumerate(family.subsets.T):
            sides = gathered[:axis], gathered[axis + 1 :]
            left, right = (_outer_products(side, m, count) for side in sides)
            own = _stack_rows(moved, column) * shares[..., None]
            part = np.einsum("mka,mkfg,mkb->mafbkg", left, own, right)
            free = own.shape[3]
            slopes.append(part.reshape(m, -1, count * free))
            first = count + np.arange(count) * width
            at = self.starts[column][:, None, None] + first[None, :, None] + np.arange(free)
            columns.append(at.reshape(m, -1))
        return np.concatenate(slopes, axis=2), np.concatenate(columns, axis=1)


def _stack_rows(items: Sequence[np.ndarray], column: np.ndarray) -> np.ndarray:
    return np.stack([items[i] for i in column])


def _outer_products(vectors: Sequence[np.ndarray], m: int, count: int) -> np.ndarray:
    """Outer products of vectors (m, K, f_i), flat, shape (m, K, F)."""
    found = np.ones((m, count, 1))
    for vector in vectors:
        found = (found[:, :, :, None] * vector[:, :, None, :]).reshape(m, count, -1)
    return found


def _family_moments(known: Knowledge, family) -> _FamilyMoments:
    """Return the moments of a family used by the fit; for single attributes the shrunken tables."""
    if len(family.sizes) > 1:
        return _FamilyMoments(
            family.subsets, family.values, 1 / np.maximum(family.variances, MIN_VARIANCE)
        )
    keys = [(int(i),) for i in family.subsets[:, 0]]
    precisions = np.array([known.measured_precision(key) for key in keys])
    return _FamilyMoments(family.subsets, np.stack([known.target(key) for key in keys]), precisions)


def _main_direction(known: Knowledge) -> np.ndarray:
    """Return the leading direction of the pairwise correlations, by attribute, shape (d,)."""
    d = known.interactions.domain.d
    together = np.zeros((d, d))
    for i, j in (key for key in known.interactions.index if len(key) == 2):
        independent = known.contrasts[i][0] * known.contrasts[j][0]
        dependence = known.interactions.values((i, j))[0] - independent
        together[i, j] = together[j, i] = dependence / np.sqrt(known.spreads[i] * known.spreads[j])
    return np.linalg.eigh(together)[1][:, -1] * np.sqrt(d)


def _start_numbers(mixture: _Mixture, direction: np.ndarray) -> np.ndarray:
    rng = np.random.default_rng(JITTER_SEED)
    odds = np.tile(mixture.center, (mixture.count, 1))
    odds += rng.normal(0, JITTER, odds.shape)
    for i, along in enumerate(direction):
        if mixture.starts[i] < mixture.starts[i + 1]:
            odds[:, mixture.starts[i]] += np.linspace(-1, 1, mixture.count) * along
    return np.concatenate([np.zeros(mixture.count), odds.ravel()])


def fit_latent_classes(known: Knowledge, count: int) -> LatentClasses | None:
    """Return the most probable mixture of `count` classes; None if it has too many parameters.

    Parameters
    ----------
    known : Knowledge
        Measured interactions, of which sets of at most three attributes are used.
    count : int
        Number of classes K.
    """
    mixture = _Mixture(known, count, MAX_ORDER)
    if max(mixture.size, mixture.numbers**2) > MAX_NUMBERS:
        return None
    at = _start_numbers(mixture, _main_direction(known))
    misfit, damping = mixture.loss(at), FIRST_DAMPING
    diagonal = np.arange(mixture.numbers)
    for _ in range(STEPS):
        gradient, matrix = mixture.slopes(at)
        before = misfit
        for _ in range(TRIES):
            damped = matrix.copy()
            damped[diagonal, diagonal] *= 1 + damping
            there = at - np.linalg.solve(damped, gradient)
            reached = mixture.loss(there)
            if reached < misfit:
                at, misfit = there, reached
                break
            damping *= 5
        damping = max(damping / 5, MIN_DAMPING)
        if before - misfit < TOLERANCE:
            break
    return mixture.classes(at)
