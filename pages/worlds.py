"""Three worlds: what does trusting nobody cost?"""

import streamlit as st

from pages import words
from pages.panels.worlds import cards, gap
from pages.ui import frame, state, switch
from pages.ui.guard import guarded

# One sentence, read from afar.
PRICE = "<style>.st-key-price p { font-size: 18px; } .st-key-price strong { font-size: 24px; font-weight: 700; }</style>"

settings = state.current()
with guarded():
    curator, local = cards.runs_of(settings)
    if not frame.lecture():
        switch.show(words.worlds.lead(local.n, settings.epsilon))
    cards.show(settings, curator, local)
    if not frame.lecture():
        st.html(PRICE)
        with st.container(key="price"):
            st.markdown(words.worlds.price(local.n, gap.needed(settings, curator)))
        gap.drawer(settings, curator, local)
        st.caption(words.privacy.CENTRAL_GUARANTEE)
