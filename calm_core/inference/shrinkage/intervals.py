"""Credible intervals of cells and sums of cells: noise, shrinkage, and unmeasured interactions.

The Laplace approximation at the fitted table. The reports measure the moments m_S with errors whose
inverse covariance is W'W as used by the fit (diag(1/V) if independent), the prior keeps the coefficients
lambda_S near their center with precision rho_S, and moments change with coefficients by H, the covariance
of the contrasts under the table. So the coefficients have posterior precision H W'W H + diag(rho), and a
cell changes by p(x) (f(x) - m) per coefficient. For an interaction that no view contains W is 0: only its
prior is known, which puts CALM's reconstruction error into the interval. Three corrections are added: the
true covariance of the moments (`MomentNoise`), the posterior covariance of the shares of single attributes, and the
skewness of cells near 0.

The prior may be wrong, and then it has pulled the answer to one side. With some probability, the doubt w, only the
reports on these attributes count: the interval is that of a mixture of the answer with its errors and of the reports with
theirs. So it reaches farther to the side from which the answer was pulled, and however far that was, such an end of a 95%
interval fails with probability 0.05 / w at most (bias-aware intervals: Armstrong and Kolesar 2018).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import prod

import numpy as np

from calm_core.inference.shrinkage.empirical_bayes import OrderPriors
from calm_core.inference.shrinkage.interactions import (
    Contrasts,
    MomentNoise,
    Subset,
    contrast_basis,
    contrasts_of_subsets,
    contrasts_up_to_order,
    count_contrasts,
    subsets_within,
)
from calm_core.inference.shrinkage.log_linear import Targets, posterior_covariances
from calm_core.inference.shrinkage.priors import Knowledge, shared_by
from calm_core.inference.shrinkage.regions import RegionFit

# Above this many contrasts `moment_deviations` replaces the Laplace approximation.
MAX_LAPLACE_CONTRASTS = 1_024
# Probability that the prior is wrong about a cell that the reports cannot tell from an empty one, at least; in a table of
# few cells it is one over their number. And by how much it grows with a share above an equal share of all cells: people
# read large cells first.
PRIOR_DOUBT, DOUBT_OF_LARGE = 0.2, 4.0
# Largest standard deviation of the logarithm of a cell.
MAX_LOG_SPREAD = 600.0
# Keeps intervals of tiny probability finite.
MIN_QUANTILE = 1e-9
# Keep quantiles finite. So often the interval that holds a quantile is halved; then the probability is taken as linear.
PROBABILITIES, BISECTIONS = (1e-300, 1 - 2**-53), 16
# By what variances of unmeasured interactions fall with every attribute more. They usually fall to 0.15.
UNMEASURED_FALL = 0.6


@dataclass(frozen=True, eq=False)
class LaplaceApproximation:
    """The Laplace approximation at one fitted table.

    Attributes
    ----------
    table : ndarray, shape (c_1, ..., c_k)
        The fit.
    moves : ndarray, shape (c_1, ..., c_k, F)
        Derivative of every cell by every coefficient.
    covariance : ndarray, shape (F, F)
        Posterior covariance of the coefficients.
    """

    table: np.ndarray
    moves: np.ndarray
    covariance: np.ndarray

    def deviations(self, axes: tuple[int, ...], weights: np.ndarray | None = None) -> np.ndarray:
        """Return the standard deviation of every cell of the marginal over some axes, or of their sum with weights."""
        others = tuple(a for a in range(self.table.ndim) if a not in axes)
        moves = self.moves.sum(axis=others)
        if weights is not None:
            moves = np.tensordot(weights, moves, weights.ndim)
        return np.sqrt(np.maximum(((moves @ self.covariance) * moves).sum(axis=-1), 0))


def unmeasured_precision(known: Knowledge, order_priors: OrderPriors, subset: Subset) -> float:
    """Return the prior precision of an unmeasured coefficient.

    It follows from the mean variance of its order, or of the largest measured order, extrapolated by
    `UNMEASURED_FALL`.
    """
    order = max(r for r in order_priors if r <= len(subset))
    fall = UNMEASURED_FALL ** (len(subset) - order)
    sizes = [known.interactions.domain.sizes[i] for i in subset]
    return shared_by(sizes) / (prod(sizes) * max(order_priors[order].variance * fall, 1e-12))


def laplace_approximation(
    known: Knowledge, order_priors: OrderPriors, fit: RegionFit, noise: MomentNoise, order: int
) -> LaplaceApproximation | None:
    """Return the Laplace approximation of a fitted table; None if it has too many contrasts.

    Parameters
    ----------
    known : Knowledge
        Variances of the reports.
    order_priors : mapping of int to MixturePrior
        The prior of every order, for unmeasured interactions.
    fit : RegionFit
        The table and the priors it was found with.
    noise : Noise
        Covariance of the moments.
    order : int
        Number of attributes of the query. Larger interactions are included only if measured.
    """
    table = fit.table
    if count_contrasts(table.shape, order) > MAX_LAPLACE_CONTRASTS:
        return None
    problem = fit.problem
    own = dict(zip(problem.contrasts.subsets, problem.contrasts.parts))
    axes = [axis for axis, size in enumerate(table.shape) if size > 1]
    subsets = sorted({*own, *subsets_within(axes, order)}, key=lambda subset: (len(subset), subset))
    contrasts = contrasts_of_subsets(table.shape, tuple(subsets))
    count = len(contrasts.index)
    if count > MAX_LAPLACE_CONTRASTS:
        return None
    common = np.zeros((1, problem.targets.common.shape[1], count))
    targets = Targets(*np.zeros((4, 1, count)), common)
    for subset, part in zip(contrasts.subsets, contrasts.parts):
        key = tuple(fit.region[a] for a in subset)
        if subset in own:
            common[0, :, part] = problem.targets.common[0, :, own[subset]]
        if len(key) == 1 or key in known.prior_variances:
            targets.precisions[0, part] = known.measured_precision(key)
            targets.priors[0, part] = problem.wide_precisions[0, own[subset]]
        else:
            targets.priors[0, part] = unmeasured_precision(known, order_priors, key)
    p = table.reshape(1, -1)
    moved = contrasts.covariances(p)
    targets = replace(targets, whitening=_whitening(fit, contrasts, targets))
    covariance = posterior_covariances(moved, targets)[0]
    covariance += _noise_correction(known, fit, contrasts, targets, moved, covariance, noise)
    matrix = contrasts.matrix()
    moves = (matrix * p).T - np.outer(p, matrix @ p[0])
    return LaplaceApproximation(table, moves.reshape(*table.shape, -1), covariance)


def _whitening(fit: RegionFit, contrasts: Contrasts, targets: Targets) -> np.ndarray:
    """Return W of a fit for contrasts that include its own, shape (1, F, F)."""
    if fit.problem.targets.whitening is None:
        return np.sqrt(targets.precisions)[:, :, None] * np.eye(len(contrasts.index))
    places = dict(zip(contrasts.subsets, contrasts.parts))
    index = np.arange(len(contrasts.index))
    own = np.concatenate([index[places[subset]] for subset in fit.problem.contrasts.subsets])
    found = np.zeros((1, len(index), len(index)))
    found[0, own[:, None], own] = fit.problem.targets.whitening[0]
    return found


def _noise_correction(known, fit, contrasts, targets, moved, covariance, noise) -> np.ndarray:
    """Return the covariance that the fit's noise model misses, (F, F).

    The mode moves by C H W' W with the errors of the moments, whatever their covariance is.
    """
    kept = np.ones(len(covariance))
    for subset, part in zip(contrasts.subsets, contrasts.parts):
        kept[part] = known.kept_share(tuple(fit.region[a] for a in subset))
    place = fit.region, contrasts, fit.table.ravel(), moved[0]
    off = noise.covariance(*place) * np.outer(kept, kept)
    if fit.problem.targets.whitening is None:
        off[np.diag_indices(len(off))] -= 1 / np.maximum(targets.precisions[0], 1e-300)
    else:
        # As in `RegionProblem.with_joint_noise`.
        assumed = noise.covariance(*place, include_means=False)
        off -= assumed * np.sqrt(np.outer(kept, kept))
    for subset, part in zip(contrasts.subsets, contrasts.parts):
        i = fit.region[subset[0]]
        if len(subset) == 1 and (i,) in known.interactions.index:
            off[part, part] += known.prior_covariance_change(i)
    gain = covariance @ targets.whiten_covariance(moved)[0] @ targets.whitening[0]
    return gain @ off @ gain.T


@dataclass(frozen=True, eq=False)
class AnswerErrors:
    """What is known about the errors of an answer: of every cell, or of a sum of cells with weights.

    A sum of cells is a linear functional of the table just as a cell is; everything applies to both.

    Attributes
    ----------
    known : Knowledge
        Variances and priors.
    order_priors : mapping of int to MixturePrior
        The prior of every order.
    noise : MomentNoise
        Covariance of the moments.
    query : tuple of int
        Positions of the k attributes.
    around : LaplaceApproximation or None
        The approximation at the fit of which the answer is a marginal.
    axes : tuple of int
        Axes of that fit's table that hold the attributes of the query.
    weights : ndarray, optional
        Weight of every cell in a sum, from 0 to 1, instead of all cells one by one.
    """

    known: Knowledge
    order_priors: OrderPriors
    noise: MomentNoise
    query: Subset
    around: LaplaceApproximation | None
    axes: Subset
    weights: np.ndarray | None = None

    def interval(self, tables: Sequence[np.ndarray], level: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the lowest and highest plausible share of every cell, or of the sum.

        Parameters
        ----------
        tables : sequence of ndarray
            The answer to center the interval at, that of the approximation, and others.
        level : float
            Probability of the interval.
        """
        from scipy.special import ndtri

        # By rounding all cells together may exceed 1.
        share, *others = (
            table if self.weights is None else np.clip((table * self.weights).sum(), 0, 1)
            for table in tables
        )
        near, alone = self.compare_sources(tables[0])
        z = max(ndtri((1 + level) / 2), MIN_QUANTILE)
        believed = skewed_deviations(share, near, alone, z)
        for other in others:
            # Two answers from the same reports: their difference adds to the uncertainty.
            believed = np.hypot(believed, share - other)
        reported = share + self._pull(tables[0])
        noise = np.maximum(alone, believed)
        doubt = self._doubt(share, reported, z * alone)
        return mixture_interval(share, believed, reported, noise, doubt, level)

    def _doubt(self, share: np.ndarray, reported: np.ndarray, reach: np.ndarray) -> np.ndarray:
        """Return the probability that the prior is wrong; `reach` is half the length of the reports' own intervals."""
        cells = prod(self.known.interactions.domain.sizes[i] for i in self.query)
        equal = 1 / max(cells, 2) if self.weights is None else self.weights.mean()
        # A large share, as answered or as reported: 0 at an equal share, 0 and 1, and below 1.
        both = np.stack([share, np.clip(reported, 0, 1)])
        above, below = (1 - both) * (both - equal) / (1 - equal), both * (equal - both) / equal
        large = DOUBT_OF_LARGE * np.maximum(above, below).max(axis=0)
        unseen = np.minimum(share, 1 - share) < reach
        return np.where(unseen, np.maximum(large, max(PRIOR_DOUBT, 1 / cells)), large)

    def compare_sources(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the deviations with the prior, and those of the reports on these attributes alone."""
        if self.around is None:
            return self._independent_deviations(table)
        contrasts = contrasts_up_to_order(table.shape, table.ndim)
        near = self.around.deviations(self.axes, self.weights)
        return near, self._report_deviations(table, contrasts)

    def _pull(self, table: np.ndarray) -> np.ndarray:
        """Return how far the reports' own estimate is from the answer; unmeasured moments are the answer's."""
        contrasts = contrasts_up_to_order(table.shape, table.ndim)
        off = np.zeros(len(contrasts.index))
        moments = contrasts.moments(table.reshape(1, -1))[0]
        for subset, part, count in zip(contrasts.subsets, contrasts.parts, contrasts.subset_cells):
            key = tuple(self.query[a] for a in subset)
            if key in self.known.interactions.index:
                off[part] = self.known.interactions.values(key) - moments[part]
                off[part] *= count / table.size
        cells = contrasts.exponents(off[None]).reshape(table.shape)
        return cells if self.weights is None else (cells * self.weights).sum()

    def _independent_deviations(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the same deviations as if all moments were independent."""
        k = table.ndim
        shares = _single_shares(table)
        total = np.zeros((2, *(table.shape if self.weights is None else ())))
        for subset in subsets_within(range(k), k):
            key = tuple(self.query[a] for a in subset)
            squares = _squares(shares, subset, self.weights)
            variance = self.known.variances.get(key)
            if variance is None:
                total += self._unmeasured_variance(table, shares, subset)
                continue
            total[1] += self.known.interactions.variance(key) * squares
            if len(key) == 1:
                total[0] += self._share_variances(shares, subset[0])
            else:
                total[0] += variance * squares
        return tuple(np.sqrt(total))

    def _share_variances(self, shares: list[np.ndarray], axis: int) -> np.ndarray:
        """Return the variances that come with the shares of one attribute: a large share has the largest."""
        covariance = self.known.shares[self.query[axis]].covariance()
        ones = np.ones(len(covariance))
        moved = reduce(np.multiply.outer, [ones if a == axis else s for a, s in enumerate(shares)])
        if self.weights is None:
            shape = [-1 if a == axis else 1 for a in range(len(shares))]
            return moved**2 * covariance.diagonal().reshape(shape)
        others = tuple(a for a in range(len(shares)) if a != axis)
        together = (moved * self.weights).sum(axis=others)
        return together @ covariance @ together

    def _unmeasured_variance(self, table: np.ndarray, shares: list[np.ndarray], subset: Subset):
        """Return the variances that come with an interaction that no view measures.

        It changes the logarithms of cells, as far as smaller interactions stay as they are at independence.
        """
        key = tuple(self.query[a] for a in subset)
        precision = unmeasured_precision(self.known, self.order_priors, key)
        features = [np.ones((1, len(share))) for share in shares]
        for a in subset:
            basis = contrast_basis(len(shares[a]))
            features[a] = basis - (basis @ shares[a])[:, None]
        mean = _along_axes(features, table)
        if self.weights is not None:
            moved = table * self.weights
            return ((_along_axes(features, moved) - moved.sum() * mean) ** 2).sum() / precision
        squares = reduce(np.multiply.outer, [(one**2).sum(axis=0) for one in features])
        squares += (mean**2).sum() - 2 * _along_axes([one.T for one in features], mean)
        return table**2 * np.maximum(squares, 0) / precision

    def _report_deviations(self, table: np.ndarray, contrasts: Contrasts) -> np.ndarray:
        """Return deviations from the noise of the reports alone; unmeasured moments are as uncertain as their prior."""
        p = table.reshape(1, -1)
        found = self.noise.covariance(self.query, contrasts, p[0], contrasts.covariances(p)[0])
        share, more = np.empty(len(found)), 0.0
        shares = _single_shares(table)
        for subset, part, count in zip(contrasts.subsets, contrasts.parts, contrasts.subset_cells):
            key = tuple(self.query[a] for a in subset)
            share[part] = count / table.size
            if key not in self.known.interactions.index:
                found[part], found[:, part] = 0, 0
                more = more + self._unmeasured_variance(table, shares, subset)
        cells = contrasts.matrix() * share[:, None]
        if self.weights is not None:
            cells = cells @ self.weights.ravel()
        squares = np.maximum((cells * (found @ cells)).sum(axis=0), 0)
        return np.sqrt(more + (squares.reshape(table.shape) if self.weights is None else squares))


def _along_axes(matrices: list[np.ndarray], values: np.ndarray) -> np.ndarray:
    """Return values with one matrix applied along each axis."""
    for axis, matrix in enumerate(matrices):
        values = np.moveaxis(np.tensordot(matrix, values, (1, axis)), 0, axis)
    return values


def _single_shares(table: np.ndarray) -> list[np.ndarray]:
    """Return the table of every single attribute."""
    axes = range(table.ndim)
    return [table.sum(axis=tuple(b for b in axes if b != a)) for a in axes]


def _squares(shares: list[np.ndarray], subset: Subset, weights: np.ndarray | None) -> np.ndarray:
    """Return the squared change of cells, or of their sum with weights, with all moments of a subset of axes."""
    k = len(shares)
    found = np.ones([1] * k) if weights is None else weights
    for a, share in enumerate(shares):
        shape = [share.size if a == b else 1 for b in range(k)]
        if weights is None:
            found = found * (1 - 1 / share.size if a in subset else share.reshape(shape) ** 2)
        elif a in subset:
            found = found - found.mean(axis=a, keepdims=True)
        else:
            found = (found * share.reshape(shape)).sum(axis=a, keepdims=True)
    return found if weights is None else (found**2).sum()


def skewed_deviations(
    share: np.ndarray, near: np.ndarray, alone: np.ndarray, z: float
) -> np.ndarray:
    """Return the deviations with the prior, `near`, made longer for cells within z of them of 0 or 1.

    Coefficients change the logarithm of a cell. If its interval would be cut at 0 or 1, use the interval of the
    logarithm, unless the reports alone give a shorter one.
    """
    room = np.maximum(np.minimum(share, 1 - share), 1e-300)
    far = room * np.sinh(np.minimum(z * near / room, MAX_LOG_SPREAD)) / z
    return np.where(z * near > room, np.maximum(near, np.minimum(far, alone)), near)


def mixture_interval(
    answer: np.ndarray,
    believed: np.ndarray,
    reported: np.ndarray,
    noise: np.ndarray,
    doubt: np.ndarray,
    level: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of an interval around the answer, for a mixture of two normal distributions on [0, 1].

    Each side of the answer loses the same part of its probability. A cell cannot be negative: if the interval is
    cut at 0 or 1, all its probability lies on the other side.

    Parameters
    ----------
    answer, believed : ndarray
        Mean, from 0 to 1, and deviation of the first distribution.
    reported, noise : ndarray
        Of the second one.
    doubt : ndarray
        Weight of the second one.
    level : float
        Probability of the interval.

    Examples
    --------
    The reports say 60%, the answer was pulled to 50%:

    >>> ends = mixture_interval(*map(np.array, (0.5, 0.02, 0.6, 0.06, 0.3)), 0.95)
    >>> [round(float(end), 2) for end in ends]
    [0.46, 0.67]
    """
    from scipy.special import ndtr, ndtri

    believed, noise = np.maximum(believed, 1e-300), np.maximum(noise, 1e-300)

    def probability_below(end):
        first = ndtr((end - answer) / believed)
        return first + doubt * (ndtr((end - reported) / noise) - first)

    none, whole = probability_below(0.0), probability_below(1.0)
    inside, below = level * (whole - none), probability_below(answer)
    lost = (1 - inside) * np.stack([below, 1 - below])
    probability = np.stack([lost[0], 1 - lost[1], whole - inside, none + inside])
    # A quantile of a mixture lies between those of its parts.
    away = ndtri(np.clip(probability, *PROBABILITIES))
    ends = answer + away * believed, reported + away * noise
    left, right = np.minimum(*ends), np.maximum(*ends)
    for _ in range(BISECTIONS):
        middle = (left + right) / 2
        smaller = probability_below(middle) < probability
        left, right = np.where(smaller, middle, left), np.where(smaller, right, middle)
    at_left, at_right = probability_below(left), probability_below(right)
    share = (probability - at_left) / np.maximum(at_right - at_left, 1e-300)
    low, high, from_one, from_none = left + np.clip(share, 0, 1) * (right - left)
    cut, cut_above = low < 0, high > 1
    low, high = (
        np.where(cut_above & ~cut, from_one, low),
        np.where(cut & ~cut_above, from_none, high),
    )
    return np.maximum(low, 0), np.minimum(high, 1)
