"""Collect: reports come in, one person's report, the oracles, and counts turned into shares."""

import streamlit as st

from pages import words
from pages.panels import collect as panel
from pages.ui import cached_calls, frame, navigation, state, warnings
from pages.ui.error_boundary import show_errors

settings = state.current()
with show_errors():
    # The collection shown is CALM's, whatever method is compared elsewhere.
    shown = settings.with_changes(method="calm")
    outcome = cached_calls.outcome(shown)

view = navigation.current_view(words.collect.SEGMENTS)
if view == "arrival" or frame.is_lecture():
    with show_errors():
        drawn = panel.show_arrival(
            outcome, shown, at=navigation.current().at, lecture=frame.is_lecture()
        )
    frame.set_title(drawn["moments"][drawn["start"]]["title"])
else:
    frame.set_title(words.collect.TITLES[view])
    with show_errors():
        if view == "person":
            panel.show_person(outcome, panel.collected_answer(outcome).plan, shown)
        elif view == "oracles":
            panel.show_oracles(panel.collected_answer(outcome).plan)
        else:
            panel.show_counts(outcome, shown)
if not frame.is_lecture():
    # Beside each other: what is said below is not seen before somebody scrolls.
    with st.container(horizontal=True, vertical_alignment="center"):
        navigation.show_views(words.collect.SEGMENTS)
        warnings.show_other_collection(settings)
    frame.show_text(words.collect.TERMS, quiet=True)
    warnings.show_result_warnings(outcome, shown)
