"""Lesson 4: with several questions, ask each of some people rather than each with less epsilon."""

import math
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from calm_core import choose_oracle
from calm_core.figures.learn import splitting_figure
from pages.panels.learn.frame import Lesson, Question
from pages.ui import pictures

PEOPLE = 60_000
MOST = 30


def typical_errors(epsilon: float, most: int = MOST) -> pd.DataFrame:
    """Standard deviation of a yes share for 1..most questions: `budget` split, or `users` split."""
    rows = []
    for questions in range(1, most + 1):
        budget = choose_oracle(2, epsilon / questions).variance(PEOPLE)
        users = choose_oracle(2, epsilon).variance(PEOPLE / questions)
        rows.append(
            {"questions": questions, "budget": math.sqrt(budget), "users": math.sqrt(users)}
        )
    return pd.DataFrame(rows)


def show() -> Mapping[str, object]:
    """Controls and figure."""
    left, right = st.columns(2)
    # Not the ten of the question: its answer would stand above it.
    questions = left.slider(
        "Number of questions", 1, MOST, 4, key="split_questions", persist_state="session"
    )
    epsilon = right.select_slider(
        "Epsilon, privacy budget per person", (0.2, 0.5, 1.0, 2.0, 4.0), 1.0,
        key="split_epsilon", persist_state="session",
    )  # fmt: skip
    rows = typical_errors(epsilon)
    now = rows[rows["questions"] == questions].iloc[0]
    pictures.show(
        splitting_figure(rows, questions),
        f"{PEOPLE:,} people, {questions} questions, epsilon = {epsilon:g}: a share is typically off by "
        f"{now['users']:.2%} when each person gets one question, by {now['budget']:.2%} when everybody "
        "answers all of them with a share of the budget.",
        "splitting",
    )
    return {"epsilon": float(epsilon)}


LESSON = Lesson(
    key="splitting",
    title="Why splitting users beats splitting the budget",
    idea=(
        "Several questions, one epsilon. Either everybody answers all of them and spends a part of "
        "epsilon on each, or the crowd is dealt into groups and each group answers one question with "
        "all of epsilon. Fewer people cost accuracy slowly; less epsilon costs it fast. CALM deals the crowd."
    ),
    show=show,
    question=Question(
        "With 10 questions and epsilon = 1: how many times larger is the typical error when the budget is split?",
        ("About the same", "About 3 times", "About 10 times"),
        "About 3 times",
        "A tenth of the people makes the error about the square root of 10 larger, a tenth of epsilon "
        "makes it about 10 times larger: 10 over 3.2 is about 3.",
    ),
    page="collect",
    invitation="Watch the users being dealt into groups",
)
