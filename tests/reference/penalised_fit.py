"""The obvious, slow form of CALM+'s pieces: sums over cells and a general optimiser."""

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


def penalised_fit(matrix, targets, penalties, centres):
    """Table that maximises the penalised likelihood, by BFGS from scipy."""

    def loss(coefficients):
        exponents = coefficients @ matrix
        top = exponents.max()
        weight = np.exp(exponents - top)
        off = coefficients - centres
        value = np.log(weight.sum()) + top - coefficients @ targets + 0.5 * penalties @ off**2
        gradient = matrix @ (weight / weight.sum()) - targets + penalties * off
        return value, gradient

    start = np.array(centres, dtype=float)
    found = minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-10, "maxiter": 5000})
    weight = np.exp(found.x @ matrix - (found.x @ matrix).max())
    return weight / weight.sum()


def posterior_mode(matrix, targets, precisions, priors, centres, start):
    """Table of the posterior mode near given coefficients, by least squares from scipy."""

    def table(coefficients):
        weight = np.exp(coefficients @ matrix - (coefficients @ matrix).max())
        return weight / weight.sum()

    def residuals(coefficients):
        off = matrix @ table(coefficients) - targets
        return np.r_[np.sqrt(precisions) * off, np.sqrt(priors) * (coefficients - centres)]

    found = least_squares(residuals, start, method="lm", xtol=1e-14, ftol=1e-14, gtol=1e-14)
    return table(found.x)
