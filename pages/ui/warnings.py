"""Plain warnings where a release is no better than guessing, before and after the run."""

import streamlit as st

from calm_core.evaluation.run import Run
from calm_core.methods import METHODS, CalmPlus
from calm_core.planning.expected_error import predicted_sse
from calm_core.planning.plan import Plan
from calm_core.planning.remedies import remedies
from calm_core.settings import Settings
from pages import words
from pages.ui import cached


def predicted(plan: Plan) -> float:
    """Predicted mean SSE of the plan, kept."""
    return cached.kept("predicted", plan, lambda: predicted_sse(plan))


def before_run(plan: Plan, settings: Settings) -> None:
    """Warn where the predicted error is no better than that of the uniform guess."""
    expected, guess = predicted(plan), cached.uniform_error(settings)
    if expected >= guess:
        _warn(
            words.warnings.EXPECTED_TITLE,
            words.warnings.expected(expected, guess),
            plan, guess,
        )  # fmt: skip


def own_design(settings: Settings, plan: Plan | None = None) -> None:
    """Say where CALM+ asks about views of its own; `plan` is its plan where its results are shown."""
    if settings.method != CalmPlus.name or settings.design == "algorithm1":
        return
    design = words.shared.DESIGNS[settings.design]
    if plan is None:
        text = words.warnings.CALMS_COLLECTION.format(design=design)
    else:
        text = words.warnings.OWN_DESIGN.format(design=design, m=plan.m, l=plan.l)
    st.info(text, icon=":material/grid_view:")


def after_run(outcome: Run, settings: Settings) -> None:
    """Say who had to be trusted; warn where the error is no better than that of the uniform guess."""
    method = METHODS[settings.method]
    if method.trust == "central":
        st.info(words.warnings.CURATOR.format(method=method.title), icon=":material/visibility:")
    own_design(settings, outcome.plan)
    measured = float(outcome.scores.sse.mean())
    guess = float(outcome.scores.uniform_sse.mean())
    if measured >= guess:
        _warn(
            words.warnings.MEASURED_TITLE,
            words.warnings.measured(measured, guess),
            cached.plan(settings), guess,
        )  # fmt: skip


def _warn(title: str, text: str, plan: Plan, limit: float) -> None:
    found = cached.kept(
        "remedies", (plan, limit), lambda: tuple(remedies(plan, limit)) if limit > 0 else ()
    )
    helps = words.warnings.alone(found) if found else words.warnings.TOGETHER
    st.warning(f"{text} {helps}", title=title, icon=":material/warning:")
