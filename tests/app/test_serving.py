"""What stands around the app: names it answers to, closed doors, headers; in front of a small app."""

import asyncio
import hashlib
import inspect
import re
import socket
import threading
from base64 import b64encode
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from inspect import unwrap
from pathlib import Path
from types import SimpleNamespace
from weakref import ref

import pytest
import streamlit as st
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit import config, net_util
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.web.server.server_util import is_url_from_allowed_origins

from pages.ui import connections, drawing
from pages.ui.serving import Guarded, content_policy, disable_external_ip_lookup, is_known_host
from pages.ui.uploads.raw_files import MAX_IN_ALL, MAX_OF_ONE


async def small_app(scope, receive, send):
    if scope["type"] == "lifespan":
        await send({"type": "lifespan.startup.complete"})
    elif scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"page"})


def asked(path: str = "/", host: str | None = "localhost:8501", kind: str = "http") -> list[dict]:
    """All that is sent for one request."""
    headers = [] if host is None else [(b"host", host.encode())]
    scope = {"type": kind, "path": path, "method": "GET", "headers": headers}
    sent = []

    async def send(message) -> None:
        sent.append(message)

    # In a thread of its own: Playwright keeps a loop running in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, Guarded(small_app)(scope, None, send)).result()
    return sent


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:8501", "127.0.0.1:80", "192.168.1.20:8501", "[::1]:8501", "localhost.",
     socket.gethostname(), f"{socket.gethostname()}.local:8501"],
)  # fmt: skip
def test_the_server_answers_to_its_own_names(host):
    assert asked(host=host)[0]["status"] == 200


@pytest.mark.parametrize(
    "host",
    [None, "", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "[::1", "a@", ":8501",
     "1", "127.1", "0x7f.0.0.1"],
)  # fmt: skip
def test_a_foreign_name_is_refused(host):
    assert asked(host=host)[0]["status"] == 421
    assert asked(host=host, kind="websocket")[0]["type"] == "websocket.close"


def test_a_list_of_names_is_all_there_is():
    config.set_option("server.allowedHosts", ["lab.example.org", "*.School.example"])
    try:
        for host in ("lab.example.org", "LAB.example.org:443", "a.school.example"):
            assert asked(host=host)[0]["status"] == 200
        for host in ("localhost", "127.0.0.1", "school.example", "evilschool.example"):
            assert asked(host=host)[0]["status"] == 421
    finally:
        config.set_option("server.allowedHosts", [])
    assert is_known_host("anything.example", ["*"])


@pytest.mark.parametrize(
    "path",
    [
        "/_stcore/metrics",
        "/_stcore/agent/interact",
        "/_stcore/agent/openapi.json",
        "/base/_stcore/metrics",
    ],
)
def test_streamlits_side_doors_are_closed(path):
    assert asked(path)[0]["status"] == 404


@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/_stcore/stream", "/agent", "/media/a"])
def test_what_the_app_needs_is_open_and_has_its_headers(path):
    start, _ = asked(path)
    assert start["status"] == 200
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["content-security-policy"] == content_policy()
    assert asked(path, kind="websocket") == [{"type": "websocket.accept"}]


def test_the_start_of_the_server_is_handed_on():
    assert asked(kind="lifespan") == [{"type": "lifespan.startup.complete"}]


def test_no_script_written_into_a_page_runs_but_streamlits_own():
    scripts = re.search(r"script-src ([^;]*);", content_policy())[1].split()
    assert "'unsafe-inline'" not in scripts and "'unsafe-eval'" not in scripts
    page = (Path(st.__file__).parent / "static" / "index.html").read_text("utf-8")
    inline = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = {
        f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in inline
    }
    assert hashes and hashes == {one for one in scripts if one.startswith("'sha256")}
    assert "frame-ancestors 'self'" in content_policy()


def test_nobody_else_on_the_network_is_served_unless_asked_for_and_no_code_is_shown():
    assert config.get_option("server.address") == "127.0.0.1"
    assert config.get_option("client.showErrorDetails") == "none"
    assert not config.get_option("server.enableAgentApi")


def test_a_foreign_page_that_wants_to_connect_has_nobody_asked_outside(monkeypatch):
    """Streamlit's own thread would wait for the answer, and nobody be served meanwhile."""
    asked = []
    monkeypatch.setattr(net_util, "_external_ip", None)
    monkeypatch.setattr(
        net_util, "_make_blocking_http_get", lambda *told, **how: asked.append(told)
    )
    # Another test may have started the app; what is set here is set back afterwards.
    monkeypatch.setattr(net_util, "get_external_ip", unwrap(net_util.get_external_ip))
    assert not is_url_from_allowed_origins("http://evil.example")
    assert asked, "Streamlit asks nobody any more: then nothing is to be prevented"
    asked.clear()
    disable_external_ip_lookup()
    assert not is_url_from_allowed_origins("http://evil.example")
    assert not asked


def test_text_is_the_end_of_a_connection_that_knows_bytes_only():
    heard = []

    async def app(scope, receive, send):
        heard.append(await receive())

    async def receive():
        return {"type": "websocket.receive", "text": "hello"}

    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": [(b"host", b"localhost")]}
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, Guarded(app)(scope, receive, None)).result()
    assert [message["type"] for message in heard] == ["websocket.disconnect"]


def test_who_has_gone_while_something_is_sent_is_told_by_what_is_heard_next():
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
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, Guarded(app)(scope, receive, send)).result()
    assert heard == [1006]


class Sender:
    """Uploads that begin and do not go on, through the middleware around an app that reads them as Streamlit does."""

    def __init__(self):
        self.read, self.ends = Counter(), asyncio.Event()
        self._app = Guarded(self._streamlit)

    async def _streamlit(self, scope, receive, send) -> None:
        if "unknown" not in scope["path"]:
            while (await receive())["more_body"]:
                self.read[scope["path"].split("/")[-2]] += 1
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def status(self, session: str, size: str | None, method: str = "PUT") -> int:
        sent, parts = [], iter([True])

        async def receive() -> dict:
            if not next(parts, False):
                await self.ends.wait()
                return {"type": "http.request", "body": b"", "more_body": False}
            return {"type": "http.request", "body": b"", "more_body": True}

        async def send(message) -> None:
            sent.append(message)

        headers = [(b"host", b"localhost")]
        headers += [] if size is None else [(b"content-length", size.encode())]
        path = f"/lab/_stcore/upload_file/{session}/{len(self.read)}"
        await self._app(
            {"type": "http", "path": path, "method": method, "headers": headers}, receive, send
        )
        assert [message["type"] for message in sent] == [
            "http.response.start",
            "http.response.body",
        ]
        return sent[0]["status"]

    async def begin(self, *files) -> list[asyncio.Task]:
        """Files that are on their way once this is over, or refused already."""
        tasks = [asyncio.create_task(self.status(*file)) for file in files]
        for _ in range(10):
            await asyncio.sleep(0)
        return tasks


def sending(scene) -> None:
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(scene())).result()


HALF = str(MAX_OF_ONE // 2)


def test_of_one_tab_only_so_much_is_on_its_way():
    async def scene():
        sender = Sender()
        # What comes in parts may be as large as any; who is no session is not read, and so not counted.
        first, endless, third, unknown = await sender.begin(
            ("a", HALF), ("a", None), ("a", HALF), ("unknown", HALF)
        )
        (small,) = await sender.begin(("b", "20000"))
        assert [third.done(), unknown.done(), first.done(), small.done()] == [
            True,
            True,
            False,
            False,
        ]
        sender.ends.set()
        told = await asyncio.gather(first, endless, third, unknown, small)
        assert told == [204, 204, 503, 204, 204]
        assert await asyncio.gather(*await sender.begin(("a", HALF), ("a", HALF))) == [204, 204]

    sending(scene)


def test_where_too_much_is_on_its_way_who_sends_most_gives():
    async def scene():
        sender = Sender()
        hostile = [(f"h{i // 2}", HALF) for i in range(2 * (MAX_IN_ALL // MAX_OF_ONE))]
        held = await sender.begin(*hostile)
        room = MAX_IN_ALL - len(hostile) * int(HALF)
        (fills,) = await sender.begin(("c", str(min(room, MAX_OF_ONE))))
        (small,) = await sender.begin(("d", "1000000"))
        assert (
            [task.done() for task in held].count(True) == 1
            and not small.done()
            and not fills.done()
        )
        # Nobody who sends as much as those who are there already comes before them.
        (large,) = await sender.begin(("e", str(MAX_OF_ONE)))
        assert large.done()
        sender.ends.set()
        told = await asyncio.gather(*held, fills, small, large)
        assert told.count(503) == 2 and told[-3:] == [204, 204, 503]

    sending(scene)


@pytest.mark.parametrize("code, back", [(1001, False), (1006, True), (1005, True)])
def test_a_connection_that_was_lost_may_come_back_and_a_closed_tab_does_not(
    monkeypatch, code, back
):
    """Through the middleware: the session finds the connection's name among its headers."""
    met = []

    async def app(scope, receive, send):
        met.append(dict(scope["headers"]))
        await receive()

    async def receive():
        return {"type": "websocket.disconnect", "code": code}

    headers = [(b"host", b"localhost"), (connections.HEADER.encode(), b"of a stranger")]
    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": headers}
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, Guarded(app)(scope, receive, None)).result()
    name = met[0][connections.HEADER.encode()].decode()
    assert name != "of a stranger"
    own = SimpleNamespace(context=SimpleNamespace(headers={connections.HEADER: name}))
    monkeypatch.setattr(connections, "st", own)
    connections.note("a session")
    assert connections.may_come_back("a session") is back
    later = connections.time.monotonic() + connections.GRACE + 1
    assert not connections.may_come_back("a session", clock=lambda: later)
    assert not connections.may_come_back("another")


def queue_of(loop, monkeypatch) -> ForwardMsgQueue:
    """What waits to be sent to the only session of a server."""
    said = ForwardMsgQueue()
    session = SimpleNamespace(
        _browser_queue=said, _event_loop=loop, _call_soon_on_event_loop=loop.call_soon_threadsafe
    )
    assert all(name in inspect.getsource(AppSession) for name in vars(session))
    sessions = SimpleNamespace(
        get_active_session_info=lambda name: SimpleNamespace(session=session)
    )
    server = SimpleNamespace(_session_mgr=sessions)
    monkeypatch.setattr(connections.runtime, "exists", lambda: True)
    monkeypatch.setattr(connections.runtime, "get_instance", lambda: server)
    return said


def test_what_is_asked_for_waits_until_the_run_before_is_sent(monkeypatch):
    """Else Streamlit drops what that run has drawn: somebody has clicked, and sees nothing happen."""
    heard, ended = [], threading.Event()

    async def app(scope, receive, send):
        loop = asyncio.get_running_loop()
        name = dict(scope["headers"])[connections.HEADER.encode()].decode()
        own = SimpleNamespace(context=SimpleNamespace(headers={connections.HEADER: name}))
        monkeypatch.setattr(connections, "st", own)
        connections.note("a session")
        drawn, said = threading.Event(), queue_of(loop, monkeypatch)

        def end():
            heard.append("the end of the run")
            said.enqueue(ForwardMsg())

        def run():
            connections.begun("a session")
            connections.drawn("a session")
            drawn.set()
            ended.wait(60)
            loop.call_soon_threadsafe(end)

        thread = threading.Thread(target=run)
        thread.start()
        drawn.wait(60)
        question = asyncio.create_task(receive())
        done, _ = await asyncio.wait([question], timeout=10 * connections.LOOK)
        assert not done, "it overtook what the run has drawn"
        ended.set()
        done, _ = await asyncio.wait([question], timeout=10 * connections.LOOK)
        assert not done, "what is said is not sent yet"
        said.flush()
        heard.append((await question)["type"])
        thread.join(60)
        # Another run has begun in the meantime: it may be cut short.
        connections.drawn("a session")
        connections.begun("a session")
        heard.append((await asyncio.wait_for(receive(), 10))["type"])

    async def receive():
        return {"type": "websocket.receive", "bytes": b""}

    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": [(b"host", b"localhost")]}
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, Guarded(app)(scope, receive, None)).result()
    assert heard == ["the end of the run", "websocket.receive", "websocket.receive"]


@pytest.mark.parametrize("waits", [False, True])
def test_a_run_ends_when_its_page_is_on_its_way_where_the_next_already_waits(waits, monkeypatch):
    """Else that one begins first, and Streamlit drops what this one has drawn of the part: the table is gone."""
    loop, requests = asyncio.new_event_loop(), ScriptRequests()
    said = queue_of(loop, monkeypatch)
    context = SimpleNamespace(script_requests=requests, session_id="a session")
    monkeypatch.setattr(connections, "get_script_run_ctx", lambda: context)
    if waits:
        requests.request_rerun(RerunData(fragment_id="the table", is_auto_rerun=True))

    def draw():
        with drawing.one():
            pass

    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    # As a script says something: by way of the server's own thread.
    loop.call_soon_threadsafe(said.enqueue, ForwardMsg())
    run = threading.Thread(target=draw)
    run.start()
    run.join(10 * connections.LOOK if waits else 60)
    assert run.is_alive() is waits
    loop.call_soon_threadsafe(said.flush)
    run.join(60)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(60)
    loop.close()
    assert not run.is_alive() and said.is_empty()


def test_a_run_that_is_over_is_not_held_with_all_its_session(monkeypatch):
    monkeypatch.setitem(connections._OF_SESSION, "a session", "a connection")
    thread = threading.Thread(target=connections.drawn, args=("a session",))
    thread.start()
    thread.join()
    held = ref(thread)
    del thread
    assert held() is None
