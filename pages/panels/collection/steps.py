"""Algorithm 1 for the plan of a collection, one step after the other: what was given up, and why."""

import streamlit as st

from calm_core.planning.plan import Plan
from pages import words
from pages.ui import frame, opened, plan_chart, view_state
from pages.ui.uploads.session_store import Opened


def show(held: Opened) -> None:
    """The scales as on the page Plan; the fence stands where it stood when the plan was made."""
    plan = held.state.plan
    data, now = plan_chart.of_plan(plan)
    last = 1 + len(now["reasons"])
    at = last if frame.lecture() else min(opened.place().at, last)
    # None where Algorithm 1 has no answer to the question, as in a plan made by hand.
    result = now.get("result") if at == last else None
    ended = words.scales.title(plan.choice.l, plan.choice.m)
    frame.title(words.scales.QUESTION if result is None else ended)
    if not frame.lecture():
        with frame.side():
            plan_chart.mount_side()
            if not _chosen_so(plan):
                st.caption(words.collection.other_views(plan.l, plan.m))
    shown = {
        "at": at, "told": "" if result is None else result["title"], "lecture": frame.lecture(), "fixed": True,
        "hand": None if _chosen_so(plan) else plan.l, "words": words.scales.LABELS,
    }  # fmt: skip
    plan_chart.mount_chart(data | shown, on_move=lambda theta, at: view_state.change(at=at))


def _chosen_so(plan: Plan) -> bool:
    """Whether what was asked is what Algorithm 1 takes."""
    return (plan.l, plan.m) == (plan.choice.l, plan.choice.m)
