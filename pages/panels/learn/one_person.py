"""Lesson 11: what one report is worth to somebody who guesses the person's cell."""

import numpy as np

from calm_core import choose_oracle
from calm_core.attacks import hit_rate
from pages import words
from pages.panels.learn.lesson import Lesson, share_bars
from pages.panels.learn.many_answers import draw_grid
from pages.ui.guessing import Control, Picture, Scale, Values, people

SAID = words.learn

# Of the question; the last step opens at other values.
CELLS, EPSILON = 4, 1.0


def share_guessed(cells: int, epsilon: float, times: int = 1) -> tuple[float, float]:
    """Return how often the best guess is right without a report and with one.

    The first cell is so many times as common beforehand as each other one.
    """
    prior = np.ones(cells)
    prior[0] = times
    prior /= prior.sum()
    return float(prior[0]), hit_rate(choose_oracle(cells, epsilon), prior)


def truth(press: int = 0) -> float:
    """Return of 100 guesses those that are right."""
    return 100 * share_guessed(CELLS, EPSILON)[1]


def idea() -> Picture:
    """Draw the person's cell, which nobody sees, and the report."""
    grids = [draw_grid(2, -1), draw_grid(2, 2)]
    for grid, label in zip(grids, SAID.HIDDEN_AND_SENT):
        grid["label"] = label
    return Picture("grids", SAID.REPORT_SEEN, SAID.ONE_REPORT, data={"grids": grids})


def draw_guesses(before: float, after: float, names: tuple[str, str], title: str = "") -> Picture:
    """Draw 100 people: whose cell was guessed before, and whose only after."""
    first, found = round(100 * before), round(100 * after)
    colors = ["faint"] * first + ["sampling"] * (found - first) + ["line"] * (100 - found)
    parts = zip(("faint", "sampling"), (first, found - first), names)
    legend = [(color, f"{count} {name}") for color, count, name in parts if count]
    alt = SAID.guesses_right(count=found)
    return people(colors, alt, title or alt, legend, number=SAID.of_people(count=found, people=100))


def predict() -> Picture:
    """Draw whose cell is guessed blindly."""
    blind, _ = share_guessed(CELLS, EPSILON)
    return draw_guesses(blind, blind, SAID.BLIND_AND_SEEN)


def reveal(press: int = 0) -> Picture:
    """Draw whose cell is guessed with a report."""
    return draw_guesses(*share_guessed(CELLS, EPSILON), SAID.BLIND_AND_SEEN)


def play(values: Values, press: int = 0) -> tuple[Picture, str]:
    """Draw how many guesses are right without and with a report."""
    blind, seen = share_guessed(values["cells"], values["epsilon"], values["times"])
    said = SAID.guesses(values["cells"], values["epsilon"], values["times"], blind, seen)
    found = zip(SAID.WAYS_TO_GUESS, (blind, seen), ("faint", "sampling"))
    return share_bars(found, SAID.RIGHT_OF_100, said, most=100), said


def lesson() -> Lesson:
    """Return the lesson in the current language."""
    return Lesson(
        key="person", guess=Scale(0, 100, 1, suffix=SAID.SUFFIX_OF_100), truth=truth,
        idea=idea, predict=predict, reveal=reveal, play=play,
        controls=(
            Control("epsilon", SAID.PRIVACY, (0.2, 0.5, 1.0, 2.0, 4.0), 2.0, "{:g}".format),
            Control("cells", SAID.CELLS, (2, 4, 8, 16, 64), CELLS, "{}".format),
            Control("times", SAID.MORE_COMMON, (1, 2, 3, 5, 10), 1, "{}×".format),
        ),
        take=lambda values: {"epsilon": values["epsilon"], "k": 2}, page="attack", view="one-person",
    )  # fmt: skip
