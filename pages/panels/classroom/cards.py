"""One-time cards: a sheet to print, cut apart, shuffle and hand out."""

import streamlit as st

from calm_core.classroom.desk import Desk
from calm_core.classroom.wall import Progress
from calm_core.errors import UserError
from pages import words
from pages.panels.classroom import joining, printing
from pages.ui import notices


def show(desk: Desk, progress: Progress) -> None:
    """How many are to be made, and the sheet once they are."""
    said = words.classroom
    st.caption(said.CARDS_LEAD)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            said.CARDS_NUMBER, 1, progress.capacity, min(30, progress.capacity), key="class_cards_number", width=200
        )  # fmt: skip
        st.button(
            said.CARDS_MAKE, key="class_cards_make", on_click=_make, args=(desk, progress.title)
        )
    made = st.session_state.get("class_cards", {}).get(desk.code)
    if made:
        st.download_button(
            said.CARDS_SAVE, made, said.CARDS_FILE.format(code=desk.code), "text/html", key="class_cards_save",
            type="primary", icon=":material/print:", on_click="ignore",
        )  # fmt: skip
    if progress.roster == "cards":
        st.caption(said.CARDS_WAIT)


def _make(desk: Desk, title: str) -> None:
    """Make them; the tickets are in the sheet and nowhere else."""
    try:
        tickets = desk.cards(st.session_state["class_cards_number"])
    except UserError as error:
        notices.refuse(error)
        return
    links = [joining.link(desk, ticket) for ticket in tickets]
    st.session_state["class_cards"] = {
        desk.code: printing.cards(title, desk.code, links, desk.survey.language)
    }
