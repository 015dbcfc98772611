"""Which attributes are used, in which order, and how many values each may have."""

import streamlit as st

from calm_core.ingest import Schema
from pages import words
from pages.ui import cached, escape, number_input, state, widgets

AS_THEY_ARE = "as they are"
MERGES = ("2", "3", "4", "5", "6", "8", "10", "16")


def show(schema: Schema) -> None:
    """The three controls."""
    used = cached.encoded_data(state.current()).dataset.domain.names
    titles = escape.distinct(c.title or c.name for c in schema.columns)
    called = dict(zip(schema.names, titles, strict=True))
    widgets.control(
        st.multiselect, words.data.ATTRIBUTES, "columns", options=list(schema.names),
        show=lambda columns: list(columns or used), read=tuple, max_selections=64,
        format_func=called.get, help=words.data.ATTRIBUTES_HELP,
    )  # fmt: skip
    usable = min(64, len(schema.kept))
    if usable > 2:
        widgets.control(
            st.slider, words.data.FIRST, "d", min_value=2, max_value=max(usable, len(used)),
            help=words.settings_bar.HELP["d"],
        )  # fmt: skip
    widgets.control(
        st.selectbox, words.data.MAX_VALUES, "max_values",
        options=[AS_THEY_ARE, *MERGES], show=lambda c: AS_THEY_ARE if c is None else str(c),
        read=lambda text: None if text == AS_THEY_ARE else number_input.whole(text, "max_values"),
        accept_new_options=True,
        help=words.data.MAX_VALUES_HELP,
    )  # fmt: skip
