"""The pages of the app, and links between them."""

from pathlib import Path

import streamlit as st

from pages import words
from pages.ui import state

FOLDER = Path(__file__).resolve().parents[1]
FIRST = "start"


def shown(name: str) -> bool:
    """Whether a page exists and the link opened allows it; Start always is."""
    allowed = state.current().pages
    exists = (FOLDER / f"{name}.py").exists()
    return exists and (not allowed or name in (*allowed, FIRST))


def page(name: str) -> st.Page:
    """One page as Streamlit knows it."""
    title, icon, text = words.shared.PAGES[name]
    path = FOLDER / f"{name}.py"
    return st.Page(path, title=title, icon=icon, help=text, default=name == FIRST)


def pages() -> list[st.Page]:
    """All pages shown, in order."""
    return [page(name) for name in words.shared.PAGES if shown(name)]


def link(name: str, label: str) -> None:
    """A link to another page, where that page is shown."""
    if shown(name):
        st.page_link(page(name), label=label, icon=words.shared.PAGES[name][1])
