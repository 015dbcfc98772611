"""How far long work is, and ways to stop it."""

import gc
import time
from collections.abc import Callable, Generator, Hashable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from threading import Event, Lock, Thread
from traceback import clear_frames
from typing import Any, NamedTuple, TypeVar

import streamlit as st

from calm_core.runtime.cancellation import cancellable, set_cancel_hook
from calm_core.runtime.processes import trim_memory
from pages import words

# Seconds until progress is shown, and between two looks at it.
SLOW, PAUSE = 1.0, 0.1
# Work of the server itself: Streamlit would warn that it belongs to no page.
_HIDDEN: ContextVar[bool] = ContextVar("hidden", default=False)
Thing = TypeVar("Thing")
Notify = Callable[[int, int], None]


def draw_bar(done: float, total: float, text: str, bar: Any = None) -> None:
    """Draw a progress bar at this place of the page, or in `bar`."""
    (bar or st).progress(min(1.0, done / max(1, total)), text=text)


class WorkArea(NamedTuple):
    """Where progress is shown, keys of its buttons (one run may wait twice), and what they do."""

    slot: Any
    keys: Iterator[str]
    stop: Callable[[], None]


@contextmanager
def work_area(key: str, stop: Callable[[], None]) -> Generator[None]:
    """Within it `wait_for` shows its progress here; `stop` is called when the user stops the work."""
    state = st.session_state
    around = state.get("at_work")
    with st.container(key=f"at_work_{key}"):
        state["at_work"] = WorkArea(st.empty(), (f"stop_{key}_{i}" for i in count()), stop)
    try:
        yield
    finally:
        state["at_work"] = around


def finish_warm_up() -> None:
    """Called once what every page needs is there, which no garbage collection needs to visit again."""
    gc.collect()
    gc.freeze()


def hide_progress() -> None:
    """From now on this thread shows no progress."""
    _HIDDEN.set(True)


class Stopped(Exception):
    """Raised inside work that nobody waits for any more."""


def rate_limited(
    ask: Callable[[], object], clock: Callable[[], float] = time.monotonic
) -> Callable[[], None]:
    """A function that calls `ask` ten times a second at most, for loops.

    >>> asked = []
    >>> again = rate_limited(lambda: asked.append(1), iter([0.0, 0.05, 0.2]).__next__)
    >>> again(), again(), len(asked)
    (None, None, 1)
    """
    due = clock() + PAUSE

    def ask_if_due() -> None:
        nonlocal due
        now = clock()
        if now >= due:
            due = now + PAUSE
            ask()

    return ask_if_due


def set_page_cancel_hook() -> None:
    """Called where a run begins: its long work ends as soon as the run is not wanted any more."""
    set_cancel_hook(rate_limited(yield_to_streamlit))


class Pace:
    """How far work is, and how long the rest takes at the pace so far.

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
        """Note that `done` of `total` steps are done; where the steps begin anew, so does the pace."""
        now = self._clock()
        if self._first is None or total != self.total or done < self.done:
            self._first = now, done
        started, before = self._first
        self.done, self.total = done, total
        some = done > before
        self.left = (now - started) * (total - done) / (done - before) if some else None


def yield_to_streamlit() -> None:
    """Let Streamlit end this run if it is not wanted any more: it looks wherever its session state is read."""
    st.session_state.get("at_work")


Say = Callable[[int, int, float | None], str]
# Steps done, steps in all, and the sentence about them.
Status = tuple[int, int, str]
# The status of work that sessions share, by the keys of its results.
_AT_WORK: dict[Hashable, Callable[[], Status]] = {}


def wait_and_report(
    over: Callable[[float], bool],
    tell: Callable[[], Status],
    stop: Callable[[], None] | None = None,
) -> None:
    """Wait until `over(seconds)` is true; after a second the page shows what `tell` returns."""
    started = time.monotonic()
    place, bar = None if _HIDDEN.get() else st.session_state.get("at_work"), None
    try:
        while not over(PAUSE):
            if place is None:
                continue
            if bar is None and time.monotonic() - started >= SLOW:
                bar = _button_and_bar(place, stop or place.stop)
            if bar is None:
                yield_to_streamlit()
            else:
                draw_bar(*tell(), bar)
    finally:
        if place is not None and bar is not None:
            place.slot.empty()


def wait_for(
    work: Callable[[Notify], Thing],
    say: Say,
    *,
    stop: Callable[[], None] | None = None,
    key: Hashable = None,
) -> Thing:
    """What `work` returns; after a second the page says how far it is, and has a button that stops it.

    The work runs in a thread. Where nobody waits for it any more (Stop, other settings, a closed tab), it ends at
    its next `notify` or checkpoint.

    Parameters
    ----------
    work : callable
        Given `notify(done, total)`, which it may call often; draws nothing.
    say : callable
        Steps done, steps in all (0 before any is known), seconds left or None: what the page says.
    stop : callable, optional
        What the button does; else what the `work_area` has it do.
    key : hashable, optional
        Key of the result: other sessions that wait for it see the same progress.
    """
    pace, gone, future = Pace(), Event(), Future()
    started = time.monotonic()

    def ask() -> None:
        if gone.is_set():
            raise Stopped

    def notify(done: int, total: int) -> None:
        ask()
        pace.reach(done, total)

    def do() -> None:
        try:
            with cancellable(ask):
                future.set_result(work(notify))
        except BaseException as error:
            # The waiting thread holds it in a reference cycle with its frames, and so with their tables.
            clear_frames(error.__traceback__)
            future.set_exception(error)
        finally:
            if time.monotonic() - started > SLOW:
                trim_memory()

    def tell() -> Status:
        return pace.done, pace.total, say(pace.done, pace.total, pace.left)

    Thread(target=do, daemon=True).start()
    try:
        if key is not None:
            _AT_WORK[key] = tell
        wait_and_report(lambda seconds: bool(wait([future], seconds).done), tell, stop)
        return future.result()
    finally:
        gone.set()
        _AT_WORK.pop(key, None)


def wait_turn(key: Hashable, turn: Lock, stop: Callable[[], None] | None = None) -> None:
    """Acquire `turn`, which another session holds while it computes the same; the page shows its progress."""

    def tell() -> Status:
        done, total, text = _AT_WORK.get(key, lambda: (0, 0, ""))()
        return done, total, words.common.shared_work_text(text)

    wait_and_report(lambda seconds: turn.acquire(timeout=seconds), tell, stop)


def _button_and_bar(place: WorkArea, stop: Callable[[], None]):
    """Draw the stop button, once in a wait, and return where the bar moves."""
    with place.slot.container(horizontal=True, vertical_alignment="center"):
        bar = st.empty()
        st.button(words.common.STOP, key=next(place.keys), icon=":material/stop:", on_click=stop)
    return bar
