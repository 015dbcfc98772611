"""One-time cards: a sheet to print, cut apart, shuffle and hand out."""

import streamlit as st

from calm_core.classroom.projector import Progress
from calm_core.classroom.teacher import TeacherControls
from pages import words
from pages.panels.classroom import held, joining, printing


def show(desk: TeacherControls, progress: Progress) -> None:
    """How many are to be made, and the sheet once they are."""
    said = words.classroom
    st.caption(said.CARDS_LEAD)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            said.CARDS_NUMBER, 1, progress.capacity, min(30, progress.capacity), key="class_cards_number", width=200
        )  # fmt: skip
        made = _made(desk)
        st.button(said.CARDS_MAKE, key="class_cards_make", on_click=_make, args=(desk, made))
    if made:
        st.download_button(
            said.CARDS_SAVE, made, said.CARDS_FILE.format(code=desk.code), "text/html", key="class_cards_save",
            type="primary", icon=":material/print:", on_click="ignore",
        )  # fmt: skip
    if progress.roster == "cards":
        st.caption(said.CARDS_WAIT)


def _made(desk: TeacherControls) -> str:
    """The sheet that was made last in this session."""
    return st.session_state.get("class_cards", {}).get(desk.code, "")


def _make(desk: TeacherControls, before: str) -> None:
    """Make them, once for two presses; the tickets are in the sheet and nowhere else."""
    if _made(desk) != before:
        return
    with held.wished():
        tickets = desk.cards(st.session_state["class_cards_number"])
        links = [joining.link(desk, ticket) for ticket in tickets]
        st.session_state["class_cards"] = {desk.code: printing.cards(desk.survey, desk.code, links)}
