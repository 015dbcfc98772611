"""What the collector receives on one view, and the shares that follow."""

from collections.abc import Sequence

import streamlit as st

from calm_core.collection.simulation import ViewReports
from calm_core.evaluation.run import Run
from calm_core.figures import collect as figures
from calm_core.figures.theme import escape_label
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.panels.collect import arrival
from pages.ui import escape, frame, naming, pictures, tables


def show(outcome: Run, settings: Settings) -> None:
    """Counts as they arrive beside the shares made of them, of one view; then all groups."""
    answer = arrival.answer_of(outcome)
    held = answer.reports
    now = arrival.view_chosen(outcome, settings)
    field = f"counts_view_{now}"
    names = [naming.joined(outcome.domain, view.attrs, 24) for view in held.views]
    chosen = st.selectbox(
        words.collect.VIEW, range(len(held.views)), index=now, key=field, on_change=_choose,
        args=(field, held.views), format_func=lambda i: escape.short(f"{i + 1}: {names[i]}", 80),
    )  # fmt: skip
    key = settings.results_key, chosen
    reports, truth = held.views[chosen], outcome.dataset.marginal(held.views[chosen].attrs)
    labels = labels_of(truth.domain)
    shares = answer.noisy.tables[chosen].values
    below = words.collect.below_zero(int((shares < 0).sum()))
    left, right = st.columns(2, gap="large")
    with left:
        st.header(words.collect.arrives(reports.n), anchor=False)
        titles = [truth.domain.title_of(name) for name in truth.domain.names]
        pictures.show(
            "raw_counts", key,
            lambda: (figures.raw_counts(reports, labels, titles), words.collect.COUNTS),
            caption=False,
        )  # fmt: skip
    with right:
        st.header(words.collect.shares(below), anchor=False)
        pictures.show(
            "estimates", key,
            lambda: (figures.estimates(shares, truth, labels), words.collect.shares_shown(below)),
            caption=False,
        )  # fmt: skip
    st.markdown(words.collect.UNBIASED)
    sizes = [part.n for part in held.views]
    st.header(words.collect.GROUPS_TITLE, anchor=False)
    st.caption(words.collect.group_sizes(len(sizes), min(sizes), max(sizes)))
    pictures.show(
        "group_sizes", settings.results_key,
        lambda: (figures.group_sizes(held), words.collect.each_view(min(sizes), max(sizes))),
        caption=False,
    )  # fmt: skip
    with frame.drawer(words.collect.DETAILS):
        oracle = reports.oracle
        # The mean over the cells, whatever the table is.
        deviation = float(oracle.variance(max(1, reports.n), 1 / oracle.size)) ** 0.5
        st.markdown(words.collect.oracle(oracle.title, oracle.p, oracle.q, oracle.size, deviation))
        st.markdown(words.collect.FORMULA)


def _choose(key: str, views: Sequence[ViewReports]) -> None:
    arrival.choose(views[st.session_state[key]].attrs)


def labels_of(domain: Domain) -> list[str]:
    """Short names of the cells of a table over all attributes of `domain`, escaped for figures."""
    return [escape_label(name, 30) for name in tables.names(domain, pale=True)[1]]
