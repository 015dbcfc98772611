"""Lesson 2: epsilon bounds how much any report can change what is believed about a person."""

import math
from collections.abc import Mapping

import streamlit as st

from calm_core.figures.learn import odds_figure
from calm_core.oracles import GRR
from pages import words
from pages.panels.learn.frame import Lesson
from pages.ui import pictures

CHOICES = (0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


def show() -> Mapping[str, object]:
    """Controls and figure."""
    left, right = st.columns(2)
    epsilon = left.select_slider(
        words.learn.EPSILON,
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
        words.learn.belief(epsilon, before, after, math.exp(epsilon)),
        "epsilon",
    )
    oracle = GRR(epsilon, 2)
    st.markdown(words.learn.in_people(oracle.p, oracle.q))
    return {"epsilon": float(epsilon)}


LESSON = Lesson(key="epsilon", told=words.learn.ODDS, show=show, page="start")
