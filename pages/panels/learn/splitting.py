"""Lesson 4: with several questions, ask each of some people rather than each with less epsilon."""

import math
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from calm_core import choose_oracle
from calm_core.figures.learn import splitting_figure
from pages import words
from pages.panels.learn.frame import Lesson
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
        words.learn.EPSILON, (0.2, 0.5, 1.0, 2.0, 4.0), 1.0,
        key="split_epsilon", persist_state="session",
    )  # fmt: skip
    rows = typical_errors(epsilon)
    now = rows[rows["questions"] == questions].iloc[0]
    pictures.show(
        splitting_figure(rows, questions),
        words.learn.splitting(PEOPLE, questions, epsilon, now["users"], now["budget"]),
        "splitting",
    )
    return {"epsilon": float(epsilon)}


LESSON = Lesson(key="splitting", told=words.learn.SPLITTING, show=show, page="collect")
