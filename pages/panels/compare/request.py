"""What to compare: methods in two groups, epsilons, repetitions."""

import streamlit as st

from calm_core.experiments import ExperimentSpec
from calm_core.methods import METHODS
from calm_core.settings import Settings
from calm_core.tables.population import People
from pages import words
from pages.panels.compare import lines

# What is chosen at first, by who is trusted.
USUAL = {"local": ("calm", "ft", "uni"), "central": ()}
EPSILONS = (0.2, 0.5, 1.0, 2.0)
OFFERED = (0.1, 0.2, 0.5, 0.8, 1.0, 1.4, 2.0, 3.0, 4.0)


def ask(settings: Settings, dataset: People) -> ExperimentSpec | None:
    """The form; a request once it is submitted."""
    with st.form("comparison"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(words.compare.CHOICE, width="stretch")
            pressed = st.form_submit_button("Compare", type="primary", icon=":material/play_arrow:")
        chosen: list[str] = []
        for trust, usual in USUAL.items():
            names = [name for name, method in METHODS.items() if method.trust == trust]
            found = st.pills(
                words.compare.TRUST[trust], names, selection_mode="multi", default=[n for n in usual if n in names],
                format_func=lambda name: METHODS[name].title, key=f"compare_{trust}",
                persist_state="session", wrap=True,
            )  # fmt: skip
            chosen += found
        mending = st.checkbox(
            words.compare.mend([METHODS[name].title for name in lines.UNBIASED]), True,
            key="compare_mending", persist_state="session", help=words.compare.MEND_HELP,
        )  # fmt: skip
        epsilons = st.multiselect(
            "Values of ε", OFFERED, default=EPSILONS, key="compare_epsilons", persist_state="session",
            accept_new_options=False,
        )  # fmt: skip
        left, right = st.columns(2, vertical_alignment="bottom")
        repetitions = left.number_input(
            "Repetitions", 1, 100, 5, key="compare_repetitions", persist_state="session",
            help=words.compare.REPETITIONS_HELP,
        )  # fmt: skip
        queries = right.number_input(
            "Tables", 1, 200, 20, key="compare_queries", persist_state="session",
            help=words.compare.tables_help(settings.k),
        )  # fmt: skip
    if not pressed:
        return None
    methods = lines.chosen(chosen, settings, mending=mending)
    return ExperimentSpec(
        dataset, methods, tuple(sorted(epsilons)), ks=(settings.k,), ns=(settings.n or dataset.n,),
        repetitions=int(repetitions), queries=int(queries), seed=settings.seed,
    )  # fmt: skip
