"""Maximum entropy: iterative proportional fitting, and a dual Newton method where that is slow.

IPF multiplies the table by target/projection for one constraint after the other. It converges to
the table of largest entropy if some table meets all constraints, quickly unless that table has
cells near 0. Noise can leave constraints that no table meets; IPF then goes round in circles.

Both cases go to the dual. The table has the form exp(sum of lambda_j b_j) over the basis vectors
b_j that the constraints fix, and lambda minimises the smooth convex function

    log sum exp(sum_j lambda_j b_j) - <lambda, t> + slack/2 * |lambda|^2.

Its minimum is the table that maximises entropy - |B p - t|^2 / (2 slack): a slack above 0 is a
gradual relaxation of the constraints, so that a positive table always exists. The slack falls
step by step until the constraints are met or falling further gains nothing.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg

from calm_core.attention import attend
from calm_core.inference.one_core import one_core
from calm_core.inference.reconstruction.compiled import compiled_ipf
from calm_core.inference.reconstruction.patterns import Pattern
from calm_core.tables.contrasts import transform

MOST_SWEEPS = 3000
MOST_STEPS = 80
PATIENCE = 5
DENSE_WORK = 50_000_000
CG_STEPS = 60
COMPILED_INDICES = 1 << 23


@dataclass(frozen=True, eq=False)
class Fit:
    """Fitted tables (q, cells), with the largest violation and the iterations of each."""

    tables: np.ndarray
    violations: np.ndarray
    iterations: np.ndarray


def fit_ipf_numpy(pattern: Pattern, targets: np.ndarray, tolerance: float) -> Fit:
    """IPF of q tables with one pattern at once, in numpy; the referee of the compiled one."""
    q, check = len(targets), 32
    tables = np.full((q, *pattern.sizes), 1.0 / pattern.cells)
    parts = pattern.split(targets)
    axes = [
        tuple(1 + i for i in range(tables.ndim - 1) if part.shape[1 + i] == 1) for part in parts
    ]
    violations, sweeps = np.zeros(q), np.zeros(q, dtype=np.int64)
    todo, before = np.arange(q), np.full(q, 1e300)
    for sweep in range(1, MOST_SWEEPS + 1):
        attend()
        now, worst = tables[todo], np.zeros(len(todo))
        for part, out in zip(parts, axes):
            sums = now.sum(axis=out, keepdims=True)
            target = part[todo]
            gap = np.abs(sums - target).reshape(len(todo), -1).max(axis=1)
            worst = np.maximum(worst, gap)
            now *= np.divide(target, sums, out=np.zeros_like(sums), where=sums > 0)
        tables[todo], violations[todo], sweeps[todo] = now, worst, sweep
        going = worst > tolerance
        if sweep % check == 0:
            left = (MOST_SWEEPS - sweep) / check
            going &= (worst / before[todo]) ** left <= tolerance / np.maximum(worst, 1e-300)
            before[todo] = worst
        todo = todo[going]
        if not len(todo):
            break
    return Fit(tables.reshape(q, -1), violations, sweeps)


def fit_ipf_compiled(pattern: Pattern, targets: np.ndarray, tolerance: float) -> Fit:
    """The same in machine code."""
    tables = np.full((len(targets), pattern.cells), 1.0 / pattern.cells)
    violations, sweeps = np.zeros(len(targets)), np.zeros(len(targets), dtype=np.int64)
    compiled_ipf()(
        tables,
        pattern.maps,
        pattern.starts,
        np.ascontiguousarray(targets),
        tolerance,
        MOST_SWEEPS,
        violations,
        sweeps,
    )
    return Fit(tables, violations, sweeps)


class _Dual:
    """The relaxed dual of one pattern: basis products and Newton directions."""

    def __init__(self, pattern: Pattern, open_cells: np.ndarray):
        self.pattern, self.open = pattern, open_cells
        self.basis = None
        if len(pattern.known) ** 2 * pattern.cells <= DENSE_WORK:
            identity = np.zeros((len(pattern.known), pattern.cells))
            identity[np.arange(len(identity)), pattern.known] = 1.0
            self.basis = transform(identity, pattern.sizes, inverse=True)[:, open_cells]

    def exponents(self, dual: np.ndarray) -> np.ndarray:
        """Logarithms of the open cells, up to a constant."""
        if self.basis is not None:
            return dual @ self.basis
        coefficients = np.zeros((1, self.pattern.cells))
        coefficients[0, self.pattern.known] = dual
        return transform(coefficients, self.pattern.sizes, inverse=True)[0, self.open]

    def full(self, weight: np.ndarray) -> np.ndarray:
        """A table of all cells, closed ones 0."""
        table = np.zeros(self.pattern.cells)
        table[self.open] = weight
        return table

    def means(self, weight: np.ndarray) -> np.ndarray:
        """Known coefficients of a table given by its open cells."""
        if self.basis is not None:
            return self.basis @ weight
        return transform(self.full(weight)[None], self.pattern.sizes)[0, self.pattern.known]

    def direction(self, gradient, weight, mean, slack) -> np.ndarray:
        """Newton direction: exact for few coefficients, by conjugate gradients for many."""
        if self.basis is not None:
            hessian = (self.basis * weight) @ self.basis.T - np.outer(mean, mean)
            hessian[np.diag_indices(len(hessian))] += slack
            return -np.linalg.solve(hessian, gradient)

        def curvature(v):
            return self.means(weight * self.exponents(v)) - mean * (mean @ v) + slack * v

        n = len(gradient)
        hessian = LinearOperator((n, n), matvec=curvature, dtype=float)
        return -cg(hessian, gradient, rtol=1e-3, maxiter=CG_STEPS)[0]


def _relaxed(pattern: Pattern, wanted: np.ndarray, target: np.ndarray, tolerance: float):
    """One table by the dual: (cells, largest violation, steps)."""
    dual_space = _Dual(pattern, _open_cells(pattern, target))
    dual = np.zeros(len(pattern.known))
    least_slack = 1e-13 / pattern.cells
    slack = 1.0 / pattern.cells
    distances: list[float] = []
    best, least = np.empty(0), np.inf
    while len(distances) < MOST_STEPS:
        attend()
        exponent = dual_space.exponents(dual)
        weight = np.exp(exponent - exponent.max())
        weight /= weight.sum()
        table = dual_space.full(weight)
        violation = float(np.abs(pattern.sums(table[None])[0] - target).max())
        if violation < least:
            best, least = table, violation
        mean = dual_space.means(weight)
        distances.append(float(np.linalg.norm(mean - wanted)))
        if violation <= tolerance or (
            len(distances) > PATIENCE and distances[-1] > 0.8 * distances[-1 - PATIENCE]
        ):
            break
        step = dual_space.direction(mean - wanted + slack * dual, weight, mean, slack)
        change = dual_space.exponents(step)
        spread = float(change.max() - change.min())
        # Scaled so, a step that changes exponents by a spread of s never overshoots.
        dual += step * (np.log1p(spread) / spread if spread > 1e-12 else 1.0)
        if spread < 1.0:
            slack = max(0.1 * slack, least_slack)
    return best, least, len(distances)


def _open_cells(pattern: Pattern, target: np.ndarray) -> np.ndarray:
    """Cells that no constraint forces to 0; all of them where that would leave too few."""
    closed = np.zeros(pattern.sizes, dtype=bool)
    parts = pattern.split(target[None])
    for part in parts:
        closed |= np.abs(part[0]) < 1e-14
    left = pattern.sums(np.where(closed, 0.0, 1.0).reshape(1, -1))[0]
    if np.any((left == 0) & (target > 1e-12)):
        closed[...] = False
    return ~closed.ravel()


def fit_relaxed(pattern: Pattern, targets: np.ndarray, tolerance: float) -> Fit:
    """Relaxed maximum entropy by Newton's method on the dual, one table after the other."""
    wanted = pattern.coefficients(targets)
    with one_core():
        found = [_relaxed(pattern, *each, tolerance) for each in zip(wanted, targets)]
    tables, violations, steps = zip(*found)
    return Fit(np.array(tables), np.array(violations), np.array(steps, dtype=np.int64))


def fit_maximum_entropy(pattern: Pattern, targets: np.ndarray, tolerance: float) -> Fit:
    """Tables of largest entropy for targets (q, all constraint cells) of one pattern.

    Targets that are negative, or that IPF does not meet within its sweeps, go to the dual.

    Returns
    -------
    Fit
        Distributions; a violation above `tolerance` says that the constraints could not be met.
    """
    q = len(targets)
    if not pattern.masks:
        uniform = np.full((q, pattern.cells), 1.0 / pattern.cells)
        return Fit(uniform, np.zeros(q), np.zeros(q, dtype=np.int64))
    # The compiled code needs the cell of every constraint that each cell adds to, in memory.
    compiled = pattern.cells * len(pattern.masks) <= COMPILED_INDICES
    tables = np.empty((q, pattern.cells))
    violations, iterations = np.full(q, np.inf), np.zeros(q, dtype=np.int64)

    def keep(rows, fit):
        tables[rows] = fit.tables
        violations[rows] = fit.violations
        iterations[rows] += fit.iterations

    possible = np.flatnonzero(targets.min(axis=1) > -0.1 * tolerance)
    if len(possible):
        fit_ipf = fit_ipf_compiled if compiled else fit_ipf_numpy
        keep(possible, fit_ipf(pattern, np.maximum(targets[possible], 0.0), tolerance))
    missed = np.flatnonzero(violations > tolerance)
    if len(missed):
        keep(missed, fit_relaxed(pattern, targets[missed], tolerance))
    return Fit(tables / tables.sum(axis=1, keepdims=True), violations, iterations)
