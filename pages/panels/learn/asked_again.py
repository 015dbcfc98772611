"""Lesson 12: new noise every day wears off; the same report sent again does not."""

from functools import lru_cache

import numpy as np

from calm_core import choose_oracle, stream
from calm_core.attacks import hit_rate
from calm_core.attacks.daily_reports import repeated_hit_rate
from pages import words
from pages.panels.learn.lesson import Lesson
from pages.panels.learn.one_person import CELLS, EPSILON, draw_guesses
from pages.ui.guessing import Control, Picture, Scale, Values, bars

SAID = words.learn

# Of the question; the last step opens at other values.
DAYS = 30
SHOWN = 10
DAYS_DRAWN = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 60)
EQUAL = np.full(CELLS, 1 / CELLS)


@lru_cache(maxsize=64)
def share_guessed(epsilon: float, days: int) -> float:
    """Return how often the best guess from so many reports is right, each with new noise."""
    return repeated_hit_rate(choose_oracle(CELLS, epsilon), EQUAL, days)


def share_remembered(epsilon: float) -> float:
    """Return the same where one report is sent every day."""
    return hit_rate(choose_oracle(CELLS, epsilon), EQUAL)


def truth(press: int = 0) -> float:
    """Return of 100 guesses after all days those that are right."""
    return 100 * share_guessed(EPSILON, DAYS)


def idea() -> Picture:
    """Draw the reports of one person by the cell they name."""
    cells = np.zeros(SHOWN, dtype=np.int64)
    sent = choose_oracle(CELLS, EPSILON).perturb(cells, rng=stream(0, "asked again"))
    counts = np.bincount(sent, minlength=CELLS).tolist()
    rows = [
        (SAID.cell(name=name), count, "sampling", f"{count}", None)
        for name, count in zip("ABCD", counts)
    ]
    return bars(rows, title=SAID.reports_of_one(days=SHOWN), suffix="")


def predict() -> Picture:
    """Draw whose cell is guessed after one day."""
    once = share_remembered(EPSILON)
    return draw_guesses(once, once, SAID.FIRST_AND_LATER)


def reveal(press: int = 0) -> Picture:
    """Draw whose cell is guessed after all days."""
    found = share_remembered(EPSILON), share_guessed(EPSILON, DAYS)
    return draw_guesses(*found, SAID.FIRST_AND_LATER)


def play(values: Values, press: int = 0) -> tuple[Picture, str]:
    """Draw the share of right guesses over days, with new noise and with the same report."""
    epsilon, days = values["epsilon"], values["days"]
    once, found = share_remembered(epsilon), share_guessed(epsilon, days)
    fresh = [[day, 100 * share_guessed(epsilon, day)] for day in DAYS_DRAWN]
    same = [[day, 100 * once] for day in DAYS_DRAWN]
    lines = [{"color": "sampling", "points": fresh}, {"color": "private", "points": same}]
    texts = [words.numbers.share_of_100(share) for share in (found, once)]
    marks = [[days, 100 * share, text] for share, text in zip((found, once), texts)]
    said = SAID.asked_again(
        epsilon=epsilon, days=days, total=days * epsilon, found=texts[0], once=texts[1]
    )
    ticks = [1, 10, 20, 30, 40, 50, 60]
    x = {"least": 1, "most": DAYS_DRAWN[-1], "ticks": ticks, "title": SAID.DAYS}
    y = {"least": 0, "most": 100, "title": SAID.RIGHT_OF_100}
    legend = tuple(zip(("sampling", "private"), SAID.WAYS_TO_SEND))
    data = {"lines": lines, "marks": marks, "x": x, "y": y}
    return Picture("curves", said, "", legend, data), said


def facts() -> dict[str, str]:
    """Return the right guesses after one day, for the words."""
    return {"once": words.numbers.wrong(share_remembered(EPSILON))}


def lesson() -> Lesson:
    """Return the lesson in the current language."""
    return Lesson(
        key="again", guess=Scale(0, 100, 1, suffix=SAID.SUFFIX_OF_100), truth=truth, facts=facts,
        idea=idea, predict=predict, reveal=reveal, play=play,
        controls=(
            Control("days", SAID.DAYS, DAYS_DRAWN, 7),
            Control("epsilon", SAID.PRIVACY, (0.2, 0.5, 1.0, 2.0), 0.5, "{:g}".format),
        ),
        take=lambda values: {"epsilon": values["epsilon"], "k": 2}, page="attack", view="asked-again",
    )  # fmt: skip
