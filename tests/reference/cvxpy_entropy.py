"""Maximum entropy by a general convex solver (cvxpy, CLARABEL)."""

import warnings

import cvxpy as cp
import numpy as np
from scipy.linalg import qr

from calm_core.marginal import Marginal


def summing_matrix(sizes, axes) -> np.ndarray:
    """0/1 matrix from the cells of a table to those of its projection on some axes."""
    every = np.indices(sizes).reshape(len(sizes), -1)
    target = np.ravel_multi_index(every[list(axes)], [sizes[a] for a in axes])
    return (target == np.arange(np.prod([sizes[a] for a in axes]))[:, None]).astype(float)


def solve_max_entropy(names, sizes, constraints: list[Marginal]) -> np.ndarray:
    """The table of largest entropy with the given projections, flat.

    The solver is helped to its full precision: cells that must be 0 and rows that follow from
    other rows are left out.
    """
    rows = [np.ones((1, int(np.prod(sizes))))]
    wanted = [np.ones(1)]
    for marginal in constraints:
        rows.append(summing_matrix(sizes, [names.index(name) for name in marginal.attrs]))
        wanted.append(marginal.values.ravel())
    matrix, wanted = np.concatenate(rows), np.concatenate(wanted)
    free = ~matrix[wanted <= 0].any(axis=0)
    matrix, wanted = matrix[wanted > 0][:, free], wanted[wanted > 0]
    _, triangle, order = qr(matrix.T, mode="economic", pivoting=True)
    order = order[: (np.abs(np.diag(triangle)) > 1e-9).sum()]
    table = cp.Variable(int(free.sum()))
    problem = cp.Problem(
        cp.Maximize(cp.sum(cp.entr(table))), [matrix[order] @ table == wanted[order]]
    )
    with warnings.catch_warnings():
        # "Inaccurate" by the tolerances asked for here, which is still far below 1e-6.
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    if problem.status not in ("optimal", "optimal_inaccurate"):
        raise ArithmeticError(f"the reference solver stopped with {problem.status}")
    full = np.zeros(len(free))
    full[free] = table.value
    return full
