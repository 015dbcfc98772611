"""Guess first, then reveal: a slider per cell, scored like the collection."""

import math

import numpy as np
import streamlit as st

from calm_core.evaluation.metrics import sse
from calm_core.evaluation.run import Run
from calm_core.figures.marginals import cell_texts, compare_cells, describe_bars, marginal_bars
from calm_core.tables.marginal import Marginal, uniform
from pages.ui import escape, pictures
from pages.words import results as words_results

MOST_SLIDERS = 12


def show(outcome: Run, attrs: tuple[str, ...]) -> None:
    """Sliders in a form; after revealing, the guess beside the truth and the collection."""
    st.markdown(words_results.GUESS_LEAD)
    cells = outcome.dataset.domain.cells_of(attrs)
    if cells > MOST_SLIDERS:
        st.info(
            f"Choose attributes with at most {MOST_SLIDERS} cells together; these have {cells}."
        )
        return
    truth = outcome.dataset.marginal(attrs)
    table = compare_cells(truth, outcome.answer.marginal(attrs))
    names = cell_texts(table, attrs)
    with st.form("guess", border=True):
        with st.grid(4, min_column_width=180):
            given = [
                st.slider(
                    escape.markdown(name), 0, 100, round(100 / cells), format="%d%%",
                    key=f"guess_{'|'.join(attrs)}_{i}",
                )
                for i, name in enumerate(names)
            ]  # fmt: skip
        revealed = st.form_submit_button("Reveal", type="primary", icon=":material/visibility:")
    if not revealed:
        return
    total = sum(given)
    shares = np.array(given) / total if total else np.full(cells, 1 / cells)
    guess = Marginal(truth.domain, shares.reshape(truth.domain.sizes))
    if total != 100:
        st.caption(f"Your sliders add up to {total}%; they were scaled to 100%.")
    mine, theirs = sse(truth, guess), sse(truth, outcome.answer.marginal(attrs))
    nothing = sse(truth, uniform(truth.domain, attrs))
    with st.grid(3, min_column_width=180):
        st.metric("Your SSE, squared shares", f"{mine:.2g}", border=True)
        st.metric("SSE of the collection", f"{theirs:.2g}", border=True)
        st.metric("SSE of the uniform guess", f"{nothing:.2g}", border=True)
    table = table.assign(guess=shares)
    pictures.show(marginal_bars(table, attrs), describe_bars(table, attrs), "guess")
    if mine < theirs:
        st.success(
            "Your guess is closer than the collection. With this epsilon, knowing helps more."
        )
    elif math.isclose(mine, nothing):
        st.info("No better than all cells equal. The randomised reports know more than you do.")
    elif mine < nothing:
        st.info("Better than knowing nothing, but the randomised reports know more than you do.")
    elif theirs < nothing:
        st.info("The uniform guess would have been closer, and the collection closer still.")
    else:
        st.info("The uniform guess would have been closer than either, you or the collection.")
