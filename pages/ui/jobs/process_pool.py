"""Processes that work for pages: few at a time over all sessions, in fair turns; they end when their page is left."""

import os
import time
from collections.abc import Callable
from threading import Lock, Thread
from typing import Generic, TypeVar

from calm_core.runtime.subprocess_jobs import BackgroundProcess
from pages.ui import connections
from pages.ui.jobs.fair_queue import FairQueue
from pages.ui.uploads import session_store

Work = TypeVar("Work", bound=BackgroundProcess)
# One core stays with those who look at pages.
TURNS = FairQueue(max(1, (os.cpu_count() or 1) - 1))
LOOK = 0.5
# Looks in a row that find no session: a connection may be lost for a moment.
MISSED = 2


class Job(Generic[Work]):
    """Work in another process that has asked for its turn, or has begun.

    Parameters
    ----------
    page : str
        The page it is for: elsewhere nobody sees it, and so it ends.
    start : callable
        Starts the process.
    """

    def __init__(self, page: str, start: Callable[[], Work]):
        self.page, self.session = page, session_store.session_name()
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
            # The watch looks only now and then.
            for job in list(_WORKING):
                job.end_where_done()
            if self._turns.begin(self._turn):
                try:
                    self._work = self._start()
                except BaseException:
                    self._turns.end(self._turn)
                    raise
                _watched(self)
            return self._work

    @property
    def ahead(self) -> int:
        """How many are to end before it begins."""
        return self._turns.ahead(self._turn)

    def end_where_done(self) -> bool:
        """Whether it works no more: then the place is another's."""
        work = self._work
        if not self._over and (work is None or work.running):
            return False
        self._turns.end(self._turn)
        return True

    def cancel(self) -> None:
        """Leave the queue, or stop the process; what it has found stays."""
        with self._lock:
            self._over = True
            if self._work is not None:
                self._work.cancel()
            self._turns.end(self._turn)


_WORKING: list[Job] = []
_LOCK = Lock()


def _watched(job: Job) -> None:
    with _LOCK:
        first = not _WORKING
        _WORKING.append(job)
    if first:
        Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    """Free the places of what has ended, and end what is for a session that is gone."""
    while True:
        time.sleep(LOOK)
        for job in list(_WORKING):
            job.missed = 0 if session_store.is_present(job.session) else job.missed + 1
            if job.missed >= MISSED:
                job.cancel()
            if job.end_where_done():
                with _LOCK:
                    _WORKING.remove(job)
        with _LOCK:
            if not _WORKING:
                return


def leave_other_pages(page: str) -> None:
    """Called by the shell: what is at work for another page of this session ends."""
    session = session_store.session_name()
    connections.note(session)
    for job in list(_WORKING):
        if job.session == session and job.page != page:
            job.cancel()
