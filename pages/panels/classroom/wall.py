"""The wall: reports as they arrive and, if the teacher shows them, the results. It refreshes by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import streamlit as st

from calm_core.classroom.database import LINK
from calm_core.classroom.results import MIN_REPORTS, Link, Results, Table
from calm_core.classroom.survey import MAX_PHONES, PushedAnswer, Question, Survey
from calm_core.classroom.teacher import Progress, TeacherControls
from calm_core.methods import Calm, CalmPlus
from pages import words
from pages.panels.classroom import address, open_survey, start
from pages.panels.classroom.open_survey import OpenSurvey, find_results
from pages.ui import display, frame, navigation, widgets
from pages.ui.components import mount

SAID, RESULTS_SAID = words.classroom, words.classroom_results

# Half a point: less is no link.
MIN_LINK = 0.005
# Characters of a question and of an answer in the sentence about a link, which has two lines in a lecture.
MAX_QUESTION, MAX_ANSWER = 44, 24
ARRIVED, CORRECTED, TOGETHER, LIED = SAID.STEPS
LESSON = "lesson"


def draw_wall(
    *,
    counts: Sequence[tuple[str, str, str]] = (),
    questions: Sequence[dict] = (),
    pair: dict | None = None,
    columns: Sequence[str] = ("",),
    key: str = "class_wall",
) -> None:
    """Mount it; the same questions with other shares move their marks.

    Parameters
    ----------
    counts : sequence of (str, str, str)
        The numbers on top: what is counted, the number, and what stands small beside it.
    questions : sequence of dict
        The `text`, how many phones were `asked` it, and `rows`: the `label` of a choice, and its `marks`, one a column.
    pair : dict, optional
        The table of two questions, `first` and `second`: its `rows` are the choices of the first, its `columns` those
        of the second; the `notes` stand beside it.
    columns : sequence of str
        Whose answers: the class's, then those of invented people, which are drawn hatched.
    """
    data = {"counts": counts, "questions": questions, "pair": pair, "columns": columns}
    mount("wall", {**data, "lecture": frame.is_lecture()}, key=key)


def build_mark(table: Table | None, at: int | tuple[int, int]) -> dict:
    """Return the mark of one choice, or of one of each question of a pair.

    It is a `share` with its interval from `low` to `high`, and both in words: `text` and `note`. Without an interval
    (None, or of width 0) it is what arrived; without a share nothing is known.
    """
    mark = {"text": words.classroom.NOT_ASKED, "note": "", "share": None, "low": None, "high": None}
    if table is None:
        return mark
    share, low, high = (float(part[at]) for part in (table.values, table.low, table.high))
    mark |= {"text": words.numbers.percent(share, 0), "share": share}
    if low < high:
        mark |= {"note": words.classroom.interval(low=low, high=high), "low": low, "high": high}
    return mark


def build_row(label: str, tables: Sequence[Table | None], *at: int | tuple[int, int]) -> dict:
    """Return a choice with its marks: those of the places `at` in each table."""
    return {"label": label, "marks": [build_mark(table, one) for table in tables for one in at]}


def shown_choices(question: Question) -> range:
    """Return the choices that get a line: of two only the last."""
    count = len(question.choices)
    return range(1, 2) if count == 2 else range(count)


def pushed_text(survey: Survey, pushed: PushedAnswer) -> str:
    """Return the question and the answer that the phones which may lie push."""
    question = survey.questions[pushed.question]
    return f"{question.text} {question.choices[pushed.choice]}"


def build_counts(now: Progress, results: Results | None = None) -> list[tuple[str, str, str]]:
    """Return the three numbers on top; with pooled results those of all classes."""
    phones, reports, groups, smallest = SAID.COUNT_LABELS
    sizes, n, note = now.groups, now.reports, SAID.arrived_note(now.reports, now.lies)
    pooled = results is not None and results.report_counts.classes > 1
    if pooled:
        sizes, n = results.report_counts.groups, results.report_counts.n
        note = SAID.REPORTS_NOTE.format(classes=results.report_counts.classes)
    # A closed survey has no tickets left to count phones by.
    first = groups, f"{len(sizes)}", SAID.GROUPS_NOTE
    if now.phones is not None and not pooled:
        first = phones, f"{now.phones:,}", SAID.phones_joined(phones=now.phones)
    min_size = min(sizes, default=0)
    last = smallest, f"{min_size:,}", SAID.in_group(reports=min_size)
    return [first, (reports, f"{n:,}", note), last]


def build_questions(
    results: Sequence[Results], step: str, questions: Sequence[Question]
) -> list[dict]:
    """Return questions with their shares; `results` has the results of each column.

    Parameters
    ----------
    step : str
        "arrived" for shares in the raw reports, else "corrected".
    """
    counts, built = results[0].report_counts, []
    for question in questions:
        name = question.name
        tables = [one.raw(name) if step == ARRIVED else one.share(name) for one in results]
        rows = [build_row(question.choices[at], tables, at) for at in shown_choices(question)]
        # In a lecture the lines are counted, and the title says what is clear.
        equal = tables[0] is not None and tables[0].may_be_equal and not frame.is_lecture()
        asked_text = SAID.phones_asked(counts.count_asked(name), equal=equal)
        built.append({"text": question.text, "asked": asked_text, "rows": rows})
    return built


def build_pair(results: Results, first: str, second: str) -> dict | None:
    """Return the table of two questions and their link in words; None if one of them was not asked yet."""
    by_name = {question.name: question for question in results.report_counts.survey.questions}
    table = results.pair(first, second)
    if table is None:
        return None
    links = [link for link in results.links if {link.first, link.second} == {first, second}]
    asked_text = SAID.phones_asked(table.reports, both=True) if table.reports else SAID.TOO_FEW_BOTH
    # The table has the order of the survey, not that of the arguments.
    rows_of, columns_of = (by_name[name] for name in table.names)
    others = range(len(columns_of.choices))
    rows = [
        build_row(choice, [table], *((at, other) for other in others))
        for at, choice in enumerate(rows_of.choices)
    ]
    return {
        "first": rows_of.text, "second": columns_of.text, "columns": columns_of.choices, "rows": rows,
        "notes": [*(link_sentence(results, link) for link in links), asked_text],
    }  # fmt: skip


def link_sentence(results: Results, link: Link) -> str:
    """Return a link as a sentence; questions and answers are shortened, since the table has them in full."""
    by_name = {question.name: question for question in results.report_counts.survey.questions}
    linked = [by_name[name] for name in (link.first, link.second)]
    first, second = (display.shorten(one.text, MAX_QUESTION) for one in linked)
    if link.excess < MIN_LINK:
        return RESULTS_SAID.no_link(first, second)
    choices = zip(linked, (link.first_choice, link.second_choice))
    said, also = (display.shorten(one.choices[at], MAX_ANSWER) for one, at in choices)
    strength = link.excess, link.half_width, link.direction_only
    return RESULTS_SAID.link_sentence((first, said), (second, also), *strength)


def clearest_answer(results: Results) -> tuple[Question, int, float, float, float] | None:
    """Return question, choice, share and interval farthest on one side of one half.

    With more than two choices most have less than half, so only a share above one half counts.
    """
    best = None
    for question in results.report_counts.survey.questions:
        table = results.share(question.name)
        if table is None:
            continue
        for at in shown_choices(question):
            low, high = float(table.low[at]), float(table.high[at])
            below = 0.5 - high if len(question.choices) == 2 else -0.5
            clear = max(low - 0.5, below)
            if best is None or clear > best[0]:
                best = clear, (question, at, float(table.values[at]), low, high)
    return None if best is None else best[1]


def finding_title(results: Results, questions: Sequence[Question]) -> str:
    """Return the clearest answer as a title; "" if it is not to one of the questions seen, or CALM's, which has no intervals."""
    best = clearest_answer(results)
    if best is None or best[0] not in questions or results.method != CalmPlus.name:
        return ""
    question, at, _, low, high = best
    # A title has two lines at most.
    text = question.text if len(question.text) <= MAX_QUESTION_LENGTH else f"{question.name}:"
    title = RESULTS_SAID.clearest_answer(text, question.choices[at], low, high)
    return display.shorten(title, TITLE_LENGTH)


def show_lesson(results: Results) -> None:
    """Show what the phones of this class sent, why nobody can tell, and what was learned, side by side."""
    frame.set_title(RESULTS_SAID.VIEWS[LESSON])
    counts, best = results.report_counts, clearest_answer(results)
    plan = counts.plan
    cells, sizes = [oracle.size for oracle in plan.oracles], [len(view) for view in plan.views]
    unchanged = RESULTS_SAID.unchanged_of_100(plan.epsilon, cells, counts.groups)
    sentences = [
        RESULTS_SAID.what_was_sent(cells, sizes, unchanged),
        RESULTS_SAID.why_unknowable(plan.epsilon),
    ]
    if best is not None:
        question, at, *measured = best
        raw = results.raw(question.name)
        assert raw is not None  # a share has reports
        arrived, said = float(raw.values[at]), (question.text, question.choices[at])
        sentences.append(RESULTS_SAID.what_was_learned(arrived, *measured, *said))
    parts = zip(st.columns(len(sentences), border=True), RESULTS_SAID.LESSON_TITLES, sentences)
    for column, title, sentence in parts:
        column.subheader(title, anchor=False)
        column.markdown(display.sentence(sentence))
        if sentence == sentences[0]:
            # A hundred phones as dots, filled where they sent the true answer.
            dots = "<i></i>" * unchanged + "<i class='else'></i>" * (100 - unchanged)
            alt = RESULTS_SAID.HUNDRED.format(kept=unchanged)
            column.html(f'<div class="calm-hundred" role="img" aria-label="{alt}">{dots}</div>')
    if not frame.is_lecture():
        st.caption(RESULTS_SAID.HONEST)


def show_lies_effect(results: Results, counts: Sequence[tuple[str, str, str]]) -> None:
    """Show the pushed answer without the lies, with them and with the defense, and what the lies added."""
    survey, tables = results.report_counts.survey, results.lie_tables
    pushed = survey.pushed
    if pushed is None or tables is None:
        draw_wall(counts=counts)
        st.markdown(SAID.NO_LIES)
        return
    labels = SAID.WITHOUT_LIES, SAID.with_lies(lies=results.report_counts.n_lies), SAID.DEFENDED
    rows = [build_row(label, [table], pushed.choice) for label, table in zip(labels, tables)]
    asked_text = SAID.phones_asked(tables[0].reports)
    draw_wall(
        counts=counts, questions=[{"text": pushed_text(survey, pushed), "asked": asked_text, "rows": rows}]
    )  # fmt: skip
    before, after, left = (float(table.values[pushed.choice]) for table in tables)
    if frame.is_lecture():
        frame.show_number(SAID.lies_number(before, after))
    st.markdown(display.sentence(SAID.lies_sentence(before, after, left)))


# Lines that fit on a projector of 1024 x 768 in a lecture; characters of a question, an answer and a title in a line.
MAX_LINES, LINE_LENGTH, ANSWER_LENGTH, LECTURE_TITLE_LENGTH = 10, 85, 24, 56
# What stands behind a question in its line.
ASKED_LENGTH = len(SAID.phones_asked(MAX_PHONES)) + 2
# Of a title, and of a question in it.
TITLE_LENGTH, MAX_QUESTION_LENGTH = 200, 110


@dataclass(frozen=True)
class WallStep:
    """One step of the wall: what it shows of which questions."""

    kind: str
    questions: Sequence[Question] = ()


def list_steps(
    questions: Sequence[Question], *, brief: bool, closed: bool = False, liars: bool = False
) -> list[WallStep]:
    """Return the steps in order; in a lecture (`brief`) with few lines each, and the lesson at the end.

    What lies did is a step where phones may lie (`liars`).

    >>> questions = [Question(name, f"{name}?", ("No", "Yes")) for name in "abc"]
    >>> [step.kind for step in list_steps(questions, brief=True)]
    ['arrived', 'corrected', 'together']
    """
    each = len(questions)
    if brief:
        # The title of a closed survey is its clearest answer, often of two lines.
        each = max(1, (MAX_LINES - closed) // max(map(_count_lines, questions)))
    parts = [questions[at : at + each] for at in range(0, len(questions), each)]
    shares = [WallStep(kind, part) for kind in (ARRIVED, CORRECTED) for part in parts]
    ends = [WallStep(LIED)] * liars + [WallStep(LESSON)] * (brief and closed)
    return [*shares, WallStep(TOGETHER), *ends]


def _count_lines(question: Question) -> int:
    """Return the lines of a question with its choices in a lecture."""
    labels = [question.choices[at] for at in shown_choices(question)]
    heading = 1 + (len(question.text) + ASKED_LENGTH) // LINE_LENGTH
    return heading + sum(1 + len(label) // ANSWER_LENGTH for label in labels)


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


def can_see_results(survey: OpenSurvey, now: Progress) -> bool:
    """Whether results may be seen: if the teacher shows them, and by the teacher once it is closed."""
    return now.shows_results or (survey.teacher is not None and now.state == "closed")


def show_wall(survey: OpenSurvey, progress: Progress) -> None:
    """Show the wall of an open survey, or the steps of a closed one."""
    frame.set_title(wall_title(progress))
    teacher = survey.teacher if progress.state == "open" else None
    pooled, method = False, CalmPlus.name
    # A fragment that changes its place, as in a lecture, would be drawn twice.
    with st.container(key="class_above"):
        if progress.test:
            st.markdown(f"**{SAID.TEST}**")
        visible = can_see_results(survey, progress)
        if visible:
            pooled, method = choose_step(survey, progress)
        results = (
            find_results(survey.view, progress, pooled=pooled, method=method) if visible else None
        )
        if results is not None:
            _show_step_head(results, progress)
    draw = partial(_show_now, survey, pooled, method)
    if progress.state == "closed" and survey.teacher is not None:
        draw(progress)
    else:
        open_survey.refresh_regularly(survey.view, progress, partial(_page_parts, survey), draw)
    if progress.state == "open" and not visible:
        # As in the lobby: the QR code, and the controls beside it.
        with st.container(key="class_open_code"), address.beside_code(survey):
            if teacher is not None:
                _show_controls(survey, teacher, progress)
            if teacher is not None and not frame.is_lecture():
                address.choose_address(teacher)
        return
    if teacher is not None:
        _show_controls(survey, teacher, progress)
    if progress.state == "open" and not frame.is_lecture():
        with frame.drawer(SAID.LATE, key="class_late"):
            address.show_qr_code(survey.view)
            address.show_address(survey)


def _show_step_head(results: Results, now: Progress) -> None:
    """Let the viewer choose two questions where they are a step; give a closed survey its finding as title."""
    step = selected_step(results, now)
    if step.kind == TOGETHER and not frame.is_lecture():
        choose_pair(results)
    if now.state == "closed" and step.kind == CORRECTED:
        frame.set_title(finding_title(results, step.questions) or wall_title(now))


def _page_parts(survey: OpenSurvey, now: Progress) -> tuple:
    """Return what decides the parts of the page; when it changes, the whole page runs again."""
    visible, enough = can_see_results(survey, now), now.reports >= MIN_REPORTS
    return now.state, visible, enough, survey.view.notes.get(LINK)


def choose_step(survey: OpenSurvey, now: Progress) -> tuple[bool, str]:
    """Let the viewer choose step, classes and, once it is closed, the method; return the latter two."""
    if frame.is_lecture():
        return choose_classes(survey), CalmPlus.name
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
        pooled = choose_classes(survey)
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


def choose_classes(survey: OpenSurvey) -> bool:
    """Let the viewer choose between this class and all, if there are several; return whether all are pooled."""
    classes = len(survey.view.classes)
    if classes < 2:
        return False
    if not frame.is_lecture():
        titles = {False: SAID.THIS_CLASS, True: SAID.ALL_CLASSES.format(classes=classes)}
        widgets.choose_segment(SAID.WHOSE, titles, "class_all", persist_state="session")
    return bool(st.session_state.get("class_all"))


def _show_now(survey: OpenSurvey, pooled: bool, method: str, now: Progress) -> None:
    """Draw what changes while reports arrive."""
    visible = can_see_results(survey, now)
    results = find_results(survey.view, now, pooled=pooled, method=method) if visible else None
    if results is not None:
        show_step(results, now, selected_step(results, now))
        return
    draw_wall(counts=build_counts(now))
    if now.state == "closed" and visible:
        text = RESULTS_SAID.too_few(reports=now.reports)
    elif now.reports < MIN_REPORTS:
        text = SAID.from_ten(reports=now.reports, least=MIN_REPORTS)
    else:
        text = SAID.NOT_SHOWN
    st.markdown(text)


def selected_step(results: Results, now: Progress) -> WallStep:
    """Return the current step, and let the keys of a lecture change it."""
    questions, brief = results.report_counts.survey.questions, frame.is_lecture()
    offered = list_steps(
        questions, brief=brief, closed=now.state == "closed", liars=now.pushed is not None
    )
    frame.set_step_count(len(offered))
    return offered[current_step([step.kind for step in offered])]


def show_step(results: Results, now: Progress, step: WallStep) -> None:
    """Draw a step; in a lecture with its name."""
    brief = frame.is_lecture()
    counts = build_counts(now, results)
    if brief and step.kind in SAID.STEPS:
        st.markdown(f"**{SAID.STEPS[step.kind]}.** {SAID.STEP_LINES[step.kind]}")
    if step.kind == LESSON:
        show_lesson(results)
    elif step.kind == LIED:
        show_lies_effect(results, counts)
    elif step.kind == TOGETHER:
        pair = build_pair(results, *selected_pair(results))
        if pair is None:
            st.markdown(SAID.TOO_FEW_BOTH)
        draw_wall(counts=counts, pair=pair)
        for link in results.links[:3] if not brief else ():
            st.markdown(f"- {display.sentence(link_sentence(results, link))}")
    else:
        draw_wall(counts=counts, questions=build_questions([results], step.kind, step.questions))


def list_pairs(results: Results) -> list[tuple[str, str]]:
    """Return all pairs of questions by their names, those with the strongest links first."""
    linked = [(link.first, link.second) for link in results.links]
    pairs = combinations([one.name for one in results.report_counts.survey.questions], 2)
    return [*linked, *(pair for pair in pairs if pair not in linked)]


def selected_pair(results: Results) -> tuple[str, str]:
    """Return the chosen pair of questions, by default that of the strongest link."""
    pairs, pair = list_pairs(results), st.session_state.get("class_pair")
    return pair if pair in pairs else pairs[0]


def choose_pair(results: Results) -> None:
    """Let the viewer choose two questions."""
    titles = {one.name: one.text for one in results.report_counts.survey.questions}
    pairs = list_pairs(results)
    st.selectbox(
        SAID.PAIR, pairs, pairs.index(selected_pair(results)), key="class_pair", persist_state="session",
        format_func=lambda pair: " · ".join(display.shorten(titles[name], MAX_QUESTION) for name in pair),
    )  # fmt: skip


def _show_controls(survey: OpenSurvey, teacher: TeacherControls, progress: Progress) -> None:
    """Show the controls of the teacher of an open survey."""
    enough = progress.reports >= MIN_REPORTS
    if frame.is_lecture():
        if enough and not progress.shows_results:
            press = partial(open_survey.act, teacher.show_results)
            st.button(SAID.SHOW, type="primary", key="class_show", on_click=press)
        return
    plan = teacher.report_counts().plan
    st.caption(SAID.plan(plan.m, plan.l, plan.domain.d))
    if progress.pushed is not None:
        st.caption(SAID.asked_to_lie(phones=progress.liars, lies=progress.lies))
    with st.container(horizontal=True, vertical_alignment="bottom", key="class_controls"):
        st.button(
            SAID.HIDE if progress.shows_results else SAID.SHOW, type="secondary" if progress.shows_results else "primary",
            key="class_show", on_click=open_survey.act, args=(teacher.show_results, not progress.shows_results), help=SAID.SHOW_HELP,
            disabled=not (progress.shows_results or enough),
        )  # fmt: skip
        if progress.test:
            press = partial(open_survey.end_rehearsal, survey)
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
