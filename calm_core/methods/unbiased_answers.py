"""Methods that measure marginals directly: a fixed split of the users, and exact expected errors."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from calm_core._checks import choice_checker
from calm_core.errors import InfeasibleError, InputError, Toward
from calm_core.inference.nonnegativity import NONNEGATIVITY, make_nonnegative
from calm_core.methods.base import OracleMethod, ReportingMethod, option
from calm_core.oracles import ORACLE_RULES, Oracle, choose_oracle
from calm_core.planning.algorithm1 import choose_views
from calm_core.planning.plan import Plan
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal


@dataclass(frozen=True)
class EvenGroups:
    """m nearly equal groups of users; m is 0 if nothing has to be collected."""

    m: int

    @property
    def shares(self) -> tuple[float, ...]:
        """Share of the users in each group."""
        return (1 / self.m,) * self.m


# Algorithm 1's usual threshold, for the comparison shown beside other plans.
DEFAULT_THETA = 1e-3


def mean_inverse_size(n: int, m: int) -> float:
    """Return the mean of 1/size over m nearly equal groups of n users.

    Raises
    ------
    InfeasibleError
        If some group would be empty.

    Examples
    --------
    >>> mean_inverse_size(6, 4)
    0.75
    """
    if n < m:
        raise InfeasibleError(
            f"n ({n:,}) must be at least {m:,}, the number of groups; use more people, fewer "
            "attributes or a smaller k",
            remedies=[("n", m), ("d", Toward.LESS), ("k", Toward.LESS)],
        )
    small, larger = divmod(n, m)
    return ((m - larger) / small + larger / (small + 1)) / m


def oracle_sse(oracle: Oracle, cells: int) -> float:
    """Return the expected SSE, times the number of reports, of a table summed out of an oracle's estimate.

    The table has `cells` cells, each the sum of an equal number of the oracle's cells. Exact for users whose
    values are fixed, whatever they are: the terms in the true fractions f are linear and f sums to 1.
    """
    size, block = oracle.size, oracle.size // cells
    own, other = oracle.p * (1 - oracle.p), oracle.q * (1 - oracle.q)
    mixed = between = 0.0
    if oracle.fixed_support and size > 1:
        # A report always supports equally many cells, so covariances balance variances in every row:
        # `mixed` is that of the user's own cell with another, `between` that of two others.
        mixed = -own / (size - 1)
        between = -(other + mixed) / (size - 2) if size > 2 else 0.0
    with_own = own + (block - 1) * (other + 2 * mixed + (block - 2) * between)
    without = block * (other + (block - 1) * between)
    # If the noise cancels, rounding must not make the result negative.
    return max(0.0, with_own + (cells - 1) * without) / oracle.gap**2


def inverse_variance(variance: float, cells: int) -> float:
    """Return the weight of a table of `cells` cells in an average; finite for noise-free tables."""
    return 1 / max(variance * cells, 1e-200)


def check_query_size(domain: Domain, attrs: Iterable[str], k: int, title: str) -> tuple[str, ...]:
    """Return the attributes in domain order; refuses more than the k that were measured."""
    attrs = domain.canonical(attrs)
    if len(attrs) > k:
        raise InputError(
            f"the requested table ({len(attrs)} attributes) must have at most k = {k}, "
            f"since {title} measures nothing larger; choose fewer attributes, or set k to "
            f"{len(attrs)} before anybody reports"
        )
    return attrs


def postprocess(table: Marginal, nonnegativity: str) -> Marginal:
    """Return the table as measured ("none"), or a distribution without negative cells.

    The number of users is known, so the total is first set to 1 by adding a constant: a noisy total may be
    0 or less, and no correction that keeps it could give a distribution. The small negative cells that
    "ripple" leaves and the larger total of "simple" are clipped and scaled.

    Examples
    --------
    >>> lost = Marginal(Domain(("sex", "age"), (2, 3)), [[-0.5, 0.0, 0.1], [0.1, 0.0, -0.3]])
    >>> postprocess(lost, "global").values.round(3).tolist()
    [[0.0, 0.2, 0.3], [0.3, 0.2, 0.0]]
    """
    if nonnegativity == "none":
        return table
    whole = table.values + (1 - table.values.sum()) / table.values.size
    cells = np.maximum(make_nonnegative(whole[np.newaxis], nonnegativity)[0], 0.0)
    return Marginal(table.domain, cells / cells.sum())


@dataclass(frozen=True)
class UnbiasedMethod(ReportingMethod):
    """A method that answers with unbiased sums of measurements by default.

    Attributes
    ----------
    nonnegativity : str
        "none" (as published, unbiased) or another of `NONNEGATIVITY`, applied to every answer.
    """

    # Non-negativity used for a fair comparison: the nearest distribution.
    nonnegativity: str = option(choice_checker(NONNEGATIVITY), "none")

    @property
    def is_nonnegative(self) -> bool:
        """Whether released shares are never negative."""
        return self.nonnegativity != "none"

    def analytical_sse(self, domain, n, attrs, *, truth=None) -> float | None:
        """Return the expected SSE by formula; None if cells are made non-negative, which biases them."""
        if self.nonnegativity != "none":
            return None
        return self.unbiased_sse(domain, n, attrs, truth=truth)

    def unbiased_sse(self, domain, n, attrs, *, truth=None) -> float:
        """Return the expected SSE of the unbiased answer, see `analytical_sse`."""
        raise NotImplementedError


@dataclass(frozen=True)
class UnbiasedOracleMethod(OracleMethod, UnbiasedMethod):
    """An `UnbiasedMethod` whose users are split evenly over views, with an oracle for each.

    Attributes
    ----------
    oracle : str
        Rule of `choose_oracle` or an oracle's name.
    """

    oracle: str = option(choice_checker(ORACLE_RULES), "adaptive")

    def split_users(self, domain: Domain, n: int, views: tuple[tuple[str, ...], ...]) -> Plan:
        """Return the plan of these views, with the choice of Algorithm 1 for comparison."""
        choice = choose_views(n, domain.sizes, self.epsilon, self.k, DEFAULT_THETA)
        oracles = tuple(self.choose_oracle(domain, view) for view in views)
        return Plan(domain, n, self.epsilon, self.k, DEFAULT_THETA, views, oracles, choice)

    def choose_oracle(self, domain: Domain, view: Iterable[str]) -> Oracle:
        """Return the oracle of a view."""
        return choose_oracle(domain.cells_of(view), self.epsilon, self.oracle)
