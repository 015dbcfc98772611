"""Expected precision of a survey, from a table of measured classes, else from simulated ones."""

import csv
import math
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

import numpy as np

from calm_core._checks import check_count, check_rng
from calm_core.classroom.results import (
    MIN_REPORTS,
    Results,
    infer_results,
    simulate_reports,
)
from calm_core.classroom.survey import MAX_PHONES, Question, Survey, plan_class
from calm_core.errors import InfeasibleError
from calm_core.ingest.populations import make_population
from calm_core.planning.plan import Plan
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain

NOTHING, MAJORITY, COMPARE = "nothing", "majority", "compare"
# Half-widths of intervals above which results say next to nothing, and below which questions can be compared.
TOO_WIDE, NARROW = 0.30, 0.08
# When a larger epsilon is offered.
MORE_EPSILON, MANY_QUESTIONS, FEW_PHONES = 3.0, 5, 60
MEASURED, SIMULATED = "measured", "simulated"
# Simulated classes: 50 with three questions, fewer with more, which take longer and vary less.
CLASSES, MIN_CLASSES, SHORT = 50, 4, 3
# Chance that an answer of a simulated person follows a tendency which all of that person's answers share.
STRENGTH = 0.35


@dataclass(frozen=True)
class Score:
    """Error and precision of the results of a class with known answers.

    Attributes
    ----------
    error : float
        Root mean square error of a share, as a fraction.
    half_width : float
        Mean half-width of the 95% interval of a share.
    coverage : float
        Fraction of the intervals of shares that hold the true share.
    """

    error: float
    half_width: float
    coverage: float


@dataclass(frozen=True)
class Forecast:
    """Expected precision of a survey.

    Attributes
    ----------
    n, d : int
        Phones and questions.
    epsilon : float
        Privacy budget of every phone.
    l, m : int
        Questions a view, and number of views.
    half_width : float
        Half-width of the 95% interval of a share, as a fraction: 0.21 is plus or minus 21 points.
    source : str
        "measured" (interpolated between measured classes) or "simulated".
    """

    n: int
    d: int
    epsilon: float
    l: int  # noqa: E741
    m: int
    half_width: float
    source: str

    @property
    def offers_more(self) -> bool:
        """Whether epsilon 3 is offered beside it: five questions or more, or fewer than 60 phones."""
        hard = self.d >= MANY_QUESTIONS or self.n < FEW_PHONES
        return hard and self.epsilon < MORE_EPSILON


def judge_half_width(width: float) -> str:
    """Return what this half-width of the intervals is enough for.

    "nothing": next to nothing; "majority": to see a clear majority, not to compare two questions;
    "compare": to compare questions that differ by twice the half-width.

    Examples
    --------
    >>> [judge_half_width(width) for width in (0.31, 0.2, 0.07)]
    ['nothing', 'majority', 'compare']
    """
    if width > TOO_WIDE:
        return NOTHING
    return COMPARE if width < NARROW else MAJORITY


@cache
def _measured_rows() -> dict[tuple[int, int, float], np.ndarray]:
    """Return rows of n and half-width by number of answers, questions and epsilon."""
    with files("calm_core.classroom").joinpath("forecast.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    points: dict[tuple[int, int, float], list] = {}
    for row in rows:
        key = int(row["choices"]), int(row["d"]), float(row["epsilon"])
        points.setdefault(key, []).append([float(row["n"]), float(row["half_width"])])
    return {key: np.array(sorted(values)) for key, values in points.items()}


def forecast_survey(survey: Survey, n: int) -> Forecast:
    """Return the expected precision of a survey with n phones, the same at every call.

    Interpolated in log n between measured classes, else from 4 to 50 simulated classes (about a second).

    Parameters
    ----------
    survey : Survey
        The questions.
    n : int
        Phones that report.

    Raises
    ------
    InfeasibleError
        If they are fewer than 10, or too few for a plan.

    Examples
    --------
    >>> questions = [Question(name, f"{name}?", ("No", "Yes")) for name in "abcd"]
    >>> found = forecast_survey(Survey("T", questions, epsilon=2.0), 40)
    >>> found.l, found.m, found.source
    (2, 6, 'measured')
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
    # Only the numbers of answers matter.
    questions = [
        Question(f"q{at}", "?", tuple(map(str, range(size)))) for at, size in enumerate(sizes)
    ]
    survey = Survey("T", tuple(questions), epsilon)
    rng = np.random.default_rng([n, *sizes])
    plan = plan_class(survey, n, rng=rng)
    rows = _measured_rows().get((sizes[0], len(sizes), epsilon)) if len(set(sizes)) == 1 else None
    if rows is not None and rows[0, 0] <= n <= rows[-1, 0]:
        half_width = float(np.interp(math.log(n), np.log(rows[:, 0]), rows[:, 1]))
        return Forecast(n, survey.d, epsilon, plan.l, plan.m, half_width, MEASURED)
    scores = [
        rehearse(survey, n, rng=rng, plan=plan) for _ in range(count_simulated_classes(survey.d))
    ]
    half_width = float(np.median([score.half_width for score in scores]))
    return Forecast(n, survey.d, epsilon, plan.l, plan.m, half_width, SIMULATED)


def count_simulated_classes(d: int) -> int:
    """Return the number of classes in a simulated forecast: fewer with more questions.

    Examples
    --------
    >>> count_simulated_classes(3), count_simulated_classes(12)
    (50, 4)
    """
    return min(CLASSES, max(MIN_CLASSES, round(CLASSES * (SHORT / d) ** 2)))


def simulate_class(domain: Domain, n: int, *, rng: np.random.Generator) -> Dataset:
    """Return a class of n simulated people with random rates and correlated answers."""
    rates = tuple(tuple(check_rng(rng).dirichlet(np.ones(size))) for size in domain.sizes)
    people = make_population(
        kind="factor", d=domain.d, sizes=domain.sizes, n=n, strength=STRENGTH, rates=rates, rng=rng
    )
    return Dataset.from_codes(people.codes, domain)


def score_results(results: Results, people: Dataset) -> Score:
    """Score the results of known people."""
    domain = people.domain
    errors, widths, covered = [], [], []
    for name in domain.names:
        table, truth = results.share(name), people.marginal((name,)).values
        assert table is not None  # every question is in a view, and every view has people
        errors.append((table.values - truth) ** 2)
        widths.append(table.half_widths)
        covered.append((table.low <= truth) & (truth <= table.high))
    error, half_width, coverage = (
        float(np.mean(np.concatenate(values))) for values in (errors, widths, covered)
    )
    return Score(math.sqrt(error), half_width, coverage)


def rehearse(
    survey: Survey, n: int, *, rng: np.random.Generator, plan: Plan | None = None
) -> Score:
    """Simulate one class of this size, by default with a plan of its own, and score the results of CALM+.

    Examples
    --------
    >>> questions = [Question(name, f"{name}?", ("No", "Yes")) for name in "abc"]
    >>> found = rehearse(Survey("T", questions, epsilon=4.0), 300, rng=np.random.default_rng(1))
    >>> 0 < found.error < 0.1, 0 < found.half_width < 0.1
    (True, True)
    """
    plan = plan or plan_class(survey, n, rng=rng)
    people = simulate_class(survey.domain, n, rng=rng)
    return score_results(infer_results(simulate_reports(survey, plan, people, rng=rng)), people)
