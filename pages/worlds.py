"""Three worlds: what does trusting nobody cost?"""

import streamlit as st

from pages import words
from pages.panels.worlds import cards, gap
from pages.ui import cached, compare_switch, frame, state
from pages.ui.error_boundary import show_errors

# One sentence, read from afar.
PRICE = "<style>.st-key-price p { font-size: 18px; } .st-key-price strong { font-size: 24px; font-weight: 700; }</style>"

settings = state.current()
with show_errors():
    people = cached.people(settings)
    if not frame.lecture():
        # Before anything that may be refused: Methods stays within reach.
        compare_switch.show(words.worlds.lead(settings.n or people.n, settings.epsilon))
    curator, local = cards.runs_of(settings)
    cards.show(settings, curator, local)
    if not frame.lecture():
        st.html(PRICE)
        with st.container(key="price"):
            st.markdown(words.worlds.price(local.n, gap.needed(settings, curator)))
        gap.drawer(settings, curator, local)
        st.caption(words.privacy.CENTRAL_GUARANTEE)
