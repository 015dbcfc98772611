"""Plan: Algorithm 1 step by step, its curves and table, the views, and a survey without data."""

import streamlit as st

from calm_core.figures import plan as figures
from pages.panels.plan import stepper, survey
from pages.ui import cached, pictures, state, warnings
from pages.ui.guard import guarded
from pages.words import shared as words

settings = state.current()
st.title("Plan")
st.markdown(words.PLAN_INTRO)
with guarded():
    plan = cached.plan(settings)
warnings.own_design(settings)
warnings.before_run(plan, settings)

domain, choice = plan.domain, plan.choice
step, curves, views, design = st.tabs(
    ["Step by step", "Curves and Table 2", "Views", "Design a survey"],
    on_change="rerun",
    key="plan_tabs",
)

if step.open:
    with step:
        stepper.machine(choice, plan.theta, domain.d, plan.n)

if curves.open:
    with curves:
        st.header(
            f"Noise error k·NE of one marginal, views of l attributes, k = {plan.k}", anchor=False
        )
        st.caption(words.NOISE_CURVES)
        pictures.show(
            figures.noise_curves(
                plan.n, domain.sizes, plan.k, plan.theta, plan.epsilon, min(choice.l, domain.d)
            ),
            f"Noise error rises with the view size and falls with epsilon; now l = {choice.l}",
            "noise_curves",
            caption=False,
        )
        st.header("Table 2 of the paper: the pair (l, m) chosen", anchor=False)
        left, right = st.columns(2)
        with left:
            n = st.segmented_control(
                "Users n",
                [2**16, 2**18],
                default=2**16 if plan.n < 2**17 else 2**18,
                format_func=lambda n: f"{n:,}",
                key="table_n",
                required=True,
            )
        with right:
            d = st.segmented_control(
                "Binary attributes d",
                [8, 16, 32],
                default=min((8, 16, 32), key=lambda d: abs(d - domain.d)),
                key="table_d",
                required=True,
            )
        table = cached.kept("table2", (n, d), lambda: figures.table_of_choices(n, d))
        pictures.show(
            figures.choices_map(table, (plan.epsilon, plan.k)),
            f"Chosen view size and number of views for n = {n:,}, d = {d}",
            "table2",
            caption=False,
        )
        st.caption(words.TABLE_2)

if views.open:
    with views:
        covered, everything = survey.coverage(plan)
        st.header(words.coverage(covered, everything, plan.k, plan.m), anchor=False)
        st.caption(words.INCIDENCE)
        pictures.show(
            figures.incidence(plan),
            f"{plan.m} views of {domain.d} attributes",
            "incidence",
            caption=False,
        )
        st.header("Views that hold both attributes of a pair", anchor=False)
        pictures.show(
            figures.pair_coverage(plan),
            "Number of views holding each pair",
            "pairs_held",
            caption=False,
        )

if design.open:
    with design:
        with guarded():
            survey.without_data(settings)
        with guarded():
            survey.theta_from_data(settings)
