"""Collect: groups, one person's report, the oracles, and counts turned into estimates."""

import streamlit as st

from calm_core.figures import collect as figures
from pages import words
from pages.panels.collect import flow, person
from pages.ui import cached, escape, pictures, state, warnings
from pages.ui.guard import guarded

settings = state.current()
st.title("Collect")
st.markdown(words.collect.INTRO)
warnings.own_design(settings)
with guarded():
    # The collection shown is CALM's, whatever method is compared elsewhere.
    settings = settings.changed(method="calm")
    outcome = cached.outcome(settings)
    plan = outcome.answer.plan
warnings.after_run(outcome, settings)

groups, one, oracles, counts = st.tabs(
    ["Groups", "One person", "Oracles", "Counts to estimates"],
    on_change="rerun",
    key="collect_tabs",
)

if groups.open:
    with groups:
        flow.show(outcome.answer.reports)

if one.open:
    with one:
        person.show(outcome, plan, settings)

if oracles.open:
    with oracles:
        size = max(oracle.size for oracle in plan.oracles)
        used = sorted({oracle.title for oracle in plan.oracles})
        st.markdown(words.collect.used(used))
        left, right = st.columns(2, gap="large")
        with left:
            st.header(words.collect.by_size_title(plan.epsilon), anchor=False)
            pictures.show(
                figures.variance_by_size(plan.epsilon, size),
                words.collect.BY_SIZE, "variance_by_size", caption=False
            )  # fmt: skip
        with right:
            cells = st.select_slider(
                "Cells in the view",
                [2, 4, 8, 16, 32, 64, 128, 256, 1024],
                value=16,
                key="oracle_cells",
            )
            pictures.show(
                figures.variance_by_epsilon(cells, plan.epsilon),
                words.collect.by_epsilon(cells), "variance_by_epsilon", caption=False
            )  # fmt: skip

if counts.open:
    with counts:
        view = st.selectbox(
            "View", range(plan.m), key="counts_view",
            format_func=lambda i: escape.short(f"{i + 1}: {' × '.join(plan.views[i % plan.m])}", 60),
        )  # fmt: skip
        reports, noisy = outcome.answer.reports.views[view], outcome.answer.noisy
        truth = outcome.dataset.marginal(reports.attrs)
        labels = figures.cell_labels_of(truth.domain)
        estimate = noisy.tables[view].values
        st.markdown(words.collect.ESTIMATES)
        left, right = st.columns(2, gap="large")
        with left:
            st.header(f"What arrives: {reports.n:,} reports", anchor=False)
            pictures.show(
                figures.raw_counts(reports, labels),
                words.collect.COUNTS,
                "raw_counts",
                caption=False,
            )
        with right:
            below = int((estimate < 0).sum())
            below_zero = "none below zero" if not below else f"{below:,} below zero"
            st.header(f"Unbiased estimates, {below_zero}", anchor=False)
            pictures.show(
                figures.estimates(estimate, truth, labels),
                words.collect.estimated(below_zero), "estimates", caption=False
            )  # fmt: skip
        oracle = reports.oracle
        deviation = oracle.variance(max(1, reports.n)) ** 0.5
        st.caption(words.collect.oracle(oracle.title, oracle.p, oracle.q, oracle.size, deviation))
