"""Whose work comes first: slots for drawing pages, and work beside them that gives way.

Pages are drawn a few at a time, in order of arrival. What they do not wait for is done between, by one thread in small
steps. Heavy work takes turns, in processes that end when their page is left."""

import os
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Generator, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from threading import Event, Lock, Thread, current_thread
from typing import Generic, TypeVar

from calm_core.runtime.cancellation import cancellable, single_threaded
from calm_core.runtime.subprocess_jobs import BackgroundProcess
from pages.ui import connections, progress


class LeasedSemaphore:
    """A semaphore in order of arrival that stops counting a holder once its lease is over.

    So nothing that happens inside, where somebody may wait for another's work, can block the others.

    Parameters
    ----------
    slots : int
        How many are inside at a time.
    lease : float
        Seconds for which a holder is counted.
    clock : callable
        Time in seconds.

    Examples
    --------
    >>> slots = LeasedSemaphore(1)
    >>> with slots.hold(lambda: None):
    ...     len(slots)
    1
    >>> len(slots)
    0
    """

    def __init__(
        self, slots: int, *, lease: float = 0.5, clock: Callable[[], float] = time.monotonic
    ):
        self._slots, self._lease, self._clock = slots, lease, clock
        # When each holder came in, by the event that lets it in.
        self._inside: dict[Event, float] = {}
        self._waiting: deque[Event] = deque()
        self._lock = Lock()

    @contextmanager
    def hold(self, check: Callable[[], object]) -> Generator[None]:
        """Wait for a slot and hold it within; `check` is called now and then meanwhile, and may raise to leave."""
        own = Event()
        with self._lock:
            self._waiting.append(own)
            self._let_in()
        try:
            while not own.wait(self._lease):
                check()
                with self._lock:
                    self._let_in()
            yield
        finally:
            with self._lock:
                if self._inside.pop(own, None) is None and own in self._waiting:
                    self._waiting.remove(own)
                self._let_in()

    def _let_in(self) -> None:
        now = self._clock()
        self._inside = {own: at for own, at in self._inside.items() if now - at < self._lease}
        while self._waiting and len(self._inside) < self._slots:
            own = self._waiting.popleft()
            self._inside[own] = now
            own.set()

    def __len__(self) -> int:
        return len(self._inside) + len(self._waiting)


# Python computes one thing at a time. Of sixty pages drawn at once every one would be late, and the server's
# own thread would wait for all of them at every step.
SLOTS = LeasedSemaphore(2)
_RENDERING: ContextVar[bool] = ContextVar("rendering", default=False)
# The runs that draw now, in all sessions.
_RUNS: set[object] = set()


@contextmanager
def render_slot() -> Generator[None]:
    """Around all that one run of the script draws."""
    run = object()
    _RUNS.add(run)
    token = _RENDERING.set(True)
    try:
        with SLOTS.hold(progress.yield_to_streamlit):
            progress.set_page_cancel_hook()
            yield
    finally:
        _RENDERING.reset(token)
        _RUNS.discard(run)


def is_rendering() -> bool:
    """Whether this thread is inside a `render_slot`: a fragment is then drawn as a part of its page."""
    return _RENDERING.get()


def count_runs() -> int:
    """How many runs draw at this moment, in all sessions."""
    return len(_RUNS)


END = object()
# Seconds until a page looks whether its job is done.
LOOK_AGAIN = 1.0
# A page whose job has to wait looks again after so long, and a second later for each that waits already: all their
# looks together are one a second. After MAX_SILENCE without a look it is not counted any more.
LOOK_LATER, MAX_SILENCE = 5.0, 200.0
# Pages come first: a step waits up to MAX_WAITS times PAUSE seconds while one is drawn; after a long step, up to
# LONGER times as long as that took.
MAX_WAITS, PAUSE, LONGER = 20, 0.05, 10
# Share of the time that is worked: pages that compute at the same moment come first.
SHARE = 0.6
# Seconds, beyond the time `ask` has returned, after which a job that nobody asked for again makes room for another.
SILENT = 3.0


@dataclass(eq=False)
class _Job:
    steps: Iterator
    session: str
    asked: float
    again: float
    # Seconds that its last step took.
    lasted: float = 0.0


class _Abandoned(Exception):
    """Nobody waits for a job any more."""


class Worker:
    """Works on what pages asked for, the latest first, one step at a time.

    Parameters
    ----------
    most : int
        Jobs at a time. Another is taken only where the one asked for longest ago has been silent.
    patience : float
        Seconds, beyond the time `ask` has returned, after which a job that nobody asked for again is dropped.
    clock, sleep : callable
        Time in seconds, and waiting.
    count_runs : callable
        How many pages are being drawn.

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
        most: int = 4,
        patience: float = 15.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        count_runs: Callable[[], int] = count_runs,
    ):
        self._most, self._patience = most, patience
        self._clock, self._sleep, self._count_runs = clock, sleep, count_runs
        self._jobs: OrderedDict[Hashable, _Job] = OrderedDict()
        self._waiting: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()
        self._lock = Lock()
        self._thread: Thread | None = None

    def ask(self, key: Hashable, work: Callable[[], Iterator]) -> float:
        """Ask for a job, whose iterator does one step for each item; the seconds after which to ask again."""
        session = connections.session_name()
        with self._lock:
            now = self._clock()
            if key not in self._jobs and not self._room(now):
                # A whole class would drop each other's jobs, and none would ever be done.
                while self._waiting and now - next(iter(self._waiting.values()))[0] > MAX_SILENCE:
                    self._waiting.popitem(last=False)
                self._waiting.pop(key, None)
                again = min(LOOK_LATER + len(self._waiting), MAX_SILENCE / 2)
                self._waiting[key] = now, again
                return again
            _, again = self._waiting.pop(key, (now, LOOK_AGAIN))
            job = self._jobs.pop(key, None) or _Job(work(), session, now, again)
            job.asked, job.session = now, session
            self._jobs[key] = job
            if self._thread is None:
                self._thread = Thread(target=self._work, daemon=True)
                self._thread.start()
            return LOOK_AGAIN

    def _room(self, now: float) -> bool:
        if len(self._jobs) < self._most:
            return True
        oldest, waiting = next(iter(self._jobs.items()))
        if now - waiting.asked < waiting.again + SILENT:
            return False
        del self._jobs[oldest]
        return True

    def wait(self) -> None:
        """Wait until nothing is left to do."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _next(self) -> tuple[Hashable, _Job] | None:
        """The wanted job asked for last; None ends the thread."""
        with self._lock:
            for key, job in list(self._jobs.items()):
                if not self._wanted(job):
                    del self._jobs[key]
            if self._jobs:
                return next(reversed(self._jobs.items()))
            self._thread = None
            return None

    def _look(self, job: _Job) -> None:
        """Within a step: end it where nobody waits for its job any more."""
        if not self._wanted(job):
            raise _Abandoned

    def _wanted(self, job: _Job) -> bool:
        silent = self._clock() - job.asked
        return silent <= job.again + self._patience and connections.is_present(job.session)

    def _work(self) -> None:
        key = None
        try:
            while (found := self._next()) is not None:
                key, job = found
                for _ in range(max(MAX_WAITS, int(LONGER * job.lasted / PAUSE))):
                    if not self._count_runs():
                        break
                    self._sleep(PAUSE)
                started = self._clock()
                try:
                    # Pages come first, on the other cores too.
                    with cancellable(partial(self._look, job)), single_threaded():
                        over = next(job.steps, END) is END
                except _Abandoned:
                    continue
                if over:
                    with self._lock:
                        self._jobs.pop(key, None)
                job.lasted = self._clock() - started
                self._sleep(job.lasted * (1 / SHARE - 1))
        finally:
            # A job that fails is a bug: its error is seen, and the next request starts a new thread.
            with self._lock:
                if self._thread is current_thread():
                    self._jobs.pop(key, None)
                    self._thread = None


QUEUE_PAUSE = 0.1


@dataclass(eq=False)
class Turn:
    """One job in the queue; made by `TurnQueue.ask`."""

    asked: float
    at_work: bool = False


class TurnQueue:
    """A queue in order of arrival with a number of slots.

    A turn that nobody asks about any more, as when a tab was closed, is dropped.

    Parameters
    ----------
    slots : int
        How many jobs run at a time.
    patience : float
        Seconds after which a turn that nobody asks about is dropped.
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
        self, slots: int, *, patience: float = 10.0, clock: Callable[[], float] = time.monotonic
    ):
        self._slots, self._patience, self._clock = slots, patience, clock
        self._turns: list[Turn] = []
        self._lock = Lock()

    def ask(self) -> Turn:
        """Join the queue; begin as soon as `begin` is true, and `end` whatever happens."""
        with self._lock:
            turn = Turn(self._clock())
            self._turns.append(turn)
            return turn

    def begin(self, turn: Turn) -> bool:
        """Whether its turn has come: it then holds a slot until `end`."""
        with self._lock:
            turn.asked = self._clock()
            if turn not in self._turns:
                self._turns.append(turn)
            if not turn.at_work and self._before(turn) == 0:
                turn.at_work = True
            return turn.at_work

    def ahead(self, turn: Turn) -> int:
        """How many jobs have to end before this one begins."""
        with self._lock:
            return self._before(turn)

    def end(self, turn: Turn) -> None:
        """Give back the slot, or leave the queue."""
        with self._lock:
            if turn in self._turns:
                self._turns.remove(turn)

    def _before(self, turn: Turn) -> int:
        now = self._clock()
        self._turns = [t for t in self._turns if t.at_work or now - t.asked <= self._patience]
        waiting = [t for t in self._turns if not t.at_work]
        before = waiting.index(turn) if turn in waiting else len(waiting)
        return max(0, before + len(self._turns) - len(waiting) - self._slots + 1)

    def __len__(self) -> int:
        return len(self._turns)


@contextmanager
def hold_turn(queue: TurnQueue, look: Callable[[int], None]) -> Generator[None]:
    """Wait for a slot and hold it within; `look` is given how many are ahead, and may raise to leave."""
    turn = queue.ask()
    try:
        while not queue.begin(turn):
            look(queue.ahead(turn))
            time.sleep(QUEUE_PAUSE)
        yield
    finally:
        queue.end(turn)


Work = TypeVar("Work", bound=BackgroundProcess)
# One core stays with those who look at pages.
TURNS = TurnQueue(max(1, (os.cpu_count() or 1) - 1))
LOOK = 0.5
# Looks in a row that find no session: a connection may be lost for a moment.
MAX_MISSED = 2


class Job(Generic[Work]):
    """Work in another process that waits for its turn, or has begun.

    Parameters
    ----------
    page : str
        The page it is for: it ends when the session opens another.
    start : callable
        Starts the process.
    """

    def __init__(self, page: str, start: Callable[[], Work]):
        self.page, self.session = page, connections.session_name()
        self.missed = 0
        self._start, self._lock = start, Lock()
        self._turns = TURNS
        self._turn = self._turns.ask()
        self._work: Work | None = None
        self._over = False

    def work(self) -> Work | None:
        """The process, as soon as it is its turn; None while others are at work."""
        with self._lock:
            if self._work is not None or self._over:
                return self._work
            for job in list(_JOBS):
                job.release_if_done()
            if self._turns.begin(self._turn):
                try:
                    self._work = self._start()
                except BaseException:
                    self._turns.end(self._turn)
                    raise
                _start_watch(self)
            return self._work

    @property
    def ahead(self) -> int:
        """How many jobs have to end before this one begins."""
        return self._turns.ahead(self._turn)

    def release_if_done(self) -> bool:
        """Give back the slot if the work is over; whether it is."""
        work = self._work
        if not self._over and (work is None or work.is_running):
            return False
        self._turns.end(self._turn)
        return True

    def cancel(self) -> None:
        """Leave the queue, or stop the process; its results so far stay."""
        with self._lock:
            self._over = True
            if self._work is not None:
                self._work.cancel()
            self._turns.end(self._turn)


_JOBS: list[Job] = []
_LOCK = Lock()


def _start_watch(job: Job) -> None:
    with _LOCK:
        first = not _JOBS
        _JOBS.append(job)
    if first:
        Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    """Free the slots of jobs that have ended, and end the jobs of sessions that are gone."""
    while True:
        time.sleep(LOOK)
        for job in list(_JOBS):
            job.missed = 0 if connections.is_present(job.session) else job.missed + 1
            if job.missed >= MAX_MISSED:
                job.cancel()
            if job.release_if_done():
                with _LOCK:
                    _JOBS.remove(job)
        with _LOCK:
            if not _JOBS:
                return


def leave_other_pages(page: str) -> None:
    """Called by the shell: end the jobs that this session has for other pages."""
    session = connections.session_name()
    for job in list(_JOBS):
        if job.session == session and job.page != page:
            job.cancel()
