"""What every lesson has in common: its parts, and the question that is answered before it is told."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from pages import words
from pages.words.learn import Told


@dataclass(frozen=True)
class Lesson:
    """One lesson.

    Attributes
    ----------
    key : str
        Short name in links and widget keys.
    told : Told
        Its title, idea, question and invitation.
    show : callable
        Draws controls and figure; returns the settings that the workbench should take over.
    page : str
        Page of the workbench that continues the lesson.
    """

    key: str
    told: Told
    show: Callable[[], Mapping[str, object]]
    page: str


def ask(lesson: Lesson) -> bool:
    """Show the question; tell the answer once something was predicted. True once answered."""
    question = lesson.told.question
    with st.container(border=True):
        st.markdown(f"**{words.learn.PREDICT}** {question.text}")
        chosen = st.radio(
            question.text,
            question.options,
            index=None,
            key=f"predict_{lesson.key}",
            label_visibility="collapsed",
            persist_state="session",
        )
        if chosen is None:
            return False
        if chosen == question.right:
            st.success(question.because, title=words.learn.RIGHT, icon=":material/check_circle:")
        else:
            st.info(
                f"{question.right}. {question.because}",
                title=words.learn.WRONG,
                icon=":material/lightbulb:",
            )
    return True


def again(key: str, label: str = words.learn.AGAIN) -> int:
    """A button for fresh randomness; the number of times it was pressed."""
    counter = f"times_{key}"
    st.session_state.setdefault(counter, 0)
    if st.button(label, key=f"again_{key}", icon=":material/casino:"):
        st.session_state[counter] += 1
    return st.session_state[counter]
