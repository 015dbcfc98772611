"""Lesson 2: epsilon bounds how much any report can change what is believed about a person."""

import math
from collections.abc import Mapping

import streamlit as st

from calm_core.figures.learn import odds_figure
from calm_core.oracles import GRR
from pages.panels.learn.frame import Lesson, Question
from pages.ui import pictures

CHOICES = (0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


def show() -> Mapping[str, object]:
    """Controls and figure."""
    left, right = st.columns(2)
    epsilon = left.select_slider(
        "Epsilon, privacy budget per person",
        CHOICES,
        1.0,
        key="lesson_epsilon",
        persist_state="session",
    )
    prior = right.slider(
        "Believed before her report",
        1,
        99,
        # Not the 10% of the question: its answer would stand above it.
        30,
        format="%d%%",
        key="epsilon_prior",
        persist_state="session",
    )
    before = prior / 100
    after = before / (before + (1 - before) * math.exp(-epsilon))
    pictures.show(
        odds_figure(epsilon, before),
        f"With epsilon = {epsilon:g}, whoever gave her a chance of {before:.0%} before believes at most "
        f"{after:.0%} after a yes: the odds grow by a factor of {math.exp(epsilon):.3g} and no more.",
        "epsilon",
    )
    oracle = GRR(epsilon, 2)
    st.markdown(
        f"In people: of 100 whose true answer is yes, about **{100 * oracle.p:.0f}** report yes; "
        f"of 100 whose answer is no, about **{100 * oracle.q:.0f}** report yes."
    )
    return {"epsilon": float(epsilon)}


LESSON = Lesson(
    key="epsilon",
    title="What epsilon means",
    idea=(
        "Epsilon is a promise about odds. Whatever a person reports, and whatever somebody already "
        "knows, the odds for or against any answer change by a factor of at most e to the epsilon. "
        "Small epsilon: curves near the diagonal, nothing is learned about her. Large epsilon: "
        "her report gives her away."
    ),
    show=show,
    question=Question(
        "Epsilon is 1, and you think 10% likely that her answer is yes. She reports yes. "
        "How likely can it be now, at most?",
        ("23%", "50%", "73%"),
        "23%",
        "Odds of 1 to 9 times 2.72 are about 1 to 3.3. The 73% is something else: how often a "
        "person with a true yes reports yes.",
    ),
    page="start",
    invitation="Run the pipeline with this epsilon",
)
