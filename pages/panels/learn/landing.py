"""The landing page of all lessons, and the teacher's sheet on paper."""

from functools import lru_cache
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st
from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from calm_core.version import __version__
from pages import words
from pages.panels.learn import LESSONS
from pages.panels.learn.lesson import PREDICT, STEP_COUNT, Lesson
from pages.panels.learn.screen import open_lesson
from pages.ui import frame, glossary_link, state
from pages.ui.components import mount

SHEET_FILE = "calm-lab-teachers-sheet.html"
HERE = Path(__file__).parent
# Hosts that only the teacher's own computer can open.
OWN_HOSTS = ("localhost", "127.0.0.1", "::1", None)


def base_address(address: str) -> str:
    """Return the address of the page Learn without query and anchor.

    >>> base_address("http://lab.school:8501/learn?lesson=coin#x")
    'http://lab.school:8501/learn'
    """
    return address.split("#")[0].split("?")[0] or "/learn"


def lesson_link(address: str, lesson: Lesson, at: int = 0) -> str:
    """Return the link of a lesson, or of one of its steps.

    >>> from pages.panels.learn import LESSONS
    >>> lesson_link("http://lab.school/learn", LESSONS[0], 2)
    'http://lab.school/learn?lesson=coin&at=2'
    """
    step = {"at": at} if at else {}
    return f"{address}?{urlencode({'lesson': lesson.key} | step)}"


def qr_code(text: str) -> Markup:
    """Return a QR code as SVG."""
    return Markup(segno.make(text, error="m", micro=False).svg_inline(scale=3, border=2))


@lru_cache(maxsize=8)
def sheet_html(address: str) -> str:
    """Return the sheet as one HTML page that opens and prints offline."""
    pages = Environment(loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True)
    lessons = [
        {
            "title": lesson.text.title, "idea": glossary_link.without_links(lesson.text.idea), "question": lesson.text.question,
            "setup": lesson.text.setup.format(**lesson.facts()), "answer": lesson.expected(),
            "because": lesson.text.because, "keep": lesson.text.keep, "discuss": lesson.text.discuss,
            "link": lesson_link(address, lesson), "code": qr_code(lesson_link(address, lesson)),
            "ask": lesson_link(address, lesson, PREDICT),
        }
        for lesson in LESSONS
    ]  # fmt: skip
    near = urlsplit(address).hostname in OWN_HOSTS
    return pages.get_template("sheet.html.j2").render(
        lessons=lessons, words=words.learn.SHEET, near=near, version=__version__
    )


def show_landing() -> None:
    """Draw the lesson cards."""
    wanted = st.session_state.pop("sheet_wanted", False)
    if not frame.is_lecture():
        with st.container(key="lead"):
            glossary_link.show_text(words.learn.LEAD)
    mount(
        "lesson_cards", landing_data(st.context.url or "", sheet_wanted=wanted),
        on={"open": lambda chosen: on_open(chosen["lesson"], int(chosen["at"]))},
        triggers={"lecture": start_lecture, "sheet": request_sheet},
    )  # fmt: skip


def landing_data(address: str, *, sheet_wanted: bool) -> dict:
    """Return the data of the component; `address` is that of this page on the visitor's server.

    The sheet collects: it is made when it is asked for.
    """
    html = sheet_html(base_address(address)) if sheet_wanted else ""
    return {
        "lessons": [
            {"key": lesson.key, "title": lesson.text.title, "line": lesson.text.line}
            for lesson in LESSONS
        ],
        "words": words.learn.LANDING, "step": words.learn.STEP, "steps": STEP_COUNT,
        "lecture": frame.is_lecture(),
        "sheet": {"name": SHEET_FILE, "html": html} if html else None,
    }  # fmt: skip


def on_open(key: str, at: int) -> None:
    """Open the lesson of a card."""
    if any(lesson.key == key for lesson in LESSONS):
        open_lesson(key, min(max(at, 0), STEP_COUNT - 1))


def start_lecture() -> None:
    """Start a lecture with the question of the first lesson."""
    if state.change(presenter=True):
        open_lesson(LESSONS[0].key, PREDICT)


def request_sheet() -> None:
    """Have the next run send the sheet."""
    st.session_state["sheet_wanted"] = True
