"""What a session brings with it: its uploads, edited schemas and collections. In memory only, back after a reload.

They lie under a random key that this tab alone keeps (`sessionStorage`): the key is in no address, link,
page or log. Nobody gets at what another session has uploaded without its key.
"""

import os
from dataclasses import dataclass, field
from typing import TypeVar

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFileManager

from calm_core.collection.states import State
from calm_core.ingest import Schema, Table
from pages import words
from pages.ui import connections
from pages.ui.jobs import result_cache
from pages.ui.uploads.ttl_store import TTLStore

Thing = TypeVar("Thing")
# Of each session; more only where more are in use.
UPLOADS_KEPT, SCHEMAS_KEPT, COLLECTIONS_KEPT = 3, 20, 3
# Whether a reload of the tab brings uploads back. This is the only switch.
KEEP = os.environ.get("CALM_KEEP_UPLOADS", "1") != "0"
# A connection that was lost for a moment comes back to the same session.
GRACE = 120
# All tables of all sessions; those of open tabs stay in any case.
MAX_BYTES = 1_000_000_000


@dataclass(frozen=True, eq=False)
class Source:
    """A table and what its columns were found to be."""

    table: Table
    schema: Schema


@dataclass(frozen=True, eq=False)
class Upload(Source):
    """A session's own: with its file name and how it was read."""

    file: str
    read: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Opened:
    """A collection: what was counted of it, what it is called, and the digest that stands for it in caches.

    `notes` tell how it was made of a table, where it was made here.
    """

    state: State
    name: str
    digest: str
    notes: tuple[str, ...] = ()

    @property
    def nbytes(self) -> int:
        """Bytes of the counts."""
        return sum(tally.support.nbytes + tally.people.nbytes for tally in self.state.tallies)


@dataclass(eq=False)
class SessionData:
    """Uploads, collections and edited schemas by their digests, oldest first; whose columns were edited."""

    uploads: dict[str, Upload] = field(default_factory=dict)
    collections: dict[str, Opened] = field(default_factory=dict)
    schemas: dict[str, Schema] = field(default_factory=dict)
    made_for: dict[str, str] = field(default_factory=dict)

    @property
    def nbytes(self) -> int:
        """Bytes of the tables and counts."""
        counts = sum(opened.nbytes for opened in self.collections.values())
        return counts + sum(upload.table.data.nbytes for upload in self.uploads.values())


def _alive(session: str) -> bool:
    return runtime.exists() and runtime.get_instance().is_active_session(session)


def is_present(session: str) -> bool:
    """Whether a session is there to look at what is done for it, or may be again; without a server, somebody is."""
    return not runtime.exists() or _alive(session) or connections.may_come_back(session)


# Where the raw bytes lie that a session has sent.
_FILES: dict[str, UploadedFileManager] = {}


def _let_go(things: SessionData, sessions: set[str]) -> None:
    # The session may linger on, with its tab closed: it must not keep what everybody else forgot.
    gone = [*things.uploads, *things.collections]
    things.uploads, things.schemas, things.collections = {}, {}, {}
    for digest in gone:
        result_cache.forget(digest)
    for session in sessions:
        files = _FILES.pop(session, None)
        if files is not None:
            files.remove_session_files(session)


_KEEPER = TTLStore(
    60 * words.data.MINUTES if KEEP else GRACE, MAX_BYTES,
    weigh=lambda things: things.nbytes, alive=_alive, let_go=_let_go,
)  # fmt: skip


def current() -> SessionData:
    """This session's; empty where it has brought nothing."""
    return st.session_state.get("belongings") or SessionData()


def current_for_update() -> SessionData:
    """The same to put something in: kept from now on."""
    things, session = current(), _session()
    if _KEEPER.find(st.session_state.get("tab_key", ""), session) is not things:
        st.session_state["tab_key"] = _KEEPER.keep(things, session)
    st.session_state["belongings"] = things
    _KEEPER.sweep()
    return things


def add_upload(digest: str, upload: Upload) -> None:
    """This session has an upload from now on."""
    things = current_for_update()
    things.uploads = add_bounded(things.uploads, digest, upload, UPLOADS_KEPT)


def add_bounded(things: dict[str, Thing], digest: str, thing: Thing, most: int) -> dict[str, Thing]:
    """A session's things and one more; what it uses, or may go back to, is never let go."""
    state = st.session_state
    compared = state.get("comparing", {}).get("settings")
    using = [state.get("settings"), state.get("last_good"), compared]
    used = {name for settings in using if settings for name in (settings.source, settings.schema)}
    others = {name: kept for name, kept in things.items() if name != digest}
    return result_cache.newest(others | {digest: thing}, most, used | {digest})


def session_name() -> str:
    """Which session this is, for what is shared fairly; "" outside of a run."""
    context = get_script_run_ctx(suppress_warning=True)
    return "" if context is None else context.session_id


def drop_files() -> None:
    """Let go of the raw bytes that this session has sent."""
    if (name := _session()) in _FILES:
        _FILES[name].remove_session_files(name)


def _session() -> str:
    context = get_script_run_ctx()
    if context is None:
        return ""
    _FILES[context.session_id] = context.uploaded_file_mgr
    return context.session_id


def tab_key() -> str:
    """What this tab has to keep; "" where nothing is kept over a reload."""
    return st.session_state.get("tab_key", "") if KEEP else ""


def touch() -> None:
    """This session is there and uses what it has."""
    if "tab_key" in st.session_state:
        _KEEPER.find(st.session_state["tab_key"], _session())


def restore_by_key(key: object, digest: str) -> bool:
    """Take up what a tab has kept under its key, if the upload or collection named is among it."""
    if not (KEEP and isinstance(key, str)):
        return False
    found = _KEEPER.find(key, _session())
    if found is None or digest not in {*found.uploads, *found.collections}:
        return False
    st.session_state["belongings"], st.session_state["tab_key"] = found, key
    return True


def forget_upload(source: str) -> None:
    """Let go of one upload, and of all there is about it; the last one takes the key with it."""
    things = current()
    things.uploads = {name: held for name, held in things.uploads.items() if name != source}
    about = {digest for digest, made_for in things.made_for.items() if made_for == source}
    things.schemas = {name: held for name, held in things.schemas.items() if name not in about}
    result_cache.forget(source)
    drop_files()
    _give_back_key(things)


def forget_collection(digest: str) -> None:
    """The same for a collection."""
    things = current()
    things.collections = {name: held for name, held in things.collections.items() if name != digest}
    result_cache.forget(digest)
    _give_back_key(things)


def _give_back_key(things: SessionData) -> None:
    """Nothing is kept for a tab that has brought nothing that is still here."""
    if not things.uploads and not things.collections and "tab_key" in st.session_state:
        schemas = things.schemas
        _KEEPER.forget(st.session_state.pop("tab_key"))
        st.session_state["belongings"] = SessionData(schemas=schemas, made_for=things.made_for)
