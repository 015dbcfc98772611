"""What a closed survey has told: what is known, which two go together, how sure all that is, what happened."""

import streamlit as st

from calm_core.classroom.results import Results
from calm_core.classroom.wall import Progress
from pages import words
from pages.panels.classroom import doors, lesson, look, next_steps, sureness
from pages.panels.classroom import wall as walls
from pages.panels.classroom.held import Held
from pages.panels.classroom.live import PICTURES
from pages.ui import escape, frame, places
from pages.ui.components.wall import wall

SAID = words.classroom_results
# Letters of a question that fit into a title.
LONGEST = 110


def show(shown: Held, progress: Progress) -> None:
    """The view chosen; in a lecture the wall's steps."""
    view = places.view(SAID.VIEWS)
    places.segments(SAID.VIEWS)
    if not frame.lecture():
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
        frame.title(escape.short(progress.title, 200))
        next_steps.show(shown, progress, found)
    elif found is None:
        frame.title(SAID.FEW_TITLE)
        st.markdown(SAID.FEW.format(reports=progress.reports))
    elif view == "together":
        _together(found, progress)
    elif view == "sure":
        sureness.show(found, progress)
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
    """Every question: what arrived, and corrected."""
    # CALM has no intervals, so nothing is surest by it.
    told = finding(found) if found.method == "calm_plus" else SAID.VIEWS[""]
    frame.title(escape.short(told, 200))
    if frame.lecture():
        walls.picture(found, progress)
        return
    if found.method == "calm":
        st.caption(SAID.CALM_NOTE)
    wall(counts=look.counts(progress, found), questions=look.questions([found], walls.CORRECTED))


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
    first, second = walls.choose_pair(found) if not frame.lecture() else walls.pair_chosen(found)
    drawn = look.pair(found, first, second)
    if drawn is not None:
        wall(counts=(), pair=drawn, lecture=frame.lecture(), key="class_pair")
    for link in found.links[:3]:
        st.markdown(f"- {escape.sentence(look.link_told(found, link))}")
