"""The middleware around a small app: names it answers to, closed routes, headers, uploads within limits, and downloads."""

import asyncio
import gc
import re
import socket
from collections import Counter

import pytest
from starlette.routing import Router
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit import config
from streamlit.testing.v1 import AppTest

from calm_core.errors import DataError, InputError
from calm_core.runtime.installation import embedding_origins
from pages import words
from pages.ui import uploads
from pages.ui.downloads import routes
from pages.ui.serving import RequestGuard, content_policy, is_known_host, is_known_origin
from pages.ui.uploads import UploadLimits
from tests.app.screen import offered_files
from tests.app.screen import run_coroutine as run


async def small_app(scope, receive, send):
    if scope["type"] == "lifespan":
        await send({"type": "lifespan.startup.complete"})
    elif scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"page"})


def ask(path="/", host="localhost:8501", kind="http", app=small_app, receive=None, **headers):
    """All that is sent for one request."""
    pairs = {"host": host, **headers}.items()
    headers = [(name.encode(), text.encode()) for name, text in pairs if text is not None]
    sent = []

    async def send(message) -> None:
        sent.append(message)

    scope = {"type": kind, "path": path, "method": "GET", "headers": headers}
    run(RequestGuard(app)(scope, receive, send))
    return sent


OWN = ["localhost", "LOCALHOST:8501", "127.0.0.1:80", "192.168.1.20:8501", "[::1]:8501", "localhost.",
       socket.gethostname(), f"{socket.gethostname()}.local:8501",
       "somebody-lab.hf.space", "lab.streamlit.app"]  # fmt: skip
FOREIGN = [None, "", "evil.example", "hf.space.evil.example", "evilhf.space", "localhost.evil.example", "127.0.0.1.evil.example", "[::1", "a@", ":8501",
           "1", "127.1", "0x7f.0.0.1"]  # fmt: skip


def test_the_server_answers_to_its_own_names_only():
    assert [host for host in OWN if not is_known_host(host, [])] == []
    assert [host for host in FOREIGN if is_known_host(host, [])] == []
    assert ask(host="evil.example")[0]["status"] == 421
    assert ask(host="evil.example", kind="websocket")[0]["type"] == "websocket.close"


def test_a_list_of_names_is_all_there_is():
    names = ["lab.example.org", "*.School.example"]
    for host in ("lab.example.org", "LAB.example.org:443", "a.school.example"):
        assert is_known_host(host, names)
    for host in ("localhost", "127.0.0.1", "school.example", "evilschool.example"):
        assert not is_known_host(host, names)
    assert is_known_host("anything.example", ["*"])
    config.set_option("server.allowedHosts", names)
    try:
        assert ask(host="localhost")[0]["status"] == 421
        assert ask("/lab/_stcore/health", host="localhost")[0]["status"] == 200
    finally:
        config.set_option("server.allowedHosts", [])


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_pages_of_other_servers_are_refused(kind):
    for origin in ("http://evil.example", "null", "http://[", "http://localhost.evil.example"):
        (first, *_) = ask(kind=kind, origin=origin)
        assert first.get("status", first.get("code")) in (403, 1008)
    for origin in (None, "http://localhost:8501", "http://127.0.0.1:3000"):
        assert ask(kind=kind, origin=origin)[0].get("status", 200) == 200
    config.set_option("server.corsAllowedOrigins", ["https://lab.example.org"])
    try:
        assert is_known_origin("https://lab.example.org", "localhost:8501")
    finally:
        config.set_option("server.corsAllowedOrigins", [])


@pytest.mark.parametrize("path, status", [
    ("/_stcore/metrics", 404), ("/_stcore/agent/interact", 404), ("/base/_stcore/metrics", 404),
    ("/_stcore/health", 200), ("/_stcore/stream", 200), ("/agent", 200),
])  # fmt: skip
def test_routes_that_nobody_needs_are_closed(path, status):
    assert ask(path)[0]["status"] == status


def test_every_page_has_our_headers_and_no_script_written_into_it_runs():
    headers = {name.decode(): value.decode() for name, value in ask()[0]["headers"]}
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["content-security-policy"] == content_policy()
    scripts = re.search(r"script-src ([^;]*);", content_policy())[1].split()
    assert "'unsafe-inline'" not in scripts and "'unsafe-eval'" not in scripts
    assert "frame-ancestors 'self'" in content_policy()
    assert ask(kind="lifespan") == [{"type": "lifespan.startup.complete"}]


def test_the_pages_that_are_named_may_show_the_app_in_a_frame_and_no_others(monkeypatch):
    ancestors = re.compile(r"frame-ancestors ([^;]*)")
    monkeypatch.setenv(
        "CALM_EMBED_IN", "https://lms.example.org http://localhost:8000 https://huggingface.co"
    )
    monkeypatch.setenv("SPACE_ID", "somebody/lab")
    content_policy.cache_clear()
    try:
        (said,) = ancestors.findall(content_policy())
    finally:
        content_policy.cache_clear()
    assert said.split() == [
        "'self'", "https://lms.example.org", "http://localhost:8000", "https://huggingface.co",
    ]  # fmt: skip


@pytest.mark.parametrize("text", [
    "", "*", "lms.example.org", "https://*.example.org", "https://lms.example.org/", "https://a b", "https://a;b",
    "ftp://a.org", "https://", "https://a.org\n", "https://münchen.de", "https://[::1]", "https://a.org:port", "'none'",
])  # fmt: skip
def test_what_is_no_origin_is_refused(text):
    with pytest.raises(InputError, match="cannot be embedded"):
        embedding_origins([text])


def test_text_is_the_end_of_a_connection_that_knows_bytes_only():
    heard = []

    async def app(scope, receive, send):
        heard.append(await receive())

    async def receive():
        return {"type": "websocket.receive", "text": "hello"}

    ask("/_stcore/stream", kind="websocket", app=app, receive=receive)
    assert [message["type"] for message in heard] == ["websocket.disconnect"]


def test_a_browser_that_has_gone_while_something_is_sent_is_noticed_by_the_next_receive():
    """By Starlette's own account of the connection, as Streamlit keeps it."""
    heard = []

    async def app(scope, receive, send):
        connection = WebSocket(scope, receive, send)
        await connection.accept()
        await connection.send_bytes(b"the page")
        try:
            await connection.receive_bytes()
        except WebSocketDisconnect as gone:
            heard.append(gone.code)

    coming = iter(["websocket.connect", "websocket.disconnect"])

    async def receive():
        return {"type": next(coming), "code": 1006}

    async def send(message):
        if message["type"] == "websocket.send":
            raise OSError

    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": [(b"host", b"localhost")]}
    run(RequestGuard(app)(scope, receive, send))
    assert heard == [1006]


class Sender:
    """Uploads through the middleware to an app that keeps them as Streamlit does."""

    def __init__(self, monkeypatch):
        monkeypatch.setattr(uploads, "MAX_OF_ONE", 400)
        monkeypatch.setattr(uploads, "MAX_IN_ALL", 1000)
        monkeypatch.setattr("pages.ui.serving.UPLOADS", UploadLimits())
        self.kept, self.waits = Counter(), set()
        self.go_on = asyncio.Event()
        self._app = RequestGuard(self._streamlit)

    async def _streamlit(self, scope, receive, send) -> None:
        name, status = scope["path"].split("/")[-1], 204
        if scope["method"] == "DELETE":
            self.kept.pop(name, None)
        elif "unknown" in scope["path"]:
            status = 400
        else:
            while (await receive())["more_body"]:
                pass
            self.kept[name] = 1
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def send(self, session, name, size, method="PUT", wait=False) -> int:
        sent, bodies = [], iter([True])

        async def receive() -> dict:
            if wait and not next(bodies, False):
                await self.go_on.wait()
                return {"type": "http.request", "body": b"", "more_body": False}
            return {"type": "http.request", "body": b"", "more_body": wait}

        async def note(message) -> None:
            sent.append(message)

        headers = [(b"host", b"localhost")]
        headers += [] if size is None else [(b"content-length", str(size).encode())]
        path = f"/lab/_stcore/upload_file/{session}/{name}"
        scope = {"type": "http", "path": path, "method": method, "headers": headers}
        await self._app(scope, receive, note)
        return sent[0]["status"]

    async def begin(self, session, name, size) -> asyncio.Task:
        """A file that is on its way once this is over, or refused already."""
        task = asyncio.create_task(self.send(session, name, size, wait=True))
        for _ in range(10):
            await asyncio.sleep(0)
        return task

    @property
    def names(self) -> str:
        return "".join(sorted(self.kept))


def test_a_session_that_sends_and_sends_keeps_its_last_files(monkeypatch):
    async def scene():
        sender = Sender(monkeypatch)
        for name in "abcdef":
            assert await sender.send("Ann", name, 10) == 204
        await sender.send("Ann", "g", 10)
        assert sender.names == "bcdefg"
        await sender.send("Ann", "h", 360)
        assert sender.names == "defgh", "fewer where they are large"
        assert await sender.send("Ann", "i", 500) == 503 and "i" not in sender.names

    run(scene())


def test_what_all_keep_together_is_bounded_and_the_oldest_goes_first(monkeypatch):
    async def scene():
        sender = Sender(monkeypatch)
        for who, name, size in (("Ann", "a", 200), ("Bob", "b", 300), ("Eve", "x", 390)):
            await sender.send(who, name, size)
        await sender.send("Eve", "y", 390)
        assert sender.names == "aby"
        assert await sender.send("Dan", "d", 200) == 503, "1,000 in all"
        assert sender.names == "aby"

    run(scene())


def test_files_that_go_by_themselves_do_not_count(monkeypatch):
    async def scene():
        sender = Sender(monkeypatch)
        await sender.send("Ann", "a", 300)
        await sender.send("Ann", "a", 200)
        await sender.send("Ann", "b", 200)
        assert sender.names == "ab", "a file that is sent again counts once"
        await sender.send("Ann", "a", 0, method="DELETE")
        await sender.send("Ann", "c", 200)
        assert sender.names == "bc"
        assert await sender.send("Ann", "unknown", 400) == 400
        assert sender.names == "bc", "what is refused unread takes no room"

    run(scene())


def test_files_on_their_way_count(monkeypatch):
    async def scene():
        sender = Sender(monkeypatch)
        first = await sender.begin("Ann", "a", 300)
        assert await sender.send("Ann", "b", 200) == 503
        sender.go_on.set()
        assert await first == 204 and await sender.send("Ann", "b", 200) == 204
        assert sender.names == "b"

    run(scene())


# ---------------------------------------------------------------- a file for download is made at the press of its button, for as long as its session shows its page


PAGE = """
import streamlit as st
from pages.ui.downloads import forget_other_page, show_download
page = st.session_state.get("next_page", "tables")
forget_other_page(page)
st.session_state["page"] = page
if page == "tables":
    show_download("Take", st.session_state["make"], "ä.csv", "text/csv", "take")
"""


@pytest.fixture
def page():
    app = AppTest.from_string(PAGE)
    app.session_state["make"] = lambda: "a,b\n"
    return app.run()


def press(app):
    """The address of the button, and what its route answers: status, headers, content."""
    address = app.get("link_button")[0].proto.url
    return address, *get(address)


def get(address):
    first, *rest = ask(f"/{address}", app=Router(routes()))
    headers = {name.decode(): text.decode() for name, text in first["headers"]}
    return first["status"], headers, b"".join(part["body"] for part in rest)


def test_the_file_is_made_at_the_press_and_has_its_name(page):
    _, status, headers, content = press(page)
    assert (status, content) == (200, b"a,b\n")
    assert headers["content-disposition"] == "attachment; filename*=UTF-8''%C3%A4.csv"
    assert headers["content-type"].startswith("text/csv") and headers["cache-control"] == "no-store"


def test_an_address_gives_what_its_page_shows_now(page):
    before = press(page)[0]
    page.session_state["make"] = lambda: b"new"
    address, _, _, content = press(page.run())
    assert address == before and content == b"new"
    # Nobody else's: another session has another address.
    other = AppTest.from_string(PAGE)
    other.session_state["make"] = lambda: "other"
    assert press(other.run())[0] != before


def test_what_cannot_be_made_is_a_sentence(page):
    def make():
        raise DataError("The survey has no reports yet.")

    page.session_state["make"] = make
    assert press(page.run())[1::2] == (409, b"The survey has no reports yet.")


def test_nothing_is_kept_of_a_page_that_was_left(page):
    address = press(page)[0]
    page.session_state["next_page"] = "errors"
    page.session_state["make"] = None
    page.run()
    gc.collect()
    status, _, text = get(address)
    assert (status, text.decode()) == (404, words.exports.GONE)


def test_the_shell_forgets_the_downloads_of_the_page_before(open_app):
    app = open_app("marginals", d="4", k="2", n="3000")
    assert "table.csv" in offered_files(app)
    address = app.get("link_button")[0].proto.url
    app.switch_page("../plan.py").run()
    assert app.session_state["page"] == "plan" and not app.exception
    assert "table.csv" not in offered_files(app)
    gc.collect()
    assert get(address)[0] == 404
