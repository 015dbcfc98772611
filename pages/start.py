"""Start: what this is, the current run in one picture, and settings worth trying."""

import math

import streamlit as st

from calm_core.figures.pipeline import Stage, pipeline
from calm_core.methods import METHODS, Calm, CalmPlus
from pages import words
from pages.panels.start.first_look import first_look
from pages.panels.start.presets import PRESETS
from pages.ui import cached, menu, pictures, state, warnings
from pages.ui.guard import guarded

settings = state.current()
st.title(words.start.TITLE)
st.markdown(words.start.WHAT_IT_IS)

with guarded():
    outcome = cached.outcome(settings)
    # CALM+ may have asked about views of its own.
    plus = settings.method == CalmPlus.name
    plan = outcome.answer.plan if plus else cached.plan(settings)

domain, scores = outcome.dataset.domain, outcome.scores
measured, guess = float(scores.sse.mean()), float(scores.uniform_sse.mean())
users = outcome.dataset.n
st.html(
    pipeline(
        [
            Stage(f"{users:,}", "people", f"{domain.d} answers each", "people", private=True),
            Stage(
                f"{plan.m:,}", "groups", words.start.groups(users, plan.shares, plan.l),
                "groups", private=True,
            ),
            Stage(f"{users:,}", "reports", f"one each, ε = {settings.epsilon:g}", "reports"),
            Stage(f"{plan.m:,}", "consistent views", "they agree where they overlap", "views"),
            Stage(
                words.numbers.count(math.comb(domain.d, settings.k)), f"{settings.k}-way marginals",
                words.start.errors(measured, guess), "marginals",
            ),
        ],
        words.shared.BOUNDARY,
    )
)  # fmt: skip
if settings.method not in (Calm.name, CalmPlus.name):
    st.caption(words.start.OTHER_METHOD.format(method=METHODS[settings.method].title))
warnings.after_run(outcome, settings)

look, side = st.columns([3, 2], gap="large")
with look:
    figure, title, alt = first_look(outcome)
    st.header(title, anchor=False)
    pictures.show(figure, alt, "first_look", caption=False)
with side:
    st.header(words.start.verdict(measured, guess), anchor=False)
    st.markdown(words.start.verdict_detail(len(scores), settings.k, measured, guess))
    st.caption(words.shared.SSE)
    st.button(
        words.start.AGAIN,
        type="primary",
        icon=":material/refresh:",
        key="collect_again",
        on_click=state.change,
        kwargs={"seed": settings.seed + 1},
    )
    menu.link("plan", words.start.TO_PLAN)
    menu.link("collect", words.start.TO_COLLECT)

st.header("Start from", anchor=False)
with st.grid(5, min_column_width=148, gap="small"):
    for name, preset in PRESETS.items():
        with st.container(border=True, height="stretch", key=f"card_{name}"):
            st.markdown(f"{preset.icon} **{preset.title}**")
            st.caption(preset.text)
            st.caption(preset.facts)
            st.space("stretch")
            st.button(
                "Open",
                key=f"preset_{name}",
                width="stretch",
                on_click=state.adopt,
                args=(preset.settings,),
            )
