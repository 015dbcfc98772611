"""How far long work is, and a way to stop it; every look lets Streamlit end a run nobody waits for any more."""

import gc
import math
import time
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count
from threading import Event, Lock, Thread
from traceback import clear_frames
from typing import NamedTuple, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from calm_core.runtime.cancellation import cancellable, cpu_seconds, set_cancel_hook
from calm_core.runtime.processes import trim_memory
from pages import words

# Seconds until work is told of, and between two looks at it.
SLOW, PAUSE = 1.0, 0.1
# Seconds of the processor for one drawing of a page, unless somebody says that more is wanted.
BUDGET = 8.0
# Set once what every page needs is compiled: until then a page may have to wait for it.
WARM = Event()
# Work of the server's own: Streamlit would warn that it is no page's.
_UNSEEN: ContextVar[bool] = ContextVar("unseen", default=False)
Thing = TypeVar("Thing")
Notify = Callable[[int, int], None]


def draw_bar(done: float, total: float, text: str, bar: DeltaGenerator | None = None) -> None:
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
            draw_bar(done, total, text or self._text, self._slot)


class WorkArea(NamedTuple):
    """Where work is told of, keys for its buttons (one run may wait twice), what they do."""

    slot: DeltaGenerator
    keys: Iterator[str]
    stop: Callable[[], None]


@contextmanager
def work_area(key: str, stop: Callable[[], None]) -> Iterator[None]:
    """Within it `wait_for` tells here what is at work; `stop` is called where somebody stops it."""
    state = st.session_state
    around = state.get("at_work")
    with st.container(key=f"at_work_{key}"):
        state["at_work"] = WorkArea(st.empty(), (f"stop_{key}_{i}" for i in count()), stop)
    try:
        yield
    finally:
        state["at_work"] = around


class CpuBudgetExceeded(Exception):
    """A page has worked for as long as it may unasked. No refusal of settings: nothing takes it for one."""


@dataclass
class Budget:
    """What one drawing of a page may take of the processor, in whichever threads.

    >>> budget = Budget(8.0)
    >>> budget.check(5.0); budget.spend(5.0); budget.check(4.0)
    Traceback (most recent call last):
    pages.ui.progress.CpuBudgetExceeded
    """

    most: float
    spent: float = 0.0

    def check(self, more: float) -> None:
        """End what has used `more` so far, if that is too much."""
        if self.spent + more > self.most:
            raise CpuBudgetExceeded

    def spend(self, more: float) -> None:
        """What a thread has used that has come to its end."""
        self.spent += more


_BUDGET: ContextVar[Budget | None] = ContextVar("budget", default=None)


def set_budget(most: float | None) -> None:
    """From now on what is drawn in this thread may take so much; None where somebody wants all of it."""
    began = cpu_seconds()
    # What the thread has used before is nothing of this drawing's.
    _BUDGET.set(None if most is None else Budget(most, -began))


def finish_warm_up() -> None:
    """Called once what every page needs is there.

    It stays: no collection need look through it again, should Streamlit ever ask for full ones after every run.
    """
    gc.collect()
    gc.freeze()
    WARM.set()


def hide_progress() -> None:
    """From now on nobody looks at what this thread does."""
    _UNSEEN.set(True)


@contextmanager
def limit_cpu(seconds: float) -> Iterator[None]:
    """What stands beside a page, and may be left out, takes so much of the processor; beyond it is TooLong."""
    budget = Budget(seconds, -cpu_seconds())

    def ask() -> None:
        # Streamlit looks whether the run is still wanted.
        st.session_state.get("at_work")
        budget.check(cpu_seconds())

    with cancellable(rate_limited(ask)):
        yield


class Stopped(Exception):
    """Inside work that nobody waits for any more."""


def rate_limited(
    ask: Callable[[], object], clock: Callable[[], float] = time.monotonic
) -> Callable[[], None]:
    """What loops may call as often as they like: it asks ten times a second at most.

    >>> asked = []
    >>> again = rate_limited(lambda: asked.append(1), iter([0.0, 0.05, 0.2]).__next__)
    >>> again(), again(), len(asked)
    (None, None, 1)
    """
    due = clock() + PAUSE

    def asked() -> None:
        nonlocal due
        now = clock()
        if now >= due:
            due = now + PAUSE
            ask()

    return asked


def set_page_cancel_hook() -> None:
    """Called where a page, or a part of one, begins: its long work ends as soon as it is not wanted any more.

    Streamlit looks whether a run is still wanted wherever its state is asked for.
    """
    began = time.monotonic()
    # Streamlit draws a part of a page in the thread that has drawn the page: the budget is not the part's.
    set_budget(None)

    def ask() -> None:
        budget, measuring = _BUDGET.get(), st.session_state.get("measuring")
        if budget is not None and not measuring and time.monotonic() - began >= SLOW:
            budget.check(cpu_seconds())

    set_cancel_hook(rate_limited(ask))


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


Say = Callable[[int, int, float | None], str]
# Steps done, steps in all, and the sentence about them.
Told = tuple[int, int, str]
# What is said of the work that sessions share, by the keys of its results.
_AT_WORK: dict[Hashable, Callable[[], Told]] = {}


def wait_and_report(
    over: Callable[[float], bool],
    tell: Callable[[], Told],
    stop: Callable[[], None] | None = None,
) -> None:
    """Until `over` is true, which waits as many seconds as it is given; after a second the page says what `tell` tells."""
    started = time.monotonic()
    place, bar = None if _UNSEEN.get() else st.session_state.get("at_work"), None
    try:
        while not over(PAUSE):
            if place is None:
                continue
            if bar is None and time.monotonic() - started >= SLOW:
                bar = _button_and_bar(place, stop or place.stop)
            if bar is None:
                # Nothing to be seen, but a look of Streamlit at whether the run is still wanted.
                st.session_state.get("at_work")
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
    """What `work` gives; after a second the page says how far it is, and has a button that stops it.

    The work is done in a thread, and may so be long silent. Where it is not waited for any more (Stop, other
    settings, a tab that was closed), it ends when it next tells how far it is, or attends.

    Parameters
    ----------
    work : callable
        Given `notify(done, total)`, which it calls as often as it likes; draws nothing.
    say : callable
        Steps done, steps in all (0 before any is known), seconds left or None: what the page says.
    stop : callable, optional
        What the button does; else what the `work_area` has it do.
    key : hashable, optional
        Of the result, where other sessions that wait for it are told the same.
    """
    pace, gone, future = Pace(), Event(), Future()
    budget, before = _BUDGET.get(), cpu_seconds()

    def check() -> None:
        if budget is not None:
            budget.check(before + cpu_seconds())

    # The clock of a thread is slow to read: a sixth of the samples of a run were there.
    seldom_check = rate_limited(check)

    def ask() -> None:
        if gone.is_set():
            raise Stopped
        seldom_check()

    def notify(done: int, total: int) -> None:
        ask()
        pace.reach(done, total)

    def do() -> None:
        try:
            with cancellable(ask):
                future.set_result(work(notify))
        # Whatever it is, who waits gets it.
        except BaseException as error:
            # Who waits has it in a circle with what it came through: tables would stay until Python looks for those.
            clear_frames(error.__traceback__)
            future.set_exception(error)
        finally:
            if budget is not None:
                budget.spend(cpu_seconds())
            if cpu_seconds() > SLOW:
                # What it has thrown away on its way would stay with this process for good.
                trim_memory()

    def tell() -> Told:
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
    """Acquire `turn`, which another session holds while it computes the same; the page says so, and how far that is."""

    def tell() -> Told:
        done, total, text = _AT_WORK.get(key, lambda: (0, 0, ""))()
        return done, total, words.shared.elsewhere(text)

    wait_and_report(lambda seconds: turn.acquire(timeout=seconds), tell, stop)


def _button_and_bar(place: WorkArea, stop: Callable[[], None]):
    """The button, once in a wait: Streamlit wants no second one of that name; and where the bar moves."""
    with place.slot.container(horizontal=True, vertical_alignment="center"):
        bar = st.empty()
        st.button(words.shared.STOP, key=next(place.keys), icon=":material/stop:", on_click=stop)
    return bar
