"""Log-linear tables: their features, and posterior modes of many small tables of one shape at once.

A table is p(x) proportional to exp(sum_S lambda_S . f_S(x)); the contrast f_S of a set S of attributes
consists of the orthonormal basis vectors of S, constant along the other attributes. The reports measure
its moments m_S with normal noise of variance V_S, and the prior keeps lambda_S near a center with
precision rho_S. The mode minimizes

    1/2 |W (m(lambda) - R)|^2 + 1/2 sum_S rho_S |lambda_S - center_S|^2

by Levenberg-Marquardt steps. W' W is the inverse covariance of the errors of R: W = diag(1/V)^1/2 if the
errors are independent. Moments change with coefficients by H, the covariance of the contrasts under the
table, so H W' W H + diag(rho) is the posterior precision near the mode. For large tables it is applied by
fast transforms, without the matrix of contrasts, and solved by conjugate gradients.
"""

from dataclasses import dataclass, fields, replace

import numpy as np

from calm_core.inference.shrinkage.interactions import Contrasts, contrast_basis
from calm_core.runtime.cancellation import checkpoint

CG_TOLERANCE, MAX_CG_STEPS = 1e-2, 30
# Hutchinson's (1989) estimate of a trace from random signs; the signs are always the same.
PROBES, PROBE_SEED, PROBE_STEPS = 4, 1989, 200


def diagonal_covariances(contrasts: Contrasts, p: np.ndarray) -> np.ndarray:
    """Return the variance of every contrast under one table p (cells,), shape (F,), without the matrix."""
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
    """The posterior precision of the coefficients near one large table, as a linear operator.

    Parameters
    ----------
    contrasts : Contrasts
        The features.
    table : ndarray, shape (cells,)
        The table.
    precision, prior : ndarray, shape (F,)
        1/V and rho.
    low_rank : ndarray, shape (R, F)
        Low-rank part subtracted from the prior precision, see `Targets.low_rank`.
    damping : float
        Added as a share of the diagonal.
    """

    def __init__(self, contrasts, table, precision, prior, low_rank, damping=0.0):
        self.contrasts, self.table = contrasts, table
        self.precision, self.prior = precision, prior
        self.low_rank, self.damping = low_rank, damping
        diagonal = diagonal_covariances(contrasts, table) ** 2 * precision + prior
        self.unit = 1 / np.sqrt(diagonal)

    def apply_covariance(self, vector: np.ndarray) -> np.ndarray:
        """Return H times a vector (F,)."""
        change = self.contrasts.exponents(vector[None])[0]
        return self.contrasts.moments((self.table * (change - self.table @ change))[None])[0]

    def _apply(self, vector: np.ndarray) -> np.ndarray:
        """Apply the damped precision, in units in which its diagonal is about 1."""
        moved = self.unit * vector
        own = self.prior * moved - self.low_rank.T @ (self.low_rank @ moved)
        back = self.apply_covariance(self.precision * self.apply_covariance(moved)) + own
        return self.unit * back + self.damping * vector

    def solve(self, vector: np.ndarray, steps: int) -> np.ndarray:
        """Return the inverse times a vector (F,), by at most `steps` conjugate gradient steps."""
        from scipy.sparse.linalg import LinearOperator, cg

        operator = LinearOperator((len(vector),) * 2, matvec=self._apply, dtype=float)
        found, _ = cg(operator, self.unit * vector, rtol=CG_TOLERANCE, atol=0, maxiter=steps)
        return self.unit * found

    def _probe(self, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return random signs of some moments, and how these move the fit, in units of noise, both (probes, F)."""
        root = np.sqrt(self.precision)
        signs = np.random.default_rng(PROBE_SEED).choice((-1.0, 1.0), (PROBES, len(root))) * first
        projected = [
            root * self.apply_covariance(self.solve(self.apply_covariance(root * s), PROBE_STEPS))
            for s in signs
        ]
        return signs, np.array(projected)

    def estimate_prior_share(self, end: int) -> tuple[float, float]:
        """Estimate the prior's share of the first moments, and the variance of their residual sum of squares.

        Unbiased estimates of tr K (see `empirical_bayes`) over the measured moments before `end`, and of
        2 tr K^2.
        """
        first = (self.precision > 0) & (np.arange(len(self.precision)) < end)
        signs, moved = self._probe(first)
        left = (signs - moved) * first
        return float((signs * left).sum() / PROBES), float(2 * (left**2).sum() / PROBES)

    def estimate_gains(self) -> np.ndarray:
        """Estimate by how much every fitted moment moves with its measurement, shape (F,): without bias."""
        signs, moved = self._probe(self.precision > 0)
        return (signs * moved).mean(axis=0)


# Change of the log posterior between two steps; a cell that tends to 0 converges ever more slowly.
MODE_TOLERANCE = 1e-2
MAX_MODE_STEPS = 60
FIRST_DAMPING, MIN_DAMPING = 1e-3, 1e-8
LINE_SEARCH_TRIES, LINE_SEARCH_FACTOR = 6, 0.3
# Matters only in directions without information from reports or prior.
RIDGE = 1e-12


@dataclass(frozen=True, eq=False)
class Targets:
    """Moments and priors to which Q tables of one shape are fitted, all arrays of shape (Q, F).

    Attributes
    ----------
    moments, precisions : ndarray
        R and 1/V; the precision is 0 where nothing was measured.
    centers, priors : ndarray
        Prior mean and precision rho > 0 of every coefficient.
    common : ndarray, shape (Q, R, F)
        Directions shared by the coefficients: the prior covariance is diag(1/rho) plus the outer
        product of each of these vectors.
    whitening : ndarray, shape (Q, F, F), optional
        W, lower triangular, if errors are correlated; rows and columns of unmeasured moments are 0.
    """

    moments: np.ndarray
    precisions: np.ndarray
    centers: np.ndarray
    priors: np.ndarray
    common: np.ndarray
    whitening: np.ndarray | None = None

    def select(self, rows: np.ndarray) -> "Targets":
        """Return the targets of some of the tables."""
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{at: part[rows] for at, part in parts.items() if part is not None})

    def whiten(self, moments: np.ndarray) -> np.ndarray:
        """Return W times moments (Q, F)."""
        if self.whitening is None:
            return np.sqrt(self.precisions) * moments
        return (self.whitening @ moments[:, :, None])[:, :, 0]

    def whiten_covariance(self, covariance: np.ndarray) -> np.ndarray:
        """Return H W' of the covariances H of the contrasts, shape (Q, F, F)."""
        if self.whitening is None:
            return covariance * np.sqrt(self.precisions)[:, None, :]
        return covariance @ self.whitening.transpose(0, 2, 1)

    def noise_covariance(self) -> np.ndarray:
        """Return the covariance of the errors of moments, (Q, F, F); 0 for unmeasured moments."""
        on, diagonal = self.precisions > 0, np.arange(self.precisions.shape[1])
        if self.whitening is None:
            found = np.zeros((*self.precisions.shape, len(diagonal)))
            found[:, diagonal, diagonal] = np.divide(
                1, self.precisions, out=np.zeros(on.shape), where=on
            )
            return found
        whole = self.whitening.copy()
        whole[:, diagonal, diagonal] += ~on
        root = np.linalg.inv(whole)
        found = root @ root.transpose(0, 2, 1)
        found[:, diagonal, diagonal] -= ~on
        return found

    def weighted_residuals(self, moments: np.ndarray) -> np.ndarray:
        """Return W' W times the deviation of moments (Q, F) from the measured ones."""
        off = moments - self.moments
        if self.whitening is None:
            return self.precisions * off
        return (self.whiten(off)[:, None, :] @ self.whitening)[:, 0]

    def common_amounts(self, coefficients: np.ndarray) -> np.ndarray:
        """Return the common part of coefficients (Q, F) beside the centers, in prior standard deviations, (Q, R)."""
        off = coefficients - self.centers
        pull = (self.common @ (self.priors * off)[:, :, None])[:, :, 0]
        return pull / (1 + (self.common**2 @ self.priors[:, :, None])[:, :, 0])

    @property
    def low_rank(self) -> np.ndarray:
        """L of the prior precision diag(rho) - L^T L, shape (Q, R, F)."""
        weighed = self.common * self.priors[:, None, :]
        return weighed / np.sqrt(1 + (weighed * self.common).sum(axis=2, keepdims=True))

    def deviations(self, coefficients: np.ndarray) -> np.ndarray:
        """Return deviations from the centers minus their best common part, shape (Q, F)."""
        off = coefficients - self.centers
        return off - (self.common_amounts(coefficients)[:, None, :] @ self.common)[:, 0]

    def with_common_fixed(self, coefficients: np.ndarray) -> "Targets":
        """Return the same targets with the common part taken as known: added to the centers."""
        centers = coefficients - self.deviations(coefficients)
        return replace(self, centers=centers, common=np.zeros_like(self.common))

    def loss(self, moments: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """Return minus the log posterior of tables with these moments and coefficients, shape (Q,)."""
        off = (self.whiten(moments - self.moments) ** 2).sum(axis=1)
        drag = self.priors * self.deviations(coefficients)
        return (off + (drag * (coefficients - self.centers)).sum(axis=1)) / 2


@dataclass(frozen=True, eq=False)
class Fits:
    """Fitted tables (Q, cells), coefficients (Q, F), and whether each fit converged (Q,)."""

    tables: np.ndarray
    coefficients: np.ndarray
    converged: np.ndarray

    def select(self, rows: np.ndarray) -> "Fits":
        """Return the fits of some of the tables."""
        return Fits(*(getattr(self, field.name)[rows] for field in fields(self)))


def softmax(exponents: np.ndarray) -> np.ndarray:
    """Return the exponentials, normalized to a sum of 1 along the last axis."""
    weight = np.exp(exponents - exponents.max(axis=-1, keepdims=True))
    return weight / weight.sum(axis=-1, keepdims=True)


def find_modes(
    contrasts: Contrasts, targets: Targets, start: np.ndarray, steps: int | None = None
) -> Fits:
    """Find posterior modes from given coefficients (Q, F), or take a few `steps` there; the posterior never decreases.

    Examples
    --------
    Precise measurements determine the table, vague ones leave the prior:

    >>> from calm_core.inference.shrinkage.interactions import contrasts_up_to_order
    >>> contrasts = contrasts_up_to_order((2, 3), 1)
    >>> moments = contrasts.moments(np.array([[0.1, 0.2, 0.1, 0.3, 0.2, 0.1]]))
    >>> nothing, one, common = np.zeros((1, 3)), np.ones((1, 3)), np.zeros((1, 0, 3))
    >>> for precision in (1e9, 1e-9):
    ...     targets = Targets(moments, precision * one, nothing, one, common)
    ...     fits = find_modes(contrasts, targets, nothing)
    ...     fits.tables.reshape(2, 3).sum(axis=1).round(4).tolist()
    [0.4, 0.6]
    [0.5, 0.5]
    """
    moments, exponents = _linear_maps(contrasts)
    direction = _solve_dense if contrasts.dense else _solve_iteratively
    found = np.array(start, dtype=float)
    tables = softmax(exponents(found))
    damping = np.full(len(found), FIRST_DAMPING)
    converged = np.zeros(len(found), dtype=bool)
    todo = np.arange(len(found))
    for turn in range(steps or MAX_MODE_STEPS):
        checkpoint()
        p, now, part = tables[todo], found[todo], targets.select(todo)
        mean = moments(p)
        step = direction(contrasts, p, mean, now, part, damping[todo], turn)
        moved, gain, length = _line_search(contrasts, part, part.loss(mean, now), now, step)
        better = gain >= 0
        rows = todo[better]
        found[rows], tables[rows] = (now + length[:, None] * step)[better], moved[better]
        whole = better & (length == 1)
        damping[todo] *= np.where(whole, 0.1, np.where(better, 3.0, 10.0))
        damping = np.maximum(damping, MIN_DAMPING)
        done = whole & (gain < MODE_TOLERANCE)
        converged[todo[done]] = True
        todo = todo[~done]
        if not len(todo):
            break
    return Fits(tables, found, converged & np.isfinite(tables).all(axis=1))


def _line_search(contrasts, targets, before, now, step) -> tuple[np.ndarray, ...]:
    """Return the tables after a step, its gain over `before`, and the step length used, (Q,).

    A step that gains nothing is shortened, which costs much less than another step.
    """
    moments, exponents = _linear_maps(contrasts)
    moved = np.empty((len(now), contrasts.cells))
    gain, length = np.full(len(now), -1.0), np.ones(len(now))
    todo = np.arange(len(now))
    for _ in range(LINE_SEARCH_TRIES):
        there = now[todo] + length[todo, None] * step[todo]
        moved[todo] = softmax(exponents(there))
        gain[todo] = before[todo] - targets.select(todo).loss(moments(moved[todo]), there)
        todo = todo[~(gain[todo] >= 0)]
        if not len(todo):
            break
        length[todo] *= LINE_SEARCH_FACTOR
    return moved, gain, length


def posterior_precisions(covariance: np.ndarray, targets: Targets) -> tuple[np.ndarray, np.ndarray]:
    """Return H W' W H + diag(rho) scaled to a diagonal of 1 (Q, F, F), and the scale (Q, F).

    The scaling protects small precisions from rounding beside large ones.
    """
    rooted, low_rank = targets.whiten_covariance(covariance), targets.low_rank
    own = np.einsum("qfg,qfg->qf", rooted, rooted) + targets.priors
    unit = 1 / np.sqrt(own - (low_rank**2).sum(axis=1))
    rooted *= unit[:, :, None]
    low_rank *= unit[:, None, :]
    # A matrix times its own transpose: half of it is computed and mirrored.
    system = rooted @ rooted.transpose(0, 2, 1)
    system -= low_rank.transpose(0, 2, 1) @ low_rank
    diagonal = np.arange(system.shape[1])
    system[:, diagonal, diagonal] = 1.0
    return system, unit


def posterior_covariances(covariance: np.ndarray, targets: Targets) -> np.ndarray:
    """Return the inverse of H W' W H + diag(rho), shape (Q, F, F)."""
    system, unit = posterior_precisions(covariance, targets)
    diagonal = np.arange(system.shape[1])
    system[:, diagonal, diagonal] += RIDGE
    return np.linalg.inv(system) * (unit[:, :, None] * unit[:, None, :])


def _linear_maps(contrasts: Contrasts):
    """Return the maps from tables to moments and from coefficients to exponents."""
    if not contrasts.dense:
        return contrasts.moments, contrasts.exponents
    matrix = contrasts.matrix()
    return (lambda tables: tables @ matrix.T), (lambda coefficients: coefficients @ matrix)


def _solve_dense(contrasts, p, mean, now, targets, damping, turn) -> np.ndarray:
    """Damped Gauss-Newton steps by solving with the dense precisions, shape (Q, F)."""
    covariance = contrasts.covariances(p)
    system, unit = posterior_precisions(covariance, targets)
    diagonal = np.arange(system.shape[1])
    system[:, diagonal, diagonal] = 1 + damping[:, None]
    gradient = (covariance @ targets.weighted_residuals(mean)[:, :, None])[:, :, 0]
    gradient += targets.priors * targets.deviations(now)
    return -unit * np.linalg.solve(system, (unit * gradient)[:, :, None])[:, :, 0]


def _solve_iteratively(contrasts, p, mean, now, targets, damping, turn) -> np.ndarray:
    """The same steps by conjugate gradients, table by table; late steps are more exact."""
    steps = np.empty_like(now)
    drags, low_ranks = targets.priors * targets.deviations(now), targets.low_rank
    for row in range(len(p)):
        precision = targets.precisions[row]
        own = precision, targets.priors[row], low_ranks[row], damping[row]
        system = LargeSystem(contrasts, p[row], *own)
        pull = system.apply_covariance(precision * (mean[row] - targets.moments[row]))
        steps[row] = -system.solve(pull + drags[row], MAX_CG_STEPS * 2 ** (turn // 10))
    return steps


# Smallest variance of a moment, a ridge on the correlations, and their least eigenvalue where that is too little.
MIN_MOMENT_VARIANCE, CORRELATION_RIDGE, CORRELATION_FLOOR = 1e-18, 1e-9, 1e-6


def whitening_matrix(covariance: np.ndarray) -> np.ndarray:
    """Return W, lower triangular, such that W' W is the inverse of a covariance (F, F)."""
    unit = np.sqrt(np.maximum(covariance.diagonal(), MIN_MOMENT_VARIANCE))
    together = covariance / np.outer(unit, unit)
    np.fill_diagonal(together, 1 + CORRELATION_RIDGE)
    try:
        factor = np.linalg.cholesky(together)
    except np.linalg.LinAlgError:
        # Variances as small as their rounding errors make correlations above 1.
        values, vectors = np.linalg.eigh(together)
        together = (vectors * np.maximum(values, CORRELATION_FLOOR)) @ vectors.T
        factor = np.linalg.cholesky(together)
    return np.linalg.inv(factor) / unit
