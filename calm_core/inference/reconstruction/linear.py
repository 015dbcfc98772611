"""Alternatives to maximum entropy (PriView section 4.3): least violation (LP, CLP) and least norm (CLN)."""

from typing import TYPE_CHECKING

import numpy as np

from calm_core.inference.reconstruction.patterns import Pattern

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_FEASIBLE = 1e-9


def _projection_matrix(pattern: Pattern) -> "csr_array":
    """Sparse 0/1 matrix from the cells of the table to those of all constraints."""
    from scipy.sparse import csr_array

    ones = np.ones(pattern.maps.size)
    columns = np.tile(np.arange(pattern.cells), len(pattern.masks))
    return csr_array(
        (ones, (pattern.maps.ravel(), columns)), shape=(pattern.starts[-1], pattern.cells)
    )


def fit_least_violation(
    pattern: Pattern, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return a distribution with the least largest violation of any constraint (LP of PriView).

    Parameters
    ----------
    pattern : Pattern
        The constraints.
    low, high : ndarray, shape (all constraint cells,)
        Smallest and largest value any view gives for each of their cells.

    Returns
    -------
    (ndarray of shape (cells,), float)
        The table and its violation. Many tables may be optimal; the solver picks a vertex.
    """
    cells = pattern.cells
    if not pattern.masks:
        return np.full(cells, 1.0 / cells), 0.0
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, vstack

    summing = _projection_matrix(pattern)
    slack = csr_array(-np.ones((len(low), 1)))
    found = linprog(
        c=np.r_[np.zeros(cells), 1.0],
        A_ub=vstack([hstack([summing, slack]), hstack([-summing, slack])]),
        b_ub=np.r_[low, -high],
        A_eq=np.r_[np.ones(cells), 0.0][None],
        b_eq=[1.0],
        bounds=(0, None),
        method="highs",
    )
    table = np.maximum(found.x[:-1], 0.0)
    return table / table.sum(), float(found.x[-1])


def fit_least_norm(pattern: Pattern, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the distribution of least L2 norm that meets the constraints (CLN of PriView).

    If no table meets them, they are relaxed by the least possible violation.
    """
    import cvxpy as cp

    start, violation = fit_least_violation(pattern, low, high)
    if not pattern.masks:
        return start, violation
    table = cp.Variable(pattern.cells, nonneg=True)
    sums = _projection_matrix(pattern) @ table
    relaxed = violation * (1 + 1e-6) + 1e-12
    if violation <= _FEASIBLE:
        rules = [sums == (low + high) / 2]
    else:
        rules = [sums <= low + relaxed, sums >= high - relaxed]
    problem = cp.Problem(cp.Minimize(cp.sum_squares(table)), [*rules, cp.sum(table) == 1])
    problem.solve(solver=cp.CLARABEL)
    if table.value is None:
        return start, violation
    return np.maximum(table.value, 0.0), violation
