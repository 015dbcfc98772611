"""One view of the app: the chosen page between the shared controls and the shared last line."""

from pathlib import Path

import streamlit as st

from pages.shared import inputs, menu, messages, sharing, words

settings = inputs.current()
st.set_page_config(
    words.APP,
    # A file of our own: the browser would fetch a named icon from the internet.
    str(Path(__file__).with_name("icon.svg")),
    layout="wide",
    initial_sidebar_state="collapsed" if settings.presenter else "auto",
)
page = st.navigation(menu.pages(), position="top")
messages.show_pending()
if settings.presenter:
    sharing.presenter_bar()
else:
    with messages.guard():
        inputs.sidebar()
page.run()
st.caption(words.SIMULATION)
