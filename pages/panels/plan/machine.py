"""Algorithm 1 on the stage: its question, one step after the other, its result."""

import streamlit as st

from calm_core.evaluation.error_units import classify_error
from calm_core.planning.algorithm1 import mean_cells
from calm_core.planning.plan import Plan
from pages import words
from pages.ui import (
    cached,
    frame,
    glossary_link,
    lecture,
    plan_chart,
    state,
    stepper,
    view_state,
    warnings,
)


def show(plan: Plan) -> None:
    """Scales on the stage, reasons at the side, the result as title after the last step."""
    data, now = plan_chart.of_plan(plan)
    steps = 2 + len(now["reasons"])
    lecture.steps(steps)
    at = _position(plan, steps - 1)
    frame.title(_title(plan, now, at))
    if at < steps - 1:
        stepper.report(words.scales.OPEN, here=True)
    else:
        stepper.silent()
    shown = {
        "at": at, "told": now["result"]["title"] if at == steps - 1 else "",
        "lecture": frame.lecture(), "fixed": state.is_hidden("theta"),
        "hand": plan.l if _by_hand(plan) else None, "words": words.scales.LABELS,
    }  # fmt: skip
    if frame.lecture():
        expected = warnings.planned(state.current())
        frame.headline(expected, classify_error(expected, cached.guess_points(state.current())))
    else:
        with frame.side():
            plan_chart.mount_side()
            if not state.is_hidden("theta"):
                glossary_link.say(words.scales.HINT)
            _own_way(plan)
    plan_chart.mount_chart(data | shown, on_move=heard)


def heard(theta: float, at: int) -> None:
    """The fence was moved, or a step taken."""
    if theta == state.current().theta or state.is_hidden("theta"):
        view_state.change(at=at)
    elif state.change(theta=theta):
        view_state.change(at=at)


def _position(plan: Plan, last: int) -> int:
    """The step shown; who has seen the result sees the result of changed settings too."""
    at = min(view_state.current().at, last)
    seen = st.session_state.get("plan_seen")
    if (
        seen is not None
        and seen[0] != plan.choice
        and seen[1] == view_state.current().at
        and seen[2]
    ):
        at = last
    st.session_state["plan_seen"] = plan.choice, at, at == last
    if at != view_state.current().at:
        # Address and counter are drawn already, for the step before.
        view_state.change(at=at)
        st.rerun()
    return at


def _title(plan: Plan, now: dict, at: int) -> str:
    """The question until the last step; to a back row every step is told by the title."""
    if at <= len(now["reasons"]):
        if not (at and frame.lecture()):
            return words.scales.QUESTION
        reason = now["reasons"][at - 1]
        return f"{reason['head']} {reason['text']}"
    if _by_cells(plan):
        return words.scales.by_cells(plan.l, plan.m)
    title = words.scales.by_hand if _by_hand(plan) else words.scales.title
    return title(plan.l, plan.m)


def _by_hand(plan: Plan) -> bool:
    settings = state.current()
    chosen = (settings.l or plan.choice.l, settings.m or plan.choice.m)
    return chosen != (plan.choice.l, plan.choice.m)


def _by_cells(plan: Plan) -> bool:
    """Whether views are limited by their cells, so that they differ in their attributes."""
    return not _by_hand(plan) and (plan.l, plan.m) != (plan.choice.l, plan.choice.m)


def _apply(told: str, change: dict) -> None:
    state.apply(told, **change)


def _own_way(plan: Plan) -> None:
    """Where the collection is not exactly Algorithm 1's pair: why, and the way back."""
    choice = plan.choice
    if _by_hand(plan):
        st.markdown(words.scales.by_hand_note(choice))
        told = words.scales.title(choice.l, choice.m)
        st.button(
            words.scales.back_to_algorithm(choice), key="plan_own", on_click=_apply,
            args=(told, {"l": None, "m": None}),
        )  # fmt: skip
    elif _by_cells(plan):
        st.markdown(words.scales.by_cells_note(mean_cells(plan.domain.sizes, choice.l)))
