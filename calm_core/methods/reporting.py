"""Methods that work from reports: plan, collect, answer; and those that collect views and infer from them.

Reports of disjoint parts of the users add up, so users may come in parts.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, ClassVar

import numpy as np

from calm_core._checks import check_theta, choice_checker, count_checker, optional_checker
from calm_core.collection.aggregation import NoisyMarginals, aggregate
from calm_core.collection.simulation import SIMULATIONS, Reports, collect
from calm_core.errors import InputError
from calm_core.inference.consistency import ConsistentMarginals
from calm_core.inference.reconstruction import ReconstructionNote
from calm_core.inference.shrinkage import PlusMarginals, PlusNote
from calm_core.inference.stacking import StackedMarginals
from calm_core.methods.base import Answer, Method, Notify, option
from calm_core.oracles import ORACLE_RULES
from calm_core.planning.expected_error import expected_errors
from calm_core.planning.plan import Plan, ViewChoice, make_plan
from calm_core.randomness import stream
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal
from calm_core.tables.population import People

# Returns the same users in the same parts at every call: two phases read them twice.
Parts = Callable[[], Iterable[People]]


@dataclass(frozen=True)
class ReportingMethod(Method):
    """A method that sees only reports, so users may come in parts that are never in memory together.

    `release` is the collection from a single part: both run the same code on the same random stream.
    """

    # Whether a collection needs only the number of users per group and cell.
    uses_counts_only: ClassVar[bool] = False
    no_public_plan_reason: ClassVar[str] = ""

    def plan(self, domain: Domain, n: int, *, rng: np.random.Generator) -> Any:
        """Fix everything that is fixed before collection; its `m` is the number of groups."""
        raise NotImplementedError

    def public_plan(self, domain: Domain, n: int, *, rng: np.random.Generator) -> Plan:
        """Return the plan that a deployment publishes before anybody reports.

        Raises
        ------
        InputError
            If no public plan of views collects what the method needs.
        """
        raise NotImplementedError

    def planned_errors(self, plan: Plan, queries: Sequence[Iterable[str]]) -> np.ndarray:
        """Return the expected SSE of every query under a public plan, without data; NaN if it cannot answer."""
        raise NotImplementedError

    def max_query_size(self, plan: Plan) -> int:
        """Return how many attributes a marginal of its answers under a public plan can have."""
        return plan.domain.d

    def check(self, domain, n) -> None:
        """Refuse data that `release` would refuse."""
        self.plan(domain, n, rng=stream(0, "check"))

    def collect(
        self, dataset: People, plan: Any, *, rng: np.random.Generator, notify: Notify = None
    ) -> Any:
        """Return the users' reports under `plan`, which can be added: the last step that sees the data."""
        raise NotImplementedError

    def answer(self, plan: Any, reports: Any) -> Answer:
        """Return the answer from the reports alone."""
        raise NotImplementedError

    def collect_parts(self, parts: Parts, domain: Domain, n: int, *, rng, notify=None):
        """Return the plan, and the sum of the reports of all parts of the users."""
        plan = self.plan(domain, n, rng=rng)
        large = merge_small_parts(parts(), plan.m)
        collected = (self.collect(part, plan, rng=rng, notify=notify) for part in large)
        return plan, reduce(add, collected)

    def release_parts(
        self, parts: Parts, domain: Domain, n: int, *, rng, notify: Notify = None
    ) -> Answer:
        """Run `release` on users in parts; groups are nearly equal within every part.

        Parameters
        ----------
        parts : callable
            Returns the data sets of all parts, the same ones at every call.
        domain : Domain
            Their common shape.
        n : int
            Number of users of all parts together.
        rng, notify
            As in `release`.

        Examples
        --------
        >>> from calm_core.methods.calm import Calm
        >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
        >>> rng = np.random.default_rng(1)
        >>> halves = [Dataset(rng.integers(0, 2, size=(2500, 2)), domain) for _ in range(2)]
        >>> answer = Calm(epsilon=2.0, k=2).release_parts(lambda: halves, domain, 5000, rng=rng)
        >>> answer.reports.n
        5000
        """
        return self.answer(*self.collect_parts(parts, domain, n, rng=rng, notify=notify))

    def release(self, dataset, *, rng, notify=None) -> Any:
        """Plan, collect and answer."""
        if not self.uses_counts_only:
            dataset.codes  # noqa: B018 - raises for a population, which has no codes
        return self.release_parts(
            lambda: (dataset,), dataset.domain, dataset.n, rng=rng, notify=notify
        )


def merge_small_parts(parts: Iterable[People], m: int) -> Iterator[People]:
    """Yield parts with at least one user per group: small ones are merged with a neighbor."""
    ready, waiting = None, []
    for part in parts:
        waiting.append(part)
        if sum(one.n for one in waiting) >= m:
            if ready is not None:
                yield ready
            # Not yielded yet, so that a small last part can be merged with it.
            ready, waiting = _join_parts(waiting), []
    if waiting:
        ready = _join_parts(waiting if ready is None else [ready, *waiting])
    if ready is not None:
        yield ready


def _join_parts(parts: Sequence[People]) -> People:
    """Return the people of several parts as one; a population cannot be joined."""
    if len(parts) == 1:
        return parts[0]
    datasets = [part for part in parts if isinstance(part, Dataset)]
    if len(datasets) < len(parts):
        raise InputError(
            "people sampled from a population must come in one part; pass one population"
        )
    return Dataset.concatenate(datasets)


@dataclass(frozen=True, eq=False)
class ViewsAnswer(Answer):
    """Noisy views and the inference from them; answers any marginal.

    Attributes
    ----------
    plan : ViewChoice
        Which views were measured, and why.
    noisy : NoisyMarginals
        The views as measured.
    inferred : ConsistentMarginals, PlusMarginals or StackedMarginals
        The inference from them.
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
        """The consistent views."""
        return self.inferred

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether a view contains all given attributes."""
        return self.noisy.covers(attrs)

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the marginal over `attrs`, from a view or reconstructed; a distribution."""
        return self.inferred.marginal(attrs)

    def marginals(self, queries: Sequence[Iterable[str]]) -> list[Marginal]:
        """Return the marginals of many queries at once."""
        return self.inferred.marginals(queries)

    def explain(self, attrs: Iterable[str]) -> ReconstructionNote | PlusNote:
        """Return how the marginal over `attrs` was computed and how well it is determined."""
        return self.inferred.explain(attrs)


@dataclass(frozen=True, eq=False)
class CollectedAnswer(ViewsAnswer):
    """A `ViewsAnswer` with the users' reports.

    Attributes
    ----------
    plan : Plan
        Which views were collected, and why.
    reports : Reports
        The users' reports.
    """

    offers: ClassVar[frozenset[str]] = ViewsAnswer.offers | {"reports"}
    plan: Plan
    reports: Reports


@dataclass(frozen=True)
class OracleMethod(ReportingMethod):
    """A method whose users report through frequency oracles, each on one view.

    Attributes
    ----------
    simulation : str
        "aggregate" or "per_user", see `collect`.
    """

    simulation: str = option(choice_checker(SIMULATIONS), "aggregate")
    uses_counts_only: ClassVar[bool] = True

    def collect(self, dataset: People, plan: Any, *, rng, notify=None) -> Reports:
        """Return the users' reports under `plan`: the last step that sees the data."""
        return collect(dataset, plan, rng=rng, simulation=self.simulation, notify=notify)


@dataclass(frozen=True)
class CollectingMethod(OracleMethod):
    """Plan, collect, aggregate, infer: users are divided among views, each reports on one.

    Attributes
    ----------
    theta : float
        Error threshold of Algorithm 1.
    l, m : int or None
        View size and number of views; None lets Algorithm 1 choose.
    oracle : str
        Rule of `choose_oracle` or an oracle's name.
    simulation
        As in `OracleMethod`.
    """

    theta: float = option(lambda name, value: check_theta(value), 1e-3)
    l: int | None = option(optional_checker(count_checker()), None)  # noqa: E741 - the paper's name
    m: int | None = option(optional_checker(count_checker()), None)
    oracle: str = option(choice_checker(ORACLE_RULES), "adaptive")
    answer_type: ClassVar[type[CollectedAnswer]] = CollectedAnswer

    def plan(self, domain: Domain, n: int, *, rng: np.random.Generator) -> Plan:
        """Fix everything that is fixed before collection: by Algorithm 1, or with given l and m."""
        return make_plan(
            domain, n, epsilon=self.epsilon, k=self.k, theta=self.theta, rng=rng,
            l=self.l, m=self.m, oracle=self.oracle, **self.design_options(),
        )  # fmt: skip

    def design_options(self) -> dict[str, str]:
        """Return further arguments of `make_plan`."""
        return {}

    def public_plan(self, domain, n, *, rng) -> Plan:
        """Return the plan itself."""
        return self.plan(domain, n, rng=rng)

    def infer(self, noisy: NoisyMarginals):
        """Return the inference from noisy views; sees estimates only."""
        raise NotImplementedError

    def expected_errors(self, domain, n, queries, *, rng) -> np.ndarray | None:
        """Return noise and sampling error of the plan by formula, plus an allowance for reconstruction."""
        return self.planned_errors(self.plan(domain, n, rng=rng), queries)

    def planned_errors(self, plan: Plan, queries: Sequence[Iterable[str]]) -> np.ndarray:
        """Return the expected SSE of every query under a plan; sees no data."""
        return expected_errors(plan, queries)

    def answer(self, plan: Plan, reports: Reports) -> CollectedAnswer:
        """Return the answer from the reports alone."""
        noisy = aggregate(reports)
        return self.answer_type(plan, noisy, self.infer(noisy), reports)
