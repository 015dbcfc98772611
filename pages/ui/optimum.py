"""How near anybody could come with the reports of the plan: measured once the drawer is opened, and kept."""

import streamlit as st

from calm_core.evaluation.bayes_optimum import Optimum, dependence_of, find_optimum
from calm_core.methods import Calm
from calm_core.randomness import stream
from calm_core.settings import Settings
from calm_core.tables.queries import choose_queries
from pages import words
from pages.ui import cached
from pages.ui.progress import Notify

REPETITIONS, QUERIES = 20, 20


def measure_optimum(settings: Settings, key: str) -> Optimum:
    """The errors of the best possible answer, of CALM+ and of CALM; `key` is that of the drawer."""
    people, plan = cached.people(settings), cached.plan(settings)

    def work(notify: Notify) -> Optimum:
        names = people.domain.names
        dependence = dependence_of(people.marginal(names), people.n)
        rng = stream(settings.seed, 0, "optimum")
        queries = choose_queries(people.domain, settings.k, QUERIES, rng=rng)
        return find_optimum(
            plan, dependence, queries, repetitions=REPETITIONS, rng=rng,
            notify=lambda done: notify(done, REPETITIONS),
        )  # fmt: skip

    def close() -> None:
        st.session_state[key] = False

    return cached.get_long_result(
        "optimum", settings.results_key, work, words.optimum.progress_text, close
    )


def show_optimum_drawer(settings: Settings, key: str) -> None:
    """A closed drawer with the best possible answer beside CALM+ and CALM."""
    panel = st.expander(words.optimum.QUESTION, on_change="rerun", key=key)
    if not panel.open:
        return
    with panel:
        found = measure_optimum(settings.changed(method=Calm.name), key)
        plus, calm = found.typical("calm_plus"), found.typical("calm")
        st.markdown(words.optimum.answer_text(plus, calm))
        st.markdown(words.optimum.remainder_text(calm[0]))
        st.caption(words.optimum.LEAD)
