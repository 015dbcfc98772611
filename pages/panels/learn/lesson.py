"""The parts of a lesson: four steps, a guess, a picture for each step, and controls."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, ClassVar

from pages import words
from pages.ui.guessing import Control, Picture, Scale, Values, bars, people

SAID = words.learn

IDEA, PREDICT, REVEAL, PLAY = range(4)
STEP_COUNT = len(SAID.STEPS)


def share_bars(
    shares: Iterable[tuple[str, float, str]], title: str, alt: str = "", **data
) -> Picture:
    """Draw (name, share, color) as bars of people of 100."""
    rows = [
        (name, 100 * share, color, words.numbers.share_of_100(share), None)
        for name, share, color in shares
    ]
    return bars(rows, alt, title, suffix="", **data)


def some_people(
    flags: Sequence[bool], title: str, alt: Callable, yes: Callable, no: Callable
) -> Picture:
    """Draw people as icons, filled where flagged; `yes` and `no` say how many, `alt` how many of all."""
    count, all_of_them = int(sum(flags)), len(flags)
    colors = ["reconstructed" if flag else "line" for flag in flags]
    legend = (("reconstructed", yes(count=count)), ("muted", no(count=all_of_them - count)))
    number = SAID.of_people(count=count, people=all_of_them)
    return people(colors, alt(count=count, people=all_of_them), title, legend, number=number)


def draw_gain(before: float, after: float, names, alt: str, title="", color="sampling") -> Picture:
    """Draw 100 people: the share counted before, and in color who is counted only after, by the `names` of both."""
    first, last = round(100 * before), round(100 * after)
    counts = {"faint": first, color: last - first, "line": 100 - last}
    colors = [name for name, count in counts.items() for _ in range(count)]
    parts = zip(counts.items(), names)
    legend = tuple((shade, f"{count} {name}") for (shade, count), name in parts if count)
    return people(colors, alt, title or alt, legend)


def draw_grid(questions: int, marked: int) -> dict[str, Any]:
    """Return a grid of all answer patterns of some yes/no questions, with one of them marked."""
    count = 2**questions
    columns = 2 ** (questions - questions // 2)
    label = SAID.some_patterns(count=count)
    return {"count": count, "columns": columns, "marked": marked, "label": label}


def grids(patterns: list[dict], alt: str, title: str) -> Picture:
    """Draw grids side by side."""
    return Picture("grids", alt, title, data={"grids": patterns})


class Lesson(ABC):
    """One lesson: idea, predict, reveal, play. A lesson keeps nothing: its pictures follow from their arguments.

    `press` is how often everybody has been asked again.

    Attributes
    ----------
    key : str
        Name in addresses.
    page, view : str
        Page of the app that continues it, and its view.
    lab_settings : mapping
        Settings that the Lab takes over, besides the chosen epsilon.
    case : mapping
        Values of the controls that the question is about.
    random_steps : tuple of int
        Steps whose picture is another when everybody is asked again.
    guess : Scale
        How the answer is guessed.
    controls : tuple of Control
        Settings of the last step.
    """

    key: ClassVar[str]
    page: ClassVar[str]
    view: ClassVar[str] = ""
    lab_settings: ClassVar[dict[str, Any]] = {}
    case: ClassVar[Mapping[str, Any]] = {}
    random_steps: ClassVar[tuple[int, ...]] = ()
    guess: Scale
    controls: tuple[Control, ...]

    @abstractmethod
    def truth(self, press: int = 0) -> float:
        """Return the answer."""

    @abstractmethod
    def idea(self) -> Picture:
        """Draw the idea."""

    @abstractmethod
    def predict(self) -> Picture:
        """Draw what is known before the guess."""

    @abstractmethod
    def play(self, values: Values, press: int = 0) -> Picture:
        """Draw the values of the controls; the sentence below the question is what the picture shows (`alt`)."""

    def reveal(self, press: int = 0) -> Picture:
        """Draw the answer."""
        return self.play(self.case, press)

    def take(self, values: Values) -> dict[str, Any]:
        """Return settings of the Lab for the values of the controls."""
        return {key: values[key] for key in ("epsilon", "k") if key in values} | self.lab_settings

    @property
    def setup(self) -> str:
        """What one has to know for the question."""
        return self.text.setup.format(**self.facts())

    def facts(self) -> dict[str, str]:
        """Return what the words of `text.setup` leave open."""
        return {}

    def expected_answer(self) -> str:
        """Return the answer for the teacher's sheet, by default that of the first asking."""
        return SAID.expected_text(self.guess.format_value(self.truth()))

    @property
    def text(self) -> SimpleNamespace:
        """Its words."""
        return SAID.lesson(self.key)
