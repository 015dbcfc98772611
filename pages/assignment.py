"""Assignment: questions that a student answers with the Lab, and what a teacher makes them with."""

import streamlit as st

from calm_core.errors import UserError
from pages import words
from pages.panels import assignment as panel
from pages.ui import frame, navigation, state
from pages.ui.error_boundary import show_errors

place = navigation.current()
with frame.main():
    if place.view == panel.BUILD:
        panel.show_builder(state.current())
    elif not place.task:
        panel.show_ways_in()
    else:
        try:
            assignment = panel.read_link(place.task)
            done = panel.read_work_link(place.task, place.work) if place.work else None
        except UserError as error:
            st.error(f"{state.to_sentence(error)} {words.assignment.DAMAGED}")
            navigation.change(task="", work="")
            panel.show_ways_in()
        else:
            with show_errors():
                if done is None:
                    panel.show_beginning(assignment)
                else:
                    panel.show_questions(done, state.current())
