"""What came of a comparison: rows, and in a drawer curves, table, CSV and any point opened."""

from functools import partial

import pandas as pd
import streamlit as st

from calm_core.errors import UserError
from calm_core.experiments import ExperimentSpec, describe_failures
from calm_core.experiments.background import ComparisonState
from calm_core.figures.compare import (
    describe_methods,
    failed_repetitions,
    method_curves,
    summarize_points,
)
from calm_core.figures.marginals import compare_cells, describe_bars, marginal_bars
from calm_core.methods import CalmPlus
from calm_core.reports import csv_text
from calm_core.settings import Settings
from pages import words
from pages.panels.compare import lines, rows
from pages.panels.compare.lines import TITLES
from pages.ui import cached, escape, frame, naming, pictures, progress
from pages.ui.notices import as_sentence
from pages.ui.state import attributes_shown


def in_squares(scores: pd.DataFrame, spec: ExperimentSpec) -> pd.DataFrame:
    """The scores with mean squares of a cell in squared points: `square`, `guess`, `formula`."""
    [point] = spec.points
    domain, cells = spec.data.domain, {}
    for repetition in range(spec.repetitions):
        for query, attrs in enumerate(spec.asked(point, repetition)):
            cells[repetition, query] = domain.cells_of(attrs)
    count = [cells.get(key) for key in zip(scores["repetition"], scores["query"])]
    scale = 1e4 / pd.Series(count, index=scores.index, dtype=float)
    named = {"square": "sse", "guess": "uniform_sse", "formula": "analytical_sse"}
    return scores.assign(**{name: scores[old].astype(float) * scale for name, old in named.items()})


def nearest(epsilons, epsilon: float) -> float:
    """The epsilon measured that is nearest to the one of the Lab."""
    return min(epsilons, key=lambda measured: abs(measured - epsilon))


def guess_of(scores: pd.DataFrame) -> float:
    """Points of the equal-shares guess."""
    return float(scores["guess"].mean() ** 0.5)


def best_local(summary: pd.DataFrame, epsilon: float) -> tuple[str, float] | None:
    """Title and points of the closest local method that uses data; None where none was measured."""
    held = summary[(summary["epsilon"] == epsilon) & (summary["trust"] == "local")].dropna(
        subset=["mean"]
    )
    if held.empty:
        return None
    best = held.loc[held["mean"].idxmin()]
    return TITLES[best["method"]], float(best["mean"])


def show_end(state: ComparisonState) -> None:
    """How the comparison ended: never left to be guessed from what is there."""
    if state.name == "died":
        st.error(as_sentence(state.sentence), icon=":material/error:")
    elif state.name == "stopped":
        st.info(as_sentence(state.sentence), icon=":material/stop:")


def show(
    spec: ExperimentSpec, scores: pd.DataFrame, state: ComparisonState, epsilon: float
) -> None:
    """Rows of the methods at the epsilon measured that is nearest to `epsilon`."""
    ran = scores.dropna(subset=["square"])
    if ran.empty and not scores.empty:
        st.caption(words.compare.NOTHING_RAN)
    elif ran.empty and state.name == "running":
        st.caption(words.compare.SOON)
    elif not ran.empty:
        summary, at = summarize_points(scores), nearest(set(ran["epsilon"]), epsilon)
        if not frame.lecture():
            st.caption(words.compare.measured_at(at, epsilon))
        failed = {
            name: failed_repetitions(summary, {}).get(name, "") for name in set(summary["method"])
        }
        known = {name: text for name, text in failed.items() if text}
        rows.show(rows.measured(summary, at, guess_of(ran), known, spec.data.domain))
    if not frame.lecture():
        rows.why_not(describe_failures(scores, TITLES))


def drawer(settings: Settings, scores: pd.DataFrame, state: ComparisonState) -> None:
    """Curves, table and download; `settings` are those the comparison was started with."""
    ran = scores.dropna(subset=["square"])
    if ran.empty:
        return
    panel = st.expander(words.compare.CURVES, on_change="rerun", key="compare_curves")
    if not panel.open:
        return
    with panel:
        summary = summarize_points(scores)
        guess, note = guess_of(ran), state.unfinished
        pictures.show(
            # What was measured by now is known by its numbers only.
            "methods", (*cached.data_key(settings), summary.to_csv(), guess, note),
            lambda: (
                method_curves(summary, TITLES, guess=guess, note=note),
                f"{describe_methods(summary, TITLES)} {words.compare.POINTS_HINT}",
            ),
            on_select="rerun", selection_mode="points",
        )  # fmt: skip
        if CalmPlus.name in set(summary["method"]) and settings.design != "algorithm1":
            st.caption(
                words.compare.COMPARED_DESIGN.format(design=words.shared.DESIGNS[settings.design])
            )
        _opened(settings, summary)
        _table(scores, summary, state)


def by_epsilon(scores: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """Points of every method at every epsilon, the formula's beside them where there is one."""
    ran = scores.dropna(subset=["square"])
    expected = ran.groupby(["trust", "method", "epsilon"])["formula"].mean() ** 0.5
    table = summary.set_index(["trust", "method", "epsilon"])[["mean"]].join(expected)
    table = table.rename(index=TITLES, level="method")
    wide = {}
    for epsilon in sorted(set(table.index.get_level_values("epsilon"))):
        at = table.xs(epsilon, level="epsilon")
        wide[f"ε {epsilon:g}"] = at["mean"]
        if at["formula"].notna().any():
            wide[f"ε {epsilon:g}, formula"] = at["formula"]
    return pd.DataFrame(wide).reindex(table.index.droplevel("epsilon").unique())


def export(scores: pd.DataFrame, state: ComparisonState) -> tuple[str, str]:
    """Name and content of the CSV; an unfinished comparison says so in both, in every row."""
    scores = scores.drop(columns=["square", "guess", "formula"], errors="ignore")
    if not state.unfinished:
        return "comparison.csv", csv_text(scores)
    return "comparison-unfinished.csv", csv_text(scores.assign(comparison=state.unfinished))


def _table(scores: pd.DataFrame, summary: pd.DataFrame, state: ComparisonState) -> None:
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


def _close(point: tuple[str, float]) -> None:
    """Callback of Stop: leave a point alone until another is clicked; in the figure it stays selected."""
    st.session_state.pop("compare_point", None)
    st.session_state["compare_stopped"] = point


def _opened(settings: Settings, summary: pd.DataFrame) -> None:
    """Tables of the point that was clicked, from its first repetition."""
    state = st.session_state.get("figure_methods")
    points = state["selection"]["points"] if state else []
    clicked = None
    if points and points[0].get("customdata"):
        name, epsilon = points[0]["customdata"][:2]
        clicked = (name, float(epsilon))
    if clicked is None or clicked != st.session_state.get("compare_stopped"):
        st.session_state.pop("compare_stopped", None)
        if clicked is not None:
            st.session_state["compare_point"] = clicked
    point = st.session_state.get("compare_point")
    if point is None or point[0] not in set(summary["method"]):
        return
    name, epsilon = point
    wanted = settings.changed(method=lines.method_of(name).name, epsilon=epsilon, l=None, m=None)
    domain = cached.encoded_data(settings).dataset.domain
    attrs = attributes_shown(settings, domain)
    with st.container(border=True):
        names = escape.markdown(naming.joined(domain, attrs), 200)
        st.markdown(f"{words.compare.opened(TITLES[name], epsilon)}{names}")
        try:
            with progress.work_area("point", partial(_close, point)):
                outcome = cached.outcome(wanted)
        except UserError as error:
            st.info(as_sentence(error))
            return
        released = lines.table_of(name, outcome.answer, attrs)
        table = compare_cells(outcome.dataset.marginal(attrs), released)
        pictures.show(
            "compare_point", (wanted.results_key, name, attrs),
            lambda: (marginal_bars(table, attrs), describe_bars(table, attrs)),
        )  # fmt: skip
