"""What CALM, CALM+ and PriView share: users or noise spread over views, then inference from them."""

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
from calm_core.methods.base import Answer, Method, option
from calm_core.oracles import ORACLE_RULES
from calm_core.planning.expected_error import expected_errors
from calm_core.planning.plan import Plan, ViewChoice, make_plan
from calm_core.randomness import stream
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal
from calm_core.tables.population import People

# DOC of merged: """Methods that work from reports: plan, collect, answer. Reports of parts of the users add up."""
#

# The same users in the same parts every time it is called: two phases look at them twice.
Parts = Callable[[], Iterable[People]]


@dataclass(frozen=True)
class ReportingMethod(Method):
    """A method that sees nothing but reports, so users may come in parts that are never held together.

    `release` is the collection from a single part: both run the same code on the same random stream.
    """

    # Whether a collection needs no more of the users than how many of each group hold each cell.
    uses_counts_only: ClassVar[bool] = False
    no_public_plan_reason: ClassVar[str] = ""

    def plan(self, domain: Domain, n: int, *, rng: np.random.Generator) -> Any:
        """Fix everything that is fixed before collection; its `m` is the number of groups."""
        raise NotImplementedError

    def public_plan(self, domain: Domain, n: int, *, rng: np.random.Generator) -> Plan:
        """What a deployment publishes before anybody reports.

        Raises
        ------
        InputError
            If no public plan of views asks what the method needs to know.
        """
        raise NotImplementedError

    def planned_errors(self, plan: Plan, queries: Sequence[Iterable[str]]) -> np.ndarray:
        """Expected SSE of every query by a public plan; NaN where it cannot answer. Sees no data."""
        raise NotImplementedError

    def max_query_size(self, plan: Plan) -> int:
        """How many attributes a table of its answers by a public plan can have."""
        return plan.domain.d

    def check(self, domain, n) -> None:
        """Refuse what `release` would refuse of such data."""
        self.plan(domain, n, rng=stream(0, "check"))

    def collect(
        self,
        dataset: People,
        plan: Any,
        *,
        rng: np.random.Generator,
        notify: Callable[[object], None] | None = None,
    ) -> Any:
        """What the users report by `plan`, as something that adds up: the last line that sees the data."""
        raise NotImplementedError

    def answer(self, plan: Any, reports: Any) -> Answer:
        """What follows from the reports alone."""
        raise NotImplementedError

    def collect_parts(self, parts: Parts, domain: Domain, n: int, *, rng, notify=None):
        """The plan, and the sum of what all parts of the users report by it."""
        plan = self.plan(domain, n, rng=rng)
        large = merge_small_parts(parts(), plan.m)
        collected = (self.collect(part, plan, rng=rng, notify=notify) for part in large)
        return plan, reduce(add, collected)

    def release_parts(
        self,
        parts: Parts,
        domain: Domain,
        n: int,
        *,
        rng: np.random.Generator,
        notify: Callable[[object], None] | None = None,
    ) -> Answer:
        """As `release`, from users who come in parts; groups are nearly equal within every part.

        Parameters
        ----------
        parts : callable
            Gives the data sets of all parts, the same ones at every call.
        domain : Domain
            Their common shape.
        n : int
            Users of all parts together.
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
        """Plan, collect, answer."""
        if not self.uses_counts_only:
            dataset.codes  # noqa: B018 - a population has none, and says so
        return self.release_parts(
            lambda: (dataset,), dataset.domain, dataset.n, rng=rng, notify=notify
        )


def merge_small_parts(parts: Iterable[People], m: int) -> Iterator[People]:
    """Parts with at least one user for every group: small ones are joined to a neighbor."""
    ready, waiting, held = None, [], 0
    for part in parts:
        waiting.append(part)
        held += part.n
        if held >= m:
            if ready is not None:
                yield ready
            # Held back, so that a small last part has something to join.
            ready, waiting, held = _join_parts(waiting), [], 0
    if waiting:
        ready = _join_parts(waiting if ready is None else [ready, *waiting])
    if ready is not None:
        yield ready


def _join_parts(parts: Sequence[People]) -> People:
    """The people of several parts as one; a population comes whole."""
    if len(parts) == 1:
        return parts[0]
    held = [part for part in parts if isinstance(part, Dataset)]
    if len(held) < len(parts):
        raise InputError(
            "people drawn from a population must come in one part; pass one population"
        )
    return Dataset.joined(held)


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
    l: int | None = option(optional_checker(count_checker()), None)  # noqa: E741 - the paper's name
    m: int | None = option(optional_checker(count_checker()), None)
    oracle: str = option(choice_checker(ORACLE_RULES), "adaptive")
    simulation: str = option(choice_checker(SIMULATIONS), "aggregate")
    uses_counts_only: ClassVar[bool] = True
    answer_type: ClassVar[type[CollectedAnswer]] = CollectedAnswer

    def plan(self, domain: Domain, n: int, *, rng: np.random.Generator) -> Plan:
        """Fix everything that is fixed before collection: by Algorithm 1, or as many views as given."""
        return make_plan(
            domain, n, epsilon=self.epsilon, k=self.k, theta=self.theta, rng=rng,
            l=self.l, m=self.m, oracle=self.oracle, **self.design_options(),
        )  # fmt: skip

    def design_options(self) -> dict[str, str]:
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
