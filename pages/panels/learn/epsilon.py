"""Lesson 3: epsilon bounds how much any report can change what is believed about a person."""

import math

import numpy as np

from calm_core.oracles import GRR
from pages import words
from pages.panels.learn.lesson import Lesson
from pages.ui.guessing import Control, Picture, Scale, Values, people

SAID = words.learn

CHOICES = (0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
# Of the question; the last step opens at other values.
EPSILON, PRIOR = 1.0, 0.1
GRID = np.linspace(0, 1, 101)


def posterior(prior, log_odds: float):
    """Return Bayes' posterior: the odds are multiplied by e^log_odds."""
    return prior / (prior + (1 - prior) * math.exp(-log_odds))


def truth(press: int = 0) -> float:
    """Return the largest possible belief, in percent."""
    return 100 * posterior(PRIOR, EPSILON)


def _curve(epsilon: float, alt: str, marks=(), axes: bool = True) -> Picture:
    """Draw the belief after a report over the belief before."""
    lines = [{"color": "faint", "dash": True, "points": [[0, 0], [100, 100]]}]
    for sign, color in ((1, "reconstructed"), (-1, "rebuilding")):
        after = posterior(GRID, sign * epsilon)
        points = [[100 * x, 100 * y] for x, y in zip(GRID, after)]
        lines.append({"color": color, "points": points})
    legend = tuple(zip(("faint", "reconstructed", "rebuilding"), SAID.BELIEFS))
    ticks = [0, 25, 50, 75, 100] if axes else []
    axis = {"least": 0, "most": 100, "ticks": ticks, "suffix": "%"}
    data = {
        "lines": lines, "marks": marks, "x": axis | {"title": SAID.BELIEVED_BEFORE},
        "y": axis | {"title": SAID.BELIEVED_AFTER},
    }  # fmt: skip
    return Picture("curves", alt, "", legend, data)


def idea() -> Picture:
    """Draw the area between the two curves, without numbers."""
    return _curve(EPSILON, SAID.LENS, axes=False)


def _believed(sure: int, alt: str, title: str) -> Picture:
    before = round(100 * PRIOR)
    colors = ["faint"] * before + ["reconstructed"] * (sure - before) + ["line"] * (100 - sure)
    legend = (("faint", SAID.before(count=before)),)
    if sure > before:
        legend += (("reconstructed", SAID.more_after(count=sure - before)),)
    return people(colors, alt, title, legend)


def predict() -> Picture:
    """Draw the belief before the report, as people."""
    return _believed(10, SAID.like_this(count=10), SAID.LIKE_HER)


def reveal(press: int = 0) -> Picture:
    """Draw the belief after the report."""
    sure = round(truth())
    return _believed(sure, SAID.after_yes(count=sure), SAID.LIKE_HER_AFTER)


def play(values: Values, press: int = 0) -> tuple[Picture, str]:
    """Draw the curves at the chosen epsilon and prior."""
    epsilon, before = values["epsilon"], values["prior"] / 100
    most, least = (posterior(before, sign * epsilon) for sign in (1, -1))
    bounds = words.numbers.upper_percent(most), words.numbers.lower_percent(least)
    said = SAID.belief(
        epsilon=epsilon, before=words.numbers.percent(before, 0), most=bounds[0], least=bounds[1],
        factor=math.exp(epsilon),
    )  # fmt: skip
    oracle = GRR(epsilon, 2)
    marks = [[100 * before, 100 * y, text] for y, text in zip((most, least), bounds)]
    return _curve(epsilon, said, marks), f"{said} {SAID.people_text(yes=oracle.p, no=oracle.q)}"


PRIORS = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99)


def lesson() -> Lesson:
    """Return the lesson in the current language."""
    return Lesson(
        key="epsilon", guess=Scale(0, 100, 1, suffix="%"), truth=truth, idea=idea,
        predict=predict, reveal=reveal, play=play,
        controls=(
            Control("epsilon", SAID.PRIVACY, CHOICES, 2.0, lambda v: f"{v:g}"),
            Control("prior", SAID.BELIEVED_BEFORE, PRIORS, 30, lambda v: f"{v}%"),
        ),
        take=lambda values: {"epsilon": values["epsilon"]}, page="marginals",
    )  # fmt: skip
