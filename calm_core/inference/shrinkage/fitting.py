"""Posterior modes of log-linear tables: many small tables of one shape at once.

A table is p(x) proportional to exp(sum_S lambda_S . f_S(x)) with the contrasts f_S of sets S of its
attributes. The reports measure its moments m_S with normal noise of variance V_S whatever the table
is, the prior holds lambda_S near a centre with precision rho_S. The mode minimises

    1/2 |W (m(lambda) - R)|^2 + 1/2 sum_S rho_S |lambda_S - centre_S|^2

by Levenberg-Marquardt steps. W' W is the inverse covariance of the errors of R: W = diag(1/V)^1/2 where each
errs alone. Moments move with coefficients as H, the covariance of the contrasts under the table, so that
H W' W H + diag(rho) is the posterior precision around the mode.
"""

from dataclasses import dataclass, fields, replace

import numpy as np

from calm_core.inference.shrinkage.features import Contrasts
from calm_core.inference.shrinkage.large import MAX_CG_STEPS, LargeSystem
from calm_core.runtime.cancellation import checkpoint

# Of the log posterior, between two steps; a cell on its way to 0 gets there ever more slowly.
MODE_TOLERANCE = 1e-2
MAX_MODE_STEPS = 60
FIRST_DAMPING, MIN_DAMPING = 1e-3, 1e-8
LINE_SEARCH_TRIES, LINE_SEARCH_FACTOR = 6, 0.3
# Felt only in directions in which neither reports nor prior say anything.
RIDGE = 1e-12


@dataclass(frozen=True, eq=False)
class Targets:
    """What Q tables of one shape are fitted to, all arrays of shape (Q, F).

    Attributes
    ----------
    moments, precisions : ndarray
        R and 1/V; a precision of 0 where nothing was measured.
    centres, priors : ndarray
        Prior mean and precision rho > 0 of every coefficient.
    common : ndarray, shape (Q, R, F)
        What the coefficients have in common: the prior covariance is diag(1/rho) and of each of
        these vectors its outer product.
    whitening : ndarray, shape (Q, F, F), optional
        W, lower triangular, where moments err together; its rows and columns are 0 where nothing was measured.
    """

    moments: np.ndarray
    precisions: np.ndarray
    centres: np.ndarray
    priors: np.ndarray
    common: np.ndarray
    whitening: np.ndarray | None = None

    def of(self, rows: np.ndarray) -> "Targets":
        """Those of some of the tables."""
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{at: part[rows] for at, part in parts.items() if part is not None})

    def white(self, moments: np.ndarray) -> np.ndarray:
        """W times moments (Q, F)."""
        if self.whitening is None:
            return np.sqrt(self.precisions) * moments
        return (self.whitening @ moments[:, :, None])[:, :, 0]

    def spread_white(self, covariance: np.ndarray) -> np.ndarray:
        """H W' of the covariances H of the contrasts, shape (Q, F, F)."""
        if self.whitening is None:
            return covariance * np.sqrt(self.precisions)[:, None, :]
        return covariance @ self.whitening.transpose(0, 2, 1)

    def noise(self) -> np.ndarray:
        """The covariance of the errors of moments, (Q, F, F); 0 of those that were not measured."""
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

    def pull(self, moments: np.ndarray) -> np.ndarray:
        """W' W times what moments (Q, F) are off."""
        off = moments - self.moments
        if self.whitening is None:
            return self.precisions * off
        return (self.white(off)[:, None, :] @ self.whitening)[:, 0]

    def shared(self, coefficients: np.ndarray) -> np.ndarray:
        """How much of coefficients (Q, F) is common beside the centres, in units of its prior, (Q, R)."""
        off = coefficients - self.centres
        pull = (self.common @ (self.priors * off)[:, :, None])[:, :, 0]
        return pull / (1 + (self.common**2 @ self.priors[:, :, None])[:, :, 0])

    @property
    def lift(self) -> np.ndarray:
        """W of the prior precision diag(rho) - W^T W, shape (Q, R, F)."""
        weighed = self.common * self.priors[:, None, :]
        return weighed / np.sqrt(1 + (weighed * self.common).sum(axis=2, keepdims=True))

    def apart(self, coefficients: np.ndarray) -> np.ndarray:
        """Deviations from the centres less what they have in common at best, shape (Q, F)."""
        off = coefficients - self.centres
        return off - (self.shared(coefficients)[:, None, :] @ self.common)[:, 0]

    def settled(self, coefficients: np.ndarray) -> "Targets":
        """The same with what is common taken as known: added to the centres."""
        centres = coefficients - self.apart(coefficients)
        return replace(self, centres=centres, common=np.zeros_like(self.common))

    def misfit(self, moments: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """Minus the log posterior of tables with these moments and coefficients, shape (Q,)."""
        off = (self.white(moments - self.moments) ** 2).sum(axis=1)
        drag = self.priors * self.apart(coefficients)
        return (off + (drag * (coefficients - self.centres)).sum(axis=1)) / 2


@dataclass(frozen=True, eq=False)
class Fits:
    """Fitted tables (Q, cells), coefficients (Q, F), and whether each fit converged (Q,)."""

    tables: np.ndarray
    coefficients: np.ndarray
    converged: np.ndarray

    def of(self, rows: np.ndarray) -> "Fits":
        """Those of some of the tables."""
        return Fits(*(getattr(self, field.name)[rows] for field in fields(self)))


def tables_from_exponents(exponents: np.ndarray) -> np.ndarray:
    """The tables of these exponents, shape (Q, cells)."""
    weight = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    return weight / weight.sum(axis=1, keepdims=True)


def find_modes(contrasts: Contrasts, targets: Targets, start: np.ndarray) -> Fits:
    """Go from given coefficients (Q, F) to posterior modes; never to a worse place.

    Examples
    --------
    Precise reports count for all, vague ones leave the prior:

    >>> from calm_core.inference.shrinkage.features import contrasts_up_to_order
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
    tables = tables_from_exponents(exponents(found))
    damping = np.full(len(found), FIRST_DAMPING)
    converged = np.zeros(len(found), dtype=bool)
    todo = np.arange(len(found))
    for turn in range(MAX_MODE_STEPS):
        checkpoint()
        p, now, part = tables[todo], found[todo], targets.of(todo)
        mean = moments(p)
        step = direction(contrasts, p, mean, now, part, damping[todo], turn)
        moved, gain, length = _line_search(contrasts, part, part.misfit(mean, now), now, step)
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


def _line_search(
    contrasts, targets, before, now, step
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The tables after a step, what it gains on `before`, and how much of it was gone, (Q,).

    What gains nothing is tried shorter, which costs much less than another step.
    """
    moments, exponents = _linear_maps(contrasts)
    moved = np.empty((len(now), contrasts.cells))
    gain, length = np.full(len(now), -1.0), np.ones(len(now))
    todo = np.arange(len(now))
    for _ in range(LINE_SEARCH_TRIES):
        there = now[todo] + length[todo, None] * step[todo]
        moved[todo] = tables_from_exponents(exponents(there))
        gain[todo] = before[todo] - targets.of(todo).misfit(moments(moved[todo]), there)
        todo = todo[~(gain[todo] >= 0)]
        if not len(todo):
            break
        length[todo] *= LINE_SEARCH_FACTOR
    return moved, gain, length


def posterior_precisions(covariance: np.ndarray, targets: Targets) -> tuple[np.ndarray, np.ndarray]:
    """H W' W H + diag(rho) in units in which its diagonal is 1 (Q, F, F), and the units (Q, F).

    In these units a precision that overwhelms the others does not lose them by rounding.
    """
    rooted, lift = targets.spread_white(covariance), targets.lift
    own = np.einsum("qfg,qfg->qf", rooted, rooted) + targets.priors
    unit = 1 / np.sqrt(own - (lift**2).sum(axis=1))
    rooted *= unit[:, :, None]
    lift *= unit[:, None, :]
    # A matrix times its own transpose: half of it is computed and mirrored.
    system = rooted @ rooted.transpose(0, 2, 1)
    system -= lift.transpose(0, 2, 1) @ lift
    diagonal = np.arange(system.shape[1])
    system[:, diagonal, diagonal] = 1.0
    return system, unit


def posterior_covariances(covariance: np.ndarray, targets: Targets) -> np.ndarray:
    """The inverse of H W' W H + diag(rho), shape (Q, F, F)."""
    system, unit = posterior_precisions(covariance, targets)
    diagonal = np.arange(system.shape[1])
    system[:, diagonal, diagonal] += RIDGE
    return np.linalg.inv(system) * (unit[:, :, None] * unit[:, None, :])


def _linear_maps(contrasts: Contrasts):
    """How to go from tables to moments and from coefficients to exponents."""
    if not contrasts.dense:
        return contrasts.moments, contrasts.exponents
    matrix = contrasts.matrix()
    return (lambda tables: tables @ matrix.T), (lambda coefficients: coefficients @ matrix)


def _solve_dense(contrasts, p, mean, now, targets, damping, turn) -> np.ndarray:
    """Damped Gauss-Newton steps by factorising the precisions, shape (Q, F)."""
    covariance = contrasts.covariances(p)
    system, unit = posterior_precisions(covariance, targets)
    diagonal = np.arange(system.shape[1])
    system[:, diagonal, diagonal] = 1 + damping[:, None]
    gradient = (covariance @ targets.pull(mean)[:, :, None])[:, :, 0]
    gradient += targets.priors * targets.apart(now)
    return -unit * np.linalg.solve(system, (unit * gradient)[:, :, None])[:, :, 0]


def _solve_iteratively(contrasts, p, mean, now, targets, damping, turn) -> np.ndarray:
    """The same steps by conjugate gradients, one table after the other; late ones more exactly."""
    steps = np.empty_like(now)
    drags, lifts = targets.priors * targets.apart(now), targets.lift
    for row in range(len(p)):
        precision = targets.precisions[row]
        system = LargeSystem(
            contrasts, p[row], precision, targets.priors[row], lifts[row], damping[row]
        )
        pull = precision * (mean[row] - targets.moments[row])
        steps[row] = -system.solve(
            system.spread(pull) + drags[row], MAX_CG_STEPS * 2 ** (turn // 10)
        )
    return steps
