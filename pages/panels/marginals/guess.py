"""Guess first, then reveal: a slider per cell, scored like the collection."""

import math

import numpy as np
import streamlit as st

from calm_core.evaluation.metrics import sse
from calm_core.evaluation.run import Run
from calm_core.figures.marginals import cell_texts, compare_cells, describe_bars, marginal_bars
from calm_core.tables.marginal import Marginal, uniform
from pages import words
from pages.ui import escape, pictures

MOST_SLIDERS = 12


def show(outcome: Run, attrs: tuple[str, ...]) -> None:
    """Sliders in a form; after revealing, the guess beside the truth and the collection."""
    st.markdown(words.marginals.GUESS_LEAD)
    cells = outcome.dataset.domain.cells_of(attrs)
    if cells > MOST_SLIDERS:
        st.info(words.marginals.too_many_to_guess(MOST_SLIDERS, cells))
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
        st.caption(words.marginals.scaled(total))
    mine, theirs = sse(truth, guess), sse(truth, outcome.answer.marginal(attrs))
    nothing = sse(truth, uniform(truth.domain, attrs))
    with st.grid(3, min_column_width=180):
        st.metric("Your SSE, squared shares", words.numbers.digits(mine, 2), border=True)
        st.metric("SSE of the collection", words.numbers.digits(theirs, 2), border=True)
        st.metric("SSE of the uniform guess", words.numbers.digits(nothing, 2), border=True)
    table = table.assign(guess=shares)
    pictures.show(marginal_bars(table, attrs), describe_bars(table, attrs), "guess")
    if mine < theirs:
        st.success(words.marginals.CLOSER_THAN_REPORTS)
    elif math.isclose(mine, nothing):
        st.info(words.marginals.UNIFORM_GUESSED)
    elif mine < nothing:
        st.info(words.marginals.BETTER_THAN_NOTHING)
    elif theirs < nothing:
        st.info(words.marginals.WORSE_THAN_NOTHING)
    else:
        st.info(words.marginals.NOTHING_WINS)
