"""The lobby: where phones come in, and how many are there."""

import time

import streamlit as st

from calm_core.classroom.projector import Progress
from calm_core.classroom.survey import DEFAULT_CLASS_SIZE
from calm_core.classroom.teacher import TeacherControls
from pages import words
from pages.panels.classroom import before, cards, doors, held, joining, next_steps, watch
from pages.panels.classroom.held import Held
from pages.panels.classroom.store_instance import store
from pages.ui import frame, notices

# Seconds after which a lobby without phones says what may be wrong.
PATIENCE = 60


def show(shown: Held, progress: Progress) -> None:
    """QR code, code, address and the number of phones; for the teacher what may be done."""
    frame.title(words.classroom.LOBBY_TITLE)
    with st.container(key="class_lobby"):
        with st.container(key="class_code"):
            joining.code(shown.wall)
        with st.container(key="class_words"):
            joining.address(shown)
            # What looks again by itself keeps its place, in a lecture too: else it would be there twice.
            watch.part(_live(shown, progress))
            if shown.desk is not None and not frame.lecture():
                joining.choose(shown.desk)
                _more(shown, shown.desk, progress)


def _live(shown: Held, drawn: Progress):
    """What changes while phones come in."""
    reached = joining.chosen(shown.wall)

    def part() -> None:
        now = shown.wall.progress()
        moved = (now.state, now.roster, joining.chosen(shown.wall)) != (
            drawn.state,
            drawn.roster,
            reached,
        )
        # A refusal is told by the whole page.
        if moved or "refused" in st.session_state:
            notices.rerun()
        phones = now.phones or 0
        st.html(
            f'<p class="calm-class-number" role="status"><b>{phones:,}</b> {words.classroom_counts.phones_in(phones)}</p>'
        )
        if not phones:
            _nobody(shown)
        if shown.desk is not None:
            st.button(
                words.classroom.OPEN, type="primary", key="class_open", disabled=not phones, on_click=_open,
                args=(shown.desk,), help=words.classroom.OPEN_HELP if phones else words.classroom.OPEN_NOBODY,
            )  # fmt: skip

    return part


def _nobody(shown: Held) -> None:
    """That no phone has come, and after a while why that may be."""
    began = st.session_state.setdefault("class_waits", {}).setdefault(shown.code, time.monotonic())
    if joining.visited(shown.code):
        return
    st.caption(words.classroom.NOBODY_YET)
    if time.monotonic() - began > PATIENCE and not frame.lecture():
        lines = "\n".join(f"- {hint}" for hint in words.classroom.HINTS)
        st.markdown(f"{words.classroom.NOBODY_LONG}\n{lines}")


def _open(desk: TeacherControls) -> None:
    with held.wished():
        desk.open()


def _more(shown: Held, desk: TeacherControls, progress: Progress) -> None:
    """What else the teacher may do before it begins."""
    said = words.classroom
    doors.others(shown)
    with st.container(horizontal=True):
        st.button(
            said.REHEARSE, key="class_rehearse", on_click=_rehearse, args=(shown, desk), help=said.REHEARSE_HELP
        )  # fmt: skip
        doors.leave()
        before.save(desk)
        next_steps.delete(shown, desk)
    joining.capacity(desk, progress)
    with frame.drawer(said.CARDS, key="class_cards_drawer"):
        cards.show(desk, progress)


def _rehearse(shown: Held, desk: TeacherControls) -> None:
    """The same questions as a survey that counts nothing, opened at once for a single phone."""
    if not held.first_press(shown):
        return
    with held.wished():
        desk.delete_rehearsals()
        keys = store().create(desk.survey, expected=DEFAULT_CLASS_SIZE, test=True, tries=desk.code)
        held.show(Held(store().teacher(keys.teacher, keys.code), keys.teacher, tests=shown))
