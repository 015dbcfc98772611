"""The wall: reports as they arrive and, if the teacher shows them, the results. It refreshes by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from calm_core.classroom.database import LINK
from calm_core.classroom.results import MIN_REPORTS, Link, Results, Table
from calm_core.classroom.survey import MAX_CHOICE, MAX_PHONES, MAX_TEXT, Question
from calm_core.classroom.teacher import Progress, TeacherControls
from calm_core.methods import Calm, CalmPlus
from pages import words
from pages.panels.classroom import address, open_survey, start
from pages.panels.classroom.drawing import (
    Count,
    Pair,
    QuestionRows,
    Row,
    build_mark,
    draw_wall,
    pushed_text,
    shown_choices,
)
from pages.panels.classroom.open_survey import OpenSurvey, find_results
from pages.ui import display, frame, navigation, widgets

SAID, RESULTS_SAID = words.classroom, words.classroom_results

# Half a point: less is no link.
MIN_LINK = 0.005
# Characters of a question and of an answer in the sentence about a link in a lecture, which has two lines.
BRIEF_LENGTHS = 44, 24


def build_counts(now: Progress, found: Results | None = None) -> tuple[Count, Count, Count]:
    """Return the three numbers on top; with pooled results those of all classes."""
    phones, reports, groups, smallest = SAID.COUNT_LABELS
    sizes, n, note = now.groups, now.reports, SAID.arrived_note(now.reports, now.lies)
    pooled = found is not None and found.report_counts.classes > 1
    if pooled:
        sizes, n = found.report_counts.groups, found.report_counts.n
        note = SAID.REPORTS_NOTE.format(classes=found.report_counts.classes)
    # A closed survey has no tickets left to count phones by.
    first = Count(groups, f"{len(sizes)}", SAID.GROUPS_NOTE)
    if now.phones is not None and not pooled:
        first = Count(phones, f"{now.phones:,}", SAID.phones_joined(phones=now.phones))
    least = min(sizes, default=0)
    last = Count(smallest, f"{least:,}", SAID.in_group(reports=least))
    return first, Count(reports, f"{n:,}", note), last


def build_questions(
    found: Sequence[Results], step: str, chosen: Sequence[int] | None = None
) -> tuple[QuestionRows, ...]:
    """Return the chosen questions, by default all, with their shares; `found` has the results of each column.

    Parameters
    ----------
    step : str
        "arrived" for shares in the raw reports, else "corrected".
    """
    counts, built = found[0].report_counts, []
    questions = counts.survey.questions
    for question in questions if chosen is None else [questions[at] for at in chosen]:
        tables = [_question_table(one, question.name, step) for one in found]
        rows = tuple(
            Row(question.choices[at], tuple(build_mark(table, at) for table in tables))
            for at in shown_choices(question)
        )
        # In a lecture the lines are counted, and the title says what is clear.
        equal = tables[0] is not None and tables[0].may_be_equal and not frame.is_lecture()
        asked = SAID.phones_asked(counts.count_asked(question.name), equal=equal)
        built.append(QuestionRows(question.text, asked, rows))
    return tuple(built)


def _question_table(found: Results, name: str, step: str) -> Table | None:
    if not found.report_counts.count_asked(name):
        return None
    return found.raw(name) if step == "arrived" else found.share(name)


def build_pair(found: Results, first: str, second: str, *, brief: bool = False) -> Pair | None:
    """Return the table of two questions and their link in words; None if one of them was not asked yet.

    In a lecture (`brief`) the link shortens questions and answers, which the table has in full.
    """
    by_name = {question.name: question for question in found.report_counts.survey.questions}
    table = found.pair(first, second)
    if table is None:
        return None
    notes = [
        link_sentence(found, link, brief=brief)
        for link in found.links
        if {link.first, link.second} == {first, second}
    ]
    notes.append(
        SAID.phones_asked(table.reports, both=True) if table.reports else SAID.TOO_FEW_BOTH
    )
    # The table has the order of the survey, not that of the arguments.
    rows_of, columns_of = (by_name[name] for name in table.names)

    others = range(len(columns_of.choices))
    rows = tuple(
        Row(choice, tuple(build_mark(table, (at, other)) for other in others))
        for at, choice in enumerate(rows_of.choices)
    )
    return Pair(rows_of.text, columns_of.text, columns_of.choices, rows, tuple(notes))


def link_sentence(found: Results, link: Link, *, brief: bool = False) -> str:
    """Return a link as a sentence."""
    max_question, max_answer = BRIEF_LENGTHS if brief else (MAX_TEXT, MAX_CHOICE)
    by_name = {question.name: question for question in found.report_counts.survey.questions}
    linked = [by_name[name] for name in (link.first, link.second)]
    first, second = (display.shorten(one.text, max_question) for one in linked)
    if link.excess < MIN_LINK:
        return RESULTS_SAID.no_link(first, second)
    choices = zip(linked, (link.first_choice, link.second_choice))
    said, also = (display.shorten(one.choices[at], max_answer) for one, at in choices)
    strength = link.excess, link.half_width, link.direction_only
    return RESULTS_SAID.link_sentence((first, said), (second, also), *strength)


LESSON_PARTS = len(RESULTS_SAID.LESSON_TITLES)


def clearest_answer(found: Results) -> tuple[Question, int, float, float, float] | None:
    """Return question, choice, share and interval farthest on one side of one half.

    With more than two choices most have less than half, so only a share above one half counts.
    """
    best = None
    for question in found.report_counts.survey.questions:
        table = found.share(question.name)
        if table is None:
            continue
        for at in shown_choices(question):
            low, high = float(table.low[at]), float(table.high[at])
            below = 0.5 - high if len(question.choices) == 2 else -0.5
            clear = max(low - 0.5, below)
            if best is None or clear > best[0]:
                best = clear, (question, at, float(table.values[at]), low, high)
    return None if best is None else best[1]


def finding_title(found: Results, seen: Sequence[Question]) -> str:
    """Return the clearest answer as a title; "" if it is not to one of the questions seen, or CALM's, which has no intervals."""
    best = clearest_answer(found)
    if best is None or best[0] not in seen or found.method != CalmPlus.name:
        return ""
    question, at, _, low, high = best
    # A title has two lines at most.
    text = question.text if len(question.text) <= MAX_QUESTION_LENGTH else f"{question.name}:"
    said = RESULTS_SAID.clearest_answer(text, question.choices[at], low, high)
    return display.shorten(said, TITLE_LENGTH)


def lesson_texts(found: Results) -> list[str]:
    """Return the three parts of the lesson as sentences about this class."""
    plan, best = found.report_counts.plan, clearest_answer(found)
    cells, sizes = [oracle.size for oracle in plan.oracles], [len(view) for view in plan.views]
    sentences = [
        RESULTS_SAID.what_was_sent(cells, sizes, _unchanged_of_100(found)),
        RESULTS_SAID.why_unknowable(plan.epsilon),
    ]
    if best is not None:
        question, at, share, low, high = best
        raw = found.raw(question.name)
        assert raw is not None  # a share has reports
        measured = float(raw.values[at]), share, low, high
        sentences.append(
            RESULTS_SAID.what_was_learned(*measured, question.text, question.choices[at])
        )
    return sentences


def show_lesson(found: Results) -> None:
    """Show the three parts side by side."""
    frame.set_title(RESULTS_SAID.VIEWS["lesson"])
    sentences = lesson_texts(found)
    for at, column in enumerate(st.columns(len(sentences), border=True)):
        with column:
            st.subheader(RESULTS_SAID.LESSON_TITLES[at], anchor=False)
            _show_part(found, sentences, at)
    if not frame.is_lecture():
        st.caption(RESULTS_SAID.HONEST)


def show_lesson_part(found: Results, at: int) -> None:
    """Show one part, for a lecture."""
    sentences = lesson_texts(found)
    at = min(at, len(sentences) - 1)
    frame.set_title(RESULTS_SAID.LESSON_TITLES[at])
    with st.container(key="class_lesson"):
        _show_part(found, sentences, at)


def _unchanged_of_100(found: Results) -> int:
    """Return how many of 100 phones of this class send the true answer."""
    counts = found.report_counts
    cells = [oracle.size for oracle in counts.plan.oracles]
    return RESULTS_SAID.unchanged_of_100(counts.plan.epsilon, cells, counts.groups)


def _show_part(found: Results, sentences: list[str], at: int) -> None:
    """Show a sentence; below the first a hundred phones as dots, filled where they sent the true answer."""
    st.markdown(display.sentence(sentences[at]))
    if at == 0:
        unchanged = _unchanged_of_100(found)
        dots = "<i></i>" * unchanged + "<i class='else'></i>" * (100 - unchanged)
        alt = RESULTS_SAID.HUNDRED.format(kept=unchanged)
        st.html(f'<div class="calm-hundred" role="img" aria-label="{alt}">{dots}</div>')


def show_lies_effect(found: Results, counts: Sequence[Count]) -> None:
    """Show the pushed answer without the lies, with them and with the defense, and what the lies added."""
    lecture = frame.is_lecture()
    survey, tables = found.report_counts.survey, found.lie_tables
    pushed = survey.pushed
    if pushed is None or tables is None:
        draw_wall(counts=counts, lecture=lecture)
        st.markdown(SAID.NO_LIES)
        return
    labels = SAID.WITHOUT_LIES, SAID.with_lies(lies=found.report_counts.n_lies), SAID.DEFENDED
    rows = tuple(
        Row(label, (build_mark(table, pushed.choice),)) for label, table in zip(labels, tables)
    )
    asked = SAID.phones_asked(tables[0].reports)
    draw_wall(
        counts=counts, questions=(QuestionRows(pushed_text(survey, pushed), asked, rows),),
        lecture=lecture,
    )  # fmt: skip
    before, after, left = (float(table.values[pushed.choice]) for table in tables)
    if lecture:
        frame.show_number(SAID.lies_number(before, after))
    st.markdown(display.sentence(SAID.lies_sentence(before, after, left)))


ARRIVED, CORRECTED, TOGETHER, LIED = SAID.STEPS
LESSON = "lesson"
# Lines that fit on a projector of 1024 x 768 in a lecture; characters of a question, an answer and a title in a line.
MAX_LINES, LINE_LENGTH, ANSWER_LENGTH, LECTURE_TITLE_LENGTH = 10, 85, 24, 56
# Of a title, and of a question in it.
TITLE_LENGTH, MAX_QUESTION_LENGTH = 200, 110


@dataclass(frozen=True)
class WallStep:
    """One step of the wall: what it shows of which questions."""

    kind: str
    chosen: tuple[int, ...]


def list_steps(
    questions: Sequence[Question], *, brief: bool, closed: bool = False, liars: bool = False
) -> list[WallStep]:
    """Return the steps in order; in a lecture (`brief`) with few lines each, and the lesson at the end.

    What lies did is a step where phones may lie (`liars`).

    >>> questions = [Question(name, f"{name}?", ("No", "Yes")) for name in "abc"]
    >>> [step.kind for step in list_steps(questions, brief=True)]
    ['arrived', 'corrected', 'together']
    """
    parts: list[list[int]] = [[]]
    lines = 0
    # The title of a closed survey is its clearest answer, often of two lines.
    max_lines = MAX_LINES - closed
    # What stands behind a question in its line.
    asked = len(SAID.phones_asked(MAX_PHONES)) + 2
    for at, question in enumerate(questions):
        labels = [question.choices[one] for one in shown_choices(question)]
        heading = 1 + (len(question.text) + asked) // LINE_LENGTH
        more = heading + sum(1 + len(one) // ANSWER_LENGTH for one in labels)
        if brief and parts[-1] and lines + more > max_lines:
            parts.append([])
            lines = 0
        parts[-1].append(at)
        lines += more
    shares = [WallStep(kind, tuple(part)) for kind in (ARRIVED, CORRECTED) for part in parts]
    ends = [WallStep(LESSON, (at,)) for at in range(LESSON_PARTS)] if brief and closed else []
    lied = [WallStep(LIED, ())] if liars else []
    return [*shares, WallStep(TOGETHER, tuple(range(len(questions)))), *lied, *ends]


def current_step(offered: Sequence[str]) -> int:
    """Return the index of the current step; when a lecture begins or ends, the first of the same kind."""
    brief, at = frame.is_lecture(), min(navigation.current().at, len(offered) - 1)
    was_brief, kind = st.session_state.get("class_kind", (brief, ""))
    if was_brief != brief and kind in offered:
        at = offered.index(kind)
        navigation.change(at=at)
    st.session_state["class_kind"] = brief, offered[at]
    return at


def wall_title(now: Progress) -> str:
    """Return the title of the survey, shorter in a lecture."""
    return display.shorten(now.title, LECTURE_TITLE_LENGTH if frame.is_lecture() else TITLE_LENGTH)


def can_see_results(shown: OpenSurvey, now: Progress) -> bool:
    """Whether results may be seen: if the teacher shows them, and by the teacher once it is closed."""
    return now.shown or (shown.teacher is not None and now.state == "closed")


def show_wall(shown: OpenSurvey, progress: Progress) -> None:
    """Show the wall of an open survey, or the steps of a closed one."""
    frame.set_title(wall_title(progress))
    teacher = shown.teacher if progress.state == "open" else None
    pooled, method = False, CalmPlus.name
    # A fragment that changes its place, as in a lecture, would be drawn twice.
    with st.container(key="class_above"):
        if progress.test:
            st.markdown(f"**{SAID.TEST}**")
        visible = can_see_results(shown, progress)
        if visible:
            pooled, method = choose_step(shown, progress)
        found = (
            find_results(shown.view, progress, pooled=pooled, method=method) if visible else None
        )
        if found is not None:
            _show_step_head(found, progress)
    draw = partial(_show_now, shown, pooled, method)
    if progress.state == "closed" and shown.teacher is not None:
        draw(progress)
    else:
        open_survey.refresh_regularly(shown.view, progress, partial(_page_parts, shown), draw)
    if progress.state == "open" and not visible:
        # As in the lobby: the QR code, and the controls beside it.
        with st.container(key="class_open_code"), address.beside_code(shown):
            if teacher is not None:
                _show_controls(shown, teacher, progress)
            if teacher is not None and not frame.is_lecture():
                address.choose_address(teacher)
        return
    if teacher is not None:
        _show_controls(shown, teacher, progress)
    if progress.state == "open" and not frame.is_lecture():
        with frame.drawer(SAID.LATE, key="class_late"):
            address.show_qr_code(shown.view)
            address.show_address(shown)


def _show_step_head(found: Results, now: Progress) -> None:
    """Let the viewer choose two questions where they are a step; give a closed survey its finding as title."""
    step = selected_step(found, now)
    if step.kind == TOGETHER and not frame.is_lecture():
        choose_pair(found)
    seen = [found.report_counts.survey.questions[at] for at in step.chosen]
    if now.state == "closed" and step.kind == CORRECTED and (title := finding_title(found, seen)):
        frame.set_title(title)


def _page_parts(shown: OpenSurvey, now: Progress) -> tuple:
    """Return what decides the parts of the page; when it changes, the whole page runs again."""
    visible, enough = can_see_results(shown, now), now.reports >= MIN_REPORTS
    return now.state, visible, enough, shown.view.notes.get(LINK)


def choose_step(shown: OpenSurvey, now: Progress) -> tuple[bool, str]:
    """Let the viewer choose step, classes and, once it is closed, the method; return the latter two."""
    if frame.is_lecture():
        return choose_classes(shown), CalmPlus.name
    kinds = dict(SAID.STEPS)
    if now.pushed is None:
        del kinds[LIED]
    at = current_step(list(kinds))
    method = CalmPlus.name
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        widgets.choose_segment(
            SAID.STEP, kinds, "class_step", default=list(kinds)[at], label_visibility="collapsed",
            on_change=_store_step,
        )  # fmt: skip
        pooled = choose_classes(shown)
        if now.state == "closed" and list(kinds)[at] in (CORRECTED, TOGETHER):
            method = widgets.choose_segment(
                RESULTS_SAID.METHOD, RESULTS_SAID.METHODS, "class_method", default=CalmPlus.name,
                label_visibility="collapsed", persist_state="session",
            )  # fmt: skip
    st.caption(SAID.STEP_LINES[list(kinds)[at]])
    if method == Calm.name:
        st.caption(RESULTS_SAID.CALM_NOTE)
    return pooled, method


def _store_step() -> None:
    navigation.change(at=list(SAID.STEPS).index(st.session_state["class_step"]))


def choose_classes(shown: OpenSurvey) -> bool:
    """Let the viewer choose between this class and all, if there are several; return whether all are pooled."""
    classes = len(shown.view.classes)
    if classes < 2:
        return False
    if not frame.is_lecture():
        titles = {pooled: SAID.whose_reports(pooled, classes) for pooled in (False, True)}
        widgets.choose_segment(SAID.WHOSE, titles, "class_all", persist_state="session")
    return bool(st.session_state.get("class_all"))


def _show_now(shown: OpenSurvey, pooled: bool, method: str, now: Progress) -> None:
    """Draw what changes while reports arrive."""
    visible = can_see_results(shown, now)
    found = find_results(shown.view, now, pooled=pooled, method=method) if visible else None
    if found is not None:
        show_step(found, now, selected_step(found, now))
        return
    draw_wall(counts=build_counts(now), lecture=frame.is_lecture())
    if now.state == "closed" and visible:
        text = RESULTS_SAID.too_few(reports=now.reports)
    elif now.reports < MIN_REPORTS:
        text = SAID.from_ten(reports=now.reports, least=MIN_REPORTS)
    else:
        text = SAID.NOT_SHOWN
    st.markdown(text)


def selected_step(found: Results, now: Progress) -> WallStep:
    """Return the current step, and let the keys of a lecture change it."""
    questions, brief = found.report_counts.survey.questions, frame.is_lecture()
    offered = list_steps(
        questions, brief=brief, closed=now.state == "closed", liars=now.pushed is not None
    )
    frame.set_step_count(len(offered))
    return offered[current_step([step.kind for step in offered])]


def show_step(found: Results, now: Progress, step: WallStep) -> None:
    """Draw a step; in a lecture with its name."""
    brief = frame.is_lecture()
    counts = build_counts(now, found)
    if brief and step.kind in SAID.STEPS:
        st.markdown(f"**{SAID.STEPS[step.kind]}.** {SAID.STEP_LINES[step.kind]}")
    if step.kind == LESSON:
        show_lesson_part(found, *step.chosen)
    elif step.kind == LIED:
        show_lies_effect(found, counts)
    elif step.kind == TOGETHER:
        first, second = selected_pair(found)
        drawn = build_pair(found, first, second, brief=brief)
        if drawn is None:
            st.markdown(SAID.TOO_FEW_BOTH)
        draw_wall(counts=counts, pair=drawn, lecture=brief)
        for link in found.links[:3] if not brief else ():
            st.markdown(f"- {display.sentence(link_sentence(found, link))}")
    else:
        questions = build_questions([found], step.kind, step.chosen)
        draw_wall(counts=counts, questions=questions, lecture=brief)


def selected_pair(found: Results) -> tuple[str, str]:
    """Return the two chosen questions, by default those of the strongest link."""
    names = [question.name for question in found.report_counts.survey.questions]
    first, second = (st.session_state.get(key) for key in ("class_first", "class_second"))
    if first in names and second in names and first != second:
        return first, second
    links = found.links
    return (links[0].first, links[0].second) if links else (names[0], names[1])


def choose_pair(found: Results) -> tuple[str, str]:
    """Let the viewer choose two questions."""
    titles = {question.name: question.text for question in found.report_counts.survey.questions}
    first, second = selected_pair(found)
    with st.container(horizontal=True):
        first = st.selectbox(
            SAID.FIRST, list(titles), list(titles).index(first), format_func=titles.__getitem__, key="class_first",
            persist_state="session",
        )  # fmt: skip
        others = [name for name in titles if name != first]
        second = st.selectbox(
            SAID.SECOND, others, others.index(second) if second in others else 0,
            format_func=titles.__getitem__, key="class_second", persist_state="session",
        )  # fmt: skip
    return first, second


def _show_controls(shown: OpenSurvey, teacher: TeacherControls, progress: Progress) -> None:
    """Show the controls of the teacher of an open survey."""
    enough = progress.reports >= MIN_REPORTS
    if frame.is_lecture():
        if enough and not progress.shown:
            press = partial(open_survey.act, teacher.show_results)
            st.button(SAID.SHOW, type="primary", key="class_show", on_click=press)
        return
    plan = teacher.report_counts().plan
    st.caption(SAID.plan(plan.m, plan.l, plan.domain.d))
    if progress.pushed is not None:
        st.caption(SAID.asked_to_lie(phones=progress.liars, lies=progress.lies))
    with st.container(horizontal=True, vertical_alignment="bottom", key="class_controls"):
        st.button(
            SAID.HIDE if progress.shown else SAID.SHOW, type="secondary" if progress.shown else "primary",
            key="class_show", on_click=open_survey.act, args=(teacher.show_results, not progress.shown), help=SAID.SHOW_HELP,
            disabled=not (progress.shown or enough),
        )  # fmt: skip
        if progress.test:
            press = partial(open_survey.end_rehearsal, shown)
            st.button(SAID.REHEARSE_END, key="class_test_end", on_click=press)
            return
        with st.popover(SAID.CLOSE, key="class_close"):
            st.markdown(f"**{SAID.CLOSE_SURE}** {SAID.CLOSE_HELP}")
            press = partial(_close, teacher)
            st.button(SAID.CLOSE_YES, type="primary", key="class_close_yes", on_click=press)
        press = partial(open_survey.act, teacher.lock)
        st.button(SAID.LOCK, key="class_lock", help=SAID.LOCK_HELP, on_click=press)
        address.edit_capacity(teacher, progress)
        start.show_leave_button()


def _close(teacher: TeacherControls) -> None:
    open_survey.act(teacher.close)
    navigation.change(view="", at=open_survey.AT_CORRECTED)
