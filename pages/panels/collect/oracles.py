"""The rules by which a device may randomise, over the size of a table and over epsilon."""

import streamlit as st

from calm_core.figures import collect as figures
from calm_core.planning.plan import Plan
from pages import words
from pages.ui import pictures

CELLS = (2, 4, 8, 16, 32, 64, 128, 256, 1024)


def show(plan: Plan) -> None:
    """Both curves, and which oracle the collection uses."""
    size = max(oracle.size for oracle in plan.oracles)
    used = sorted({oracle.title for oracle in plan.oracles})
    st.markdown(words.collect.used(used))
    left, right = st.columns(2, gap="large")
    with left:
        st.header(words.collect.by_size_title(plan.epsilon), anchor=False)
        pictures.show(
            "variance_by_size", (plan.epsilon, size),
            lambda: (figures.variance_by_size(plan.epsilon, size), words.collect.BY_SIZE),
            caption=False,
        )  # fmt: skip
    with right:
        cells = st.select_slider(words.collect.CELLS, CELLS, value=16, key="oracle_cells")
        pictures.show(
            "variance_by_epsilon", (cells, plan.epsilon),
            lambda: (
                figures.variance_by_epsilon(cells, plan.epsilon), words.collect.by_epsilon(cells)
            ),
            caption=False,
        )  # fmt: skip
