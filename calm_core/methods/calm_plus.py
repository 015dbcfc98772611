"""CALM+: CALM's collection, with shrunken interactions in place of consistency and ripple."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from calm_core._checks import one_of
from calm_core.collection.aggregating import NoisyMarginals, aggregate
from calm_core.collection.collecting import Reports
from calm_core.inference.consistency import ConsistentMarginals
from calm_core.inference.shrinkage import PlusMarginals, infer_plus
from calm_core.methods.base import option
from calm_core.methods.calm_plus_design import DESIGNS, plan_by_risk, plan_second_phase
from calm_core.methods.collected import CollectedAnswer, CollectingMethod
from calm_core.planning.plan import Plan, make_plan
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain


@dataclass(frozen=True, eq=False)
class CalmPlusAnswer(CollectedAnswer):
    """What a CALM+ collection leaves behind: the plan, the reports and what is inferred from them."""

    offers: ClassVar[frozenset[str]] = CollectedAnswer.offers | {"intervals"}

    @property
    def views(self) -> ConsistentMarginals:
        """Faithful CALM's inference from the very same reports, for paired comparison."""
        return self.inferred.views

    def interval(self, attrs: Iterable[str], level: float = 0.95):
        """Lowest and highest plausible fraction of every cell, two arrays; see `PlusMarginals`."""
        return self.inferred.interval(attrs, level)


@dataclass(frozen=True)
class CalmPlus(CollectingMethod):
    """CALM+ on CALM's own plan, or on a design of its own.

    Its answers are biased: the error does not fall to CALM's as noise vanishes. Where all attributes
    depend strongly and there is little noise CALM is better and the intervals are too short (NLTCS,
    d = 8, epsilon = 2, n = 2^18: 1.17 of CALM's SSE, 87% of the true cells in 95% intervals).

    Attributes
    ----------
    theta, l, m, oracle, simulation
        As in `CollectingMethod`; theta, l and m where the design is Algorithm 1's.
    design : str
        Which views to ask about. "algorithm1": CALM's own; "pairs", "triples": all of them;
        "risk": half of the users on all pairs, the others divided by predicted risk; "two_phase":
        half of the users on all pairs, the others where those reports leave most risk.

    Examples
    --------
    >>> import numpy as np
    >>> from calm_core.tables.dataset import Dataset
    >>> rng = np.random.default_rng(1)
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> data = Dataset.from_codes(rng.integers(0, 2, size=(5000, 2)), domain)
    >>> answer = CalmPlus(epsilon=2.0, k=2).release(data, rng=rng)
    >>> bool(abs(answer.marginal(("sex",)).values.sum() - 1) < 1e-9)
    True
    """

    design: str = option(one_of(DESIGNS), "algorithm1")
    name: ClassVar[str] = "calm_plus"
    title: ClassVar[str] = "CALM+"
    summary: ClassVar[str] = (
        "CALM's views or a design of its own, interactions shrunk by how reliable they are; "
        "beyond the paper."
    )
    unshared: ClassVar[frozenset[str]] = CollectingMethod.unshared - {"design"}
    answers: ClassVar[type[CollectedAnswer]] = CalmPlusAnswer

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

    def collect(self, dataset: Dataset, *, rng, notify=None) -> tuple[Plan, Reports]:
        """The plan and the reports; in two phases each user reports in one of them."""
        if self.design != "two_phase" or dataset.n < 2:
            return super().collect(dataset, rng=rng, notify=notify)
        first_half, second_half = dataset.split(dataset.n // 2, rng=rng)
        first, early = super().collect(first_half, rng=rng, notify=notify)
        # All that the second plan may depend on is what the first half has released.
        known = self.infer(aggregate(early)).known
        second = plan_second_phase(known, first, second_half.n, oracle=self.oracle)
        late = self.ask(second_half, second, rng=rng, notify=notify)
        weights = [share * part.n for part in (first, second) for share in part.shares]
        plan = replace(
            first, n=dataset.n, views=first.views + second.views,
            oracles=first.oracles + second.oracles, weights=tuple(weights),
        )  # fmt: skip
        return plan, Reports(dataset.domain, early.views + late.views)
