"""Open a collection: an uploaded state, or one below the folder this app was given."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from calm_core.collection.state_files import state_bytes, state_from_bytes
from calm_core.collection.states import State
from calm_core.errors import UserError
from calm_core.evaluation.counted_state import collections_below, open_below, require_reports
from calm_core.ingest import LIMITS
from pages import words
from pages.ui import data_root, escape, notices
from pages.ui.guard import guarded


@dataclass(frozen=True, eq=False)
class Opened:
    """What a session has open: a state, its name, and the digest that stands for it in caches."""

    state: State
    name: str
    digest: str


def now() -> Opened | None:
    """What is open in this session."""
    return st.session_state.get("collection")


def hold(state: State, name: str) -> None:
    """Open it; refused where it holds nothing."""
    require_reports(state)
    digest = hashlib.sha256(state_bytes(state, ".json")).hexdigest()
    st.session_state["collection"] = Opened(state, name, digest)
    st.session_state.pop("collection_attrs", None)


def _uploaded() -> None:
    sent = st.session_state.get("collection_file")
    if sent is None:
        return
    try:
        hold(state_from_bytes(sent.getvalue(), f"the file {sent.name:.200}"), sent.name)
    except UserError as error:
        notices.refuse(error)


def _open_below(root: Path) -> None:
    name = st.session_state.get("collection_below")
    if name is None:
        return
    try:
        hold(open_below(root, name), name)
    except UserError as error:
        notices.refuse(error)


def close() -> None:
    """Let go of it."""
    st.session_state.pop("collection", None)


def told(opened: Opened) -> None:
    """What is open, in a line, and the way to close it."""
    plan, state = opened.state.plan, opened.state
    held = words.collection.held(state.n, len(state.batches), plan.epsilon, plan.domain.d, plan.k)
    st.markdown(f"**{escape.markdown(opened.name, 60)}** :small[{held}]", width="stretch")
    st.button(
        words.collection.CLOSE, key="collection_close", type="tertiary", icon=":material/close:",
        on_click=close,
    )  # fmt: skip


def refused(opened: Opened) -> None:
    """Reports that were not counted, by reason."""
    if opened.state.refused:
        st.caption(escape.sentence(words.collection.refused(opened.state.refused)))


def choose() -> None:
    """Where a collection is chosen."""
    st.file_uploader(
        words.collection.UPLOAD, type=["json", "npz"], key="collection_file",
        on_change=_uploaded, max_upload_size=LIMITS.upload_bytes >> 20,
    )  # fmt: skip
    with guarded(stop=False):
        root = data_root.given()
        if root is not None:
            _choose(root)


def _choose(root: Path) -> None:
    names = collections_below(root)
    if not names:
        st.caption(words.collection.NONE_BELOW)
        return
    st.selectbox(words.collection.BELOW, names, key="collection_below")
    st.button(words.collection.OPEN, key="collection_open", on_click=_open_below, args=(root,))
