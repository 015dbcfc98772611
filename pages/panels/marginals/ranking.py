"""All k-way marginals as a table that sorts, and opens the one that is clicked."""

import streamlit as st

from calm_core.evaluation.run import Run
from calm_core.reports import csv_text
from calm_core.settings import Settings
from pages import words
from pages.ui import results, state


def _open() -> None:
    chosen = st.session_state["ranking"]["selection"]["rows"]
    attrs = st.session_state.get("ranking_attrs", ())
    if chosen and chosen[0] < len(attrs):
        state.change(attrs=attrs[chosen[0]])
        st.session_state["marginals_view"] = "Look"


def show(settings: Settings, outcome: Run) -> None:
    """One row per marginal with its errors."""
    scores = results.all_scores(settings, outcome)
    held = results.how_many(scores, settings, outcome.dataset.domain.d)
    st.markdown(f"{held} {words.marginals.RANKING_HINT}")
    ordered = scores.sort_values("sse", ascending=False, ignore_index=True)
    st.session_state["ranking_attrs"] = tuple(ordered["attributes"])
    shown = ordered.assign(
        marginal=[results.joined(attrs, 24) for attrs in ordered["attributes"]],
        origin=["view" if covered else "rebuilt" for covered in ordered["covered"]],
        ratio=ordered["sse"] / ordered["uniform_sse"],
    )
    number = st.column_config.NumberColumn
    st.dataframe(
        shown, hide_index=True, key="ranking", on_select=_open, selection_mode="single-row",
        height=460, alt=words.marginals.RANKING,
        column_order=("marginal", "origin", "sse", "l1", "l2", "jensen_shannon", "ratio"),
        column_config={
            "marginal": st.column_config.TextColumn("Marginal", width="medium"),
            "origin": "From",
            "sse": number("SSE, squared shares", format="%.2e"),
            "l1": number("L1, shares", format="%.4f"),
            "l2": number("L2, shares", format="%.4f"),
            "jensen_shannon": number("Jensen-Shannon, nats", format="%.4f"),
            "ratio": number("SSE / uniform guess", format="%.3f"),
        },
    )  # fmt: skip
    st.download_button(
        "Download CSV", csv_text(ordered.drop(columns="query")), "marginals.csv", "text/csv",
        icon=":material/download:", on_click="ignore", key="ranking_csv",
    )  # fmt: skip
