"""One view of the app: the chosen page between the shared controls and the shared last line."""

from pathlib import Path

import streamlit as st

from pages import words
from pages.ui import menu, notices, sharing, sidebar, state
from pages.ui.guard import guarded

settings = state.current()
st.set_page_config(
    words.shared.APP,
    # A file of our own: the browser would fetch a named icon from the internet.
    str(Path(__file__).with_name("icon.svg")),
    layout="wide",
    initial_sidebar_state="collapsed" if settings.presenter else "auto",
)
# The dark theme's light blue reads well as text but not under white text. Streamlit writes the axes
# of charts in a grey too light for a projector: they take the colour of the words around them.
st.html(
    '<style>[data-testid^="stBaseButton-primary"]:not(:disabled), [data-tag]'
    " { background-color: #0A66A5 !important; border-color: #0A66A5 !important; }"
    ' .js-plotly-plot :is([class*="axislayer"] text, [class$="title"], .colorbar text)'
    " { fill: currentColor !important; fill-opacity: 0.8 !important; }</style>"
)
page = st.navigation(menu.pages(), position="top")
notices.show_pending()
with guarded():
    if settings.presenter:
        sharing.presenter_bar()
    else:
        sidebar.show()
page.run()
st.caption(words.shared.SIMULATION)
