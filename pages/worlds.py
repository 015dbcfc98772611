"""Three worlds: what does trusting nobody cost?"""

import streamlit as st

from pages import words
from pages.panels import worlds as panel
from pages.ui import cached_calls, frame, state
from pages.ui.error_boundary import show_errors

# One sentence, read from afar.
PRICE = "<style>.st-key-price p { font-size: 18px; } .st-key-price strong { font-size: 24px; font-weight: 700; }</style>"

settings = state.current()
with show_errors():
    people = cached_calls.people(settings)
    if not frame.is_lecture():
        # Before anything that may be refused: Methods stays within reach.
        frame.show_compare_switch(
            words.compare.lead_text(n=settings.n or people.n, epsilon=settings.epsilon)
        )
    curator, local = panel.run_both_worlds(settings)
    attrs = panel.card_attributes(settings, local)
    panel.show_cards(settings, curator, local, attrs)
    st.html(PRICE)
    with st.container(key="price"):
        panel.show_price(settings, local, attrs)
    if not frame.is_lecture():
        panel.show_trust_drawer(settings, local)
        panel.show_price_drawer(settings, local, attrs)
