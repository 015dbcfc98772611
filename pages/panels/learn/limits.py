"""Lesson 7: what is lost: negative estimates, small groups, privacy at large epsilon."""

import math
from collections.abc import Mapping

import numpy as np
import streamlit as st

from calm_core import choose_oracle, stream
from calm_core.figures.learn import cells_figure
from calm_core.oracles import GRR
from pages import words
from pages.panels.learn.frame import Lesson, again
from pages.ui import pictures

CELLS = 16
NEGATIVE, SMALL, LARGE = "Negative estimates", "Small groups", "Large epsilon"
EPSILONS = (0.2, 0.5, 1.0, 2.0, 4.0, 6.0, 8.0)


def rare_cells(people: int, epsilon: float, press: int) -> tuple[np.ndarray, np.ndarray]:
    """True and estimated shares of 16 answers, most of them rare."""
    rng = stream(press, "limits", people)
    shares = 0.55 ** np.arange(CELLS)
    counts = rng.multinomial(people, shares / shares.sum())
    oracle = choose_oracle(CELLS, epsilon)
    return counts / people, oracle.estimate(oracle.simulate(counts[None], rng=rng)[0], people)


def _negative(epsilon: float) -> str:
    truth, estimate = rare_cells(5_000, epsilon, again("limits", "Collect again"))
    below = int((estimate < 0).sum())
    sentence = words.learn.negative(below)
    labels = [f"answer {i}" for i in range(1, CELLS + 1)]
    pictures.show(cells_figure(truth, estimate, labels), sentence, "limits_negative")
    return sentence


def _small(epsilon: float) -> str:
    people = st.select_slider(
        "People in the group", (100, 300, 1_000, 3_000, 10_000, 100_000), 300,
        key="limits_people", persist_state="session",
    )  # fmt: skip
    typical = math.sqrt(float(choose_oracle(2, epsilon).variance(people)))
    truth, estimate = rare_cells(people, epsilon, 0)
    sentence = words.learn.small(people, epsilon, typical)
    labels = [f"answer {i}" for i in range(1, CELLS + 1)]
    pictures.show(cells_figure(truth, estimate, labels), sentence, "limits_small")
    return sentence


def _large(epsilon: float) -> str:
    oracle = GRR(epsilon, 2)
    odds = math.exp(epsilon)
    sentence = words.learn.large(epsilon, oracle.p, odds)
    figure = cells_figure(
        [1.0, 0.0], [oracle.p, oracle.q], ["true yes reports yes", "true no reports yes"]
    )
    pictures.show(figure, sentence, "limits_large")
    return sentence


def show() -> Mapping[str, object]:
    """Controls and figure."""
    kind = st.segmented_control(
        "What goes wrong", (NEGATIVE, SMALL, LARGE), default=NEGATIVE, key="limits_kind",
        persist_state="session", required=True,
    )  # fmt: skip
    epsilon = st.select_slider(
        words.learn.EPSILON, EPSILONS, 0.5 if kind != LARGE else 4.0,
        key="limits_epsilon", persist_state="session",
    )  # fmt: skip
    {NEGATIVE: _negative, SMALL: _small, LARGE: _large}[kind](float(epsilon))
    return {"epsilon": float(epsilon)}


LESSON = Lesson(key="limits", told=words.learn.LIMITS, show=show, page="errors")
