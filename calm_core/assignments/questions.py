"""Questions that a program can check: reach a goal, read a number, choose an answer.

`judge` returns why an answer is wrong, "" where it is right.
"""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from calm_core._checks import check_choice, check_count, set_fields
from calm_core.assignments.measures import MEASURES, Cell, format_measure
from calm_core.classroom.survey import check_text
from calm_core.errors import InputError
from calm_core.text import format_number

# Characters of a text; points of a question.
MAX_TEXT, MAX_POINTS = 400, 20
SIDES: dict[str, Callable[[float, float], bool]] = {"most": operator.le, "least": operator.ge}
Value = float | str | None
# The number of a measure for a cell, with the settings of an answer.
Find = Callable[[str, Cell], float]


def _check_number(what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{what} ({str(value):.40}) must be a number")
    return value


@dataclass(frozen=True)
class Bound:
    """A limit of a measure, such as at most 5 people of 100 in the wrong cell.

    Parameters
    ----------
    measure : str
        Key of `MEASURES`; not one about a cell.
    side : {"most", "least"}
    value : float
        In the unit of the measure.

    Examples
    --------
    >>> print(Bound("wrong", "most", 5))
    people of 100 in the wrong cell, mean of all tables: at most 5
    """

    measure: str
    side: str
    value: float

    def __post_init__(self):
        without_cell = [name for name, measure in MEASURES.items() if not measure.has_cell]
        check_choice("measure of a goal", self.measure, without_cell)
        check_choice("side", self.side, SIDES)
        _check_number("the limit of a goal", self.value)

    def __str__(self) -> str:
        return f"{MEASURES[self.measure].title}: at {self.side} {format_measure(self.value)}"

    def holds(self, measured: float) -> bool:
        """Whether a number is within the limit."""
        return SIDES[self.side](measured, self.value)


class _Question:
    """A question that the grader can answer and that shows no measure."""

    @property
    def shown_measures(self) -> tuple[str, ...]:
        """The measures that students see beside the question: none."""
        return ()

    @property
    def has_key(self) -> bool:
        """Whether the right answer is known, or computed by the grader."""
        return True

    def public(self) -> Self:
        """The question without its key."""
        return self


@dataclass(frozen=True)
class Goal(_Question):
    """Choose settings so that every limit holds in one's own collection.

    Parameters
    ----------
    text : str
        The question.
    bounds : tuple of Bound
        The limits, each of another measure.
    points : int
        For a right answer.
    """

    text: str
    bounds: tuple[Bound, ...]
    points: int = 1
    cell: ClassVar[Cell] = ()

    def __post_init__(self):
        _check_question(self)
        if not self.bounds or len(set(self.shown_measures)) < len(self.bounds):
            raise InputError(f"{self.text!r:.40} needs at least one limit, and one a measure")

    @property
    def shown_measures(self) -> tuple[str, ...]:
        """The measures that students see while they look for settings."""
        return tuple(bound.measure for bound in self.bounds)

    def judge(self, value: Value, find: Find) -> str:
        """Why the settings miss a limit."""
        reasons = [
            f"{bound}, but it is {format_measure(truth)}"
            for bound in self.bounds
            if not bound.holds(truth := find(bound.measure, ()))
        ]
        return "; ".join(reasons)


@dataclass(frozen=True)
class Number(_Question):
    """Read a number from one's own collection.

    Parameters
    ----------
    text : str
        The question.
    measure : str
        Key of `MEASURES`: the number asked for.
    tolerance : float
        Distance from it that is still right, above 0.
    cell : tuple of str
        For a share, its values such as "smoked=yes".
    points : int
        For a right answer.
    """

    text: str
    measure: str
    tolerance: float
    cell: Cell = ()
    points: int = 1

    def __post_init__(self):
        _check_question(self)
        check_choice("measure", self.measure, MEASURES)
        if _check_number("tolerance", self.tolerance) <= 0:
            raise InputError(f"tolerance ({self.tolerance}) must be above 0")
        if bool(self.cell) != MEASURES[self.measure].has_cell:
            rule = "needs" if MEASURES[self.measure].has_cell else "must not have"
            raise InputError(f"{self.text!r:.40} {rule} a cell such as smoked=yes")

    def judge(self, value: Value, find: Find) -> str:
        """Why the number is wrong."""
        if not isinstance(value, int | float):
            return "no number given"
        truth = find(self.measure, self.cell)
        # A little more: 0.1 is no binary number.
        if abs(value - truth) <= self.tolerance * (1 + 1e-9):
            return ""
        return f"{value:.6g} is not {format_measure(truth)}, within {format_number(self.tolerance)}"


@dataclass(frozen=True)
class Option:
    """An answer to choose, why it is right or wrong, and whether it is the right one."""

    text: str
    reason: str = ""
    right: bool = False

    def __post_init__(self):
        set_fields(self, text=check_text("an answer to choose", self.text, MAX_TEXT))


@dataclass(frozen=True)
class Choice(_Question):
    """Choose the right answer; without a key no option is the right one.

    Parameters
    ----------
    text : str
        The question.
    options : tuple of Option
        2 to 6, at most one of them right.
    points : int
        For a right answer.
    """

    text: str
    options: tuple[Option, ...]
    points: int = 1
    cell: ClassVar[Cell] = ()

    def __post_init__(self):
        _check_question(self)
        texts = {option.text for option in self.options}
        if not 2 <= len(texts) == len(self.options) <= 6:
            raise InputError(f"{self.text!r:.40} needs 2 to 6 different answers to choose")
        if sum(option.right for option in self.options) > 1:
            raise InputError(f"{self.text!r:.40} must have one right answer")

    @property
    def has_key(self) -> bool:
        """Whether the right answer is known."""
        return any(option.right for option in self.options)

    def public(self) -> Self:
        """The question without its key."""
        return replace(self, options=tuple(Option(option.text) for option in self.options))

    def judge(self, value: Value, find: Find) -> str:
        """Why the answer is wrong, in the words of its reason."""
        for option in self.options:
            if value == option.text:
                return "" if option.right else option.reason or f"not {option.text!r}"
        return "none of the answers was chosen"


Question = Goal | Number | Choice


def _check_question(question: Question) -> None:
    set_fields(
        question,
        text=check_text("a question", question.text, MAX_TEXT),
        points=check_count("points", question.points, high=MAX_POINTS),
    )
