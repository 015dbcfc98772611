"""Start: three entry cards, and a first table with a slider for epsilon."""

import streamlit as st

from pages import words
from pages.panels import start as panel
from pages.ui import cached_calls, frame, state
from pages.ui.error_boundary import show_errors

settings = state.current()
with show_errors():
    outcome = cached_calls.outcome(settings)
if not frame.is_lecture():
    with frame.side():
        with st.container(key="lead"):
            frame.show_text(words.start.WHAT_IT_IS)
        with st.container(key="ways_in"):
            panel.show_entry_cards()
with show_errors():
    panel.show_first_table(settings, outcome)
