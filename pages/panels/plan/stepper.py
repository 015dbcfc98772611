"""Algorithm 1 as a machine: step, play, reset, rewind by changing theta."""

import streamlit as st

from calm_core.figures.pipeline import candidate_tiles
from calm_core.planning.algorithm1 import Choice
from pages import words
from pages.ui import widgets

SECONDS_PER_STEP = 1.2


def machine(choice: Choice, theta: float, d: int, n: int) -> None:
    """The tiles with the buttons above them; plays by itself while `plan_playing`."""
    state = st.session_state
    if state.get("plan_choice") != choice:
        # Another problem: whoever was stepping starts over, others see the result.
        stepping = state.get("plan_step", -1) not in (
            -1,
            len(getattr(state.get("plan_choice"), "trace", ())),
        )
        state["plan_choice"] = choice
        state["plan_step"] = 0 if stepping else len(choice.trace)
        state["plan_playing"] = False
    left, right = st.columns([2, 1], gap="large", vertical_alignment="bottom")
    with left, st.container(horizontal=True):
        _buttons(choice)
    with right:
        widgets.control(
            st.select_slider, "Error threshold θ", "theta", key="plan_theta", twin=True,
            options=widgets.thetas(), format_func=lambda t: f"{t:g}",
        )  # fmt: skip
    every = SECONDS_PER_STEP if state["plan_playing"] else None
    st.fragment(_board, run_every=every)(choice, theta, d, n)


def _buttons(choice: Choice) -> None:
    last = len(choice.trace)
    at = st.session_state["plan_step"]
    playing = st.session_state["plan_playing"]
    st.button(
        "Step", icon=":material/skip_next:", key="plan_do_step", type="primary",
        disabled=at >= last, on_click=_go, args=(min(at + 1, last),),
    )  # fmt: skip
    st.button(
        "Pause" if playing else "Play", icon=":material/pause:" if playing else ":material/play_arrow:",
        key="plan_do_play", on_click=_play, args=(0 if at >= last else at, not playing),
    )  # fmt: skip
    st.button(
        "Back", icon=":material/skip_previous:", key="plan_do_back", disabled=at == 0,
        on_click=_go, args=(max(0, at - 1),),
    )  # fmt: skip
    st.button("Reset", icon=":material/replay:", key="plan_do_reset", on_click=_go, args=(0,))
    st.button("End", icon=":material/last_page:", key="plan_do_end", on_click=_go, args=(last,))


def _go(step: int) -> None:
    st.session_state["plan_step"] = step
    st.session_state["plan_playing"] = False


def _play(step: int, playing: bool) -> None:
    st.session_state["plan_step"] = step
    st.session_state["plan_playing"] = playing


def _board(choice: Choice, theta: float, d: int, n: int) -> None:
    state, last = st.session_state, len(choice.trace)
    if state["plan_playing"]:
        state["plan_step"] += 1
        if state["plan_step"] >= last:
            state["plan_step"], state["plan_playing"] = last, False
            st.rerun()
    at = state["plan_step"]
    if at == 0:
        st.markdown(words.plan.ready(last))
    elif at < last:
        st.markdown(f"**Comparison {at} of {last}.** {choice.trace[at - 1].text}")
    else:
        st.markdown(f"**Chosen: l = {choice.l}, m = {choice.m:,}.** {choice.reason}")
    st.html(candidate_tiles(choice, at, theta, d, n))
    st.caption(words.plan.STEPS.format(theta=theta, most=choice.max_views))
