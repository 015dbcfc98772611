"""One view of the app: the chosen page between the shared controls and the shared last line."""

from pathlib import Path

import streamlit as st

from pages.shared import inputs, messages, sharing, words

FOLDER = Path(__file__).resolve().parents[1]


def navigation(allowed: tuple[str, ...]) -> list[st.Page]:
    """The pages that exist, or those of them a link allows; Start always."""
    return [
        st.Page(FOLDER / f"{name}.py", title=title, icon=icon, help=text, default=name == "start")
        for name, (title, icon, text) in words.PAGES.items()
        if (FOLDER / f"{name}.py").exists() and (not allowed or name in (*allowed, "start"))
    ]


settings = inputs.current()
st.set_page_config(
    words.APP,
    ":material/grid_view:",
    layout="wide",
    initial_sidebar_state="collapsed" if settings.presenter else "auto",
)
page = st.navigation(navigation(settings.pages), position="top")
messages.show_pending()
if settings.presenter:
    sharing.presenter_bar()
else:
    with messages.guard():
        inputs.sidebar()
page.run()
st.caption(words.SIMULATION)
