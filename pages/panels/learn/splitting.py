"""Lesson 5: with several questions, ask each of some people rather than each with less epsilon."""

import math

from calm_core import choose_oracle, stream
from pages import words
from pages.panels.learn.lesson import Lesson
from pages.ui.guessing import Control, Picture, Scale, Values, bars

SAID = words.learn

PEOPLE, MAX_QUESTIONS = 60_000, 30
# Share of yes; sampling varies most at a half.
SHARE = 0.5
# Of the question; the last step opens at other values.
EPSILON, QUESTIONS = 1.0, 10
GROUPS, SHOWN = 3, 48
COLORS = ("reconstructed", "sampling", "private")


def error_of_split_epsilon(epsilon: float, questions: int) -> float:
    """Return the standard deviation of a yes share when everybody answers all questions with a part of epsilon."""
    return math.sqrt(float(choose_oracle(2, epsilon / questions).variance(PEOPLE)))


def error_of_groups(epsilon: float, questions: int) -> float:
    """Return the same when people are split into groups that use all of epsilon; sampling adds to it."""
    group = PEOPLE / questions
    sampling = SHARE * (1 - SHARE) / group * (PEOPLE - group) / (PEOPLE - 1)
    return math.sqrt(float(choose_oracle(2, epsilon).variance(group)) + sampling)


def truth(press: int = 0) -> float:
    """Return how many times larger the error is with epsilon split."""
    return error_of_split_epsilon(EPSILON, QUESTIONS) / error_of_groups(EPSILON, QUESTIONS)


def idea() -> Picture:
    """Draw people split into three groups."""
    dealt = stream(0, "dealt").permutation(SHOWN) % GROUPS
    labels = [SAID.all_of_epsilon(number=i + 1) for i in range(GROUPS)]
    groups = [
        {"label": label, "colors": [color] * int((dealt == i).sum())}
        for i, (label, color) in enumerate(zip(labels, COLORS))
    ]
    alt = SAID.DEALT
    return Picture("groups", alt, SAID.DIVIDED, data={"groups": groups})


def predict() -> Picture:
    """Draw both ways without their errors."""
    dealt = [COLORS[i % GROUPS] for i in range(SHOWN)]
    groups = [
        {"label": SAID.SPLIT_LABEL, "colors": ["line"] * SHOWN},
        {"label": SAID.DEALT_LABEL, "colors": dealt},
    ]
    return Picture("groups", SAID.TWO_CROWDS, SAID.TWO_WAYS, data={"groups": groups})


def reveal(press: int = 0) -> Picture:
    """Draw both typical errors."""
    dealt = 100 * error_of_groups(EPSILON, QUESTIONS)
    split = 100 * error_of_split_epsilon(EPSILON, QUESTIONS)
    people_split, epsilon_split = SAID.WAYS_TO_SPLIT
    rows = [
        (people_split, dealt, "reconstructed", words.numbers.points(dealt), None),
        (epsilon_split, split, "sampling", words.numbers.points(split), None),
    ]
    return bars(rows, title=SAID.TYPICAL_ERROR, suffix="")


def play(values: Values, press: int = 0) -> tuple[Picture, str]:
    """Draw typical errors over the number of questions."""
    epsilon, questions = values["epsilon"], values["questions"]
    numbers = range(1, MAX_QUESTIONS + 1)
    ways = ((error_of_groups, "reconstructed"), (error_of_split_epsilon, "sampling"))
    lines = [
        {"color": color, "points": [[q, 100 * error(epsilon, q)] for q in numbers]}
        for error, color in ways
    ]
    dealt, split = (100 * error(epsilon, questions) for error, _ in ways)
    texts = words.numbers.distinct_points(dealt, split)
    marks = [[questions, error, text] for error, text in zip((dealt, split), texts)]
    said = SAID.split_errors(
        people=PEOPLE, questions=questions, epsilon=epsilon, dealt=texts[0], split=texts[1]
    )
    said = f"{said} {SAID.better_way_text(dealt, split)}"
    ticks = [1, 10, 20, 30]
    x = {"least": 1, "most": MAX_QUESTIONS, "ticks": ticks, "title": SAID.NUMBER_OF_QUESTIONS}
    y = {"least": 0, "most": lines[1]["points"][-1][1], "title": SAID.POINTS_OFF, "prefix": "±"}
    legend = tuple(zip(("reconstructed", "sampling"), SAID.WAYS_TO_SPLIT))
    data = {"lines": lines, "marks": marks, "x": x, "y": y}
    return Picture("curves", said, "", legend, data), said


def lesson() -> Lesson:
    """Return the lesson in the current language."""
    return Lesson(
        key="splitting", guess=Scale(1, 15, 0.1, suffix="×", ticks=7), truth=truth,
        idea=idea, predict=predict, reveal=reveal, play=play,
        controls=(
            Control("questions", SAID.NUMBER_OF_QUESTIONS, tuple(range(1, MAX_QUESTIONS + 1)), 4),
            Control("epsilon", SAID.PRIVACY, (0.2, 0.5, 1.0, 2.0, 4.0), 2.0, lambda v: f"{v:g}"),
        ),
        take=lambda values: {"epsilon": values["epsilon"]}, page="collect",
    )  # fmt: skip
