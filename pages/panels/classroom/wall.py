"""The wall: reports as they arrive and, when the teacher says so, what they tell. Looks again by itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from calm_core.classroom.counts import MIN_REPORTS
from calm_core.classroom.projector import Progress
from calm_core.classroom.results import Results
from calm_core.classroom.survey import MAX_PHONES, Question
from calm_core.classroom.teacher import TeacherControls
from pages import words
from pages.panels.classroom import doors, held, joining, lesson, look, watch
from pages.panels.classroom.held import Held
from pages.panels.classroom.live import PICTURES
from pages.ui import escape, frame, lecture, notices, view_state
from pages.ui.components.wall import wall

ARRIVED, CORRECTED, TOGETHER = words.classroom.STEPS
LESSON = "lesson"
AT_TOGETHER = list(words.classroom.STEPS).index(TOGETHER)
# Lines that fit between a title of one line and the settings bar of a lecture, drawn closer where need be; letters of a
# question, an answer and a title in one line, on a projector of 1024 x 768 too.
MAX_LINES, LINE, ANSWER, TITLE_LINE = 10, 85, 24, 56
# What stands behind a question in its line.
BEHIND = len(words.classroom.asked(MAX_PHONES)) + 2
TITLE = 200


@dataclass(frozen=True)
class Step:
    """One picture of the wall: what is shown, of which questions."""

    kind: str
    chosen: tuple[int, ...]


def steps(questions: Sequence[Question], *, brief: bool, closed: bool = False) -> list[Step]:
    """The pictures in order; in a lecture (`brief`) with few lines on each, and the lesson told in the end.

    >>> asked = [Question(name, f"{name}?", ("No", "Yes")) for name in "abc"]
    >>> [step.kind for step in steps(asked, brief=True)]
    ['arrived', 'corrected', 'together']
    """
    parts: list[list[int]] = [[]]
    lines = 0
    # Of a closed class what is surest is the title, often of two lines.
    most = MAX_LINES - closed
    for at, question in enumerate(questions):
        told = [question.choices[one] for one in look.choices_shown(question)]
        heading = 1 + (len(question.text) + BEHIND) // LINE
        more = heading + sum(1 + len(one) // ANSWER for one in told)
        if brief and parts[-1] and lines + more > most:
            parts.append([])
            lines = 0
        parts[-1].append(at)
        lines += more
    shares = [Step(kind, tuple(part)) for kind in (ARRIVED, CORRECTED) for part in parts]
    ends = [Step(LESSON, (at,)) for at in range(lesson.PARTS)] if brief and closed else []
    return [*shares, Step(TOGETHER, tuple(range(len(questions)))), *ends]


def step_of(offered: Sequence[str]) -> int:
    """Which of the pictures, by their kinds, is looked at; whoever begins or ends a lecture stays at its kind."""
    brief, at = frame.lecture(), min(view_state.current().at, len(offered) - 1)
    was_brief, kind = st.session_state.get("class_kind", (brief, ""))
    if was_brief != brief and kind in offered:
        at = offered.index(kind)
        view_state.change(at=at)
    st.session_state["class_kind"] = brief, offered[at]
    return at


def titled(now: Progress) -> str:
    """The survey's own title, which in a lecture leaves room for what it is about."""
    return escape.short(now.title, TITLE_LINE if frame.lecture() else TITLE)


def visible(shown: Held, now: Progress) -> bool:
    """Whether results may be seen: where the teacher shows them, and by the teacher in the end."""
    return now.shown or (shown.desk is not None and now.state == "closed")


def show(shown: Held, progress: Progress) -> None:
    """The wall of an open survey, or of a closed one without its teacher."""
    frame.title(titled(progress))
    desk = shown.desk if progress.state == "open" else None
    # What looks again by itself keeps its place, in a lecture too: else it would be there twice.
    with st.container(key="class_above"):
        if progress.test:
            st.markdown(f"**{words.classroom.TEST}**")
        pooled = visible(shown, progress) and controls(shown)
        if (
            visible(shown, progress)
            and not frame.lecture()
            and view_state.current().at >= AT_TOGETHER
        ):
            found = PICTURES.get(shown.wall, progress, pooled=pooled)
            if found is not None:
                choose_pair(found)
    watch.part(_live(shown, progress, pooled))
    if progress.state == "open" and not visible(shown, progress):
        # As in the lobby: the code, and beside it what the teacher may do.
        with st.container(key="class_open_code"), st.container(key="class_lobby"):
            with st.container(key="class_code"):
                joining.code(shown.wall)
            with st.container(key="class_words"):
                joining.address(shown)
                if desk is not None:
                    _controls(shown, desk, progress)
                if desk is not None and not frame.lecture():
                    joining.choose(desk)
        return
    if desk is not None:
        _controls(shown, desk, progress)
    if progress.state == "open" and not frame.lecture():
        with frame.drawer(words.classroom.LATE, key="class_late"):
            joining.code(shown.wall)
            joining.address(shown)


def _parts(shown: Held, now: Progress) -> tuple:
    """What decides which parts the page has: the state, whether results are seen, or could be; and the address."""
    return now.state, visible(shown, now), now.reports >= MIN_REPORTS, joining.chosen(shown.wall)


def controls(shown: Held) -> bool:
    """What of the results is looked at: the steps, and whose; gives whether those of all classes."""
    if frame.lecture():
        return whose(shown)
    kinds = words.classroom.STEPS
    at = step_of(list(kinds))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        st.segmented_control(
            "Step", list(kinds), default=list(kinds)[at], format_func=kinds.__getitem__, key="class_step",
            required=True, label_visibility="collapsed", on_change=_stepped,
        )  # fmt: skip
        pooled = whose(shown)
    st.caption(words.classroom.STEP_LINES[list(kinds)[at]])
    return pooled


def _stepped() -> None:
    view_state.change(at=list(words.classroom.STEPS).index(st.session_state["class_step"]))


def whose(shown: Held) -> bool:
    """Whether all classes with this plan are looked at; the choice, where there is more than one."""
    classes = len(shown.wall.classes)
    if classes < 2:
        return False
    if not frame.lecture():
        st.segmented_control(
            words.classroom.WHOSE, (False, True), default=False, key="class_all", required=True,
            persist_state="session", format_func=lambda all_of_them: words.classroom.whose(all_of_them, classes),
        )  # fmt: skip
    return bool(st.session_state.get("class_all"))


def _live(shown: Held, drawn: Progress, pooled: bool) -> Callable[[], None]:
    """What changes while reports arrive."""
    parts = _parts(shown, drawn)

    def part() -> None:
        now = shown.wall.progress()
        if _parts(shown, now) != parts:
            notices.rerun()
        found = PICTURES.get(shown.wall, now, pooled=pooled) if visible(shown, now) else None
        if found is None:
            wall(counts=look.counts(now), lecture=frame.lecture())
            few = now.reports < MIN_REPORTS
            told = (
                words.classroom.from_ten(now.reports, MIN_REPORTS)
                if few
                else words.classroom.NOT_SHOWN
            )
            st.markdown(told)
        else:
            picture(found, now, looked_at(found, now))

    return part


def looked_at(found: Results, now: Progress) -> Step:
    """The step looked at; the keys of a lecture turn them."""
    questions, brief = found.collected.survey.questions, frame.lecture()
    offered = steps(questions, brief=brief, closed=now.state == "closed")
    lecture.steps(len(offered))
    return offered[step_of([step.kind for step in offered])]


def picture(found: Results, now: Progress, step: Step) -> None:
    """A step; to a back row it says which it is."""
    brief = frame.lecture()
    counts = look.counts(now, found)
    if brief and step.kind in words.classroom.STEPS:
        said = words.classroom
        st.markdown(f"**{said.STEPS[step.kind]}.** {said.STEP_LINES[step.kind]}")
    if step.kind == LESSON:
        lesson.part(found, *step.chosen)
    elif step.kind == TOGETHER:
        first, second = pair_chosen(found)
        drawn = look.pair(found, first, second, brief=brief)
        if drawn is None:
            st.markdown(words.classroom.TOO_FEW_BOTH)
        wall(counts=counts, pair=drawn, lecture=brief)
    else:
        wall(
            counts=counts, questions=look.questions([found], step.kind, step.chosen), lecture=brief
        )


def pair_chosen(found: Results) -> tuple[str, str]:
    """The two questions looked at: those chosen, else the strongest link."""
    names = [question.name for question in found.collected.survey.questions]
    first, second = (st.session_state.get(key) for key in ("class_first", "class_second"))
    if first in names and second in names and first != second:
        return first, second
    links = found.links
    return (links[0].first, links[0].second) if links else (names[0], names[1])


def choose_pair(found: Results) -> tuple[str, str]:
    """The two questions looked at, to be chosen; the strongest link at first."""
    titles = {question.name: question.text for question in found.collected.survey.questions}
    first, second = pair_chosen(found)
    with st.container(horizontal=True):
        first = st.selectbox(
            words.classroom.FIRST, list(titles), list(titles).index(first), format_func=titles.__getitem__, key="class_first",
            persist_state="session",
        )  # fmt: skip
        others = [name for name in titles if name != first]
        second = st.selectbox(
            words.classroom.SECOND, others, others.index(second) if second in others else 0,
            format_func=titles.__getitem__, key="class_second", persist_state="session",
        )  # fmt: skip
    return first, second


def _controls(shown: Held, desk: TeacherControls, progress: Progress) -> None:
    """What the teacher may do while it goes on."""
    said, enough = words.classroom, progress.reports >= MIN_REPORTS
    if frame.lecture():
        if enough and not progress.shown:
            st.button(
                said.SHOW, type="primary", key="class_show", on_click=_show, args=(desk, True)
            )
        return
    plan = desk.collected().plan
    st.caption(said.plan(plan.m, plan.l, plan.domain.d))
    with st.container(horizontal=True, vertical_alignment="bottom", key="class_controls"):
        st.button(
            said.HIDE if progress.shown else said.SHOW, type="secondary" if progress.shown else "primary",
            key="class_show", on_click=_show, args=(desk, not progress.shown), help=said.SHOW_HELP,
            disabled=not (progress.shown or enough),
        )  # fmt: skip
        if progress.test:
            st.button(
                said.REHEARSE_END, key="class_test_end", on_click=held.end_test, args=(shown,)
            )
            return
        with st.popover(said.CLOSE, key="class_close"):
            st.markdown(f"**{said.CLOSE_SURE}** {said.CLOSE_HELP}")
            st.button(
                said.CLOSE_YES, type="primary", key="class_close_yes", on_click=_close, args=(desk,)
            )
        st.button(said.LOCK, key="class_lock", on_click=_lock, args=(desk,), help=said.LOCK_HELP)
        joining.capacity(desk, progress)
        doors.leave()


def _show(desk: TeacherControls, results: bool) -> None:
    _do(lambda: desk.show(results))


def _close(desk: TeacherControls) -> None:
    _do(desk.close)
    view_state.change(view="", at=0)


def _lock(desk: TeacherControls) -> None:
    _do(desk.lock)


def _do(what: Callable[[], object]) -> None:
    """A teacher's wish; refused in a sentence."""
    with held.wished():
        what()
