"""The middleware between the network and the app: who may ask for what, and what a browser must not do."""

import socket
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache
from ipaddress import ip_address
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from calm_core.runtime.installation import embedding_origins
from pages import words
from pages.ui.streamlit_compat import (
    CLOSED_ROUTES,
    HEALTH_ROUTE,
    UPLOAD_ROUTE,
    inline_script_hashes,
)
from pages.ui.uploads import UPLOADS

# Of a connection that says what nobody here understands (RFC 6455, 7.4.1).
UNSUPPORTED = 1003
LOCAL = ("localhost", "0.0.0.0", "127.0.0.1")
# Names that only a service that hosts Streamlit makes: they lead to it and nowhere else.
SERVICES = ("*.hf.space", "*.streamlit.app")


def is_known_host(host: str | None, allowed: Sequence[str]) -> bool:
    """Whether a request's Host header names this server.

    Without a list these are localhost, this machine's name, every IP address and names of services that host
    Streamlit: a foreign page that has its own name point here (DNS rebinding) comes with that name.

    >>> is_known_host("192.168.1.20:8501", []), is_known_host("evil.example", [])
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
        return any(fnmatchcase(name, one.strip().lower()) for one in allowed)
    machine = socket.gethostname().lower()
    patterns = ("localhost", machine, f"{machine}.local", *SERVICES)
    return any(fnmatchcase(name, one) for one in patterns) or _is_ip_address(name)


def _is_ip_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def is_known_origin(origin: str | None, host: str | None) -> bool:
    """Whether a page of this origin may ask this server.

    Streamlit has the same rule, but first asks a server on the internet for this machine's address, which takes
    seconds in which it serves nobody.

    >>> is_known_origin("http://lab.example:8501", "lab.example:8501"), is_known_origin("null", "lab.example")
    (True, False)
    """
    if origin is None or not st.get_option("server.enableCORS"):
        return True
    try:
        parts = urlsplit(origin)
        name = parts.hostname
    except ValueError:
        return False
    named = [st.get_option("browser.serverAddress"), *map(_host_of, st.get_option("server.corsAllowedOrigins"))]  # fmt: skip
    return parts.netloc == host or bool(name) and name in (*LOCAL, *named)


def _host_of(origin: str) -> str | None:
    return urlsplit(origin if "://" in origin else f"//{origin}").hostname


@cache
def content_policy() -> str:
    """What pages may load and run: what this server sends, and nothing written into a page.

    Styles are inline in Streamlit, components come as blobs; of scripts in the page itself only
    Streamlit's own run, which are known by their hashes.
    """
    rules = {
        "default-src": "'none'",
        "script-src": " ".join(["'self'", "blob:", *inline_script_hashes()]),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "worker-src": "'self' blob:",
        "manifest-src": "'self'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": " ".join(["'self'", *embedding_origins()]),
    }
    return policy_text(rules)


def policy_text(rules: dict[str, str]) -> str:
    """The header of a content policy.

    >>> policy_text({"default-src": "'none'", "img-src": "data:"})
    "default-src 'none'; img-src data:"
    """
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def base_path() -> str:
    """Return the path below which everything is served: empty, or like "/lab"."""
    base = (st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}" if base else ""


class RequestGuard:
    """ASGI middleware around the whole app: refuses foreign names and origins, closes routes, adds headers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        headers, path = Headers(scope=scope), scope["path"]
        host = headers.get("host")
        # Whoever watches over the server asks by its address, and learns that it is there.
        known = path.endswith(HEALTH_ROUTE) or is_known_host(
            host, st.get_option("server.allowedHosts")
        )
        if not known:
            return await _refuse(scope, receive, send, 421, words.common.FOREIGN)
        if not is_known_origin(headers.get("origin"), host):
            return await _refuse(scope, receive, send, 403, words.common.FOREIGN_PAGE)
        if CLOSED_ROUTES.search(path):
            return await _refuse(scope, receive, send, 404, words.common.CLOSED)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                # The phones' page has stricter ones of its own.
                headers.setdefault("Content-Security-Policy", content_policy())
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "same-origin")
            await send(message)

        if scope["type"] == "websocket":
            receive, send = _guard_connection(receive, send)
            return await self.app(scope, receive, send)
        if upload := UPLOAD_ROUTE.search(path):
            if scope["method"] == "PUT":
                return await UPLOADS.receive_file(
                    self.app, upload[1], scope, receive, send_with_headers,
                    max_size=st.get_option("server.maxUploadSize") * 2**20,
                    refuse=lambda: _refuse(scope, receive, send, 503, words.common.NO_ROOM),
                )  # fmt: skip
            if scope["method"] == "DELETE":
                UPLOADS.note_deleted(path)
        await self.app(scope, receive, send_with_headers)


def _guard_connection(receive: Receive, send: Send) -> tuple[Receive, Send]:
    """The two ends of a connection, at which Streamlit does not break with all its frames in the log."""

    async def receive_bytes() -> Message:
        message = await receive()
        if message.get("text") is not None:
            # No browser of ours sends text.
            return {"type": "websocket.disconnect", "code": UNSUPPORTED}
        return message

    async def send_if_open(message: Message) -> None:
        # The next `receive` says that a browser has gone. Streamlit would ask the dead connection once more.
        with suppress(OSError):
            await send(message)

    return receive_bytes, send_if_open


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, text: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": text[:100]})
    else:
        await PlainTextResponse(text, status)(scope, receive, send)
