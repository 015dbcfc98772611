"""Every pair of attributes: where the error is."""

import pandas as pd
import streamlit as st

from calm_core.evaluation.repeated_runs import pair_scores
from calm_core.evaluation.run import Run
from calm_core.figures.errors import METRIC_TITLES, describe_pairs, pair_heatmap
from calm_core.reports import csv_text
from calm_core.settings import Settings
from pages import words
from pages.ui import cached, escape, menu, pictures, results, state

METRICS = {"sse": "SSE", "l1": "L1", "jensen_shannon": "Jensen-Shannon"}


def _clicked() -> None:
    points = st.session_state["figure_pairs"]["selection"]["points"]
    if points:
        _open(tuple(points[0]["customdata"]))


def _open(attrs: tuple[str, ...]) -> None:
    if state.change(attrs=tuple(attrs)):
        st.session_state["marginals_view"] = "Look"
        st.switch_page(menu.page("marginals"))


def pairs_of(settings: Settings, outcome: Run) -> pd.DataFrame:
    """Scores of all pairs, kept."""
    return cached.kept(
        "pairs", settings.results_key, lambda: pair_scores(outcome.dataset, outcome.answer)
    )


def show(settings: Settings, outcome: Run) -> None:
    """Heatmap with a metric to choose; a click on a cell opens that marginal."""
    if outcome.dataset.domain.d < 2:
        st.info(words.errors.NO_PAIRS)
        return
    pairs = pairs_of(settings, outcome)
    metric = st.segmented_control(
        "Error measured as", tuple(METRICS), format_func=METRICS.get, default="sse", required=True,
        key="pairs_metric", persist_state="session",
    )  # fmt: skip
    figure = pair_heatmap(pairs, outcome.dataset.domain.names, metric)
    sentence = f"{describe_pairs(pairs, metric)} {words.errors.PAIRS_HINT}"
    pictures.show(figure, sentence, "pairs", on_select=_clicked, selection_mode="points")
    ordered = pairs.sort_values(metric, ascending=False, ignore_index=True)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = {i: results.joined(row.attributes, 28) for i, row in ordered.iterrows()}
        chosen = st.selectbox(
            "Pair, largest error first", list(names), key="pair_chosen", width=360,
            format_func=lambda i: f"{escape.short(names[i], 60)}: {words.numbers.error(ordered.loc[i, metric])}",
        )  # fmt: skip
        st.button(
            "Open its marginal", icon=":material/open_in_new:", key="pair_open",
            on_click=_open, args=(ordered.loc[chosen, "attributes"],),
        )  # fmt: skip
        st.download_button(
            "Download CSV", csv_text(pairs.drop(columns="query")), "pairs.csv", "text/csv",
            icon=":material/download:", on_click="ignore", key="pairs_csv",
            help=f"All pairs with {', '.join(METRIC_TITLES.values())}.",
        )  # fmt: skip
