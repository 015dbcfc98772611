"""Plan: Algorithm 1 step by step, its curves and table, the views, and a survey without data."""

import streamlit as st

from calm_core.figures import plan as figures
from pages import words
from pages.panels.plan import stepper, survey
from pages.ui import cached, pictures, state, warnings
from pages.ui.guard import guarded

settings = state.current()
st.title("Plan")
st.markdown(words.plan.INTRO)
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
        st.header(words.plan.noise_title(plan.k), anchor=False)
        st.caption(words.plan.NOISE_CURVES)
        pictures.show(
            figures.noise_curves(
                plan.n, domain.sizes, plan.k, plan.theta, plan.epsilon, min(choice.l, domain.d)
            ),
            words.plan.noise(choice.l),
            "noise_curves",
            caption=False,
        )
        st.header(words.plan.TABLE_2_TITLE, anchor=False)
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
            words.plan.table_2(n, d),
            "table2",
            caption=False,
        )
        st.caption(words.plan.TABLE_2)

if views.open:
    with views:
        covered, everything = survey.coverage(plan)
        st.header(words.plan.coverage(covered, everything, plan.k, plan.m), anchor=False)
        st.caption(words.plan.INCIDENCE)
        pictures.show(
            figures.incidence(plan),
            f"{plan.m} views of {domain.d} attributes",
            "incidence",
            caption=False,
        )
        st.header(words.plan.PAIRS_TITLE, anchor=False)
        pictures.show(
            figures.pair_coverage(plan),
            words.plan.PAIRS,
            "pairs_held",
            caption=False,
        )

if design.open:
    with design:
        with guarded():
            survey.without_data(settings)
        with guarded():
            survey.theta_from_data(settings)
