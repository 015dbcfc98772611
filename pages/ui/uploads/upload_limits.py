"""How much raw upload a session, and all together, may have on the way and in memory.

Streamlit reads as many files at a time as anybody sends, and keeps each until its tab deletes it or is closed.
The middleware counts them, and deletes the oldest by a request like the browser's own.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Of a session: one file for every place that takes one, and two of the largest; of all sessions.
MAX_FILES, MAX_OF_ONE, MAX_IN_ALL = 6, 420_000_000, 1_000_000_000
NO_CONTENT = 204


class NoRoom(Exception):
    """Too much is here or on its way already."""


@dataclass(eq=False)
class _File:
    """A file on its way, while a task reads it, or in memory."""

    session: str
    scope: Scope
    size: int
    app: ASGIApp
    loop: asyncio.AbstractEventLoop
    task: asyncio.Task | None
    dropped: bool = False

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

    Where it is too much in all, the session with most gives way: nobody loses a file to a stranger who sends many.
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
        task = asyncio.current_task()
        assert task is not None  # every request has one
        size = Headers(scope=scope).get("content-length", "")
        file = _File(
            session, dict(scope), int(size) if size.isdigit() else max_size, app,
            asyncio.get_running_loop(), task,
        )  # fmt: skip
        status = 0

        async def receive_counted() -> Message:
            if file not in self._files:
                await self._make_room(file)
                self._files.append(file)
            return await receive()

        async def send_noted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await app(scope, receive_counted, send_noted)
        except NoRoom:
            await refuse()
        except asyncio.CancelledError:
            if not file.dropped:
                raise
            task.uncancel()
            await refuse()
        finally:
            file.task = None
            if status != NO_CONTENT:
                self._remove(file)

    def note_deleted(self, path: str) -> None:
        """Note that the browser deletes a file itself."""
        self._files = [file for file in self._files if file.path != path or file.task]

    def delete(self, file_id: str) -> None:
        """Delete a file in memory by its id; from any thread."""
        for file in [file for file in self._files if file.path.endswith(f"/{file_id}")]:
            self._remove(file)
            asyncio.run_coroutine_threadsafe(file.delete(), file.loop)

    async def _make_room(self, new: _File) -> None:
        self.note_deleted(new.path)
        while own := [file for file in self._files if file.session == new.session]:
            if len(own) < MAX_FILES and sum(file.size for file in own) + new.size <= MAX_OF_ONE:
                break
            await self._drop_one_of(new.session)
        if new.size > MAX_OF_ONE:
            raise NoRoom
        while sum(file.size for file in self._files) + new.size > MAX_IN_ALL:
            sizes = Counter({new.session: new.size})
            for file in self._files:
                sizes[file.session] += file.size
            most = max(sizes, key=sizes.__getitem__)
            await self._drop_one_of(most, cancel=most != new.session)

    async def _drop_one_of(self, session: str, *, cancel: bool = False) -> None:
        """Delete the oldest file of a session, or end its latest upload; NoRoom where it may do neither."""
        own = [file for file in self._files if file.session == session]
        for file in own:
            if file.task is None:
                self._remove(file)
                return await file.delete()
        if not (own and cancel):
            raise NoRoom
        last = own[-1]
        last.dropped = True
        assert last.task is not None  # none is in memory
        last.task.cancel()
        self._remove(last)

    def _remove(self, file: _File) -> None:
        if file in self._files:
            self._files.remove(file)


UPLOADS = UploadLimits()
