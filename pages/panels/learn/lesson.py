"""The parts of a lesson: four steps, a guess, a picture for each step, and controls."""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pages import words
from pages.words.learn import LessonText

IDEA, PREDICT, REVEAL, PLAY = range(4)
STEP_COUNT = len(words.learn.STEPS)
Values = Mapping[str, Any]


@dataclass(frozen=True)
class Picture:
    """What the component draws, in plain values.

    Attributes
    ----------
    kind : str
        Name of a drawing in components/lesson.js.
    alt : str
        What it shows, in a sentence.
    title : str
        Above it.
    legend : tuple of (str, str)
        Color and text, right of the title; true first.
    data : mapping
        What that drawing needs.
    number : str
        What a lecture shows beside its sentence: "21 of 100".
    """

    kind: str
    alt: str
    title: str = ""
    legend: tuple[tuple[str, str], ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    number: str = ""


@dataclass(frozen=True)
class Scale:
    """A number to guess between `least` and `most`, in steps; `how` says how the answer is meant."""

    least: float
    most: float
    step: float
    prefix: str = ""
    suffix: str = ""
    ticks: int = 4
    how: str = ""

    def format_value(self, value: float) -> str:
        """Return a value as text, as precise as a guess.

        >>> Scale(1, 16, 0.1, suffix="×").format_value(1.518)
        '1.5×'
        """
        return f"{self.prefix}{self.round_to_step(value):g}{self.suffix}"

    def round_to_step(self, value: float) -> float:
        """Return the nearest value that can be guessed."""
        decimals = max(0, -math.floor(math.log10(self.step)))
        steps = round((value - self.least) / self.step)
        return round(self.least + steps * self.step, decimals)

    def parse_guess(self, value: object) -> float | None:
        """Return a guess as a number on this scale, or None."""
        if isinstance(value, (int, float)) and self.least <= value <= self.most:
            return self.round_to_step(value)
        return None

    def answer_text(self, truth: float, guess: float | None) -> str:
        """Return the truth beside the guess, in words."""
        truth = self.round_to_step(truth)
        guessed = "" if guess is None else self.format_value(guess)
        return words.learn.compare_guess(truth, guess, self.format_value(truth), guessed, self.how)

    def to_dict(self) -> dict:
        """Return the data of the component."""
        span = self.most - self.least
        ticks = [self.least + span * i / self.ticks for i in range(self.ticks + 1)]
        return asdict(self) | {"ticks": [self.round_to_step(tick) for tick in ticks]}


@dataclass(frozen=True)
class Control:
    """A setting of the last step.

    Attributes
    ----------
    key : str
        Its name among the values that `Lesson.play` is given.
    options : tuple
        What can be chosen; numbers are drawn as a slider, words as segments.
    default : object
        One of the options; never the case that the question is about.
    form : callable
        How an option is written.
    only : tuple of (str, str), optional
        Another control and the value at which this one is there.
    """

    key: str
    label: str
    options: tuple
    default: Any
    form: Callable[[Any], str] = str
    only: tuple[str, str] | None = None

    def is_shown(self, values: Values) -> bool:
        """Return whether it is shown, given the values of the controls before it."""
        return self.only is None or values[self.only[0]] == self.only[1]


@dataclass(frozen=True)
class Lesson:
    """One lesson: idea, predict, reveal, play. All functions are pure.

    Attributes
    ----------
    key : str
        Name in addresses.
    text : LessonText
        Its words.
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
    page : str
        Page of the Lab that continues it.
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
    text: LessonText
    guess: Scale
    truth: Callable[[int], float]
    idea: Callable[[], Picture]
    predict: Callable[[], Picture]
    reveal: Callable[[int], Picture]
    play: Callable[[Values, int], tuple[Picture, str]]
    controls: tuple[Control, ...]
    take: Callable[[Values], dict[str, Any]]
    page: str
    expected: Callable[[], str] | None = None
    again: str = ""
    chance: bool = False
    by_chance: Callable[[Values], bool] = lambda values: True
    facts: Callable[[], dict[str, str]] = dict

    def expected_answer(self) -> str:
        """Return the answer for the teacher's sheet."""
        if self.expected is not None:
            return self.expected()
        return words.learn.expected_text(self.guess.format_value(self.truth(0)))

    def control_values(self, chosen: Values) -> dict[str, Any]:
        """Return the values of the controls shown; the default where no valid one was chosen."""
        found: dict[str, Any] = {}
        for control in self.controls:
            if control.is_shown(found):
                value = chosen.get(control.key)
                found[control.key] = value if value in control.options else control.default
        return found


def bars(rows, alt: str, title: str = "", legend=(), *, number: str = "", **data) -> Picture:
    """Return bars of (label, value, color, text beside it or None, true value or None)."""
    names = ("label", "value", "color", "text", "true")
    shown = [dict(zip(names, row, strict=True)) for row in rows]
    return Picture(
        "bars", alt, title, tuple(legend), {"bars": shown, "suffix": "%", **data}, number
    )


def people(colors: list[str], alt: str, title: str, legend=(), *, number: str = "") -> Picture:
    """Return people as icons, twenty in a row."""
    return Picture("people", alt, title, tuple(legend), {"colors": colors, "columns": 20}, number)
