"""One thread that writes: what waits is written together, and told only once it is on the disk."""

import queue
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock, Thread
from typing import Any

from calm_core.errors import InfeasibleError

# So many requests at most are written by one commit.
MAX_TOGETHER = 256
Work = Callable[[sqlite3.Connection], Any]


class StoreUnavailable(InfeasibleError):
    """Nothing was stored (disk full, file locked, store stopped): the same request may be sent again."""


@dataclass
class _Job:
    """Something to write, and what to do once it is written, outside of any transaction."""

    work: Work
    then: Work | None = None
    future: Future = field(default_factory=Future)
    error: Exception | None = None
    result: Any = None


class Writer:
    """Owner of the connection that writes. What fails alone is undone alone; a failed commit fails all.

    Parameters
    ----------
    connect : callable
        Makes the connection, in autocommit mode.

    Examples
    --------
    >>> writer = Writer(lambda: sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False))
    >>> writer.submit(lambda db: db.execute("CREATE TABLE t(x)").rowcount).result()
    -1
    >>> writer.stop()
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection]):
        self._db = connect()
        self._waiting: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._door, self._stopped = Lock(), False
        self._thread = Thread(target=self._serve, name="classroom-writer", daemon=True)
        self._thread.start()

    def submit(self, work: Work, then: Work | None = None) -> Future:
        """Run `work` in a transaction, `then` after it; the future has what `work` returned.

        The future raises `StoreUnavailable` where nothing was stored, or what `work` raised.
        """
        job = _Job(work, then)
        with self._door:
            if self._stopped:
                job.future.set_exception(
                    StoreUnavailable("the classroom has stopped; start it again")
                )
            else:
                self._waiting.put(job)
        return job.future

    def stop(self) -> None:
        """Write what waits and close the connection; twice does no harm."""
        with self._door:
            if not self._stopped:
                self._stopped = True
                self._waiting.put(None)
        self._thread.join()

    def _serve(self) -> None:
        going = True
        while going:
            batch = [self._waiting.get()]
            while len(batch) < MAX_TOGETHER and not self._waiting.empty():
                batch.append(self._waiting.get())
            going = None not in batch
            self._write([job for job in batch if job is not None])
        self._db.close()

    def _write(self, jobs: list[_Job]) -> None:
        """One transaction for all jobs that nobody has cancelled."""
        jobs = [job for job in jobs if job.future.set_running_or_notify_cancel()]
        try:
            if jobs:
                self._db.execute("BEGIN IMMEDIATE")
                for job in jobs:
                    self._try(job)
                self._db.execute("COMMIT")
        except sqlite3.Error as error:
            # It may have been undone already, by what made it fail.
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            for job in jobs:
                job.future.set_exception(_unavailable(error))
            return
        for job in jobs:
            self._tell(job)

    def _try(self, job: _Job) -> None:
        """Do one job; what it refuses, or a fault in it, concerns nobody else."""
        self._db.execute("SAVEPOINT job")
        try:
            job.result = job.work(self._db)
        except Exception as error:
            if isinstance(error, sqlite3.Error) and not isinstance(error, sqlite3.IntegrityError):
                raise
            job.error = error
            self._db.execute("ROLLBACK TO job")
        self._db.execute("RELEASE job")

    def _tell(self, job: _Job) -> None:
        if job.error is None and job.then is not None:
            try:
                job.then(self._db)
            except sqlite3.Error as error:
                job.error = StoreUnavailable(
                    f"that is done, but what was deleted may still be found in the classroom's file ({error}); "
                    "make room on the disk, end what else reads it, then start the program again"
                )
        if job.error is None:
            job.future.set_result(job.result)
        else:
            job.future.set_exception(job.error)


def _unavailable(error: sqlite3.Error) -> StoreUnavailable:
    made = StoreUnavailable(
        f"the classroom's file cannot be written ({error}); nothing was stored: make room on the disk "
        "and try again"
    )
    made.__cause__ = error
    return made
