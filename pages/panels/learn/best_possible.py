"""Lesson 7: how near anybody could come with such reports, and what makes up the rest of the error."""

import math
from itertools import combinations

import numpy as np

from calm_core import choose_oracle, stream
from pages import words
from pages.panels.learn.lesson import Control, Lesson, Picture, Scale, Values, bars

ATTRIBUTES = 8
PAIRS = len(list(combinations(range(ATTRIBUTES), 2)))
# How far true correlations scatter around 0, which the best possible answer knows.
SPREADS = {"Hardly related": 0.05, "Loosely": 0.15, "Closely": 0.4}
# The question's.
PEOPLE, EPSILON, KIND = 30_000, 0.5, "Loosely"
TOLD = words.lessons.REST
LEGEND = (("sampling", "as reported"), ("released", "best possible"))


def reported_error(people: float, epsilon: float) -> float:
    """Typical error of a correlation when each person reports on one pair, no report used for another.

    A correlation of yes/no attributes is the sum of four shares with signs: four times the variance of a
    normalised contrast, and what people asked by chance differ from all.
    """
    asked = np.array(people / PAIRS)
    noise = 4 * float(choose_oracle(4, epsilon).contrast_variance(asked))
    return math.sqrt(noise + 1 / asked)


def best_error(error: float, spread: float) -> float:
    """Typical error of who knows how far the true values scatter, and of nobody else less.

    Normal true values seen with normal errors: the posterior mean.
    """
    return error * spread / math.hypot(error, spread)


def remaining_errors(people: float, epsilon: float, spread: float) -> tuple[float, float, float]:
    """The least error possible: of these reports, without their noise, and with all asked everything as well."""
    asked, everybody = math.sqrt(PAIRS / people), math.sqrt(1 / people)
    return (
        best_error(reported_error(people, epsilon), spread), best_error(asked, spread), best_error(everybody, spread),
    )  # fmt: skip


def truth(press: int = 0) -> float:
    """How much of 100 is left of the error."""
    error = reported_error(PEOPLE, EPSILON)
    return 100 * best_error(error, SPREADS[KIND]) / error


def idea() -> Picture:
    """True correlations, reports of them, and the best that can be said."""
    error, spread = reported_error(PEOPLE, EPSILON), SPREADS[KIND]
    rng = stream(7, "rest")
    true = np.sort(rng.normal(0, spread, PAIRS))
    seen = true + rng.normal(0, error, PAIRS)
    rows = [
        {"true": now, "seen": said, "pulled": said * (spread / math.hypot(error, spread)) ** 2}
        for now, said in zip(true, seen)
    ]
    alt = words.lessons.PAIRS
    return Picture(
        "pulls", alt, "Correlation of every pair", (("true", "true"), *LEGEND), {"rows": rows}
    )


def predict() -> Picture:
    """The error as reported, as 100."""
    rows = [("as reported", 100.0, "sampling", "100", None)]
    return bars(
        rows, words.lessons.HUNDRED, "Typical error, as reported = 100", suffix="", most=100
    )


def reveal(press: int = 0) -> Picture:
    """Both errors, as reported and at best."""
    found = (("as reported", 100.0, "sampling"), ("best possible", truth(), "released"))
    rows = [(name, value, color, words.numbers.whole(value), None) for name, value, color in found]
    alt = ", ".join(f"{row[0]} {row[3]}" for row in rows)
    return bars(rows, alt, "Typical error, as reported = 100", suffix="")


def play(values: Values, press: int = 0) -> tuple[Picture, str]:
    """What is left when first the noise goes, and then that each is asked about one pair only."""
    people, epsilon, spread = values["people"], values["epsilon"], SPREADS[values["kind"]]
    first, error = reported_error(people, epsilon), remaining_errors(people, epsilon, spread)
    names = ("best possible", "without noise", "and all asked everything")
    found = [
        ("as reported", first, "sampling"),
        *((n, e, "released") for n, e in zip(names, error)),
    ]
    rows = [(name, e, color, words.numbers.digits(e, 2), None) for name, e, color in found]
    said = words.lessons.rest(people, epsilon, first, error)
    return bars(rows, said, "Typical error of a correlation", LEGEND, suffix=""), said


LESSON = Lesson(
    key="rest", told=TOLD, guess=Scale(0, 100, 1), truth=truth,
    idea=idea, predict=predict, reveal=reveal, play=play,
    controls=(
        Control("people", "People", (3_000, 30_000, 300_000, 3_000_000), 30_000, "{:,}".format),
        Control("epsilon", words.lessons.PRIVACY, (0.2, 0.5, 1.0, 2.0, 4.0), 1.0, "{:g}".format),
        Control("kind", "Attributes", tuple(SPREADS), KIND),
    ),
    take=lambda values: {"epsilon": values["epsilon"], "method": "calm_plus"}, page="errors",
    expected=lambda: words.lessons.expected_text(LESSON.guess.said(truth())),
)  # fmt: skip
