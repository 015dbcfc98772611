"""Classroom: a survey on the phones of a class, from making it to its results."""

from functools import partial
from pathlib import Path

import streamlit as st

from calm_core.classroom.teacher import SurveyDeleted
from calm_core.errors import UserError
from pages import words
from pages.panels.classroom import lobby, open_survey, results, start, wall
from pages.panels.classroom.open_survey import OpenSurvey
from pages.ui import frame, navigation, state
from pages.ui.components import mount
from pages.ui.error_boundary import show_errors

STYLES = Path(__file__).parent / "panels" / "classroom" / "classroom.css"
START_VIEWS = {
    "": start.show_form,
    "back": partial(start.show_key_form, "back"),
    "wall": partial(start.show_key_form, "wall"),
    "before": lobby.show_preparation,
    "file": start.show_file_upload,
}


def show_start(deleted: str = "") -> None:
    """Show the ways to a survey, while none is open."""
    code = navigation.current().survey
    # After a reload the address still names the survey: ask for its key once.
    if code and st.session_state.get("class_asked_for") != code:
        st.session_state["class_asked_for"] = code
        navigation.change(view="back", at=0)
    view = navigation.current_view(words.classroom.VIEWS)
    forgotten = bool(code) and view == "back"
    frame.set_title(words.classroom.SHEET_TITLE if view == "before" else words.classroom.TITLE)
    if deleted:
        st.warning(deleted, icon=":material/link_off:")
    if frame.is_lecture():
        if forgotten:
            st.markdown(words.classroom.LECTURE_FORGOTTEN)
        else:
            start.show_invitation()
        return
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        navigation.show_views(words.classroom.VIEWS)
        navigation.choose_language()
    if not view:
        st.caption(words.classroom.LEAD)
    if forgotten:
        st.info(words.classroom.FORGOTTEN)
    with show_errors(stop=False):
        START_VIEWS[view]()


def show_survey(survey: OpenSurvey) -> None:
    """Show the open survey by its state."""
    progress = survey.view.progress()
    if survey.keys is not None or (survey.teacher is not None and progress.state != "closed"):
        # Leaving the page loses the teacher key.
        mount("leave_warning", {})
    if survey.keys is not None and not frame.is_lecture():
        start.show_keys(survey, progress.state == "closed")
    elif progress.state == "lobby":
        lobby.show_lobby(survey, progress)
    elif progress.state == "closed" and survey.teacher is not None:
        results.show_results(survey, progress)
    else:
        wall.show_wall(survey, progress)


st.html(STYLES)
if message := st.session_state.pop("class_said", ""):
    st.success(message)
try:
    found = open_survey.current_survey()
except UserError as error:
    open_survey.leave()
    show_start(state.to_sentence(error))
else:
    if found is None:
        show_start(st.session_state.pop("class_gone", ""))
    else:
        try:
            show_survey(found)
        except SurveyDeleted as error:
            open_survey.handle_deleted(found, state.to_sentence(error))
            st.rerun()
