"""Lesson 3: one report carries an answer to many questions, and many cells cost accuracy."""

import math
from collections.abc import Mapping

import numpy as np
import streamlit as st

from calm_core import choose_oracle, stream
from calm_core.figures.learn import cells_figure
from pages.panels.learn.frame import Lesson, Question, again
from pages.ui import pictures

PEOPLE = 20_000
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
        f"{len(truth)} patterns of {questions} answers (y yes, n no) from one report per person, which "
        f"{name}. A cell is typically off by {typical:.2%} of all people; the worst here by {largest:.2%}.",
        "patterns",
    )
    return {"epsilon": EPSILON, "k": min(questions, 3)}


LESSON = Lesson(
    key="patterns",
    title="Many answers, one report",
    idea=(
        "A person can answer several questions in one report: her pattern of answers is one value out "
        "of all patterns, and only that value is randomised. She pays epsilon once. The price: every "
        "question doubles the number of patterns, each gets fewer people, and the noise stays."
    ),
    show=show,
    question=Question(
        f"Go from 2 questions (4 patterns) to 6 (64 patterns), with epsilon = {EPSILON:g}. "
        "What happens to the typical error of one cell?",
        ("It grows about 1.5 times", "It grows about 4 times", "It grows 16 times"),
        "It grows about 1.5 times",
        "With few patterns a report names one of them; with many it sends a randomised bit for each, "
        "whose noise does not depend on how many there are. But there are now 16 times as many cells "
        "to be wrong in, and their true shares are smaller.",
    ),
    page="plan",
    invitation="See how many attributes a view should hold",
)
