"""How connections end: a browser says goodbye where a tab is closed, and nothing where the network is lost.

Every connection gets a name of its own on its way in (`pages.ui.serving`), which a session finds among its
headers. Only names and how they ended are kept, the newest of them.
"""

import time
from collections import OrderedDict
from collections.abc import Callable

import streamlit as st

HEADER = "x-calm-connection"
# What a browser says where a page goes away (RFC 6455, 7.4.1).
GOING_AWAY = 1001
# Seconds for which a connection that was lost may come back to its session.
GRACE = 8.0
MOST = 10_000

_ENDED: OrderedDict[str, tuple[int, float]] = OrderedDict()
_OF_SESSION: OrderedDict[str, str] = OrderedDict()


def ended(connection: str, code: int, clock: Callable[[], float] = time.monotonic) -> None:
    """A connection is over; `code` says how."""
    _ENDED[connection] = code, clock()
    while len(_ENDED) > MOST:
        _ENDED.popitem(last=False)


def note(session: str) -> None:
    """Called by the shell: which connection a session has now."""
    name = st.context.headers.get(HEADER)
    if name is not None:
        _OF_SESSION[session] = name
        _OF_SESSION.move_to_end(session)
    while len(_OF_SESSION) > MOST:
        _OF_SESSION.popitem(last=False)


def may_come_back(session: str, clock: Callable[[], float] = time.monotonic) -> bool:
    """Whether a session that has no connection has lost it a moment ago, rather than its tab."""
    code, when = _ENDED.get(_OF_SESSION.get(session, ""), (GOING_AWAY, 0.0))
    return code != GOING_AWAY and clock() - when <= GRACE
