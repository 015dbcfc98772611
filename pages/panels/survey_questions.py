"""The part of the page Plan that says what a question needs: people, epsilon, or what comes out."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from calm_core.evaluation.needs import Need, solve_question
from calm_core.evaluation.power import DifferenceQuestion, Question, ShareQuestion
from calm_core.settings import Settings
from pages import words
from pages.ui import cached_calls, frame, navigation, widgets
from pages.ui.progress import Notify


def choose_wish() -> str:
    """Let people say what they want to know; "tables" is the design for whole tables."""
    return widgets.choose_segment(words.plan.WISH, words.plan.WISHES, "whatif_wish")


def show_question_needs(
    settings: Settings, wish: str, d: int, values: int, read_n: Callable[[], int]
) -> None:
    """Show what a share, every cell of pairs, or a difference of two groups needs."""
    with frame.side():
        st.markdown(words.plan.NEEDS)
    solved = widgets.choose_segment(words.plan.FIND, words.plan.FOUND, "whatif_find")
    with st.grid(4, min_column_width=150):
        n = None if solved == "n" else read_n()
        question, half_width, power = _read_question(wish, d, values, solved == "outcome")
    epsilon = None if solved == "epsilon" else settings.epsilon
    key = (question, n, epsilon, half_width, power)

    def work(notify: Notify) -> Need:
        return solve_question(question, n=n, epsilon=epsilon, half_width=half_width, power=power)

    stop = partial(navigation.change, view="")
    need = cached_calls.get_long_result("needs", key, work, words.plan.needs_progress, stop)
    with st.container(border=True):
        st.markdown(words.plan.need_text(need))


def _read_question(
    wish: str, d: int, values: int, predicted: bool
) -> tuple[Question, float | None, float | None]:
    """The question, and the length or the power wanted, which is left out where it is predicted."""
    if wish == "difference":
        difference = _number(words.plan.DIFFERENCE, "whatif_difference", 10.0, 0.5, 50.0)
        share = _number(words.plan.OTHER_SHARE, "whatif_other", 30.0, 1.0, 49.0)
        asked = DifferenceQuestion(d, values, difference / 100, share / 100)
        power = 0.0 if predicted else _number(words.plan.POWER, "whatif_power", 80.0, 50.0, 99.0)
        return asked, None, power / 100 or None
    cells = wish == "cells"
    share = 50.0 if cells else _number(words.plan.SHARE, "whatif_share", 30.0, 1.0, 99.0)
    within = 0.0 if predicted else _number(words.plan.WITHIN, "whatif_within", 3.0, 0.1, 40.0)
    question = ShareQuestion(d, values, share / 100, attributes=2 if cells else 1)
    return question, within / 100 or None, None


def _number(label: str, key: str, usual: float, low: float, high: float) -> float:
    found = st.number_input(label, low, high, usual, key=key, persist_state="session")
    return usual if found is None else found
