"""A guess before an answer: a picture, and below it a line to drag on."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import streamlit as st

from pages import words
from pages.ui import frame

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
    """A setting to play with.

    Attributes
    ----------
    key : str
        Its name among the values.
    options : tuple
        What can be chosen; numbers are drawn as a slider, words as segments.
    default : object
        One of the options; never the case that the question is about.
    form : callable
        How an option is written.
    """

    key: str
    label: str
    options: tuple
    default: Any
    form: Callable[[Any], str] = str


def control_values(
    controls: Iterable[Control], choose: Callable[[Control], object]
) -> dict[str, Any]:
    """Return what `choose` gives for the controls; the default where that is no option."""
    values: dict[str, Any] = {}
    for control in controls:
        value = choose(control)
        values[control.key] = value if value in control.options else control.default
    return values


def draw_control(control: Control, key: str) -> object:
    """Show a control and return what it says."""
    common = {"format_func": control.form, "key": key, "persist_state": "session"}
    if isinstance(control.default, str):
        return st.segmented_control(
            control.label, control.options, default=control.default, required=True, width="content", **common
        )  # fmt: skip
    return st.select_slider(control.label, control.options, control.default, width=280, **common)


def bars(rows, alt: str = "", title: str = "", legend=(), *, number: str = "", **data) -> Picture:
    """Return bars of (label, value, color, text beside it or None, true value or None); without `alt` labels and texts say it."""
    names = ("label", "value", "color", "text", "true")
    entries = [dict(zip(names, row, strict=True)) for row in rows]
    alt = alt or ", ".join(f"{row['label']} {row['text']}" for row in entries)
    return Picture(
        "bars", alt, title, tuple(legend), {"bars": entries, "suffix": "%", **data}, number
    )


def people(colors: list[str], alt: str, title: str, legend=(), *, number: str = "") -> Picture:
    """Return people as icons, twenty in a row."""
    return Picture("people", alt, title, tuple(legend), {"colors": colors, "columns": 20}, number)


def curves(lines: list, x: dict, y: dict, alt: str, legend: Iterable = (), marks=()) -> Picture:
    """Draw lines over two axes, with marks at (x, y, text)."""
    data = {"lines": lines, "marks": list(marks), "x": x, "y": y}
    return Picture("curves", alt, "", tuple(legend), data)


def get_guess(key: str) -> float | None:
    """Return what was guessed in this session."""
    return st.session_state.get("guesses", {}).get(key)


def keep_guess(key: str, scale: Scale, value: object) -> None:
    """Keep a guess if it is on its scale."""
    guess = scale.parse_guess(value)
    if guess is not None:
        st.session_state.setdefault("guesses", {})[key] = guess


def forget_guess(key: str) -> None:
    """Forget what was guessed."""
    st.session_state.get("guesses", {}).pop(key, None)


def picture_data(
    key: str, picture: Picture, scale: Scale, guess: float | None, *, asks: bool, begins: bool = False,
    truth: float | None = None, answer: str = "",
) -> dict:  # fmt: skip
    """Return the data of the component "lesson_picture".

    Parameters
    ----------
    key : str
        Under which this tab remembers the guess.
    picture : Picture
    scale : Scale
    guess : float or None
    asks : bool
        Whether a guess can be made now.
    begins : bool
        Whether an older guess is forgotten.
    truth : float, optional
        The answer, once it may be seen.
    answer : str
        What the answer is called beside the guess.
    """
    lecture = frame.is_lecture()
    # Where a room has guessed aloud, the answer is the number beside the title.
    compares = truth is not None and not (lecture and guess is None)
    # At the end of the scale where it lies beyond.
    place = None if truth is None else scale.round_to_step(min(max(truth, scale.least), scale.most))
    learn = words.learn
    texts = {
        "label": learn.YOUR_GUESS if truth is None else learn.GUESS_AND_ANSWER, "answer": answer,
        "says": "" if truth is None else scale.answer_text(truth, guess),
    }  # fmt: skip
    return {
        "lesson": key, "lecture": lecture, "open": asks, "begins": begins,
        "wanted": not begins and guess is None,
        "picture": {
            "kind": picture.kind, "alt": picture.alt, "title": picture.title,
            "legend": [list(item) for item in picture.legend], "data": dict(picture.data),
        },
        "guess": scale.to_dict() if asks or compares else None, "value": guess, "truth": place,
        "words": learn.PICTURE | texts,
    }  # fmt: skip
