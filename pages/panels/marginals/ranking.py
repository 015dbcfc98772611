"""All tables of k attributes as a list that sorts, and opens the one that is ticked."""

import numpy as np
import pandas as pd
import streamlit as st

from calm_core.evaluation.run import Run
from calm_core.reports import csv_text
from calm_core.settings import Settings
from pages import words
from pages.ui import naming, results, state, view_state


def _open() -> None:
    chosen = st.session_state["ranking"]["selection"]["rows"]
    attrs = st.session_state.get("ranking_attrs", ())
    if chosen and chosen[0] < len(attrs) and state.change(attrs=attrs[chosen[0]]):
        view_state.change(view="")


def _ordered(settings: Settings, outcome: Run) -> pd.DataFrame:
    scores = results.all_scores(settings, outcome)
    return scores.sort_values("sse", ascending=False, ignore_index=True)


def show(settings: Settings, outcome: Run) -> None:
    """One row per table: where it comes from, how far off it is, and how far a guess would be."""
    domain, ordered = outcome.dataset.domain, _ordered(settings, outcome)
    held = results.how_many(ordered, settings, domain.d)
    st.markdown(f"{held} {words.marginals.RANKING_HINT}")
    st.session_state["ranking_attrs"] = tuple(ordered["attributes"])
    cells = np.array([domain.cells_of(attrs) for attrs in ordered["attributes"]])
    names = words.marginals.RANKING_COLUMNS
    shown = pd.DataFrame(
        {
            "title": [naming.joined(domain, attrs, 24) for attrs in ordered["attributes"]],
            "origin": ["view" if covered else "rebuilt" for covered in ordered["covered"]],
            "points": 100 * np.sqrt(ordered["sse"] / cells),
            "guess": 100 * np.sqrt(ordered["uniform_sse"] / cells),
            "ratio": 100 * np.sqrt(ordered["sse"] / ordered["uniform_sse"]),
        }
    ).rename(columns=names)
    number = st.column_config.NumberColumn
    st.dataframe(
        shown, hide_index=True, key="ranking", on_select=_open, selection_mode="single-row",
        height=360, alt=words.marginals.RANKING,
        column_config={
            names["title"]: st.column_config.TextColumn(width="large"),
            names["points"]: number(format="%.3g"), names["guess"]: number(format="%.3g"),
            names["ratio"]: number(format="%.3g%%"),
        },
    )  # fmt: skip


def details(settings: Settings, outcome: Run) -> None:
    """The same tables with every measure of error, and as CSV."""
    ordered = _ordered(settings, outcome)
    titles = [naming.joined(outcome.dataset.domain, attrs, 24) for attrs in ordered["attributes"]]
    number = st.column_config.NumberColumn
    st.dataframe(
        ordered.assign(title=titles), hide_index=True, alt=words.marginals.RANKING,
        column_order=("title", "sse", "l1", "l2", "jensen_shannon", "uniform_sse"),
        column_config={
            "title": words.marginals.RANKING_COLUMNS["title"],
            "sse": number("SSE, squared shares", format="%.2e"),
            "l1": number("L1, shares", format="%.3g"),
            "l2": number("L2, shares", format="%.3g"),
            "jensen_shannon": number("Jensen-Shannon, nats", format="%.3g"),
            "uniform_sse": number("SSE of equal shares", format="%.2e"),
        },
    )  # fmt: skip
    st.download_button(
        "Download CSV", csv_text(ordered.drop(columns="query")), "tables.csv", "text/csv",
        icon=":material/download:", on_click="ignore", key="ranking_csv",
    )  # fmt: skip
