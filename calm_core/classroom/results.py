"""What is known of a class: shares, tables of two questions, links, and how sure all this is."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from calm_core._checks import check_choice, check_count, check_rng
from calm_core.classroom.counts import MIN_REPORTS, ReportCounts
from calm_core.collection.aggregation import aggregate
from calm_core.collection.simulation import collect
from calm_core.errors import InfeasibleError, InputError
from calm_core.inference.consistency import ConsistentMarginals
from calm_core.inference.shrinkage import PlusMarginals
from calm_core.methods import Calm, CalmPlus
from calm_core.tables.dataset import Dataset
from calm_core.text import format_count, pluralize

METHODS = {CalmPlus.name: CalmPlus, Calm.name: Calm}
# While an interval reaches further than this, only the direction of a link is told.
DIRECTION_ONLY = 0.10
# A table over all questions larger than that would take a class too long.
MAX_CELLS = 1 << 16
# Cells that differ by less than this exceed chance equally.
TIE_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Table:
    """Fractions of the class over one or more questions, with 95% intervals.

    Attributes
    ----------
    names : tuple of str
        Short names of the questions, axis by axis.
    values, low, high : ndarray
        The fractions and their intervals, one axis for every question. By CALM, and in what arrived, there
        are no intervals: all three are the same.
    asked : int
        Reports of phones that were asked all of these questions together.
    """

    names: tuple[str, ...]
    values: np.ndarray
    low: np.ndarray
    high: np.ndarray
    asked: int

    @property
    def half_widths(self) -> np.ndarray:
        """How far each interval reaches from its fraction: the x of "plus or minus x".

        To the further end, where an interval ends at 0 or 1 on the other side.
        """
        return np.maximum(self.high - self.values, self.values - self.low)

    @property
    def half_width(self) -> float:
        """Of the widest interval."""
        return float(self.half_widths.max())


@dataclass(frozen=True)
class Link:
    """Which answers to two questions go together more often than by chance.

    Attributes
    ----------
    first, second : str
        Short names of the questions.
    first_choice, second_choice : int
        The answers (from 0) that go together most.
    excess : float
        How much more often than by chance, as a fraction of the class.
    half_width : float
        How far the excess may be off, at 95%: the reach of the answers together and of what chance alone
        would make of their shares. Infinite by CALM, which has no intervals.
    asked : int
        Reports of phones that were asked both.
    """

    first: str
    second: str
    first_choice: int
    second_choice: int
    excess: float
    half_width: float
    asked: int

    @property
    def direction_only(self) -> bool:
        """Whether it is too unsure to say more than the direction."""
        return self.half_width > DIRECTION_ONLY


@dataclass(frozen=True, eq=False)
class Results:
    """What follows from the reports of a class. Made by `infer_results`.

    Attributes
    ----------
    collected : Collected
        What came in.
    method : str
        "calm_plus" or "calm".
    inferred : PlusMarginals or ConsistentMarginals
        What answers.
    """

    report_counts: ReportCounts
    method: str
    inferred: PlusMarginals | ConsistentMarginals

    def raw(self, name: str) -> Table | None:
        """What arrived: the shares in the raw reports, noise and all; None where nobody was asked."""
        asked, domain = self.report_counts.count_asked(name), self.report_counts.plan.domain
        if not asked:
            return None
        found = np.zeros(domain.shape_of((name,)))
        for view, counts in zip(self.report_counts.plan.views, self.report_counts.counts):
            if name in view:
                others = tuple(axis for axis, attr in enumerate(view) if attr != name)
                found = found + counts.reshape(domain.shape_of(view)).sum(axis=others)
        values = found / asked
        return Table((name,), values, values, values, asked)

    def share(self, name: str) -> Table | None:
        """The shares of the answers to one question; None where nobody was asked."""
        return self._table((name,))

    def pair(self, first: str, second: str) -> Table | None:
        """The table of two questions; None where nobody was asked one of them."""
        return self._table((first, second))

    def _table(self, names: Iterable[str]) -> Table | None:
        names = self.report_counts.plan.domain.canonical(names)
        if not all(self.report_counts.count_asked(name) for name in names):
            return None
        values = self.inferred.marginal(names).values
        low = high = values
        if isinstance(self.inferred, PlusMarginals):
            low, high = self.inferred.interval(names)
        return Table(names, values, low, high, self.report_counts.count_asked(*names))

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """A link for all two questions that some phones were asked together, the strongest first."""
        pairs = [pair for pair in self._pairs() if self.report_counts.count_asked(*pair)]
        return tuple(sorted(map(self._link, pairs), key=lambda link: -link.excess))

    @property
    def unlinked(self) -> tuple[tuple[str, str], ...]:
        """All two questions that no report is about together: too few reports."""
        return tuple(pair for pair in self._pairs() if not self.report_counts.count_asked(*pair))

    def _pairs(self) -> Iterable[tuple[str, str]]:
        return combinations(self.report_counts.plan.domain.names, 2)

    def _link(self, pair: tuple[str, str]) -> Link:
        table = self.pair(*pair)
        assert table is not None  # somebody was asked both
        chance = np.outer(table.values.sum(axis=1), table.values.sum(axis=0))
        excess = table.values - chance
        # Of several that exceed chance equally, as in a table of yes and no, the last: yes.
        best = np.flatnonzero(excess >= excess.max() - TIE_TOLERANCE)[-1]
        one, other = divmod(int(best), excess.shape[1])
        return Link(
            *pair,
            one,
            other,
            float(excess[one, other]),
            self._reach(table, one, other),
            table.asked,
        )

    def _reach(self, table: Table, one: int, other: int) -> float:
        """How far the excess of a cell may be off: every share in it may be off at once."""
        if not isinstance(self.inferred, PlusMarginals):
            return math.inf
        first, second = (self._shares[name] for name in table.names)
        return float(
            table.half_widths[one, other]
            + first.values[one] * second.half_widths[other]
            + second.values[other] * first.half_widths[one]
        )

    @cached_property
    def _shares(self) -> dict[str, Table]:
        """The shares of every question that was asked."""
        found = {name: self.share(name) for name in self.report_counts.plan.domain.names}
        return {name: table for name, table in found.items() if table is not None}


def infer_results(collected: ReportCounts, method: str = CalmPlus.name) -> Results:
    """What the reports say by CALM+, or by CALM from the very same reports.

    Parameters
    ----------
    collected : Collected
        What came in.
    method : {"calm_plus", "calm"}
        How the noise is taken out.

    Raises
    ------
    InputError
        With fewer than 10 reports.

    Examples
    --------
    >>> from calm_core.classroom.view_assignment import plan_class
    >>> from calm_core.classroom.survey import Question, Survey
    >>> asked = [Question(name, f"{name}?", ("No", "Yes")) for name in "ab"]
    >>> survey = Survey("T", asked, epsilon=4.0)
    >>> plan = plan_class(survey, 40, rng=np.random.default_rng(1))
    >>> found = infer_results(ReportCounts(survey, plan, ([19, 2, 3, 16],)))
    >>> share = found.share("a")
    >>> share.asked, bool(share.low[1] < share.values[1] < share.high[1])
    (40, True)
    >>> [(link.first_choice, link.second_choice) for link in found.links]
    [(1, 1)]
    """
    kind = METHODS[check_choice("method", method, METHODS)]
    if collected.n < MIN_REPORTS:
        raise InputError(
            f"{format_count(collected.n, 'report')} {pluralize(collected.n, 'is', 'are')} too few to conclude anything; "
            f"wait until there are {MIN_REPORTS}"
        )
    made = kind(epsilon=collected.plan.epsilon, k=collected.plan.k)
    return Results(collected, method, made.infer(aggregate(collected.reports)))


def sample_population(found: Results, n: int = 10_000, *, rng: np.random.Generator) -> Dataset:
    """A population like this class: people drawn from its table over all questions.

    It costs no privacy, since it follows from the reports alone, and it is not knowledge about anybody.

    Parameters
    ----------
    found : Results
        What is known of the class.
    n : int
        Number of people.
    rng : numpy Generator
        Draws them.

    Raises
    ------
    InfeasibleError
        If the table over all questions has more than 65,536 cells.
    """
    domain = found.report_counts.plan.domain
    cells = int(np.prod([float(size) for size in domain.sizes]))
    if cells > MAX_CELLS:
        raise InfeasibleError(
            f"a table over all {domain.d} questions has {cells:,} cells, more than {MAX_CELLS:,}; people "
            "like this class can be invented for surveys of fewer questions or answers"
        )
    table = found.inferred.marginal(domain.names).values.ravel()
    drawn = check_rng(rng).choice(cells, size=check_count("n", n), p=table / table.sum())
    codes = np.stack(np.unravel_index(drawn, domain.sizes), axis=1)
    return Dataset.from_codes(codes, domain)


def simulate_larger_class(found: Results, n: int, *, rng: np.random.Generator) -> Results:
    """What n invented people like this class would tell by the same plan: how intervals shrink.

    Examples
    --------
    >>> from calm_core.classroom.view_assignment import plan_class
    >>> from calm_core.classroom.survey import Question, Survey
    >>> asked = [Question(name, f"{name}?", ("No", "Yes")) for name in "ab"]
    >>> rng, survey = np.random.default_rng(1), Survey("T", asked)
    >>> plan = plan_class(survey, 40, rng=rng)
    >>> found = infer_results(ReportCounts(survey, plan, ([14, 7, 9, 10],)))
    >>> more = simulate_larger_class(found, 4000, rng=rng)
    >>> more.report_counts.n, more.share("a").half_width < found.share("a").half_width / 3
    (4000, True)
    """
    return infer_results(
        simulate_reports(found.report_counts, sample_population(found, n, rng=rng), rng=rng),
        found.method,
    )


def simulate_reports(
    like: ReportCounts, people: Dataset, *, rng: np.random.Generator
) -> ReportCounts:
    """What invented people report by the plan of a class."""
    reports = collect(people, like.plan, rng=rng)
    return ReportCounts(like.survey, like.plan, tuple(view.support for view in reports.views))


@dataclass(frozen=True)
class HandCount:
    """Hands counted in public, against what the reports say.

    Attributes
    ----------
    share : float
        Of those who raised their hand.
    low, high : float
        The 95% interval from the reports.
    """

    share: float
    low: float
    high: float

    @property
    def inside(self) -> bool:
        """Whether the interval holds it; one in twenty should not."""
        return self.low <= self.share <= self.high


def compare_hands(found: Results, name: str, choice: int, hands: int, people: int) -> HandCount:
    """A show of hands for one answer to a harmless question.

    Parameters
    ----------
    found : Results
        What is known of the class, by CALM+.
    name, choice : str, int
        Which question and which answer, from 0.
    hands, people : int
        Hands that were raised, and people in the room.

    Raises
    ------
    InputError
        If there are more hands than people, the answer does not exist, or nobody was asked.
    """
    people = check_count("people", people)
    hands = check_count("hands", hands, low=0, high=people)
    table = found.share(name)
    if table is None:
        raise InputError(f"nobody was asked {name!r} yet; choose another question")
    choice = check_count("choice", choice, low=0, high=len(table.values) - 1)
    return HandCount(hands / people, float(table.low[choice]), float(table.high[choice]))
