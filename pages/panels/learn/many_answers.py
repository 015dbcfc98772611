"""Lesson 4: one report carries an answer to many questions, and many cells cost accuracy."""

import math

import numpy as np

from calm_core import choose_oracle, stream
from pages import words
from pages.panels.learn.lesson import Lesson
from pages.ui.guessing import Control, Picture, Scale, Values, bars

SAID = words.learn

PEOPLE = 20_000
# Of the question.
EPSILON, FEW, MANY = 1.0, 2, 6


def true_shares(questions: int) -> np.ndarray:
    """Return the shares of the 2^questions answer patterns of a generated population."""
    one = np.array([0.7, 0.3])
    shares = np.ones(1)
    for i in range(questions):
        tilt = 0.12 * (i % 3)
        shares = np.kron(shares, one + np.array([-tilt, tilt]))
    return shares


def expected_wrong(questions: int) -> float:
    """Return the expected share of people in the wrong cell; shares may be negative."""
    shares = true_shares(questions)
    variances = choose_oracle(len(shares), EPSILON).variance(PEOPLE, shares)
    return math.sqrt(1 / (2 * math.pi)) * float(np.sqrt(variances).sum())


def ask_everyone(questions: int, press: int) -> tuple[np.ndarray, np.ndarray, str]:
    """Return true and noisy shares of all patterns, and the oracle's name."""
    shares = true_shares(questions)
    rng = stream(press, "patterns", questions)
    counts = rng.multinomial(PEOPLE, shares)
    oracle = choose_oracle(len(shares), EPSILON)
    noisy = oracle.estimate(oracle.simulate(counts[None], rng=rng)[0], PEOPLE)
    return counts / PEOPLE, noisy, oracle.name


def truth(press: int = 0) -> float:
    """Return people of 100 expected in the wrong cell with many questions."""
    return 100 * expected_wrong(MANY)


def draw_grid(questions: int, marked: int) -> dict:
    """Return a grid of all answer patterns with one of them marked."""
    columns = 2 ** math.ceil(questions / 2)
    count = 2**questions
    label = SAID.some_patterns(count=count)
    return {"count": count, "columns": columns, "marked": marked, "label": label}


def idea() -> Picture:
    """Draw one pattern among those of four questions."""
    grid = draw_grid(4, 9) | {"label": SAID.YES_NO_NO_YES}
    return Picture("grids", SAID.ONE_FILLED, SAID.ONE_PATTERN, data={"grids": [grid]})


def predict() -> Picture:
    """Draw 4 patterns beside 64."""
    grids = [draw_grid(FEW, 2), draw_grid(MANY, 37)]
    return Picture("grids", SAID.FEW_AND_MANY, SAID.ONE_VALUE, data={"grids": grids})


def reveal(press: int = 0) -> Picture:
    """Draw people in the wrong cell for every number of questions."""
    rows = []
    for questions in range(1, MANY + 1):
        value = expected_wrong(questions)
        color = "reconstructed" if questions in (FEW, MANY) else "faint"
        rows.append((f"{questions}", 100 * value, color, words.numbers.share_of_100(value), None))
    alt = ", ".join(f"{row[0]}: {row[3]}" for row in rows)
    title, axis = SAID.WRONG_OF_100, SAID.IN_ONE_REPORT
    return bars(rows, alt, title, axis=axis, suffix="")


def play(values: Values, press: int = 0) -> tuple[Picture, str]:
    """Draw true and noisy shares of all patterns."""
    questions = values["questions"]
    true, noisy, oracle = ask_everyone(questions, press)
    off = np.abs(noisy - true)
    # Both are of this collection, which may be better than usual.
    said = SAID.patterns(
        count=len(true), oracle=SAID.PATTERN_REPORTS[oracle], wrong=words.numbers.share_of_100(off.sum() / 2),
        worst=float(off.max()), expected=words.numbers.share_of_100(expected_wrong(questions)),
    )  # fmt: skip
    places = range(len(true))
    letters = SAID.LETTERS
    labels = ["".join(letters[(c >> i) & 1] for i in reversed(range(questions))) for c in places]
    rows = [
        (label, 100 * seen, "reconstructed", None, 100 * real)
        for label, real, seen in zip(labels, true, noisy)
    ]
    legend = (("true", SAID.TRUE), ("reconstructed", SAID.RECONSTRUCTED))
    return bars(rows, said, SAID.LETTERS_MEAN, legend, axis=SAID.PATTERNS), said


def lesson() -> Lesson:
    """Return the lesson in the current language."""
    return Lesson(
        key="patterns", guess=Scale(0, 60, 1, suffix=SAID.SUFFIX_OF_100), truth=truth,
        idea=idea, predict=predict, reveal=reveal, play=play,
        controls=(Control("questions", SAID.IN_ONE_REPORT, tuple(range(1, 7)), 3),),
        take=lambda values: {"epsilon": EPSILON, "k": min(values["questions"], 3)}, page="plan",
        again=SAID.ASK_AGAIN,
    )  # fmt: skip
