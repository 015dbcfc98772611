"""Lesson 7: what is lost: negative estimates, small groups, privacy at large epsilon."""

import math
from collections.abc import Mapping

import numpy as np
import streamlit as st

from calm_core import choose_oracle, stream
from calm_core.figures.learn import cells_figure
from calm_core.oracles import GRR
from pages.panels.learn.frame import Lesson, Question, again
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
    sentence = (
        f"16 answers of 5,000 people: {below} shares are estimated below 0. The estimates are right on "
        "average, and exactly for that reason some must fall below; later steps repair what they can."
    )
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
    sentence = (
        f"{people:,} people, epsilon = {epsilon:g}: even a single yes/no share is typically off by "
        f"{typical:.1%} of the group. Ten times the people make that about three times smaller."
    )
    labels = [f"answer {i}" for i in range(1, CELLS + 1)]
    pictures.show(cells_figure(truth, estimate, labels), sentence, "limits_small")
    return sentence


def _large(epsilon: float) -> str:
    oracle = GRR(epsilon, 2)
    odds = math.exp(epsilon)
    sentence = (
        f"epsilon = {epsilon:g}: {oracle.p:.1%} of the reports are the plain truth, and an observer's odds "
        f"grow up to {odds:,.3g} times. The result gets more accurate because people are protected less."
    )
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
        "Epsilon, privacy budget per person", EPSILONS, 0.5 if kind != LARGE else 4.0,
        key="limits_epsilon", persist_state="session",
    )  # fmt: skip
    {NEGATIVE: _negative, SMALL: _small, LARGE: _large}[kind](float(epsilon))
    return {"epsilon": float(epsilon)}


LESSON = Lesson(
    key="limits",
    title="What is lost",
    idea=(
        "Noise has a price and it is paid by the rare and the few. Estimates of rare answers fall below "
        "zero, small groups drown, and the easy way out, a large epsilon, gives up the protection."
    ),
    show=show,
    question=Question(
        "An answer that nobody gives has a true share of 0. How often is its unbiased estimate below 0?",
        ("Never", "About half of the time", "Always"),
        "About half of the time",
        "Unbiased means right on average: as often too low as too high. Clipping at 0 alone would make "
        "every rare answer look more common than it is.",
    ),
    page="errors",
    invitation="Find the errors in the workbench",
)
