"""One drawing of a page, or of a part of it by itself: from the question of a browser until all of it is sent."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from pages.ui import connections, progress
from pages.ui.jobs.fair_queue import LeasedSemaphore
from pages.ui.uploads import session_store

# Python computes one thing at a time. Of sixty pages drawn at once every one would be late, and the server's
# own thread, which hears and sends, would wait for all of them at every step.
DOOR = LeasedSemaphore(2)


@contextmanager
def one() -> Iterator[None]:
    """Around all that a run of the script draws; few are drawn at a time."""
    session = session_store.session_name()
    connections.begun(session)
    try:
        with DOOR.through(_wanted):
            progress.set_page_cancel_hook()
            yield
    finally:
        connections.drawn(session)
        connections.deliver()


def _wanted() -> None:
    """Streamlit ends a run that nobody waits for any more where its state is asked for."""
    st.session_state.get("settings")
