"""Algorithm 1 comparison by comparison, in the words of the papers, and how exact its errors are."""

import pandas as pd
import streamlit as st

from calm_core.planning.candidate_reasons import view_sizes
from calm_core.planning.plan import Plan
from pages import words
from pages.ui import escape, frame


def show(plan: Plan) -> None:
    """A drawer: every comparison, every size with its errors, what the two errors are."""
    with frame.drawer(words.plan.DETAILS, key="plan_details"):
        st.markdown(words.plan.EXACT)
        if len(set(plan.domain.sizes)) > 1:
            st.markdown(words.plan.MIXED)
        st.markdown(words.plan.bound(plan.theta, plan.n, plan.choice.max_views, plan.choice.m))
        st.markdown(
            "\n".join(f"1. {escape.sentence(step.text)}" for step in plan.choice.trace)
            + f"\n\n{escape.sentence(plan.choice.reason)}"
        )
        if plan.k > 2:
            st.caption(words.plan.SIZES)
        st.dataframe(table(plan), hide_index=True, width="stretch")


def table(plan: Plan) -> pd.DataFrame:
    """Every view size with its cells, views and errors, as SSE of a table of k."""
    sizes = view_sizes(plan.n, plan.domain.sizes, plan.epsilon, plan.k)
    rows = [
        (size.l, round(size.cells), size.covering, size.noise_error, size.sampling_error)
        for size in sizes
    ]
    return pd.DataFrame(rows, columns=words.plan.SIZES_COLUMNS)
