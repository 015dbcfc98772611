"""The flow of people into groups, as a picture that can be played."""

import streamlit as st

from calm_core.collection.collecting import Reports
from calm_core.figures import collect as figures
from calm_core.figures.pipeline import boundary, group_tiles
from pages import words
from pages.ui import pictures, progress

FRAMES = 20
SECONDS_PER_FRAME = 0.3


def show(reports: Reports) -> None:
    """Groups fill one after the other; then the line, and the sizes of the groups."""
    users = [view.n for view in reports.views]
    state = st.session_state
    frame = state.setdefault("flow_frame", FRAMES)
    st.button(
        "Play the collection", icon=":material/play_arrow:", key="flow_play", on_click=_start,
        disabled=frame < FRAMES,
    )  # fmt: skip
    every = SECONDS_PER_FRAME if frame < FRAMES else None
    st.fragment(_board, run_every=every)(users)
    st.html(boundary(words.shared.BOUNDARY))
    st.header(words.collect.GROUPS_TITLE, anchor=False)
    sizes = f"{min(users):,}" if min(users) == max(users) else f"{min(users):,} to {max(users):,}"
    st.caption(words.collect.group_sizes(len(users), sizes))
    pictures.show(
        figures.group_sizes(reports), f"Each view has {sizes} people", "group_sizes", caption=False
    )


def _start() -> None:
    st.session_state["flow_frame"] = 0


def _board(users: list[int]) -> None:
    state = st.session_state
    frame = state["flow_frame"]
    if frame < FRAMES:
        state["flow_frame"] = frame = frame + 1
        if frame >= FRAMES:
            st.rerun()
    done = round(len(users) * frame / FRAMES)
    st.html(group_tiles(users, done))
    progress.draw(done, len(users), words.collect.reported(done, len(users), sum(users[:done])))
