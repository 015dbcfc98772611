"""What was changed for somebody, with a way back; and what an unusual epsilon means."""

import streamlit as st

from pages import words
from pages.ui import escape, frame, state, view_state


def show_toast() -> None:
    """The last change made for somebody, until settings change again or some seconds have passed."""
    if (applied := state.last_change()) is None:
        return
    told, former = applied
    with st.container(key="toast", horizontal=True, vertical_alignment="center", wrap=False):
        st.markdown(escape.markdown(told, 160))
        st.button(
            words.shared.UNDO, key="undo", type="tertiary", on_click=view_state.undo, args=(former,)
        )


def show_unusual_epsilon() -> None:
    """One sentence in plain sight where epsilon hardly protects, or leaves hardly anything.

    In a lecture one line, and none beside a lesson, which has an epsilon of its own.
    """
    if frame.is_lecture() and view_state.current().lesson:
        return
    say = (
        words.privacy.unusual_epsilon_title
        if frame.is_lecture()
        else words.privacy.unusual_epsilon_note
    )
    if told := say(state.current().epsilon):
        with st.container(key="unusual"):
            st.markdown(f"**◆** {told}")


def show_invented_banner() -> None:
    """Where the people are invented from a class's reports: what is called true is that class's result."""
    if (
        state.current().file.endswith(words.classroom_results.INVENTED_END)
        and not frame.is_lecture()
    ):
        with st.container(key="invented"):
            st.markdown(f"**◆** {words.classroom_results.INVENTED_BANNER}")
