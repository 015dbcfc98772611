"""Processes that work for pages, few at a time, in turns that are fair between sessions; they end when their page is left."""

import os
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from threading import Lock, Thread
from typing import Generic, TypeVar

from calm_core.runtime.subprocess_jobs import BackgroundProcess
from pages.ui import connections

PAUSE = 0.1


@dataclass(eq=False)
class Turn:
    """One job of a session in the queue; made by `FairQueue.ask`."""

    owner: str
    number: int
    asked: float
    at_work: bool = False


class FairQueue:
    """A queue with a number of slots; the next goes to the session that holds none and was served longest ago.

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
    >>> queue = FairQueue(1)
    >>> first, second, other = queue.ask("Ann"), queue.ask("Ann"), queue.ask("Bob")
    >>> queue.begin(first), queue.ahead(second), queue.ahead(other)
    (True, 2, 1)
    >>> queue.end(first)
    >>> queue.begin(second), queue.begin(other)
    (False, True)
    """

    def __init__(
        self, slots: int, *, patience: float = 10.0, clock: Callable[[], float] = time.monotonic
    ):
        self._slots, self._patience, self._clock = slots, patience, clock
        self._turns: list[Turn] = []
        # The sessions served last, the newest at the end.
        self._served: OrderedDict[str, int] = OrderedDict()
        self._numbers, self._lock = count(1), Lock()

    def ask(self, owner: str) -> Turn:
        """Join the queue; begin as soon as `begin` is true, and `end` whatever happens."""
        with self._lock:
            turn = Turn(owner, next(self._numbers), self._clock())
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
                self._served[turn.owner] = next(self._numbers)
                self._served.move_to_end(turn.owner)
                while len(self._served) > 1000:
                    self._served.popitem(last=False)
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
        working = [t for t in self._turns if t.at_work]
        busy = [t.owner for t in working]

        def order(t: Turn) -> tuple[int, int, int]:
            # Of one session's jobs the first comes first.
            own = sum(
                o.owner == t.owner and o.number < t.number for o in self._turns if not o.at_work
            )
            return busy.count(t.owner) + own, self._served.get(t.owner, 0), t.number

        waiting = sorted((t for t in self._turns if not t.at_work), key=order)
        before = waiting.index(turn) if turn in waiting else len(waiting)
        return max(0, before + len(working) - self._slots + 1)

    def __len__(self) -> int:
        return len(self._turns)


@contextmanager
def hold_turn(queue: FairQueue, owner: str, look: Callable[[int], None]) -> Iterator[None]:
    """Wait for a slot and hold it within; `look` is given how many are ahead, and may raise to leave."""
    turn = queue.ask(owner)
    try:
        while not queue.begin(turn):
            look(queue.ahead(turn))
            time.sleep(PAUSE)
        yield
    finally:
        queue.end(turn)


Work = TypeVar("Work", bound=BackgroundProcess)
# One core stays with those who look at pages.
TURNS = FairQueue(max(1, (os.cpu_count() or 1) - 1))
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
        self._turn = self._turns.ask(self.session)
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
