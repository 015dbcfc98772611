"""The line under the titles of Compare: what is compared, and the switch between its two pages."""

import streamlit as st

from pages import words
from pages.ui import glossary_link, menu, view_state

KEY = "compare_switch"


def show_compare_switch(lead: str) -> None:
    """One sentence, and Three worlds or Methods at its right where both are shown."""
    here = view_state.current().page
    offered = [page for page in words.worlds.SWITCH if menu.is_shown(page)]
    with st.container(key="compare_lead", horizontal=True, vertical_alignment="center"):
        with st.container(width="stretch"):
            glossary_link.show_text(lead)
        if len(offered) > 1:
            # A page switch leaves the choice of the page before: it is always the page shown.
            st.session_state[KEY] = here
            st.segmented_control(
                "Compare", offered, default=here, format_func=words.worlds.SWITCH.__getitem__, key=KEY,
                required=True, label_visibility="collapsed", width="content", on_change=_turned,
            )  # fmt: skip


def _turned() -> None:
    view_state.go(st.session_state[KEY])
