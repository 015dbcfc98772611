"""Methods: CALM against its ancestors and rivals."""

from functools import partial

import streamlit as st

from calm_core.experiments import background
from pages import words
from pages.panels import compare as panel
from pages.ui import cached_calls, frame, jobs, state
from pages.ui.error_boundary import fragment_with_errors, show_errors

POLL = 1.0

settings = state.current()
with show_errors():
    dataset = cached_calls.people(settings)
held: dict | None = st.session_state.get("comparing")
if not frame.is_lecture():
    frame.show_compare_switch(words.compare.LEAD)
    left, right = st.columns((800, 364), gap="large")
    with right, show_errors():
        over = panel.choose_axis()
        wanted = panel.show_request_form(settings, dataset, over)
    if wanted is not None:
        if held is not None:
            held["job"].cancel()
        with right, show_errors():
            job = jobs.Job(partial(background.ComparisonJob, wanted))
            job.work()
            held = {"job": job, "settings": settings, "over": over}
        st.session_state["comparing"] = held
else:
    left, over = st.container(), "epsilon"


def stop() -> None:
    """Cancel the other process and keep its results; forget one that has not begun."""
    held = st.session_state["comparing"]
    held["job"].cancel()
    if held["job"].work() is None:
        del st.session_state["comparing"]


def look_in(held: dict, timed: bool) -> None:
    """Show the progress and the results so far; runs every second while the process runs."""
    work = held["job"].work()
    if work is None:
        st.markdown(words.common.waiting(ahead=held["job"].ahead, work="comparison"))
        st.button(words.compare.STOP, on_click=stop, key="compare_cancel")
        return
    now, scores, over = work.state(), work.scores(), held["over"]
    value = panel.current_value(settings, over)
    if now.name == "running":
        done, total, seconds = work.progress(scores)
        st.markdown(
            words.compare.comparing_title(methods=len({line.name for line in work.spec.methods}))
        )
        jobs.draw_bar(done, total, words.compare.progress(done, total, seconds))
        st.button(words.compare.STOP, on_click=stop, key="compare_cancel")
    else:
        panel.show_end(now)
        if not timed and not scores["l1"].isna().all():
            frame.set_title(panel.best_title(scores, over, value))
    panel.show_results(held["settings"], work.spec, scores, now, over, value)
    if now.name != "running" and timed:
        # Draw the page once more without the timer. Should that be lost, the next look asks again.
        st.rerun()


with left, show_errors():
    if held is None:
        if not frame.is_lecture():
            frame.show_text(words.compare.predicted_note(epsilon=settings.epsilon), quiet=True)
        panel.show_expected(settings, over)
    elif (work := held["job"].work()) is None or work.state().name == "running":
        fragment_with_errors(look_in, run_every=POLL)(held, True)
    else:
        look_in(held, False)
if not frame.is_lecture():
    st.caption(f"{words.settings.CENTRAL_GUARANTEE} {words.compare.WHERE_DOUBLED}")
