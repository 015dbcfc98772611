"""Measured points over (l, m), with Algorithm 1's choice and the best pair."""

import streamlit as st

from calm_core.evaluation.repeated_runs import choose_view_grid, measure_view_grid
from calm_core.evaluation.run import Run
from calm_core.figures.errors import describe_views, view_map
from calm_core.methods import make_method
from calm_core.settings import Settings
from pages import words
from pages.ui import cached, pictures
from pages.ui.jobs import resumable

# Single collections are noisy: the mean of a few tells neighbours apart better.
REPETITIONS = 3


def show(settings: Settings, outcome: Run) -> None:
    """Measure pair by pair; the map appears when there is something to see."""
    if settings.method != "calm":
        st.markdown(words.errors.VIEWS_ONLY_CALM)
        return
    st.markdown(words.errors.VIEWS_LEAD)
    automatic = settings.changed(l=None, m=None)
    plan = cached.plan(automatic)
    choice = plan.choice.l, plan.choice.m
    pairs = choose_view_grid(outcome.dataset.domain.d, choice)
    method = make_method("calm", **automatic.method_settings)
    # The rows of the collection are drawn already; its tables are drawn anew from the same stream.
    grid = resumable.measure_in_steps(
        "views", automatic.results_key, len(pairs),
        lambda done: measure_view_grid(
            outcome.dataset, method, pairs[done:], seed=settings.seed, queries=20,
            repetitions=REPETITIONS,
        ),
        "Measuring every pair",
    )  # fmt: skip
    if grid.empty or grid["sse"].notna().sum() == 0:
        st.caption(words.errors.steps(len(pairs), REPETITIONS))
        return
    pictures.show(
        "views", (automatic.results_key, len(grid)),
        lambda: (view_map(grid, choice), describe_views(grid, choice)),
    )  # fmt: skip
    refused = grid[grid["reason"] != ""]
    if len(refused):
        st.caption(words.errors.refused(len(refused), refused["reason"].iloc[0]))
