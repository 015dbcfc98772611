"""Processes that work for pages: few at a time, in fair turns over all sessions; they end when their page is left."""

import os
import time
from collections.abc import Callable
from threading import Lock, Thread
from typing import Generic, TypeVar

from calm_core.runtime.subprocess_jobs import BackgroundProcess
from pages.ui import connections
from pages.ui.jobs.fair_queue import FairQueue

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
