"""What a closed survey has told: what is known, which two go together, how sure all that is, what happened."""

import streamlit as st

from calm_core.classroom.projector import Progress
from calm_core.classroom.results import Results
from pages import words
from pages.panels.classroom import doors, lesson, look, next_steps, sureness
from pages.panels.classroom import wall as walls
from pages.panels.classroom.held import Held
from pages.panels.classroom.live import PICTURES
from pages.ui import escape, frame, view_state
from pages.ui.components.wall import wall

SAID = words.classroom_results
# Letters of a question that fit into a title.
LONGEST = 110
# Where a lecture begins that is begun on a view; on any other it goes on where it was.
BEGINS = {"together": walls.TOGETHER, "lesson": walls.LESSON}


def show(shown: Held, progress: Progress) -> None:
    """The view chosen; in a lecture the wall's steps."""
    view = view_state.view(SAID.VIEWS)
    view_state.segments(SAID.VIEWS)
    if not frame.lecture():
        st.session_state["class_kind"] = False, BEGINS.get(view, "")
        st.caption(escape.sentence(words.classroom.titled(progress.title, progress.code)))
    with st.container(
        horizontal=True, vertical_alignment="bottom", gap="large", key="class_choices"
    ):
        if not frame.lecture():
            doors.others(shown)
        pooled = walls.whose(shown)
        method = _method() if view in ("", "together") else "calm_plus"
    found = PICTURES.get(shown.wall, progress, pooled=pooled, method=method)
    if view == "next":
        frame.title(walls.titled(progress))
        next_steps.show(shown, progress, found)
    elif found is None:
        frame.title(SAID.FEW_TITLE)
        st.markdown(SAID.few(progress.reports))
    elif view == "sure":
        sureness.show(found, progress)
    elif frame.lecture():
        _in_lecture(found, progress)
    elif view == "together":
        _together(found, progress)
    elif view == "lesson":
        lesson.show(found)
    else:
        _known(found, progress)


def _method() -> str:
    """CALM+, or CALM by one click."""
    if frame.lecture():
        return "calm_plus"
    names = SAID.METHODS
    return st.segmented_control(
        SAID.METHOD, list(names), default="calm_plus", format_func=names.__getitem__, key="class_method", required=True,
        label_visibility="collapsed", persist_state="session",
    )  # fmt: skip


def _known(found: Results, progress: Progress) -> None:
    """Every question, corrected."""
    # CALM has no intervals, so nothing is surest by it.
    told = finding(found) if found.method == "calm_plus" else SAID.VIEWS[""]
    frame.title(escape.short(told, walls.TITLE))
    if found.method == "calm":
        st.caption(SAID.CALM_NOTE)
    wall(counts=look.counts(progress, found), questions=look.questions([found], walls.CORRECTED))


def _in_lecture(found: Results, progress: Progress) -> None:
    """The wall's steps; what is surest is the title where it is seen."""
    step, best = walls.looked_at(found, progress), lesson.surest(found)
    seen = [found.collected.survey.questions[at].name for at in step.chosen]
    if step.kind == walls.CORRECTED and best is not None and best[0] in seen:
        frame.title(escape.short(finding(found), walls.TITLE))
    elif step.kind != walls.LESSON:
        frame.title(walls.titled(progress))
    walls.picture(found, progress, step)


def finding(found: Results) -> str:
    """The surest thing that is known, as a title."""
    best = lesson.surest(found)
    if best is None:
        return SAID.FEW_TITLE
    name, at, _, low, high = best
    (question,) = [asked for asked in found.collected.survey.questions if asked.name == name]
    # A title has one line or two.
    text = question.text if len(question.text) <= LONGEST else f"{question.name}:"
    return SAID.finding(text, question.choices[at], low, high)


def _together(found: Results, progress: Progress) -> None:
    """Any table of two questions, at first that of the strongest link; the strongest three below."""
    frame.title(words.classroom_results.VIEWS["together"])
    drawn = look.pair(found, *walls.choose_pair(found))
    if drawn is not None:
        wall(counts=(), pair=drawn, key="class_pair")
    for link in found.links[:3]:
        st.markdown(f"- {escape.sentence(look.link_told(found, link))}")
