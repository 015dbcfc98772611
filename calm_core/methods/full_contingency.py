"""FC: every user reports the whole record; marginals are summed out of the full table."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calm_core._checks import MAX_CELLS, check_k
from calm_core.collection.aggregation import aggregate
from calm_core.errors import InfeasibleError, Toward
from calm_core.methods.base import (
    Answer,
    UnbiasedOracleMethod,
    oracle_sse,
    postprocess,
)
from calm_core.planning.plan import Plan
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal


@dataclass(frozen=True, eq=False)
class FullContingencyAnswer(Answer):
    """The unbiased full contingency table; cells may be negative and need not sum to 1."""

    table: Marginal
    nonnegativity: str

    @property
    def domain(self) -> Domain:
        """Shape of the data."""
        return self.table.domain

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether all attributes are in the data: every marginal is a sum of the one table."""
        return self.table.covers(attrs)

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the marginal over `attrs`, summed out."""
        return postprocess(self.table.project(attrs), self.nonnegativity)


@dataclass(frozen=True)
class FullContingency(UnbiasedOracleMethod):
    """FC (CALM section 3.2): one report on the full table of prod c_i cells through the oracle.

    Attributes
    ----------
    oracle, nonnegativity
        As in `UnbiasedOracleMethod`.

    Raises
    ------
    InfeasibleError
        On release, if the full table has more than 10^7 cells.

    Examples
    --------
    >>> import numpy as np
    >>> from calm_core.tables.dataset import Dataset
    >>> rng = np.random.default_rng(1)
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> data = Dataset.from_codes(rng.integers(0, 2, size=(5000, 2)), domain)
    >>> method = FullContingency(epsilon=4.0, k=2)
    >>> method.release(data, rng=rng).marginal(("sex",)).values.round(1).tolist()
    [0.5, 0.5]
    >>> round(method.analytical_sse(domain, 5000, ("sex",)), 5)
    2e-05
    """

    name: ClassVar[str] = "fc"
    title: ClassVar[str] = "FC"
    summary: ClassVar[str] = (
        "Everybody reports the whole record; all tables are sums of one large table."
    )

    def plan(self, domain: Domain, n: int, *, rng=None) -> Plan:
        """Return one group of users and one view with every attribute."""
        check_k(self.k, domain.d)
        self._check_size(domain)
        return self.split_users(domain, n, (domain.names,))

    def _check_size(self, domain: Domain) -> None:
        cells = math.prod(domain.sizes)
        if cells > MAX_CELLS:
            fitting = domain.count_fitting(MAX_CELLS)
            raise InfeasibleError(
                f"FC would need a table of {cells:,} cells for {domain.d} attributes, more than "
                f"the limit of {MAX_CELLS:,}; the first {fitting} attributes would fit",
                remedies=[("d", fitting), ("max_values", Toward.LESS)],
            )

    def explain_unsupported(self, plan) -> str:
        """All users must have reported on the full table."""
        if plan.is_whole and plan.views == (plan.domain.names,):
            return ""
        return f"it needs reports on all {plan.domain.d} attributes together, and this plan collects others"

    def planned_errors(self, plan, queries) -> np.ndarray:
        """Return exact errors by formula."""
        (oracle,) = plan.oracles
        cells = [plan.domain.cells_of(query) for query in queries]
        return np.array([oracle_sse(oracle, size) / plan.n for size in cells])

    def answer(self, plan, reports) -> FullContingencyAnswer:
        """Return the unbiased estimate."""
        return FullContingencyAnswer(aggregate(reports).tables[0], self.nonnegativity)

    def unbiased_sse(self, domain, n, attrs, *, truth=None) -> float:
        """Exact expected SSE of the unbiased answer; about 2^d Var0 for small epsilon."""
        self._check_size(domain)
        oracle = self.choose_oracle(domain, domain.names)
        return oracle_sse(oracle, domain.cells_of(attrs)) / n
