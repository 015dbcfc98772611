"""What a student sees of an assignment: opening it, a name, questions beside the results, and the file to hand in.

The route holds all of it: the assignment and the work are texts of the address, so nothing is kept on the server.
"""

from functools import lru_cache, partial

import streamlit as st
from streamlit.typing import UploadedFile

from calm_core.assignments import (
    LEVELS,
    Assignment,
    Choice,
    Goal,
    Work,
    format_measure,
    from_link,
    measure,
    read_assignment,
    read_work,
    ready,
)
from calm_core.assignments.assignment import unpack
from calm_core.assignments.questions import Question
from calm_core.errors import InputError, UserError
from calm_core.evaluation.run import Run
from calm_core.settings import Settings
from pages import words
from pages.ui import cached_calls, display, downloads, frame, navigation, state, widgets

SAID = words.assignment
BUILD = "build"
# What students see of the app: data and other methods are not theirs to change.
PAGES = ("learn", "plan", "collect", "marginals", "errors", "assignment")
# Controls that stay: which table is looked at, and the button for more settings.
KEPT = {"attrs", "details", "exports"}


@lru_cache(maxsize=32)
def read_link(task: str) -> Assignment:
    """Return the assignment of a link."""
    return from_link(task)


@lru_cache(maxsize=64)
def read_work_link(task: str, work: str) -> Work:
    """Return what a student has done, as the address has it."""
    assignment = read_link(task)
    return read_work(unpack(work), {assignment.digest: assignment}, "the work in the address")[0]


def show_ways_in() -> None:
    """Show where an assignment comes from, and the way for teachers."""
    frame.show_text(SAID.LEAD)
    st.subheader(SAID.READY, anchor=False)
    with st.container(horizontal=True):
        for level in LEVELS:
            assignment = ready(level)
            label = f"{SAID.LEVELS[level].capitalize()}: {assignment.title}"
            st.button(label, key=f"task_{level}", on_click=open_assignment, args=(assignment,))
    if frame.is_lecture():
        # Files are opened before a lecture, not in it.
        return
    widgets.show_upload(SAID.FILE, ["json"], "task_file", _open_file, max_upload_size=1)
    st.button(
        SAID.TEACHERS, icon=":material/school:", key="task_build",
        on_click=navigation.change, kwargs={"view": BUILD},
    )  # fmt: skip


def open_assignment(assignment: Assignment) -> None:
    """Callback: show an assignment at its beginning."""
    navigation.change(view="", task=assignment.to_link(), work="")


def _open_file(file: UploadedFile) -> None:
    open_assignment(read_assignment(file.getvalue(), display.shorten(file.name, 60)))


def show_beginning(assignment: Assignment) -> None:
    """Show what is to be done, and ask for a name."""
    frame.set_title(assignment.title)
    frame.show_text(
        SAID.lead(
            level=SAID.LEVELS[assignment.level], questions=len(assignment.questions),
            free=display.sentence(SAID.free_text(assignment)),
        )
    )  # fmt: skip
    with st.form("task_begin", border=False):
        st.text_input(SAID.NAME, max_chars=60, key="task_name", help=SAID.NAME_HELP)
        st.form_submit_button(SAID.BEGIN, type="primary", on_click=_begin, args=(assignment,))
    st.button(SAID.ONE_MORE, key="task_other", on_click=navigation.change, kwargs={"task": ""})


def _begin(assignment: Assignment) -> None:
    with state.show_user_errors():
        work = Work(assignment, st.session_state["task_name"])
        navigation.change(work=work.to_link())
        _use_settings(work)


def _use_settings(work: Work) -> None:
    """Callback: use the settings of the assignment, with what is fixed hidden."""
    free = {one.name for one in work.assignment.free}
    hidden = state.HIDEABLE - free - KEPT
    state.restore(work.settings().with_changes(hide=tuple(sorted(hidden)), pages=PAGES))


def leave() -> None:
    """Callback: forget the assignment, and show the whole app again."""
    navigation.change(task="", work="")
    state.restore(Settings())


def show_questions(work: Work, settings: Settings) -> None:
    """Show all questions with their answers, and the button that hands them in."""
    assignment = work.assignment
    frame.set_title(assignment.title)
    answer_count = sum(answer is not None for answer in work.answers)
    text = SAID.working(
        name=display.markdown(work.name), done=answer_count, count=len(work.answers),
        free=display.sentence(SAID.free_text(assignment)),
    )  # fmt: skip
    frame.show_text(text)
    with st.container(horizontal=True, vertical_alignment="center", key="task_pages"):
        st.markdown(SAID.LOOK, width="content")
        for page in filter(navigation.is_shown, navigation.LAB):
            navigation.page_link(page, words.common.PAGES[page][0])
    choices = assignment.choices_of(settings)
    try:
        own_settings = work.settings(choices)
    except UserError as error:
        st.warning(state.to_sentence(error))
        own_settings = None
    if own_settings is not None and own_settings.results_key != settings.results_key:
        st.warning(SAID.YOURS)
        own_settings = None
    if own_settings is None:
        st.button(SAID.RESTORE, key="task_restore", on_click=_use_settings, args=(work,))
    outcome = None if own_settings is None else cached_calls.outcome(settings)
    for number, question in enumerate(assignment.questions, start=1):
        with st.container(border=True, key=f"task_question_{number}"):
            _show_question(work, number, question, outcome)
    _show_end(work)


def _show_question(work: Work, number: int, question: Question, outcome: Run | None) -> None:
    st.markdown(
        f"**{number}** {display.sentence(question.text)} :small[{SAID.points(points=question.points)}]"
    )
    answer, closed = work.answers[number - 1], outcome is None
    key = f"task_{work.assignment.digest}_{work.key}_{number}"
    keep = partial(_keep, work, number, key)
    if isinstance(question, Goal):
        if outcome is not None:
            _show_bounds(question, outcome)
        st.button(
            SAID.GOAL, key=key, disabled=closed, on_click=_keep, args=(work, number, "")
        )  # fmt: skip
    elif isinstance(question, Choice):
        texts = [option.text for option in question.options]
        at = next((i for i, text in enumerate(texts) if answer and answer.value == text), None)
        st.radio(
            SAID.CHOICE, texts, at, format_func=display.sentence, key=key, disabled=closed, on_change=keep
        )  # fmt: skip
    else:
        value = "" if answer is None or answer.value is None else f"{answer.value:g}"
        st.text_input(
            SAID.NUMBER, value, width=200, key=key, disabled=closed, on_change=keep
        )  # fmt: skip
    st.caption(_answered_text(work, number))


def _answered_text(work: Work, number: int) -> str:
    answer = work.answers[number - 1]
    if answer is None:
        return SAID.NO_ANSWER
    choices = display.sentence(SAID.chosen_text(answer.chosen))
    now = work.assignment.choices_of(state.current())
    same = answer.chosen == now or isinstance(work.assignment.questions[number - 1], Choice)
    return SAID.answered(chosen=choices) if same else SAID.answered_before(chosen=choices)


def _show_bounds(question: Goal, outcome: Run) -> None:
    """Show how far the present settings are from the goal."""
    settings = state.current()
    lines = []
    for bound in question.bounds:
        try:
            value = find_measure(settings, outcome, bound.measure)
        except UserError as error:
            lines.append(f"{SAID.RUN_OUT} {state.to_sentence(error)}")
            continue
        say = SAID.reached if bound.holds(value) else SAID.missed
        lines.append(say(bound=bound, found=format_measure(value)))
    st.markdown("  \n".join(lines))


def find_measure(settings: Settings, outcome: Run, name: str) -> float:
    """Return a measure of the present collection, cached."""
    return cached_calls.get_result(
        "measure", (settings.results_key, name), partial(measure, settings, outcome, name)
    )


def _keep(work: Work, number: int, key: str) -> None:
    """Callback: keep an answer with the settings of this moment."""
    settings, value = state.current(), st.session_state[key] if key else None
    with state.show_user_errors():
        if isinstance(value, str) and not isinstance(work.assignment.questions[number - 1], Choice):
            value = widgets.parse_float(value, SAID.NUMBER)
        choices = work.assignment.choices_of(settings)
        if work.settings(choices).results_key != settings.results_key:
            raise InputError(SAID.YOURS)
        next_work = work.answer(number, value, choices, cached_calls.outcome(settings))
        navigation.change(work=next_work.to_link())


def _show_end(work: Work) -> None:
    with st.container(horizontal=True):
        downloads.show_download(
            SAID.HAND_IN, work.to_json, f"{work.key.replace('/', '-')}.json", "application/json",
            key="task_hand_in", type="primary",
        )  # fmt: skip
        st.button(SAID.LEAVE, key="task_leave", on_click=leave)
    st.caption(SAID.KEEP)
