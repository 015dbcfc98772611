"""Lesson 9: the best possible answer from such reports, and what makes up the rest of the error."""

import math
from itertools import combinations

import numpy as np

from calm_core import choose_oracle
from pages import words
from pages.panels.learn.lesson import Lesson
from pages.ui.guessing import Control, Picture, Scale, Values, bars

ATTRIBUTES = 8
PAIRS = len(list(combinations(range(ATTRIBUTES), 2)))
# Standard deviations of true correlations, known to the best possible answer.
SPREADS = {"Hardly related": 0.05, "Loosely": 0.15, "Closely": 0.4}
# Of the question.
PEOPLE, EPSILON, KIND = 30_000, 0.5, "Loosely"
TEXT, TITLE = words.learn.REST, words.learn.WRONG_OF_100
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
    at = np.linspace(-0.6, 1.2, 121)
    lines = [
        {"color": color, "points": np.column_stack([at, normal_density(at, mean, sd)]).tolist()}
        for color, mean, sd in bells
    ]
    names = ("usual here", "what the reports say", "best possible")
    legend = tuple(zip((color for color, *_ in bells), names))
    most = max(high for line in lines for _, high in line["points"])
    x = {
        "least": at[0],
        "most": at[-1],
        "ticks": [],
        "title": "how strongly two answers go together",
    }
    y = {"least": 0, "most": most, "ticks": [], "title": ""}
    data = {"lines": lines, "marks": [], "x": x, "y": y}
    return Picture("curves", words.learn.BELLS, "", legend, data)


def normal_density(at: np.ndarray, mean: float, sd: float) -> np.ndarray:
    """Return the density of a normal distribution."""
    return np.exp(-(((at - mean) / sd) ** 2) / 2) / (sd * math.sqrt(2 * math.pi))


def _draw_errors(found, alt: str = "") -> Picture:
    """Draw people in the wrong cell for (name, error of a correlation, color)."""
    rows = []
    for name, error, color in found:
        wrong = expected_wrong(error)
        rows.append((name, 100 * wrong, color, words.numbers.share_of_100(wrong), None))
    return bars(rows, alt or ", ".join(f"{row[0]} {row[3]}" for row in rows), TITLE, suffix="")


def predict() -> Picture:
    """Draw what is wrong as reported."""
    return _draw_errors([("as reported", reported_error(PEOPLE, EPSILON), "sampling")])


def reveal(press: int = 0) -> Picture:
    """Draw what is wrong as reported and in the best possible answer."""
    error = reported_error(PEOPLE, EPSILON)
    best = best_error(error, SPREADS[KIND])
    return _draw_errors(
        [("as reported", error, "sampling"), ("best possible", best, "reconstructed")]
    )


def play(values: Values, press: int = 0) -> tuple[Picture, str]:
    """Draw what is left without noise, and with everybody asked about every pair."""
    people, epsilon, spread = values["people"], values["epsilon"], SPREADS[values["kind"]]
    first, left = reported_error(people, epsilon), remaining_errors(people, epsilon, spread)
    names = ("best possible", "without noise", "and all asked everything")
    said = words.learn.rest(people, epsilon, *map(expected_wrong, (first, left[0])), left)
    found = [("as reported", first, "sampling")]
    found += [(name, error, "reconstructed") for name, error in zip(names, left)]
    return _draw_errors(found, said), said


def facts() -> dict[str, str]:
    """Return people in the wrong cell as reported, for the words."""
    return {"reported": words.numbers.wrong(expected_wrong(reported_error(PEOPLE, EPSILON)))}


LESSON = Lesson(
    key="rest", text=TEXT, guess=Scale(0, 12, 1, suffix=" of 100"), truth=truth, facts=facts,
    idea=idea, predict=predict, reveal=reveal, play=play,
    controls=(
        Control("people", "People", (3_000, 30_000, 300_000, 3_000_000), 30_000, "{:,}".format),
        Control("epsilon", words.learn.PRIVACY, (0.2, 0.5, 1.0, 2.0, 4.0), 1.0, "{:g}".format),
        Control("kind", "Attributes", tuple(SPREADS), KIND),
    ),
    take=lambda values: {"epsilon": values["epsilon"], "method": "calm_plus"}, page="errors",
)  # fmt: skip
