"""What a closed survey has told: what is known, which two go together, how sure all that is, what happened."""

import streamlit as st

from calm_core.classroom.desk import Progress
from calm_core.classroom.results import Link, Results
from pages import words
from pages.panels.classroom import look, next_steps, sureness
from pages.panels.classroom import wall as walls
from pages.panels.classroom.held import Held
from pages.panels.classroom.live import PICTURES
from pages.ui import escape, frame, places
from pages.ui.components.wall import wall

SAID = words.classroom_results


def show(shown: Held, progress: Progress) -> None:
    """The view chosen; in a lecture the wall's steps."""
    view = places.view(SAID.VIEWS)
    places.segments(SAID.VIEWS)
    if not frame.lecture():
        st.caption(escape.sentence(f"{progress.title} · {words.classroom.code(progress.code)}"))
    if view == "next":
        frame.title(escape.short(progress.title, 200))
        next_steps.show(shown, progress)
        return
    pooled = walls.whose(shown)
    method = _method() if view in ("", "together") else "calm_plus"
    found = PICTURES.get(shown.wall, progress, pooled=pooled, method=method)
    if found is None:
        frame.title(SAID.FEW_TITLE)
        st.markdown(SAID.FEW.format(reports=progress.reports))
    elif view == "together":
        _together(found, progress)
    elif view == "sure":
        sureness.show(found, progress)
    elif view == "lesson":
        _lesson(found)
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
    frame.title(escape.short(finding(found), 200))
    if frame.lecture():
        walls.picture(found, progress)
        return
    if found.method == "calm":
        st.caption(SAID.CALM_NOTE)
    wall(counts=look.counts(progress), questions=look.questions([found], walls.CORRECTED))


def surest(found: Results) -> tuple[str, int, float, float, float] | None:
    """Question, choice, share and interval that lie clearest on one side of one half."""
    best = None
    for question in found.collected.survey.questions:
        table = found.share(question.name)
        if table is None:
            continue
        for at in look.choices_shown(question):
            low, high = float(table.low[at]), float(table.high[at])
            clear = max(low - 0.5, 0.5 - high)
            if best is None or clear > best[0]:
                best = clear, (question.name, at, float(table.values[at]), low, high)
    return None if best is None else best[1]


def finding(found: Results) -> str:
    """The surest thing that is known, as a title."""
    best = surest(found)
    if best is None:
        return SAID.FEW_TITLE
    name, at, _, low, high = best
    (question,) = [asked for asked in found.collected.survey.questions if asked.name == name]
    return SAID.finding(question.text, question.choices[at], low, high, found.collected.asked(name))


def told(found: Results, link: Link) -> str:
    """A link as a sentence."""
    by_name = {asked.name: asked for asked in found.collected.survey.questions}
    first, second = by_name[link.first], by_name[link.second]
    return SAID.link(
        (first.text, first.choices[link.first_choice]), (second.text, second.choices[link.second_choice]),
        link.excess, link.half_width, link.direction_only,
    )  # fmt: skip


def _together(found: Results, progress: Progress) -> None:
    """The strongest link as title, the others below, and any table of two questions."""
    frame.title(words.classroom_results.VIEWS["together"])
    links = [link for link in found.links if link.excess > 0]
    for link in links[:3]:
        st.markdown(f"- {escape.sentence(told(found, link))}")
    if not links:
        st.markdown(SAID.NO_LINK)
    first, second = walls.choose_pair(found) if not frame.lecture() else walls.pair_chosen(found)
    drawn = look.pair(found, first, second)
    if drawn is not None:
        wall(counts=(), pair=drawn, lecture=frame.lecture(), key="class_pair")


def _lesson(found: Results) -> None:
    """What happened, in three parts: what was sent, why nobody can tell, what was learnt anyway."""
    plan, best = found.collected.plan, surest(found)
    frame.title(SAID.VIEWS["lesson"])
    cells = max(plan.domain.cells_of(view) for view in plan.views)
    asked = max(len(view) for view in plan.views)
    texts = [SAID.sent(plan.epsilon, cells, asked), SAID.nobody(plan.epsilon)]
    if best is not None:
        name, at, share, low, high = best
        (question,) = [one for one in found.collected.survey.questions if one.name == name]
        raw = float(found.raw(name).values[at])
        texts.append(SAID.learnt(raw, share, low, high, question.text, question.choices[at]))
    columns = st.columns(len(texts), border=True)
    for column, title, text in zip(columns, SAID.LESSON_TITLES, texts):
        with column:
            st.subheader(title, anchor=False)
            st.markdown(escape.sentence(text))
    st.caption(SAID.HONEST)
