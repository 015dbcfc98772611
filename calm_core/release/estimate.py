"""Answers to questions: a value with its interval, from the tables of an answer with the errors of sums of their cells.

Conditions on people, such as {"smoked": "yes", "age": ValueRange("30", "45")}, say in which cells they hold.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache

import numpy as np

from calm_core.errors import InputError
from calm_core.inference.shrinkage.answers import PlusMarginals, PlusNote, TableSums, infer_plus
from calm_core.methods.base import Answer, ViewsAnswer
from calm_core.runtime.weak_cache import cache_per_object
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal
from calm_core.text import join_some


@dataclass(frozen=True)
class ValueRange:
    """All values of an ordered attribute from one to another, both included.

    Attributes
    ----------
    first, last : str
        Labels.
    """

    first: str
    last: str


Values = str | int | ValueRange | Iterable[str | int]
Condition = Mapping[str, Values]


def find_code(domain: Domain, name: str, value: str | int) -> int:
    """The code of a value of an attribute, given as its label, as it is shown, or as the code itself.

    Examples
    --------
    >>> domain = Domain(("sex",), (2,), (("m", "f"),))
    >>> find_code(domain, "sex", "f"), find_code(domain, "sex", 0)
    (1, 0)
    """
    labels, value_names = domain.labels_of(name), domain.value_names_of(name)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(labels):
        return value
    text_given = str(value)
    for texts in (labels, value_names, [text.casefold() for text in (*labels, *value_names)]):
        for text in (text_given, text_given.casefold()):
            if text in texts:
                return list(texts).index(text) % len(labels)
    listed = join_some([f"{label!r:.40}" for label in labels], 12)
    raise InputError(f"{text_given!r:.60} is not a value of {name!r:.60}; its values are {listed}")


def find_codes(domain: Domain, name: str, values: Values) -> tuple[int, ...]:
    """The codes that one part of a condition allows.

    Examples
    --------
    >>> domain = Domain(("age",), (4,), (("young", "middle", "old", "very old"),))
    >>> find_codes(domain, "age", ["young", "old"]), find_codes(domain, "age", ValueRange("middle", "very old"))
    ((0, 2), (1, 2, 3))
    """
    if isinstance(values, ValueRange):
        first, last = (find_code(domain, name, end) for end in (values.first, values.last))
        if first > last:
            raise InputError(
                f"{values.first!r:.60} comes after {values.last!r:.60} in {name!r:.60}"
            )
        return tuple(range(first, last + 1))
    if isinstance(values, str | int):
        return (find_code(domain, name, values),)
    codes = tuple(dict.fromkeys(find_code(domain, name, value) for value in values))
    if not codes:
        raise InputError(f"the condition on {name!r:.60} must name at least one value")
    return codes


def spread_along(column: np.ndarray, axes: Iterable, axis: object) -> np.ndarray:
    """Numbers along one axis, for a table that has these axes.

    >>> spread_along(np.array([1.0, 2.0]), ("sex", "age"), "age").shape
    (1, 2)
    """
    return column.reshape([-1 if other == axis else 1 for other in axes])


def cells_of_condition(domain: Domain, attrs: tuple[str, ...], condition: Condition) -> np.ndarray:
    """Which cells of the table over `attrs` meet a condition, bool of that shape.

    Examples
    --------
    >>> domain = Domain(("sex", "age"), (2, 3), (("m", "f"), ("0", "1", "2")))
    >>> cells_of_condition(domain, ("sex", "age"), {"age": ["0", "2"]}).tolist()
    [[True, False, True], [True, False, True]]
    """
    inside = np.ones(domain.shape_of(attrs), bool)
    for name, values in condition.items():
        allowed = np.zeros(domain.shape_of((name,)), bool)
        allowed[[*find_codes(domain, name, values)]] = True
        inside &= spread_along(allowed, attrs, name)
    return inside


def attributes_of(domain: Domain, *conditions: Condition | None) -> tuple[str, ...]:
    """The attributes that conditions are about, in domain order."""
    for condition in conditions:
        if condition is not None and not isinstance(condition, Mapping):
            raise InputError('a condition must name values by attribute, such as {"smoked": "yes"}')
    names = {name for condition in conditions for name in condition or ()}
    if not names:
        raise InputError('a condition must be about an attribute, such as {"smoked": "yes"}')
    return domain.canonical(names)


def describe_condition(domain: Domain, condition: Condition) -> str:
    """A condition in words, such as "smoked is yes and age is 30 to 45".

    Examples
    --------
    >>> domain = Domain(("sex", "age"), (2, 2), (("m", "f"), ("young", "old")))
    >>> describe_condition(domain, {"sex": "f", "age": ["young", "old"]})
    'sex is f and age is young or old'
    """
    parts = []
    for name, values in condition.items():
        value_names, codes = domain.value_names_of(name), find_codes(domain, name, values)
        # As the screen shows them.
        value_names = ("no", "yes") if value_names == ("0", "1") else value_names
        if isinstance(values, ValueRange):
            text = f"{value_names[codes[0]]} to {value_names[codes[-1]]}"
        else:
            text = " or ".join(value_names[code] for code in codes)
        parts.append(f"{domain.title_of(name)} is {text}")
    return " and ".join(parts)


MAX_ATTRIBUTES = 6


@dataclass(eq=False)
class TrueTables(Answer):
    """The true tables, to ask the same questions where they are known: in a simulation.

    Attributes
    ----------
    domain : Domain
    find_table : callable
        Gives the true marginal over some attributes.
    """

    domain: Domain
    find_table: Callable[[tuple[str, ...]], Marginal]

    def covers(self, attrs: Iterable[str]) -> bool:
        """True: nothing is rebuilt."""
        return True

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the true marginal."""
        return self.find_table(self.domain.canonical(attrs))


@dataclass(frozen=True, eq=False)
class ExactSums:
    """A table without errors."""

    table: np.ndarray

    def interval(self, weights: np.ndarray, level: float = 0.95) -> tuple[float, float]:
        """Return the sum of the cells with these weights, twice."""
        total = float((self.table * weights).sum())
        return total, total

    def is_mostly_assumed(self, weights: np.ndarray) -> bool:
        """Return False: nothing is assumed."""
        return False


Sums = TableSums | ExactSums


@cache_per_object
def _infer_errors(answer: ViewsAnswer) -> PlusMarginals:
    """CALM+'s inference from the reports of an answer, which knows its errors."""
    inferred = answer.inferred
    if isinstance(inferred, PlusMarginals):
        return inferred
    return infer_plus(answer.noisy)


def find_sums(answer: Answer | PlusMarginals, attrs: Iterable[str]) -> Sums:
    """The table over some attributes and the errors of its sums; the table is the answer's own.

    Raises
    ------
    InputError
        If the answer does not come from reports, the attributes are unknown or too many, or nobody
        reported on one.
    """
    attrs = answer.domain.canonical(attrs)
    if len(attrs) > MAX_ATTRIBUTES:
        raise InputError(
            f"a question can be about at most {MAX_ATTRIBUTES} attributes; this one is about {len(attrs)}"
        )
    if isinstance(answer, PlusMarginals):
        return answer.sums(attrs)
    if isinstance(answer, TrueTables):
        return ExactSums(answer.marginal(attrs).values)
    if not isinstance(answer, ViewsAnswer):
        raise InputError(
            "this answer has no intervals, so it cannot be asked; collect with calm_plus or calm"
        )
    return _infer_errors(answer).sums(attrs, center=answer.marginal(attrs))


def describe_basis(answer: Answer | PlusMarginals, attrs: tuple[str, ...]) -> tuple[str, ...]:
    """Sentences about what a table over some attributes rests on."""
    if answer.covers(attrs):
        return ("Some people reported on all of these attributes together.",)
    rebuilt = "Nobody reported on all of these attributes together: the table is rebuilt from smaller ones."
    note = answer.explain(attrs) if isinstance(answer, ViewsAnswer | PlusMarginals) else None
    return (note.assumption or rebuilt if isinstance(note, PlusNote) else rebuilt,)


# A share whose interval is longer than this says nothing.
LONGEST = 0.7


@dataclass(frozen=True)
class Finding:
    """What an answer has in common with others."""

    def to_dict(self) -> dict:
        """Plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Estimate(Finding):
    """The answer to one question.

    Attributes
    ----------
    value, low, high : float
        The answer and its interval.
    tables : tuple of tuple of str
        Attributes of the tables it was computed from.
    sentence : str
        The answer in one sentence.
    notes : tuple of str
        What it rests on, and what it leaves open.
    level : float
        Probability of the interval.
    """

    value: float
    low: float
    high: float
    tables: tuple[tuple[str, ...], ...]
    sentence: str
    notes: tuple[str, ...] = ()
    level: float = 0.95


def write_per_100(share: float) -> str:
    """A share as people of 100: two digits, or one decimal below 10.

    Examples
    --------
    >>> write_per_100(0.4712), write_per_100(0.0312), write_per_100(0.0004), write_per_100(-0.05)
    ('47', '3.1', '0.04', '-5')
    """
    people = 100 * share
    if people == 0 or abs(people) >= 9.95:
        return f"{people:.0f}"
    digits = f"{people:.1f}" if abs(people) >= 0.1 else f"{people:.1g}"
    return digits.removesuffix(".0")


def find_ratio(
    sums: Sums,
    above: np.ndarray,
    below: np.ndarray,
    level: float,
    ends: tuple[float, float] = (0.0, 1.0),
) -> tuple[float, float, float]:
    """The ratio of two weighted sums of cells, and its interval by inversion (Fieller).

    A ratio r is plausible where the interval of sum(above - r below) holds 0: this needs no
    normal ratio, and is right where the lower sum is small.

    Parameters
    ----------
    sums : Sums
        The table and its errors.
    above, below : ndarray, shape of the table
        Weights or masks; `below` are from 0.
    level : float
    ends : tuple of float
        Least and largest possible ratio.
    """
    from scipy.optimize import brentq

    value = float((sums.table * above).sum() / (sums.table * below).sum())

    @lru_cache(maxsize=64)
    def interval_at(ratio: float) -> tuple[float, float]:
        return sums.interval(above - ratio * below, level)

    def off(ratio: float, side: int) -> float:
        """The end of the interval of the sum that is nearer to 0 on this side of the value."""
        return interval_at(ratio)[side]

    def plausible(ratio: float, side: int) -> bool:
        return off(ratio, side) * (1 - 2 * side) <= 0

    def limit(side: int, end: float) -> float:
        """Where the interval begins or ends; at the value itself if by rounding not even that is plausible."""
        if plausible(end, side) or end == value:
            return end
        if not plausible(value, side):
            return value
        return brentq(off, value, end, args=(side,), xtol=1e-7, rtol=1e-5)

    # The sum falls with the ratio: below the value its lower end meets 0, above it the upper end.
    low, high = (limit(side, end) for side, end in enumerate(ends))
    return value, low, high


def find_share(
    sums: Sums, met: np.ndarray, group: np.ndarray, level: float, words: str
) -> tuple[float, float, float]:
    """The share of a group that is in the cells `met`, with its interval; `words` name the group."""
    check_group(sums, group, level, words)
    return find_ratio(sums, met & group, group, level)


def check_group(sums: Sums, inside: np.ndarray, level: float, words: str) -> None:
    """Refuse a group whose share cannot be told from 0."""
    low, high = sums.interval(inside.astype(float), level)
    if not inside.any() or low <= 0:
        raise InputError(
            f"the group ({words:.120}) may be empty: its share is between 0 and "
            f"{write_per_100(high)} of 100 people; ask about a larger group"
        )


ASSUMED = "Mostly assumed from the rest of the data"


def describe_source(sums: Sums, weights: np.ndarray) -> str:
    """What is added to the sentence of an answer that rests on these weights of cells; "" where it was measured."""
    return f" {ASSUMED}." if sums.is_mostly_assumed(weights) else ""


def check_length(low: float, high: float, span: float = 1.0) -> None:
    """Refuse an answer that could be nearly anything."""
    if high - low > LONGEST * span:
        raise InputError(
            f"too few people, or too small an epsilon, to say: the answer could be anything from "
            f"{write_per_100(low)} to {write_per_100(high)} of 100"
        )
