"""What is printed for a lesson, as HTML that opens offline: one-time cards, and the sheet with the QR code."""

from pathlib import Path

import streamlit as st
from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from calm_core.classroom.survey import LANGUAGES, Survey
from calm_core.classroom.teacher import Progress, TeacherControls
from calm_core.version import __version__
from pages import words
from pages.panels.classroom import address, open_survey, phone, start
from pages.ui import escape

HERE = Path(__file__).parent


def _render(name: str, language: str, **data) -> str:
    pages = Environment(loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True)
    texts = words.classroom.PRINTED[language]
    return pages.get_template(name).render(
        version=__version__, language=language, texts=texts, **data
    )


def _qr_markup(link: str) -> Markup:
    return Markup(address.qr_svg(link))


def cards_html(survey: Survey, code: str, links: list[str]) -> str:
    """Return the page of cards, one for every link."""
    return _render(
        "cards.html.j2",
        survey.language,
        title=survey.title,
        code=words.classroom.code(code),
        cards=[_qr_markup(link) for link in links],
    )


def sheet_html(language: str, title: str = "", link: str = "") -> str:
    """Return the teacher's sheet; with the link of a survey its first page is the QR code for the class."""
    plain, code = link.partition("://")[2], link.rpartition("/")[2]
    return _render(
        "before.html.j2", language, title=title, code=words.classroom.code(code) if link else "", link=plain,
        short=plain.rpartition("/")[0], drawn=_qr_markup(link) if link else "",
    )  # fmt: skip


def show_preparation() -> None:
    """Show what to prepare before the lesson, and the sheet to print."""
    start.current_language()
    st.markdown(words.classroom.SHEET_LEAD)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        language = st.selectbox(
            words.classroom.SHEET_LANGUAGE, LANGUAGES, format_func=words.classroom.LANGUAGES.__getitem__, key="class_language", on_change=start.change_language,
            persist_state="session", width=200,
        )  # fmt: skip
        _sheet_download(language)
    with st.container(key="class_before"):
        for head, lines in words.classroom.PRINTED[language]["advice"]:
            st.subheader(head, anchor=False)
            st.markdown("\n".join(f"- {escape.sentence(line)}" for line in lines))
        st.caption(f"{words.classroom.PAGE_HASH}`{phone.page_sha256()}`")


def show_sheet_download(teacher: TeacherControls) -> None:
    """Show the download of the sheet of a survey, with its QR code."""
    survey = teacher.survey
    _sheet_download(survey.language, survey.title, address.join_link(teacher))


def _sheet_download(*sheet: str) -> None:
    # The function that makes the file runs without a session, so it gets its values now.
    st.download_button(
        words.classroom.SHEET_SAVE, lambda: sheet_html(*sheet), words.classroom.SHEET_FILE, "text/html", key="class_sheet",
        icon=":material/print:", on_click="ignore",
    )  # fmt: skip


def show_cards(teacher: TeacherControls, progress: Progress) -> None:
    """Show the number of one-time cards to make, and their sheet once they are made."""
    said = words.classroom
    st.caption(said.CARDS_LEAD)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            said.CARDS_NUMBER, 1, progress.capacity, min(30, progress.capacity), key="class_cards_number", width=200
        )  # fmt: skip
        made = _made_sheet(teacher)
        st.button(
            said.CARDS_MAKE, key="class_cards_make", on_click=_make_cards, args=(teacher, made)
        )
    if made:
        st.download_button(
            said.CARDS_SAVE, lambda: made, said.CARDS_FILE.format(code=teacher.code), "text/html", key="class_cards_save",
            type="primary", icon=":material/print:", on_click="ignore",
        )  # fmt: skip
    if progress.roster == "cards":
        st.caption(said.CARDS_WAIT)


def _made_sheet(teacher: TeacherControls) -> str:
    """Return the sheet made last in this session, or ""."""
    return st.session_state.get("class_cards", {}).get(teacher.code, "")


def _make_cards(teacher: TeacherControls, before: str) -> None:
    """Callback: make the cards, once for two presses. Their tickets are in the sheet and nowhere else."""
    if _made_sheet(teacher) != before:
        return
    with open_survey.teacher_action():
        tickets = teacher.make_cards(st.session_state["class_cards_number"])
        links = [address.join_link(teacher, ticket) for ticket in tickets]
        st.session_state["class_cards"] = {
            teacher.code: cards_html(teacher.survey, teacher.code, links)
        }
