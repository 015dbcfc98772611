"""Formulas of FT and EM, as slowly and plainly as they can be written down."""

from itertools import combinations, product

import numpy as np


def fourier_marginal(coefficients, attrs: tuple[int, ...]) -> np.ndarray:
    """T(v) = 2^-k sum over subsets alpha of attrs of coef(alpha) (-1)^<alpha, v>."""
    table = np.zeros((2,) * len(attrs))
    for cell in product((0, 1), repeat=len(attrs)):
        value = dict(zip(attrs, cell))
        for s in range(len(attrs) + 1):
            for alpha in combinations(attrs, s):
                coefficient = coefficients[alpha] if alpha else 1.0
                table[cell] += coefficient * (-1) ** sum(value[i] for i in alpha)
    return table / 2 ** len(attrs)


def expectation_maximization(reports, chances, start: np.ndarray, steps: int) -> np.ndarray:
    """EM user by user: `chances[i][report][value]` is the likelihood on attribute i."""
    table = start.copy()
    for _ in range(steps):
        after = np.zeros_like(table)
        for user in reports:
            posterior = np.zeros_like(table)
            for cell in product(*(range(size) for size in table.shape)):
                posterior[cell] = table[cell]
                for i, (report, value) in enumerate(zip(user, cell)):
                    posterior[cell] *= chances[i][report][value]
            after += posterior / posterior.sum()
        table = after / len(reports)
    return table
