"""Assignment: questions that a student answers with the Lab, and what a teacher makes them with."""

import streamlit as st

from calm_core.errors import UserError
from pages import words
from pages.panels.assignment import builder, work
from pages.ui import frame, navigation, state
from pages.ui.error_boundary import show_errors

place = navigation.current()
with frame.main():
    if place.view == work.BUILD:
        builder.show_builder(state.current())
    elif not place.task:
        work.show_ways_in()
    else:
        try:
            assignment = work.read_link(place.task)
            done = work.read_work_link(place.task, place.work) if place.work else None
        except UserError as error:
            st.error(f"{state.to_sentence(error)} {words.assignment.DAMAGED}")
            navigation.change(task="", work="")
            work.show_ways_in()
        else:
            with show_errors():
                if done is None:
                    work.show_beginning(assignment)
                else:
                    work.show_questions(done, state.current())
