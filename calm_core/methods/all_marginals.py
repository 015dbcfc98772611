"""AM: users are split over all k-way marginals, and each group reports on one."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import ClassVar

import numpy as np

from calm_core._checks import MAX_CELLS, check_k
from calm_core.collection.aggregation import NoisyMarginals, aggregate
from calm_core.errors import InfeasibleError, Toward
from calm_core.methods.base import (
    KWayAnswer,
    UnbiasedOracleMethod,
    check_query_size,
    inverse_variance,
    mean_inverse_size,
    oracle_sse,
    postprocess,
)
from calm_core.methods.fourier import symmetric_sums
from calm_core.oracles import Oracle
from calm_core.planning.plan import Plan
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal, uniform


@dataclass(frozen=True, eq=False)
class AllMarginalsAnswer(KWayAnswer):
    """An unbiased estimate of every k-way marginal; estimates of shared attributes may disagree."""

    noisy: NoisyMarginals
    k: int
    nonnegativity: str

    @property
    def domain(self) -> Domain:
        """Shape of the data."""
        return self.noisy.domain

    @cached_property
    def _numbers(self) -> dict[tuple[str, ...], int]:
        return {view: i for i, view in enumerate(self.noisy.views)}

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the marginal over `attrs`: measured, or for fewer than k attributes the average.

        The average runs over all measured marginals that contain the attributes, weighted by inverse
        variance after summing out.
        """
        attrs = check_query_size(self.domain, attrs, self.k, "AM")
        if len(attrs) == self.k:
            return postprocess(self.noisy.tables[self._numbers[attrs]], self.nonnegativity)
        holding = [self._numbers[view] for view in _views_holding(self.domain, attrs, self.k)]
        total, weights = 0.0, 0.0
        for i in holding:
            table = self.noisy.tables[i]
            weight = inverse_variance(self.noisy.variances[i], table.values.size)
            total, weights = total + weight * table.project(attrs).values, weights + weight
        if not weights:
            # Nobody has reported on any of them yet.
            return uniform(self.domain, attrs)
        return postprocess(
            Marginal(self.domain.project(attrs), total / weights), self.nonnegativity
        )


def _views_holding(domain: Domain, attrs: tuple[str, ...], k: int) -> list[tuple[str, ...]]:
    """Return the k-way marginals that contain all of `attrs`."""
    other_names = [name for name in domain.names if name not in attrs]
    return [domain.canonical(attrs + rest) for rest in combinations(other_names, k - len(attrs))]


@dataclass(frozen=True)
class AllMarginals(UnbiasedOracleMethod):
    """AM (CALM section 3.2): C(d, k) groups of users, one for each k-way marginal.

    Attributes
    ----------
    oracle, nonnegativity
        As in `UnbiasedOracleMethod`.

    Raises
    ------
    InfeasibleError
        On release, if there are fewer users than marginals or the tables are too large together.

    Examples
    --------
    >>> import numpy as np
    >>> from calm_core.tables.dataset import Dataset
    >>> rng = np.random.default_rng(1)
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> data = Dataset.from_codes(rng.integers(0, 2, size=(5000, 2)), domain)
    >>> answer = AllMarginals(epsilon=4.0, k=1).release(data, rng=rng)
    >>> answer.marginal(("sex",)).values.round(1).tolist(), answer.covers(("sex", "age"))
    ([0.5, 0.5], False)
    """

    name: ClassVar[str] = "am"
    title: ClassVar[str] = "AM"
    summary: ClassVar[str] = (
        "People are split over all tables of k attributes; each is estimated on its own."
    )

    def plan(self, domain: Domain, n: int, *, rng=None) -> Plan:
        """Return all k-way marginals as views."""
        check_k(self.k, domain.d)
        m = math.comb(domain.d, self.k)
        if n < m:
            raise InfeasibleError(
                f"AM has {m:,} tables of {self.k} attributes but {n:,} people, fewer than one "
                f"for each table; use at least {m:,} people, fewer attributes or a smaller k",
                remedies=[("n", m), ("d", Toward.LESS), ("k", Toward.LESS)],
            )
        cells = symmetric_sums(domain.sizes, self.k)[self.k]
        if cells > MAX_CELLS:
            raise InfeasibleError(
                f"AM would need {cells:,} cells for its {m:,} tables, more than the limit of "
                f"{MAX_CELLS:,}; use fewer attributes, a smaller k or merge values",
                remedies=[("d", Toward.LESS), ("k", Toward.LESS), ("max_values", Toward.LESS)],
            )
        return self.split_users(domain, n, tuple(combinations(domain.names, self.k)))

    def answer(self, plan, reports) -> AllMarginalsAnswer:
        """Return unbiased estimates of all marginals."""
        # Tables of a public plan may have another size than the k it was planned for.
        return AllMarginalsAnswer(aggregate(reports), len(plan.views[0]), self.nonnegativity)

    def explain_unsupported(self, plan) -> str:
        """Every table of the plan's size must have been collected, once."""
        if plan.is_whole and sorted(plan.views) == sorted(combinations(plan.domain.names, plan.l)):
            return ""
        return (
            f"it needs reports on every table of {plan.l} attributes, and this plan collects others"
        )

    def max_query_size(self, plan) -> int:
        """Return the number of attributes collected together."""
        return plan.l

    def planned_errors(self, plan, queries) -> np.ndarray:
        """Return expected errors by formula."""
        collected = zip(plan.views, plan.oracles, plan.shares)
        groups = {
            view: (oracle, 1 / (plan.n * share)) for view, oracle, share in collected if share
        }
        errors = np.full(len(queries), math.nan)
        for number, query in enumerate(map(plan.domain.canonical, queries)):
            views = _views_holding(plan.domain, query, plan.l) if len(query) <= plan.l else ()
            measured = [groups[view] for view in views if view in groups]
            if measured:
                errors[number] = _sse(plan.domain.cells_of(query), plan.n, *zip(*measured))
        return errors

    def unbiased_sse(self, domain, n, attrs, *, truth=None) -> float:
        """Expected SSE of the unbiased answer; about 2^k C(d, k) Var0 for small epsilon.

        Noise of the reports, plus the sampling error of groups drawn without replacement.
        """
        attrs = check_query_size(domain, attrs, self.k, self.title)
        inverse = mean_inverse_size(n, math.comb(domain.d, self.k))
        oracles = [
            self.choose_oracle(domain, view) for view in _views_holding(domain, attrs, self.k)
        ]
        inverses = [inverse] * len(oracles)
        return _sse(domain.cells_of(attrs), n, oracles, inverses, truth)


def _sse(
    cells: int, n: int, oracles: Sequence[Oracle], inverses: Sequence[float], truth=None
) -> float:
    """Return the expected SSE of a table with `cells` cells, averaged over the measured ones that contain it.

    `inverses` is the mean of 1 / n_g for the group of n_g users of each measured table.
    """
    inverse = np.array(inverses)
    weights = np.array([
        inverse_variance(float(oracle.variance(1)) * each, oracle.size)
        for oracle, each in zip(oracles, inverses)
    ])  # fmt: skip
    weights /= weights.sum()
    each = np.array([oracle_sse(oracle, cells) for oracle in oracles])
    noise = (weights**2 * inverse * each).sum()
    spread = 1 - 1 / cells if truth is None else 1 - float((truth.values**2).sum())
    sampling = spread * ((weights**2 * inverse).sum() * n - 1) / max(n - 1, 1)
    return float(noise + sampling)
