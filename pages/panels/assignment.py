"""The parts of the page Assignment: what a student sees of one, and what a teacher makes one with.

The route holds all of it: the assignment and the work are texts of the address, so nothing is kept on the server.
"""

from functools import lru_cache, partial
from urllib.parse import urlencode

import streamlit as st
from streamlit.typing import UploadedFile

from calm_core.assignments import (
    LEVELS,
    MEASURES,
    Assignment,
    Bound,
    Choice,
    Free,
    Goal,
    Number,
    Option,
    Work,
    format_measure,
    from_link,
    measure,
    read_assignment,
    read_work,
    ready,
)
from calm_core.assignments.assignment import MAX_QUESTIONS, MIN_QUESTIONS, NUMBERS, WORDS, unpack
from calm_core.assignments.questions import Question
from calm_core.errors import InputError, UserError
from calm_core.evaluation.run import Run
from calm_core.ingest.samples import SAMPLES
from calm_core.settings import Settings
from pages import words
from pages.ui import cached_calls, display, downloads, frame, navigation, state, widgets
from pages.ui.error_boundary import show_errors

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


# ---------------------------------------------------------------- what a teacher makes one with

# What a teacher is offered for a setting that students choose.
RANGES = {
    "epsilon": (0.1, 4.0), "n": (500, 20_000), "k": (1, 3), "d": (3, 8), "theta": (1e-4, 0.1), "l": (1, 4), "m": (1, 50),
}  # fmt: skip
LIMITS = {"wrong": 5.0, "expected": 5.0, "people": 2000.0, "epsilon": 3.0}
TOLERANCES = {"odds": 0.1, "share": 0.5, "m": 0.5, "l": 0.5, "wrong": 0.5, "expected": 0.5}
# What the first questions are; more are like the last.
KINDS = ("wrong", "number", "choice")


def show_builder(settings: Settings) -> None:
    """Show the form, and below it the link and the files, or why it cannot be done yet."""
    frame.set_title(SAID.BUILD_TITLE)
    frame.show_text(SAID.BUILD)
    n = settings.n or cached_calls.encoded_data(settings).dataset.n
    data = SAMPLES[settings.source].title if settings.source in SAMPLES else settings.file
    st.caption(display.sentence(SAID.now(data=data, n=n, settings=settings)))
    with show_errors():
        title, level = _ask_title()
        free = _ask_free()
        count = st.slider(SAID.COUNT, MIN_QUESTIONS, MAX_QUESTIONS, MIN_QUESTIONS, key="make_count")
        questions = [_ask_question(number, settings) for number in range(1, count + 1)]
        # Everybody has as many people as now, whatever number the sample has.
        draft = Assignment(title, level, settings.with_changes(n=n), tuple(free), tuple(questions))
    _show_result(draft)


def _ask_title() -> tuple[str, str]:
    with st.container(horizontal=True):
        title = st.text_input(SAID.TITLE, "Privacy and precision", max_chars=80, key="make_title")
        level = st.selectbox(
            SAID.LEVEL, LEVELS, format_func=SAID.LEVELS.__getitem__, key="make_level", width=240
        )
    return title, level


def _ask_free() -> list[Free]:
    names = st.multiselect(
        SAID.FREE, [*NUMBERS, *WORDS], ["epsilon"], format_func=SAID.FIELDS.__getitem__, key="make_free"
    )  # fmt: skip
    free = []
    for name in names:
        label = SAID.FIELDS[name]
        with st.container(horizontal=True):
            if name in WORDS:
                words_chosen = st.multiselect(
                    SAID.words_of(name=label), WORDS[name], [getattr(Settings, name)], key=f"make_{name}"
                )  # fmt: skip
                free.append(Free(name, words=tuple(words_chosen)))
            else:
                low, high = RANGES[name]
                free.append(
                    Free(
                        name,
                        _ask_number(SAID.least(name=label), low, f"make_{name}_low"),
                        _ask_number(SAID.most(name=label), high, f"make_{name}_high"),
                    )
                )
    return free


def _ask_number(label: str, usual: float, key: str) -> float:
    text = st.text_input(label, f"{usual:g}", key=key, width=220)
    value = widgets.parse_float(text, label)
    return int(value) if value == int(value) else value


def _ask_question(number: int, settings: Settings) -> Question:
    kind = st.selectbox(
        SAID.kind(number=number), list(SAID.KINDS), list(SAID.KINDS).index(KINDS[(number - 1) % 3]),
        format_func=SAID.KINDS.__getitem__, key=f"make_kind_{number}",
    )  # fmt: skip
    assert kind is not None  # one is always chosen
    with st.container(horizontal=True, key=f"make_parts_{number}"):
        if kind == "number":
            return _ask_for_number(number, settings)
        if kind == "choice":
            return _ask_for_choice(number)
        return _ask_for_goal(number, kind)


def _ask_text(number: int, usual: str) -> str:
    text = st.text_input(
        SAID.text(number=number), max_chars=400, key=f"make_text_{number}", help=SAID.TEXT_HELP,
        placeholder=usual,
    )  # fmt: skip
    return text or usual


def _ask_for_goal(number: int, kind: str) -> Goal:
    bounds = []
    for name in (kind, "people", "epsilon"):
        label = SAID.limit(measure=MEASURES[name].title)
        usual = f"{LIMITS[name]:g}" if name == kind else ""
        text = st.text_input(label, usual, key=f"make_limit_{number}_{name}", width=260)
        if text.strip():
            bounds.append(Bound(name, "most", widgets.parse_float(text, label)))
    usual = SAID.goal(bounds="; ".join(map(str, bounds)))
    return Goal(_ask_text(number, usual), tuple(bounds))


def _ask_for_number(number: int, settings: Settings) -> Number:
    name = st.selectbox(
        SAID.MEASURE, list(MEASURES), list(MEASURES).index("odds"),
        format_func=lambda one: MEASURES[one].title, key=f"make_measure_{number}", width=260,
    )  # fmt: skip
    cell = ()
    if MEASURES[name].has_cell:
        domain = cached_calls.encoded_data(settings).dataset.domain
        usual = f"{domain.names[0]}={domain.labels_of(domain.names[0])[0]}"
        text = st.text_input(SAID.cell(example=usual), usual, key=f"make_cell_{number}", width=260)
        cell = tuple(text.split())
    tolerance = _ask_number(
        SAID.TOLERANCE, TOLERANCES.get(name, 1), f"make_tolerance_{number}_{name}"
    )
    title = MEASURES[name].title
    usual = SAID.share(cell=" ".join(cell)) if cell else SAID.number(measure=title)
    return Number(_ask_text(number, usual), name, tolerance, cell)


def _ask_for_choice(number: int) -> Choice:
    """Ask for a question of one's own, at first one of a ready assignment."""
    usual = next(one for one in reversed(ready("school").questions) if isinstance(one, Choice))
    lines = [f"{'*' * one.right}{one.text} | {one.reason}" for one in usual.options]
    text = st.text_area(SAID.OPTIONS, "\n".join(lines), key=f"make_options_{number}")
    return Choice(_ask_text(number, usual.text), tuple(_read_options(text)))


def _read_options(text: str) -> list[Option]:
    """Return the answers to choose, one a line.

    >>> _read_options("*this\\nthat | it is not")
    [Option(text='this', reason='', right=True), Option(text='that', reason='it is not', right=False)]
    """
    options = []
    for line in filter(str.strip, text.splitlines()):
        answer, _, reason = line.partition("|")
        options.append(
            Option(answer.strip().removeprefix("*"), reason.strip(), answer.strip().startswith("*"))
        )
    return options


def _show_result(assignment: Assignment) -> None:
    st.subheader(SAID.DONE, anchor=False)
    st.markdown(SAID.LINK)
    address = (st.context.url or "").split("?")[0]
    link = urlencode({"task": assignment.to_link()})
    st.code(f"{address}?{link}", language=None, wrap_lines=True)
    with st.container(horizontal=True):
        downloads.show_download(
            SAID.FOR_GRADING, assignment.to_json, "assignment-for-grading.json", "application/json",
            key="make_grading", type="primary",
        )  # fmt: skip
        downloads.show_download(
            SAID.FOR_STUDENTS, assignment.public().to_json, "assignment.json", "application/json",
            key="make_students",
        )  # fmt: skip
        st.button(SAID.PREVIEW, key="make_try", on_click=open_assignment, args=(assignment,))
    st.markdown(SAID.GRADE)
    st.code(SAID.COMMAND, language=None, wrap_lines=True)
