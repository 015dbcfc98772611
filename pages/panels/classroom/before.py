"""Before the lesson: what a teacher prepares in ten minutes, and the sheet to print."""

import streamlit as st

from calm_core.classroom.survey import LANGUAGES
from calm_core.classroom.teacher import TeacherControls
from pages import words
from pages.panels.classroom import create, joining, phone, printing
from pages.ui import escape

SAID = words.classroom_sheet


def show() -> None:
    """All of it on the page, without a survey."""
    create.language()
    st.markdown(SAID.LEAD)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        language = st.selectbox(
            SAID.LANGUAGE, LANGUAGES, format_func=words.classroom.LANGUAGES.__getitem__, key="class_language", on_change=create.speak,
            persist_state="session", width=200,
        )  # fmt: skip
        _save(language)
    with st.container(key="class_before"):
        for head, lines in words.classroom_advice.PARTS[language]:
            st.subheader(head, anchor=False)
            st.markdown("\n".join(f"- {escape.sentence(line)}" for line in lines))
        st.caption(f"{SAID.PAGE_HASH}`{phone.page_sha256()}`")


def save(desk: TeacherControls) -> None:
    """The sheet of a survey as a file, with its QR code."""
    survey = desk.survey
    _save(survey.language, survey.title, joining.link(desk))


def _save(*sheet: str) -> None:
    # What it says is known now: who makes the file knows no session.
    st.download_button(
        SAID.SAVE, lambda: printing.sheet(*sheet), SAID.FILE, "text/html", key="class_sheet",
        icon=":material/print:", on_click="ignore",
    )  # fmt: skip
