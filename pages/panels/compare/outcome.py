"""What came of a comparison: curves, table, CSV, and any point opened."""

import pandas as pd
import streamlit as st

from calm_core.errors import UserError
from calm_core.experiments import failures
from calm_core.experiments.background import State
from calm_core.figures.compare import (
    describe_methods,
    failed_repetitions,
    method_curves,
    summary_of,
)
from calm_core.figures.marginals import compare_cells, describe_bars, marginal_bars
from calm_core.methods import METHODS, CalmPlus
from calm_core.reports import csv_text
from calm_core.settings import Settings
from pages import words
from pages.ui import cached, escape, pictures, results
from pages.ui.notices import as_sentence
from pages.ui.state import attributes_shown

TITLES = {name: method.title for name, method in METHODS.items()}


def show_end(state: State) -> None:
    """How the comparison ended: never left to be guessed from what is there."""
    if state.name == "died":
        st.error(as_sentence(state.sentence), icon=":material/error:")
    elif state.name == "stopped":
        st.info(as_sentence(state.sentence), icon=":material/stop:")
    else:
        st.caption(as_sentence(state.sentence))


def show(settings: Settings, scores: pd.DataFrame, state: State) -> None:
    """Everything about the scores so far; `settings` are those the comparison was started with."""
    ran = scores.dropna(subset=["sse"])
    if ran.empty and not scores.empty:
        st.caption(words.compare.NOTHING_RAN)
    elif ran.empty and state.name == "running":
        st.caption(words.compare.SOON)
    elif not ran.empty:
        summary = summary_of(scores)
        guess = float(ran["uniform_sse"].astype(float).mean())
        figure = method_curves(summary, TITLES, uniform_sse=guess, note=state.unfinished)
        sentence = describe_methods(summary, TITLES)
        pictures.show(
            figure, f"{sentence} {words.compare.POINTS_HINT}", "methods",
            on_select="rerun", selection_mode="points",
        )  # fmt: skip
        if CalmPlus.name in set(summary["method"]) and settings.design != "algorithm1":
            st.info(
                words.compare.COMPARED_DESIGN.format(design=words.shared.DESIGNS[settings.design]),
                icon=":material/grid_view:",
            )
        _opened(settings, summary)
        _table(scores, summary, state)
    for sentence in failures(scores, TITLES):
        st.caption(as_sentence(sentence))


def by_epsilon(scores: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """Measured mean SSE of every method at every epsilon, the formula's beside it where one exists."""
    ran = scores.dropna(subset=["sse"]).astype({"analytical_sse": float})
    expected = ran.groupby(["trust", "method", "epsilon"])["analytical_sse"].mean()
    table = summary.set_index(["trust", "method", "epsilon"])[["mean"]].join(expected)
    table = table.rename(index=TITLES, level="method")
    wide = {}
    for epsilon in sorted(set(table.index.get_level_values("epsilon"))):
        rows = table.xs(epsilon, level="epsilon")
        wide[f"epsilon {epsilon:g}"] = rows["mean"]
        if rows["analytical_sse"].notna().any():
            wide[f"epsilon {epsilon:g}, formula"] = rows["analytical_sse"]
    return pd.DataFrame(wide).reindex(table.index.droplevel("epsilon").unique())


def export(scores: pd.DataFrame, state: State) -> tuple[str, str]:
    """Name and content of the CSV; an unfinished comparison says so in both, in every row."""
    if not state.unfinished:
        return "comparison.csv", csv_text(scores)
    return "comparison-unfinished.csv", csv_text(scores.assign(comparison=state.unfinished))


def _table(scores: pd.DataFrame, summary: pd.DataFrame, state: State) -> None:
    wide = by_epsilon(scores, summary)
    numbers = {
        name: st.column_config.NumberColumn(
            format="%.2g", help=words.compare.BY_FORMULA if "formula" in name else words.compare.MEASURED
        )
        for name in wide.columns
    }  # fmt: skip
    failed = failed_repetitions(summary, TITLES)
    if failed:
        column = [failed.get(name, "") for name in wide.index.get_level_values("method")]
        wide.insert(0, "failed", column)
        numbers["failed"] = st.column_config.TextColumn(help=words.compare.SURVIVORS)
    st.dataframe(
        wide.reset_index(), hide_index=True, alt=words.compare.TABLE,
        column_config=numbers,
    )  # fmt: skip
    file, content = export(scores, state)
    st.download_button(
        "Download CSV", content, file, "text/csv",
        icon=":material/download:", on_click="ignore", key="comparison_csv",
        help=words.compare.CSV_HELP,
    )  # fmt: skip


def _opened(settings: Settings, summary: pd.DataFrame) -> None:
    """Tables of the point that was clicked, from its first repetition."""
    state = st.session_state.get("figure_methods")
    points = state["selection"]["points"] if state else []
    if points and points[0].get("customdata"):
        name, epsilon = points[0]["customdata"][:2]
        st.session_state["compare_point"] = (name, float(epsilon))
    point = st.session_state.get("compare_point")
    if point is None or point[0] not in set(summary["method"]):
        return
    name, epsilon = point
    wanted = settings.changed(method=name, epsilon=epsilon, l=None, m=None)
    domain = cached.encoded(settings).dataset.domain
    attrs = attributes_shown(settings, domain)
    with st.container(border=True):
        st.markdown(
            f"**{TITLES[name]}, epsilon = {epsilon:g}:** "
            + escape.markdown(results.joined(attrs), 200)
        )
        try:
            with st.spinner(f"Running {TITLES[name]} once"):
                outcome = cached.outcome(wanted)
        except UserError as error:
            st.info(as_sentence(error))
            return
        table = compare_cells(outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs))
        pictures.show(marginal_bars(table, attrs), describe_bars(table, attrs), "compare_point")
