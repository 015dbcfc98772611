"""Between the network and the app: who may ask for what, and what a browser must not do for us."""

import asyncio
import re
import socket
from base64 import b64encode
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, wraps
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from secrets import token_hex
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import net_util

from pages import words
from pages.ui import connections
from pages.ui.uploads.incoming import Arriving, Coming, NoRoom

# Streamlit's own: numbers about the server, and driving the app without a browser. Nobody here needs them.
CLOSED = re.compile(r"/_stcore/(metrics|agent)(/|$)")
UPLOAD = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+$")
INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
# Of a connection that says what nobody here understands (RFC 6455, 7.4.1).
UNSUPPORTED = 1003


def is_known_host(host: str | None, allowed: Sequence[str]) -> bool:
    """Whether a request's Host header names this server.

    Without a list these are localhost, this machine's name and every address in numbers: a foreign
    page that has its own name point here (DNS rebinding) comes with that name.

    >>> is_known_host("192.168.1.20:8501", []), known_host("evil.example", [])
    (True, False)
    >>> is_known_host("lab.example.org", ["*.example.org"])
    True
    """
    try:
        name = urlsplit(f"//{host or ''}").hostname
    except ValueError:
        return False
    if not name:
        return False
    name = name.rstrip(".")
    if allowed:
        return any(_fits(name, one.strip().lower()) for one in allowed)
    own = socket.gethostname().lower()
    return name in ("localhost", own, f"{own}.local") or _in_numbers(name)


def _fits(name: str, pattern: str) -> bool:
    return (
        pattern in ("*", name)
        or pattern.startswith("*.")
        and name.endswith(pattern.removeprefix("*"))
    )


def _in_numbers(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


@cache
def content_policy() -> str:
    """What pages may load and run: what this server sends, and nothing written into a page.

    Styles are inline in Streamlit, components come as blobs; of scripts in the page itself only
    Streamlit's own runs, which is known by its hash.
    """
    page = Path(st.__file__).with_name("static") / "index.html"
    own = INLINE_SCRIPT.findall(page.read_text("utf-8"))
    hashes = [f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in own]
    rules = {
        "default-src": "'none'",
        "script-src": " ".join(["'self'", "blob:", *hashes]),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "worker-src": "'self' blob:",
        "manifest-src": "'self'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'self'",
    }
    return policy_text(rules)


def policy_text(rules: dict[str, str]) -> str:
    """The header of a content policy.

    >>> policy_text({"default-src": "'none'", "img-src": "data:"})
    "default-src 'none'; img-src data:"
    """
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def disable_external_ip_lookup() -> None:
    """Called once where the server starts.

    Streamlit would ask a server on the internet for this machine's address whenever a foreign page tries to
    connect, and hear nobody until it has an answer: two seconds, or more, without internet.
    """

    @wraps(net_util.get_external_ip)
    def nobody() -> None:
        return None

    net_util.get_external_ip = nobody


class Guarded:
    """ASGI middleware around the whole app: refuses foreign names, closes doors, adds headers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._arriving = Arriving()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        if not is_known_host(
            Headers(scope=scope).get("host"), st.get_option("server.allowedHosts")
        ):
            return await _refuse(scope, receive, send, 421, words.serving.FOREIGN)
        if CLOSED.search(scope["path"]):
            return await _refuse(scope, receive, send, 404, words.serving.CLOSED)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                # The phones' page has stricter ones of its own.
                headers.setdefault("Content-Security-Policy", content_policy())
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "same-origin")
            await send(message)

        if scope["type"] == "websocket":
            scope, receive, send = _named(scope, receive, send)
        elif scope["method"] == "PUT" and (found := UPLOAD.search(scope["path"])):
            return await self._take_in(found[1], scope, receive, with_headers)
        await self.app(scope, receive, with_headers)

    async def _take_in(self, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        """An upload is counted from where Streamlit begins to read it until it has answered."""
        coming: Coming | None = None
        task = asyncio.current_task()
        assert task is not None  # every request has one
        size = Headers(scope=scope).get("content-length", "")
        most = st.get_option("server.maxUploadSize") * 2**20

        async def heard() -> Message:
            nonlocal coming
            if coming is None:
                coming = self._arriving.enter(session, int(size) if size.isdigit() else most, task)
            return await receive()

        async def answered(message: Message) -> None:
            if coming is not None:
                self._arriving.leave(coming)
            await send(message)

        try:
            await self.app(scope, heard, answered)
        except NoRoom:
            await _refuse(scope, receive, send, 503, words.serving.NO_ROOM)
        except asyncio.CancelledError:
            if coming is None or not coming.dropped:
                raise
            task.uncancel()
            await _refuse(scope, receive, send, 503, words.serving.NO_ROOM)
        finally:
            if coming is not None:
                self._arriving.leave(coming)


def _named(scope: Scope, receive: Receive, send: Send) -> tuple[Scope, Receive, Send]:
    """A connection under a name, what tells how it ended, and has what it asks for wait for what is being sent."""
    name, header = token_hex(), connections.HEADER.encode()
    others = [pair for pair in scope["headers"] if pair[0].lower() != header]

    async def heard() -> Message:
        message = await receive()
        if message.get("text") is not None:
            # No browser of ours sends text, and Streamlit breaks at it with all its frames in the log.
            message = {"type": "websocket.disconnect", "code": UNSUPPORTED}
        if message["type"] == "websocket.disconnect":
            connections.ended(name, message.get("code", 0))
        else:
            await connections.sent(name)
        return message

    async def told(message: Message) -> None:
        # Who has gone hears nothing, and that is told by what is heard next: Streamlit, told here, would ask
        # the dead connection once more and break, with all its frames in the log.
        with suppress(OSError):
            await send(message)

    return {**scope, "headers": [*others, (header, name.encode())]}, heard, told


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, text: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": text[:100]})
    else:
        await PlainTextResponse(text, status)(scope, receive, send)
