"""CALM+: CALM's collection, with shrunken interactions in place of consistency and ripple."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from calm_core._checks import check_choice, check_theta
from calm_core.aggregating import NoisyMarginals, aggregate
from calm_core.collecting import Reports, collect
from calm_core.consistency import ConsistentMarginals
from calm_core.dataset import Dataset
from calm_core.domain import Domain
from calm_core.marginal import Marginal
from calm_core.methods.base import Method
from calm_core.plans import Plan, make_plan
from calm_core.risk_design import DESIGNS, plan_by_risk, plan_second_phase
from calm_core.shrinkage import PlusMarginals, PlusNote, infer_plus


@dataclass(frozen=True, eq=False)
class CalmPlusAnswer:
    """What a CALM+ collection leaves behind: the plan, the reports and what is inferred from them."""

    plan: Plan
    reports: Reports
    noisy: NoisyMarginals
    inferred: PlusMarginals

    @cached_property
    def domain(self) -> Domain:
        """Shape of the data."""
        return self.plan.domain

    @property
    def views(self) -> ConsistentMarginals:
        """Faithful CALM's inference from the very same reports, for paired comparison."""
        return self.inferred.views

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether a view holds every given attribute."""
        return self.noisy.covers(attrs)

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """The marginal over `attrs`; a distribution."""
        return self.inferred.marginal(attrs)

    def marginals(self, queries: Sequence[Iterable[str]]) -> list[Marginal]:
        """The marginals of many queries at once."""
        return self.inferred.marginals(queries)

    def interval(self, attrs: Iterable[str], level: float = 0.95):
        """Lowest and highest plausible fraction of every cell, two arrays; see `PlusMarginals`."""
        return self.inferred.interval(attrs, level)

    def explain(self, attrs: Iterable[str]) -> PlusNote:
        """How the marginal over `attrs` was found."""
        return self.inferred.explain(attrs)


@dataclass(frozen=True)
class CalmPlus(Method):
    """CALM+ on CALM's own plan.

    Attributes
    ----------
    theta : float
        Error threshold of Algorithm 1.
    l, m : int or None
        View size and number of views by hand; None lets Algorithm 1 choose.
    oracle : str
        Rule of `choose_oracle` or an oracle's name.
    design : str
        Which views to ask about. "algorithm1": CALM's own; "pairs", "triples": all of them;
        "risk": half of the users on all pairs, the others divided by predicted risk; "two_phase":
        half of the users on all pairs, the others where those reports leave most risk.
    simulation : str
        "aggregate" or "per_user", see `collect`.

    Examples
    --------
    >>> import numpy as np
    >>> from calm_core.dataset import Dataset
    >>> rng = np.random.default_rng(1)
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> data = Dataset.from_codes(rng.integers(0, 2, size=(5000, 2)), domain)
    >>> answer = CalmPlus(epsilon=2.0, k=2).release(data, rng=rng)
    >>> bool(abs(answer.marginal(("sex",)).values.sum() - 1) < 1e-9)
    True
    """

    theta: float = 1e-3
    l: int | None = None  # noqa: E741 - the paper's name
    m: int | None = None
    oracle: str = "adaptive"
    design: str = "algorithm1"
    simulation: str = "aggregate"
    name: ClassVar[str] = "calm_plus"
    title: ClassVar[str] = "CALM+"

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "theta", check_theta(self.theta))
        check_choice("design", self.design, DESIGNS)

    def plan(self, domain: Domain, n: int, *, rng) -> Plan:
        """Fix everything that is fixed before collection (of the first phase, where there are two)."""
        if self.design == "algorithm1":
            return make_plan(
                domain, n, epsilon=self.epsilon, k=self.k, theta=self.theta, rng=rng,
                l=self.l, m=self.m, oracle=self.oracle,
            )  # fmt: skip
        return plan_by_risk(
            domain, n, epsilon=self.epsilon, k=self.k, theta=self.theta,
            design="pairs" if self.design == "two_phase" else self.design, oracle=self.oracle,
        )  # fmt: skip

    def infer(self, noisy: NoisyMarginals) -> PlusMarginals:
        """Everything after aggregation; sees estimates only."""
        return infer_plus(noisy, order=self.k)

    def release(self, dataset, *, rng, notify=None) -> CalmPlusAnswer:
        """Plan, collect, aggregate, infer."""
        if self.design == "two_phase" and dataset.n > 1:
            plan, reports = self._two_phases(dataset, rng, notify)
        else:
            plan = self.plan(dataset.domain, dataset.n, rng=rng)
            reports = collect(dataset, plan, rng=rng, simulation=self.simulation, notify=notify)
        noisy = aggregate(reports)
        return CalmPlusAnswer(plan, reports, noisy, self.infer(noisy))

    def _two_phases(self, dataset: Dataset, rng, notify) -> tuple[Plan, Reports]:
        """Two collections from two halves of the users: each user reports in one of them."""
        first_half, second_half = dataset.split(dataset.n // 2, rng=rng)
        first = self.plan(dataset.domain, first_half.n, rng=rng)
        early = collect(first_half, first, rng=rng, simulation=self.simulation, notify=notify)
        # All that the second plan may depend on is what the first half has released.
        known = self.infer(aggregate(early)).known
        second = plan_second_phase(known, first, second_half.n, oracle=self.oracle)
        late = collect(second_half, second, rng=rng, simulation=self.simulation, notify=notify)
        weights = [share * part.n for part in (first, second) for share in part.shares]
        plan = replace(
            first, n=dataset.n, views=first.views + second.views,
            oracles=first.oracles + second.oracles, weights=tuple(weights),
        )  # fmt: skip
        return plan, Reports(dataset.domain, early.views + late.views)
