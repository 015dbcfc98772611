"""What a session brings with it: its uploads, edited schemas and collections. In memory only, back after a reload.

They are kept under a random key that this tab alone has (`sessionStorage`): the key is in no address, link,
page or log. Nobody gets at what another session has uploaded without its key.

Raw files are limited for each session and in all. Streamlit reads as many at a time as anybody sends, and keeps each
until its tab deletes it or is closed: the middleware counts them, and deletes the oldest as the browser would.
"""

import asyncio
import os
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from threading import RLock
from typing import TypeVar

import streamlit as st
from cachetools import TTLCache
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.typing import UploadedFile

from calm_core.collection.states import State
from calm_core.ingest.schema import Schema
from calm_core.ingest.table import Table
from pages import words
from pages.ui import result_cache

Thing = TypeVar("Thing")
# Of each session; more only where more are in use.
UPLOADS_KEPT, SCHEMAS_KEPT, COLLECTIONS_KEPT = 3, 20, 3
# Whether a reload of the tab brings uploads back. This is the only switch.
KEEP = os.environ.get("CALM_KEEP_UPLOADS", "1") != "0"
# Seconds for which a session keeps them that does not come back after a reload.
GRACE = 120
# All tables of all sessions that come back after a reload.
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

    `notes` say how it was made of a table, where it was made here.
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


class TabStore(TTLCache):
    """The data of all tabs by their keys, for some time after their last use; the least used go first."""

    def __init__(self, max_bytes: int, seconds: float, **options):
        super().__init__(
            max_bytes, seconds, getsizeof=lambda data: min(data.nbytes, max_bytes), **options
        )
        self.lock = RLock()

    def expire(self, time: float | None = None) -> list:
        """Let go of what is over, and of the results made of it; called every minute, too."""
        with self.lock:
            expired = super().expire(time)
        for _, data in expired:
            for digest in (*data.uploads, *data.collections):
                result_cache.forget_results(digest)
        return expired


STORE = TabStore(MAX_BYTES, 60 * words.data.MINUTES if KEEP else GRACE)


def current() -> SessionData:
    """This session's data; empty where it has brought nothing."""
    return st.session_state.get("session_data") or SessionData()


def current_for_update() -> SessionData:
    """The same to put something in: kept from now on."""
    data = current()
    st.session_state["session_data"] = data
    st.session_state.setdefault("tab_key", secrets.token_urlsafe(32))
    touch()
    return data


def touch() -> None:
    """Note that this session still uses its data."""
    if "tab_key" in st.session_state:
        with STORE.lock:
            STORE[st.session_state["tab_key"]] = current()


def add_upload(digest: str, upload: Upload) -> None:
    """Give this session an upload."""
    data = current_for_update()
    before = data.uploads
    data.uploads = add_bounded(before, digest, upload, UPLOADS_KEPT)
    st.session_state["dropped_uploads"] = [
        upload.file for name, upload in before.items() if name not in data.uploads
    ]
    touch()


def take_dropped() -> list[str]:
    """Return the names of the files that gave way to the last one, once."""
    return st.session_state.pop("dropped_uploads", [])


def add_bounded(own: dict[str, Thing], digest: str, thing: Thing, limit: int) -> dict[str, Thing]:
    """A session's things and one more; what it uses, or may go back to, always stays."""
    state = st.session_state
    compared = state.get("comparing", {}).get("settings")
    using = [state.get("settings"), compared]
    used = {name for settings in using if settings for name in (settings.source, settings.schema)}
    things = {name: kept for name, kept in own.items() if name != digest} | {digest: thing}
    spare = [name for name in things if name not in used | {digest}]
    dropped = spare[: max(0, len(things) - limit)]
    return {name: kept for name, kept in things.items() if name not in dropped}


def note_file(file: UploadedFile) -> None:
    """Remember which raw file the tab has sent, for `drop_files`."""
    st.session_state.setdefault("raw_files", []).append(file.file_id)


def drop_files() -> None:
    """Delete the raw files that this session has sent."""
    for file_id in st.session_state.pop("raw_files", ()):
        UPLOADS.delete(file_id)


def tab_key() -> str:
    """What this tab has to keep; "" where nothing is kept over a reload."""
    return st.session_state.get("tab_key", "") if KEEP else ""


def restore_by_key(key: object, digest: str) -> bool:
    """Take up what a tab has kept under its key, if the upload or collection named is among it."""
    if not (KEEP and isinstance(key, str)):
        return False
    with STORE.lock:
        data = STORE.get(key)
    if data is None or digest not in {*data.uploads, *data.collections}:
        return False
    st.session_state["session_data"], st.session_state["tab_key"] = data, key
    touch()
    return True


def forget_upload(source: str) -> None:
    """Let go of one upload, and of all there is about it; the last one takes the key with it."""
    data = current()
    data.uploads = {name: upload for name, upload in data.uploads.items() if name != source}
    about = {digest for digest, made_for in data.made_for.items() if made_for == source}
    data.schemas = {name: schema for name, schema in data.schemas.items() if name not in about}
    result_cache.forget_results(source)
    drop_files()
    _give_back_key(data)


def forget_collection(digest: str) -> None:
    """The same for a collection."""
    data = current()
    data.collections = {name: opened for name, opened in data.collections.items() if name != digest}
    result_cache.forget_results(digest)
    _give_back_key(data)


def _give_back_key(data: SessionData) -> None:
    """Keep nothing for a tab whose uploads and collections are all gone."""
    if not data.uploads and not data.collections and "tab_key" in st.session_state:
        with STORE.lock:
            STORE.pop(st.session_state.pop("tab_key"), None)
        st.session_state["session_data"] = SessionData(schemas=data.schemas, made_for=data.made_for)


# Of a session: one file for every place that takes one, and two of the largest; of all sessions.
MAX_FILES, MAX_OF_ONE, MAX_IN_ALL = 6, 420_000_000, 1_000_000_000
NO_CONTENT = 204


class NoRoom(Exception):
    """Too much is here or on its way already."""


@dataclass(eq=False)
class _File:
    """A file on its way or in memory."""

    session: str
    scope: Scope
    size: int
    app: ASGIApp
    loop: asyncio.AbstractEventLoop
    in_memory: bool = False

    @property
    def path(self) -> str:
        """Where it was sent to: its session and its id are the last two parts."""
        return self.scope["path"]

    async def delete(self) -> None:
        """Delete it as the browser would, with the headers that have let it in."""
        headers = [
            pair for pair in self.scope["headers"] if pair[0].lower() not in (b"content-length", b"content-type")
        ]  # fmt: skip

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            pass

        await self.app({**self.scope, "method": "DELETE", "headers": headers}, receive, send)


class UploadLimits:
    """All raw files of all sessions, on their way or in memory; for the thread of the server.

    A session's own oldest files give way to its new one. Where it is too much in all, the new one is refused: nobody
    loses a file to a stranger.
    """

    def __init__(self) -> None:
        self._files: list[_File] = []

    async def receive_file(
        self,
        app: ASGIApp,
        session: str,
        scope: Scope,
        receive: Receive,
        send: Send,
        *,
        max_size: int,
        refuse: Callable[[], Awaitable[None]],
    ) -> None:
        """Answer an upload by `app`, counted from where it is read; `refuse` where there is no room."""
        length = Headers(scope=scope).get("content-length", "")
        size = int(length) if length.isdigit() else max_size
        file = _File(session, dict(scope), size, app, asyncio.get_running_loop())

        async def receive_counted() -> Message:
            if file not in self._files:
                await self._make_room(file)
                self._files.append(file)
            return await receive()

        async def send_noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                file.in_memory = message["status"] == NO_CONTENT
            await send(message)

        try:
            await app(scope, receive_counted, send_noted)
        except NoRoom:
            await refuse()
        finally:
            if not file.in_memory:
                self._remove(file)

    def note_deleted(self, path: str) -> None:
        """Note that the browser deletes a file itself."""
        self._files = [file for file in self._files if file.path != path or not file.in_memory]

    def delete(self, file_id: str) -> None:
        """Delete a file in memory by its id; from any thread."""
        for file in [file for file in self._files if file.path.endswith(f"/{file_id}")]:
            self._remove(file)
            asyncio.run_coroutine_threadsafe(file.delete(), file.loop)

    async def _make_room(self, new: _File) -> None:
        """Delete the oldest files of the same session where it has too much; NoRoom where that is not enough."""
        self.note_deleted(new.path)
        while True:
            own = [file for file in self._files if file.session == new.session]
            if len(own) < MAX_FILES and sum(file.size for file in own) + new.size <= MAX_OF_ONE:
                break
            oldest = next((file for file in own if file.in_memory), None)
            if oldest is None:
                raise NoRoom
            self._remove(oldest)
            await oldest.delete()
        if sum(file.size for file in self._files) + new.size > MAX_IN_ALL:
            raise NoRoom

    def _remove(self, file: _File) -> None:
        if file in self._files:
            self._files.remove(file)


UPLOADS = UploadLimits()
