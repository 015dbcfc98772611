"""The two keys of a survey that was just made: shown once, with a file to keep them in."""

import streamlit as st

from pages import words
from pages.panels.classroom import held, joining
from pages.panels.classroom.held import Held
from pages.ui import frame


def show(shown: Held, closed: bool) -> None:
    """Both keys, what they are for, and the way on; `closed` where the survey came from a file."""
    said, keys = words.classroom, shown.keys
    assert keys is not None  # the page shows this only while there are some
    frame.title(said.KEYS_TITLE)
    st.markdown(said.KEYS_LEAD)
    with st.container(key="class_keys", width=760):
        for title, why, key in (
            (said.TEACHER_KEY, said.TEACHER_KEY_FOR, keys.teacher),
            (said.WALL_KEY, said.WALL_KEY_FOR, keys.wall),
        ):
            st.markdown(f"**{title}.** {why}")
            st.code(key, language=None)
        st.markdown(said.WALL_LINK)
        link = joining.wall_link(shown.wall, keys.wall)
        st.code(link, language=None, wrap_lines=True)
        joining.warn_own(shown.wall, "" if closed else said.OR_TYPE_NEXT)
        text = said.keys_text(shown.wall.progress().title, keys.code, keys.teacher, keys.wall, link)
        with st.container(horizontal=True):
            st.download_button(
                said.SAVE_KEYS, text, said.KEYS_FILE.format(code=keys.code), "text/plain", key="class_save_keys",
                icon=":material/download:", on_click="ignore",
            )  # fmt: skip
            on = said.ON_TO_RESULTS if closed else said.ON_TO_LOBBY
            st.button(on, type="primary", key="class_on", on_click=held.keys_taken)
