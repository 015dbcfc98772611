"""The lobby: QR code, address and number of phones before a survey opens."""

import time

import streamlit as st

from calm_core.classroom.database import VISITED
from calm_core.classroom.survey import DEFAULT_CLASS_SIZE
from calm_core.classroom.teacher import Progress, TeacherControls
from pages import words
from pages.panels.classroom import address, open_survey, printing, results, start
from pages.panels.classroom.open_survey import OpenSurvey, get_store
from pages.ui import frame, notices

# Seconds without a phone after which the lobby shows hints.
HINT_SECONDS = 60


def show_lobby(shown: OpenSurvey, progress: Progress) -> None:
    """Show QR code, address and number of phones, and the controls of the teacher."""
    frame.set_title(words.classroom.LOBBY_TITLE)
    with st.container(key="class_lobby"):
        with st.container(key="class_code"):
            address.show_qr_code(shown.view)
        with st.container(key="class_words"):
            address.show_address(shown)
            # A fragment that changes its place, as in a lecture, would be drawn twice.
            open_survey.refresh_regularly(_live_part(shown, progress))
            if shown.teacher is not None and not frame.is_lecture():
                address.choose_address(shown.teacher)
                _show_actions(shown, shown.teacher, progress)


def _live_part(shown: OpenSurvey, drawn: Progress):
    """Return the function that draws what changes while phones join."""
    before = drawn.state, drawn.roster, address.stored_links(shown.view)

    def part() -> None:
        now = shown.view.progress()
        changed = (now.state, now.roster, address.stored_links(shown.view)) != before
        # The page, not this part, shows a refusal.
        if changed or "refused" in st.session_state:
            notices.rerun()
        phones = now.phones or 0
        st.html(
            f'<p class="calm-class-number" role="status"><b>{phones:,}</b> {words.classroom.phones_in(phones)}</p>'
        )
        if not phones:
            _explain_no_phone(shown)
        if shown.teacher is not None:
            st.button(
                words.classroom.OPEN, type="primary", key="class_open", disabled=not phones, on_click=_open,
                args=(shown.teacher,), help=words.classroom.OPEN_HELP if phones else words.classroom.OPEN_NOBODY,
            )  # fmt: skip

    return part


def _explain_no_phone(shown: OpenSurvey) -> None:
    """Say that no phone has come, and after a while what the reason may be."""
    began = st.session_state.setdefault("class_waits", {}).setdefault(shown.code, time.monotonic())
    if VISITED in shown.view.notes:
        return
    st.caption(words.classroom.NOBODY_YET)
    if time.monotonic() - began > HINT_SECONDS and not frame.is_lecture():
        lines = "\n".join(f"- {hint}" for hint in words.classroom.HINTS)
        st.markdown(f"{words.classroom.NOBODY_LONG}\n{lines}")


def _open(teacher: TeacherControls) -> None:
    with open_survey.teacher_action():
        teacher.open()


def _show_actions(shown: OpenSurvey, teacher: TeacherControls, progress: Progress) -> None:
    """Show the other actions of the teacher."""
    said = words.classroom
    start.choose_other_survey(shown)
    with st.container(horizontal=True):
        st.button(
            said.REHEARSE, key="class_rehearse", on_click=_start_rehearsal, args=(shown, teacher), help=said.REHEARSE_HELP
        )  # fmt: skip
        start.show_leave_button()
        printing.show_sheet_download(teacher)
        results.show_delete_button(shown, teacher)
    address.edit_capacity(teacher, progress)
    with frame.drawer(said.CARDS, key="class_cards_drawer"):
        printing.show_cards(teacher, progress)


def _start_rehearsal(shown: OpenSurvey, teacher: TeacherControls) -> None:
    """Callback: create a survey marked TEST with the same questions, which is open at once."""
    if not open_survey.is_first_press(shown):
        return
    with open_survey.teacher_action():
        teacher.delete_rehearsals()
        keys = get_store().create(
            teacher.survey, expected=DEFAULT_CLASS_SIZE, test=True, tries=teacher.code
        )
        open_survey.switch_to(
            OpenSurvey(
                get_store().teacher(keys.teacher, keys.code), keys.teacher, rehearsal_of=shown
            )
        )
