"""What is known of a class: shares, pairs, links, and how sure all this is."""

from dataclasses import dataclass

import numpy as np

from calm_core.classroom.tallies import Collected
from calm_core.tables.dataset import Dataset

# Below this many reports no estimate is made at all.
FEWEST_REPORTS = 10
# A link is told as a direction only while a half-width exceeds this.
DIRECTION_ONLY = 0.10


@dataclass(frozen=True, eq=False)
class Table:
    """A table over one or more questions: fractions with their 95% interval, and how many were asked.

    Attributes
    ----------
    names : tuple of str
        The questions' short names, axis by axis.
    values, low, high : ndarray
        Fractions of the class, one axis a question.
    asked : int
        Reports of phones that were asked all of these questions together; for one question, of phones
        that were asked it.
    half_width : float
        The largest half-width of an interval.
    """

    names: tuple[str, ...]
    values: np.ndarray
    low: np.ndarray
    high: np.ndarray
    asked: int

    @property
    def half_width(self) -> float:
        raise NotImplementedError


@dataclass(frozen=True)
class Link:
    """Which answers of two questions go together more often than by chance.

    Attributes
    ----------
    first, second : str
        The questions.
    first_choice, second_choice : int
        The answers that go together most: code of the cell whose share exceeds the product most.
    excess : float
        By how much it does, as a fraction of the class.
    half_width : float
        Of the 95% interval of that cell.
    direction_only : bool
        Whether it is too unsure to tell more than the direction.
    asked : int
        Reports of phones that were asked both.
    """

    first: str
    second: str
    first_choice: int
    second_choice: int
    excess: float
    half_width: float
    direction_only: bool
    asked: int


class Results:
    """What follows from the reports of a class. Made by `results`."""

    collected: Collected
    method: str

    def raw(self, name: str) -> Table:
        """What arrived: the shares in the raw reports, before the noise is taken out (low = high = values)."""
        raise NotImplementedError

    def share(self, name: str) -> Table | None:
        """The shares of one question with intervals; None where nobody was asked yet."""
        raise NotImplementedError

    def pair(self, first: str, second: str) -> Table | None:
        """The table of two questions; None where either was not asked yet."""
        raise NotImplementedError

    def links(self) -> list[Link]:
        """All pairs of questions, the strongest link first."""
        raise NotImplementedError

    def few(self) -> list[tuple[str, str]]:
        """Pairs of questions that no phone has reported on together: "too few reports"."""
        raise NotImplementedError


def results(collected: Collected, method: str = "calm_plus") -> Results:
    """What the reports say by CALM+ ("calm_plus"), or by CALM ("calm"; the same intervals do not apply:
    low = high = values).

    Raises
    ------
    InputError
        With fewer than 10 reports.
    """
    raise NotImplementedError


def invent(found: Results, n: int = 10_000, *, rng: np.random.Generator) -> Dataset:
    """People drawn from CALM+'s table over all questions: a population like this class.

    Raises
    ------
    InfeasibleError
        If the table would be too large.
    """
    raise NotImplementedError


def more_of_you(found: Results, n: int, *, rng: np.random.Generator) -> Results:
    """What n invented people like this class would report by the same plan. Not knowledge: a picture of
    how intervals shrink."""
    raise NotImplementedError


@dataclass(frozen=True)
class Hands:
    """A show of hands against an estimate: `inside` says whether the share counted lies in the interval."""

    share: float
    low: float
    high: float
    inside: bool


def show_of_hands(found: Results, name: str, choice: int, hands: int, people: int) -> Hands:
    """Hands counted in public for one answer, against its 95% interval."""
    raise NotImplementedError
