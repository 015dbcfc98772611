"""Noise, sampling, reconstruction: what each costs."""

import pandas as pd
import streamlit as st

from calm_core.evaluation.error_sources import split_error
from calm_core.evaluation.run import Run
from calm_core.figures.errors import describe_split, split_bar
from calm_core.methods import Calm, make_method
from calm_core.randomness import stream
from calm_core.reports import csv_text
from calm_core.settings import Settings
from pages import words
from pages.ui import cached, pictures


def parts_of(settings: Settings, outcome: Run) -> pd.DataFrame:
    """The split of the run's own queries, kept; its first run is the run itself."""

    def make() -> pd.DataFrame:
        method = make_method("calm", **settings.method_settings)
        rng = stream(settings.seed, 0, Calm.name)
        with st.spinner("Running three more times"):
            return split_error(outcome.dataset, method, outcome.queries, rng=rng)

    return cached.kept("split", settings.results_key, make)


def show(settings: Settings, outcome: Run) -> None:
    """One bar cut into parts, and what the reruns have left."""
    if settings.method != "calm":
        st.info(words.shared.ONLY_CALM, icon=":material/info:")
        return
    st.markdown(words.errors.SPLIT_LEAD)
    parts = parts_of(settings, outcome)
    pictures.show(split_bar(parts), describe_split(parts), "split")
    with st.grid(3, min_column_width=220):
        for name, text in words.errors.SOURCES.items():
            with st.container(border=True, height="stretch"):
                st.metric(f"{name.capitalize()}, mean SSE", words.numbers.error(parts[name].mean()))
                st.caption(text)
    st.download_button(
        "Download CSV", csv_text(parts.drop(columns="query")), "split.csv", "text/csv",
        icon=":material/download:", on_click="ignore", key="split_csv",
    )  # fmt: skip
