"""The obvious, slow form of CALM+'s pieces: sums over cells and a general optimizer."""

from itertools import combinations, product

import numpy as np
from scipy.optimize import least_squares, minimize


def contrast_matrix(size):
    """Orthonormal contrasts of one attribute by their cosines, shape (size - 1, size)."""
    x = np.arange(size)
    rows = [np.cos(np.pi * j * (2 * x + 1) / (2 * size)) for j in range(1, size)]
    return np.array([row / np.linalg.norm(row) for row in rows]).reshape(size - 1, size)


def moments(table, subset):
    """R_S of a table by summing every contrast over every cell."""
    bases = [contrast_matrix(table.shape[axis]) for axis in subset]
    found = []
    for which in product(*[range(len(basis)) for basis in bases]):
        total = 0.0
        for cell in product(*map(range, table.shape)):
            value = table[cell]
            for basis, j, axis in zip(bases, which, subset):
                value = value * basis[j, cell[axis]]
            total += value
        found.append(total)
    return np.array(found)


def feature_matrix(sizes, order):
    """Contrasts of all subsets of at most `order` axes as rows over the cells."""
    rows = []
    for r in range(1, order + 1):
        for subset in combinations(range(len(sizes)), r):
            cells = np.eye(int(np.prod(sizes))).reshape(-1, *sizes)
            rows.extend(np.array([moments(cell, subset) for cell in cells]).T)
    return np.array(rows)


def center(tables, correlation):
    """Exponents of the table with these one-way tables and one strength common to all pairs.

    Its mean first pair moment, weighed by sqrt(L_ij), is what the mean correlation asks for.
    """
    sizes = [len(p) for p in tables]
    grids = np.meshgrid(*map(np.arange, sizes), indexing="ij")
    bases = [contrast_matrix(size) for size in sizes]
    values = [[row[grid.ravel()] for row in basis] for basis, grid in zip(bases, grids)]
    first = [column[0] for column in values]
    u = [basis @ np.array(p) for basis, p in zip(bases, tables)]
    spread = [(1 - np.dot(p, p)) / (len(p) - 1) for p in tables]
    pairs = list(combinations(range(len(sizes)), 2))
    common, wanted = 0.0, 0.0
    for i, j in pairs:
        weight = np.sqrt(sizes[i] * sizes[j]) / len(pairs)
        common = common + weight * first[i] * first[j]
        expected = u[i][0] * u[j][0] + correlation * np.sqrt(spread[i] * spread[j])
        wanted += weight * expected
    features = np.array([*(row for rows in values for row in rows), common])
    targets = np.append(np.concatenate(u), wanted)
    ridge = np.append(np.full(len(targets) - 1, 1e-6), 1e-2)

    def loss(coefficients):
        exponents = coefficients @ features
        top = exponents.max()
        total = np.exp(exponents - top).sum()
        return np.log(total) + top - coefficients @ targets + 0.5 * ridge @ coefficients**2

    found = minimize(loss, np.zeros(len(targets)), method="BFGS", options={"gtol": 1e-7})
    return found.x @ features


def posterior_mode(matrix, targets, white, priors, centers, common, start):
    """Table of the posterior mode near given coefficients, by least squares from scipy.

    In units of `white`, a matrix, the targets err alone and by 1. The prior covariance is
    diag(1/priors) and the outer products of the rows of `common`.
    """
    covariance = np.diag(1 / priors) + common.T @ common
    root = np.linalg.cholesky(np.linalg.inv(covariance)).T

    def table(coefficients):
        weight = np.exp(coefficients @ matrix - (coefficients @ matrix).max())
        return weight / weight.sum()

    def residuals(coefficients):
        off = matrix @ table(coefficients) - targets
        return np.r_[white @ off, root @ (coefficients - centers)]

    found = least_squares(residuals, start, method="lm", xtol=1e-14, ftol=1e-14, gtol=1e-14)
    return table(found.x)
