"""Exports of a result: report, notebook, tables, and the equivalent command."""

import streamlit as st

from calm_core.evaluation.run import Run, score_pairs
from calm_core.figures.errors import (
    describe_distribution,
    describe_pairs,
    error_distribution,
    pair_heatmap,
)
from calm_core.figures.marginals import compare_cells, describe_bars, marginal_bars, name_columns
from calm_core.ingest.samples import SAMPLES
from calm_core.methods import CalmPlus, make_method
from calm_core.reports import Section, csv_text, html_report, notebook
from calm_core.settings import Settings
from calm_core.text import format_count
from pages import words
from pages.ui import asking, downloads, state
from pages.ui.one_page import make_one_page


def settings_table(settings: Settings, outcome: Run) -> dict[str, object]:
    """Return names and values of all settings that decide the result."""
    used = vars(make_method(settings.method, **settings.method_settings))
    found = {
        "data": words.exports.source_name(settings), "attributes": ", ".join(outcome.dataset.domain.names),
        "n, people": f"{outcome.dataset.n:,}", "epsilon": f"{settings.epsilon:g}", "k": settings.k,
        "method": settings.method, "seed": settings.seed,
    }  # fmt: skip
    # Only what the method was made with: not every method has all settings.
    if "theta" in used:
        found["theta"] = f"{used['theta']:g}"
    if "oracle" in used:
        found["oracle"] = used["oracle"]
    if "nonnegativity" in used:
        found["non-negativity"] = words.exports.rounds_text(
            used["nonnegativity"], used.get("rounds")
        )
    if "reconstruction" in used:
        found["reconstruction"] = used["reconstruction"]
    if settings.method == CalmPlus.name:
        found["design"] = words.common.DESIGNS[settings.design]
    plan = outcome.plan
    if plan is not None:
        found |= {"l, attributes per view": plan.l, "m, views": plan.m}
    return found


def make_report(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> str:
    """Return the technical report as one HTML page that opens offline."""
    table = compare_cells(outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs))
    sections = [
        Section(
            " × ".join(attrs), words.exports.TABLE,
            ((marginal_bars(table, attrs), describe_bars(table, attrs)),), name_columns(table, attrs),
        )
    ]  # fmt: skip
    if outcome.dataset.domain.d > 1:
        pairs = score_pairs(outcome.dataset, outcome.answer)
        figure = pair_heatmap(pairs, outcome.dataset.domain.names, "sse")
        sections.append(
            Section(
                words.exports.PAIRS, words.common.SSE, ((figure, describe_pairs(pairs, "sse")),)
            )
        )
    scores = outcome.scores
    sections.append(
        Section(
            f"Errors of {format_count(len(scores), 'marginal')} over {format_count(settings.k, 'attribute')}", "",
            ((error_distribution(scores), describe_distribution(scores)),), scores.drop(columns="query"),
        )
    )  # fmt: skip
    return html_report(
        f"{words.common.APP}: {words.exports.source_name(settings)}, epsilon = {settings.epsilon:g}", settings_table(settings, outcome), sections,
        summary=words.exports.summary(settings, outcome), command=settings.to_command(),
    )  # fmt: skip


def make_notebook(settings: Settings, outcome: Run) -> str:
    """Return the notebook that reruns this result."""
    sample = settings.source in SAMPLES
    chosen = {"columns": settings.columns} if settings.columns else {"d": settings.d}
    return notebook(
        f"sample:{settings.source}" if sample else settings.file,
        method=settings.method,
        method_settings=settings.method_settings,
        load_settings=chosen | {"max_values": settings.max_values},
        run_settings={"seed": settings.seed, "n": settings.n, "queries": settings.queries},
        expected_sse=float(outcome.scores["sse"].mean()),
        population=settings.n if settings.is_population else None,
        schema="schema.json" if settings.schema else None,
        read=settings.read if settings.is_upload else (),
    )


def show_exports(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> None:
    """Show the closing panel of the result pages."""
    if state.is_hidden("exports"):
        return
    panel = st.expander(
        "Take it with you", icon=":material/ios_share:", on_change="rerun", key="exports"
    )
    if not panel.open:
        return
    # A file is made without the session.
    reported = asking.reported_question()
    with panel:
        with st.container(horizontal=True):
            downloads.show_download(
                "Report", lambda: make_one_page(settings, outcome, attrs, reported),
                "calm-report.html", "text/html", key="take_one_page",
            )  # fmt: skip
            downloads.show_download(
                "Technical report", lambda: make_report(settings, outcome, attrs),
                "calm-technical-report.html", "text/html", key="take_report",
            )  # fmt: skip
            downloads.show_download(
                "Notebook", lambda: make_notebook(settings, outcome), "calm-result.ipynb",
                "application/x-ipynb+json", key="take_notebook",
            )  # fmt: skip
            downloads.show_download(
                "Errors as CSV", lambda: csv_text(outcome.scores), "errors.csv", "text/csv",
                key="take_errors",
            )  # fmt: skip
        st.caption(words.exports.HINT)
        st.markdown(words.exports.COMMAND)
        st.code(settings.to_command(), language=None, wrap_lines=True)
        st.markdown(words.exports.PASTE)
        st.code(words.exports.summary(settings, outcome), language=None, wrap_lines=True)
        st.segmented_control(
            "Pictures", ("svg", "png"), default="svg", key="picture_kind", required=True,
            persist_state="session", help=words.exports.PICTURES_HELP, format_func=str.upper,
        )  # fmt: skip
