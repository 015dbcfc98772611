"""Learning-based release by low-degree polynomials (Thaler, Ullman and Vadhan; PriView section 3.7)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations
from typing import ClassVar

import numpy as np

from calm_core._checks import check_fraction
from calm_core.errors import InputError
from calm_core.methods.base import KWayAnswer, option
from calm_core.methods.central.base import (
    CentralMethod,
    fit_least_deviation,
    marginal_sets,
    require_binary,
)
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.dataset import draw_people
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal


@lru_cache(maxsize=64)
def conjunction_polynomial(k: int, gamma: float) -> tuple[float, ...]:
    """Return coefficients a_0..a_t of the lowest-degree p(s) = sum a_r C(s, r) that approximates "s = 0".

    p(0) = 1 and |p(s)| <= gamma for s = 1..k: s counts the conditions of a k-way cell that a user violates. The
    degree t is O(sqrt(k) log(1/gamma)).

    Examples
    --------
    >>> [round(a, 3) for a in conjunction_polynomial(2, 0.5)]
    [1.0, -0.667]
    >>> len(conjunction_polynomial(4, 0.125)) - 1
    3
    """
    for degree in range(1, k + 1):
        rows = np.array([[math.comb(s, r) for r in range(1, degree + 1)] for s in range(1, k + 1)])
        solved = fit_least_deviation(rows, -np.ones(k), lower=None)
        if solved.fun <= gamma + 1e-9:
            break
    return (1.0, *solved.x[:-1].tolist())


@dataclass(frozen=True, eq=False)
class PolynomialAnswer(KWayAnswer):
    """Noisy weighted marginals of order 0 to t; a cell is a polynomial in them."""

    trust: ClassVar[str] = "central"
    domain: Domain
    k: int
    terms: dict[tuple[str, ...], np.ndarray]
    degree: int

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return every cell's approximate fraction; may be negative and need not sum to 1."""
        attrs = self.domain.canonical(attrs)
        if len(attrs) > self.k:
            raise InputError(
                f"a table over {len(attrs)} attributes needs another polynomial than the one "
                f"released for k = {self.k}"
            )
        table = np.ones((2,) * len(attrs))
        for order in range(1, min(self.degree, len(attrs)) + 1):
            for axes in combinations(range(len(attrs)), order):
                checkpoint()
                # A user who violates the conditions on all chosen attributes has the other value of each.
                failing = np.flip(self.terms[tuple(attrs[i] for i in axes)])
                where = tuple(slice(None) if i in axes else np.newaxis for i in range(len(attrs)))
                table = table + failing[where]
        return Marginal(self.domain.project(attrs), table)


@dataclass(frozen=True)
class Learning(CentralMethod):
    """Release the coefficients of a low-degree polynomial that approximates every k-way cell.

    Noise is added to the whole counts of all marginals of order 1 to t; the polynomial's weights are applied
    afterwards, so they reveal nothing. `budget` splits epsilon over the orders. The papers add noise to the
    weighted counts instead, with one scale for all; integer noise would not hide their fractions, and with
    them the counts modulo 3 (k = 2, gamma = 1/2) or 7 (k = 3, gamma = 1/4).

    Attributes
    ----------
    gamma : float
        Approximation error allowed per cell, below 1: the papers take 1/2, 1/4, 1/8. A smaller
        gamma needs a higher degree and with it more noise. `noise="none"` shows the approximation
        error alone.
    """

    gamma: float = option(partial(check_fraction, remedy="the paper uses 1/4", one=False), 0.25)
    name: ClassVar[str] = "learning"
    title: ClassVar[str] = "Learning"
    summary: ClassVar[str] = (
        "Coefficients of a low-degree polynomial that stands for every cell (Thaler et al.)."
    )

    def budget(self, d: int) -> tuple[float, ...]:
        """Return the budget of each order 1 to t, `record_epsilon` in total: the split with least noise in a k-way cell.

        Order r has N = C(d, r) marginals, so with a share e of epsilon each of its counts gets
        Lap(N/e). A cell adds up C(k, r) of them with weight a_r: the sum of C(k, r) (a_r N / e)^2
        over the orders is least where e is proportional to (C(k, r) (a_r N)^2)^(1/3).

        Examples
        --------
        >>> [round(share, 3) for share in Learning(epsilon=1.0, k=3).budget(8)]
        [0.362, 0.638]
        """
        weights = conjunction_polynomial(self.k, self.gamma)
        orders = range(1, len(weights))
        pull = [math.comb(self.k, r) * (weights[r] * math.comb(d, r)) ** 2 for r in orders]
        roots = [p ** (1 / 3) for p in pull]
        return tuple(self.record_epsilon * root / sum(roots) for root in roots)

    def check(self, domain, n) -> None:
        """Refuse data that `release` would refuse."""
        super().check(domain, n)
        require_binary(domain, self.title)
        self._sets(domain)

    def _sets(self, domain: Domain) -> dict[int, list[tuple[str, ...]]]:
        orders = range(1, len(conjunction_polynomial(self.k, self.gamma)))
        return {order: marginal_sets(domain, order, self.title) for order in orders}

    def release(self, dataset, *, rng, notify=None) -> PolynomialAnswer:
        """Add noise to all marginals of order 1 to t and weight them by the polynomial."""
        domain = dataset.domain
        self.check(domain, dataset.n)
        weights = conjunction_polynomial(self.k, self.gamma)
        sets = self._sets(domain)
        terms = {}
        everybody = draw_people(dataset, rng=rng)
        for order, share in zip(sets, self.budget(domain.d)):
            # A user is in one cell of every marginal of this order.
            scale = len(sets[order]) / share
            for attrs, counts in zip(sets[order], everybody.counts(sets[order])):
                terms[attrs] = weights[order] * self.add_noise(counts, scale, rng=rng) / dataset.n
        return PolynomialAnswer(domain, self.k, terms, len(weights) - 1)
