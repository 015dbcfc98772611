"""A tenth of the phones may lie, as an experiment: the teacher's switch before, and what the lies did after."""

from collections.abc import Sequence

import streamlit as st

from calm_core.classroom.results import Results
from calm_core.classroom.survey import PushedAnswer, Question
from calm_core.classroom.teacher import Progress, TeacherControls
from pages import words
from pages.panels.classroom import open_survey
from pages.panels.classroom.drawing import (
    Count,
    QuestionRows,
    Row,
    build_mark,
    draw_wall,
    shown_choices,
)
from pages.ui import display, frame

SAID = words.classroom


def show_switch(teacher: TeacherControls, progress: Progress) -> None:
    """Let the teacher have a tenth of the phones lie, and choose the answer that they push."""
    questions = teacher.survey.questions
    offered = [
        PushedAnswer(at, choice)
        for at, question in enumerate(questions)
        for choice in shown_choices(question)
    ]
    usual = PushedAnswer(0, len(questions[0].choices) - 1)
    on, pushed = f"class_liars_{teacher.code}", f"class_pushed_{teacher.code}"

    def store() -> None:
        chosen = st.session_state[pushed] if st.session_state[on] else None
        open_survey.act(teacher.let_lie, chosen)

    st.caption(SAID.LIARS_LEAD)
    st.toggle(SAID.LIARS, progress.pushed is not None, key=on, on_change=store)
    st.selectbox(
        SAID.PUSHED, offered, offered.index(progress.pushed or usual), key=pushed, on_change=store,
        help=SAID.PUSHED_HELP, format_func=lambda one: _name(questions[one.question], one.choice),
    )  # fmt: skip


def _name(question: Question, choice: int) -> str:
    return f"{question.text} {question.choices[choice]}"


def show_effect(found: Results, counts: Sequence[Count]) -> None:
    """Show the pushed answer without the lies, with them and with the defense, and what the lies added."""
    lecture, pushed = frame.is_lecture(), found.report_counts.survey.pushed
    tables = found.lie_tables
    if pushed is None or tables is None:
        draw_wall(counts=counts, lecture=lecture)
        st.markdown(SAID.NO_LIES)
        return
    question, lies = (
        found.report_counts.survey.questions[pushed.question],
        found.report_counts.n_lies,
    )
    without, with_lies, defended = tables
    labels = SAID.WITHOUT_LIES, SAID.with_lies(lies=lies), SAID.DEFENDED
    rows = tuple(
        Row(label, (build_mark(table, pushed.choice),))
        for label, table in zip(labels, (without, with_lies, defended or with_lies))
    )
    asked = SAID.phones_asked(without.reports)
    draw_wall(
        counts=counts, questions=(QuestionRows(_name(question, pushed.choice), asked, rows),),
        lecture=lecture,
    )  # fmt: skip
    before, after = (float(table.values[pushed.choice]) for table in (without, with_lies))
    left = None if defended is None else float(defended.values[pushed.choice])
    if lecture:
        frame.show_number(SAID.lies_number(before, after))
    st.markdown(display.sentence(SAID.lies_sentence(before, after, left)))
