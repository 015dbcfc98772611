"""People or epsilon that a question needs: for an interval of a wished length, or to detect a difference.

Meant are the 95% intervals that `cc.release.share` and `cc.release.difference` print for answers of CALM+. They hold
the shares of the people who answer; that these may be a sample of others is not part of them. A difference counts as
detected where its interval is on the right side of 0: a two-sided test at 5%.

CALM+ learns from all attributes how strongly these depend on each other, and pulls answers accordingly. So no formula
from the variances of the reports gives its intervals, and a test may need a difference of four standard errors. What is
predicted here is therefore drawn: reports of people like those expected, which `infer_plus` answers. `PilotQuestion` takes
them from a table. Without one the plan is that of `make_question_plan`, and people are assumed: the attributes that the
question is about have the shares that are given, all others equal ones, and every two of them but those asked about have the
same `correlation`. The random numbers are the same for all n and
epsilon: predictions are reproducible, and those of one plan are smooth.

The power is not counted. Each draw is asked how large the measured interaction of both attributes would have to be
for the interval to end at 0, with all other noise as drawn; the probability of a larger one is known. The mean of few such
probabilities is as exact as ten times as many draws that are counted.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

from calm_core._checks import EPSILON_OFFERED, check_count
from calm_core.collection.aggregation import NoisyMarginals
from calm_core.errors import InfeasibleError, InputError
from calm_core.evaluation.planned_questions import Question, check_share, spread_table
from calm_core.evaluation.survey_design import MAX_USERS, MIN_USERS, bisect
from calm_core.inference.shrinkage.answers import infer_plus
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.marginal import Marginal

# Draws for a length, to search for a power, and for a power.
FEW, SOME, MANY = 12, 24, 48
# Half the length of an interval that is refused because the answer could be nearly anything.
REFUSED = 0.5
# Standard deviations of the reports at which an interval usually ends at 0, and a usual slope of this end.
USUAL_LIMIT, USUAL_SLOPE, SLOPES = 2.8, 0.8, (0.3, 2.0)
# An end nearer to 0 than this, in standard deviations, is taken as linear.
NEAR = 0.3


def expected_half_width(question: Question, n: int, *, epsilon: float) -> float:
    """Half the length that the interval of a question is expected to have, as a fraction.

    Parameters
    ----------
    question : ShareQuestion or DifferenceQuestion
    n : int
        People who answer, from 100.
    epsilon : float
        From 0.01.

    Examples
    --------
    >>> from calm_core.evaluation.planned_questions import ShareQuestion
    >>> question = ShareQuestion(d=4, values=2, share=0.3)
    >>> 0.02 < expected_half_width(question, 20_000, epsilon=1.0) < 0.04
    True
    """
    return _half_width(question, check_count("n", n, low=MIN_USERS), float(epsilon))


def power_of_difference(question: Question, n: int, *, epsilon: float) -> float:
    """Probability that the interval of a difference is on the right side of 0.

    Parameters
    ----------
    question : DifferenceQuestion
    n : int
        People who answer, from 100.
    epsilon : float
        From 0.01.

    Examples
    --------
    >>> from calm_core.evaluation.planned_questions import DifferenceQuestion
    >>> question = DifferenceQuestion(d=2, values=2, difference=0.1)
    >>> 0.8 < power_of_difference(question, 20_000, epsilon=1.0) < 1
    True
    """
    limits = _limits(question, check_count("n", n, low=MIN_USERS), float(epsilon), MANY)
    return limits.power(abs(_wanted(question))) if limits else 0.0


def _wanted(question: Question) -> float:
    if question.difference is None:
        raise InputError(
            "only a difference of two groups has a power; give one, or a length of the interval"
        )
    return question.difference


def find_users_for_width(question: Question, half_width: float, *, epsilon: float) -> int | None:
    """Find how many people give an interval of at most this half length, to 3%; None if 10^12 are not enough.

    Parameters
    ----------
    question : ShareQuestion or DifferenceQuestion
    half_width : float
        As a fraction: 0.03 is "3 points more or less".
    epsilon : float

    Examples
    --------
    >>> from calm_core.evaluation.planned_questions import ShareQuestion
    >>> find_users_for_width(ShareQuestion(d=2, values=2), 0.4, epsilon=1.0)
    100
    """
    check_share("half_width", half_width)
    found = _find(
        lambda n: _half_width(question, int(n), float(epsilon)) / half_width, 10_000, USERS
    )
    return None if found is None else math.ceil(found)


def find_epsilon_for_width(question: Question, half_width: float, *, n: int) -> float | None:
    """Find the epsilon that gives an interval of at most this half length, to 3%; None if 10 is not enough.

    Examples
    --------
    >>> from calm_core.evaluation.planned_questions import ShareQuestion
    >>> question = ShareQuestion(d=2, values=2)
    >>> 0.5 < find_epsilon_for_width(question, 0.03, n=20_000) < 1.0
    True
    """
    check_share("half_width", half_width)
    n = check_count("n", n, low=MIN_USERS)
    return _find(lambda epsilon: _half_width(question, n, epsilon) / half_width, 1.0, EPSILONS)


def find_users_for_power(question: Question, power: float = 0.8, *, epsilon: float) -> int | None:
    """Find how many people detect the difference with a power, to 3%; None if 10^12 are not enough.

    Parameters
    ----------
    question : DifferenceQuestion
    power : float
        Probability to detect it.
    epsilon : float
    """
    check_share("power", power)
    found = _find(lambda n: _reach(question, power, int(n), float(epsilon)), 10_000, USERS)
    return None if found is None else math.ceil(found)


def find_epsilon_for_power(question: Question, power: float = 0.8, *, n: int) -> float | None:
    """Find the epsilon that detects the difference with a power, to 3%; None if 10 is not enough.

    Examples
    --------
    >>> from calm_core.evaluation.planned_questions import DifferenceQuestion
    >>> find_epsilon_for_power(DifferenceQuestion(d=2, values=2, difference=0.01), n=100) is None
    True
    """
    check_share("power", power)
    n = check_count("n", n, low=MIN_USERS)
    return _find(lambda epsilon: _reach(question, power, n, epsilon), 1.0, EPSILONS)


# What is searched: least and largest value, and the power of the value with which lengths fall.
USERS, EPSILONS = (float(MIN_USERS), float(MAX_USERS), 0.5), (*EPSILON_OFFERED, 1.0)


def _find(
    ratio: Callable[[float], float], start: float, searched: tuple[float, float, float]
) -> float | None:
    """The smallest value at which a falling ratio is at most 1, to 3%; None if there is none."""
    least, most, falls = searched
    value, below, above = start, None, None
    while below is None or above is None:
        found = ratio(value)
        if found <= 1:
            above = value
            if value == least:
                return least
        else:
            below = value
            if value == most:
                return None
        # Where it falls as expected, the next value is a little beyond the one looked for.
        step = min(max(found, 0.05), 20.0) ** (1 / falls) * (1.04 if found > 1 else 1 / 1.04)
        value = min(max(value * step, least), most)
    return bisect(lambda value: ratio(value) <= 1, below, above, tolerance=0.03)


def _reach(question: Question, power: float, n: int, epsilon: float) -> float:
    """The difference that is detected with a power, over the one wanted."""
    limits = _limits(question, n, epsilon)
    return limits.detectable(power) / abs(_wanted(question)) if limits else math.inf


@lru_cache(maxsize=2048)
def _half_width(question: Question, n: int, epsilon: float) -> float:
    """Mean over draws; too long to be searched for where nobody can be asked like that."""
    try:
        plan, asked = question.plan(n, epsilon)
    except InfeasibleError:
        return math.inf
    return float(np.mean([
        _half_of(question, noisy, asked) for noisy in _draw(question, plan, asked, FEW)
    ]))  # fmt: skip


def _half_of(question: Question, noisy: NoisyMarginals, asked: tuple[str, ...]) -> float:
    try:
        found = question.ask(infer_plus(noisy), asked)
    except InputError:
        # Nobody would be told more than that it is unknown.
        return REFUSED
    return (found.high - found.low) / 2


@dataclass(frozen=True, eq=False)
class _Limits:
    """How far the measured interaction must be from 0 for the interval to end there.

    Attributes
    ----------
    deviation : float
        Standard deviation of the measured interaction, as the difference of both shares that it makes.
    ends : ndarray
        Of every draw, in deviations; infinite where no interval would be given.
    """

    deviation: float
    ends: np.ndarray

    def power(self, difference: float) -> float:
        """Probability that the interval of a true difference is above 0."""
        from scipy.special import ndtr

        return float(ndtr(difference / self.deviation - self.ends).mean())

    def detectable(self, power: float) -> float:
        """The difference that is detected with a power; infinite if none is."""
        from scipy.optimize import brentq

        if not np.isfinite(self.ends).mean() > power:
            return math.inf
        high = self.ends[np.isfinite(self.ends)].max() + 10
        return self.deviation * brentq(
            lambda size: self.power(size * self.deviation) - power, -10, high
        )


@lru_cache(maxsize=2048)
def _limits(question: Question, n: int, epsilon: float, count: int = SOME) -> _Limits | None:
    """Where intervals end at 0; None where nobody can be asked like that."""
    try:
        plan, asked = question.plan(n, epsilon)
    except InfeasibleError:
        return None
    table, wanted = question.table(), _wanted(question)
    weights = math.copysign(1.0, wanted) * question.interaction_weights()
    holders = [row for row, view in enumerate(plan.views) if set(asked) <= set(view)]
    deviation = _deviation(plan, holders, table, weights)
    ends, slopes = [], [USUAL_SLOPE]
    for noisy in _draw(question, plan, asked, count):
        measured = np.mean([
            (noisy.tables[row].project(asked).values * weights).sum() for row in holders
        ])  # fmt: skip
        # What is added to the interaction for it to be measured as 0.
        zero = (table * weights).sum() - abs(wanted) - measured
        end = partial(_end, question, noisy, holders, asked, weights, zero, deviation)
        start = float(np.median(ends)) if ends else USUAL_LIMIT
        ends.append(_find_zero(end, start if math.isfinite(start) else USUAL_LIMIT, slopes))
    return _Limits(deviation, np.array(ends))


def _end(
    question: Question, noisy: NoisyMarginals, holders: list[int], asked: tuple[str, ...],
    weights: np.ndarray, zero: float, deviation: float, size: float,
) -> float:  # fmt: skip
    """The end of the interval nearer to 0 where so many deviations are measured; NaN if there is no interval."""
    more = weights * (zero + size * deviation) / (weights**2).sum()
    try:
        found = question.ask(infer_plus(_move(noisy, holders, asked, more)), asked)
    except InputError:
        return math.nan
    return (found.low if _wanted(question) > 0 else -found.high) / deviation


def _find_zero(end: Callable[[float], float], start: float, slopes: list[float]) -> float:
    """Where an end is 0, by one or two steps with the slopes found before; infinite where there is none."""
    slope = float(np.median(slopes))
    first = end(start)
    if math.isnan(first):
        return math.inf
    step = float(np.clip(-first / slope, -1.5, 1.5))
    if abs(first) < NEAR:
        return start + step
    second = end(start + step)
    if math.isnan(second):
        return math.inf
    slopes.append(float(np.clip((second - first) / step, *SLOPES)))
    return start + step - second / slopes[-1]


def _deviation(plan: Plan, holders: list[int], table: np.ndarray, weights: np.ndarray) -> float:
    """Standard deviation of a sum of cells with weights, as the views that hold them measure it on average."""
    users = plan.n // plan.m
    square, mean = float((table * weights**2).sum()), float((table * weights).sum())
    noise = 0.0
    for oracle in (plan.oracles[row] for row in holders):
        value = float(oracle.value_variance(users))
        even = float(oracle.contrast_variance(users)) - value / oracle.size
        noise += even * (weights**2).sum() * oracle.size / table.size + value * square
    sampling = (1 / users - len(holders) / plan.n) * (square - mean**2)
    return math.sqrt(noise / len(holders) ** 2 + sampling / len(holders))


def _draw(
    question: Question, plan: Plan, asked: tuple[str, ...], count: int
) -> Iterator[NoisyMarginals]:
    """Aggregated reports of these people; errors are normal, so that they only shrink with n or epsilon."""
    tables, users = question.view_tables(plan, asked), plan.n // plan.m
    variances, contrasts, of_values = (
        tuple(float(f(users)) for f in each)
        for each in zip(*(
            (oracle.variance, oracle.contrast_variance, oracle.value_variance) for oracle in plan.oracles
        ))
    )  # fmt: skip
    for number in range(count):
        checkpoint()
        rng, found = stream(0, "power", number), []
        for view, shares, contrast, value in zip(plan.views, tables, contrasts, of_values):
            even = max(contrast - value / shares.size, 0.0)
            noise, people = rng.standard_normal((2, shares.size))
            drawn = np.sqrt(shares) * people
            off = np.sqrt(even + value * shares) * noise
            off += (drawn - shares * drawn.sum()) / math.sqrt(users)
            own = plan.domain.project(view)
            found.append(Marginal(own, (shares + off - off.mean()).reshape(own.sizes)))
        yield NoisyMarginals(
            plan.domain, tuple(found), variances, (users,) * plan.m, contrasts, of_values
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
