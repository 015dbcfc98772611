"""How connections end: a browser says goodbye where a tab is closed, and nothing where the network is lost.

Every connection gets a name of its own on its way in (`pages.ui.serving`), which a session finds among its
headers. Only names and how they ended are kept, the newest of them.

A message that comes while the end of a run is on its way to the browser waits for it: Streamlit would begin a
new run for it, and drop what the old one has not delivered yet, so that a page that was drawn was never seen. Where
one has come earlier, as from the clock of a part that draws itself again, the run waits before it ends.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from threading import Event, RLock, Thread, current_thread
from weakref import WeakValueDictionary, ref

import streamlit as st
from streamlit import runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequest, ScriptRequestType
from streamlit.runtime.state import SafeSessionState

HEADER = "x-calm-connection"
# What a browser says where a page goes away (RFC 6455, 7.4.1).
GOING_AWAY = 1001
# Seconds for which a connection that was lost may come back to its session.
GRACE = 8.0
MAX_KEPT = 10_000
# Seconds between two looks whether the end of a run is sent; after which a run ends though it is not.
LOOK, LONGEST = 0.01, 5.0

_ENDED: OrderedDict[str, tuple[int, float]] = OrderedDict()
_OF_SESSION: OrderedDict[str, str] = OrderedDict()
# The threads of runs that are over but for what Streamlit does itself, with the names of their sessions, by
# connection; a thread holds its session.
_DRAWN: OrderedDict[str, tuple[ref[Thread], str]] = OrderedDict()
# What one run of a session at a time holds while it takes what was chosen, by the session's name; gone with them.
_TURNS: WeakValueDictionary[str, RLock] = WeakValueDictionary()
_TAKING = RLock()


def _note(kept: OrderedDict, name: str, thing: object) -> None:
    kept[name] = thing
    kept.move_to_end(name)
    while len(kept) > MAX_KEPT:
        kept.popitem(last=False)


def ended(connection: str, code: int, clock: Callable[[], float] = time.monotonic) -> None:
    """A connection is over; `code` says how."""
    _note(_ENDED, connection, (code, clock()))


def note(session: str) -> None:
    """Called by the shell: which connection a session has now."""
    name = st.context.headers.get(HEADER)
    if name is not None:
        _note(_OF_SESSION, session, name)


def may_come_back(session: str, clock: Callable[[], float] = time.monotonic) -> bool:
    """Whether a session that has no connection has lost it a moment ago, rather than its tab."""
    code, when = _ENDED.get(_OF_SESSION.get(session, ""), (GOING_AWAY, 0.0))
    return code != GOING_AWAY and clock() - when <= GRACE


def begun(session: str) -> None:
    """A run of the script begins."""
    _DRAWN.pop(_OF_SESSION.get(session, ""), None)


def drawn(session: str) -> None:
    """A run of the script has drawn all it had to; its thread goes on to say so, and ends."""
    if session in _OF_SESSION:
        _note(_DRAWN, _OF_SESSION[session], (ref(current_thread()), session))


def watch_no_files() -> None:
    """Called once where the server starts: a session that comes back watches no files where a new one does not.

    Streamlit asks its option for new sessions only. For one that comes back it would look at every file that is
    imported, a third of a second in which nobody is served; after a lost network a whole class comes back.
    """
    register = AppSession.register_file_watchers

    @wraps(register)
    def register_where_wanted(self: AppSession) -> None:
        if st.get_option("server.fileWatcherType") != "none":
            register(self)

    AppSession.register_file_watchers = register_where_wanted


def answer_in_turn() -> None:
    """Called once where the server starts: a run takes what was chosen where the one before has heard it to its end.

    Streamlit begins the next run in a thread of its own beside one that still answers: of what both write into the
    state of the session, some would be lost. A run that waits for another is given up as ever before it takes anything.
    """
    take = SafeSessionState.on_script_will_rerun

    @wraps(take)
    def take_in_turn(self: SafeSessionState, *states, **more) -> None:
        context = get_script_run_ctx()
        with _turn(context.session_id) if context is not None else nullcontext():
            self._yield_callback()
            with unbroken():
                take(self, *states, **more)

    SafeSessionState.on_script_will_rerun = take_in_turn


def _turn(session: str) -> RLock:
    """What the runs of a session hold one after another."""
    with _TAKING:
        held = _TURNS.get(session) or RLock()
        _TURNS[session] = held
        return held


@contextmanager
def unbroken() -> Iterator[None]:
    """What was chosen is heard to its end: amid this no run is given up for another, with half of it done or nothing.

    Streamlit tells a run to stop where the next begins, and where its tab is closed, which ends it all the same.
    """
    context = get_script_run_ctx()
    requests = context.script_requests if context is not None else None
    if context is None or requests is None or "on_scriptrunner_yield" in vars(requests):
        yield
        return
    ask = requests.on_scriptrunner_yield

    def stops() -> ScriptRequest | None:
        wanted = requests._state is ScriptRequestType.STOP
        return ask() if wanted and _open_session(context.session_id) is None else None

    requests.on_scriptrunner_yield = stops
    try:
        yield
    finally:
        del requests.on_scriptrunner_yield


def deliver() -> None:
    """Called in the thread of a run that is drawn: where the next already waits, until this one's page is on its way."""
    context = get_script_run_ctx()
    requests = context.script_requests if context is not None else None
    if context is None or requests is None or requests._state is not ScriptRequestType.RERUN:
        return
    session, on_its_way = _open_session(context.session_id), Event()
    if session is None:
        return

    def look() -> None:
        # In the server's thread: whatever the run has said before it asked stands in the queue by now.
        if _is_sent(context.session_id):
            on_its_way.set()
        else:
            session._event_loop.call_later(LOOK, look)

    session._call_soon_on_event_loop(look)
    on_its_way.wait(LONGEST)


def _open_session(name: str) -> AppSession | None:
    """The session of this name, where a tab shows it."""
    if not runtime.exists():
        return None
    found = runtime.get_instance()._session_mgr.get_active_session_info(name)
    return None if found is None else found.session


def _is_sent(name: str) -> bool:
    """Whether nothing that was drawn for a session waits to be sent; asked in the server's thread."""
    session = _open_session(name)
    return session is None or session._browser_queue.is_empty()


async def sent(connection: str) -> None:
    """Until all that the last run has drawn is on its way to the browser, where that run is over."""
    held = _DRAWN.get(connection)
    if held is None:
        return
    run, session = held
    while (thread := run()) and thread.is_alive() and _DRAWN.get(connection) is held:
        await asyncio.sleep(LOOK)
    # What it has said last stands in the queue before this.
    await asyncio.sleep(0)
    while not _is_sent(session) and _DRAWN.get(connection) is held:
        await asyncio.sleep(LOOK)
    if _DRAWN.get(connection) is held:
        del _DRAWN[connection]
