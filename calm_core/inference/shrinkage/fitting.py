"""Penalised log-linear fits: many small tables of one shape at once, by Newton's method.

A table is p(x) proportional to exp(sum_S lambda_S . f_S(x)) with the contrasts f_S of subsets S of
its attributes. The first fit maximises

    lambda . R - log Z(lambda) - 1/2 sum_S delta_S |lambda_S - centre_S|^2,

which is strictly concave. As delta falls to 0 the table becomes that of maximum entropy with the
moments R; where delta_S is large the interaction stays at its prior centre.

The second starts there and goes to the posterior mode: it minimises

    1/2 sum_S |m_S(lambda) - R_S|^2 / V_S + 1/2 sum_S rho_S |lambda_S - centre_S|^2

with the moments m(lambda) of the table. The noise of reports has one variance V_S whatever the table
is; the first fit, a likelihood of as many records, would believe in rare cells far too much.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg

from calm_core._checks import readonly
from calm_core.inference.shrinkage.interactions import Subset, subsets_within
from calm_core.tables.contrasts import transform

MOST_STEPS = 80
TOLERANCE = 1e-9
# Of the log posterior, between two steps; a cell on its way to 0 gets there ever more slowly.
MODE_TOLERANCE = 1e-2
MODE_STEPS = 20
LEAST_DAMPING = 1e-8
# Above this many numbers the matrix of contrasts is not built; fast transforms stand in for it.
DENSE_NUMBERS = 400_000


@dataclass(frozen=True, eq=False)
class Contrasts:
    """The contrasts f_S of all subsets S of at most `order` axes of tables of one shape.

    Attributes
    ----------
    sizes : tuple of int
        Shape of the tables.
    subsets : tuple of tuple of int
        Subsets of axes, small ones first.
    parts : tuple of slice
        Where the coefficients of each subset stand among all F.
    index : ndarray of int, shape (F,)
        Coefficient of the orthonormal basis of the whole table, flat.
    scale : ndarray, shape (F,)
        f_S is that basis vector times this: sqrt of the number of cells outside S.
    """

    sizes: tuple[int, ...]
    subsets: tuple[Subset, ...]
    parts: tuple[slice, ...]
    index: np.ndarray
    scale: np.ndarray

    @property
    def cells(self) -> int:
        """Cells of one table."""
        return math.prod(self.sizes)

    @property
    def dense(self) -> bool:
        """Whether `matrix` is small enough to be built."""
        return self.cells * len(self.index) <= DENSE_NUMBERS

    def matrix(self) -> np.ndarray:
        """The contrasts as rows, shape (F, cells)."""
        return _matrix(self)

    def moments(self, tables: np.ndarray) -> np.ndarray:
        """Mean of every contrast under tables (Q, cells), shape (Q, F)."""
        return transform(tables, self.sizes)[:, self.index] * self.scale

    def exponents(self, coefficients: np.ndarray) -> np.ndarray:
        """sum lambda f in every cell for coefficients (Q, F), shape (Q, cells)."""
        full = np.zeros((len(coefficients), self.cells))
        full[:, self.index] = coefficients * self.scale
        return transform(full, self.sizes, inverse=True)


@lru_cache(maxsize=128)
def _matrix(contrasts: Contrasts) -> np.ndarray:
    return readonly(np.ascontiguousarray(contrasts.exponents(np.eye(len(contrasts.index)))))


@lru_cache(maxsize=256)
def contrasts_within(sizes: tuple[int, ...], order: int) -> Contrasts:
    """The contrasts of all subsets of at most `order` axes.

    Examples
    --------
    >>> contrasts = contrasts_within((2, 3), 2)
    >>> contrasts.subsets, contrasts.matrix().shape
    (((0,), (1,), (0, 1)), (5, 6))
    """
    cells = math.prod(sizes)
    numbers = np.arange(cells).reshape(sizes)
    axes = [axis for axis in range(len(sizes)) if sizes[axis] > 1]
    subsets = tuple(subsets_within(axes, order))
    index, scale, parts, at = [np.empty(0, dtype=np.int64)], [np.empty(0)], [], 0
    for subset in subsets:
        part = tuple(slice(1, None) if a in subset else 0 for a in range(len(sizes)))
        found = numbers[part].ravel()
        index.append(found)
        outside = cells / math.prod(sizes[a] for a in subset)
        scale.append(np.full(len(found), math.sqrt(outside)))
        parts.append(slice(at, at + len(found)))
        at += len(found)
    return Contrasts(
        sizes, subsets, tuple(parts),
        readonly(np.concatenate(index)), readonly(np.concatenate(scale)),
    )  # fmt: skip


def count_contrasts(sizes: tuple[int, ...], order: int) -> int:
    """Number of contrasts of at most `order` axes.

    Examples
    --------
    >>> count_contrasts((2, 3), 2)
    5
    """
    # Coefficients of prod (1 + (c - 1) x), degree by degree.
    counts = np.ones(1, dtype=np.int64)
    for size in sizes:
        counts = np.convolve(counts, (1, size - 1))
    return int(counts[1 : order + 1].sum())


@dataclass(frozen=True, eq=False)
class Fits:
    """Fitted tables (Q, cells), coefficients (Q, F), and whether each fit converged (Q,)."""

    tables: np.ndarray
    coefficients: np.ndarray
    converged: np.ndarray


def _tables(exponents: np.ndarray) -> np.ndarray:
    weight = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    return weight / weight.sum(axis=1, keepdims=True)


def _damping(change: np.ndarray) -> np.ndarray:
    """A step of log(1 + s) / s never overshoots where the exponent changes by a spread of s."""
    spread = np.ptp(change, axis=1)
    return np.where(spread > 1e-9, np.log1p(spread) / np.maximum(spread, 1e-9), 1.0)


def fit_tables(
    contrasts: Contrasts,
    targets: np.ndarray,
    penalties: np.ndarray,
    centres: np.ndarray,
    *,
    tolerance: float = TOLERANCE,
) -> Fits:
    """Fit Q tables of one shape.

    Parameters
    ----------
    contrasts : Contrasts
        Feature functions of the tables, F numbers per cell.
    targets, penalties, centres : ndarray, shape (Q, F)
        R, delta > 0 and the centre of lambda.
    tolerance : float
        How far, in units of the moments, the gradient may be from 0.

    Examples
    --------
    With hardly any penalty the moments are met:

    >>> contrasts = contrasts_within((2, 3), 1)
    >>> table = np.array([[0.1, 0.2, 0.1, 0.3, 0.2, 0.1]])
    >>> targets = contrasts.moments(table)
    >>> fits = fit_tables(contrasts, targets, np.full((1, 3), 1e-9), np.zeros((1, 3)))
    >>> fits.tables.reshape(2, 3).sum(axis=1).round(6).tolist()
    [0.4, 0.6]
    """
    found = np.array(centres, dtype=float)
    converged = np.zeros(len(targets), dtype=bool)
    direction = _solve_dense if contrasts.dense else _solve_iteratively
    moments, exponents = _maps(contrasts)
    todo = np.arange(len(targets))
    tables = np.empty((len(targets), contrasts.cells))
    for _ in range(MOST_STEPS):
        now, delta = found[todo], penalties[todo]
        p = _tables(exponents(now))
        tables[todo] = p
        mean = moments(p)
        gradient = targets[todo] - mean - delta * (now - centres[todo])
        # In units of the moments; a stiff penalty only holds its own coefficient.
        going = (np.abs(gradient) / (1 + delta)).max(axis=1, initial=0) > tolerance
        converged[todo[~going]] = True
        if not going.any():
            break
        todo = todo[going]
        step = direction(contrasts, p[going], mean[going], gradient[going], delta[going])
        found[todo] += _damping(exponents(step))[:, None] * step
    return Fits(tables, found, converged & np.isfinite(tables).all(axis=1))


def find_modes(
    contrasts: Contrasts,
    start: Fits,
    targets: np.ndarray,
    precisions: np.ndarray,
    priors: np.ndarray,
    centres: np.ndarray,
) -> Fits:
    """Go from first fits to posterior modes by Levenberg-Marquardt; never to a worse place.

    Parameters
    ----------
    contrasts : Contrasts
        Feature functions of the tables, F numbers per cell, few enough for their matrix.
    start : Fits
        Where to begin.
    targets, precisions : ndarray, shape (Q, F)
        R and 1/V; a precision of 0 where nothing was measured.
    priors, centres : ndarray, shape (Q, F)
        Prior precision rho > 0 and mean of every coefficient.

    Examples
    --------
    Precise reports count for all, vague ones leave the prior:

    >>> contrasts = contrasts_within((2, 3), 1)
    >>> table = np.array([[0.1, 0.2, 0.1, 0.3, 0.2, 0.1]])
    >>> targets, nothing = contrasts.moments(table), np.zeros((1, 3))
    >>> start = fit_tables(contrasts, targets, np.ones((1, 3)), nothing)
    >>> for precision in (1e9, 1e-9):
    ...     fits = find_modes(
    ...         contrasts, start, targets, np.full((1, 3), precision), np.ones((1, 3)), nothing)
    ...     fits.tables.reshape(2, 3).sum(axis=1).round(4).tolist()
    [0.4, 0.6]
    [0.5, 0.5]
    """
    matrix = contrasts.matrix()
    found, tables = start.coefficients.copy(), start.tables.copy()
    damping = np.full(len(found), 1e-3)

    def misfit(mean, coefficients, rows):
        off = (precisions[rows] * (mean - targets[rows]) ** 2).sum(axis=1)
        return (off + (priors[rows] * (coefficients - centres[rows]) ** 2).sum(axis=1)) / 2

    todo = np.arange(len(found))
    for _ in range(MODE_STEPS):
        p, now = tables[todo], found[todo]
        mean = p @ matrix.T
        before = misfit(mean, now, todo)
        step = _mode_step(
            _covariances(matrix, p, mean), precisions[todo] * (mean - targets[todo]),
            priors[todo] * (now - centres[todo]), precisions[todo], priors[todo], damping[todo],
        )  # fmt: skip
        moved = _tables((now + step) @ matrix)
        gain = before - misfit(moved @ matrix.T, now + step, todo)
        better = gain >= 0
        rows = todo[better]
        found[rows], tables[rows] = (now + step)[better], moved[better]
        damping[todo] = np.where(
            better, np.maximum(damping[todo] / 10, LEAST_DAMPING), damping[todo] * 10
        )
        todo = todo[~(better & (gain < MODE_TOLERANCE))]
        if not len(todo):
            break
    return Fits(tables, found, start.converged)


def _covariances(matrix: np.ndarray, p: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Covariances of the contrasts under tables p (Q, cells), shape (Q, F, F)."""
    return _square(matrix * np.sqrt(p)[:, None, :]) - mean[:, :, None] * mean[:, None, :]


def _square(stack: np.ndarray) -> np.ndarray:
    """A A^T of every matrix; written so, half of it is computed and mirrored."""
    return stack @ stack.transpose(0, 2, 1)


def _mode_step(covariance, pull, drag, precisions, priors, damping) -> np.ndarray:
    """Damped Gauss-Newton steps, shape (Q, F), in units in which the diagonal is 1."""
    system = _square(covariance * np.sqrt(precisions)[:, None, :])
    diagonal = np.arange(system.shape[1])
    system[:, diagonal, diagonal] += priors
    unit = 1 / np.sqrt(system[:, diagonal, diagonal])
    system *= unit[:, :, None] * unit[:, None, :]
    system[:, diagonal, diagonal] = 1 + damping[:, None]
    gradient = (covariance @ pull[:, :, None])[:, :, 0] + drag
    return -unit * np.linalg.solve(system, (unit * gradient)[:, :, None])[:, :, 0]


def _maps(contrasts: Contrasts):
    """How to go from tables to moments and from coefficients to exponents."""
    if not contrasts.dense:
        return contrasts.moments, contrasts.exponents
    matrix = contrasts.matrix()
    return (lambda tables: tables @ matrix.T), (lambda coefficients: coefficients @ matrix)


def _solve_dense(contrasts, p, mean, gradient, delta) -> np.ndarray:
    """Newton directions by factorising the Hessians, shape (Q, F)."""
    matrix = contrasts.matrix()
    hessian = _covariances(matrix, p, mean)
    diagonal = np.arange(len(matrix))
    hessian[:, diagonal, diagonal] += delta
    return np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]


def _solve_iteratively(contrasts, p, mean, gradient, delta) -> np.ndarray:
    """Newton directions by conjugate gradients, one table after the other."""
    steps = np.empty_like(gradient)
    count = len(contrasts.index)
    for row in range(len(p)):

        def times(vector, row=row):
            change = contrasts.exponents(vector[None])[0]
            weighted = p[row] * (change - p[row] @ change)
            return contrasts.moments(weighted[None])[0] + delta[row] * vector

        # A contrast of S has variance about 1/L_S, which is scale^2 / cells.
        rough = 1 / (contrasts.scale**2 / contrasts.cells + delta[row])
        steps[row], _ = cg(
            LinearOperator((count, count), matvec=times, dtype=float),
            gradient[row],
            M=LinearOperator((count, count), matvec=lambda v, m=rough: m * v, dtype=float),
            rtol=1e-3, maxiter=200,
        )  # fmt: skip
    return steps
