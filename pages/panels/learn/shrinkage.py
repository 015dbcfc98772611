"""Lesson 6: what is mostly noise is believed less; CALM+ does this with every interaction."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import streamlit as st

from calm_core import METHODS
from calm_core.figures.calm_plus import interaction, shrinkage_picture
from calm_core.ingest.populations import make_population
from calm_core.randomness import stream
from pages import words
from pages.panels.learn.frame import Lesson, again
from pages.ui import pictures

PEOPLE, ATTRIBUTES = 30_000, 8
KINDS = {
    "Neighbours alike": {"kind": "chain", "strength": 0.6},
    "All driven by one thing": {"kind": "factor", "strength": 0.6},
    "Nothing related": {"kind": "independent"},
}


@st.cache_data(max_entries=40, show_spinner=False)
def collected(kind: str, epsilon: float, times: int):
    """Tables of all pairs: true, reported, CALM's and CALM+'s, from one collection."""
    rng = stream(7, times, kind)
    data = make_population(d=ATTRIBUTES, n=PEOPLE, rng=rng, **KINDS[kind])
    pairs = list(combinations(data.domain.names, 2))
    method = METHODS["calm_plus"](epsilon=epsilon, k=2, l=2, m=len(pairs))
    answer = method.release(data, rng=rng)
    return (
        data.marginals(pairs),
        [answer.noisy.marginal(pair) for pair in pairs],
        answer.views.marginals(pairs),
        answer.marginals(pairs),
    )


def show() -> Mapping[str, object]:
    """Controls and figure."""
    left, right = st.columns(2)
    kind = left.selectbox("The population", list(KINDS), key="shrink_kind", persist_state="session")
    epsilon = right.select_slider(
        words.learn.EPSILON, (0.2, 0.5, 1.0, 2.0), 0.5,
        key="shrink_epsilon", persist_state="session",
    )  # fmt: skip
    tables = collected(kind, float(epsilon), again("shrinkage"))
    true, _, calm, plus = (np.array([interaction(t) for t in part]) for part in tables)
    off = [np.sqrt(np.mean((found - true) ** 2)) for found in (calm, plus)]
    pictures.show(
        shrinkage_picture(*tables),
        words.learn.shrinkage(PEOPLE, len(true), epsilon, *off),
        "shrinkage",
    )
    return {"epsilon": float(epsilon), "method": "calm_plus"}


LESSON = Lesson(key="shrinkage", told=words.learn.SHRINKAGE, show=show, page="marginals")
