"""How the errors of all k-way marginals are spread."""

import streamlit as st

from calm_core.figures.errors import describe_distribution, error_distribution
from calm_core.report import csv_text
from calm_core.running import Run
from calm_core.settings import Settings
from pages.shared import results, warnings


def show(settings: Settings, outcome: Run) -> None:
    """Numbers, histogram, CSV."""
    scores = results.all_scores(settings, outcome)
    mean, guess = float(scores["sse"].mean()), float(scores["uniform_sse"].mean())
    plan = getattr(outcome.answer, "plan", None)
    with st.grid(4, min_column_width=150):
        st.metric("Mean SSE, squared shares", f"{mean:.2e}", border=True)
        st.metric(
            "Uniform guess, same unit",
            f"{guess:.2e}",
            border=True,
            help="Mean SSE of all cells equal.",
        )
        st.metric("Times less error", f"{guess / max(mean, 1e-300):,.3g}", border=True)
        if plan is not None:
            st.metric(
                "Predicted mean SSE", f"{warnings.predicted(plan, settings):.2e}", border=True,
                help="Noise and sampling error from formulas, before any data is seen.",
            )  # fmt: skip
    st.markdown(results.how_many(scores, settings, outcome.dataset.domain.d))
    results.picture(error_distribution(scores), describe_distribution(scores), "distribution")
    st.download_button(
        "Download CSV", csv_text(scores.drop(columns="query")), "errors.csv", "text/csv",
        icon=":material/download:", on_click="ignore", key="spread_csv",
    )  # fmt: skip
