"""Errors as the papers measure them: a heatmap of all pairs, and the same as a file."""

import pandas as pd
import streamlit as st

from calm_core.evaluation.run import Run
from calm_core.figures.errors import METRIC_TITLES, describe_pairs, pair_heatmap
from calm_core.reports import csv_text
from calm_core.settings import Settings
from pages import words
from pages.panels.errors.pairs import opened
from pages.ui import escape, naming, pictures

METRICS = {"sse": "SSE", "l1": "L1", "jensen_shannon": "Jensen-Shannon"}


def _clicked() -> None:
    points = st.session_state["figure_pairs"]["selection"]["points"]
    if points:
        opened(tuple(points[0]["customdata"]))


def show(settings: Settings, outcome: Run, scored: pd.DataFrame) -> None:
    """A closed drawer; what is in it is drawn once it is opened."""
    panel = st.expander(words.errors.DETAILS, on_change="rerun", key="errors_details")
    if not panel.open:
        return
    with panel:
        st.markdown(words.shared.SSE)
        metric = st.segmented_control(
            "Error measured as", tuple(METRICS), format_func=METRICS.__getitem__, default="sse", required=True,
            key="pairs_metric", persist_state="session",
        )  # fmt: skip
        pictures.show(
            "pairs", (settings.results_key, metric),
            lambda: (
                pair_heatmap(scored, outcome.domain.names, metric), describe_pairs(scored, metric)
            ),
            on_select=_clicked, selection_mode="points",
        )  # fmt: skip
        _chosen(outcome, scored, metric)


def _chosen(outcome: Run, scored: pd.DataFrame, metric: str) -> None:
    """All pairs in order, one of them to open, and the file."""
    ordered = scored.sort_values(metric, ascending=False, ignore_index=True)
    names = {
        i: naming.joined(outcome.domain, attrs, 28) for i, attrs in enumerate(ordered["attributes"])
    }
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Pair, largest error first", list(names), key="pair_chosen", width=360,
            format_func=lambda i: f"{escape.short(names[i], 60)}: {words.numbers.error(ordered.loc[i, metric])}",
        )  # fmt: skip
        st.button(
            "Open its table", icon=":material/open_in_new:", key="pair_open",
            on_click=opened, args=(ordered.loc[chosen, "attributes"],),
        )  # fmt: skip
        st.download_button(
            "Download CSV", csv_text(scored.drop(columns=["query", "points"])), "pairs.csv", "text/csv",
            icon=":material/download:", on_click="ignore", key="pairs_csv",
            help=f"All pairs with {', '.join(METRIC_TITLES.values())}.",
        )  # fmt: skip
