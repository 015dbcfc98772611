"""Lesson 3: one report carries an answer to many questions, and many cells cost accuracy."""

import math
from collections.abc import Mapping

import numpy as np
import streamlit as st

from calm_core import choose_oracle, stream
from calm_core.figures.learn import cells_figure
from pages import words
from pages.panels.learn.frame import Lesson, again
from pages.ui import pictures

PEOPLE = 20_000
# The lesson's question names it.
EPSILON = 1.0


def true_shares(questions: int) -> np.ndarray:
    """Shares of the 2^questions answer patterns of a made-up population; sums to 1."""
    one = np.array([0.7, 0.3])
    shares = np.ones(1)
    for i in range(questions):
        tilt = 0.12 * (i % 3)
        shares = np.kron(shares, one + np.array([-tilt, tilt]))
    return shares


def ask_everyone(questions: int, press: int) -> tuple[np.ndarray, np.ndarray, float, str]:
    """True shares, estimates, the typical error of a cell, and the oracle's name."""
    shares = true_shares(questions)
    rng = stream(press, "patterns", questions)
    counts = rng.multinomial(PEOPLE, shares)
    oracle = choose_oracle(len(shares), EPSILON)
    estimate = oracle.estimate(oracle.simulate(counts[None], rng=rng)[0], PEOPLE)
    return counts / PEOPLE, estimate, math.sqrt(float(oracle.variance(PEOPLE))), oracle.name


def show() -> Mapping[str, object]:
    """Controls and figure."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        questions = st.slider(
            "Yes/no questions answered together",
            1,
            6,
            2,
            key="patterns",
            persist_state="session",
            width=320,
        )
        press = again("patterns")
    truth, estimate, typical, oracle = ask_everyone(questions, press)
    labels = [
        "".join("ny"[(cell >> i) & 1] for i in reversed(range(questions)))
        for cell in range(len(truth))
    ]
    largest = float(np.abs(estimate - truth).max())
    name = {"grr": "names one pattern", "oue": "sends one bit per pattern"}[oracle]
    pictures.show(
        cells_figure(truth, estimate, labels),
        words.learn.patterns(len(truth), questions, name, typical, largest),
        "patterns",
    )
    return {"epsilon": EPSILON, "k": min(questions, 3)}


LESSON = Lesson(key="patterns", told=words.learn.PATTERNS, show=show, page="plan")
