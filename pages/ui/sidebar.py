"""The sidebar: the controls every page has."""

import streamlit as st

from calm_core.inference.nonnegativity import NONNEGATIVITY
from calm_core.inference.reconstruction import RECONSTRUCTION
from calm_core.ingest.samples import SAMPLES
from calm_core.methods import METHODS
from calm_core.methods.calm_plus_design import DESIGNS
from calm_core.oracles import ORACLE_RULES
from calm_core.settings import LARGEST_SEED
from pages import words
from pages.ui import cached, escape, sharing, state
from pages.ui.widgets import control, decimal, epsilon_control, sizes, thetas


def show() -> None:
    """The controls every page has."""
    with st.sidebar:
        names = {name: sample.title for name, sample in SAMPLES.items()} | cached.uploads()
        control(
            st.selectbox, "Data", "source", options=list(names),
            format_func=lambda source: escape.short(names.get(source, source), 32),
        )  # fmt: skip
        epsilon_control()
        sizes()
        if not state.hidden("details"):
            with st.expander("Method and simulation", icon=":material/tune:"):
                _details()
        if not state.hidden("share"):
            sharing.share_popover(state.current())


def _details() -> None:
    """Settings few people touch."""
    control(
        st.text_input, "ε exactly", "epsilon", key="in_epsilon_exact", twin=True, show=lambda e: f"{e:g}",
        read=lambda text: decimal(text, "epsilon"),
    )  # fmt: skip
    control(
        st.select_slider, "Error threshold θ", "theta", options=thetas(),
        format_func=lambda t: f"{t:g}",
        help=words.settings.THETA_HELP,
    )  # fmt: skip
    control(
        st.selectbox,
        "Method",
        "method",
        options=list(METHODS),
        format_func=_method_title,
    )
    control(st.selectbox, "Oracle", "oracle", options=list(ORACLE_RULES))
    for field, label in (("l", "View size l"), ("m", "Number of views m")):
        control(
            st.number_input, label, field, min_value=1, placeholder="Algorithm 1 decides", step=1,
        )  # fmt: skip
    control(
        st.selectbox, "Design of CALM+", "design", options=list(DESIGNS), format_func=words.shared.DESIGNS.get,
        help=words.settings.DESIGN_HELP,
    )  # fmt: skip
    control(st.selectbox, "Non-negativity", "nonnegativity", options=list(NONNEGATIVITY))
    control(st.slider, "Rounds", "rounds", min_value=0, max_value=10)
    control(st.selectbox, "Reconstruction", "reconstruction", options=list(RECONSTRUCTION))
    control(
        st.number_input, "Random marginals scored", "queries", min_value=1, max_value=500, step=10
    )
    control(st.number_input, "Seed", "seed", min_value=0, max_value=LARGEST_SEED, step=1)


def _method_title(name: str) -> str:
    method = METHODS[name]
    return method.title if method.trust == "local" else f"{method.title} (trusted curator)"
