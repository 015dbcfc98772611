"""Lesson 2: a coin flip protects every single answer and spoils no share."""

import math

import numpy as np

from calm_core import stream
from calm_core.oracles import GRR
from pages import words
from pages.panels.learn.lesson import Lesson, some_people
from pages.ui.guessing import Control, Picture, Scale, Values, bars, people

SAID = words.learn

ICONS, PEOPLE = 100, 100_000
# A fair coin decides between the truth and a second coin: 3/4 against 1/4, odds of 3 to 1.
COIN_EPSILON = math.log(3)


def ask_everyone(true_yes: int, press: int, count: int = PEOPLE) -> tuple[np.ndarray, float]:
    """Return every report (1 is yes), and the unbiased share of yes."""
    oracle = GRR(COIN_EPSILON, 2)
    answers = np.zeros(count, dtype=np.int64)
    answers[:true_yes] = 1
    reports = oracle.perturb(answers, rng=stream(press, "coin", count))
    return reports, float(oracle.estimate(oracle.support(reports), count)[1])


def truth(press: int) -> float:
    """Return how many of 100 people with a true no report yes."""
    return int(ask_everyone(0, press, ICONS)[0].sum())


def idea() -> Picture:
    """Draw the first flips of 100 people."""
    heads = stream(0, "first flips").integers(0, 2, ICONS)
    up = int(heads.sum())
    legend = (("private", SAID.heads(count=up)), ("sampling", SAID.tails(count=ICONS - up)))
    colors = ["private" if head else "sampling" for head in heads]
    return people(colors, SAID.heads_of(count=up, people=ICONS), SAID.FIRST_FLIP, legend)


def predict() -> Picture:
    """Draw 100 people before anything is sent."""
    colors = ["line"] * ICONS
    number = SAID.of_people(count="?", people=ICONS)
    return people(colors, SAID.all_people(people=ICONS), SAID.SECOND_FLIP, number=number)


def reveal(press: int) -> Picture:
    """Draw who reports yes."""
    reports = ask_everyone(0, press, ICONS)[0].tolist()
    return some_people(reports, SAID.SENT_BY_100, SAID.yes_of, SAID.said_yes, SAID.said_no)


def play(values: Values, press: int) -> tuple[Picture, str]:
    """Draw the share of reported yes and the unbiased share."""
    share = values["share"]
    reports, reconstructed = ask_everyone(PEOPLE * share // 100, press)
    yes = int(reports.sum())
    said = SAID.coin(people=PEOPLE, said_yes=yes, reconstructed=reconstructed, percent=share)
    said_yes, percent = yes / PEOPLE, words.numbers.percent
    sent, taken_out = SAID.COIN_BARS
    rows = [
        (sent, 100 * said_yes, "sampling", percent(said_yes), None),
        (taken_out, 100 * reconstructed, "reconstructed", percent(reconstructed), share),
    ]
    legend = (("true", SAID.true_share(percent=share)), ("reconstructed", SAID.RECONSTRUCTED))
    number = percent(reconstructed)
    title = SAID.phones(people=PEOPLE)
    return bars(rows, said, title, legend, number=number, most=100), said


def expected_answer() -> str:
    """Return the expected answer with its range."""
    mean, spread = ICONS / 4, math.sqrt(ICONS * 3 / 16)
    return SAID.coin_expected(least=mean - 2 * spread, most=mean + 2 * spread)


def lesson() -> Lesson:
    """Return the lesson in the current language."""
    return Lesson(
        key="coin", guess=Scale(0, 100, 1), truth=truth, idea=idea, predict=predict,
        reveal=reveal, play=play,
        controls=(Control("share", SAID.TRUE_YES, tuple(range(0, 101, 5)), 20, lambda v: f"{v}%"),),
        take=lambda values: {"epsilon": 1.0}, page="collect", expected=expected_answer, again=SAID.FLIP_AGAIN, chance=True,
    )  # fmt: skip
