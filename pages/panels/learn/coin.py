"""Lesson 1: a coin flip protects every single answer and spoils no share."""

import math
from collections.abc import Mapping

import numpy as np
import streamlit as st

from calm_core import stream
from calm_core.figures.learn import coin_figure
from calm_core.oracles import GRR
from pages import words
from pages.panels.learn.frame import Lesson, again
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
            words.learn.PEOPLE_WITH_YES, 0, 100, 20, 5, format="%d%%",
            key="coin_share", persist_state="session", width=320,
        )  # fmt: skip
        press = again("coin")
    true_yes = PEOPLE * share // 100
    said_yes, estimate = ask_everyone(true_yes, press)
    figure = coin_figure(said_yes, PEOPLE - said_yes, true_yes, estimate)
    pictures.show(
        figure,
        words.learn.coin(PEOPLE, said_yes, estimate, share),
        "coin",
    )
    return {"epsilon": 1.0}


LESSON = Lesson(key="coin", told=words.learn.COIN, show=show, page="collect")
