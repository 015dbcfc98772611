"""How the errors of all k-way marginals are spread."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from calm_core.evaluation.run import Run
from calm_core.figures.errors import describe_distribution, error_distribution
from calm_core.methods import make_method
from calm_core.reports import csv_text
from calm_core.settings import Settings
from pages import words
from pages.ui import cached, pictures, results, warnings


def predicted(settings: Settings, outcome: Run, scores: pd.DataFrame) -> float | None:
    """Expected mean SSE by formula: of the views asked about, or of the method; None without one."""
    if "reports" in outcome.answer.offers:
        return warnings.predicted(outcome.answer.plan)
    method = make_method(settings.method, **settings.method_settings)
    formula = partial(method.analytical_sse, outcome.domain, outcome.n)

    def make() -> float | None:
        found = [formula(attrs) for attrs in scores["attributes"]]
        return None if None in found else float(np.mean(found))

    return cached.kept("analytical", settings.results_key, make)


def show(settings: Settings, outcome: Run) -> None:
    """Numbers, histogram, CSV."""
    scores = results.all_scores(settings, outcome)
    mean, guess = float(scores["sse"].mean()), float(scores["uniform_sse"].mean())
    expected = predicted(settings, outcome, scores)
    with st.grid(4, min_column_width=150):
        st.metric("Mean SSE, squared shares", words.numbers.error(mean), border=True)
        st.metric(
            "Uniform guess",
            words.numbers.error(guess),
            border=True,
            help=words.errors.UNIFORM_HELP,
        )
        st.metric("Times less error", words.numbers.digits(guess / max(mean, 1e-300)), border=True)
        if expected is not None:
            st.metric(
                "Predicted mean SSE", words.numbers.error(expected), border=True,
                help=words.errors.PREDICTED_HELP,
            )  # fmt: skip
    st.markdown(results.how_many(scores, settings, outcome.dataset.domain.d))
    pictures.show(error_distribution(scores), describe_distribution(scores), "distribution")
    st.download_button(
        "Download CSV", csv_text(scores.drop(columns="query")), "errors.csv", "text/csv",
        icon=":material/download:", on_click="ignore", key="spread_csv",
    )  # fmt: skip
