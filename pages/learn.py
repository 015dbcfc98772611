"""Learn: seven short lessons."""

import streamlit as st

from pages import words
from pages.panels.learn import LESSONS
from pages.panels.learn.frame import ask
from pages.ui import menu, state

st.title(words.shared.PAGES["learn"][0])
by_key = {lesson.key: lesson for lesson in LESSONS}
numbers = {lesson.key: f"{i}. {lesson.told.title}" for i, lesson in enumerate(LESSONS, start=1)}


def turn_to(key: str) -> None:
    """Open another lesson."""
    st.session_state["lesson"] = key


def take_along(page: str, taken: dict) -> None:
    """Go on in the workbench with the lesson's settings."""
    settings = state.current()
    if "k" in taken:
        taken = taken | {"k": min(taken["k"], settings.d)}
    if state.change(**taken):
        st.switch_page(menu.page(page))


# A link may name a lesson; afterwards the widget decides.
if "lesson" not in st.session_state and st.query_params.get("lesson") in by_key:
    st.session_state["lesson"] = st.query_params["lesson"]
chosen = st.selectbox(
    "Lesson", list(numbers), format_func=numbers.get, key="lesson", persist_state="session",
    label_visibility="collapsed", width=420,
)  # fmt: skip
lesson = by_key[chosen]
st.header(lesson.told.title)
st.markdown(lesson.told.idea)
taken = dict(lesson.show())
ask(lesson)

place = list(by_key).index(chosen)
with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
    before = list(by_key)[place - 1]
    st.button(
        "Previous", icon=":material/arrow_back:", disabled=place == 0, key="lesson_back",
        on_click=turn_to, args=(before,),
    )  # fmt: skip
    st.button(
        lesson.told.invitation, icon=":material/construction:", key="lesson_open", type="tertiary",
        on_click=take_along, args=(lesson.page, taken),
        help=words.learn.TAKE_ALONG,
    )  # fmt: skip
    last = place + 1 == len(LESSONS)
    after = list(by_key)[0 if last else place + 1]
    st.button(
        "Start over" if last else "Next", icon=":material/arrow_forward:", icon_position="right",
        key="lesson_next", on_click=turn_to, args=(after,), type="primary",
    )  # fmt: skip
