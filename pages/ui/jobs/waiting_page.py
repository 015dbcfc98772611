"""The page of a link whose file is missing: the tab is asked for it, else two ways to go on are offered."""

import streamlit as st

from calm_core.ingest.samples import SAMPLES
from pages import words
from pages.ui import escape, opened_collections, state, stepper, view_state
from pages.ui.components import mount
from pages.ui.uploads import session_store

# Pages that do not need the data.
WITHOUT_DATA = ("learn", "collection", "classroom", "about")


def mount_tab_memory() -> None:
    """Mount the component that keeps this tab's key, and asks for it where a file is waited for."""
    session_store.touch()
    mount(
        "tab_memory",
        {
            "keep": session_store.tab_key(), "ask": is_asking_tab(), "drop": st.session_state.get("drop_key", False),
            # Another number than before puts the focus on the drop zone.
            "focus": st.session_state.get("chosen", 0), "reached": stepper.furthest_step(),
        },
        on={"key": on_tab_key, "reached": stepper.mark_reached},
    )  # fmt: skip


def is_asking_tab() -> bool:
    """Whether something is missing and the tab has not sent its key yet."""
    missing = state.awaited_settings() is not None or bool(opened_collections.missing_digest())
    return session_store.KEEP and missing and not st.session_state.get("asked")


def on_tab_key(key: object) -> None:
    """Callback: use the file and the collection that wait for this key, if they are there."""
    st.session_state["asked"] = True
    session_store.restore_by_key(key, opened_collections.missing_digest())
    awaited = state.awaited_settings()
    if awaited is not None and session_store.restore_by_key(key, awaited.source):
        state.use_source(awaited.source)


def is_waiting_for(page: str) -> bool:
    """Whether a page cannot be shown because it waits for its file."""
    return state.awaited_settings() is not None and page not in (*WITHOUT_DATA, "data")


def choose_file() -> None:
    """Callback: open the Data page, with the focus on its drop zone."""
    st.session_state["chosen"] = st.session_state.get("chosen", 0) + 1
    view_state.go("data")


def forget_file() -> None:
    """Callback: forget the file in use with all results made of it; the first sample takes its place."""
    settings = state.current()
    if not state.use_source(next(iter(SAMPLES))):
        return
    last = st.session_state.get("last_good")
    if last is not None and last.source == settings.source:
        del st.session_state["last_good"]
    compared = st.session_state.get("comparing")
    if compared is not None and compared["settings"].source == settings.source:
        compared["job"].cancel()
        del st.session_state["comparing"]
    st.session_state.pop("applied", None)
    session_store.forget_upload(settings.source)
    st.session_state["drop_key"] = not session_store.tab_key()
    # A new drop zone: the old one still holds the file.
    st.session_state["drops"] = st.session_state.get("drops", 0) + 1
    st.session_state["remarks"] = (words.data.forgotten_text(settings.file),)


def show_missing_file() -> None:
    """Show what is missing and what can be done; held back for a moment while the tab is being asked."""
    awaited = state.awaited_settings()
    assert awaited is not None  # the pages show this only while a file is waited for
    file = escape.shorten(awaited.file or words.data.THE_FILE, 60)
    sample = SAMPLES[state.current().source].title
    with st.container(key="gone_asking" if is_asking_tab() else "gone", border=True):
        st.subheader(escape.markdown(f"{file} is no longer here", 200), anchor=False)
        st.markdown(escape.sentence(words.data.missing_file_text(awaited)))
        with st.container(horizontal=True):
            st.button(
                escape.markdown(f"Choose {file} again", 100), type="primary",
                key="choose_again", on_click=choose_file,
            )  # fmt: skip
            st.button(f"Go on with the {sample}", key="go_on", on_click=state.stop_awaiting)
        st.caption(words.data.ANOTHER_FILE)
