"""Open a collection: tables, expected errors and questions from reports alone; no truth anywhere."""

import streamlit as st

from calm_core.errors import UserError
from pages import words
from pages.panels.collection import opening, steps, tables_of
from pages.ui import frame, notices, opened, view_state
from pages.ui.error_boundary import show_errors
from pages.ui.jobs import waiting_page
from pages.ui.uploads.session_store import Opened

# What a back row can read.
ON_A_WALL = ("", "steps")


def choose(gone: str = "") -> None:
    """Nothing is open: what this is, and where a collection comes from; or why what was open is not."""
    frame.title(words.collection.TITLE)
    with frame.side():
        # Not said before the tab was asked for what it keeps.
        with st.container(key="gone_asking" if waiting_page.is_asking_tab() else "gone"):
            st.markdown(gone or words.collection.LEAD)
        # Files are chosen before a lecture, not in it.
        if not frame.lecture():
            opening.choose()


def look(held: Opened) -> None:
    """What its reports tell."""
    view, name = view_state.view(words.collection.VIEWS), tables_of.method(held)
    if frame.lecture() and view not in ON_A_WALL:
        view = ""
    # The table stands right below its title, as everywhere; what is told of the collection below it.
    stage = st.container()
    view_state.segments(words.collection.VIEWS)
    if not frame.lecture():
        with st.container(horizontal=True, vertical_alignment="center", key="collection_head"):
            opening.told(held)
            if view in ("", "errors"):
                tables_of.choose_method(held, name)
        opening.account(held)
    with stage, show_errors(stop=False):
        if view == "views":
            tables_of.asked(held)
        elif view == "steps":
            steps.show(held)
        elif view == "errors":
            frame.title(words.collection.TITLE)
            tables_of.errors(held, name)
        else:
            tables_of.show(held, name)


try:
    found = opened.now()
except UserError as error:
    choose(notices.as_sentence(error))
else:
    if found is None:
        choose()
    else:
        look(found)
