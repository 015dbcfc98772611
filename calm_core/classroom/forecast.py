"""What a class can expect to learn, before it answers: measured classes, else simulated ones."""

import csv
import math
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import combinations

import numpy as np

from calm_core._checks import check_count, check_rng
from calm_core.classroom.counts import MIN_REPORTS, ReportCounts
from calm_core.classroom.results import Results, infer_results, simulate_reports
from calm_core.classroom.survey import MAX_PHONES, Question, Survey
from calm_core.classroom.view_assignment import plan_class
from calm_core.errors import InfeasibleError
from calm_core.evaluation.metrics import sse
from calm_core.ingest.populations import make_population
from calm_core.planning.plan import Plan
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import uniform

NOTHING, MAJORITY, COMPARE = "nothing", "majority", "compare"
# Half-widths from which a class learns next to nothing, and below which it can compare questions.
TOO_WIDE, NARROW = 0.30, 0.08
# Where a larger budget is offered beside the chosen one, never chosen silently.
MORE_EPSILON, MANY_QUESTIONS, FEW_PHONES = 3.0, 5, 60
MEASURED, SIMULATED = "measured", "simulated"
# Simulated classes: so many of three questions; fewer of more, each of which says more and takes longer.
CLASSES, MIN_CLASSES, SHORT = 50, 4, 3
# How alike answers of one person are in a simulated class: the chance that an answer follows a tendency
# that all of hers share.
STRENGTH = 0.35


@dataclass(frozen=True)
class Score:
    """What a class learnt, against what is true of it.

    Attributes
    ----------
    error : float
        Root mean square error of a share, as a fraction.
    half_width : float
        Mean half-width of the 95% interval of a share.
    pairs : float
        SSE of the tables of two questions, as a share of what guessing all cells alike has.
    held : float
        Share of the intervals of shares that hold the truth.
    """

    error: float
    half_width: float
    pairs: float
    held: float


@dataclass(frozen=True)
class Forecast:
    """What to expect of a class.

    Attributes
    ----------
    n, d : int
        Phones and questions.
    epsilon : float
        Privacy budget of every phone.
    l, m : int
        Questions of a view, and number of views.
    half_width : float
        Of the 95% interval of a share, as a fraction: 0.21 is plus or minus 21 points.
    error : float
        Root mean square error of a share, as a fraction.
    pairs : float
        SSE of the tables of two questions, as a share of what guessing all cells alike has.
    source : str
        "measured" (between classes that were measured) or "simulated".
    """

    n: int
    d: int
    epsilon: float
    l: int  # noqa: E741
    m: int
    half_width: float
    error: float
    pairs: float
    source: str

    @property
    def verdict(self) -> str:
        """What that is enough for.

        "nothing": this class would learn next to nothing; "majority": enough to see a clear majority, not
        to compare two questions; "compare": enough to compare questions that differ by `difference`.
        """
        if self.half_width > TOO_WIDE:
            return NOTHING
        return COMPARE if self.half_width < NARROW else MAJORITY

    @property
    def difference(self) -> float:
        """Shares that differ by more than this can be told apart: twice the half-width."""
        return 2 * self.half_width

    @property
    def offers_more(self) -> bool:
        """Whether epsilon 3 is offered beside it: five questions or more, or fewer than 60 phones."""
        hard = self.d >= MANY_QUESTIONS or self.n < FEW_PHONES
        return hard and self.epsilon < MORE_EPSILON


@dataclass(frozen=True)
class Rehearsal:
    """A simulated class, where both prediction and error are known.

    Attributes
    ----------
    forecast : Forecast
        What was predicted.
    score : Score
        What the class learnt.
    """

    forecast: Forecast
    score: Score


@cache
def _measured_rows() -> dict[tuple[int, int, float], np.ndarray]:
    """Rows of n, half-width, error and pairs by number of answers, questions and epsilon."""
    with files("calm_core.classroom").joinpath("forecast.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found: dict[tuple[int, int, float], list] = {}
    for row in rows:
        key = int(row["choices"]), int(row["d"]), float(row["epsilon"])
        values = [float(row[name]) for name in ("n", "half_width", "error", "pairs")]
        found.setdefault(key, []).append(values)
    return {key: np.array(sorted(values)) for key, values in found.items()}


def forecast_survey(survey: Survey, n: int) -> Forecast:
    """What n phones can expect to learn of these questions; the same every time it is asked.

    Between measured classes by interpolation in log n; else from 4 to 50 simulated classes (a second).

    Parameters
    ----------
    survey : Survey
        What is asked.
    n : int
        Phones that report.

    Raises
    ------
    InfeasibleError
        If they are fewer than 10, or too few for a plan.

    Examples
    --------
    >>> asked = [Question(name, f"{name}?", ("No", "Yes")) for name in "abcd"]
    >>> found = forecast_survey(Survey("T", asked, epsilon=2.0), 40)
    >>> found.l, found.m, found.verdict, found.source
    (2, 6, 'majority', 'measured')
    """
    check_count("phones", n, high=MAX_PHONES)
    if n < MIN_REPORTS:
        raise InfeasibleError(
            f"with {n} phones nothing is concluded; at least {MIN_REPORTS} are needed",
            remedies=[("n", MIN_REPORTS)],
        )
    return _forecast_sizes(survey.domain.sizes, survey.epsilon, n)


@lru_cache(maxsize=512)
def _forecast_sizes(sizes: tuple[int, ...], epsilon: float, n: int) -> Forecast:
    survey = _placeholder_survey(sizes, epsilon)
    rng = np.random.default_rng([n, *sizes])
    plan = plan_class(survey, n, rng=rng)
    source = MEASURED if len(set(sizes)) == 1 else SIMULATED
    rows = _measured_rows().get((sizes[0], len(sizes), epsilon))
    if source == MEASURED and rows is not None and rows[0, 0] <= n <= rows[-1, 0]:
        expected = [np.interp(math.log(n), np.log(rows[:, 0]), column) for column in rows.T[1:]]
    else:
        source = SIMULATED
        expected = _simulate_expected(survey, plan, n, rng)
    half_width, error, pairs = map(float, expected)
    return Forecast(n, survey.d, epsilon, plan.l, plan.m, half_width, error, pairs, source)


def _placeholder_survey(sizes: tuple[int, ...], epsilon: float) -> Survey:
    """Questions with so many answers."""
    asked = [
        Question(f"q{at}", "?", tuple(str(choice) for choice in range(size)))
        for at, size in enumerate(sizes)
    ]
    return Survey("T", tuple(asked), epsilon)


def count_simulated_classes(d: int) -> int:
    """How many classes a simulated forecast is made of: few where each takes long.

    Examples
    --------
    >>> count_simulated_classes(3), count_simulated_classes(12)
    (50, 4)
    """
    return min(CLASSES, max(MIN_CLASSES, round(CLASSES * (SHORT / d) ** 2)))


def _simulate_expected(survey: Survey, plan: Plan, n: int, rng: np.random.Generator) -> tuple:
    scores = [
        score_plan(survey, plan, simulate_class(survey.domain, n, rng=rng), rng=rng)
        for _ in range(count_simulated_classes(survey.d))
    ]
    half_width, pairs = (
        np.median([getattr(one, name) for one in scores]) for name in ("half_width", "pairs")
    )
    return half_width, np.sqrt(np.mean([one.error**2 for one in scores])), pairs


def simulate_class(domain: Domain, n: int, *, rng: np.random.Generator) -> Dataset:
    """A class of n invented people: rates drawn at random, answers of one person alike as usual."""
    rates = tuple(tuple(check_rng(rng).dirichlet(np.ones(size))) for size in domain.sizes)
    people = make_population(
        kind="factor", d=domain.d, sizes=domain.sizes, n=n, strength=STRENGTH, rates=rates, rng=rng
    )
    return Dataset.from_codes(people.codes, domain)


def score_plan(survey: Survey, plan: Plan, people: Dataset, *, rng: np.random.Generator) -> Score:
    """Let known people report by a plan, and compare what CALM+ says with what is true of them.

    Examples
    --------
    >>> asked = [Question(name, f"{name}?", ("No", "Yes")) for name in "abc"]
    >>> survey, rng = Survey("T", asked, epsilon=4.0), np.random.default_rng(1)
    >>> people = simulate_class(survey.domain, 300, rng=rng)
    >>> found = score_plan(survey, plan_class(survey, 300, rng=rng), people, rng=rng)
    >>> 0 < found.error < 0.1, 0 < found.half_width < 0.1
    (True, True)
    """
    return score_results(simulate_results(survey, plan, people, rng=rng), people)


def simulate_results(
    survey: Survey, plan: Plan, people: Dataset, *, rng: np.random.Generator
) -> Results:
    """What CALM+ says where known people report by a plan; see `score_plan`."""
    empty = ReportCounts(
        survey, plan, tuple(np.zeros(o.size, dtype=np.int64) for o in plan.oracles)
    )
    return infer_results(simulate_reports(empty, people, rng=rng))


def score_results(found: Results, people: Dataset) -> Score:
    """What is said of people, against what is true of them; see `score_plan`."""
    domain = people.domain
    errors, widths, held = [], [], []
    for name in domain.names:
        table, truth = found.share(name), people.marginal((name,)).values
        assert table is not None  # every question is in a view, and every view has people
        errors.append((table.values - truth) ** 2)
        widths.append(table.half_widths)
        held.append((table.low <= truth) & (truth <= table.high))
    queries = list(combinations(domain.names, 2))
    true, guess = people.marginals(queries), [uniform(domain, query) for query in queries]
    ours = sum(map(sse, true, found.inferred.marginals(queries)))
    return Score(
        float(np.sqrt(np.mean(np.concatenate(errors)))), float(np.mean(np.concatenate(widths))),
        ours / sum(map(sse, true, guess)), float(np.mean(np.concatenate(held))),
    )  # fmt: skip


def run_rehearsal(survey: Survey, n: int, *, rng: np.random.Generator) -> Rehearsal:
    """One simulated class of the same size and plan, beside what was predicted for it."""
    plan = plan_class(survey, n, rng=rng)
    people = simulate_class(survey.domain, n, rng=rng)
    return Rehearsal(forecast_survey(survey, n), score_plan(survey, plan, people, rng=rng))
