"""What every method has in common: a frozen configuration and `release`; and methods that work from reports.

Those plan, collect and answer, some by views from which they infer. Reports of disjoint parts of the users add up, so
users may come in parts. Unbiased methods measure marginals directly: a fixed split of the users, and exact expected
errors.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, ClassVar

import numpy as np

from calm_core._checks import (
    check_epsilon,
    check_k,
    check_options,
    check_theta,
    choice_checker,
    count_checker,
    option,
    optional_checker,
)
from calm_core.collection.aggregation import NoisyMarginals, aggregate
from calm_core.collection.simulation import Reports, collect
from calm_core.errors import InfeasibleError, InputError, Toward
from calm_core.inference.consistency import ConsistentMarginals
from calm_core.inference.nonnegativity import NONNEGATIVITY, make_nonnegative
from calm_core.inference.reconstruction.answers import ReconstructionNote
from calm_core.inference.shrinkage.answers import PlusMarginals, PlusNote
from calm_core.oracles import ORACLE_RULES, Oracle, choose_oracle
from calm_core.planning.algorithm1 import choose_views
from calm_core.planning.plan import Plan, ViewPlan, choose_oracles, make_plan
from calm_core.randomness import stream
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.dataset import Dataset, People
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

# Receives events, to show progress.
Notify = Callable[[object], None] | None


class Answer:
    """The released result of a method; answers any number of marginals.

    Attributes
    ----------
    domain : Domain
        Shape of the data.
    trust : {"local", "central"}
        That of the method.
    """

    domain: Domain
    trust: ClassVar[str] = "local"

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether the marginal over `attrs` was measured directly rather than reconstructed."""
        raise NotImplementedError

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the private marginal over `attrs`; its axes are in domain order."""
        raise NotImplementedError

    def marginals(self, queries: Sequence[Iterable[str]]) -> list[Marginal]:
        """Return the private marginals of many queries, in the given order."""
        tables = []
        for query in queries:
            checkpoint()
            tables.append(self.marginal(query))
        return tables


class KWayAnswer(Answer):
    """An answer with every marginal of at most k attributes."""

    k: int

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether the query has at most k attributes: each such marginal was measured."""
        return len(self.domain.positions(attrs)) <= self.k


@dataclass(frozen=True)
class Method:
    """Configuration of a method; `release` runs it on a data set.

    Every field is an `option`, validated at once: afterwards users may already have reported.

    Attributes
    ----------
    epsilon : float
        Privacy budget of every user.
    k : int
        Number of attributes in the marginals of interest.
    name : str
        Key in `METHODS`.
    title : str
        Name shown on screen.
    summary : str
        What it does, in one sentence for the screen.
    trust : {"local", "central"}
        "central" needs a trusted curator who sees all the data.
    excluded_settings : frozenset of str
        Settings chosen for CALM that it ignores in a comparison, even if it has an option of that
        name: other methods are compared as published, and unbiased ones stay unbiased.
    no_public_plan_reason : str
        Why no public plan of views collects what it needs; empty if one does.
    """

    epsilon: float = option(lambda name, value: check_epsilon(value))
    k: int = option(count_checker())
    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    trust: ClassVar[str] = "local"
    excluded_settings: ClassVar[frozenset[str]] = frozenset(
        {"nonnegativity", "rounds", "reconstruction", "design"}
    )
    no_public_plan_reason: ClassVar[str] = "it works on all records, which no survey has"

    def __post_init__(self):
        check_options(self)

    def check(self, domain: Domain, n: int) -> None:
        """Refuse, before anybody reports, data that `release` would refuse.

        Parameters
        ----------
        domain : Domain
            Shape of the data.
        n : int
            Number of users.

        Raises
        ------
        UserError
            If k, the tables or n do not fit; with remedies.
        """
        check_k(self.k, domain.d)

    @property
    def is_nonnegative(self) -> bool:
        """Whether released shares are never negative."""
        return False

    def explain_unsupported(self, plan: Plan) -> str:
        """Return why it cannot answer from the reports of a public plan; empty if it can."""
        return self.no_public_plan_reason

    def release(
        self, dataset: People, *, rng: np.random.Generator, notify: Notify = None
    ) -> Answer:
        """Run the method on `dataset`; the answer contains only what was released."""
        raise NotImplementedError

    def analytical_sse(
        self,
        domain: Domain,
        n: int,
        attrs: Iterable[str],
        *,
        truth: Marginal | None = None,
    ) -> float | None:
        """Return the expected SSE of the marginal over `attrs` by formula; None if there is no formula.

        Parameters
        ----------
        domain : Domain
            Shape of the data.
        n : int
            Number of users.
        attrs : iterable of str
            The marginal.
        truth : Marginal, optional
            The true marginal, which the sampling error depends on. The default is a uniform one,
            which gives the largest value.
        """
        return None


# Returns the same users in the same parts at every call.
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
    plan : Plan or ViewPlan
        Which views were measured, and why.
    noisy : NoisyMarginals
        The views as measured.
    inferred : ConsistentMarginals or PlusMarginals
        The inference from them.
    """

    plan: Plan | ViewPlan
    noisy: NoisyMarginals
    inferred: ConsistentMarginals | PlusMarginals

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

    plan: Plan
    reports: Reports


@dataclass(frozen=True)
class OracleMethod(ReportingMethod):
    """A method whose users report through frequency oracles, each on one view."""

    uses_counts_only: ClassVar[bool] = True

    def public_plan(self, domain: Domain, n: int, *, rng: np.random.Generator) -> Plan:
        """Return the plan itself."""
        return self.plan(domain, n, rng=rng)

    def collect(self, dataset: People, plan: Any, *, rng, notify=None) -> Reports:
        """Return the users' reports under `plan`: the last step that sees the data."""
        return collect(dataset, plan, rng=rng, notify=notify)


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
            l=self.l, m=self.m, oracle=self.oracle, design=self.covering,
        )  # fmt: skip

    @property
    def covering(self) -> str:
        """How covering views are chosen, the `design` of `make_plan`."""
        return "auto"

    def infer(self, noisy: NoisyMarginals):
        """Return the inference from noisy views; sees estimates only."""
        raise NotImplementedError

    @property
    def is_nonnegative(self) -> bool:
        """Whether released shares are never negative."""
        return True

    def answer(self, plan: Plan, reports: Reports) -> CollectedAnswer:
        """Return the answer from the reports alone."""
        noisy = aggregate(reports)
        return self.answer_type(plan, noisy, self.infer(noisy), reports)


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
    corrected = table.values + (1 - table.values.sum()) / table.values.size
    cells = np.maximum(make_nonnegative(corrected[np.newaxis], nonnegativity)[0], 0.0)
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
        oracles = choose_oracles(domain, views, self.epsilon, self.oracle)
        return Plan(domain, n, self.epsilon, self.k, DEFAULT_THETA, views, oracles, choice)

    def choose_oracle(self, domain: Domain, view: Iterable[str]) -> Oracle:
        """Return the oracle of a view."""
        return choose_oracle(domain.cells_of(view), self.epsilon, self.oracle)
