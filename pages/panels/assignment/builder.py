"""What a teacher sees: an assignment made from the settings of the Lab, as a link and two files."""

from urllib.parse import urlencode

import streamlit as st

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
    ready,
)
from calm_core.assignments.assignment import MAX_QUESTIONS, MIN_QUESTIONS, NUMBERS, WORDS
from calm_core.assignments.questions import Question
from calm_core.ingest.samples import SAMPLES
from calm_core.settings import Settings
from pages import words
from pages.panels.assignment.work import open_assignment
from pages.ui import cached_calls, display, downloads, frame, widgets
from pages.ui.error_boundary import show_errors

SAID = words.assignment
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
