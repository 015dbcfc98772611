"""The file of the classroom: its schema, who may open it, reading and writing."""

import os
import sqlite3
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from calm_core.classroom.survey_metadata import (
    NOTES_TABLE,
    close_abandoned_surveys,
    delete_rehearsals,
)
from calm_core.classroom.writer import StoreUnavailable, Work, Writer
from calm_core.errors import DataError
from calm_core.runtime.temp_dirs import PrivateTempDir

# "CALM", in the header of the file; and how its tables are laid out.
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
BUSY_TIMEOUT = 5.0
DAY = 86_400


def default_path() -> Path:
    """`CALM_CLASSROOM`, else ~/.calm-lab/classroom.sqlite3."""
    chosen = os.environ.get("CALM_CLASSROOM")
    return Path(chosen) if chosen else Path.home() / ".calm-lab" / "classroom.sqlite3"


class _ThreadLocal(threading.local):
    """What belongs to one thread."""

    reader: sqlite3.Connection | None = None


class Database:
    """One file: a thread writes, every thread reads by a connection of its own.

    Parameters
    ----------
    path : path, optional
        Where it lies; a temporary file serves instead where that cannot be written.

    Attributes
    ----------
    path : Path
        Where it lies.
    temporary : bool
        Whether it goes when this process ends.

    Raises
    ------
    DataError
        If the file is no classroom, or of a newer version; it is untouched then.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database = Database(Path(folder) / "room.sqlite3")
    ...     found = database.read("SELECT count(*) FROM surveys"), database.temporary
    ...     database.stop()
    >>> found
    ([(0,)], False)
    """

    def __init__(self, path: str | Path | None = None):
        self.path, self._scratch = Path(path or default_path()), None
        self._own = _ThreadLocal()
        check_file(self.path)
        try:
            written = _create(self.path)
            self._writer = Writer(lambda: _connect(self.path))
        except (OSError, sqlite3.OperationalError) as error:
            if isinstance(error, sqlite3.Error) and error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise StoreUnavailable(
                    f"{self.path} is locked by another program; end that, or set CALM_CLASSROOM to "
                    "another name"
                ) from error
            self._scratch = PrivateTempDir()
            self.path = self._scratch.path / "classroom.sqlite3"
            written = _create(self.path)
            self._writer = Writer(lambda: _connect(self.path))
        self.temporary = self._scratch is not None
        self.close_abandoned(written, start=True)

    def write(self, work: Work, then: Work | None = None) -> Future:
        """Have something written; see `Writer.submit`."""
        return self._writer.submit(work, then)

    def close_abandoned(self, written: int | None = None, *, start: bool = False) -> None:
        """Close what was left; at the start of a program no session has a rehearsal any more.

        Parameters
        ----------
        written : int, optional
            The last day on which anybody wrote; today where omitted.
        start : bool
            Whether the program starts.
        """
        now = current_day()

        def work(database: sqlite3.Connection) -> bool:
            tried = start and delete_rehearsals(database)
            left = close_abandoned_surveys(
                database, today=now, written=now if written is None else written
            )
            return tried or left

        if self.write(work).result():
            self.write(lambda _: None, _shorten).result()

    def read(self, query: str, values: Sequence = ()) -> list[tuple]:
        """Rows of what has been written, by anybody."""
        if self._own.reader is None:
            address = f"file:{quote(str(self.path))}?mode=ro"
            self._own.reader = sqlite3.connect(
                address, uri=True, isolation_level=None, timeout=BUSY_TIMEOUT
            )
        return self._own.reader.execute(query, values).fetchall()

    def stop(self) -> None:
        """Write what waits and close; twice does no harm."""
        self._writer.stop()
        if self._scratch is not None:
            self._scratch.close()


def check_file(path: Path) -> None:
    """Refuse a file that is not ours, from its header alone."""
    try:
        with open(path, "rb") as file:
            header = file.read(100)
    except OSError:  # absent, or not for us to read: found out when it is opened
        return
    if not header:
        return
    ours = len(header) == 100 and header[:15] == b"SQLite format 3"
    if not ours or int.from_bytes(header[68:72], "big") != APPLICATION_ID:
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
    """Which day this is: for surveys that were left, see `notes`."""
    return int(time.time() // DAY)


def _create(path: Path) -> int:
    """Make file and tables where there are none; the day on which somebody wrote there last."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    written = max(file.stat().st_mtime for file in (path, Path(f"{path}-wal")) if file.exists())
    # Not yet with a log beside it: the header of the file itself must say what it is.
    with closing(sqlite3.connect(path, isolation_level=None, timeout=BUSY_TIMEOUT)) as database:
        database.execute("BEGIN IMMEDIATE")
        if not database.execute("PRAGMA user_version").fetchone()[0]:
            for statement in SCHEMA.strip().split(";\n"):
                database.execute(statement)
            database.execute(f"PRAGMA application_id={APPLICATION_ID}")
            database.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        database.execute(NOTES_TABLE)
        database.execute("COMMIT")
    return int(written // DAY)


def _connect(path: Path) -> sqlite3.Connection:
    made = sqlite3.connect(
        path, isolation_level=None, timeout=BUSY_TIMEOUT, check_same_thread=False
    )
    made.executescript(PRAGMAS)
    return made


def _shorten(database: sqlite3.Connection) -> None:
    """What was overwritten leaves the log, where no other program reads it just now."""
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def truncate_log(database: sqlite3.Connection) -> None:
    """After a survey is closed: what was overwritten leaves the log, too."""
    ((busy, _, _),) = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    if busy:
        raise sqlite3.OperationalError("another program reads it")


def vacuum(database: sqlite3.Connection) -> None:
    """After a survey is deleted: no page of the file holds it any more."""
    truncate_log(database)
    database.execute("VACUUM")
    truncate_log(database)
