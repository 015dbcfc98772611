"""Results of a class: the counts of its reports; shares, tables of two questions and links, with intervals."""

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from calm_core._checks import as_readonly, check_choice, check_count, check_rng, set_fields
from calm_core.classroom.survey import Survey
from calm_core.collection.aggregation import aggregate
from calm_core.collection.report_files import LIE, NONE_REFUSED
from calm_core.collection.simulation import Reports, ViewReports, collect
from calm_core.collection.states import State
from calm_core.collection.tally import Tally
from calm_core.errors import InfeasibleError, InputError
from calm_core.inference.consistency import ConsistentMarginals
from calm_core.inference.shrinkage.answers import PlusMarginals
from calm_core.methods import Calm, CalmPlus
from calm_core.planning.plan import Plan
from calm_core.tables.dataset import Dataset
from calm_core.text import format_count, pluralize

# With fewer reports no results are computed.
MIN_REPORTS = 10


def no_counts(plan: Plan) -> tuple[np.ndarray, ...]:
    """Zero for every cell of every view, to count in."""
    return tuple(np.zeros(oracle.size, dtype=np.int64) for oracle in plan.oracles)


@dataclass(frozen=True, eq=False)
class ReportCounts:
    """Questions, plan, and how often each report arrived: all that is kept of a survey.

    Attributes
    ----------
    survey : Survey
        The questions.
    plan : Plan
        Views and oracles of the phones.
    counts : tuple of ndarray of int64
        For every view how often each report arrived, shape (L,), row-major over its questions. Without lies.
    classes : int
        Number of surveys added up in these counts.
    lies : tuple of ndarray of int64
        The same for reports of phones that agreed to lie, as an experiment; none by default.

    Raises
    ------
    InputError
        If they do not fit together, or a count is negative.

    Examples
    --------
    >>> from calm_core.classroom.survey import plan_class
    >>> from calm_core.classroom.survey import Question
    >>> questions = [Question(name, f"{name}?", ("No", "Yes")) for name in "ab"]
    >>> survey = Survey("T", questions)
    >>> plan = plan_class(survey, 20, rng=np.random.default_rng(1))
    >>> one = ReportCounts(survey, plan, ([5, 3, 2, 4],))
    >>> one.n, (one + one).reports.views[0].support.tolist(), (one + one).classes
    (14, [10, 6, 4, 8], 2)
    """

    survey: Survey
    plan: Plan
    counts: tuple[np.ndarray, ...]
    classes: int = 1
    lies: tuple[np.ndarray, ...] = ()

    def __post_init__(self):
        if self.plan.domain != self.survey.domain:
            raise InputError("the plan must be for the questions of the survey")
        check_count("classes", self.classes)
        lies = self.lies or no_counts(self.plan)
        set_fields(self, counts=self._check("counts", self.counts), lies=self._check("lies", lies))

    def _check(self, what: str, arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
        """Return counts of every view as read-only arrays."""
        counts = tuple(np.asarray(array) for array in arrays)
        if len(counts) != self.plan.m or any(
            array.shape != (oracle.size,) or array.dtype.kind not in "iu" or array.min() < 0
            for array, oracle in zip(counts, self.plan.oracles)
        ):
            raise InputError(f"{what} must be a whole number from 0 for every cell of every view")
        return tuple(as_readonly(array.astype(np.int64)) for array in counts)

    @property
    def groups(self) -> tuple[int, ...]:
        """Number of reports of every view."""
        return tuple(int(found.sum()) for found in self.counts)

    @property
    def n(self) -> int:
        """Number of reports, without lies."""
        return sum(self.groups)

    @property
    def n_lies(self) -> int:
        """Number of lies."""
        return sum(int(found.sum()) for found in self.lies)

    @property
    def with_lies(self) -> "ReportCounts":
        """The counts that a collector has who does not know which reports are lies."""
        counts = tuple(a + b for a, b in zip(self.counts, self.lies))
        return ReportCounts(self.survey, self.plan, counts, self.classes)

    @cached_property
    def reports(self) -> Reports:
        """The input of `aggregate`."""
        # A report of GRR supports one cell, so counts are support counts.
        parts = zip(self.plan.views, self.plan.oracles, self.counts, self.groups)
        return Reports(self.plan.domain, tuple(ViewReports(*part) for part in parts))

    @property
    def state(self) -> State:
        """The state of a collection with these reports in one batch. Lies are refused."""
        support, people = np.concatenate(self.counts), np.array(self.groups)
        sha = hashlib.sha256(support.astype("<i8").tobytes()).hexdigest()
        refused = list(NONE_REFUSED)
        refused[LIE] = self.n_lies
        return State(self.plan, (Tally(((sha[:32], sha),), support, people, tuple(refused)),))

    def count_asked(self, *names: str) -> int:
        """Return the number of reports of views with all of these questions."""
        attrs = set(self.plan.domain.canonical(names))
        return sum(n for view, n in zip(self.plan.views, self.groups) if attrs <= set(view))

    def __add__(self, other: "ReportCounts") -> "ReportCounts":
        if (self.survey.questions, self.plan) != (other.survey.questions, other.plan):
            raise InputError(
                "only classes with the same questions and the same plan add up; look at each on its own"
            )
        counts, lies = (
            tuple(a + b for a, b in zip(*both))
            for both in ((self.counts, other.counts), (self.lies, other.lies))
        )
        return ReportCounts(self.survey, self.plan, counts, self.classes + other.classes, lies)


METHODS = {CalmPlus.name: CalmPlus, Calm.name: Calm}
# With a larger half-width only the direction of a link is shown.
DIRECTION_ONLY = 0.10
# Larger tables over all questions would take too long.
MAX_CELLS = 1 << 16
# Excesses that differ by less are tied.
TIE_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Table:
    """Fractions of the class over one or two questions, with 95% intervals.

    Attributes
    ----------
    names : tuple of str
        Short names of the questions, axis by axis.
    values, low, high : ndarray
        The fractions and their intervals, one axis for every question. Raw shares and CALM have no intervals:
        all three are the same.
    reports : int
        Reports of views with all of these questions.
    """

    names: tuple[str, ...]
    values: np.ndarray
    low: np.ndarray
    high: np.ndarray
    reports: int

    @property
    def may_be_equal(self) -> bool:
        """Whether every interval holds an equal share, so that a guess would do as well; False without intervals."""
        equal = 1 / self.values.size
        between = (self.low <= equal) & (equal <= self.high) & (self.low < self.high)
        return bool(between.all())

    @property
    def half_widths(self) -> np.ndarray:
        """Distance from each fraction to the farther end of its interval."""
        return np.maximum(self.high - self.values, self.values - self.low)

    @property
    def half_width(self) -> float:
        """The largest of `half_widths`."""
        return float(self.half_widths.max())


@dataclass(frozen=True)
class Link:
    """Two answers that go together more often than by chance.

    Attributes
    ----------
    first, second : str
        Short names of the questions.
    first_choice, second_choice : int
        The answers, from 0.
    excess : float
        How much more often than by chance, as a fraction of the class.
    half_width : float
        Half-width of the 95% interval of the excess; infinite by CALM, which has no intervals.
    reports : int
        Reports of views with both questions.
    """

    first: str
    second: str
    first_choice: int
    second_choice: int
    excess: float
    half_width: float
    reports: int

    @property
    def direction_only(self) -> bool:
        """Whether it is too imprecise to say more than the direction."""
        return self.half_width > DIRECTION_ONLY


@dataclass(frozen=True, eq=False)
class Results:
    """Results of a class, made by `infer_results`.

    Attributes
    ----------
    collected : ReportCounts
        The reports.
    method : str
        "calm_plus" or "calm".
    inferred : PlusMarginals or ConsistentMarginals
        The inferred marginals.
    """

    report_counts: ReportCounts
    method: str
    inferred: PlusMarginals | ConsistentMarginals

    def raw(self, name: str) -> Table | None:
        """Return the shares in the raw reports, with their noise; None without reports."""
        reports, domain = self.report_counts.count_asked(name), self.report_counts.plan.domain
        if not reports:
            return None
        totals = np.zeros(domain.shape_of((name,)))
        for view, counts in zip(self.report_counts.plan.views, self.report_counts.counts):
            if name in view:
                other_axes = tuple(axis for axis, attr in enumerate(view) if attr != name)
                totals = totals + counts.reshape(domain.shape_of(view)).sum(axis=other_axes)
        values = totals / reports
        return Table((name,), values, values, values, reports)

    def share(self, name: str) -> Table | None:
        """Return the shares of the answers to one question; None without reports."""
        return self._table((name,))

    def pair(self, first: str, second: str) -> Table | None:
        """Return the table of two questions; None without reports on one of them."""
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
        """A link for every pair of questions in one view with reports, the strongest first."""
        pairs = combinations(self.report_counts.plan.domain.names, 2)
        links = [self._link(pair) for pair in pairs if self.report_counts.count_asked(*pair)]
        return tuple(sorted(links, key=lambda link: -link.excess))

    def _link(self, pair: tuple[str, str]) -> Link:
        table = self.pair(*pair)
        assert table is not None  # links are of pairs with reports
        chance = np.outer(table.values.sum(axis=1), table.values.sum(axis=0))
        excess = table.values - chance
        # Of tied cells the last: in a table of yes and no that of two yes.
        best = np.flatnonzero(excess >= excess.max() - TIE_TOLERANCE)[-1]
        one, other = divmod(int(best), excess.shape[1])
        half_width = math.inf
        if isinstance(self.inferred, PlusMarginals):
            # As if all shares in the excess are off at once.
            first, second = (self._shares[name] for name in table.names)
            half_width = float(
                table.half_widths[one, other]
                + first.values[one] * second.half_widths[other]
                + second.values[other] * first.half_widths[one]
            )
        return Link(*pair, one, other, float(excess[one, other]), half_width, table.reports)

    @cached_property
    def with_lies(self) -> "Results":
        """The results if lies are taken for answers."""
        return infer_results(self.report_counts.with_lies, self.method)

    @cached_property
    def with_defense(self) -> "Results":
        """The results with lies after LDPRecover, which knows the counts and how many lie."""
        # The other attacks load pandas, which phones and most commands do without.
        from calm_core.attacks.liar_defenses import change_tables, recover_table

        lied = self.report_counts.with_lies
        share = self.report_counts.n_lies / lied.n
        noisy = aggregate(lied.reports)
        cleaned = change_tables(noisy, lambda i, cells: recover_table(cells, share))
        return Results(lied, self.method, _method(lied.plan, self.method).infer(cleaned))

    @cached_property
    def lie_tables(self) -> tuple[Table, Table, Table] | None:
        """The shares of the pushed question without lies, with them, and with the defense.

        None if no phone has lied, or nobody else was asked the question.
        """
        pushed = self.report_counts.survey.pushed
        if pushed is None or not self.report_counts.n_lies:
            return None
        name = self.report_counts.plan.domain.names[pushed.question]
        without, with_lies = self.share(name), self.with_lies.share(name)
        defended = self.with_defense.share(name)
        if without is None or with_lies is None or defended is None:
            return None
        return without, with_lies, defended

    @cached_property
    def _shares(self) -> dict[str, Table]:
        """The shares of every question with reports."""
        tables = {name: self.share(name) for name in self.report_counts.plan.domain.names}
        return {name: table for name, table in tables.items() if table is not None}


def infer_results(collected: ReportCounts, method: str = CalmPlus.name) -> Results:
    """Return the results of the reports by CALM+, or by CALM.

    Parameters
    ----------
    collected : ReportCounts
        The reports.
    method : {"calm_plus", "calm"}
        The method of inference.

    Raises
    ------
    InputError
        With fewer than 10 reports.

    Examples
    --------
    >>> from calm_core.classroom.survey import plan_class
    >>> from calm_core.classroom.survey import Question, Survey
    >>> questions = [Question(name, f"{name}?", ("No", "Yes")) for name in "ab"]
    >>> survey = Survey("T", questions, epsilon=4.0)
    >>> plan = plan_class(survey, 40, rng=np.random.default_rng(1))
    >>> found = infer_results(ReportCounts(survey, plan, ([19, 2, 3, 16],)))
    >>> share = found.share("a")
    >>> share.reports, bool(share.low[1] < share.values[1] < share.high[1])
    (40, True)
    >>> [(link.first_choice, link.second_choice) for link in found.links]
    [(1, 1)]
    """
    check_choice("method", method, METHODS)
    if collected.n < MIN_REPORTS:
        raise InputError(
            f"{format_count(collected.n, 'report')} {pluralize(collected.n, 'is', 'are')} too few to conclude anything; "
            f"wait until there are {MIN_REPORTS}"
        )
    inferred = _method(collected.plan, method).infer(aggregate(collected.reports))
    return Results(collected, method, inferred)


def _method(plan: Plan, method: str) -> CalmPlus | Calm:
    return METHODS[method](epsilon=plan.epsilon, k=plan.k)


def sample_population(results: Results, n: int = 10_000, *, rng: np.random.Generator) -> Dataset:
    """Return a population like this class: people drawn from its table over all questions.

    It follows from the reports alone, so it costs no privacy.

    Parameters
    ----------
    results : Results
        The results of the class.
    n : int
        Number of people.
    rng : numpy Generator
        Draws the people.

    Raises
    ------
    InfeasibleError
        If the table over all questions has more than 65,536 cells.
    """
    domain = results.report_counts.plan.domain
    cells = int(np.prod([float(size) for size in domain.sizes]))
    if cells > MAX_CELLS:
        raise InfeasibleError(
            f"a table over all {domain.d} questions has {cells:,} cells, more than {MAX_CELLS:,}; people "
            "like this class can be invented for surveys of fewer questions or answers"
        )
    table = results.inferred.marginal(domain.names).values.ravel()
    sampled = check_rng(rng).choice(cells, size=check_count("n", n), p=table / table.sum())
    codes = np.stack(np.unravel_index(sampled, domain.sizes), axis=1)
    return Dataset.from_codes(codes, domain)


def simulate_larger_class(results: Results, n: int, *, rng: np.random.Generator) -> Results:
    """Return the results of n simulated people like this class with the same plan.

    Examples
    --------
    >>> from calm_core.classroom.survey import plan_class
    >>> from calm_core.classroom.survey import Question, Survey
    >>> questions = [Question(name, f"{name}?", ("No", "Yes")) for name in "ab"]
    >>> rng, survey = np.random.default_rng(1), Survey("T", questions)
    >>> plan = plan_class(survey, 40, rng=rng)
    >>> found = infer_results(ReportCounts(survey, plan, ([14, 7, 9, 10],)))
    >>> more = simulate_larger_class(found, 4000, rng=rng)
    >>> more.report_counts.n, more.share("a").half_width < found.share("a").half_width / 3
    (4000, True)
    """
    like, people = results.report_counts, sample_population(results, n, rng=rng)
    return infer_results(simulate_reports(like.survey, like.plan, people, rng=rng), results.method)


def simulate_reports(
    survey: Survey, plan: Plan, people: Dataset, *, rng: np.random.Generator
) -> ReportCounts:
    """Return the reports of known people by the plan of a class."""
    reports = collect(people, plan, rng=rng)
    return ReportCounts(survey, plan, tuple(view.support for view in reports.views))


def compare_hand_count(
    results: Results, name: str, choice: int, hands: int, people: int
) -> tuple[float, float, float]:
    """Return the share of hands raised for one answer, and the ends of its 95% interval from the reports.

    Parameters
    ----------
    results : Results
        The results of the class, by CALM+.
    name, choice : str, int
        The question, and the answer from 0.
    hands, people : int
        Raised hands, and people present.

    Raises
    ------
    InputError
        If there are more hands than people, no such answer, or no reports on the question.
    """
    people = check_count("people", people)
    hands = check_count("hands", hands, low=0, high=people)
    table = results.share(name)
    if table is None:
        raise InputError(f"nobody was asked {name!r} yet; choose another question")
    choice = check_count("choice", choice, low=0, high=len(table.values) - 1)
    return hands / people, float(table.low[choice]), float(table.high[choice])
