"""Design a survey without data; what an error costs; theta measured on the data shown."""

import functools
import math

import numpy as np
import streamlit as st

from calm_core.errors import UserError
from calm_core.evaluation.error_units import typical_points
from calm_core.figures.plan import expected_curve
from calm_core.planning.algorithm1 import mean_cells
from calm_core.planning.survey_design import (
    MAX_USERS,
    MIN_USERS,
    find_survey_epsilon,
    find_survey_users,
    make_survey_plan,
    predict_survey_sse,
)
from calm_core.settings import EPSILONS, Settings
from pages import words
from pages.ui import cached, frame, pictures, state, widgets

# Typical errors offered, in points.
WANTED = (0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0)


def without_data(settings: Settings) -> None:
    """Numbers of attributes, values and people in; predicted error out; and the inverse."""
    frame.title(words.plan.WHAT_IF_TITLE)
    with frame.side():
        st.markdown(words.plan.WHAT_IF)
    with st.grid(4, min_column_width=150):
        d = _number("Attributes d", "whatif_d", settings.d, 2, 64)
        values = _number("Values of each", "whatif_c", 2, 2, 100)
        n = _number("People n", "whatif_n", settings.n or 65_536, MIN_USERS, MAX_USERS)
        k = _number("Tables of k", "whatif_k", min(settings.k, d), 1, min(8, d))
    epsilon, shared = settings.epsilon, {"k": k, "theta": settings.theta}
    key = (d, values, n, epsilon, *shared.values())
    plan, expected = cached.get_result(
        "whatif", key,
        lambda: (
            make_survey_plan(d, values, n, epsilon=epsilon, **shared),
            predict_survey_sse(d, values, n, epsilon=epsilon, **shared),
        ),
    )  # fmt: skip
    with st.container(border=True):
        st.markdown(words.plan.survey(plan, typical_points([expected], values**k)))
    left, right = st.columns(2)
    with left:
        errors = _errors(key, "epsilon", d, values, EPSILONS, shared, n=n)
        pictures.show(
            "whatif_by_epsilon", key,
            lambda: (
                expected_curve(EPSILONS, errors, epsilon, what="privacy ε"), words.plan.BY_EPSILON
            ),
        )  # fmt: skip
    with right:
        grid = np.unique(
            np.geomspace(max(MIN_USERS, n / 100), min(n * 100, MAX_USERS), 25).astype(int)
        )
        by_users = _errors(key, "n", d, values, grid, shared, epsilon=epsilon)
        pictures.show(
            "whatif_by_n", key,
            lambda: (expected_curve(list(grid), by_users, n, what="people n"), words.plan.BY_USERS),
        )  # fmt: skip
    st.subheader(words.plan.COST_TITLE, anchor=False)
    points = st.select_slider(
        words.plan.WANTED, WANTED, value=3.0, key="wanted_points", persist_state="session",
        format_func=words.numbers.points,
    )  # fmt: skip
    wanted = (points / 100) ** 2 * values**k
    needed = cached.get_result(
        "inverse", (*key, wanted),
        lambda: (
            find_survey_epsilon(d, values, wanted, n=n, **shared),
            find_survey_users(d, values, wanted, epsilon=epsilon, **shared),
        ),
    )  # fmt: skip
    st.markdown(words.plan.cost(points, n, epsilon, *needed))


def _number(label: str, key: str, usual: int, low: int, high: int) -> int:
    usual = min(max(usual, low), high)
    if (st.session_state.get(key) or low) > high:
        st.session_state[key] = high
    found = st.number_input(label, low, high, usual, 1, key=key, persist_state="session")
    return usual if found is None else found


def _errors(key, name: str, d: int, values: int, grid, shared: dict, **fixed) -> list[float]:
    """Expected points along a grid of epsilon or n; NaN where no such plan exists."""

    def at(value) -> float:
        try:
            error = predict_survey_sse(d, values, **shared, **fixed, **{name: value})
            return typical_points([error], values ** shared["k"])
        except UserError:
            return math.nan

    return cached.get_result(
        "curve",
        (name, *key),
        lambda: [at(value.item() if name == "n" else value) for value in grid],
    )


def theta_from_data(settings: Settings) -> None:
    """Run the pipeline without noise on the data shown: what is left is rebuilding error."""
    st.subheader(words.plan.THETA_TITLE, anchor=False)
    st.markdown(words.plan.THETA)
    if not st.toggle(words.plan.MEASURE, key="measure_theta"):
        return
    found = cached.calibration(settings)
    domain = cached.encoded_data(settings).dataset.domain
    in_points = functools.partial(words.plan.theta, cells=mean_cells(domain.sizes, settings.k))
    st.markdown(words.plan.measured(found.l, len(found.scores), settings.k, in_points(found.mean)))
    nearest = min(widgets.thetas(), key=lambda t: abs(math.log(t / found.theta)))
    told = in_points(nearest)
    st.button(
        f"Use {told}", key="use_theta", on_click=_use, args=(told, nearest),
    )  # fmt: skip


def _use(told: str, theta: float) -> None:
    state.apply(told, theta=theta)
