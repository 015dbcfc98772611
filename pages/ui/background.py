"""Work that pages do not wait for: one thread, small steps, and an end where nobody waits."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from threading import Lock, Thread, current_thread

END = object()


@dataclass(eq=False)
class _Job:
    steps: Iterator
    asked: float


class Worker:
    """Does what pages asked for, the latest first, one step at a time.

    Parameters
    ----------
    most : int
        Jobs that wait; the one asked for longest ago is dropped.
    patience : float
        Seconds after which a job that nobody has asked for again is dropped.
    share : float
        Part of the time it works: pages that compute at the same moment come first.
    clock, sleep : callable
        Time in seconds, and waiting.

    Examples
    --------
    >>> done = []
    >>> worker = Worker()
    >>> worker.ask("one", lambda: (done.append(i) for i in range(3)))
    >>> worker.wait()
    >>> done
    [0, 1, 2]
    """

    def __init__(
        self,
        *,
        most: int = 4,
        patience: float = 15.0,
        share: float = 0.6,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ):
        self._most, self._patience, self._share = most, patience, share
        self._clock, self._sleep = clock, sleep
        self._jobs: OrderedDict[Hashable, _Job] = OrderedDict()
        self._lock = Lock()
        self._thread: Thread | None = None

    def ask(self, key: Hashable, work: Callable[[], Iterator]) -> None:
        """Have a job done, or go on waiting for it; every item of the iterator is a step."""
        with self._lock:
            job = self._jobs.pop(key, None) or _Job(work(), 0.0)
            job.asked = self._clock()
            self._jobs[key] = job
            while len(self._jobs) > self._most:
                self._jobs.popitem(last=False)
            if self._thread is None:
                self._thread = Thread(target=self._work, daemon=True)
                self._thread.start()

    def wait(self) -> None:
        """Until nothing is left to do."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _next(self) -> tuple[Hashable, _Job] | None:
        """The job asked for last, of those that somebody still waits for; None ends the thread."""
        with self._lock:
            for key, job in list(self._jobs.items()):
                if self._clock() - job.asked > self._patience:
                    del self._jobs[key]
            if self._jobs:
                return next(reversed(self._jobs.items()))
            self._thread = None
            return None

    def _work(self) -> None:
        key = None
        try:
            while (found := self._next()) is not None:
                key, job = found
                started = self._clock()
                if next(job.steps, END) is END:
                    with self._lock:
                        self._jobs.pop(key, None)
                self._sleep((self._clock() - started) * (1 / self._share - 1))
        finally:
            # A job that fails is a bug: its error is seen, and the next request starts a new thread.
            with self._lock:
                if self._thread is current_thread():
                    self._jobs.pop(key, None)
                    self._thread = None
