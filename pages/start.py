"""Start: three ways in, and a first table whose epsilon can be dragged."""

import streamlit as st

from pages import words
from pages.panels.start import first_table, ways
from pages.ui import cached, frame, glossary_link, state
from pages.ui.error_boundary import show_errors

settings = state.current()
with show_errors():
    outcome = cached.outcome(settings)
if not frame.lecture():
    with frame.side():
        with st.container(key="lead"):
            glossary_link.say(words.start.WHAT_IT_IS)
        with st.container(key="ways_in"):
            ways.show()
with show_errors():
    first_table.show(settings, outcome)
