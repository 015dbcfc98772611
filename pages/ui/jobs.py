"""Long work: whose comes first, how far it is, and ways to stop it.

Pages are drawn a few at a time. What they do not wait for is done between, by one thread in small steps. Heavy work
takes turns, in processes that end when nobody looks at them any more."""

import gc
import math
import os
import time
from collections.abc import Callable, Generator, Hashable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from itertools import count
from threading import Condition, Event, Lock, Thread
from traceback import clear_frames
from typing import Any, Generic, NamedTuple, TypeVar
from weakref import ref

import streamlit as st

from calm_core.runtime.cancellation import cancellable
from calm_core.runtime.processes import trim_memory
from calm_core.runtime.subprocess_jobs import BackgroundProcess
from pages import words

# Seconds between two looks of those who wait.
LOOK_EVERY = 0.1


class Stopped(Exception):
    """Raised inside work that nobody waits for any more."""


@dataclass(eq=False)
class Turn:
    """One place in the queue; made by `TurnQueue.ask`.

    Attributes
    ----------
    last_asked : float
        When somebody last asked about it, or when it began.
    at_work : bool
        Whether it holds a slot.
    is_over : callable
        Whether its work has ended although nobody has said so.
    """

    last_asked: float
    at_work: bool = False
    is_over: Callable[[], bool] = lambda: False


class TurnQueue:
    """A queue in order of arrival with a number of slots.

    Parameters
    ----------
    slots : int
        How many are at work at a time.
    patience : float
        Seconds after which a turn that waits, and that nobody asks about, is dropped, as when a tab was closed.
    lease : float
        Seconds after which a holder is not counted any more: nothing that it may wait for can block the others.
    clock : callable
        Time in seconds.

    Examples
    --------
    >>> queue = TurnQueue(1)
    >>> first, second, third = queue.ask(), queue.ask(), queue.ask()
    >>> queue.begin(first), queue.ahead(second), queue.ahead(third)
    (True, 1, 2)
    >>> queue.end(first)
    >>> queue.begin(third), queue.begin(second)
    (False, True)
    """

    def __init__(
        self,
        slots: int,
        *,
        patience: float = 10.0,
        lease: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._slots, self._patience, self._lease, self._clock = slots, patience, lease, clock
        self._turns: list[Turn] = []
        self._changed = Condition()

    def ask(self) -> Turn:
        """Join the queue; begin as soon as `begin` is true, and `end` whatever happens."""
        with self._changed:
            turn = Turn(self._clock())
            self._turns.append(turn)
            return turn

    def begin(self, turn: Turn, wait: float = 0.0) -> bool:
        """Whether its turn has come, for which it waits up to so many seconds: it then holds a slot until `end`."""
        with self._changed:
            return self._changed.wait_for(lambda: self._take(turn), wait)

    def _take(self, turn: Turn) -> bool:
        if not turn.at_work:
            turn.last_asked = self._clock()
            if turn not in self._turns:
                self._turns.append(turn)
            turn.at_work = self._before(turn) == 0
        return turn.at_work

    def ahead(self, turn: Turn) -> int:
        """How many have to end before this one begins."""
        with self._changed:
            return self._before(turn)

    def end(self, turn: Turn) -> None:
        """Give back the slot, or leave the queue."""
        with self._changed:
            if turn in self._turns:
                self._turns.remove(turn)
            self._changed.notify_all()

    @contextmanager
    def hold(self, look: Callable[[int], object]) -> Generator[None]:
        """Wait for a slot and hold it within; `look` is given how many are ahead, and may raise to leave."""
        turn = self.ask()
        try:
            while not self.begin(turn, LOOK_EVERY):
                look(self.ahead(turn))
            yield
        finally:
            self.end(turn)

    def _counts(self, turn: Turn) -> bool:
        longest = self._lease if turn.at_work else self._patience
        return self._clock() - turn.last_asked <= longest and not turn.is_over()

    def _before(self, turn: Turn) -> int:
        self._turns = [one for one in self._turns if self._counts(one)]
        waiting = [one for one in self._turns if not one.at_work]
        before = waiting.index(turn) if turn in waiting else len(waiting)
        return max(0, before + len(self._turns) - len(waiting) - self._slots + 1)

    def __len__(self) -> int:
        with self._changed:
            return sum(map(self._counts, self._turns))


# Python computes one thing at a time. Of sixty pages drawn at once every one would be late, and the server's
# own thread would wait for all of them at every step.
SLOTS = TurnQueue(2, lease=0.5)
_RENDERING: ContextVar[bool] = ContextVar("rendering", default=False)


@contextmanager
def render_slot() -> Generator[None]:
    """Around all that one run of the script draws."""
    token = _RENDERING.set(True)
    try:
        # Its long work ends as soon as the run is not wanted any more.
        hook = rate_limited(yield_to_streamlit)
        with SLOTS.hold(lambda ahead: yield_to_streamlit()), cancellable(hook):
            yield
    finally:
        _RENDERING.reset(token)


def is_rendering() -> bool:
    """Whether this thread is inside a `render_slot`: a fragment is then drawn as a part of its page."""
    return _RENDERING.get()


END = object()
# Seconds until a page looks whether its job is done; as many more for every job that comes before it.
LOOK_AGAIN = 1.0
# Pages come first: a step waits up to MAX_WAITS times PAUSE seconds while one is drawn; after a long step, up to
# LONGER times as long as that took.
MAX_WAITS, PAUSE, LONGER = 20, 0.05, 10
# Share of the time that is worked: pages that compute at the same moment come first.
SHARE = 0.6


@dataclass(eq=False)
class _Job:
    steps: Iterator
    last_asked: float = 0.0
    again: float = LOOK_AGAIN
    # Seconds that its last step took.
    lasted: float = 0.0


class Worker:
    """Works on what pages asked for, the newest first, one step at a time.

    Parameters
    ----------
    patience : float
        Seconds, beyond the time `ask` has returned, after which a job that nobody asked for again is dropped,
        as when its tab was closed.
    clock, sleep : callable
        Time in seconds, and waiting.
    is_drawing : callable
        Whether a page is being drawn.

    Examples
    --------
    >>> done = []
    >>> worker = Worker()
    >>> worker.ask("one", lambda: (done.append(i) for i in range(3)))
    1.0
    >>> worker.wait()
    >>> done
    [0, 1, 2]
    """

    def __init__(
        self,
        *,
        patience: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        is_drawing: Callable[[], bool] = lambda: len(SLOTS) > 0,
    ):
        self._patience, self._clock, self._sleep = patience, clock, sleep
        self._is_drawing = is_drawing
        # The newest last.
        self._jobs: dict[Hashable, _Job] = {}
        self._lock = Lock()
        self._thread: Thread | None = None

    def ask(self, key: Hashable, work: Callable[[], Iterator]) -> float:
        """Ask for a job, whose iterator does one step for each item; the seconds after which to ask again."""
        with self._lock:
            if key not in self._jobs:
                self._jobs[key] = _Job(work())
            job = self._jobs[key]
            job.last_asked = self._clock()
            # A whole class that looked every second would have no time left to work.
            job.again = LOOK_AGAIN * (len(self._jobs) - list(self._jobs).index(key))
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._work, daemon=True)
                self._thread.start()
            return job.again

    def wait(self) -> None:
        """Wait until nothing is left to do."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _next(self) -> tuple[Hashable, _Job] | None:
        """The newest job that is wanted; None ends the thread."""
        with self._lock:
            self._jobs = {key: job for key, job in self._jobs.items() if self._is_wanted(job)}
            if self._jobs:
                return next(reversed(self._jobs.items()))
            self._thread = None
            return None

    def _look(self, job: _Job) -> None:
        """Within a step: end it where nobody waits for its job any more."""
        if not self._is_wanted(job):
            raise Stopped

    def _is_wanted(self, job: _Job) -> bool:
        return self._clock() - job.last_asked <= job.again + self._patience

    def _work(self) -> None:
        while (newest := self._next()) is not None:
            key, job = newest
            for _ in range(max(MAX_WAITS, int(LONGER * job.lasted / PAUSE))):
                if not self._is_drawing():
                    break
                self._sleep(PAUSE)
            started, over = self._clock(), True
            try:
                with cancellable(partial(self._look, job)):
                    over = next(job.steps, END) is END
            except Stopped:
                continue
            finally:
                # A job that fails is a bug: its error is seen, and the next request starts a new thread.
                if over:
                    with self._lock:
                        self._jobs.pop(key, None)
            job.lasted = self._clock() - started
            self._sleep(job.lasted * (1 / SHARE - 1))


Work = TypeVar("Work", bound=BackgroundProcess)
# One core stays with those who look at pages.
TURNS = TurnQueue(max(1, (os.cpu_count() or 1) - 1))


class Job(Generic[Work]):
    """Work in another process that waits for its turn, or has begun.

    The process ends by itself once nobody looks at it any more, and its slot is free then.

    Parameters
    ----------
    start : callable
        Starts the process.
    """

    def __init__(self, start: Callable[[], Work]):
        self._start, self._lock = start, Lock()
        self._turn = TURNS.ask()
        self._work: Work | None = None
        self._over = False

    def work(self) -> Work | None:
        """The process, as soon as it is its turn; None while others are at work."""
        with self._lock:
            if self._work is None and not self._over and TURNS.begin(self._turn):
                try:
                    self._work = self._start()
                except BaseException:
                    TURNS.end(self._turn)
                    raise
                # The queue keeps no process alive whose session is gone.
                running = ref(self._work)
                self._turn.is_over = lambda: (work := running()) is None or not work.is_running
            return self._work

    @property
    def ahead(self) -> int:
        """How many jobs have to end before this one begins."""
        return TURNS.ahead(self._turn)

    def cancel(self) -> None:
        """Leave the queue, or stop the process; its results so far stay."""
        with self._lock:
            self._over = True
            if self._work is not None:
                self._work.cancel()
            TURNS.end(self._turn)


# ---------------------------------------------------------------- how far work is, and ways to stop it

# Seconds until progress is shown.
SLOW = 1.0
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
def work_area(stop: Callable[[], None]) -> Generator[None]:
    """Within it `wait_for` shows its progress here; `stop` is called when the user stops the work."""
    with st.container(key="at_work_page"):
        keys = (f"stop_page_{i}" for i in count())
        st.session_state["at_work"] = WorkArea(st.empty(), keys, stop)
    try:
        yield
    finally:
        st.session_state["at_work"] = None


def finish_warm_up() -> None:
    """Called once what every page needs is there, which no garbage collection needs to visit again."""
    gc.collect()
    gc.freeze()


def hide_progress() -> None:
    """From now on this thread shows no progress."""
    _HIDDEN.set(True)


def rate_limited(
    ask: Callable[[], object], clock: Callable[[], float] = time.monotonic
) -> Callable[[], None]:
    """A function that calls `ask` ten times a second at most, for loops.

    >>> asked = []
    >>> again = rate_limited(lambda: asked.append(1), iter([0.0, 0.05, 0.2]).__next__)
    >>> again(), again(), len(asked)
    (None, None, 1)
    """
    due = clock() + LOOK_EVERY

    def ask_if_due() -> None:
        nonlocal due
        now = clock()
        if now >= due:
            due = now + LOOK_EVERY
            ask()

    return ask_if_due


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
        while not over(LOOK_EVERY):
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
    pace, abandoned, future = Pace(), Event(), Future()
    started = time.monotonic()

    def ask() -> None:
        if abandoned.is_set():
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
        abandoned.set()
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
