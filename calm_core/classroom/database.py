"""The classroom's SQLite file: its schema, one writing thread a process, one reading connection a thread.

Several processes may use the same file at once. SQLite's write lock lets one of them write at a time, the others
wait for it, and every read shows what any of them has committed. Nothing that matters is kept in memory.

Notes hold the language of a survey, the answer that liars push, the link that its teacher has chosen for phones,
whether a phone has opened its page, and since which day nothing has happened. That day is the only date in the file:
it is when a program looked, not when a person did anything, and it is deleted when the survey closes. Each start of a
program, and each new survey, notes how far every survey is. A survey that a later look finds unchanged for some days
is abandoned.
"""

import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread
from typing import Any
from urllib.parse import quote

from calm_core.classroom.phones import UNUSED_CARD
from calm_core.errors import DataError, InfeasibleError
from calm_core.runtime.temp_dirs import PrivateTempDir

# Added to files of older programs, too. Liars are the tickets that are asked to lie and have not refused.
ADDED_TABLES = """
CREATE TABLE IF NOT EXISTS notes(code TEXT NOT NULL REFERENCES surveys ON DELETE CASCADE, what TEXT NOT NULL,
  said TEXT NOT NULL, PRIMARY KEY(code, what)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS liars(code TEXT NOT NULL, tag BLOB NOT NULL, PRIMARY KEY(code, tag),
  FOREIGN KEY(code, tag) REFERENCES tickets ON DELETE CASCADE) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lies(code TEXT NOT NULL REFERENCES surveys ON DELETE CASCADE, view INTEGER NOT NULL,
  report INTEGER NOT NULL, number INTEGER NOT NULL CHECK(number >= 0), PRIMARY KEY(code, view, report)) STRICT, WITHOUT ROWID;
"""
LANGUAGE, LINK, UNCHANGED_SINCE, VISITED = "language", "link", "still", "visited"
# Two calendar days are more than 24 hours. A lobby that no phone has joined was prepared, maybe before a weekend.
ABANDONED_DAYS, UNUSED_LOBBY_DAYS = 2, 8


def set_note(db: sqlite3.Connection, code: str, what: str, text: str) -> None:
    """Store a note of an existing survey; an empty text deletes it."""
    db.execute("DELETE FROM notes WHERE code = ? AND what = ?", (code, what))
    if text:
        query = "INSERT INTO notes SELECT code, ?, ? FROM surveys WHERE code = ?"
        db.execute(query, (what, text, code))


def close_survey(db: sqlite3.Connection, code: str) -> None:
    """Close a survey for good and delete its tickets."""
    db.execute("UPDATE surveys SET state = 'closed', version = version + 1 WHERE code = ?", (code,))
    db.execute("DELETE FROM tickets WHERE code = ?", (code,))
    set_note(db, code, UNCHANGED_SINCE, "")


def delete_rehearsals(db: sqlite3.Connection, code: str) -> None:
    """Delete the rehearsals of a survey, which its teacher key opens, too."""
    query = "DELETE FROM surveys WHERE test = 1 AND teacher = (SELECT teacher FROM surveys WHERE code = ?)"
    db.execute(query, (code,))


def close_abandoned_surveys(db: sqlite3.Connection, *, today: int, last_written: int) -> bool:
    """Close abandoned surveys and delete abandoned rehearsals; return whether there were any.

    Parameters
    ----------
    today : int
        The current day, counted from any start.
    last_written : int
        The last day on which anybody wrote to the file.
    """
    query = (
        "SELECT code, state = 'lobby', version, "
        "(SELECT count(*) FROM tickets WHERE code = surveys.code AND view != ?), "
        "(SELECT said FROM notes WHERE code = surveys.code AND what = ?) "
        "FROM surveys WHERE state != 'closed'"
    )
    closed = False
    for code, in_lobby, version, phones, note_before in db.execute(
        query, (UNUSED_CARD, UNCHANGED_SINCE)
    ).fetchall():
        day, _, before = (note_before or "").partition(": ")
        now = f"version {version}, {phones} phones"
        # A day in the future was noted before the clock was set back.
        is_unchanged = before == now and int(day) <= today
        since = int(day) if is_unchanged else min(last_written, today)
        if today - since >= (UNUSED_LOBBY_DAYS if in_lobby and not phones else ABANDONED_DAYS):
            closed = True
            db.execute("DELETE FROM surveys WHERE code = ? AND test = 1", (code,))
            close_survey(db, code)
        elif note_before != (note := f"{since}: {now}"):
            set_note(db, code, UNCHANGED_SINCE, note)
    return closed


# "CALM", in the header of the file; and the version of its tables.
APPLICATION_ID, SCHEMA_VERSION = 0x43414C4D, 1
SCHEMA = """
CREATE TABLE surveys(code TEXT PRIMARY KEY, title TEXT NOT NULL, questions TEXT NOT NULL, epsilon REAL NOT NULL,
  capacity INTEGER NOT NULL, teacher BLOB NOT NULL, wall BLOB NOT NULL,
  state TEXT NOT NULL CHECK(state IN('lobby','open','closed')), roster TEXT NOT NULL CHECK(roster IN('open','cards')),
  plan TEXT, shown INTEGER NOT NULL DEFAULT 0, test INTEGER NOT NULL DEFAULT 0, version INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE tickets(code TEXT NOT NULL REFERENCES surveys ON DELETE CASCADE, tag BLOB NOT NULL,
  view INTEGER NOT NULL, state INTEGER NOT NULL CHECK(state IN(0,1,2)),
  PRIMARY KEY(code, tag)) STRICT, WITHOUT ROWID;
CREATE TABLE tallies(code TEXT NOT NULL REFERENCES surveys ON DELETE CASCADE, view INTEGER NOT NULL,
  report INTEGER NOT NULL, number INTEGER NOT NULL CHECK(number >= 0), PRIMARY KEY(code, view, report)) STRICT, WITHOUT ROWID;
"""
PRAGMAS = """
PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; PRAGMA foreign_keys=ON;
"""
# Seconds to wait for the write lock while another process has it.
BUSY_TIMEOUT = 5.0
DAY = 86_400
# Jobs that one commit writes at most.
MAX_BATCH = 256
Work = Callable[[sqlite3.Connection], Any]


class StoreUnavailable(InfeasibleError):
    """Nothing was stored (disk full, file locked, store stopped): the same request may be sent again."""


@dataclass
class _Job:
    """Something to write, and what to do after its commit, outside of any transaction."""

    work: Work
    after: Work | None = None
    future: Future = field(default_factory=Future)
    error: Exception | None = None
    result: Any = None


class Writer:
    """A thread that writes jobs in batches, one commit a batch.

    A job that fails is undone alone; a commit that fails fails the whole batch.

    Parameters
    ----------
    connection : sqlite3.Connection
        Where to write, in autocommit mode; closed at the end.

    Examples
    --------
    >>> writer = Writer(sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False))
    >>> writer.submit(lambda db: db.execute("CREATE TABLE t(x)").rowcount).result()
    -1
    >>> writer.stop()
    """

    def __init__(self, connection: sqlite3.Connection):
        self._db = connection
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._lock, self._stopped = Lock(), False
        self._thread = Thread(target=self._run, name="classroom-writer", daemon=True)
        self._thread.start()

    def submit(self, work: Work, after: Work | None = None) -> Future:
        """Run `work` in a transaction and `after` behind its commit; the future has what `work` returned.

        The future is done once that is on the disk. It raises `StoreUnavailable` if nothing was stored, or
        what `work` raised.
        """
        job = _Job(work, after)
        with self._lock:
            if self._stopped:
                job.future.set_exception(
                    StoreUnavailable("the classroom has stopped; start it again")
                )
            else:
                self._queue.put(job)
        return job.future

    def stop(self) -> None:
        """Write the jobs in the queue and close the connection; a second call does nothing."""
        with self._lock:
            if not self._stopped:
                self._stopped = True
                self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        going = True
        while going:
            batch = [self._queue.get()]
            while len(batch) < MAX_BATCH and not self._queue.empty():
                batch.append(self._queue.get())
            going = None not in batch
            self._write_batch([job for job in batch if job is not None])
        self._db.close()

    def _write_batch(self, jobs: list[_Job]) -> None:
        """Write all jobs that are not cancelled in one transaction."""
        jobs = [job for job in jobs if job.future.set_running_or_notify_cancel()]
        try:
            if jobs:
                self._db.execute("BEGIN IMMEDIATE")
                for job in jobs:
                    self._run_job(job)
                self._db.execute("COMMIT")
        except sqlite3.Error as error:
            # SQLite may have rolled back already.
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            for job in jobs:
                failure = StoreUnavailable(
                    f"the classroom's file cannot be written ({error}); nothing was stored: make room on the disk "
                    "and try again"
                )
                failure.__cause__ = error
                job.future.set_exception(failure)
            return
        for job in jobs:
            self._finish_job(job)

    def _run_job(self, job: _Job) -> None:
        """Run one job; an error in it leaves the rest of the batch alone."""
        self._db.execute("SAVEPOINT job")
        try:
            job.result = job.work(self._db)
        except Exception as error:
            if isinstance(error, sqlite3.Error) and not isinstance(error, sqlite3.IntegrityError):
                raise
            job.error = error
            self._db.execute("ROLLBACK TO job")
        self._db.execute("RELEASE job")

    def _finish_job(self, job: _Job) -> None:
        if job.error is None and job.after is not None:
            try:
                job.after(self._db)
            except sqlite3.Error as error:
                job.error = StoreUnavailable(
                    f"that is done, but what was deleted may still be found in the classroom's file ({error}); "
                    "make room on the disk, end what else reads it, then start the program again"
                )
        if job.error is None:
            job.future.set_result(job.result)
        else:
            job.future.set_exception(job.error)


def default_path() -> Path:
    """`CALM_CLASSROOM`, else ~/.calm-lab/classroom.sqlite3."""
    return Path(os.environ.get("CALM_CLASSROOM") or Path.home() / ".calm-lab" / "classroom.sqlite3")


class _ThreadLocal(threading.local):
    """The reading connection of one thread."""

    reader: sqlite3.Connection | None = None


class Database:
    """One SQLite file: a thread writes, and every thread reads over its own connection.

    Parameters
    ----------
    path : path, optional
        The file; a temporary file is used instead if it cannot be written.

    Attributes
    ----------
    path : Path
        The file in use.
    temporary : bool
        Whether that file is deleted when this process ends.

    Raises
    ------
    DataError
        If the file is no classroom, or of a newer version; it is not changed then.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database = Database(Path(folder) / "classroom.sqlite3")
    ...     found = database.read("SELECT count(*) FROM surveys"), database.temporary
    ...     database.stop()
    >>> found
    ([(0,)], False)
    """

    def __init__(self, path: str | Path | None = None):
        self.path, self._temp_dir = Path(path or default_path()), None
        self._local = _ThreadLocal()
        check_file(self.path)
        try:
            self._writer, last_written = _open_file(self.path)
        except (OSError, sqlite3.OperationalError) as error:
            if isinstance(error, sqlite3.Error) and error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise StoreUnavailable(
                    f"{self.path} is locked by another program; end that, or set CALM_CLASSROOM to "
                    "another name"
                ) from error
            self._temp_dir = PrivateTempDir()
            self.path = self._temp_dir.path / "classroom.sqlite3"
            self._writer, last_written = _open_file(self.path)
        self.temporary = self._temp_dir is not None
        self.close_abandoned(last_written)

    def write(self, work: Work, after: Work | None = None) -> Future:
        """Write something; see `Writer.submit`."""
        return self._writer.submit(work, after)

    def close_abandoned(self, last_written: int | None = None) -> None:
        """Close the surveys that nobody has used for days.

        Parameters
        ----------
        last_written : int, optional
            The last day on which anybody wrote to the file; today by default.
        """
        today = current_day()
        last = today if last_written is None else last_written
        closed = self.write(lambda db: close_abandoned_surveys(db, today=today, last_written=last))
        if closed.result():
            # While another process reads, the log stays until the next survey is closed.
            with suppress(StoreUnavailable):
                self.write(lambda _: None, truncate_log).result()

    def read(self, query: str, values: Sequence = ()) -> list[tuple]:
        """Return rows as committed by any thread or process."""
        if self._local.reader is None:
            address = f"file:{quote(str(self.path))}?mode=ro"
            self._local.reader = sqlite3.connect(
                address, uri=True, isolation_level=None, timeout=BUSY_TIMEOUT
            )
        return self._local.reader.execute(query, values).fetchall()

    def stop(self) -> None:
        """Write what is queued and close; a second call does nothing."""
        self._writer.stop()
        if self._temp_dir is not None:
            self._temp_dir.close()


def check_file(path: Path) -> None:
    """Raise DataError unless the header of the file is that of a classroom."""
    try:
        with open(path, "rb") as file:
            header = file.read(100)
    except OSError:  # absent or not readable: opening it decides
        return
    if not header:
        return
    is_sqlite = len(header) == 100 and header[:15] == b"SQLite format 3"
    if not is_sqlite or int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise DataError(
            f"{path} is no file of a classroom and was left as it is; set CALM_CLASSROOM to another name"
        )
    version = int.from_bytes(header[60:64], "big")
    if version > SCHEMA_VERSION:
        raise DataError(
            f"{path} was written by a newer version of this program (layout {version}, known is {SCHEMA_VERSION}) "
            "and was left as it is; use that version, or set CALM_CLASSROOM to another name"
        )


def current_day() -> int:
    """Days since 1970, to find abandoned surveys."""
    return int(time.time() // DAY)


def _open_file(path: Path) -> tuple[Writer, int]:
    """Create the file and its tables if they are missing; return its writer, and the day it was last written."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    mtime = max(file.stat().st_mtime for file in (path, Path(f"{path}-wal")) if file.exists())
    # Before the write-ahead log is on: `check_file` reads the header of the file itself.
    with closing(sqlite3.connect(path, isolation_level=None, timeout=BUSY_TIMEOUT)) as database:
        database.execute("BEGIN IMMEDIATE")
        if not database.execute("PRAGMA user_version").fetchone()[0]:
            for statement in SCHEMA.strip().split(";\n"):
                database.execute(statement)
            database.execute(f"PRAGMA application_id={APPLICATION_ID}")
            database.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        for statement in ADDED_TABLES.strip().split(";\n"):
            database.execute(statement)
        database.execute("COMMIT")

    connection = sqlite3.connect(
        path, isolation_level=None, timeout=BUSY_TIMEOUT, check_same_thread=False
    )
    connection.executescript(PRAGMAS)
    return Writer(connection), int(mtime // DAY)


def truncate_log(database: sqlite3.Connection) -> None:
    """Empty the write-ahead log, so that nothing overwritten stays in it."""
    ((busy, _, _),) = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    if busy:
        raise sqlite3.OperationalError("another program reads it")


def vacuum(database: sqlite3.Connection) -> None:
    """Rewrite the file, so that no page of it holds anything deleted."""
    truncate_log(database)
    database.execute("VACUUM")
    truncate_log(database)
