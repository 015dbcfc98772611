"""All lessons, and what a teacher takes along."""

import streamlit as st

from pages import words
from pages.panels.learn import LESSONS, sheet
from pages.panels.learn.lesson import PREDICT, steps
from pages.panels.learn.screen import open_at
from pages.ui import frame, glossary_link, state
from pages.ui.components import mount


def show() -> None:
    """Draw the cards."""
    wanted = st.session_state.pop("sheet_wanted", False)
    if not frame.lecture():
        with st.container(key="lead"):
            glossary_link.say(words.learn.LEAD)
    mount(
        "lesson_cards", data(st.context.url or "", sheet_wanted=wanted),
        on={"open": lambda chosen: opened(chosen["lesson"], int(chosen["at"]))},
        triggers={"lecture": lecture, "sheet": want_sheet},
    )  # fmt: skip


def data(address: str, *, sheet_wanted: bool) -> dict:
    """For the component; `address` is that of this page on the visitor's server.

    The sheet collects: it is made when it is asked for.
    """
    html = sheet.page(sheet.base(address)) if sheet_wanted else ""
    return {
        "lessons": [
            {"key": lesson.key, "title": lesson.told.title, "line": lesson.told.line}
            for lesson in LESSONS
        ],
        "words": words.learn.LANDING, "step": words.learn.STEP, "steps": steps(LESSONS[0]),
        "lecture": frame.lecture(),
        "sheet": {"name": sheet.FILE, "html": html} if html else None,
    }  # fmt: skip


def opened(key: str, at: int) -> None:
    """Open the lesson of a card."""
    if any(lesson.key == key for lesson in LESSONS):
        open_at(key, min(max(at, 0), steps(LESSONS[0]) - 1))


def lecture() -> None:
    """The first lesson for a back row: at its question, as the lecture's screens have it."""
    if state.change(presenter=True):
        open_at(LESSONS[0].key, PREDICT)


def want_sheet() -> None:
    """The next run brings the sheet along."""
    st.session_state["sheet_wanted"] = True
