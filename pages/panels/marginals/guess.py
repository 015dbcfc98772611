"""Guess first, then reveal: a slider per cell, scored like the collection."""

import math
from itertools import product

import numpy as np
import streamlit as st

from calm_core.evaluation.error_units import typical_points
from calm_core.evaluation.metrics import sse
from calm_core.evaluation.run import Run
from calm_core.tables.marginal import Marginal, uniform
from pages import words
from pages.ui import escape, naming, tables
from pages.ui.components.table import Head, draw_table

MAX_SLIDERS = 12


def show(outcome: Run, attrs: tuple[str, ...]) -> None:
    """Sliders in a form; after revealing, the guess beside the truth and the collection."""
    st.markdown(words.marginals.GUESS_LEAD)
    cells = outcome.dataset.domain.cells_of(attrs)
    if cells > MAX_SLIDERS:
        st.info(words.marginals.too_many_to_guess(MAX_SLIDERS, cells))
        return
    truth = outcome.dataset.marginal(attrs)
    answer, domain = outcome.answer.marginal(attrs), truth.domain
    codes = product(*map(range, domain.sizes))
    names = [tables.cell_name(domain, range(domain.d), code) for code in codes]
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
    others = (guess, answer, uniform(truth.domain, attrs))
    mine, theirs, nothing = (typical_points([sse(truth, other)], cells) for other in others)
    with st.grid(3, min_column_width=180):
        for name, points in zip(words.marginals.GUESSED, (mine, theirs, nothing)):
            st.metric(name, words.numbers.points(points), border=True)
    drawn = tables.table_of(
        truth, answer, guess=shares, reading=tables.measured(truth, answer), height=300,
        head=Head(naming.question(domain)),
    )  # fmt: skip
    draw_table(drawn, key="guessed")
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
