"""Who is asked about what: the views, and which pairs are asked about together."""

import math
from itertools import combinations

import streamlit as st

from calm_core.figures import plan as figures
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.settings import Settings
from calm_core.tables.queries import choose_queries
from pages import words
from pages.ui import cached, frame, pictures

COUNTED = 20_000


def coverage(plan: Plan) -> tuple[int, int]:
    """How many tables of k lie inside a view, of how many looked at (a sample where many)."""
    d, k = plan.domain.d, plan.k
    if math.comb(d, k) <= COUNTED:
        asked = list(combinations(plan.domain.names, k))
    else:
        asked = choose_queries(plan.domain, k, 2000, rng=stream(0, "coverage"))
    sets = [frozenset(view) for view in plan.views if len(view) >= k]
    return sum(any(view.issuperset(query) for view in sets) for query in asked), len(asked)


def show(plan: Plan, settings: Settings) -> None:
    """The views as columns, and the pairs they hold."""
    key = cached.plan_key(settings)
    frame.title(words.plan.coverage(*coverage(plan), plan.k, plan.m))
    with frame.side():
        st.markdown(words.plan.INCIDENCE)
    pictures.show(
        "incidence", key,
        lambda: (figures.incidence(plan), words.plan.views(plan.m, plan.domain.d)), caption=False,
    )  # fmt: skip
    st.subheader(words.plan.PAIRS_TITLE, anchor=False)
    pictures.show(
        "pairs_held", key, lambda: (figures.pair_coverage(plan), words.plan.PAIRS), caption=False
    )
