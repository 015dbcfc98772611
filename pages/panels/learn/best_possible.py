"""Lesson 9: the best possible answer from such reports, and what makes up the rest of the error."""

import math
from statistics import NormalDist

import numpy as np

from calm_core import choose_oracle
from pages import words
from pages.panels.learn.lesson import Lesson, share_bars
from pages.ui.guessing import Control, Picture, Scale, Values

SAID = words.learn

ATTRIBUTES = 8
PAIRS = math.comb(ATTRIBUTES, 2)
# Standard deviations of true correlations, known to the best possible answer.
SPREADS = {"hardly": 0.05, "loosely": 0.15, "closely": 0.4}
# Of the question.
PEOPLE, EPSILON, KIND = 30_000, 0.5, "loosely"
# What is usual, one report, and how sure it is, of the picture with the three curves.
REPORTED, SURE = 0.5, 0.25


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


def expected_wrong(error: float) -> float:
    """Return the expected share of people in the wrong cell of a table of two yes/no attributes.

    A correlation that is off by x puts x/2 of all people into the wrong cell.
    """
    return math.sqrt(1 / (2 * math.pi)) * error


def truth(press: int = 0) -> float:
    """Return people of 100 in the wrong cell of the best possible answer."""
    return 100 * expected_wrong(best_error(reported_error(PEOPLE, EPSILON), SPREADS[KIND]))


def idea() -> Picture:
    """Draw what is usual, what is reported, and the best answer between them."""
    spread = SPREADS[KIND]
    share = spread**2 / (spread**2 + SURE**2)
    bells = (
        ("faint", 0.0, spread), ("sampling", REPORTED, SURE),
        ("reconstructed", share * REPORTED, best_error(SURE, spread)),
    )  # fmt: skip
    at = np.linspace(-0.6, 1.2, 121).tolist()
    lines = [
        {"color": color, "points": [[x, NormalDist(mean, sd).pdf(x)] for x in at]}
        for color, mean, sd in bells
    ]
    legend = tuple(zip((color for color, *_ in bells), SAID.BELL_NAMES))
    most = max(high for line in lines for _, high in line["points"])
    x = {"least": at[0], "most": at[-1], "ticks": [], "title": SAID.HOW_STRONGLY}
    y = {"least": 0, "most": most, "ticks": [], "title": ""}
    data = {"lines": lines, "marks": [], "x": x, "y": y}
    return Picture("curves", SAID.BELLS, "", legend, data)


def _draw_errors(found, alt: str = "") -> Picture:
    """Draw people in the wrong cell for (name, error of a correlation, color)."""
    shares = [(name, expected_wrong(error), color) for name, error, color in found]
    return share_bars(shares, SAID.WRONG_OF_100, alt)


def predict() -> Picture:
    """Draw what is wrong as reported."""
    return _draw_errors([(SAID.AS_REPORTED, reported_error(PEOPLE, EPSILON), "sampling")])


def reveal(press: int = 0) -> Picture:
    """Draw what is wrong as reported and in the best possible answer."""
    error = reported_error(PEOPLE, EPSILON)
    best = best_error(error, SPREADS[KIND])
    return _draw_errors(
        [(SAID.AS_REPORTED, error, "sampling"), (SAID.BEST_POSSIBLE, best, "reconstructed")]
    )


def play(values: Values, press: int = 0) -> tuple[Picture, str]:
    """Draw what is left without noise, and with everybody asked about every pair."""
    people, epsilon, spread = values["people"], values["epsilon"], SPREADS[values["kind"]]
    first, left = reported_error(people, epsilon), remaining_errors(people, epsilon, spread)
    names = SAID.BEST_POSSIBLE, SAID.WITHOUT_NOISE, SAID.ALL_ASKED
    said = SAID.remaining_error(people, epsilon, *map(expected_wrong, (first, left[0])), left)
    found = [(SAID.AS_REPORTED, first, "sampling")]
    found += [(name, error, "reconstructed") for name, error in zip(names, left)]
    return _draw_errors(found, said), said


def facts() -> dict[str, str]:
    """Return people in the wrong cell as reported, for the words."""
    return {"reported": words.numbers.wrong(expected_wrong(reported_error(PEOPLE, EPSILON)))}


def lesson() -> Lesson:
    """Return the lesson in the current language."""
    return Lesson(
        key="rest", guess=Scale(0, 12, 1, suffix=SAID.SUFFIX_OF_100), truth=truth, facts=facts,
        idea=idea, predict=predict, reveal=reveal, play=play,
        controls=(
            Control("people", SAID.PEOPLE, (3_000, 30_000, 300_000, 3_000_000), 30_000, "{:,}".format),
            Control("epsilon", SAID.PRIVACY, (0.2, 0.5, 1.0, 2.0, 4.0), 1.0, "{:g}".format),
            Control("kind", SAID.ATTRIBUTES, tuple(SPREADS), KIND, SAID.SPREADS.__getitem__),
        ),
        take=lambda values: {"epsilon": values["epsilon"], "method": "calm_plus"}, page="errors",
    )  # fmt: skip
