"""People or epsilon that a question needs: for an interval of a wished length, or to detect a difference.

Meant are the 95% intervals that `cc.release.share` and `cc.release.difference` print for answers of CALM+. They hold
the shares of the people who answer; that these may be a sample of others is not part of them. A difference counts as
detected where its interval is on the right side of 0: a two-sided test at 5%.

No formula from the variances of the reports gives these intervals, since CALM+ pulls answers by what it learns from all
attributes: a test may need a difference of four standard errors. What is predicted here is therefore drawn: reports by the
plan of a question from the people that it assumes, which `infer_plus` answers. The random numbers are the same for all n and
epsilon, so that predictions are reproducible, and those of one plan are smooth.

The power is not counted. Each draw is asked how large the measured interaction of both attributes would have to be
for the interval to end at 0, with all other noise as drawn; the probability of a larger one is known. The mean of few such
probabilities is as exact as ten times as many draws that are counted.

Lengths and ends are kept in standard deviations of what the reports measure. So they hardly change with n or epsilon, and a
search makes each draw where those before say that the answer is.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from calm_core._checks import EPSILON_OFFERED, check_count
from calm_core.collection.aggregation import NoisyMarginals
from calm_core.errors import InfeasibleError, InputError
from calm_core.evaluation.planned_questions import Question, check_share, spread_table
from calm_core.evaluation.survey_design import MAX_USERS, MIN_USERS
from calm_core.inference.shrinkage.answers import infer_plus
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.marginal import Marginal

# Draws to search, for a length, for a power, and for each of the points of a curve.
SEARCHED, LENGTHS, POWERS, CURVE = 10, 12, 48, 4
# Half the length of an interval that is refused because the answer could be nearly anything.
REFUSED = 0.5
# Standard deviations of the reports: half of a usual interval, where one usually ends at 0, and the slope of this end.
USUAL_HALF, USUAL_LIMIT, USUAL_SLOPE, SLOPES = 1.96, 2.8, 0.8, (0.3, 2.0)
# Where an interval ends at 0 that is not given, for a smooth curve: so far that nothing is detected.
FAR = 10.0
# An end nearer to 0 than this, in standard deviations, is taken as linear.
NEAR = 0.3
# What is searched: least and largest value, and the power of the value with which lengths fall.
USERS, EPSILONS = (float(MIN_USERS), float(MAX_USERS), 0.5), (*EPSILON_OFFERED, 1.0)
# A step of a search changes a length by at most this, and draws count from values at most so far away.
STEP, AROUND = 5.0, 2.0


def expected_half_width(
    question: Question, n: int, *, epsilon: float, draws: int = LENGTHS
) -> float:
    """Half the length that the interval of a question is expected to have, as a fraction.

    Parameters
    ----------
    question : ShareQuestion, DifferenceQuestion or PilotQuestion
    n : int
        People who answer, from 100.
    epsilon : float
        From 0.01.
    draws : int
        Surveys that are drawn.

    Examples
    --------
    >>> from calm_core.evaluation.planned_questions import ShareQuestion
    >>> question = ShareQuestion(d=4, values=2, share=0.3)
    >>> 0.02 < expected_half_width(question, 20_000, epsilon=1.0) < 0.04
    True
    """
    survey = Survey(question, check_count("n", n, low=MIN_USERS), float(epsilon))
    return survey.deviation * float(np.mean([survey.half(number) for number in range(draws)]))


def power_of_difference(
    question: Question, n: int, *, epsilon: float, draws: int = POWERS
) -> float:
    """Probability that the interval of a difference is on the right side of 0.

    Parameters
    ----------
    question : DifferenceQuestion or PilotQuestion
    n : int
        People who answer, from 100.
    epsilon : float
        From 0.01.
    draws : int
        Surveys that are drawn.

    Examples
    --------
    >>> from calm_core.evaluation.planned_questions import DifferenceQuestion
    >>> question = DifferenceQuestion(d=2, values=2, difference=0.1)
    >>> 0.8 < power_of_difference(question, 20_000, epsilon=1.0) < 1
    True
    """
    survey = Survey(question, check_count("n", n, low=MIN_USERS), float(epsilon))
    size = survey.size
    return power_of_ends(size, [survey.end(number) for number in range(draws)])


def find_users_for_width(
    question: Question, half_width: float, *, epsilon: float, draws: int = SEARCHED
) -> int | None:
    """Find how many people give an interval of at most this half length; None if 10^12 are not enough.

    Parameters
    ----------
    question : ShareQuestion, DifferenceQuestion or PilotQuestion
    half_width : float
        As a fraction: 0.03 is "3 points more or less".
    epsilon : float

    Examples
    --------
    >>> from calm_core.evaluation.planned_questions import ShareQuestion
    >>> find_users_for_width(ShareQuestion(d=2, values=2), 0.4, epsilon=1.0)
    100
    """
    ratios = _width_ratios(half_width)
    found = _find(lambda n: Survey(question, math.ceil(n), float(epsilon)), *ratios, USERS, draws)
    return None if found is None else math.ceil(found)


def find_epsilon_for_width(
    question: Question, half_width: float, *, n: int, draws: int = SEARCHED
) -> float | None:
    """Find the epsilon that gives an interval of at most this half length; None if 10 is not enough.

    Examples
    --------
    >>> from calm_core.evaluation.planned_questions import ShareQuestion
    >>> question = ShareQuestion(d=2, values=2)
    >>> 0.5 < find_epsilon_for_width(question, 0.03, n=20_000) < 1.0
    True
    """
    n = check_count("n", n, low=MIN_USERS)
    return _find(partial(Survey, question, n), *_width_ratios(half_width), EPSILONS, draws)


def find_users_for_power(
    question: Question, power: float = 0.8, *, epsilon: float, draws: int = SEARCHED
) -> int | None:
    """Find how many people detect the difference with a power; None if 10^12 are not enough.

    Parameters
    ----------
    question : DifferenceQuestion or PilotQuestion
    power : float
        Probability to detect it.
    epsilon : float
    """
    ratios = _power_ratios(power)
    found = _find(lambda n: Survey(question, math.ceil(n), float(epsilon)), *ratios, USERS, draws)
    return None if found is None else math.ceil(found)


def find_epsilon_for_power(
    question: Question, power: float = 0.8, *, n: int, draws: int = SEARCHED
) -> float | None:
    """Find the epsilon that detects the difference with a power; None if 10 is not enough.

    Examples
    --------
    >>> from calm_core.evaluation.planned_questions import DifferenceQuestion
    >>> find_epsilon_for_power(DifferenceQuestion(d=2, values=2, difference=0.01), n=100) is None
    True
    """
    n = check_count("n", n, low=MIN_USERS)
    return _find(partial(Survey, question, n), *_power_ratios(power), EPSILONS, draws)


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
    surveys = [_try(partial(Survey, question, n), epsilon) for n in numbers]
    feasible = [survey for survey in surveys if survey is not None]
    places = np.unique(np.linspace(0, max(len(feasible) - 1, 0), 5).astype(int))
    drawn = [
        [(survey.end if power else survey.half)(number) for number in range(CURVE)]
        for survey in (feasible[place] for place in places if feasible)
    ]
    found = []
    for survey in surveys:
        if survey is None:
            found.append(math.nan)
            continue
        at = feasible.index(survey)
        values = [np.interp(at, places, one) for one in np.minimum(drawn, FAR).T]
        found.append(
            power_of_ends(survey.size, values) if power
            else survey.deviation * float(np.mean(values))
        )  # fmt: skip
    order = np.fmax if power else np.fmin
    return order.accumulate(found).tolist()


def power_of_ends(size: float, ends: Sequence[float]) -> float:
    """Probability that what is measured of a difference of this size is beyond the ends, all in deviations."""
    from scipy.special import ndtr

    return float(ndtr(size - np.asarray(ends)).mean())


def _detectable(ends: Sequence[float], power: float) -> float:
    """The difference, in deviations, that is detected with a power; infinite if none is."""
    from scipy.optimize import brentq

    finite = np.asarray(ends)[np.isfinite(ends)]
    if not len(finite) > power * len(ends):
        return math.inf
    return brentq(
        lambda size: power_of_ends(size, ends) - power, finite.min() - 10, finite.max() + 10
    )


# What one draw of a survey tells, what draws tell together of how far a survey is from enough, and what is usual.
Ratios = tuple[
    Callable[["Survey", int], float], Callable[["Survey", Sequence[float]], float], float
]


def _width_ratios(half_width: float) -> Ratios:
    check_share("half_width", half_width)

    def ratio(survey: Survey, halves: Sequence[float]) -> float:
        return survey.deviation * float(np.mean(halves)) / half_width

    return Survey.half, ratio, USUAL_HALF


def _power_ratios(power: float) -> Ratios:
    check_share("power", power)

    def ratio(survey: Survey, ends: Sequence[float]) -> float:
        return _detectable(ends, power) / survey.size

    return Survey.end, ratio, USUAL_LIMIT


def _find(
    survey_at: Callable[[float], "Survey"],
    measure: Callable[["Survey", int], float],
    ratio_of: Callable[["Survey", Sequence[float]], float],
    usual: float,
    searched: tuple[float, float, float],
    draws: int,
) -> float | None:
    """The value at which a survey is just enough, as its draws say; None if the largest is not."""
    least, most, falls = searched
    value, ratio, seen = math.sqrt(least * most) if falls == 1.0 else 10_000.0, 1.0, []
    # First by what is usual, then each draw where those before say.
    for number in range(-8, draws):
        survey = _try(survey_at, value)
        if survey is None:
            least = min(value * AROUND, most)
            ratio = STEP
        elif number < 0:
            ratio = ratio_of(survey, [usual])
        else:
            seen.append((value, measure(survey, number)))
            near = [found for at, found in seen if 1 / AROUND <= at / value <= AROUND]
            ratio = ratio_of(survey, near)
        value *= min(max(ratio, 1 / STEP), STEP) ** (1 / falls)
        value = min(max(value, least), most)
    return None if ratio > 1 and value == most else value


def _try(survey_at: Callable[[float], "Survey"], value: float) -> "Survey | None":
    """The survey of so many people, or with this epsilon; None where nobody can be asked like that."""
    try:
        return survey_at(value)
    except InfeasibleError:
        return None


class Survey:
    """A question asked of n people: the plan, and draws of its reports.

    Attributes
    ----------
    plan : Plan
    asked : tuple of str
        The attributes that the question is about.
    holders : list of int
        The views that hold all of them.
    weights : ndarray
        What is measured, as a sum of cells with weights: one cell, or the interaction that makes a difference.
    deviation : float
        Standard deviation of what the reports measure of it.
    """

    def __init__(self, question: Question, n: int, epsilon: float):
        self.question = question
        self.plan, self.asked = question.plan(n, epsilon)
        self.table = question.table()
        self.sign = math.copysign(1.0, question.difference or 1.0)
        self.weights = self.sign * question.measured_weights()
        asked = set(self.asked)
        self.holders = [row for row, view in enumerate(self.plan.views) if asked <= set(view)]
        self.deviation = _deviation(self.plan, self.holders, self.table, self.weights)
        self._slopes = [USUAL_SLOPE]

    @cached_property
    def tables(self) -> list[np.ndarray]:
        """The shares of the cells of every view, row-major."""
        return self.question.view_tables(self.plan, self.asked)

    @property
    def size(self) -> float:
        """The difference to detect, in deviations."""
        return abs(self.question.difference_to_detect()) / self.deviation

    def half(self, number: int) -> float:
        """Half the length of the interval of a draw, in deviations."""
        noisy = _draw(self.plan, self.tables, number)
        try:
            found = self.question.ask(infer_plus(noisy), self.asked)
        except InputError:
            # Nobody would be told more than that it is unknown.
            return REFUSED / self.deviation
        return (found.high - found.low) / 2 / self.deviation

    def end(self, number: int) -> float:
        """The measured interaction, in deviations, at which the interval of a draw ends at 0; infinite where there is none."""
        noisy = _draw(self.plan, self.tables, number)
        measured = np.mean([
            (noisy.tables[row].project(self.asked).values * self.weights).sum()
            for row in self.holders
        ])  # fmt: skip
        # What is added to the interaction for it to be measured as 0.
        zero = (self.table * self.weights).sum() - self.size * self.deviation - measured
        return _find_zero(partial(self._end_where, noisy, zero), self._slopes)

    def _end_where(self, noisy: NoisyMarginals, zero: float, size: float) -> float:
        """The end of the interval nearer to 0 where so many deviations are measured; NaN if there is no interval."""
        weights = self.weights
        more = weights * (zero + size * self.deviation) / (weights**2).sum()
        try:
            found = self.question.ask(
                infer_plus(_move(noisy, self.holders, self.asked, more)), self.asked
            )
        except InputError:
            return math.nan
        return (found.low if self.sign > 0 else -found.high) / self.deviation


def _find_zero(end: Callable[[float], float], slopes: list[float]) -> float:
    """Where an end is 0, by one or two steps with the slopes found before; infinite where there is none."""
    slope = float(np.median(slopes))
    first = end(USUAL_LIMIT)
    if math.isnan(first):
        return math.inf
    step = float(np.clip(-first / slope, -1.5, 1.5))
    if abs(first) < NEAR:
        return USUAL_LIMIT + step
    second = end(USUAL_LIMIT + step)
    if math.isnan(second):
        return math.inf
    slopes.append(float(np.clip((second - first) / step, *SLOPES)))
    return USUAL_LIMIT + step - second / slopes[-1]


def _deviation(plan: Plan, holders: list[int], table: np.ndarray, weights: np.ndarray) -> float:
    """Standard deviation of a sum of cells with weights, as the mean of the views that hold them measures it."""
    users = plan.n // plan.m
    square, mean = float((table * weights**2).sum()), float((table * weights).sum())
    noise = 0.0
    for row in holders:
        oracle = plan.oracles[row]
        value = float(oracle.value_variance(users))
        even = float(oracle.contrast_variance(users)) - value / oracle.size
        noise += even * (weights**2).sum() * oracle.size / table.size + value * square
    held = len(holders)
    sampling = (1 / users - held / plan.n) * (square - mean**2)
    return math.sqrt((noise / held + sampling) / held)


def _draw(plan: Plan, tables: Sequence[np.ndarray], number: int) -> NoisyMarginals:
    """Aggregated reports of people with these tables; errors are normal, so that they only shrink with n or epsilon."""
    checkpoint()
    # Every second draw has the errors of the one before with the other sign: so their mean is more exact.
    rng, sign = stream(0, "power", number // 2), 1 - 2 * (number % 2)
    found, moments = [], []
    users = plan.n // plan.m
    for view, oracle, shares in zip(plan.views, plan.oracles, tables):
        value, contrast = (
            float(f(users)) for f in (oracle.value_variance, oracle.contrast_variance)
        )
        moments.append((float(oracle.variance(users)), contrast, value))
        noise, people = sign * rng.standard_normal((2, shares.size))
        drawn = np.sqrt(shares) * people
        off = np.sqrt(max(contrast - value / oracle.size, 0.0) + value * shares) * noise
        off += (drawn - shares * drawn.sum()) / math.sqrt(users)
        own = plan.domain.project(view)
        found.append(Marginal(own, (shares + off - off.mean()).reshape(own.sizes)))
    variances, contrasts, values = zip(*moments)
    return NoisyMarginals(
        plan.domain, tuple(found), variances, (users,) * plan.m, contrasts, values
    )


def _move(
    noisy: NoisyMarginals, holders: list[int], asked: tuple[str, ...], more: np.ndarray
) -> NoisyMarginals:
    """The same reports where the table asked about has more in some cells."""
    tables = list(noisy.tables)
    for row in holders:
        values, own = tables[row].values, tables[row].domain
        added = spread_table(more, values.shape, own.names, asked) * more.size / values.size
        tables[row] = Marginal(own, values + added)
    return replace(noisy, tables=tuple(tables))
