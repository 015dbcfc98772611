"""Compare: CALM against its ancestors and rivals."""

import streamlit as st

from calm_core.experiments import background as jobs
from pages import words
from pages.panels.compare import outcome, request
from pages.ui import cached, progress, state
from pages.ui.guard import guarded

POLL = 1.0

st.title(words.shared.PAGES["compare"][0])
st.markdown(words.compare.LEAD)
settings = state.current()
with guarded():
    dataset = cached.encoded(settings).dataset
    wanted = request.ask(settings, dataset)

held = st.session_state.get("comparing")
if wanted is not None:
    if held is not None:
        held["job"].cancel()
    with guarded():
        held = {"job": jobs.start(wanted), "settings": settings, "ended": False}
    st.session_state["comparing"] = held
    st.session_state.pop("compare_point", None)


def cancel() -> None:
    """Stop the other process; what it has found stays."""
    st.session_state["comparing"]["job"].cancel()


def look_in() -> None:
    """Progress and what is known so far; runs every second while the other process works."""
    job = held["job"]
    now = job.state()
    scores = job.scores()
    if now.name == "running":
        done, total, seconds = job.progress(scores)
        with st.container(horizontal=True, vertical_alignment="center"):
            progress.draw(done, total, words.compare.progress(done, total, seconds))
            st.button("Cancel", icon=":material/stop:", on_click=cancel, key="compare_cancel")
    else:
        outcome.show_end(now)
    outcome.show(held["settings"], scores, now)
    if now.name != "running" and not held["ended"]:
        held["ended"] = True
        # The timer has nothing left to do: draw the page once more without it.
        st.rerun()


if held is None:
    st.caption(words.compare.IDLE)
elif not held["ended"]:
    st.fragment(look_in, run_every=POLL)()
else:
    look_in()
