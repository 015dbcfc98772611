"""Lesson 13: a few people who send what they like move a table by much."""

import numpy as np

from calm_core import choose_oracle
from pages import words
from pages.panels.learn.lesson import Lesson
from pages.ui.guessing import Control, Picture, Scale, Values, bars, people

SAID = words.learn

# Neither, drank, smoked, both.
TRUE = np.array([0.43, 0.39, 0.06, 0.12])
TARGET = 3
# Of the question; the last step opens at other values.
SHARE, EPSILON = 0.05, 1.0
SENDS, LIES = "itself", "noisy"


def reconstruct(share: float, epsilon: float, kind: str) -> np.ndarray:
    """Return the expected reconstructed shares of all cells with so many liars, unprocessed."""
    oracle, pushed = choose_oracle(len(TRUE), epsilon), np.eye(len(TRUE))[TARGET]
    # The share of reports that name each cell.
    honest = oracle.q + oracle.gap * TRUE
    lied = pushed if kind == SENDS else oracle.q + oracle.gap * pushed
    return oracle.estimate((1 - share) * honest + share * lied, 1)


def find_gain(share: float, epsilon: float, kind: str) -> float:
    """Return by how much the cell is lifted."""
    return float(reconstruct(share, epsilon, kind)[TARGET] - TRUE[TARGET])


def truth(press: int = 0) -> float:
    """Return by how many points the cell is lifted."""
    return 100 * find_gain(SHARE, EPSILON, SENDS)


def _draw(shares: np.ndarray, title: str, alt: str = "", lied: bool = True) -> Picture:
    """Draw reconstructed and true shares."""
    texts = [words.numbers.percent(share, 0) for share in shares]
    colors = ["reconstructed"] * len(shares)
    legend = [("true", SAID.TRUE), ("reconstructed", SAID.RECONSTRUCTED)]
    if lied:
        colors[TARGET] = "sampling"
        legend.append(("sampling", SAID.LIFTED))
    rows = list(zip(SAID.CELL_NAMES, 100 * shares, colors, texts, 100 * TRUE))
    return bars(rows, alt, title, legend)


def idea() -> Picture:
    """Draw who lies."""
    count = round(100 * SHARE)
    colors = ["line"] * (100 - count) + ["sampling"] * count
    legend = tuple(zip(("muted", "sampling"), SAID.HONEST_AND_LIARS))
    alt = ", ".join(text for _, text in legend)
    return people(colors, alt, SAID.WHO_LIES, legend)


def predict() -> Picture:
    """Draw the table as it is without liars, on average."""
    return _draw(TRUE, SAID.HONEST, lied=False)


def reveal(press: int = 0) -> Picture:
    """Draw the table with liars."""
    return _draw(reconstruct(SHARE, EPSILON, SENDS), SAID.WITH_LIARS)


def play(values: Values, press: int = 0) -> tuple[Picture, str]:
    """Draw the table with other liars."""
    chosen = values["liars"] / 100, values["epsilon"], values["kind"]
    shares, lifted = reconstruct(*chosen), find_gain(*chosen)
    weight, possible = lifted / chosen[0] + TRUE[TARGET], 0 <= shares.min() <= shares.max() <= 1
    said = SAID.lift_text(*chosen[:2], lifted, weight, possible)
    return _draw(shares, SAID.WITH_LIARS, said), said


def lesson() -> Lesson:
    """Return the lesson in the current language."""
    return Lesson(
        key="liars", guess=Scale(0, 25, 1, suffix=SAID.SUFFIX_POINTS, ticks=5), truth=truth,
        idea=idea, predict=predict, reveal=reveal, play=play,
        controls=(
            Control("liars", SAID.LIARS, (1, 2, 5, 10), 2, lambda v: SAID.of_people(count=v, people=100)),
            Control("epsilon", SAID.PRIVACY, (0.2, 0.5, 1.0, 2.0, 4.0), 0.5, "{:g}".format),
            Control("kind", SAID.HOW_THEY_LIE, (SENDS, LIES), SENDS, SAID.LIES.__getitem__),
        ),
        take=lambda values: {"epsilon": values["epsilon"], "k": 2}, page="attack", view="liars",
    )  # fmt: skip
