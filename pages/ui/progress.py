"""How far long work is, and a way to stop it; every look lets Streamlit end a run nobody waits for any more."""

import ctypes
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread
from typing import Generic, NamedTuple, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages import words

# Seconds until work is told of, and between two looks at it.
SLOW, PAUSE = 1.0, 0.1
Thing = TypeVar("Thing")
Notify = Callable[[int, int], None]


def draw(done: float, total: float, text: str, bar: DeltaGenerator | None = None) -> None:
    """A bar where the page stands, or in place of what `bar` shows."""
    (bar or st).progress(min(1.0, done / max(1, total)), text=text)


class Progress:
    """A bar in one place, moved while one run of a page works: ten times a second at most.

    Parameters
    ----------
    text : str
        Said beside the bar unless a step says more.
    clock : callable
        Time in seconds.

    Examples
    --------
    >>> progress = Progress("Measuring")                     # doctest: +SKIP
    >>> progress.show(3, 28)                                 # doctest: +SKIP
    """

    def __init__(self, text: str, *, clock: Callable[[], float] = time.monotonic):
        self._text, self._clock = text, clock
        self._slot, self._next = st.empty(), -math.inf

    def show(self, done: float, total: float, text: str | None = None) -> None:
        """Say that `done` of `total` steps are done."""
        if self._clock() >= self._next:
            self._next = self._clock() + PAUSE
            draw(done, total, text or self._text, self._slot)


class Room(NamedTuple):
    """Where work is told of, the key of its button, and what the button does."""

    slot: DeltaGenerator
    key: str
    stop: Callable[[], None]


@contextmanager
def room(key: str, stop: Callable[[], None]) -> Iterator[None]:
    """Within it `wait_for` tells here what is at work; `stop` is called where somebody stops it."""
    state = st.session_state
    around = state.get("at_work")
    with st.container(key=f"at_work_{key}"):
        state["at_work"] = Room(st.empty(), key, stop)
    try:
        yield
    finally:
        state["at_work"] = around


class Stopped(Exception):
    """Inside work that nobody waits for any more."""


class Pace:
    """How far work is, and how long the rest takes at the pace since it was first heard of.

    Examples
    --------
    >>> pace = Pace(clock=iter([0.0, 4.0]).__next__)
    >>> pace.left is None
    True
    >>> pace.reach(10, 100); pace.reach(30, 100)
    >>> pace.left
    14.0
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self.done = self.total = 0
        self.left: float | None = None
        self._clock, self._first = clock, None

    def reach(self, done: int, total: int) -> None:
        """`done` of `total` steps are done; where they begin anew, so does the pace."""
        now = self._clock()
        if self._first is None or total != self.total or done < self.done:
            self._first = now, done
        started, before = self._first
        self.done, self.total = done, total
        some = done > before
        self.left = (now - started) * (total - done) / (done - before) if some else None


class _Worker(Generic[Thing]):
    """Work in a thread that can be left."""

    def __init__(self, work: Callable[[Notify], Thing]):
        self._work, self._future = work, Future()
        self._lock, self._gone, self._ended = Lock(), Event(), False
        self._thread: Thread | None = None

    def start(self, notify: Notify) -> Future[Thing]:
        """Begin; what is given holds what comes of it."""
        self._thread = Thread(target=self._do, args=(notify,), daemon=True)
        self._thread.start()
        return self._future

    def check(self) -> None:
        """Called by the work: raises where nobody waits for it."""
        if self._gone.is_set():
            raise Stopped

    def leave(self) -> None:
        """Nobody waits any more: what is still at work ends, however long it tells nothing."""
        with self._lock:
            self._gone.set()
            if not self._ended and self._thread is not None and self._thread.ident is not None:
                thread = ctypes.c_ulong(self._thread.ident)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(Stopped))

    def _do(self, notify: Notify) -> None:
        # It may be ended at any instruction, these too.
        with suppress(Stopped):
            try:
                result = self._work(notify)
                self._end()
                self._future.set_result(result)
            # Whatever it is, who waits gets it.
            except BaseException as error:
                self._end()
                self._future.set_exception(error)

    def _end(self) -> None:
        """From here on the thread, or another that has its number by then, is left alone."""
        with self._lock:
            self._ended = True


def wait_for(
    work: Callable[[Notify], Thing],
    say: Callable[[int, int, float | None], str],
    *,
    stop: Callable[[], None] | None = None,
) -> Thing:
    """What `work` gives; after a second the page says how far it is, and has a button that stops it.

    The work is done in a thread, and may so be long silent. Where it is not waited for any more (Stop, other
    settings, a tab that was closed), it ends with the next instruction that Python runs in it.

    Parameters
    ----------
    work : callable
        Given `notify(done, total)`, which it calls as often as it likes; draws nothing.
    say : callable
        Steps done, steps in all (0 before any is known), seconds left or None: what the page says.
    stop : callable, optional
        What the button does; else what the `room` has it do.
    """
    pace, worker = Pace(), _Worker(work)

    def notify(done: int, total: int) -> None:
        worker.check()
        pace.reach(done, total)

    started, future = time.monotonic(), worker.start(notify)
    place, bar = st.session_state.get("at_work"), None
    try:
        while not wait([future], PAUSE).done:
            if place is None:
                continue
            if bar is None and time.monotonic() - started >= SLOW:
                bar = _button_and_bar(place, stop or place.stop)
            if bar is None:
                # Nothing to be seen, but a look of Streamlit at whether the run is still wanted.
                place.slot.empty()
            else:
                draw(pace.done, pace.total, say(pace.done, pace.total, pace.left), bar)
        return future.result()
    finally:
        worker.leave()
        if place is not None:
            place.slot.empty()


def _button_and_bar(place: Room, stop: Callable[[], None]):
    """The button, once: Streamlit wants no second one of that name; and where the bar moves."""
    with place.slot.container(horizontal=True, vertical_alignment="center"):
        bar = st.empty()
        st.button(words.shared.STOP, key=f"stop_{place.key}", icon=":material/stop:", on_click=stop)
    return bar
