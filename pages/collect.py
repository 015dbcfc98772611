"""Collect: reports come in, one person's report, the oracles, and counts turned into shares."""

import streamlit as st

from pages import words
from pages.panels.collect import arrival, counts, oracles, person
from pages.ui import cached, frame, glossary_link, state, view_state, warnings
from pages.ui.error_boundary import show_errors

settings = state.current()
with show_errors():
    # The collection shown is CALM's, whatever method is compared elsewhere.
    shown = settings.changed(method="calm")
    outcome = cached.outcome(shown)

view = view_state.view(words.collect.SEGMENTS)
if view == "arrival" or frame.lecture():
    with show_errors():
        drawn = arrival.show(outcome, shown, at=view_state.current().at, lecture=frame.lecture())
    frame.title(drawn["moments"][drawn["start"]]["title"])
else:
    frame.title(words.collect.TITLES[view])
    with show_errors():
        if view == "person":
            person.show(outcome, arrival.answer_of(outcome).plan, shown)
        elif view == "oracles":
            oracles.show(arrival.answer_of(outcome).plan)
        else:
            counts.show(outcome, shown)
if not frame.lecture():
    # Beside each other: what is said below is not seen before somebody scrolls.
    with st.container(horizontal=True, vertical_alignment="center"):
        view_state.segments(words.collect.SEGMENTS)
        warnings.calms_collection(settings)
    glossary_link.say(words.collect.TERMS, quiet=True)
    warnings.after_run(outcome, shown)
