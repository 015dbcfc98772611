"""Whose work comes first: turns in order of arrival, and work beside pages that gives way to them.

Pages are drawn a few at a time. What they do not wait for is done between, by one thread in small steps. Heavy work
takes turns, in processes that end when nobody looks at them any more."""

import math
import os
import time
from collections.abc import Callable, Generator, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from threading import Condition, Lock, Thread
from typing import Generic, TypeVar
from weakref import ref

from calm_core.runtime.cancellation import cancellable
from calm_core.runtime.subprocess_jobs import BackgroundProcess
from pages.ui import progress


def _never() -> bool:
    return False


@dataclass(eq=False)
class Turn:
    """One place in the queue; made by `TurnQueue.ask`.

    Attributes
    ----------
    asked : float
        When somebody last asked about it, or when it began.
    at_work : bool
        Whether it holds a slot.
    is_over : callable
        Whether its work has ended although nobody has said so.
    """

    asked: float
    at_work: bool = False
    is_over: Callable[[], bool] = _never


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
            turn.asked = self._clock()
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
            while not self.begin(turn, QUEUE_PAUSE):
                look(self.ahead(turn))
            yield
        finally:
            self.end(turn)

    def _counts(self, turn: Turn) -> bool:
        longest = self._lease if turn.at_work else self._patience
        return self._clock() - turn.asked <= longest and not turn.is_over()

    def _before(self, turn: Turn) -> int:
        self._turns = [one for one in self._turns if self._counts(one)]
        waiting = [one for one in self._turns if not one.at_work]
        before = waiting.index(turn) if turn in waiting else len(waiting)
        return max(0, before + len(self._turns) - len(waiting) - self._slots + 1)

    def __len__(self) -> int:
        with self._changed:
            return sum(map(self._counts, self._turns))


# Seconds between two looks of those who wait for their turn.
QUEUE_PAUSE = 0.1
# Python computes one thing at a time. Of sixty pages drawn at once every one would be late, and the server's
# own thread would wait for all of them at every step.
SLOTS = TurnQueue(2, lease=0.5)
_RENDERING: ContextVar[bool] = ContextVar("rendering", default=False)


@contextmanager
def render_slot() -> Generator[None]:
    """Around all that one run of the script draws."""
    token = _RENDERING.set(True)
    try:
        with SLOTS.hold(lambda ahead: progress.yield_to_streamlit()):
            progress.set_page_cancel_hook()
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
    asked: float = 0.0
    again: float = LOOK_AGAIN
    # Seconds that its last step took.
    lasted: float = 0.0


class _Abandoned(Exception):
    """Nobody waits for a job any more."""


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
        patience: float = 15.0,
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
            job.asked = self._clock()
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
            raise _Abandoned

    def _is_wanted(self, job: _Job) -> bool:
        return self._clock() - job.asked <= job.again + self._patience

    def _work(self) -> None:
        while (found := self._next()) is not None:
            key, job = found
            for _ in range(max(MAX_WAITS, int(LONGER * job.lasted / PAUSE))):
                if not self._is_drawing():
                    break
                self._sleep(PAUSE)
            started, over = self._clock(), True
            try:
                with cancellable(partial(self._look, job)):
                    over = next(job.steps, END) is END
            except _Abandoned:
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
        self._turns = TURNS
        self._turn = self._turns.ask()
        self._work: Work | None = None
        self._over = False

    def work(self) -> Work | None:
        """The process, as soon as it is its turn; None while others are at work."""
        with self._lock:
            if self._work is None and not self._over and self._turns.begin(self._turn):
                try:
                    self._work = self._start()
                except BaseException:
                    self._turns.end(self._turn)
                    raise
                # The queue keeps no process alive whose session is gone.
                running = ref(self._work)
                self._turn.is_over = lambda: (work := running()) is None or not work.is_running
            return self._work

    @property
    def ahead(self) -> int:
        """How many jobs have to end before this one begins."""
        return self._turns.ahead(self._turn)

    def cancel(self) -> None:
        """Leave the queue, or stop the process; its results so far stay."""
        with self._lock:
            self._over = True
            if self._work is not None:
                self._work.cancel()
            self._turns.end(self._turn)
