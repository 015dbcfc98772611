"""What every lesson has in common: its parts, and the question that is answered before it is told."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import streamlit as st

PREDICT = "Predict first, then see."
RIGHT = "Yes."
WRONG = "Not quite."


@dataclass(frozen=True)
class Question:
    """A prediction to make: the options, which one is right, and why."""

    text: str
    options: tuple[str, ...]
    right: str
    because: str


@dataclass(frozen=True)
class Lesson:
    """One lesson.

    Attributes
    ----------
    key : str
        Short name in links and widget keys.
    title, idea : str
        What it is called, and the one idea in two or three sentences.
    show : callable
        Draws controls and figure; returns the settings that the workbench should take over.
    question : Question
        What to predict.
    page, invitation : str
        Page of the workbench that continues the lesson, and the text of the link.
    """

    key: str
    title: str
    idea: str
    show: Callable[[], Mapping[str, object]]
    question: Question
    page: str
    invitation: str
    extra: Mapping[str, object] = field(default_factory=dict)


def ask(lesson: Lesson) -> bool:
    """Show the question; tell the answer once something was predicted. True once answered."""
    question = lesson.question
    with st.container(border=True):
        st.markdown(f"**{PREDICT}** {question.text}")
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
            st.success(question.because, title=RIGHT, icon=":material/check_circle:")
        else:
            st.info(
                f"{question.right}. {question.because}", title=WRONG, icon=":material/lightbulb:"
            )
    return True


def again(key: str, label: str = "Ask everyone again") -> int:
    """A button for fresh randomness; the number of times it was pressed."""
    counter = f"times_{key}"
    st.session_state.setdefault(counter, 0)
    if st.button(label, key=f"again_{key}", icon=":material/casino:"):
        st.session_state[counter] += 1
    return st.session_state[counter]
