"""Maximum entropy by a general convex solver (cvxpy, CLARABEL), polished until it is proven."""

import numpy as np
from scipy.linalg import qr

from calm_core.tables.marginal import Marginal

# Largest error of a cell that the polished table may have, by its certificate.
CERTIFIED = 1e-8
STEPS = 200


def summing_matrix(sizes, axes) -> np.ndarray:
    """0/1 matrix from the cells of a table to those of its projection on some axes."""
    every = np.indices(sizes).reshape(len(sizes), -1)
    target = np.ravel_multi_index(every[list(axes)], [sizes[a] for a in axes])
    return (target == np.arange(np.prod([sizes[a] for a in axes]))[:, None]).astype(float)


def polish(matrix: np.ndarray, wanted: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
    """The table t = exp(matrix' multipliers) with matrix t = wanted, by Newton's method on the dual.

    Every t of that form is optimal for its own sums, so only these have to be met. With the
    residual r and H = matrix diag(t) matrix', the decrement (r' H^-1 r)^(1/2) bounds the distance
    from the optimum: half its square is the Kullback-Leibler divergence that is left (to second
    order), and by Pinsker's inequality no cell is further off than the decrement. Whatever the
    solver was content with, what is returned has passed this check.
    """

    def dual(log: np.ndarray, multipliers: np.ndarray) -> float:
        with np.errstate(over="ignore"):
            return np.exp(log).sum() - wanted @ multipliers

    log = matrix.T @ multipliers
    for _ in range(STEPS):
        table = np.exp(log)
        scaled = matrix * np.sqrt(table)
        newton, *_ = np.linalg.lstsq(scaled @ scaled.T, wanted - matrix @ table, rcond=1e-14)
        decrement = np.linalg.norm(scaled.T @ newton)
        if decrement <= CERTIFIED and np.abs(wanted - matrix @ table).max() <= CERTIFIED:
            return table
        length = 1.0
        while (
            dual(log + length * (matrix.T @ newton), multipliers + length * newton)
            > dual(log, multipliers)
            and length > 1e-10
        ):
            length /= 2
        multipliers = multipliers + length * newton
        log = matrix.T @ multipliers
    raise ArithmeticError(f"the reference is {decrement:.1e} off at most, wanted {CERTIFIED:.0e}")


def solve_max_entropy(
    names, sizes, constraints: list[Marginal], *, tolerance: float = 1e-6
) -> np.ndarray:
    """The table of largest entropy with the given projections, flat.

    Cells that must be 0 and rows that follow from other rows are left out; `tolerance` is the
    solver's, and does not decide the answer's.
    """
    import cvxpy as cp

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
    matrix, wanted = matrix[order], wanted[order]
    table = cp.Variable(int(free.sum()))
    sums = matrix @ table == wanted
    problem = cp.Problem(cp.Maximize(cp.sum(cp.entr(table)) + cp.sum(table)), [sums])
    problem.solve(
        solver=cp.CLARABEL, tol_gap_abs=tolerance, tol_gap_rel=tolerance, tol_feas=tolerance
    )
    if problem.status not in ("optimal", "optimal_inaccurate"):
        raise ArithmeticError(f"the reference solver stopped with {problem.status}")
    full = np.zeros(len(free))
    # The derivative of entr(t) + t is -log t: at the optimum the sums of the multipliers.
    full[free] = polish(matrix, wanted, -sums.dual_value)
    return full
