"""The ways to a survey that exists: the teacher key, the key of a wall, a file that was saved."""

import streamlit as st

from calm_core.classroom.export import read_classes
from calm_core.ingest import LIMITS
from pages import words
from pages.panels.classroom import create, held
from pages.panels.classroom.held import Held
from pages.panels.classroom.store_instance import store
from pages.ui import notices, view_state


def back() -> None:
    """Come back with the teacher key."""
    _key_form(
        "back", words.classroom.BACK_LEAD, words.classroom.TEACHER_KEY, words.classroom.OPEN_BACK
    )


def wall() -> None:
    """Show a wall with its key."""
    _key_form(
        "wall", words.classroom.WALL_LEAD, words.classroom.WALL_KEY, words.classroom.OPEN_WALL
    )


def _key_form(kind: str, lead: str, label: str, go: str) -> None:
    said = words.classroom
    st.markdown(lead)
    with st.form(f"class_{kind}", width=480, border=False):
        # The browser's own store of passwords may keep it, under the code as name.
        st.text_input(
            said.CODE, view_state.current().survey, key=f"class_{kind}_code", autocomplete="username",
            placeholder=said.CODE_HINT,
        )  # fmt: skip
        st.text_input(
            label,
            key=f"class_{kind}_key",
            type="password",
            autocomplete="current-password",
        )
        st.form_submit_button(
            go, type="primary", on_click=_open, args=(kind,), key=f"class_{kind}_go"
        )


def _open(kind: str) -> None:
    key, code = st.session_state[f"class_{kind}_key"], st.session_state[f"class_{kind}_code"]
    with notices.show_user_errors():
        (held.come_back if kind == "back" else held.show_wall)(key, code)


def others(shown: Held) -> None:
    """The surveys that the same teacher key opens, where there are more."""
    codes = shown.desk.codes if shown.desk is not None else ()
    if len(codes) < 2:
        return
    key = f"class_other_{shown.code}"
    st.selectbox(
        words.classroom.OTHERS, codes, codes.index(shown.code), format_func=words.classroom.code, key=key,
        on_change=_other, args=(shown, key), width=260,
    )  # fmt: skip


def _other(shown: Held, key: str) -> None:
    with notices.show_user_errors():
        held.come_back(shown.key, st.session_state[key])


def left() -> None:
    """After a survey was deleted: the way to the newest other one of the same key."""
    other = st.session_state.pop("class_left", None)
    if other is not None:
        said = words.classroom.on_to(other.code)
        st.button(said, key="class_left_open", on_click=held.show, args=(other,))


def leave() -> None:
    """The button that puts the survey away; it stays as it is."""
    said = words.classroom
    st.button(
        said.LEAVE, key="class_leave", type="tertiary", on_click=held.put_away, help=said.LEAVE_HELP
    )


def file() -> None:
    """Bring back a survey that was saved: that makes one, as the form does."""
    if not create.allowed():
        return
    st.markdown(words.classroom.FILE_LEAD)
    st.file_uploader(
        words.classroom.FILE, type=["zip"], key="class_file", on_change=_uploaded, max_upload_size=LIMITS.upload_bytes >> 20,
    )  # fmt: skip


def _uploaded() -> None:
    sent = st.session_state.get("class_file")
    if sent is None:
        return
    with notices.show_user_errors():
        classes = read_classes(sent.getvalue(), f"the file {sent.name:.200}")
        held.made(store().restore(*classes))
