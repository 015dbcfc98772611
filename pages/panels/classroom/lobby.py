"""Before a survey opens: what to prepare and to print, and the lobby with its QR code and number of phones.

What is printed is HTML that opens offline: one-time cards, and the sheet with the QR code.
"""

import time
from functools import partial
from pathlib import Path

import streamlit as st
from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from calm_core.classroom.database import LINK, VISITED
from calm_core.classroom.survey import PushedAnswer, Survey
from calm_core.classroom.teacher import Progress, TeacherControls
from calm_core.version import __version__
from pages import words
from pages.panels.classroom import address, open_survey, phone, results, start, wall
from pages.panels.classroom.open_survey import OpenSurvey
from pages.ui import display, downloads, frame

SAID = words.classroom

HERE = Path(__file__).parent
# Seconds without a phone after which the lobby shows hints.
HINT_SECONDS = 60


def show_lobby(survey: OpenSurvey, progress: Progress) -> None:
    """Show QR code, address and number of phones, and the controls of the teacher."""
    frame.set_title(SAID.LOBBY_TITLE)
    with address.beside_code(survey):
        # A fragment that changes its place, as in a lecture, would be drawn twice.
        open_survey.refresh_regularly(
            survey.view, progress, lambda now: (now.state, now.roster, survey.view.notes.get(LINK)),
            partial(_show_phones, survey),
        )  # fmt: skip
        if survey.teacher is not None and not frame.is_lecture():
            address.choose_address(survey.teacher)
            _show_actions(survey, survey.teacher, progress)


def _show_phones(survey: OpenSurvey, now: Progress) -> None:
    """Show how many phones there are, and the button that opens the survey."""
    phones = now.phones or 0
    number = f"<b>{phones:,}</b> {SAID.phones_in(phones=phones)}"
    st.html(f'<p class="calm-class-number" role="status">{number}</p>')
    if not phones:
        _explain_no_phone(survey)
    if survey.teacher is not None:
        st.button(
            SAID.OPEN, type="primary", key="class_open", disabled=not phones, on_click=open_survey.act,
            args=(survey.teacher.open,), help=SAID.OPEN_HELP if phones else SAID.OPEN_NOBODY,
        )  # fmt: skip


def _explain_no_phone(survey: OpenSurvey) -> None:
    """Say that no phone has come, and after a while what the reason may be."""
    began = st.session_state.setdefault("class_waits", {}).setdefault(survey.code, time.monotonic())
    if VISITED in survey.view.notes:
        return
    st.caption(SAID.NOBODY_YET)
    if time.monotonic() - began > HINT_SECONDS and not frame.is_lecture():
        lines = "\n".join(f"- {hint}" for hint in SAID.HINTS)
        st.markdown(f"{SAID.NOBODY_LONG}\n{lines}")


def _show_actions(survey: OpenSurvey, teacher: TeacherControls, progress: Progress) -> None:
    """Show the other actions of the teacher."""
    start.choose_other_survey(survey)
    with st.container(horizontal=True):
        st.button(
            SAID.REHEARSE, key="class_rehearse", on_click=_start_rehearsal, args=(survey, teacher), help=SAID.REHEARSE_HELP
        )  # fmt: skip
        start.show_leave_button()
        questions = teacher.survey
        _sheet_download(questions.language, questions.title, address.join_link(teacher))
        results.show_delete_button(survey, teacher)
    address.edit_capacity(teacher, progress)
    with frame.drawer(SAID.LIARS, key="class_liars_drawer"):
        _choose_pushed_answer(teacher, progress)
    with frame.drawer(SAID.CARDS, key="class_cards_drawer"):
        show_cards(teacher, progress)


def _choose_pushed_answer(teacher: TeacherControls, progress: Progress) -> None:
    """Let the teacher choose the answer that a tenth of the phones push by lying, or none."""
    survey, key = teacher.survey, f"class_pushed_{teacher.code}"
    offered = [None] + [
        PushedAnswer(at, choice)
        for at, question in enumerate(survey.questions)
        for choice in wall.shown_choices(question)
    ]
    st.caption(SAID.LIARS_LEAD)
    st.selectbox(
        SAID.PUSHED, offered, offered.index(progress.pushed), key=key,
        format_func=lambda one: wall.pushed_text(survey, one) if one else SAID.NOBODY_LIES,
        on_change=lambda: open_survey.act(teacher.let_lie, st.session_state[key]),
    )  # fmt: skip


def _start_rehearsal(survey: OpenSurvey, teacher: TeacherControls) -> None:
    """Callback: create a survey marked TEST with the same questions, which is open at once."""
    if not open_survey.is_first_press(survey):
        return
    with open_survey.teacher_action():
        open_survey.switch_to(OpenSurvey(teacher.rehearse(), survey.key, rehearsal_of=survey))


def _render(name: str, language: str, **data) -> str:
    pages = Environment(loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True)
    context = {"language": language, "texts": SAID.PRINTED[language]}
    return pages.get_template(name).render(version=__version__, **context, **data)


def cards_html(survey: Survey, code: str, links: list[str]) -> str:
    """Return the page of cards, one for every link."""
    cards = [Markup(address.qr_svg(link)) for link in links]
    code = SAID.code(code)
    return _render("cards.html.j2", survey.language, title=survey.title, code=code, cards=cards)


def sheet_html(language: str, title: str = "", link: str = "") -> str:
    """Return the teacher's sheet; with the link of a survey its first page is the QR code for the class."""
    plain, code = link.partition("://")[2], link.rpartition("/")[2]
    return _render(
        "before.html.j2", language, title=title, code=SAID.code(code) if link else "", link=plain,
        short=plain.rpartition("/")[0], drawn=Markup(address.qr_svg(link)) if link else "",
    )  # fmt: skip


def show_preparation() -> None:
    """Show what to prepare before the lesson, and the sheet to print."""
    st.markdown(SAID.SHEET_LEAD)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        language = start.choose_language(SAID.SHEET_LANGUAGE)
        _sheet_download(language)
    with st.container(key="class_before"):
        for head, lines in SAID.PRINTED[language]["advice"]:
            st.subheader(head, anchor=False)
            st.markdown("\n".join(f"- {display.sentence(line)}" for line in lines))
        st.caption(f"{SAID.PAGE_HASH}`{phone.page_sha256()}`")


def _sheet_download(*sheet: str) -> None:
    """Show the download of `sheet_html(*sheet)`."""
    # The function that makes the file runs without a session, so it gets its values now.
    downloads.show_download(
        SAID.SHEET_SAVE, lambda: sheet_html(*sheet), SAID.SHEET_FILE, "text/html", key="class_sheet",
        icon=":material/print:",
    )  # fmt: skip


def show_cards(teacher: TeacherControls, progress: Progress) -> None:
    """Show the number of one-time cards to make, and their sheet once they are made."""
    st.caption(SAID.CARDS_LEAD)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            SAID.CARDS_NUMBER, 1, progress.capacity, min(30, progress.capacity), key="class_cards_number", width=200
        )  # fmt: skip
        sheet = _made_sheet(teacher)
        press = partial(_make_cards, teacher, sheet)
        st.button(SAID.CARDS_MAKE, key="class_cards_make", on_click=press)
    if sheet:
        downloads.show_download(
            SAID.CARDS_SAVE, lambda: sheet, SAID.CARDS_FILE.format(code=teacher.code), "text/html", key="class_cards_save",
            type="primary", icon=":material/print:",
        )  # fmt: skip
    if progress.roster == "cards":
        st.caption(SAID.CARDS_WAIT)


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
        sheet = cards_html(teacher.survey, teacher.code, links)
        st.session_state["class_cards"] = {teacher.code: sheet}
