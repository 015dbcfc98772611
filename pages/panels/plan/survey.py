"""Design a survey without data; what an error costs; theta measured on the data shown."""

import math
from itertools import combinations

import numpy as np
import streamlit as st

from calm_core.errors import InputError, UserError
from calm_core.figures.plan import expected_curve
from calm_core.planning.plan import Plan
from calm_core.planning.survey_design import (
    FEWEST_USERS,
    epsilon_for,
    survey_error,
    survey_plan,
    users_for,
)
from calm_core.randomness import stream
from calm_core.settings import EPSILONS, Settings
from calm_core.tables.queries import choose_queries
from pages import words
from pages.ui import cached, pictures, privacy, state, widgets

COUNTED = 20_000


def coverage(plan: Plan) -> tuple[int, int]:
    """How many k-way marginals lie inside a view, of how many looked at (a sample where many)."""
    d, k = plan.domain.d, plan.k
    if math.comb(d, k) <= COUNTED:
        asked = list(combinations(plan.domain.names, k))
    else:
        asked = choose_queries(plan.domain, k, 2000, rng=stream(0, "coverage"))
    sets = [frozenset(view) for view in plan.views if len(view) >= k]
    return sum(any(view.issuperset(query) for view in sets) for query in asked), len(asked)


def without_data(settings: Settings) -> None:
    """Numbers of attributes, values and people in; predicted error out; and the inverse."""
    st.header(words.plan.WHAT_IF_TITLE, anchor=False)
    st.caption(words.plan.WHAT_IF)
    with st.grid(5, min_column_width=130):
        d = _number("Attributes d", "whatif_d", settings.d, 2, 64)
        values = _number("Values per attribute", "whatif_c", 2, 2, 100)
        n = _number("People n", "whatif_n", settings.n or 65_536, FEWEST_USERS, 100_000_000)
        k = _number("k", "whatif_k", min(settings.k, d), 1, min(8, d))
        epsilon = _slider(settings.epsilon)
    if k > d:
        raise InputError(words.plan.k_too_large(k, d))
    shared = {"k": k, "theta": settings.theta}
    key = (d, values, n, epsilon, *shared.values())
    plan, expected = cached.kept(
        "whatif", key,
        lambda: (
            survey_plan(d, values, n, epsilon=epsilon, **shared),
            survey_error(d, values, n, epsilon=epsilon, **shared),
        ),
    )  # fmt: skip
    with st.container(border=True):
        st.markdown(words.plan.survey(plan, expected))
        privacy.show(epsilon)
    left, right = st.columns(2)
    with left:
        errors = _errors(key, "epsilon", d, values, EPSILONS, shared, n=n)
        pictures.show(
            expected_curve(EPSILONS, errors, epsilon, what="privacy budget ε"),
            words.plan.BY_EPSILON, "whatif_by_epsilon", caption=False
        )  # fmt: skip
    with right:
        grid = np.unique(np.geomspace(max(FEWEST_USERS, n / 100), n * 100, 25).astype(int))
        errors = _errors(key, "n", d, values, grid, shared, epsilon=epsilon)
        pictures.show(
            expected_curve(grid, errors, n, what="people n"),
            words.plan.BY_USERS, "whatif_by_n", caption=False
        )  # fmt: skip
    st.header(words.plan.COST_TITLE, anchor=False)
    options = [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1]
    wanted = st.select_slider(
        words.plan.WANTED, options, value=1e-2, key="wanted", persist_state="session",
        format_func=lambda x: f"{x:g}",
    )  # fmt: skip
    needed = cached.kept(
        "inverse", (*key, wanted),
        lambda: (
            epsilon_for(d, values, wanted, n=n, **shared),
            users_for(d, values, wanted, epsilon=epsilon, **shared),
        ),
    )  # fmt: skip
    st.markdown(words.plan.cost(wanted, n, epsilon, *needed))


def _number(label: str, key: str, usual: int, low: int, high: int) -> int:
    usual = min(max(usual, low), high)
    if (st.session_state.get(key) or low) > high:
        st.session_state[key] = high
    found = st.number_input(label, low, high, usual, 1, key=key, persist_state="session")
    return usual if found is None else found


def _slider(usual: float) -> float:
    options = sorted({*EPSILONS, usual, st.session_state.get("whatif_epsilon", usual)})
    return st.select_slider(
        "ε", options, usual, key="whatif_epsilon", persist_state="session",
        format_func=lambda e: f"{e:g}",
    )  # fmt: skip


def _errors(key, name: str, d: int, values: int, grid, shared: dict, **fixed) -> list[float]:
    """Expected error along a grid of epsilon or n; NaN where no such plan exists."""

    def at(value) -> float:
        try:
            return survey_error(d, values, **shared, **fixed, **{name: value})
        except UserError:
            return math.nan

    return cached.kept(
        "curve",
        (name, *key),
        lambda: [at(value.item() if name == "n" else value) for value in grid],
    )


def theta_from_data(settings: Settings) -> None:
    """Run the pipeline without noise on the data shown: what is left is reconstruction error."""
    st.header(words.plan.THETA_TITLE, anchor=False)
    st.markdown(words.plan.THETA)
    if not st.toggle(words.plan.MEASURE, key="measure_theta"):
        return
    found = cached.calibration(settings)
    st.markdown(words.plan.measured(found.l, len(found.scores), settings.k, found.mean))
    nearest = min(widgets.thetas(), key=lambda t: abs(math.log(t / found.theta)))
    st.button(
        f"Use θ = {nearest:g}", key="use_theta", on_click=state.change, kwargs={"theta": nearest}
    )
