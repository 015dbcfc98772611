"""Lesson 1: a coin flip protects every single answer and spoils no share."""

import math
from collections.abc import Mapping

import numpy as np
import streamlit as st

from calm_core import stream
from calm_core.figures.learn import coin_figure
from calm_core.oracles import GRR
from pages.panels.learn.frame import Lesson, Question, again
from pages.ui import pictures

PEOPLE = 1_000
# A fair coin decides between the truth and a second coin: 3/4 against 1/4, odds of 3 to 1.
COIN_EPSILON = math.log(3)


def ask_everyone(true_yes: int, press: int) -> tuple[int, float]:
    """Number of yes reports of 1,000 people, and the share of yes estimated from them."""
    oracle = GRR(COIN_EPSILON, 2)
    answers = np.zeros(PEOPLE, dtype=np.int64)
    answers[:true_yes] = 1
    reports = oracle.perturb(answers, rng=stream(press, "coin"))
    support = oracle.support(reports)
    return int(support[1]), float(oracle.estimate(support, PEOPLE)[1])


def show() -> Mapping[str, object]:
    """Controls and figure."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        share = st.slider(
            "People whose true answer is yes", 0, 100, 20, 5, format="%d%%",
            key="coin_share", persist_state="session", width=320,
        )  # fmt: skip
        press = again("coin")
    true_yes = PEOPLE * share // 100
    said_yes, estimate = ask_everyone(true_yes, press)
    figure = coin_figure(said_yes, PEOPLE - said_yes, true_yes, estimate)
    pictures.show(
        figure,
        f"Of {PEOPLE:,} people, {said_yes} reported yes. Taking the coin out again gives an estimate "
        f"of {estimate:.1%} yes; {share}% is true.",
        "coin",
    )
    return {"epsilon": 1.0}


LESSON = Lesson(
    key="coin",
    title="A coin flip that protects",
    idea=(
        "Everybody flips a coin in private. Heads: answer truthfully. Tails: flip again and say yes "
        "for heads, no for tails. Nobody can be blamed for a yes, because one in four says it by "
        "chance. Yet the collector knows how the coin behaves, and can take it out of the total."
    ),
    show=show,
    question=Question(
        "Suppose nobody's true answer is yes. What share of the reports says yes?",
        ("None of them", "About a quarter", "About half"),
        "About a quarter",
        "Half of the people get tails, and half of those say yes on the second flip. "
        "Set the slider to 0% to see it: the estimate is near 0 all the same, sometimes below.",
    ),
    page="collect",
    invitation="See one person's report in the workbench",
)
