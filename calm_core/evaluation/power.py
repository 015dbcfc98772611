"""People or epsilon that a question needs: for an interval of a wished length, or to detect a difference.

Meant are the 95% intervals that `cc.release.share` and `cc.release.difference` print for answers of CALM+. They hold
the shares of the people who answer; that these may be a sample of others is not part of them. A difference counts as
detected where its interval is on the right side of 0: a two-sided test at 5%.

CALM+ learns from all attributes how strongly these depend on each other, and pulls answers accordingly. So no formula
from the variances of the reports gives its intervals, and a test may need a difference of four standard errors. What is
predicted here is therefore drawn: reports by the plan of `make_question_plan` on an assumed population, which
`infer_plus` answers. In it the attributes that the question is about have the shares that are given, all others equal ones,
and every two of them but those asked about have the same `correlation`. The random numbers are the same for all n and
epsilon: predictions are reproducible, and those of one plan are smooth.

The power is not counted. Each draw is asked how large the measured interaction of both attributes would have to be
for the interval to end at 0, with all other noise as drawn; the probability of a larger one is known. The mean of few such
probabilities is as exact as ten times as many draws that are counted.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial, reduce

import numpy as np

from calm_core._checks import EPSILON_OFFERED, check_count, check_fraction, check_level
from calm_core.collection.aggregation import NoisyMarginals
from calm_core.errors import InfeasibleError, InputError
from calm_core.evaluation.survey_design import MAX_USERS, MIN_USERS, bisect, make_question_plan
from calm_core.inference.shrinkage.answers import infer_plus
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.release.comparison import difference
from calm_core.release.shares import share
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.marginal import Marginal

# Correlation of two attributes that is usual in surveys.
USUAL_CORRELATION = 0.1
# Draws for a length, to search for a power, and for a power.
FEW, SOME, MANY = 12, 24, 48
# Half the length of an interval that is refused because the answer could be nearly anything.
REFUSED = 0.5
# Standard deviations of the reports at which an interval usually ends at 0, and a usual slope of this end.
USUAL_LIMIT, USUAL_SLOPE, SLOPES = 2.8, 0.8, (0.3, 2.0)
# An end nearer to 0 than this, in standard deviations, is taken as linear.
NEAR = 0.3


@dataclass(frozen=True)
class ShareQuestion:
    """How large is the share of people with a value of one attribute, or with one of each of several?

    Attributes
    ----------
    d, values : int
        Attributes of the survey, and values of each.
    share : float, optional
        The share expected, above 0 and below 1; by default that of a cell where all are equal.
    attributes : int
        Attributes that the question is about.
    k : int, optional
        Attributes of the tables that the survey is for; by default `attributes`.
    correlation : float
        Assumed of every two attributes but those asked about, from 0 and below 0.5.
    level : float
        Probability of the interval.

    Examples
    --------
    >>> ShareQuestion(d=4, values=2, share=0.25, attributes=2).table().tolist()
    [[0.25, 0.25], [0.25, 0.25]]
    """

    d: int
    values: int
    share: float | None = None
    attributes: int = 1
    k: int | None = None
    correlation: float = USUAL_CORRELATION
    level: float = 0.95

    def __post_init__(self):
        check_level(self.level)
        check_correlation(self.correlation)
        if self.share is not None:
            check_share("share", self.share)

    @property
    def sign(self) -> float:
        """Direction in which the attributes go together: 1, or -1."""
        return 1.0

    def plan(self, n: int, epsilon: float) -> tuple[Plan, tuple[str, ...]]:
        """The plan used, and the attributes with the largest error, which are asked about."""
        return make_question_plan(
            self.d, self.values, n, epsilon=epsilon, k=self.k or self.attributes, attributes=self.attributes
        )  # fmt: skip

    def table(self) -> np.ndarray:
        """The assumed table of the attributes asked about; the first cell is the share."""
        each = 1 / self.values if self.share is None else self.share ** (1 / self.attributes)
        one = np.full(self.values, (1 - each) / (self.values - 1))
        one[0] = each
        return reduce(np.multiply.outer, [one] * self.attributes)

    def ask(self, answer, asked: tuple[str, ...]):
        """The answer to the question, as Ask gives it."""
        return share(answer, dict.fromkeys(asked, 0), level=self.level)


@dataclass(frozen=True)
class DifferenceQuestion:
    """How much larger is a share in one group than in another? One attribute says who is in which group.

    Attributes
    ----------
    d, values : int
        Attributes of the survey, and values of each.
    difference : float
        Difference of the shares to detect, as a fraction, not 0.
    share : float
        Share in the second group.
    groups : tuple of float, optional
        Parts of the people that are in the first and in the second group; by default those of equally frequent values.
    k : int
        Attributes of the tables that the survey is for, at least 2.
    correlation : float
        As of `ShareQuestion`.
    level : float
        Probability of the interval: the test has the level 1 - level.

    Examples
    --------
    >>> DifferenceQuestion(d=2, values=2, difference=0.1).table().round(3).tolist()
    [[0.2, 0.3], [0.15, 0.35]]
    """

    d: int
    values: int
    difference: float
    share: float = 0.3
    groups: tuple[float, float] | None = None
    k: int = 2
    correlation: float = USUAL_CORRELATION
    level: float = 0.95

    def __post_init__(self):
        check_level(self.level)
        check_correlation(self.correlation)
        check_share("share", self.share)
        other = self.share + self.difference
        if not (self.difference and 0 < other < 1):
            raise InputError(
                f"the difference ({self.difference:g}) must not be 0, and the other group's share ({other:g}) must be "
                "above 0 and below 1"
            )
        for part in self.group_shares:
            check_share("groups", part)
        if len(self.group_shares) != 2 or sum(self.group_shares) > 1 + 1e-9:
            raise InputError("groups must be two shares of the people that sum to at most 1")
        if self.k < 2:
            raise InputError(f"k ({self.k}) must be at least 2 for a difference of two groups")

    @property
    def sign(self) -> float:
        """Direction in which the attributes go together: 1, or -1."""
        return math.copysign(1.0, self.difference)

    @property
    def group_shares(self) -> tuple[float, ...]:
        """Parts of the people in both groups."""
        return self.groups or (1 / self.values,) * 2

    def plan(self, n: int, epsilon: float) -> tuple[Plan, tuple[str, ...]]:
        """The plan used, and the attributes of the group and of the outcome: of all pairs those with the largest error."""
        return make_question_plan(self.d, self.values, n, epsilon=epsilon, k=self.k, attributes=2)

    def table(self) -> np.ndarray:
        """The assumed table of group and outcome; other groups have the mean share of both."""
        one, two = self.group_shares
        shares = np.array([self.share + self.difference, self.share])
        others = self.values - 2
        parts = np.array([one, two] + [max(1 - one - two, 0) / max(others, 1)] * others)
        shares = np.append(shares, [shares @ (one, two) / (one + two)] * others)
        rest = np.repeat((1 - shares)[:, None] / (self.values - 1), self.values - 1, axis=1)
        return parts[:, None] * np.column_stack([shares, rest])

    def ask(self, answer, asked: tuple[str, ...]):
        """The answer to the question, as Ask gives it."""
        group, outcome = asked
        return difference(answer, {outcome: 0}, ({group: 0}, {group: 1}), level=self.level)


Question = ShareQuestion | DifferenceQuestion


def check_correlation(value: float) -> None:
    """Refuse a correlation that the assumed people cannot have."""
    if not 0 <= value < 0.5:
        raise InputError(f"the correlation ({value:g}) must be from 0 and below 0.5; 0.1 is usual")


def check_share(name: str, value: float) -> float:
    """Return a share as a float above 0 and below 1."""
    return check_fraction(name, value, remedy="0.3 is 30 of 100 people", one=False)


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
    >>> question = ShareQuestion(d=4, values=2, share=0.3)
    >>> 0.02 < expected_half_width(question, 20_000, epsilon=1.0) < 0.04
    True
    """
    return _half_width(question, check_count("n", n, low=MIN_USERS), float(epsilon))


def power_of_difference(question: DifferenceQuestion, n: int, *, epsilon: float) -> float:
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
    >>> question = DifferenceQuestion(d=2, values=2, difference=0.1)
    >>> 0.8 < power_of_difference(question, 20_000, epsilon=1.0) < 1
    True
    """
    limits = _limits(question, check_count("n", n, low=MIN_USERS), float(epsilon), MANY)
    return limits.power(abs(question.difference)) if limits else 0.0


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
    >>> question = ShareQuestion(d=2, values=2)
    >>> 0.5 < find_epsilon_for_width(question, 0.03, n=20_000) < 1.0
    True
    """
    check_share("half_width", half_width)
    n = check_count("n", n, low=MIN_USERS)
    return _find(lambda epsilon: _half_width(question, n, epsilon) / half_width, 1.0, EPSILONS)


def find_users_for_power(
    question: DifferenceQuestion, power: float = 0.8, *, epsilon: float
) -> int | None:
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


def find_epsilon_for_power(
    question: DifferenceQuestion, power: float = 0.8, *, n: int
) -> float | None:
    """Find the epsilon that detects the difference with a power, to 3%; None if 10 is not enough.

    Examples
    --------
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


def _reach(question: DifferenceQuestion, power: float, n: int, epsilon: float) -> float:
    """The difference that is detected with a power, over the one wanted."""
    limits = _limits(question, n, epsilon)
    return limits.detectable(power) / abs(question.difference) if limits else math.inf


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
def _limits(
    question: DifferenceQuestion, n: int, epsilon: float, count: int = SOME
) -> _Limits | None:
    """Where intervals end at 0; None where nobody can be asked like that."""
    try:
        plan, asked = question.plan(n, epsilon)
    except InfeasibleError:
        return None
    table, sign = question.table(), question.sign
    weights = sign * _interaction_weights(table)
    holders = [row for row, view in enumerate(plan.views) if set(asked) <= set(view)]
    deviation = _deviation(plan, holders, table, weights)
    ends, slopes = [], [USUAL_SLOPE]
    for noisy in _draw(question, plan, asked, count):
        measured = np.mean([
            (noisy.tables[row].project(asked).values * weights).sum() for row in holders
        ])  # fmt: skip
        # What is added to the interaction for it to be measured as 0.
        zero = (table * weights).sum() - abs(question.difference) - measured
        end = partial(_end, question, noisy, holders, asked, weights, zero, deviation)
        start = float(np.median(ends)) if ends else USUAL_LIMIT
        ends.append(_find_zero(end, start if math.isfinite(start) else USUAL_LIMIT, slopes))
    return _Limits(deviation, np.array(ends))


def _end(
    question: DifferenceQuestion, noisy: NoisyMarginals, holders: list[int], asked: tuple[str, ...],
    weights: np.ndarray, zero: float, deviation: float, size: float,
) -> float:  # fmt: skip
    """The end of the interval nearer to 0 where so many deviations are measured; NaN if there is no interval."""
    more = weights * (zero + size * deviation) / (weights**2).sum()
    try:
        found = question.ask(infer_plus(_move(noisy, holders, asked, more)), asked)
    except InputError:
        return math.nan
    return (found.low if question.difference > 0 else -found.high) / deviation


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
    """Standard deviation of a sum of cells with weights, as the views of equal size that hold them measure it."""
    users, oracle = plan.n // plan.m, plan.oracles[holders[0]]
    value = float(oracle.value_variance(users))
    even = float(oracle.contrast_variance(users)) - value / oracle.size
    square, mean = float((table * weights**2).sum()), float((table * weights).sum())
    noise = even * (weights**2).sum() * oracle.size / table.size + value * square
    sampling = (1 / users - len(holders) / plan.n) * (square - mean**2)
    return math.sqrt((noise + sampling) / len(holders))


def _interaction_weights(table: np.ndarray) -> np.ndarray:
    """The part of the difference of both groups' shares that the interaction makes, as weights of cells."""
    parts = table.sum(axis=1)
    shares = table[:, 0] / parts
    weights = np.zeros(table.shape)
    for row, sign in ((0, 1), (1, -1)):
        weights[row] = -sign * shares[row] / parts[row]
        weights[row, 0] += sign / parts[row]
    return weights - weights.mean(axis=0) - weights.mean(axis=1)[:, None] + weights.mean()


def _draw(
    question: Question, plan: Plan, asked: tuple[str, ...], count: int
) -> Iterator[NoisyMarginals]:
    """Aggregated reports of the people assumed; errors are normal, so that they only shrink with n or epsilon."""
    rho = question.correlation
    classes = _split_classes(question.table(), rho, question.sign)
    tables = [_view_table(plan, view, asked, classes, rho) for view in plan.views]
    users, oracle = plan.n // plan.m, plan.oracles[0]
    value, contrast = (float(f(users)) for f in (oracle.value_variance, oracle.contrast_variance))
    even = max(contrast - value / oracle.size, 0.0)
    variances, all_users = (float(oracle.variance(users)),) * plan.m, (users,) * plan.m
    more = (contrast,) * plan.m, (value,) * plan.m
    for number in range(count):
        checkpoint()
        rng, found = stream(0, "power", number), []
        for view, shares in zip(plan.views, tables):
            noise, people = rng.standard_normal((2, shares.size))
            drawn = np.sqrt(shares) * people
            off = np.sqrt(even + value * shares) * noise
            off += (drawn - shares * drawn.sum()) / math.sqrt(users)
            own = plan.domain.project(view)
            found.append(Marginal(own, (shares + off - off.mean()).reshape(own.sizes)))
        yield NoisyMarginals(plan.domain, tuple(found), variances, all_users, *more)


def _split_classes(table: np.ndarray, correlation: float, sign: float) -> np.ndarray:
    """The table with one more axis: two classes of people, with which each attribute has the root of a correlation."""
    inclined = np.full(table.shape, 0.5)
    for axis in range(table.ndim):
        shares = table.sum(axis=tuple(a for a in range(table.ndim) if a != axis))
        scores = _inclination(len(shares))
        scores = scores - shares @ scores
        scores /= math.sqrt(shares @ scores**2)
        # A difference is in the direction in which both attributes go with the class.
        toward = sign if axis and table.ndim == 2 else 1.0
        shape = [-1 if a == axis else 1 for a in range(table.ndim)]
        inclined = inclined + toward * math.sqrt(correlation) * scores.reshape(shape) / 2
    inclined = np.clip(inclined, 0, 1)
    return np.stack([table * inclined, table * (1 - inclined)], axis=-1)


def _inclination(values: int) -> np.ndarray:
    """Which values people of the first class are more likely to have: 1, or -1 for the later half, 0 in the middle."""
    return np.sign((values - 1) / 2 - np.arange(values))


def _view_table(
    plan: Plan,
    view: tuple[str, ...],
    asked: tuple[str, ...],
    classes: np.ndarray,
    correlation: float,
) -> np.ndarray:
    """The assumed shares of the cells of a view, row-major."""
    outside = tuple(axis for axis, name in enumerate(asked) if name not in view)
    found = np.zeros(plan.domain.shape_of(view))
    for part, side in zip(np.moveaxis(classes.sum(axis=outside), -1, 0), (1, -1)):
        shares = _spread(part, plan.domain.shape_of(view), view, asked)
        for axis, name in enumerate(view):
            if name not in asked:
                lean = side * math.sqrt(correlation) * _inclination(shares.shape[axis])
                shape = [-1 if a == axis else 1 for a in range(shares.ndim)]
                shares = shares * (1 + lean.reshape(shape))
        found = found + shares
    return found.ravel() / found.sum()


def _spread(
    part: np.ndarray, shape: tuple[int, ...], view: tuple[str, ...], asked: tuple[str, ...]
) -> np.ndarray:
    """A table of those attributes of a view that are asked about, the same for all values of the others."""
    own = [size if name in asked else 1 for name, size in zip(view, shape)]
    return np.broadcast_to(part.reshape(own), shape)


def _move(
    noisy: NoisyMarginals, holders: list[int], asked: tuple[str, ...], more: np.ndarray
) -> NoisyMarginals:
    """The same reports where the table asked about has more in some cells."""
    tables = list(noisy.tables)
    for row in holders:
        values, own = tables[row].values, tables[row].domain
        added = _spread(more, values.shape, own.names, asked) * more.size / values.size
        tables[row] = Marginal(own, values + added)
    return replace(noisy, tables=tuple(tables))
