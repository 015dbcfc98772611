"""Open a collection: tables, expected errors and questions from reports alone; no truth anywhere."""

import streamlit as st

from pages import words
from pages.panels.collection import opening, tables_of
from pages.panels.collection.opening import Opened
from pages.ui import frame, places
from pages.ui.guard import guarded


def choose() -> None:
    """Nothing is open: what this is, and where a collection comes from."""
    frame.title(words.collection.TITLE)
    with frame.side():
        st.markdown(words.collection.LEAD)
        # Files are chosen before a lecture, not in it.
        if not frame.lecture():
            opening.choose()


def look(opened: Opened) -> None:
    """What its reports tell."""
    view, name = places.view(words.collection.VIEWS), tables_of.PREFERRED
    # The table stands right below its title, as everywhere; what is told of the collection below it.
    stage = st.container()
    if not frame.lecture():
        with st.container(horizontal=True, vertical_alignment="center", key="collection_head"):
            opening.told(opened)
            if view != "views":
                name = tables_of.method()
        opening.refused(opened)
    with stage, guarded(stop=False):
        if view == "views":
            tables_of.asked(opened)
        elif view == "errors":
            frame.title(words.collection.TITLE)
            tables_of.errors(opened, name)
        else:
            tables_of.show(opened, name)
    places.segments(words.collection.VIEWS)


held = opening.now()
if held is None:
    choose()
else:
    look(held)
