"""Compare: CALM against its ancestors and rivals."""

import streamlit as st

from calm_core.experiments import background as jobs
from pages.panels.compare import outcome, request
from pages.ui import cached, state
from pages.ui.guard import guarded
from pages.words import results as words_results
from pages.words import shared as words

POLL = 1.0

st.title(words.PAGES["compare"][0])
st.markdown(words_results.COMPARE_LEAD)
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


def left_in_words(seconds: float | None) -> str:
    """The time left, rounded as people say it."""
    if seconds is None:
        return "estimating the time left"
    return f"about {seconds:.0f} s left" if seconds < 90 else f"about {seconds / 60:.0f} min left"


def look_in() -> None:
    """Progress and what is known so far; runs every second while the other process works."""
    job = held["job"]
    now = job.state()
    scores = job.scores()
    if now.name == "running":
        done, total, seconds = job.progress(scores)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.progress(done / total, text=f"{done} of {total} runs, {left_in_words(seconds)}")
            st.button("Cancel", icon=":material/stop:", on_click=cancel, key="compare_cancel")
    else:
        outcome.show_end(now)
    outcome.show(held["settings"], scores, now)
    if now.name != "running" and not held["ended"]:
        held["ended"] = True
        # The timer has nothing left to do: draw the page once more without it.
        st.rerun()


if held is None:
    st.caption("Choose methods and press Compare. Three local methods take a few seconds.")
elif not held["ended"]:
    st.fragment(look_in, run_every=POLL)()
else:
    look_in()
