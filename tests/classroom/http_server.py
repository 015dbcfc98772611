"""A classroom with its routes on a port of its own, in a thread: the app without Streamlit around it."""

import http.client
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware

from calm_core.classroom.store import Store
from calm_core.classroom.survey import Question, Survey
from pages.panels.classroom.phone import routes
from pages.ui.serving import RequestGuard

JSON = {"Content-Type": "application/json"}


def survey(questions: int = 2, *, title: str = "How do we live?", epsilon: float = 2.0) -> Survey:
    """A survey of yes/no questions."""
    asked = [Question(f"q{i}", f"Question {i + 1}?", ("No", "Yes")) for i in range(questions)]
    return Survey(title, asked, epsilon=epsilon)


def ticket_of(number: int) -> str:
    """A ticket for the phone of that number."""
    return f"{number:022d}"


def ask(
    port: int,
    method: str,
    path: str,
    body: bytes | str | None = None,
    headers=JSON,
    *,
    patience: float = 30,
):
    """Status, headers and body of one request to a server on this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def phone_message(ticket: str, report: str | None = None) -> str:
    """What a phone posts."""
    return json.dumps({"ticket": ticket} | ({} if report is None else {"report": report}))


class ClassroomServer:
    """A store, its routes on a port, and what phones have asked there.

    Attributes
    ----------
    store : Store
    asked : list of (str, str, bytes)
        Method, path and body of every request, in order.
    failing : int
        So many posts more are answered by 503 and reach no store.
    """

    def __init__(self, path: Path, **options):
        self.path, self.options = path, options
        self.asked, self.failing, self.port = [], 0, 0
        self.start()

    def start(self) -> None:
        """Serve, on the port of before if there was one."""
        self.store = Store(self.path, **self.options)
        app = Starlette(routes=routes(lambda: self.store), middleware=[Middleware(RequestGuard)])
        config = uvicorn.Config(
            self._recorded(app), port=self.port, log_level="warning", timeout_graceful_shutdown=1
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            self._thread.join(0.01)
        self.port = self._server.servers[0].sockets[0].getsockname()[1]

    def stop(self) -> None:
        """End the server and close the file."""
        self._server.should_exit = True
        self._thread.join()
        self.store.stop()

    def _recorded(self, app):
        async def note(scope, receive, send):
            if scope["type"] != "http":
                return await app(scope, receive, send)
            body = b""

            async def heard():
                nonlocal body
                message = await receive()
                body += message.get("body", b"")
                return message

            async def answer(message):
                # Before the phone has its answer: whoever sees that may look here.
                if message["type"] == "http.response.start":
                    self.asked.append((scope["method"], scope["path"], body))
                await send(message)

            if scope["method"] == "POST" and self.failing:
                self.failing -= 1
                while (await heard()).get("more_body"):
                    pass
                await answer({"type": "http.response.start", "status": 503, "headers": []})
                await answer({"type": "http.response.body", "body": b"{}"})
            else:
                await app(scope, heard, answer)

        return note

    @property
    def address(self) -> str:
        """Where it is served."""
        return f"http://127.0.0.1:{self.port}"

    def page(self, code: str) -> str:
        """What a phone opens."""
        return f"{self.address}/r/{code}"

    def posts(self) -> list[tuple[str, bytes]]:
        """What was posted where, in order; joining left out, which is asked again and again."""
        return [
            (path.rsplit("/", 1)[1], body)
            for method, path, body in self.asked
            if method == "POST" and not path.endswith("join")
        ]

    def ask(self, method: str, path: str, body: bytes | str | None = None, headers=JSON):
        """Status, headers and body of one request."""
        return ask(self.port, method, path, body, headers)

    def post(self, code: str, what: str, ticket: str, report: str | None = None):
        """Status and JSON of what a phone posts."""
        status, _, content = self.ask("POST", f"/r/{code}/{what}", phone_message(ticket, report))
        return status, json.loads(content)

    def join_phones(self, code: str, phones: int) -> list[tuple[int, dict]]:
        """So many phones join, several at once."""
        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(lambda i: self.post(code, "join", ticket_of(i)), range(phones)))

    def open_class(self, asked: Survey | None = None, *, phones: int = 4, expected: int = 30):
        """Code and teacher of a survey that is open, made for so many phones that wait."""
        keys = self.store.create(asked or survey(), expected=expected)
        teacher = self.store.teacher(keys.teacher)
        self.join_phones(keys.code, phones)
        teacher.open()
        return keys.code, teacher


@contextmanager
def serve_classroom(folder: Path, **options) -> Iterator[ClassroomServer]:
    """A classroom whose file is in a folder; options are the store's."""
    room = ClassroomServer(folder / "classroom.sqlite3", **options)
    try:
        yield room
    finally:
        room.stop()
