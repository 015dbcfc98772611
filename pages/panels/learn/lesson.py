"""The parts of a lesson: four steps, a guess, a picture for each step, and controls."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pages import words
from pages.ui.guessing import Control, Picture, Scale, Values, bars, people
from pages.words.learn import LessonText

SAID = words.learn

IDEA, PREDICT, REVEAL, PLAY = range(4)
STEP_COUNT = len(SAID.STEPS)


def share_bars(
    found: Iterable[tuple[str, float, str]], title: str, alt: str = "", **data
) -> Picture:
    """Draw (name, share, color) as bars of people of 100."""
    rows = [
        (name, 100 * share, color, words.numbers.share_of_100(share), None)
        for name, share, color in found
    ]
    return bars(rows, alt, title, suffix="", **data)


def some_people(
    flags: Sequence[bool], title: str, alt: Callable, those: Callable, others: Callable
) -> Picture:
    """Draw people as icons, filled where flagged; `those` and `others` say how many, `alt` how many of all."""
    count, all_of_them = int(sum(flags)), len(flags)
    colors = ["reconstructed" if flag else "line" for flag in flags]
    legend = (("reconstructed", those(count=count)), ("muted", others(count=all_of_them - count)))
    number = SAID.of_people(count=count, people=all_of_them)
    return people(colors, alt(count=count, people=all_of_them), title, legend, number=number)


@dataclass(frozen=True)
class Lesson:
    """One lesson: idea, predict, reveal, play. All functions are pure.

    Attributes
    ----------
    key : str
        Name in addresses.
    guess : Scale
        How the answer is guessed.
    truth : callable
        The answer, given how often everybody has been asked again.
    idea, predict : callable
        The pictures before anything is revealed.
    reveal : callable
        The picture with the answer, given the same number.
    play : callable
        Picture and sentence, given the values of the controls and the same number.
    controls : tuple of Control
        Settings of the last step.
    take : callable
        Settings of the Lab, given the values of the controls.
    page, view : str
        Page of the app that continues it, and its view.
    expected : callable, optional
        The answer for the teacher's sheet, where it is not the truth of the first asking.
    again : str
        Label of the button that asks everybody again; "" where nothing is random.
    chance : bool
        Whether the picture with the answer too is another when everybody is asked again.
    by_chance : callable
        Whether that of the last step is, given the values of the controls.
    facts : callable
        What the words of `text.setup` leave open.
    """

    key: str
    guess: Scale
    truth: Callable[[int], float]
    idea: Callable[[], Picture]
    predict: Callable[[], Picture]
    reveal: Callable[[int], Picture]
    play: Callable[[Values, int], tuple[Picture, str]]
    controls: tuple[Control, ...]
    take: Callable[[Values], dict[str, Any]]
    page: str
    view: str = ""
    expected: Callable[[], str] | None = None
    again: str = ""
    chance: bool = False
    by_chance: Callable[[Values], bool] = lambda values: True
    facts: Callable[[], dict[str, str]] = dict

    @property
    def text(self) -> LessonText:
        """Its words."""
        return SAID.lesson(self.key)

    def expected_answer(self) -> str:
        """Return the answer for the teacher's sheet."""
        if self.expected is not None:
            return self.expected()
        return SAID.expected_text(self.guess.format_value(self.truth(0)))
