"""Which sessions have a browser: the middleware names every connection, and the shell notes whose it is.

A browser says goodbye where a tab is closed, and nothing where the network is lost.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from secrets import token_hex

import streamlit as st

HEADER = "x-calm-connection"
# What a browser says where a page goes away (RFC 6455, 7.4.1).
GOING_AWAY = 1001
# Seconds for which a connection that was lost may come back to its session.
GRACE = 8.0
MAX_NAMES = 10_000

_OPEN: set[str] = set()
# How connections ended, and when; the connection of every session.
_ENDED: OrderedDict[str, tuple[int, float]] = OrderedDict()
_OF_SESSION: OrderedDict[str, str] = OrderedDict()


def _note(notes: OrderedDict, name: str, note: object) -> None:
    notes[name] = note
    notes.move_to_end(name)
    while len(notes) > MAX_NAMES:
        notes.popitem(last=False)


def open_connection() -> str:
    """A new name, for a connection that begins."""
    name = token_hex()
    _OPEN.add(name)
    return name


def end_connection(name: str, code: int, clock: Callable[[], float] = time.monotonic) -> None:
    """Note that a connection is over; `code` says how."""
    _OPEN.discard(name)
    _note(_ENDED, name, (code, clock()))


def session_name() -> str:
    """A name of this session that no other session has or can guess."""
    return st.session_state.setdefault("session_name", token_hex(8))


def note_session() -> None:
    """Called by the shell: note which connection this session has now."""
    name = st.context.headers.get(HEADER)
    if name is not None:
        _note(_OF_SESSION, session_name(), name)


def is_present(session: str, clock: Callable[[], float] = time.monotonic) -> bool:
    """Whether a session has a browser, or lost its connection a moment ago and not its tab.

    A session that never had a connection, as without a server, counts as present.
    """
    name = _OF_SESSION.get(session)
    if name is None or name in _OPEN:
        return True
    code, when = _ENDED.get(name, (GOING_AWAY, 0.0))
    return code != GOING_AWAY and clock() - when <= GRACE
