"""What CALM, CALM+ and PriView share: users or noise spread over views, then inference from them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calm_core._checks import check_theta, counted, one_of, optional
from calm_core.collection.aggregating import NoisyMarginals, aggregate
from calm_core.collection.collecting import SIMULATIONS, Reports, collect
from calm_core.inference.consistency import ConsistentMarginals
from calm_core.inference.reconstruction import ReconstructionNote
from calm_core.inference.shrinkage import PlusMarginals, PlusNote
from calm_core.inference.stacking import StackedMarginals
from calm_core.methods.base import Answer, option
from calm_core.methods.reporting import ReportingMethod
from calm_core.oracles import ORACLE_RULES
from calm_core.planning.expected_error import expected_errors
from calm_core.planning.plan import Plan, ViewChoice, make_plan
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal
from calm_core.tables.population import People


@dataclass(frozen=True, eq=False)
class ViewsAnswer(Answer):
    """Noisy views and what was inferred from them; any marginal follows.

    Attributes
    ----------
    plan : ViewChoice
        Which views were measured, and why.
    noisy : NoisyMarginals
        The views as measured.
    inferred : ConsistentMarginals, PlusMarginals or StackedMarginals
        What answers.
    """

    offers: ClassVar[frozenset[str]] = frozenset({"plan", "views", "explain"})
    plan: ViewChoice
    noisy: NoisyMarginals
    inferred: ConsistentMarginals | PlusMarginals | StackedMarginals

    @property
    def domain(self) -> Domain:
        """Shape of the data."""
        return self.noisy.domain

    @property
    def views(self):
        """The views made consistent."""
        return self.inferred

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether a view holds every given attribute."""
        return self.noisy.covers(attrs)

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """The marginal over `attrs`, from a view or rebuilt; a distribution."""
        return self.inferred.marginal(attrs)

    def marginals(self, queries: Sequence[Iterable[str]]) -> list[Marginal]:
        """The marginals of many queries at once."""
        return self.inferred.marginals(queries)

    def explain(self, attrs: Iterable[str]) -> ReconstructionNote | PlusNote:
        """Where the marginal over `attrs` comes from and how well it is determined."""
        return self.inferred.explain(attrs)


@dataclass(frozen=True, eq=False)
class CollectedAnswer(ViewsAnswer):
    """The same with the reports of the users it all follows from.

    Attributes
    ----------
    plan : Plan
        What the users were asked, and why.
    reports : Reports
        What left the devices.
    """

    offers: ClassVar[frozenset[str]] = ViewsAnswer.offers | {"reports"}
    plan: Plan
    reports: Reports


@dataclass(frozen=True)
class CollectingMethod(ReportingMethod):
    """Plan, collect, aggregate, infer: users are divided among views, each reports on one.

    Attributes
    ----------
    theta : float
        Error threshold of Algorithm 1.
    l, m : int or None
        View size and number of views by hand; None lets Algorithm 1 choose.
    oracle : str
        Rule of `choose_oracle` or an oracle's name.
    simulation : str
        "aggregate" or "per_user", see `collect`.
    """

    theta: float = option(lambda name, value: check_theta(value), 1e-3)
    l: int | None = option(optional(counted()), None)  # noqa: E741 - the paper's name
    m: int | None = option(optional(counted()), None)
    oracle: str = option(one_of(ORACLE_RULES), "adaptive")
    simulation: str = option(one_of(SIMULATIONS), "aggregate")
    from_counts: ClassVar[bool] = True
    answer_type: ClassVar[type[CollectedAnswer]] = CollectedAnswer

    def plan(self, domain: Domain, n: int, *, rng: np.random.Generator) -> Plan:
        """Fix everything that is fixed before collection: by Algorithm 1, or as many views as given."""
        return make_plan(
            domain, n, epsilon=self.epsilon, k=self.k, theta=self.theta, rng=rng,
            l=self.l, m=self.m, oracle=self.oracle, **self.designed(),
        )  # fmt: skip

    def designed(self) -> dict[str, str]:
        """What else `make_plan` is told."""
        return {}

    def public_plan(self, domain, n, *, rng) -> Plan:
        """The plan itself."""
        return self.plan(domain, n, rng=rng)

    def infer(self, noisy: NoisyMarginals):
        """Everything after aggregation; sees estimates only."""
        raise NotImplementedError

    def expected_errors(self, domain, n, queries, *, rng) -> np.ndarray | None:
        """Noise and sampling of the plan by formula, and the allowance for rebuilding."""
        return self.planned_errors(self.plan(domain, n, rng=rng), queries)

    def planned_errors(self, plan: Plan, queries: Sequence[Iterable[str]]) -> np.ndarray:
        """Expected SSE of every query by a plan that is made; sees no data."""
        return expected_errors(plan, queries)

    def collect(self, dataset: People, plan: Plan, *, rng, notify=None) -> Reports:
        """What the users report by `plan`: the last line that sees the data."""
        return collect(dataset, plan, rng=rng, simulation=self.simulation, notify=notify)

    def answer(self, plan: Plan, reports: Reports) -> CollectedAnswer:
        """What follows from the reports alone."""
        noisy = aggregate(reports)
        return self.answer_type(plan, noisy, self.infer(noisy), reports)
