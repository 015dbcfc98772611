"""Learning-based release by low-degree polynomials (Thaler, Ullman and Vadhan; PriView section 3.7)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import ClassVar

import numpy as np
from scipy.optimize import linprog

from calm_core._checks import check_count
from calm_core.domain import Domain
from calm_core.errors import InputError
from calm_core.marginal import Marginal
from calm_core.methods.base import Answer
from calm_core.methods.central.base import CentralMethod
from calm_core.methods.central.counting import marginal_sets, require_binary


@lru_cache(maxsize=64)
def conjunction_polynomial(k: int, gamma: float) -> tuple[float, ...]:
    """Coefficients a_0..a_t of the lowest-degree p(s) = sum a_r C(s, r) that stands for "s = 0".

    p(0) = 1 and |p(s)| <= gamma for s = 1..k: s counts the conditions of a k-way cell that a user
    fails. The degree t is O(sqrt(k) log(1/gamma)).

    Examples
    --------
    >>> [round(a, 3) for a in conjunction_polynomial(2, 0.5)]
    [1.0, -0.667]
    >>> len(conjunction_polynomial(4, 0.125)) - 1
    3
    """
    for degree in range(1, k + 1):
        rows = np.array([[math.comb(s, r) for r in range(1, degree + 1)] for s in range(1, k + 1)])
        slack = np.full((k, 1), -1.0)
        solved = linprog(
            np.append(np.zeros(degree), 1.0),
            A_ub=np.block([[rows, slack], [-rows, slack]]),
            b_ub=np.concatenate([-np.ones(k), np.ones(k)]),
            bounds=[(None, None)] * degree + [(0, None)],
            method="highs",
        )
        if solved.fun <= gamma + 1e-9:
            break
    return (1.0, *solved.x[:-1].tolist())


@dataclass(frozen=True, eq=False)
class PolynomialAnswer(Answer):
    """Noisy weighted marginals of order 0 to t; a cell is a polynomial in them."""

    domain: Domain
    k: int
    terms: dict[tuple[str, ...], np.ndarray]
    degree: int

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether the polynomial was made for that many attributes."""
        return len(self.domain.positions(attrs)) <= self.k

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Every cell's approximate fraction; may be negative and need not sum to 1."""
        attrs = self.domain.canonical(attrs)
        if len(attrs) > self.k:
            raise InputError(
                f"a marginal over {len(attrs)} attributes needs another polynomial than the one "
                f"released for k = {self.k}"
            )
        table = np.ones((2,) * len(attrs))
        for order in range(1, min(self.degree, len(attrs)) + 1):
            for chosen in combinations(range(len(attrs)), order):
                # A user fails a condition on each chosen attribute: she has the other value of all.
                failing = np.flip(self.terms[tuple(attrs[i] for i in chosen)])
                where = tuple(slice(None) if i in chosen else np.newaxis for i in range(len(attrs)))
                table = table + failing[where]
        return Marginal(self.domain.project(attrs), table)


@dataclass(frozen=True)
class Learning(CentralMethod):
    """Release the coefficients of a low-degree polynomial that approximates every k-way cell.

    Attributes
    ----------
    gamma : float
        Approximation error allowed per cell, below 1: the papers take 1/2, 1/4, 1/8. A smaller
        gamma needs a higher degree and with it more noise. `noise="none"` shows the approximation
        error alone.
    """

    gamma: float = 0.25
    name: ClassVar[str] = "learning"
    title: ClassVar[str] = "Learning"

    def __post_init__(self):
        super().__post_init__()
        if not 0 < self.gamma < 1:
            raise InputError(
                f"gamma ({self.gamma}) must be above 0 and below 1; the paper uses 1/4"
            )

    def release(self, dataset, *, rng, notify=None) -> PolynomialAnswer:
        """Weight all marginals of order 1 to t by the polynomial and add noise."""
        domain = dataset.domain
        require_binary(domain, self.title)
        check_count("k", self.k, high=domain.d)
        weights = conjunction_polynomial(self.k, self.gamma)
        orders = range(1, len(weights))
        sets = {order: marginal_sets(domain, order, self.title) for order in orders}
        # One user is in one cell of every marginal: she moves the weighted cells by this in all.
        sensitivity = sum(abs(weights[order]) * len(sets[order]) for order in orders)
        terms = {}
        for order in orders:
            for attrs, counts in zip(sets[order], dataset.counts(sets[order])):
                weighted = weights[order] * counts
                noisy = self.noisy(weighted, sensitivity / self.epsilon, rng=rng)
                terms[attrs] = noisy / dataset.n
        return PolynomialAnswer(domain, self.k, terms, len(weights) - 1)
