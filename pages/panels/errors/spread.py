"""How the errors of all tables with this k are spread."""

import math

import pandas as pd
import streamlit as st

from calm_core.evaluation.run import Run
from calm_core.figures.errors import describe_points, points_distribution
from calm_core.reports import csv_text
from calm_core.settings import Settings
from pages import words
from pages.ui import pictures, remedies, results


def show(settings: Settings, outcome: Run) -> None:
    """Numbers, histogram, CSV."""
    scores = results.all_scores(settings, outcome)
    cells = [math.prod(outcome.domain.shape_of(attrs)) for attrs in scores["attributes"]]
    points = scores[["covered"]].assign(points=100 * (scores["sse"] / cells) ** 0.5)
    guess = pd.Series(100 * (scores["uniform_sse"] / cells) ** 0.5)
    typical, guessing = _typical(points["points"]), _typical(guess)
    expected = remedies.predicted(settings)
    told = [words.errors.SPREAD_LEAD, results.how_many(scores, settings, outcome.domain.d)]
    if len(outcome.queries) != len(scores):
        told.append(words.errors.TITLE_OF.format(queries=len(outcome.queries)))
    st.markdown(" ".join(told))
    with st.grid(4, min_column_width=150):
        st.metric("Typical", words.numbers.points(typical), border=True)
        st.metric("Equal shares", words.numbers.points(guessing), border=True)
        closer = words.numbers.digits(guessing / max(typical, 1e-300))
        st.metric("Times closer", closer, border=True)
        if expected is not None:
            st.metric(
                "Predicted", words.numbers.points(expected), border=True,
                help=words.errors.PREDICTED_HELP,
            )  # fmt: skip
    pictures.show(
        "distribution", settings.results_key,
        lambda: (points_distribution(points, typical, guessing), describe_points(points, guess)),
    )  # fmt: skip
    st.download_button(
        "Download CSV", csv_text(scores.drop(columns="query")), "errors.csv", "text/csv",
        icon=":material/download:", on_click="ignore", key="spread_csv",
    )  # fmt: skip


def _typical(points) -> float:
    return math.sqrt(float((points**2).mean()))
