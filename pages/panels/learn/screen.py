"""The page Learn: one screen of a lesson, and the landing page of all lessons with the teacher's sheet on paper.

A screen has question and text on the left, and one picture on the right.
"""

from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st
from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from calm_core.settings import Settings
from calm_core.version import __version__
from pages import words
from pages.panels.learn import lessons
from pages.panels.learn.lesson import IDEA, PLAY, PREDICT, REVEAL, STEP_COUNT, Lesson
from pages.ui import display, frame, guessing, lecture, navigation, state, warnings
from pages.ui.components import mount
from pages.ui.guessing import Control, Picture
from pages.words import languages

SAID = words.learn
MAX_SEEDS = 2**32


@dataclass(frozen=True)
class Screen:
    """What one step of a lesson shows.

    Attributes
    ----------
    title : str
    texts : tuple of str
        The Markdown below the title.
    sentence : str
        The one sentence of a lecture.
    picture : Picture
    answer : str
        The answer, once it is shown.
    """

    title: str
    texts: tuple[str, ...]
    sentence: str
    picture: Picture
    answer: str = ""


def make_screen(lesson: Lesson, at: int, values: dict, press: int, guess: float | None) -> Screen:
    """Return the screen of a step; `values` are those of the controls, on the last step."""
    text = lesson.text
    if at == IDEA:
        return Screen(text.title, (text.idea,), text.idea, lesson.idea())
    if at == PLAY:
        picture = lesson.play(values, press)
        texts = picture.alt, f"> **{SAID.KEEP}** {text.keep}"
        return Screen(text.play, texts, text.keep, picture)
    setup = lesson.setup
    if at == PREDICT:
        return Screen(text.question, (setup,), setup, lesson.predict())
    truth = lesson.truth(press)
    answer = f"**{lesson.guess.answer_text(truth, guess)}**"
    texts = setup, f"> {answer}\n>\n> {text.because}"
    answer_text = lesson.guess.format_value(truth)
    return Screen(text.question, texts, answer, lesson.reveal(press), answer_text)


def show_screen(lesson: Lesson, at: int) -> None:
    """Draw the screen; `at` is one of its steps."""
    guess = guessing.get_guess(lesson.key)
    waits = at == PREDICT and guess is None and not frame.is_lecture()
    # Keys wait for the guess as the button does.
    frame.set_step_count(PREDICT + 1 if waits else STEP_COUNT)
    values = _show_controls(lesson) if at == PLAY else {}
    with frame.side():
        if not frame.is_lecture():
            with st.container(key="lesson_top"):
                mount("lesson_bar", bar_data(lesson, at), triggers={"all": leave_lesson})
        screen = make_screen(lesson, at, values, count_presses(lesson), guess)
        frame.set_title(screen.title)
        with st.container(key="lesson_text"):
            if not frame.is_lecture():
                for text in screen.texts:
                    frame.show_text(text)
            elif lecture.screen_sentence():
                # A screen of the story has its sentence as title, and the number beside it.
                frame.show_number(screen.picture.number or screen.answer)
            else:
                frame.show_text(screen.sentence)
        if not frame.is_lecture():
            with st.container(key="lesson_ways"):
                _show_buttons(lesson, at, waits, values)
    mount(
        "lesson_picture", picture_data(lesson, at, screen.picture, guess),
        on={"guess": partial(guessing.keep_guess, lesson.key, lesson.guess)},
    )  # fmt: skip


def bar_data(lesson: Lesson, at: int) -> dict:
    """Return the data of the line above the lesson."""
    keys = list(lessons())
    number = SAID.lesson_number(at=keys.index(lesson.key) + 1, count=len(keys))
    return {
        "lesson": lesson.key, "number": number, "title": lesson.text.title, "at": at,
        "steps": STEP_COUNT, "step": SAID.STEP.format(at=at + 1, steps=STEP_COUNT), "words": {"all": SAID.ALL} | SAID.LANDING,
    }  # fmt: skip


def picture_data(lesson: Lesson, at: int, picture: Picture, guess: float | None) -> dict:
    """Return the data of the picture; it holds the guess on two steps and the truth on one."""
    truth = lesson.truth(count_presses(lesson)) if at == REVEAL else None
    return guessing.picture_data(
        lesson.key, picture, lesson.guess, guess,
        asks=at == PREDICT, begins=at == IDEA, truth=truth, answer=lesson.text.answer,
    )  # fmt: skip


def count_presses(lesson: Lesson) -> int:
    """Return how often everybody was asked again, by the lesson's button or the key for new noise."""
    presses = st.session_state.get("presses", {}).get(lesson.key, 0)
    # The default seed counts as 0; the difference must not be negative.
    return presses + (state.current().seed - Settings.seed) % MAX_SEEDS


def _ask_again(lesson: Lesson) -> None:
    presses = st.session_state.setdefault("presses", {})
    presses[lesson.key] = presses.get(lesson.key, 0) + 1


def leave_lesson() -> None:
    """Go back to all lessons."""
    navigation.change(lesson="", at=0)


def open_lesson(key: str, at: int) -> None:
    """Open a lesson at a step; its first step forgets the guess."""
    if at == IDEA:
        guessing.forget_guess(key)
    navigation.change(lesson=key, at=at)


def open_in_lab(lesson: Lesson, values: dict) -> None:
    """Continue in the Lab with the lesson's settings; a toast offers to undo the change."""
    settings, now = lesson.take(values), state.current()
    if "k" in settings:
        settings |= {"k": min(settings["k"], now.d)}
    changes = state.with_consequences(now, settings)
    if not changes:
        navigation.go(lesson.page, view=lesson.view)
    elif warnings.change_settings(changes):
        navigation.go_with_undo(lesson.page, view=lesson.view)


def _show_controls(lesson: Lesson) -> dict:
    """Show the controls and return their values; a lecture keeps them as they are."""

    def choose(control: Control) -> object:
        key, fixed = f"lesson_{lesson.key}_{control.key}", frame.is_lecture()
        return st.session_state.get(key) if fixed else guessing.draw_control(control, key)

    with st.container(key="lesson_controls", horizontal=True):
        return guessing.control_values(lesson.controls, choose)


def _show_buttons(lesson: Lesson, at: int, waits: bool, values: dict) -> None:
    """Show the buttons: back, ask again, open in the Lab, next."""
    following = [*lessons().values()]
    following = following[following.index(lesson) + 1 :]
    forward = {IDEA: SAID.TO_PREDICT, PREDICT: SAID.TO_REVEAL, REVEAL: lesson.text.onward}
    if at < PLAY:
        label, on = forward[at], partial(open_lesson, lesson.key, at + 1)
    elif not following:
        label, on = SAID.ALL, leave_lesson
    else:
        label = SAID.next_lesson(title=following[0].text.title)
        on = partial(open_lesson, following[0].key, IDEA)
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            SAID.BACK, icon=":material/arrow_back:", key="lesson_back",
            on_click=leave_lesson if at == IDEA else partial(open_lesson, lesson.key, at - 1),
        )  # fmt: skip
        if at in lesson.random_steps:
            st.button(
                SAID.ASK_AGAIN, icon=":material/refresh:", key="lesson_again",
                on_click=_ask_again, args=(lesson,),
            )  # fmt: skip
        if at == PLAY:
            st.button(
                SAID.OPEN_IN_LAB, icon=":material/open_in_new:", key="lesson_open",
                on_click=open_in_lab, args=(lesson, values), help=SAID.TAKE_ALONG,
            )  # fmt: skip
        st.button(
            label, key="lesson_next", type="primary",
            icon=":material/arrow_forward:", icon_position="right", disabled=waits, on_click=on,
        )  # fmt: skip


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
    """Return the link of a lesson in the current language, or of one of its steps.

    >>> from pages.panels.learn import lessons
    >>> lesson_link("http://lab.school/learn", lessons()["coin"], 2)
    'http://lab.school/learn?lesson=coin&at=2'
    """
    step = {"at": at} if at else {}
    return f"{address}?{urlencode({'lesson': lesson.key} | step | navigation.language_query())}"


def qr_code(text: str) -> Markup:
    """Return a QR code as SVG."""
    return Markup(segno.make(text, error="m", micro=False).svg_inline(scale=3, border=2))


@lru_cache(maxsize=8)
def sheet_html(address: str, language: str = languages.ENGLISH) -> str:
    """Return the sheet as one HTML page that opens and prints offline; `language` is the current one."""
    pages = Environment(loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True)
    return pages.get_template("sheet.html.j2").render(
        lessons=lessons().values(), link=partial(lesson_link, address), code=qr_code, predict=PREDICT,
        plain=display.without_links, language=language, screens=lecture.screen_texts().values(), words=SAID.SHEET,
        near=urlsplit(address).hostname in OWN_HOSTS, version=__version__,
    )  # fmt: skip


def show_landing() -> None:
    """Draw the lesson cards."""
    frame.set_title(SAID.TITLE)
    wanted = st.session_state.pop("sheet_wanted", False)
    if not frame.is_lecture():
        with st.container(key="lead", horizontal=True, vertical_alignment="center"):
            with st.container(width="stretch"):
                frame.show_text(SAID.LEAD)
            navigation.choose_language()
    mount(
        "lesson_cards", landing_data(st.context.url or "", sheet_wanted=wanted),
        on={"open": lambda chosen: open_card(chosen["lesson"], int(chosen["at"]))},
        triggers={
            "lecture": lecture.begin_lecture, "sheet": partial(st.session_state.update, sheet_wanted=True),
            "assignment": partial(navigation.go, "assignment"),
        },
    )  # fmt: skip


def landing_data(address: str, *, sheet_wanted: bool) -> dict:
    """Return the data of the component; `address` is that of this page on the visitor's server.

    The sheet collects: it is made when it is asked for.
    """
    here = base_address(address), languages.current_language()
    html = sheet_html(*here) if sheet_wanted else ""
    return {
        "lessons": [
            {"key": lesson.key, "title": lesson.text.title, "line": lesson.text.line}
            for lesson in lessons().values()
        ],
        "words": SAID.LANDING, "step": SAID.STEP, "steps": STEP_COUNT,
        "lecture": frame.is_lecture(),
        "sheet": {"name": SHEET_FILE, "html": html} if html else None,
    }  # fmt: skip


def open_card(key: str, at: int) -> None:
    """Open the lesson of a card."""
    if key in lessons():
        open_lesson(key, min(max(at, 0), STEP_COUNT - 1))
