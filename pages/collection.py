"""Open a collection: tables, expected errors and views from reports alone, without any truth."""

import streamlit as st

from calm_core.errors import UserError
from pages import words
from pages.panels import collection as panel
from pages.ui import asking, attacking, frame, navigation, opened_collections, plan_chart, state
from pages.ui.error_boundary import is_asking_tab, show_errors
from pages.ui.uploads import Opened

# What a back row can read.
ON_A_WALL = ("", "steps")


def choose(gone: str = "") -> None:
    """Show where a collection comes from while none is open, or why it cannot be opened."""
    frame.set_title(words.collection.TITLE)
    with frame.side():
        # Not said before the tab was asked for what it keeps.
        with st.container(key="gone_asking" if is_asking_tab() else "gone"):
            st.markdown(gone or words.collection.LEAD)
        # Files are chosen before a lecture, not in it.
        if not frame.is_lecture():
            panel.show_sources()


def look(held: Opened) -> None:
    """Show the open collection."""
    view = navigation.current_view(words.collection.VIEWS)
    if frame.is_lecture() and view not in ON_A_WALL:
        view = ""
    # The table stands right below its title, as everywhere; what is told of the collection below it.
    stage = st.container()
    navigation.show_views(words.collection.VIEWS)
    if not frame.is_lecture():
        with st.container(horizontal=True, vertical_alignment="center", key="collection_head"):
            panel.show_summary(held)
        panel.show_notes(held)
    with stage, show_errors(stop=False):
        if view == "views":
            plan_chart.show_views(held.state.plan, held.digest)
        elif view == "steps":
            panel.show_steps(held)
        elif view == "ask":
            asking.show_asking(panel.ask_state(held))
        elif view == "attack":
            attacking.show_one_of_all(panel.attack_state(held))
        elif view == "errors":
            frame.set_title(words.collection.TITLE)
            panel.show_expected_errors(held)
        else:
            panel.show_table(held)


try:
    found = opened_collections.get_opened()
except UserError as error:
    choose(state.to_sentence(error))
else:
    if found is None:
        choose()
    else:
        look(found)
