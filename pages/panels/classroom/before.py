"""Before the lesson: what a teacher prepares in ten minutes, and the sheet to print."""

import streamlit as st

from pages import words
from pages.panels.classroom import cards, phone, printing
from pages.ui import escape

SAID = words.classroom_sheet


def show() -> None:
    """All of it on the page, without a survey."""
    st.markdown(SAID.LEAD)
    save()
    with st.container(key="class_before"):
        for head, lines in SAID.PARTS:
            st.subheader(head, anchor=False)
            st.markdown("\n".join(f"- {escape.sentence(line)}" for line in lines))
        st.caption(f"{SAID.PAGE_HASH}`{phone.page_sha256()}`")


def save(title: str = "", code: str = "") -> None:
    """The sheet as a file; of a survey with its QR code."""
    st.download_button(
        SAID.SAVE, lambda: printing.sheet(title, code, cards.language()), SAID.FILE, "text/html", key="class_sheet",
        icon=":material/print:", on_click="ignore",
    )  # fmt: skip
