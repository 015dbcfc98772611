"""Maximum entropy: iterative proportional fitting (IPF), and a dual Newton method where IPF is slow.

IPF multiplies the table by target/projection for one constraint after the other. It converges to
the table of maximum entropy if some table meets all constraints, quickly unless that table has
cells near 0. Noise can leave constraints that no table meets; IPF then cycles.

Both cases are solved by the dual. The table has the form exp(sum of lambda_j b_j) over the basis vectors
b_j that the constraints fix, and lambda minimizes the smooth convex function

    log sum exp(sum_j lambda_j b_j) - <lambda, t> + slack/2 * |lambda|^2.

Its minimum is the table that maximizes entropy - |B p - t|^2 / (2 slack): a slack above 0 gradually
relaxes the constraints, so that a positive table always exists. The slack decreases step by step until
the constraints are met or a smaller slack gains nothing.

IPF is compiled by numba on first use, which takes 0.4 s. Whether a query uses it depends on the query
alone: another order of sums would change the last digits.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from calm_core._checks import as_readonly
from calm_core.inference.reconstruction.patterns import Pattern
from calm_core.runtime.cancellation import checkpoint
from calm_core.runtime.processes import limit_blas_threads
from calm_core.tables.marginal import transform_contrasts

_CHECK_EVERY = 32


def _ipf(tables, maps, starts, targets, tolerance, most_sweeps, violations, sweeps):
    """Fit every table (q, cells), in place, to its targets (q, all constraint cells)."""
    sums = np.zeros(starts[-1])
    for q in range(tables.shape[0]):
        table = tables[q]
        target = targets[q]
        before = 1e300
        for sweep in range(1, most_sweeps + 1):
            worst = 0.0
            for j in range(maps.shape[0]):
                for c in range(starts[j], starts[j + 1]):
                    sums[c] = 0.0
                for i in range(maps.shape[1]):
                    sums[maps[j, i]] += table[i]
                for c in range(starts[j], starts[j + 1]):
                    gap = abs(sums[c] - target[c])
                    if gap > worst:
                        worst = gap
                    sums[c] = target[c] / sums[c] if sums[c] > 0.0 else 0.0
                for i in range(maps.shape[1]):
                    table[i] *= sums[maps[j, i]]
            sweeps[q] = sweep
            violations[q] = worst
            if worst <= tolerance:
                break
            if sweep % _CHECK_EVERY == 0:
                # Stop if the remaining sweeps would not suffice at this rate.
                needed = tolerance / worst
                if (worst / before) ** ((most_sweeps - sweep) / _CHECK_EVERY) > needed:
                    break
                before = worst


@lru_cache(maxsize=1)
def compile_ipf():
    """Return the compiled `_ipf`; about a second the first time ever, then read from numba's cache.

    Safe to call in a thread at startup, so that no query has to wait for it.
    """
    import numba

    kernel = numba.njit(cache=True, nogil=True)(_ipf)
    # One cell, one constraint: types must be those of a Pattern, read-only arrays included.
    one, count = np.ones((1, 1)), np.zeros(1, dtype=np.int64)
    maps, starts = as_readonly(np.zeros((1, 1), np.int32)), as_readonly(np.arange(2))
    kernel(one, maps, starts, one, 1e-9, 1, np.zeros(1), count)
    return kernel


MAX_SWEEPS = 3000
MAX_STEPS = 80
PATIENCE = 5
DENSE_WORK = 50_000_000
CG_STEPS = 60
# Products of the basis with all tables that are fitted together: 16 MB.
DUAL_NUMBERS = 2_000_000
COMPILED_INDICES = 1 << 23


@dataclass(frozen=True, eq=False)
class Fit:
    """Fitted tables (q, cells), with the largest violation and the number of iterations of each."""

    tables: np.ndarray
    violations: np.ndarray
    iterations: np.ndarray


def fit_ipf_numpy(pattern: Pattern, targets: np.ndarray, tolerance: float) -> Fit:
    """Run IPF on q tables of one pattern at once, in numpy; the reference for the compiled one."""
    q = len(targets)
    tables = np.full((q, *pattern.sizes), 1.0 / pattern.cells)
    parts = pattern.split(targets)
    axes = [
        tuple(1 + i for i in range(tables.ndim - 1) if part.shape[1 + i] == 1) for part in parts
    ]
    violations, sweeps = np.zeros(q), np.zeros(q, dtype=np.int64)
    todo, before = np.arange(q), np.full(q, 1e300)
    for sweep in range(1, MAX_SWEEPS + 1):
        checkpoint()
        now, worst = tables[todo], np.zeros(len(todo))
        for part, out in zip(parts, axes):
            sums = now.sum(axis=out, keepdims=True)
            target = part[todo]
            gap = np.abs(sums - target).reshape(len(todo), -1).max(axis=1)
            worst = np.maximum(worst, gap)
            now *= np.divide(target, sums, out=np.zeros_like(sums), where=sums > 0)
        tables[todo], violations[todo], sweeps[todo] = now, worst, sweep
        going = worst > tolerance
        if sweep % _CHECK_EVERY == 0:
            left = (MAX_SWEEPS - sweep) / _CHECK_EVERY
            going &= (worst / before[todo]) ** left <= tolerance / np.maximum(worst, 1e-300)
            before[todo] = worst
        todo = todo[going]
        if not len(todo):
            break
    return Fit(tables.reshape(q, -1), violations, sweeps)


def fit_ipf_compiled(pattern: Pattern, targets: np.ndarray, tolerance: float) -> Fit:
    """Run IPF as machine code."""
    tables = np.full((len(targets), pattern.cells), 1.0 / pattern.cells)
    violations, sweeps = np.zeros(len(targets)), np.zeros(len(targets), dtype=np.int64)
    limits = tolerance, MAX_SWEEPS
    wanted = np.ascontiguousarray(targets)
    compile_ipf()(tables, pattern.maps, pattern.starts, wanted, *limits, violations, sweeps)
    return Fit(tables, violations, sweeps)


class _Dual:
    """The relaxed dual of tables of one pattern: basis products and Newton directions, a row per table."""

    def __init__(self, pattern: Pattern):
        self.pattern = pattern
        self.basis = None
        if len(pattern.known_coefficients) ** 2 * pattern.cells <= DENSE_WORK:
            identity = np.zeros((len(pattern.known_coefficients), pattern.cells))
            identity[np.arange(len(identity)), pattern.known_coefficients] = 1.0
            self.basis = transform_contrasts(identity, pattern.sizes, inverse=True)

    def exponents(self, dual: np.ndarray) -> np.ndarray:
        """Return logarithms of the cells, up to a constant."""
        if self.basis is not None:
            return np.matmul(dual[:, None], self.basis)[:, 0]
        coefficients = np.zeros((len(dual), self.pattern.cells))
        coefficients[:, self.pattern.known_coefficients] = dual
        return transform_contrasts(coefficients, self.pattern.sizes, inverse=True)

    def means(self, weight: np.ndarray) -> np.ndarray:
        """Return the known coefficients of tables."""
        if self.basis is not None:
            return np.matmul(self.basis, weight[..., None])[..., 0]
        return transform_contrasts(weight, self.pattern.sizes)[:, self.pattern.known_coefficients]

    def directions(self, gradient, weight, mean, slack) -> np.ndarray:
        """Return Newton directions: exact for few coefficients, by conjugate gradients for many."""
        if self.basis is not None:
            hessian = np.matmul(self.basis * weight[:, None], self.basis.T)
            hessian -= mean[:, :, None] * mean[:, None]
            hessian += slack[:, None, None] * np.eye(mean.shape[1])
            return -np.linalg.solve(hessian, gradient[..., None])[..., 0]
        return np.array([self._truncated(*row) for row in zip(gradient, weight, mean, slack)])

    def _truncated(self, gradient, weight, mean, slack) -> np.ndarray:
        def curvature(v):
            moved = self.means((weight * self.exponents(v[None])[0])[None])[0]
            return moved - mean * (mean @ v) + slack * v

        from scipy.sparse.linalg import LinearOperator, cg

        n = len(gradient)
        hessian = LinearOperator((n, n), matvec=curvature, dtype=float)
        return -cg(hessian, gradient, rtol=1e-3, maxiter=CG_STEPS)[0]


def _fit_dual(pattern: Pattern, wanted: np.ndarray, targets: np.ndarray, tolerance: float) -> Fit:
    """Fit tables by the dual, all at once; each is independent of the others."""
    space, open_cells, q = _Dual(pattern), _open_cells(pattern, targets), len(targets)
    dual, slack = np.zeros(wanted.shape), np.full(q, 1.0 / pattern.cells)
    distances, steps = np.zeros((MAX_STEPS, q)), np.zeros(q, dtype=np.int64)
    best, least = np.empty((q, pattern.cells)), np.full(q, np.inf)
    todo = np.arange(q)
    for step in range(MAX_STEPS):
        checkpoint()
        exponent = np.where(open_cells[todo], space.exponents(dual[todo]), -np.inf)
        weight = np.exp(exponent - exponent.max(axis=1, keepdims=True))
        weight /= weight.sum(axis=1, keepdims=True)
        violation = np.abs(pattern.sums(weight) - targets[todo]).max(axis=1)
        better = violation < least[todo]
        best[todo[better]], least[todo[better]] = weight[better], violation[better]
        mean = space.means(weight)
        steps[todo], distances[step, todo] = step + 1, np.linalg.norm(mean - wanted[todo], axis=1)
        going = violation > tolerance
        if step >= PATIENCE:
            going &= distances[step, todo] <= 0.8 * distances[step - PATIENCE, todo]
        todo, weight, mean = todo[going], weight[going], mean[going]
        if not len(todo):
            break
        now = slack[todo]
        gradient = mean - wanted[todo] + now[:, None] * dual[todo]
        move = space.directions(gradient, weight, mean, now)
        spread = _spread(space.exponents(move), open_cells[todo])
        # A step of length log(1 + s) / s never overshoots if exponents change by at most s.
        scale = np.divide(np.log1p(spread), spread, out=np.ones_like(spread), where=spread > 1e-12)
        dual[todo] += move * scale[:, None]
        slack[todo] = np.where(spread < 1.0, np.maximum(0.1 * now, 1e-13 / pattern.cells), now)
    return Fit(best, least, steps)


def _spread(change: np.ndarray, open_cells: np.ndarray) -> np.ndarray:
    """Return the range of the change over the open cells, in each row."""
    most = np.where(open_cells, change, -np.inf).max(axis=1)
    return most - np.where(open_cells, change, np.inf).min(axis=1)


def _open_cells(pattern: Pattern, targets: np.ndarray) -> np.ndarray:
    """Return the cells that no constraint forces to 0; all of them if too few would be left."""
    closed = np.zeros((len(targets), *pattern.sizes), dtype=bool)
    for part in pattern.split(targets):
        closed |= np.abs(part) < 1e-14
    closed = closed.reshape(len(targets), -1)
    left = pattern.sums(np.where(closed, 0.0, 1.0))
    closed[np.any((left == 0) & (targets > 1e-12), axis=1)] = False
    return ~closed


def fit_relaxed(pattern: Pattern, targets: np.ndarray, tolerance: float) -> Fit:
    """Fit relaxed maximum entropy tables by Newton's method on the dual, in batches that bound memory."""
    wanted = pattern.coefficients(targets)
    together = max(1, DUAL_NUMBERS // max(1, len(pattern.known_coefficients) * pattern.cells))
    with limit_blas_threads():
        fits = [
            _fit_dual(pattern, wanted[at : at + together], targets[at : at + together], tolerance)
            for at in range(0, len(targets), together)
        ]
    columns = zip(*((fit.tables, fit.violations, fit.iterations) for fit in fits))
    return Fit(*map(np.concatenate, columns))


def fit_ipf(pattern: Pattern, targets: np.ndarray, tolerance: float) -> Fit:
    """Run IPF on tables of one pattern; compiled if the index of every cell and constraint fits in memory."""
    compiled = pattern.cells * len(pattern.masks) <= COMPILED_INDICES
    run = fit_ipf_compiled if compiled else fit_ipf_numpy
    return run(pattern, np.maximum(targets, 0.0), tolerance)


def fit_maximum_entropy(pattern: Pattern, targets: np.ndarray, tolerance: float) -> Fit:
    """Return maximum entropy tables for targets (q, all constraint cells) of one pattern.

    Targets that are negative, or that IPF does not meet within its sweeps, are fitted by the dual.

    Returns
    -------
    Fit
        Distributions; a violation above `tolerance` means that the constraints could not be met.
    """
    q = len(targets)
    if not pattern.masks:
        uniform = np.full((q, pattern.cells), 1.0 / pattern.cells)
        return Fit(uniform, np.zeros(q), np.zeros(q, dtype=np.int64))
    tables = np.empty((q, pattern.cells))
    violations, iterations = np.full(q, np.inf), np.zeros(q, dtype=np.int64)

    def keep(rows, fit):
        tables[rows] = fit.tables
        violations[rows] = fit.violations
        iterations[rows] += fit.iterations

    possible = np.flatnonzero(targets.min(axis=1) > -0.1 * tolerance)
    if len(possible):
        keep(possible, fit_ipf(pattern, targets[possible], tolerance))
    missed = np.flatnonzero(violations > tolerance)
    if len(missed):
        keep(missed, fit_relaxed(pattern, targets[missed], tolerance))
    return Fit(tables / tables.sum(axis=1, keepdims=True), violations, iterations)
