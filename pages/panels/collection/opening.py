"""Open a collection: an uploaded state, or one below the folder this app was given; what is open."""

from pathlib import Path

import streamlit as st

from calm_core.classroom.open_collection import MAX_LISTED, list_collections, state_from_content
from calm_core.ingest import LIMITS
from pages import words
from pages.ui import data_root, escape, frame, notices, opened
from pages.ui.error_boundary import show_errors
from pages.ui.uploads.session_store import Opened


def _uploaded() -> None:
    sent = st.session_state.get("collection_file")
    if sent is None:
        return
    with notices.show_user_errors():
        opened.show(state_from_content(sent.getvalue(), f"the file {sent.name:.200}"), sent.name)


def _open_below(root: Path) -> None:
    name = st.session_state.get("collection_below")
    if name is None:
        return
    with notices.show_user_errors():
        opened.show_below(root, name)


def told(held: Opened) -> None:
    """What is open, in a line, and the way to close it."""
    plan, state = held.state.plan, held.state
    counted = words.collection.held(
        state.n, len(state.batches), plan.epsilon, plan.domain.d, plan.k
    )
    st.markdown(f"**{escape.markdown(held.name, 60)}** :small[{counted}]", width="stretch")
    st.button(
        words.collection.CLOSE, key="collection_close", type="tertiary", icon=":material/close:",
        on_click=opened.close,
    )  # fmt: skip


def account(held: Opened) -> None:
    """Reports that were not counted, by reason; and how a table became reports, where it did here."""
    if held.state.refused:
        st.caption(escape.sentence(words.collection.refused(held.state.refused)))
    made, *notes = held.notes or ("",)
    if made:
        st.caption(escape.sentence(made))
    if notes:
        with frame.drawer(words.collection.ACCOUNT, key="collection_account"):
            st.markdown("\n".join(f"- {escape.sentence(note)}" for note in notes))


def choose() -> None:
    """Where a collection is chosen."""
    st.file_uploader(
        words.collection.UPLOAD, type=["json", "npz", "zip"], key="collection_file",
        on_change=_uploaded, max_upload_size=LIMITS.upload_bytes >> 20,
    )  # fmt: skip
    with show_errors(stop=False):
        root = data_root.given()
        if root is not None:
            _choose(root)


def _choose(root: Path) -> None:
    names = list_collections(root)
    if not names:
        st.caption(words.collection.NONE_BELOW)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(words.collection.BELOW, names, key="collection_below")
        st.button(words.collection.OPEN, key="collection_open", on_click=_open_below, args=(root,))
    if len(names) >= MAX_LISTED:
        st.caption(words.collection.more_below(MAX_LISTED))
