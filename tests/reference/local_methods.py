"""FT, AM and EM user by user, as slowly and plainly as they can be written down."""

import math
from itertools import combinations, product

import numpy as np


def deal(n: int, m: int, rng) -> list[list[int]]:
    """Users 0..n-1 in m nearly equal random groups; which groups are larger is random too."""
    order = rng.permutation(n).tolist()
    sizes = [n // m + (i < n % m) for i in rng.permutation(m)]
    groups, first = [], 0
    for size in sizes:
        groups.append(order[first : first + size])
        first += size
    return groups


def fourier_coefficients(rows, k: int, epsilon: float, rng) -> dict[tuple[int, ...], float]:
    """Kulkarni et al. on bits: coefficient estimates keyed by the positions in the set."""
    d = len(rows[0])
    sets = [alpha for s in range(1, k + 1) for alpha in combinations(range(d), s)]
    keep = math.exp(epsilon) / (math.exp(epsilon) + 1)
    found = {}
    for alpha, users in zip(sets, deal(len(rows), len(sets), rng)):
        total = 0
        for user in users:
            sign = (-1) ** sum(int(rows[user][i]) for i in alpha)
            total += sign if rng.random() < keep else -sign
        found[alpha] = total / len(users) / (2 * keep - 1)
    return found


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


def all_marginals(rows, sizes, k: int, epsilon: float, rng) -> dict[tuple[int, ...], np.ndarray]:
    """AM with randomized response over the cells of each k-way marginal."""
    views = list(combinations(range(len(sizes)), k))
    found = {}
    for view, users in zip(views, deal(len(rows), len(views), rng)):
        shape = tuple(sizes[i] for i in view)
        cells = math.prod(shape)
        keep = math.exp(epsilon) / (math.exp(epsilon) + cells - 1)
        other = (1 - keep) / (cells - 1)
        counts = np.zeros(cells)
        for user in users:
            cell = 0
            for i in view:
                cell = cell * sizes[i] + int(rows[user][i])
            if rng.random() >= keep:
                wrong = int(rng.integers(cells - 1))
                cell = wrong + (wrong >= cell)
            counts[cell] += 1
        found[view] = ((counts / len(users) - other) / (keep - other)).reshape(shape)
    return found


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
