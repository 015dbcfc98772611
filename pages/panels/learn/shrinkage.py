"""Lesson 6: what is mostly noise is believed less; CALM+ does this with every interaction."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import streamlit as st

from calm_core import METHODS
from calm_core.figures.calm_plus import interaction, shrinkage_picture
from calm_core.ingest.populations import make_population
from calm_core.randomness import stream
from pages.panels.learn.frame import Lesson, Question, again
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
        "Epsilon, privacy budget per person", (0.2, 0.5, 1.0, 2.0), 0.5,
        key="shrink_epsilon", persist_state="session",
    )  # fmt: skip
    tables = collected(kind, float(epsilon), again("shrinkage"))
    true, _, calm, plus = (np.array([interaction(t) for t in part]) for part in tables)
    off = [np.sqrt(np.mean((found - true) ** 2)) for found in (calm, plus)]
    pictures.show(
        shrinkage_picture(*tables),
        f"{PEOPLE:,} people, {len(true)} pairs of attributes, epsilon = {epsilon:g}: a correlation is "
        f"typically off by {off[0]:.2f} with CALM and by {off[1]:.2f} with CALM+, from the same reports.",
        "shrinkage",
    )
    return {"epsilon": float(epsilon), "method": "calm_plus"}


LESSON = Lesson(
    key="shrinkage",
    title="Why believing less is more accurate",
    idea=(
        "With strong privacy most of what is seen between two attributes is noise. CALM+ looks at all "
        "pairs together: if they scatter hardly more than noise alone would, each is pulled towards "
        "their common mean; if they scatter more, each is believed. Nothing but the reports is needed. "
        "It gains least where interactions are strong and all different, and a rare strong pair among "
        "many weak ones is pulled too far."
    ),
    show=show,
    question=Question(
        "The budget grows from 0.2 to 2. How much does shrinking then still gain?",
        ("More than before", "Less than before", "As much"),
        "Less than before",
        "With a large budget the reports are reliable by themselves: there is little left to pull.",
    ),
    page="marginals",
    invitation="See CALM+ and its intervals on a table",
)
