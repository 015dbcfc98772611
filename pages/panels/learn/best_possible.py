"""Lesson 7: the best possible answer from such reports, and what makes up the rest of the error."""

import math
from itertools import combinations

import numpy as np

from calm_core import choose_oracle, stream
from pages import words
from pages.panels.learn.lesson import Control, Lesson, Picture, Scale, Values, bars

ATTRIBUTES = 8
PAIRS = len(list(combinations(range(ATTRIBUTES), 2)))
# Standard deviations of true correlations, known to the best possible answer.
SPREADS = {"Hardly related": 0.05, "Loosely": 0.15, "Closely": 0.4}
# Of the question.
PEOPLE, EPSILON, KIND = 30_000, 0.5, "Loosely"
TEXT, TITLE = words.learn.REST, "Typical error, as reported = 100"
LEGEND = (("sampling", "as reported"), ("reconstructed", "best possible"))


def reported_error(people: float, epsilon: float) -> float:
    """Return the typical error of a correlation when each person reports on one pair.

    A correlation of yes/no attributes is the sum of four shares with signs: four times the variance of a
    normalized contrast, and what people asked by chance differ from all.
    """
    group = np.array(people / PAIRS)
    noise = 4 * float(choose_oracle(4, epsilon).contrast_variance(group))
    return math.sqrt(noise + 1 / group)


def best_error(error: float, spread: float) -> float:
    """Return the typical error of the posterior mean, given how far the true values scatter.

    Normal true values seen with normal errors: the posterior mean.
    """
    return error * spread / math.hypot(error, spread)


def remaining_errors(people: float, epsilon: float, spread: float) -> tuple[float, float, float]:
    """Return the least possible errors: of these reports, without noise, and with everybody asked everything."""
    sampling = reported_error(people, epsilon), math.sqrt(PAIRS / people), math.sqrt(1 / people)
    reported, asked, everybody = (best_error(error, spread) for error in sampling)
    return reported, asked, everybody


def truth(press: int = 0) -> float:
    """Return how much of 100 is left of the error."""
    error = reported_error(PEOPLE, EPSILON)
    return 100 * best_error(error, SPREADS[KIND]) / error


def idea() -> Picture:
    """Draw true correlations, reported ones, and the best estimates."""
    error, spread = reported_error(PEOPLE, EPSILON), SPREADS[KIND]
    rng = stream(7, "rest")
    true = np.sort(rng.normal(0, spread, PAIRS))
    seen = true + rng.normal(0, error, PAIRS)
    rows = [
        {"true": now, "seen": said, "pulled": said * (spread / math.hypot(error, spread)) ** 2}
        for now, said in zip(true, seen)
    ]
    legend = (("true", "true"), *LEGEND)
    alt, title = words.learn.PAIRS, "Correlation of every pair"
    return Picture("pulls", alt, title, legend, {"rows": rows})


def predict() -> Picture:
    """Draw the reported error as 100."""
    rows = [("as reported", 100.0, "sampling", "100", None)]
    return bars(rows, words.learn.HUNDRED, TITLE, suffix="", most=100)


def reveal(press: int = 0) -> Picture:
    """Draw the reported and the best possible error."""
    found = (("as reported", 100.0, "sampling"), ("best possible", truth(), "reconstructed"))
    rows = [(name, value, color, words.numbers.whole(value), None) for name, value, color in found]
    alt = ", ".join(f"{row[0]} {row[3]}" for row in rows)
    return bars(rows, alt, TITLE, suffix="")


def play(values: Values, press: int = 0) -> tuple[Picture, str]:
    """Draw what is left without noise, and with everybody asked about every pair."""
    people, epsilon, spread = values["people"], values["epsilon"], SPREADS[values["kind"]]
    first, error = reported_error(people, epsilon), remaining_errors(people, epsilon, spread)
    names = ("best possible", "without noise", "and all asked everything")
    found = [
        ("as reported", first, "sampling"),
        *((n, e, "reconstructed") for n, e in zip(names, error)),
    ]
    rows = [(name, e, color, words.numbers.digits(e, 2), None) for name, e, color in found]
    said = words.learn.rest(people, epsilon, first, error)
    return bars(rows, said, "Typical error of a correlation", LEGEND, suffix=""), said


LESSON = Lesson(
    key="rest", text=TEXT, guess=Scale(0, 100, 1), truth=truth,
    idea=idea, predict=predict, reveal=reveal, play=play,
    controls=(
        Control("people", "People", (3_000, 30_000, 300_000, 3_000_000), 30_000, "{:,}".format),
        Control("epsilon", words.learn.PRIVACY, (0.2, 0.5, 1.0, 2.0, 4.0), 1.0, "{:g}".format),
        Control("kind", "Attributes", tuple(SPREADS), KIND),
    ),
    take=lambda values: {"epsilon": values["epsilon"], "method": "calm_plus"}, page="errors",
)  # fmt: skip
