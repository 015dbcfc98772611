"""How sure the results of a class are: predicted and actual, hands, an invented class, and more people like this one."""

import streamlit as st

from calm_core.classroom.forecast import run_rehearsal
from calm_core.classroom.projector import Progress
from calm_core.classroom.results import Results, compare_hands, simulate_larger_class
from calm_core.classroom.survey import MAX_PHONES, Survey
from calm_core.errors import UserError
from calm_core.randomness import stream
from pages import words
from pages.panels.classroom import look
from pages.panels.classroom.create import foreseen
from pages.ui import cached, escape, frame, notices
from pages.ui.components.wall import Column, wall
from pages.ui.error_boundary import show_errors

SAID = words.classroom_results
# How many people are invented, column by column.
MORE = (400, 4000)


def show(found: Results, progress: Progress) -> None:
    """The width that came out beside the predicted one, and three ways to see what it means."""
    survey, n = found.collected.survey, found.collected.n
    width = half_width(found)
    frame.title(SAID.sure_title(width))
    st.markdown(SAID.sure(width, 2 * width, n))
    # Several classes together may be more than any class whose size could be foreseen.
    if n <= MAX_PHONES:
        st.markdown(SAID.predicted(foreseen(survey, n).half_width, width, n))
    st.caption(SAID.SURE_LEAD)
    if frame.lecture():
        return
    with frame.drawer(SAID.MORE, key="class_more"):
        st.caption(SAID.MORE_LEAD)
        with show_errors(stop=False):
            _more(found, progress)
    with frame.drawer(SAID.HANDS, key="class_hands"):
        st.caption(SAID.HANDS_LEAD)
        _hands(found)
    with frame.drawer(SAID.REHEARSAL, key="class_rehearsal"):
        st.caption(SAID.REHEARSAL_LEAD)
        with show_errors(stop=False):
            _rehearsal(survey, n)


def _rehearsal(survey: Survey, n: int) -> None:
    """Another invented class of this size, as often as the button is pressed."""
    st.button(SAID.REHEARSE, key="class_play", on_click=_again)
    if played := st.session_state.get("class_played", 0):
        came = cached.get_result(
            "class rehearsal", (survey.domain.sizes, survey.epsilon, n, played),
            lambda: run_rehearsal(survey, n, rng=stream(played, "rehearsal")),
        )  # fmt: skip
        st.markdown(
            SAID.rehearsed(
                came.forecast.half_width, came.score.error, came.score.half_width, came.score.held
            )
        )


def half_width(found: Results) -> float:
    """Of a typical share's interval: the mean over the questions that were asked."""
    tables = [found.share(question.name) for question in found.collected.survey.questions]
    widths = [table.half_width for table in tables if table is not None]
    return sum(widths) / len(widths)


def _again() -> None:
    st.session_state["class_played"] = st.session_state.get("class_played", 0) + 1


def _more(found: Results, progress: Progress) -> None:
    """The same shares for more people, in columns of their own."""
    key = (progress.code, progress.version, found.collected.n, found.collected.classes)
    bigger = [
        cached.get_result(
            "class more",
            (*key, n),
            lambda n=n: simulate_larger_class(found, n, rng=stream(1, "more", n)),
        )
        for n in MORE
    ]
    columns = (
        Column(SAID.asked_class(found.collected.n, found.collected.classes)),
        *(Column(SAID.more(n), invented=True) for n in MORE),
    )
    wall(
        counts=(),
        questions=look.questions([found, *bigger], "corrected"),
        columns=columns,
        key="class_more_wall",
    )


def _hands(found: Results) -> None:
    """Hands counted in public against the interval."""
    questions = {question.name: question for question in found.collected.survey.questions}
    name = st.selectbox(
        SAID.HANDS_QUESTION,
        list(questions),
        format_func=lambda one: questions[one].text,
        key="class_hands_of",
    )
    choices = questions[name].choices
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choice = st.selectbox(
            SAID.HANDS_CHOICE, range(len(choices)), len(choices) - 1, format_func=choices.__getitem__,
            key=f"class_hands_choice_{name}",
        )  # fmt: skip
        most = max(MAX_PHONES, found.collected.n)
        hands = st.number_input(SAID.HANDS_UP, 0, most, None, key="class_hands_up")
        people = st.number_input(
            SAID.HANDS_PEOPLE, 1, most, found.collected.n, key="class_hands_people"
        )
    if hands is None:
        return
    try:
        came = compare_hands(found, name, choice, hands, people)
    except UserError as error:
        st.error(notices.as_sentence(error))
        return
    st.markdown(escape.sentence(SAID.hands(came.share, came.low, came.high, came.inside)))
