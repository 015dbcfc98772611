"""Questions that a survey is planned for: a share, or the difference of two groups, among people who are assumed; or one of Ask.

The attributes that a question is about have the shares that are given, all others equal ones, and every two of them but
those asked about have the same `correlation`. A question of Ask is about people like those of a table: a pilot, the
survey of last year, the data set of the app. The table is for planning only. It decides how strongly attributes go
together, which decides the power of a difference more than anything else.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import ClassVar

import numpy as np

from calm_core._checks import check_fraction, check_k, check_level
from calm_core.errors import InputError
from calm_core.evaluation.survey_design import make_question_plan, make_similar_plan
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.release.comparison import difference
from calm_core.release.estimate import (
    Estimate,
    TrueTables,
    cells_of_condition,
    spread_along,
    write_per_100,
)
from calm_core.release.questions import Question as TextQuestion
from calm_core.release.questions import ask as ask_text
from calm_core.release.questions import check_questions, read_question
from calm_core.release.shares import share
from calm_core.tables.dataset import People

# Correlation of two attributes that is usual in surveys.
USUAL_CORRELATION = 0.1


def assume_tables(
    question: "ShareQuestion | DifferenceQuestion", plan: Plan, attrs: tuple[str, ...]
) -> list[np.ndarray]:
    """The shares of the cells of every view, row-major, where any two attributes are correlated, see the module."""
    rho = USUAL_CORRELATION if question.correlation is None else question.correlation
    sign = math.copysign(1.0, question.difference or 1.0)
    classes = _split_classes(question.table(), rho, sign)
    return [_view_table(plan, view, attrs, classes, rho) for view in plan.views]


def describe_question(question: "ShareQuestion | DifferenceQuestion") -> dict:
    """Plain values for JSON; shares in points of 100."""
    share, difference = (
        None if part is None else 100 * part for part in (question.share, question.difference)
    )
    return {
        "share": share, "difference": difference, "d": question.d, "values": question.values, "k": question.k,
        "correlation": question.correlation,
    }  # fmt: skip


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
    correlation : float, optional
        Assumed of every two attributes but those asked about, from 0 and below 0.5; by default the usual 0.1.
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
    correlation: float | None = None
    level: float = 0.95
    difference: ClassVar[None] = None
    view_tables, to_dict = assume_tables, describe_question

    def __post_init__(self):
        check_level(self.level)
        check_correlation(self.correlation)
        if self.share is not None:
            check_share("share", self.share)

    @property
    def words(self) -> str:
        """What is asked."""
        if self.share is None:
            return f"the share of one of {self.values**self.attributes:,} equally large cells"
        return f"a share of {write_per_100(self.share)} of 100"

    @property
    def depends(self) -> bool:
        """Whether the answer depends on how strongly attributes go together, and this is unknown."""
        return self.correlation is None and self.d > self.attributes > 1

    def plan(self, n: int, epsilon: float) -> tuple[Plan, tuple[str, ...]]:
        """The plan used, and the attributes with the largest error, which are asked about."""
        return make_question_plan(
            self.d, self.values, n, epsilon=epsilon, k=self.k or self.attributes, attributes=self.attributes
        )  # fmt: skip

    def table(self) -> np.ndarray:
        """The assumed table of the attributes asked about; the first cell is the share."""
        each = 1 / self.values if self.share is None else self.share ** (1 / self.attributes)
        shares = np.full(self.values, (1 - each) / (self.values - 1))
        shares[0] = each
        return reduce(np.multiply.outer, [shares] * self.attributes)

    def measured_weights(self) -> np.ndarray:
        """One cell."""
        return weigh_one_cell(self.table())

    def ask(self, answer, attrs: tuple[str, ...]):
        """The answer to the question, as Ask gives it."""
        return share(answer, dict.fromkeys(attrs, 0), level=self.level)


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
    correlation : float, optional
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
    correlation: float | None = None
    level: float = 0.95
    view_tables, to_dict = assume_tables, describe_question

    def __post_init__(self):
        check_level(self.level)
        check_correlation(self.correlation)
        check_share("share", self.share)
        check_difference(self.difference, self.share)
        for part in self.group_shares:
            check_share("groups", part)
        if len(self.group_shares) != 2 or sum(self.group_shares) > 1 + 1e-9:
            raise InputError("groups must be two shares of the people that sum to at most 1")
        if self.k < 2:
            raise InputError(f"k ({self.k}) must be at least 2 for a difference of two groups")

    @property
    def words(self) -> str:
        """What is asked."""
        return describe_difference(self.difference, self.share)

    @property
    def depends(self) -> bool:
        """Whether the answer depends on how strongly attributes go together, and this is unknown."""
        return self.correlation is None and self.d > 2

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

    def measured_weights(self) -> np.ndarray:
        """The difference as weights of cells."""
        cells = np.eye(self.values, dtype=bool)
        return difference_weights(self.table(), cells[:1], *(row[:, None] for row in cells[:2]))

    def ask(self, answer, attrs: tuple[str, ...]):
        """The answer to the question, as Ask gives it."""
        group, outcome = attrs
        return difference(answer, {outcome: 0}, ({group: 0}, {group: 1}), level=self.level)


def check_correlation(value: float | None) -> None:
    """Refuse a correlation that the assumed people cannot have."""
    if value is not None and not 0 <= value < 0.5:
        raise InputError(f"the correlation ({value:g}) must be from 0 and below 0.5; 0.1 is usual")


def check_difference(value: float, other_share: float) -> None:
    """Refuse a difference of 0, or one that no share makes with the other group's."""
    first = other_share + value
    if not (value and 0 < first < 1):
        raise InputError(
            f"the difference ({value:g}) must not be 0, and the other group's share ({first:g}) must be "
            "above 0 and below 1"
        )


def describe_difference(value: float, other_share: float) -> str:
    """A difference of shares in words."""
    first = write_per_100(other_share + value)
    return f"a difference of {write_per_100(abs(value))} points ({first} and {write_per_100(other_share)} of 100)"


def check_share(name: str, value: float) -> float:
    """Return a share as a float above 0 and below 1."""
    return check_fraction(name, value, remedy="0.3 is 30 of 100 people", one=False)


def weigh_one_cell(table: np.ndarray) -> np.ndarray:
    """Weight 1 for the first cell of a table, 0 for the others."""
    weights = np.zeros(table.shape)
    weights.flat[0] = 1.0
    return weights


def difference_weights(
    table: np.ndarray, inside: np.ndarray, first: np.ndarray, second: np.ndarray
) -> np.ndarray:
    """How the difference of two groups' shares follows the cells of a table: weights that sum to 0.

    Parameters
    ----------
    table : ndarray of float
    inside, first, second : ndarray of bool
        The cells that the share is of, and those of both groups; they broadcast to the table.

    Examples
    --------
    >>> yes, first = np.array([[True, False]]), np.array([[True], [False]])
    >>> difference_weights(np.full((2, 2), 0.25), yes, first, ~first).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    weights = np.zeros(table.shape)
    for group, sign in ((first, 1), (second, -1)):
        people = float((table * group).sum())
        share = float((table * (group & inside)).sum()) / people
        weights += sign * group * (inside - share) / people
    return weights - weights.mean()


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
        scores = spread_along(scores, range(table.ndim), axis)
        inclined = inclined + toward * math.sqrt(correlation) * scores / 2
    inclined = np.clip(inclined, 0, 1)
    return np.stack([table * inclined, table * (1 - inclined)], axis=-1)


def _inclination(values: int) -> np.ndarray:
    """Which values people of the first class are more likely to have: 1, or -1 for the later half, 0 in the middle."""
    return np.sign((values - 1) / 2 - np.arange(values))


def _view_table(
    plan: Plan,
    view: tuple[str, ...],
    attrs: tuple[str, ...],
    classes: np.ndarray,
    correlation: float,
) -> np.ndarray:
    """The assumed shares of the cells of a view, row-major."""
    outside = tuple(axis for axis, name in enumerate(attrs) if name not in view)
    table = np.zeros(plan.domain.shape_of(view))
    for part, side in zip(np.moveaxis(classes.sum(axis=outside), -1, 0), (1, -1)):
        shares = spread_table(part, plan.domain.shape_of(view), view, attrs)
        for axis, name in enumerate(view):
            if name not in attrs:
                lean = side * math.sqrt(correlation) * _inclination(shares.shape[axis])
                shares = shares * (1 + spread_along(lean, view, name))
        table = table + shares
    return table.ravel() / table.sum()


def spread_table(
    part: np.ndarray, shape: tuple[int, ...], view: tuple[str, ...], attrs: tuple[str, ...]
) -> np.ndarray:
    """A table of those attributes of a view that are asked about, the same for all values of the others."""
    sizes = [size if name in attrs else 1 for name, size in zip(view, shape)]
    return np.broadcast_to(part.reshape(sizes), shape)


@dataclass(frozen=True, eq=False)
class PilotQuestion:
    """A question about people like these.

    Planning with it sees their table, and is no part of a collection: use one that may be seen.

    Attributes
    ----------
    people : Dataset or Population
        Whose shares, and how these go together, are expected of the people who will be asked.
    text : str
        As of `cc.release.ask`, of those with one interval, such as "share smoked=yes given sex=woman".
    target : float, optional
        Difference to detect, as a fraction, not 0; by default that of these people. The second group keeps its share.
    k : int, optional
        Attributes of the tables that the survey is for; by default those of the question.
    level : float
        Probability of the interval.

    Raises
    ------
    InputError
        If the question cannot be asked of these people, or has not one interval.

    Examples
    --------
    >>> from calm_core.evaluation.needs import solve_question
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> codes = np.random.default_rng(1).integers(0, [2, 3], (500, 2))
    >>> people = Dataset.from_codes(codes, Domain(("sex", "age"), (2, 3)))
    >>> need = solve_question(PilotQuestion(people, "share sex=1"), epsilon=1.0, half_width=0.2)
    >>> 150 < need.n < 210
    True
    """

    people: People
    text: str
    target: float | None = None
    k: int | None = None
    level: float = 0.95
    _tables: dict[tuple[str, ...], np.ndarray] = field(default_factory=dict, repr=False)

    def __post_init__(self):
        check_level(self.level)
        check_questions(self.people.domain, [self.text], together=True)
        check_k(self.query_size, self.people.domain.d)
        # What has no answer with everybody's true answers has none.
        assert self.truth is not None
        if self.target is not None:
            if self._parts.kind != "difference":
                raise InputError("a difference to detect is for a question about a difference")
            (_, one, two), _, other_share = self._compared
            if (one & two).any():
                raise InputError(
                    "both groups have people in common, so that no other difference can be planned for; leave it out"
                )
            check_difference(self.target, other_share)

    @cached_property
    def _parts(self) -> TextQuestion:
        return read_question(self.text)

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """The attributes asked about, in domain order."""
        return self._parts.attributes(self.people.domain)

    @property
    def query_size(self) -> int:
        """Attributes of the tables that the survey is for."""
        return len(self.attributes) if self.k is None else self.k

    @cached_property
    def truth(self) -> Estimate:
        """The answer of these people."""
        true = TrueTables(self.people.domain, self.people.marginal)
        return self.ask(true)

    @property
    def difference(self) -> float | None:
        """Difference of both groups to detect; None for other questions."""
        value = self.truth.value if self._parts.kind == "difference" else None
        return value if self.target is None else self.target

    @property
    def words(self) -> str:
        """What is asked."""
        if self.difference is None:
            if self._parts.kind == "share":
                return f"a share of {write_per_100(self.truth.value)} of 100"
            return f"the question {self.text!r} of people like these"
        return describe_difference(self.difference, self._compared[2])

    def plan(self, n: int, epsilon: float) -> tuple[Plan, tuple[str, ...]]:
        """The plan, and the attributes asked about."""
        attrs = self.attributes
        domain = self.people.domain
        return make_similar_plan(domain, n, epsilon=epsilon, k=self.query_size, attrs=attrs), attrs

    def table(self) -> np.ndarray:
        """The shares of the attributes asked about, with the difference wanted."""
        found = self._table(self.attributes)
        return found if self.target is None else found * self._times

    def view_tables(self, plan: Plan, attrs: tuple[str, ...]) -> list[np.ndarray]:
        """The shares of the cells of every view, row-major."""
        return [self._view_table(view).ravel() for view in plan.views]

    def _view_table(self, view: tuple[str, ...]) -> np.ndarray:
        if self.target is None:
            return self._table(view)
        # Who has other answers to what is asked has other ones besides, too.
        domain, attrs = self.people.domain, self.attributes
        joined = domain.canonical({*view, *attrs})
        shape = domain.shape_of(joined)
        changed = self._table(joined) * spread_table(self._times, shape, joined, attrs)
        outside = tuple(axis for axis, name in enumerate(joined) if name not in view)
        return changed.sum(axis=outside)

    def _table(self, attrs: tuple[str, ...]) -> np.ndarray:
        if attrs not in self._tables:
            self._tables[attrs] = self.people.marginal(attrs).values
        return self._tables[attrs]

    @cached_property
    def _times(self) -> np.ndarray:
        """How many times as many people each cell of the table asked about has with the difference wanted."""
        assert self.target is not None
        cells, first_share, second_share = self._compared
        met, first, _ = cells
        share = second_share + self.target
        times = np.ones(met.shape)
        times[first & met] = share / first_share
        times[first & ~met] = (1 - share) / (1 - first_share)
        return times

    @cached_property
    def _compared(self) -> tuple[list[np.ndarray], float, float]:
        """The cells that the share is of, and those of both groups, and both shares among these people."""
        parts, attrs = self._parts, self.attributes
        domain, table = self.people.domain, self._table(attrs)
        conditions = (parts.condition, *parts.groups)
        cells = [cells_of_condition(domain, attrs, each) for each in conditions]
        met, *groups = cells
        first_share, second_share = (
            float(table[met & group].sum() / table[group].sum()) for group in groups
        )
        if not (0 < first_share < 1 and 0 < second_share < 1):
            raise InputError(
                "all or none of a group in the table have what is asked about; choose another value"
            )
        return cells, first_share, second_share

    def measured_weights(self) -> np.ndarray:
        """The difference as weights of cells; one cell for other questions."""
        if self.difference is None:
            return weigh_one_cell(self.table())
        return difference_weights(self.table(), *self._compared[0])

    def ask(self, answer, attrs: tuple[str, ...] = ()) -> Estimate:
        """The answer to the question, as Ask gives it."""
        estimate = ask_text(answer, self.text, rng=stream(0, "pilot"), level=self.level)
        assert isinstance(estimate, Estimate)  # by the check of the question
        return estimate

    def to_dict(self) -> dict:
        """Plain values for JSON."""
        difference = None if self.difference is None else 100 * self.difference
        return {
            "question": self.text, "difference": difference, "d": self.people.domain.d,
            "k": self.query_size,
        }  # fmt: skip


Question = ShareQuestion | DifferenceQuestion | PilotQuestion
