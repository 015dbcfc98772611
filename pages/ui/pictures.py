"""A figure on a page, with the sentence that says what it shows."""

import streamlit as st

from calm_core.figures.html import picture_options
from pages.ui import escape


def show(figure, sentence: str, name: str, *, caption: bool = True, **options):
    """Draw a figure; returns what `st.plotly_chart` does.

    Parameters
    ----------
    figure : Figure
        What to draw.
    sentence : str
        What it shows, for screen readers, and below the figure unless `caption` is False because
        the words beside it say the same.
    name : str
        Of the figure on its page and of the picture that the camera button saves.
    """
    kind = st.session_state.get("picture_kind", "svg")
    found = st.plotly_chart(
        figure, key=f"figure_{name}", config=picture_options(f"calm-{name}", kind), alt=sentence,
        **options,
    )  # fmt: skip
    if caption:
        st.caption(escape.sentence(sentence))
    return found
