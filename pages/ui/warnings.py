"""Warnings about a result or a setting, with suggestions as buttons; the toast after a change."""

import streamlit as st

from calm_core.evaluation.error_units import (
    Band,
    classify_error,
    predict_plan_points,
    typical_points,
)
from calm_core.evaluation.run import Run
from calm_core.methods import METHODS, CalmPlus, Uniform
from calm_core.methods.calm_plus_design import DESIGNS_WITH_OWN_VIEWS
from calm_core.methods.reporting import CollectingMethod
from calm_core.planning.allocation import optimize_division
from calm_core.planning.plan import Plan
from calm_core.settings import Settings
from pages import words
from pages.ui import cached_calls, escape, frame, remedies, state, view_state

# Methods that use CALM's views; methods without a public plan use others.
SAME_AS_CALM = frozenset(
    name
    for name, method in METHODS.items()
    if issubclass(method, CollectingMethod) and not method.no_public_plan_reason
)
# The line at the left of a warning, visible on light and dark.
MARK = "<style>[class*='st-key-noise_'] { border-left: 4px solid #D55E00; padding-left: 14px; }</style>"


def planned_error(settings: Settings) -> float:
    """Return the expected error of CALM's plan in points, cached."""
    key = cached_calls.plan_key(settings)
    return cached_calls.get_result(
        "planned points", key, lambda: predict_plan_points(cached_calls.plan(settings))
    )


def show_expected_noise(settings: Settings) -> None:
    """Warn if CALM's plan is expected to give only noise."""
    plan = cached_calls.plan(settings)
    expected, guess = planned_error(settings), cached_calls.guess_points(settings)
    if classify_error(expected, guess) is Band.NOISE:
        _show_noise(words.warnings.expected_noise_title(expected, plan.n), guess, settings)


def show_other_collection(settings: Settings, *, certified: bool = False) -> None:
    """Say where CALM's collection is shown although the chosen method collects otherwise.

    Where `certified`, how good an optimal design is for sure is said too.
    """
    method, own = METHODS[settings.method], _has_own_design(settings)
    if settings.method in SAME_AS_CALM and not own:
        return
    why = "design" if own else "nobody" if method is Uniform else method.trust
    design = words.common.DESIGNS[settings.design]
    text = words.warnings.other_collection_text(why, method=method.title, design=design)
    if certified and own and settings.design == "optimal":
        text += " " + words.warnings.certified_text(*_optimal_division(settings))
    st.caption(text)


def show_own_design(settings: Settings, plan: Plan | None) -> None:
    """Say that CALM+ used views of its own, those of `plan`."""
    if plan is not None and _has_own_design(settings):
        design = words.common.DESIGNS[settings.design]
        st.caption(words.warnings.OWN_DESIGN.format(design=design, m=plan.m, l=plan.l))


def _has_own_design(settings: Settings) -> bool:
    return settings.method == CalmPlus.name and settings.design in DESIGNS_WITH_OWN_VIEWS


def _optimal_division(settings: Settings) -> tuple[float, int, float, float]:
    """Return error relative to CALM, kinds of reports, and bounds of other divisions, cached."""

    def make() -> tuple[float, int, float, float]:
        plan = cached_calls.plan(settings)
        found = optimize_division(
            plan.domain, plan.n, epsilon=plan.epsilon, k=plan.k, theta=plan.theta,
            oracle=settings.oracle,
        )  # fmt: skip
        return float(found.ratios[0]), len(found.problem.kinds), found.gap, found.bound

    return cached_calls.get_result("division", cached_calls.plan_key(settings), make)


def show_result_warnings(outcome: Run, settings: Settings) -> None:
    """Say who had to be trusted; warn if the tables are noise, with suggestions."""
    method = METHODS[settings.method]
    if method.trust == "central":
        st.caption(words.warnings.CURATOR.format(method=method.title))
    show_own_design(settings, outcome.plan)
    cells = [truth.values.size for truth in outcome.truths]
    measured = typical_points(outcome.scores.sse, cells)
    guess = typical_points(outcome.scores.uniform_sse, cells)
    if classify_error(measured, guess) is Band.NOISE:
        _show_noise(words.warnings.mostly_noise_title(measured, outcome.n), guess, settings)


def _show_noise(title: str, guess: float, settings: Settings) -> None:
    """Show one sentence with the error, the guess beside it, and suggestions."""
    st.html(MARK)
    with st.container(key="noise_said", gap="small"):
        st.markdown(f"**{title}** {words.warnings.guess_text(guess)}")
        found = remedies.suggested_fixes(settings)
        if found:
            remedies.show_buttons(found, "noise")
        else:
            st.caption(words.warnings.TOGETHER)


def show_toast() -> None:
    """Show the last change of settings with Undo, until settings change or some seconds pass."""
    if (applied := state.last_change()) is None:
        return
    told, former = applied
    with st.container(key="toast", horizontal=True, vertical_alignment="center", wrap=False):
        st.markdown(escape.markdown(told, 160))
        st.button(
            words.common.UNDO, key="undo", type="tertiary", on_click=view_state.undo, args=(former,)
        )


def show_unusual_epsilon() -> None:
    """Show one sentence if epsilon hardly protects, or leaves hardly anything.

    In a lecture one line, and none beside a lesson, which has an epsilon of its own.
    """
    if frame.is_lecture() and view_state.current().lesson:
        return
    say = (
        words.privacy.unusual_epsilon_title
        if frame.is_lecture()
        else words.privacy.unusual_epsilon_note
    )
    if told := say(state.current().epsilon):
        with st.container(key="unusual"):
            st.markdown(f"**◆** {told}")


def show_invented_banner() -> None:
    """Say where the people are generated from a class's reports."""
    if (
        state.current().file.endswith(words.classroom_results.INVENTED_END)
        and not frame.is_lecture()
    ):
        with st.container(key="invented"):
            st.markdown(f"**◆** {words.classroom_results.INVENTED_BANNER}")
