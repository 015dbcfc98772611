"""People or epsilon that a question needs: for an interval of a wished length, or to detect a difference.

Meant are the 95% intervals that `cc.release.share` and `cc.release.difference` print for answers of CALM+. They hold
the shares of the people who answer; that these may be a sample of others is not part of them. A difference counts as
detected where its interval is on the right side of 0: a two-sided test at 5%.

No formula from the variances of the reports gives these intervals, since CALM+ pulls answers by what it learns from all
attributes: a test may need a difference of four standard errors. What is predicted here is therefore drawn: reports by the
plan of a question from the people that it assumes, which `infer_plus` answers. The random numbers are the same for all n and
epsilon, so that predictions are reproducible, and those of one plan are smooth.

The power is the share of draws whose interval is on the right side of 0, smoothed. For few draws to do, they come in pairs
with opposite errors, and all pairs together have errors of the same size in every direction.

Lengths and ends are kept in standard deviations of what the reports measure. So they hardly change with n or epsilon, and a
search makes each draw where those before say that the answer is.
"""

import math
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial

import numpy as np

from calm_core._checks import EPSILON_OFFERED, check_count
from calm_core.collection.aggregation import NoisyMarginals
from calm_core.errors import InfeasibleError, InputError
from calm_core.evaluation.planned_questions import Question, check_share
from calm_core.evaluation.survey_design import MAX_USERS, MIN_USERS
from calm_core.inference.shrinkage.answers import infer_plus
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.release.estimate import Estimate
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.marginal import Marginal

# Pairs of draws to search, for a length, for a power, and for each of the points of a curve.
SEARCHED, LENGTHS, POWERS, CURVE = 7, 6, 48, 2
# Half the length of an interval that is refused because the answer could be nearly anything.
REFUSED = 0.5
# Standard deviations of the reports: half of a usual interval, where one usually ends at 0, and how its end follows.
USUAL_HALF, USUAL_LIMIT, USUAL_SLOPE = 1.96, 2.8, 0.8
# Where an interval ends at 0 that is not given, for a smooth curve: so far that nothing is detected.
FAR = 10.0
# What is searched: least and largest value, and the power of the value with which lengths fall.
USERS, EPSILONS = (float(MIN_USERS), float(MAX_USERS), 0.5), (*EPSILON_OFFERED, 1.0)
# A step of a search changes a length by at most this, and draws count from values at most so far away.
STEP, AROUND = 5.0, 20.0


def expected_half_width(
    question: Question, n: int, *, epsilon: float, pairs: int = LENGTHS
) -> float:
    """Half the length that the interval of a question is expected to have, as a fraction.

    Parameters
    ----------
    question : ShareQuestion, DifferenceQuestion or PilotQuestion
    n : int
        People who answer, from 100.
    epsilon : float
        From 0.01.
    pairs : int
        Pairs of surveys that are drawn.

    Examples
    --------
    >>> from calm_core.evaluation.planned_questions import ShareQuestion
    >>> question = ShareQuestion(d=4, values=2, share=0.3)
    >>> 0.02 < expected_half_width(question, 20_000, epsilon=1.0) < 0.04
    True
    """
    survey = Survey(question, check_count("n", n, low=MIN_USERS), float(epsilon))
    return survey.deviation * float(np.mean(survey.draw_all(Survey.half, pairs)))


def power_of_difference(
    question: Question, n: int, *, epsilon: float, pairs: int = POWERS
) -> float:
    """Probability that the interval of a difference is on the right side of 0.

    Parameters
    ----------
    question : DifferenceQuestion or PilotQuestion
    n : int
        People who answer, from 100.
    epsilon : float
        From 0.01.
    pairs : int
        Pairs of surveys that are drawn.

    Examples
    --------
    >>> from calm_core.evaluation.planned_questions import DifferenceQuestion
    >>> question = DifferenceQuestion(d=2, values=2, difference=0.1)
    >>> 0.8 < power_of_difference(question, 20_000, epsilon=1.0, pairs=4) < 1
    True
    """
    survey = Survey(question, check_count("n", n, low=MIN_USERS), float(epsilon))
    return power_of_ends(survey.draw_all(Survey.end, pairs))


def find_users_for(
    question: Question,
    *,
    epsilon: float,
    half_width: float | None = None,
    power: float | None = None,
    pairs: int = SEARCHED,
) -> int | None:
    """Find how many people give an interval of at most this half length, or this power; None if 10^12 are not enough.

    Parameters
    ----------
    question : ShareQuestion, DifferenceQuestion or PilotQuestion
    epsilon : float
    half_width : float, optional
        As a fraction: 0.03 is "3 points more or less".
    power : float, optional
        Probability to detect the difference; one of both is given.

    Examples
    --------
    >>> from calm_core.evaluation.planned_questions import ShareQuestion
    >>> find_users_for(ShareQuestion(d=2, values=2), epsilon=1.0, half_width=0.4)
    100
    """
    users = _find(
        lambda n: Survey(question, math.ceil(n), float(epsilon)), half_width, power, USERS, pairs
    )
    return None if users is None else math.ceil(users)


def find_epsilon_for(
    question: Question,
    *,
    n: int,
    half_width: float | None = None,
    power: float | None = None,
    pairs: int = SEARCHED,
) -> float | None:
    """Find the epsilon that gives an interval of at most this half length, or this power; None if 10 is not enough.

    Examples
    --------
    >>> from calm_core.evaluation.planned_questions import DifferenceQuestion, ShareQuestion
    >>> question = ShareQuestion(d=2, values=2)
    >>> 0.5 < find_epsilon_for(question, n=20_000, half_width=0.03, pairs=3) < 1.0
    True
    >>> question = DifferenceQuestion(d=2, values=2, difference=0.01)
    >>> find_epsilon_for(question, n=100, power=0.8, pairs=1) is None
    True
    """
    n = check_count("n", n, low=MIN_USERS)
    return _find(partial(Survey, question, n), half_width, power, EPSILONS, pairs)


def outcome_curve(
    question: Question, numbers: Sequence[int], *, epsilon: float, power: bool
) -> list[float]:
    """The power, or half the length of the interval, over ascending numbers of people; NaN where these are too few.

    More people can use every plan of fewer. So what a few draws say otherwise is chance, and left out: the curve is monotone.

    Parameters
    ----------
    question : ShareQuestion, DifferenceQuestion or PilotQuestion
    numbers : sequence of int
        From 100.
    epsilon : float
    power : bool
        Whether the power is wanted.

    Examples
    --------
    >>> from calm_core.evaluation.planned_questions import DifferenceQuestion
    >>> question = DifferenceQuestion(d=2, values=2, difference=0.1)
    >>> few, some, many = outcome_curve(question, [1000, 10_000, 100_000], epsilon=1.0, power=True)
    >>> few < some < many
    True
    """
    from scipy.special import ndtr

    surveys = [_try(partial(Survey, question, n), epsilon) for n in numbers]
    feasible = [survey for survey in surveys if survey is not None]
    places = np.unique(np.linspace(0, max(len(feasible) - 1, 0), 5).astype(int))
    outcomes = [_outcome(feasible[place], power) for place in places if feasible]
    curve = []
    for survey in surveys:
        if survey is None:
            curve.append(math.nan)
            continue
        value = np.interp(feasible.index(survey), places, outcomes)
        curve.append(float(ndtr(survey.size - value) if power else survey.deviation * value))
    order = np.fmax if power else np.fmin
    return order.accumulate(curve).tolist()


def _outcome(survey: "Survey", power: bool) -> float:
    """Half the length of the interval, or the measured difference at which it usually ends at 0, in deviations."""
    from scipy.special import ndtri

    if not power:
        return float(np.mean(survey.draw_all(Survey.half, CURVE)))
    ends = survey.draw_all(Survey.end, CURVE)
    return min(survey.size - float(ndtri(power_of_ends(ends))), FAR)


def power_of_ends(ends: np.ndarray) -> float:
    """Probability that an end is above 0.

    Parameters
    ----------
    ends : ndarray, shape (pairs, 2)
        Of draws and of those with opposite errors; NaN if there is no interval.

    Examples
    --------
    >>> round(power_of_ends(np.array([[1.5, 0.5], [0.0, 2.0]])), 2)
    0.89
    """
    from scipy.special import ndtr

    there = np.isfinite(ends)
    known = ends[there]
    if not len(known):
        return 0.0
    # Each end is spread to a normal distribution, by Silverman's rule (1986); together they keep their mean and deviation.
    width = 1.06 * len(known) ** -0.2
    shrink = 1 / math.hypot(1, width)
    centers = known.mean() + shrink * (known - known.mean())
    spread = max(shrink * width * known.std(), 1e-9)
    return float(there.mean() * ndtr(centers / spread).mean())


def _find(
    survey_at: Callable[[float], "Survey"],
    half_width: float | None,
    power: float | None,
    searched: tuple[float, float, float],
    pairs: int,
) -> float | None:
    """The value at which a survey is just enough, as its draws say; None if the largest is not."""
    if (half_width is None) == (power is None):
        raise InputError("give a length of the interval or a power, not both")
    measure, ratio_of = _power_goal(power) if half_width is None else _width_goal(half_width)
    low, high, falls = searched
    value, ratio, tries = math.sqrt(low * high) if falls == 1.0 else 10_000.0, 1.0, []
    # First by what is usual, then each pair of draws where those before say.
    for number in range(-8, pairs):
        survey = _try(survey_at, value)
        if survey is None:
            low = min(2 * value, high)
            ratio = STEP
        else:
            if number >= 0:
                tries.append((value, survey, survey.draw_pair(measure, number, pairs)))
            near = [
                (other, pair) for at, other, pair in tries if 1 / AROUND <= at / value <= AROUND
            ]
            ratio = ratio_of(survey, near)
        value *= min(max(ratio, 1 / STEP), STEP) ** (1 / falls)
        value = min(max(value, low), high)
    return None if ratio > 1 and value == high else value


# What reports to a survey tell, and how far a survey is from enough by pairs of draws of surveys like it.
Measure = Callable[["Survey", NoisyMarginals], float]
Goal = tuple[Measure, Callable[["Survey", list[tuple["Survey", np.ndarray]]], float]]


def _width_goal(half_width: float) -> Goal:
    check_share("half_width", half_width)

    def ratio_of(survey: Survey, near: list[tuple[Survey, np.ndarray]]) -> float:
        half = np.mean([pair for _, pair in near]) if near else USUAL_HALF
        return survey.deviation * float(half) / half_width

    return Survey.half, ratio_of


def _power_goal(power: float | None) -> Goal:
    from scipy.special import ndtri

    assert power is not None  # by the check of its caller
    check_share("power", power)

    def ratio_of(survey: Survey, near: list[tuple[Survey, np.ndarray]]) -> float:
        if not near:
            return USUAL_LIMIT / survey.size
        # What the ends would be in this survey.
        ends = np.array([pair + USUAL_SLOPE * (survey.size - other.size) for other, pair in near])
        there = ends[~np.isnan(ends)]
        needed = power * ends.size / max(len(there), 1)
        if needed >= 1:
            return math.inf
        missing = ndtri(needed) * there.std() - there.mean()
        return 1 + float(missing) / USUAL_SLOPE / survey.size

    return Survey.end, ratio_of


def _try(survey_at: Callable[[float], "Survey"], value: float) -> "Survey | None":
    """The survey of so many people, or with this epsilon; None where nobody can be asked like that."""
    try:
        return survey_at(value)
    except InfeasibleError:
        return None


@lru_cache(maxsize=4)
def _draw_errors(pairs: int, size: int) -> np.ndarray:
    """Standard normal errors of pairs of draws, shape (pairs, size), all of them together alike in every direction."""
    errors = stream(0, "power").standard_normal((pairs, size))
    left, _, right = np.linalg.svd(errors, full_matrices=False)
    return math.sqrt(max(pairs, size)) * left @ right


class Survey:
    """A question asked of n people: the plan, and draws of its reports.

    Attributes
    ----------
    plan : Plan
    asked : tuple of str
        The attributes that the question is about.
    deviation : float
        Standard deviation of what the reports measure of one cell, or of the difference.
    """

    def __init__(self, question: Question, n: int, epsilon: float):
        self.question = question
        self.plan, self.asked = question.plan(n, epsilon)
        self.deviation = _deviation(
            self.plan, self.asked, question.table(), question.measured_weights()
        )

    @property
    def difference(self) -> float:
        """The difference to detect."""
        if self.question.difference is None:
            raise InputError(
                "only a difference of two groups has a power; give one, or a length of the interval"
            )
        return self.question.difference

    @property
    def size(self) -> float:
        """The difference to detect, in deviations, without its sign."""
        return abs(self.difference) / self.deviation

    def draw_all(self, measure: Measure, pairs: int) -> np.ndarray:
        """What `half` or `end` says of pairs of draws, shape (pairs, 2)."""
        return np.array([self.draw_pair(measure, number, pairs) for number in range(pairs)])

    def draw_pair(self, measure: Measure, number: int, pairs: int) -> np.ndarray:
        """What `half` or `end` says of a draw, and of one with the opposite errors."""
        errors = _draw_errors(pairs, self._reports.cells)[number]
        return np.array([measure(self, self._reports.draw(side * errors)) for side in (1, -1)])

    @cached_property
    def _reports(self) -> "Reports":
        return Reports(self.plan, self.question.view_tables(self.plan, self.asked))

    def half(self, noisy: NoisyMarginals) -> float:
        """Half the length of the interval, in deviations."""
        estimate = self._answer(noisy)
        # Of a refused question nobody would be told more than that it is unknown.
        half = REFUSED if estimate is None else (estimate.high - estimate.low) / 2
        return half / self.deviation

    def end(self, noisy: NoisyMarginals) -> float:
        """How far the interval is on the right side of 0, in deviations; NaN if there is no interval."""
        estimate = self._answer(noisy)
        if estimate is None:
            return math.nan
        return (estimate.low if self.difference > 0 else -estimate.high) / self.deviation

    def _answer(self, noisy: NoisyMarginals) -> Estimate | None:
        """The answer to the question; None if it is refused."""
        try:
            return self.question.ask(infer_plus(noisy), self.asked)
        except InputError:
            return None


class Reports:
    """Aggregated reports by a plan of people with given tables; errors are normal, so that they only shrink with n or epsilon.

    Attributes
    ----------
    cells : int
        Number of cells of all views together.
    """

    def __init__(self, plan: Plan, tables: Sequence[np.ndarray]):
        users, sizes = plan.n // plan.m, [len(table) for table in tables]
        oracles = {oracle: (
            float(oracle.variance(users)), float(oracle.contrast_variance(users)), float(oracle.value_variance(users))
        ) for oracle in set(plan.oracles)}  # fmt: skip
        variances, contrasts, values = zip(*(oracles[oracle] for oracle in plan.oracles))
        self._domain, self._users = plan.domain, (users,) * plan.m
        self._known = variances, contrasts, values
        self._views = [plan.domain.project(view) for view in plan.views]
        self.cells, self._first = sum(sizes), np.cumsum([0, *sizes[:-1]])
        self._shares, self._view = np.concatenate(tables), np.repeat(np.arange(plan.m), sizes)
        even = np.maximum(np.array(contrasts) - np.array(values) / sizes, 0)[self._view]
        # Everybody is asked by one view or another, so that only who is in which group is drawn.
        sampling = (1 - 1 / plan.m) / users
        self._deviations = np.sqrt(even + (np.array(values)[self._view] + sampling) * self._shares)
        # The shares of a group sum to 1, so that its errors are smaller in one direction.
        self._fixed = self._shares * math.sqrt(sampling) / np.maximum(self._deviations, 1e-300)
        square = np.add.reduceat(self._fixed**2, self._first)
        self._part = 1 / (1 + np.sqrt(np.maximum(1 - square, 0)))

    def draw(self, errors: np.ndarray) -> NoisyMarginals:
        """Reports with these standard normal errors of all cells."""
        checkpoint()
        along = np.add.reduceat(self._fixed * errors, self._first) * self._part
        off = self._deviations * (errors - self._fixed * along[self._view])
        off -= (np.add.reduceat(off, self._first) / np.bincount(self._view))[self._view]
        tables = np.split(self._shares + off, self._first[1:])
        variances, contrasts, values = self._known
        return NoisyMarginals(
            self._domain,
            tuple(Marginal(own, table.reshape(own.sizes)) for own, table in zip(self._views, tables)),
            variances, self._users, contrasts, values,
        )  # fmt: skip


def _deviation(plan: Plan, attrs: tuple[str, ...], table: np.ndarray, weights: np.ndarray) -> float:
    """Standard deviation of a sum of cells with weights, as the mean of the views that hold them measures it."""
    holders = [row for row, view in enumerate(plan.views) if set(attrs) <= set(view)]
    users = plan.n // plan.m
    square, mean = float((table * weights**2).sum()), float((table * weights).sum())
    noise = 0.0
    for row in holders:
        oracle = plan.oracles[row]
        value = float(oracle.value_variance(users))
        even = float(oracle.contrast_variance(users)) - value / oracle.size
        noise += even * (weights**2).sum() * oracle.size / table.size + value * square
    count = len(holders)
    sampling = (1 / users - count / plan.n) * (square - mean**2)
    return math.sqrt((noise / count + sampling) / count)
