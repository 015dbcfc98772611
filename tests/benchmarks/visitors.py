"""Visitors without a browser: what one says over Streamlit's websocket, and what it is told.

A visitor opens a page by its link, has parts drawn again as often as the server asks for it, and says what
was chosen in a component as the browser does: the same messages, the same cache of messages.
"""

import asyncio
import json
import time
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

PATIENCE = 120.0
# Runs of the script for which a browser keeps a message that was cached.
CACHED_RUNS = 2


class Failed(Exception):
    """An exception on the screen, or a connection that the server ended."""


@dataclass(eq=False)
class Visitor:
    """One tab: `await open()`, then `choose` or `rerun`, and `close`.

    Attributes
    ----------
    address : str
        Of the server, http://127.0.0.1:8501.
    page, query : str
        The page's name in its path, "" for the first; what follows the question mark.
    screen : dict
        The newest element of every place that the server has drawn into, as protobuf.
    cookies : str
        Those that a proxy finds its process by; fetched by `open` where none are given.
    """

    address: str
    page: str = ""
    query: str = ""
    session: str = ""
    screen: dict = field(default_factory=dict)
    cookies: str = ""

    def __post_init__(self):
        self._socket = self._reader = None
        self._finished = asyncio.Event()
        self._failure: str | None = None
        self._cached: dict[str, tuple[int, ForwardMsg]] = {}
        self._runs = 0
        self._widgets: dict[str, dict] = {}
        # Choices that the server has not confirmed, by widget and field; its number is its time.
        self._choices: dict[str, dict[str, list[dict]]] = {}
        self._last, self._tries = 0, 0
        self._clocks: dict[str, tuple[float, asyncio.Task]] = {}
        self._fragments: dict[str, str] = {}
        self._begun = False
        self._script = ""
        # What the run that is on has drawn; of a part of the page alone it is no whole screen.
        self._drawn: set[tuple] = set()
        self._joint_fit = True

    async def open(self) -> float:
        """Connect and have the page drawn; seconds until it is."""
        began = time.monotonic()
        self._failure = None
        if not self.cookies:
            self.cookies = await asyncio.to_thread(fetch_cookies, self.address)
        url = f"ws://{urlsplit(self.address).netloc}/_stcore/stream"
        # The second is a token that nobody asks for here, and may not be empty.
        protocols = ["streamlit", "none", self.session] if self.session else ["streamlit"]
        self._socket = await connect(
            url, origin=self.address, max_size=None, compression=None, subprotocols=protocols,
            additional_headers={"Cookie": self.cookies} if self.cookies else None,
        )  # fmt: skip
        self._reader = asyncio.create_task(self._read())
        await self._ask()
        await self.wait_until_drawn()
        return time.monotonic() - began

    async def choose(self, key: str, name: str, value: object) -> float:
        """Say that `value` was chosen under `name` in the component `key`; seconds until the page is drawn."""
        began = time.monotonic()
        widget = self.component(key).id
        self._last = max(self._last + 1, int(time.time() * 1000))
        choices = self._choices.setdefault(widget, {}).setdefault(name, [])
        choices.append({"value": value, "at": self._last})
        self._widgets.setdefault(widget, {})[name] = list(choices)
        await self._ask(self._fragments.get(widget, ""))
        await self.wait_until_drawn()
        return time.monotonic() - began

    async def confirm(self, seconds: float = 60.0) -> None:
        """As the components do: send again what the server has not confirmed, until it has.

        Raises
        ------
        Failed
            If it does not within so many seconds.
        """
        until = time.monotonic() + seconds
        while waiting := [
            (widget, name)
            for widget, fields in self._choices.items()
            for name, choices in fields.items()
            if choices
        ]:
            if time.monotonic() > until:
                raise Failed(f"not confirmed: {waiting}")
            self._tries += 1
            for widget, name in waiting:
                choices = [
                    choice | {"tries": self._tries} for choice in self._choices[widget][name]
                ]
                self._widgets[widget][name] = choices
            await self._ask(self._fragments.get(waiting[0][0], ""))
            await self.wait_until_drawn()

    async def rerun(self) -> float:
        """Have the page drawn once more; seconds until it is."""
        began = time.monotonic()
        await self._ask()
        await self.wait_until_drawn()
        return time.monotonic() - began

    async def wait_until_drawn(self) -> None:
        """Until the run that was asked for last is over; what went wrong is raised."""
        await asyncio.wait_for(self._finished.wait(), PATIENCE)
        if self._failure:
            raise Failed(self._failure)

    def component(self, key: str):
        """A component of ours on the screen."""
        for element in self.screen.values():
            found = element.bidi_component
            if element.WhichOneof("type") == "bidi_component" and found.id.endswith(f"-{key}"):
                return found
        told = [one.alert.body for one in self.screen.values() if one.WhichOneof("type") == "alert"]
        raise Failed(f"no component {key} on the screen of {self.page or 'start'}, but {told}")

    async def close(self) -> None:
        """Close the tab."""
        self._stop_clocks()
        if self._socket is not None:
            # As a browser says it.
            await self._socket.close(code=1001)
        if self._reader is not None:
            self._reader.cancel()
            with suppress(asyncio.CancelledError):
                await self._reader

    async def lose(self) -> None:
        """The network is gone: nobody says goodbye. `open` comes back to the same session."""
        self._stop_clocks()
        self._reader.cancel()
        self._socket.transport.abort()

    async def _ask(self, fragment: str = "", by_clock: bool = False) -> None:
        message = BackMsg()
        client = message.rerun_script
        client.query_string = self.query
        client.page_name = self.page if not self._script else ""
        client.page_script_hash = self._script
        client.fragment_id, client.is_auto_rerun = fragment, by_clock
        client.cached_message_hashes.extend(self._cached)
        client.context_info.timezone, client.context_info.locale = "Europe/London", "en-GB"
        client.context_info.url = f"{self.address}/{self.page}"
        for widget, told in self._widgets.items():
            state = client.widget_states.widgets.add()
            state.id, state.json_value = widget, json.dumps(told)
        if not by_clock:
            self._finished.clear()
            # The answer to this question is a run that has not begun yet.
            self._begun = False
        await self._socket.send(message.SerializeToString())

    async def _read(self) -> None:
        try:
            async for data in self._socket:
                message = ForwardMsg()
                message.ParseFromString(data)
                self._hear(message)
            self._fail("the connection ended")
        except ConnectionClosed as error:
            self._fail(f"the connection ended: {error}")
        # A visitor that hears no more would wait, and the server be blamed for its silence.
        except Exception as error:
            self._fail(f"a message was not understood: {type(error).__name__} {error}")

    def _fail(self, text: str) -> None:
        self._failure = text
        self._finished.set()

    def _hear(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            places = tuple(message.metadata.delta_path)
            message = self._cached[message.ref_hash][1]
            kind = message.WhichOneof("type")
        else:
            places = tuple(message.metadata.delta_path)
        if message.hash and message.metadata.cacheable:
            self._keep(message)
        if kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self._draw(places, message.delta)
        elif kind == "new_session":
            self.session = message.new_session.initialize.session_id or self.session
            self._begun = True
            self._drawn, self._joint_fit = set(), not message.metadata.run.fragment_ids
        elif kind == "navigation":
            self._script = message.navigation.page_script_hash
        elif kind == "auto_rerun":
            self._set_clock(message.auto_rerun.fragment_id, message.auto_rerun.interval)
        elif kind == "stop_auto_rerun":
            for fragment in message.stop_auto_rerun.fragment_ids:
                self._stop_clocks(fragment)
        elif kind == "script_finished":
            self._end(message.script_finished)

    def _draw(self, place: tuple, delta: Delta) -> None:
        element = self.screen[place] = delta.new_element
        self._drawn.add(place)
        if element.WhichOneof("type") == "bidi_component":
            self._fragments[element.bidi_component.id] = delta.fragment_id
            self._hear_confirmed(element.bidi_component)
        if element.WhichOneof("type") == "exception":
            self._failure = f"{element.exception.type}: {element.exception.message}"[:300]

    def _hear_confirmed(self, component) -> None:
        confirmed = (json.loads(component.json or "null") or {}).get("confirmed", {})
        for name, choices in self._choices.get(component.id, {}).items():
            choices[:] = [choice for choice in choices if choice["at"] > confirmed.get(name, 0)]

    def _end(self, how: int) -> None:
        if how == ForwardMsg.FINISHED_SUCCESSFULLY and self._begun:
            self._runs += 1
            old = [
                name for name, (run, _) in self._cached.items() if run + CACHED_RUNS < self._runs
            ]
            for name in old:
                del self._cached[name]
            # As in a browser, what a run has not drawn again goes with its end.
            for place in set(self.screen) - self._drawn if self._joint_fit else ():
                del self.screen[place]
            self._finished.set()
        elif how == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
            self._fail("the script does not compile")

    def _keep(self, message: ForwardMsg) -> None:
        self._cached[message.hash] = self._runs, message

    def _set_clock(self, fragment: str, seconds: float) -> None:
        if self._clocks.get(fragment, (0.0,))[0] != seconds:
            self._stop_clocks(fragment)
            self._clocks[fragment] = seconds, asyncio.create_task(self._tick(fragment, seconds))

    async def _tick(self, fragment: str, seconds: float) -> None:
        with suppress(ConnectionClosed):
            while True:
                await asyncio.sleep(seconds)
                await self._ask(fragment, by_clock=True)

    def _stop_clocks(self, *fragments: str) -> None:
        for fragment in fragments or list(self._clocks):
            if fragment in self._clocks:
                self._clocks.pop(fragment)[1].cancel()


def fetch_cookies(address: str) -> str:
    """The cookies that a browser gets with the page: among them the one that a proxy finds its process by."""
    with urllib.request.urlopen(address) as answer:
        given = answer.headers.get_all("Set-Cookie") or []
    return "; ".join(cookie.partition(";")[0] for cookie in given)


def seconds_worked(server: int) -> float:
    """Processor time of the server and of what it has started, those that have ended included."""
    process = psutil.Process(server)
    total = 0.0
    for one in (process, *process.children(recursive=True)):
        with suppress(psutil.Error):
            times = one.cpu_times()
            total += times.user + times.system
            if one.pid == server:
                total += times.children_user + times.children_system
    return total
