"""What is acknowledged is on the disk, whatever happens to the program, the disk or the file."""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from calm_core.classroom import database
from calm_core.classroom.database import LINK, MAX_BATCH, UNCHANGED_SINCE, StoreUnavailable, Writer
from calm_core.classroom.store import Store
from calm_core.errors import DataError, InputError
from tests.classroom.conftest import Class, survey_of, ticket

ROOT = Path(__file__).resolve().parents[2]
DAY = 86_400


def run(code: str, *args: object, under: tuple[str, ...] = ()) -> subprocess.CompletedProcess:
    """A program of its own."""
    command = [*under, sys.executable, "-c", code, *map(str, args)]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )


# --- the disk -----------------------------------------------------------------------------------


TRACED = """
import os, sys
from pathlib import Path
from calm_core.classroom.store import Store
from tests.classroom.conftest import survey_of
store = Store(sys.argv[1])
keys = store.create(survey_of(2), expected=30)
phones = [f"{at:022}" for at in range(10)]
for phone in phones:
    store.join(keys.code, phone).result()
store.teacher(keys.teacher).open()
for phone in phones:
    os.write(1, b"ask\\n")
    store.report(keys.code, phone, "0001").result()
    os.write(1, b"answer\\n")
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_the_log_is_synced_before_each_answer(tmp_path):
    trace = tmp_path / "trace"
    under = ("strace", "-f", "-y", "-e", "trace=write,fsync,fdatasync", "-o", str(trace))
    done = run(TRACED, tmp_path / "classroom.sqlite3", under=under)
    if "ptrace" in done.stderr:
        pytest.skip("programs cannot be traced here")
    assert done.returncode == 0, done.stderr
    steps = re.findall(
        r'(ask|answer)\\n"|(?:fdatasync|fsync)\(\d+<[^>]*(-wal)>\) *= 0', trace.read_text("utf-8")
    )
    order = "".join({"ask": "(", "answer": ")"}.get(said, "s") for said, _ in steps)
    asked = re.findall(r"\((.*?)\)", order)
    assert len(asked) == 10 and all("s" in between for between in asked), order


def test_a_failed_commit_fails_the_whole_batch(store):
    made = Class(store, store.create(survey_of(), expected=30))
    made.join(10)
    made.teacher.open()
    pages = store.write(lambda db: db.execute("PRAGMA page_count").fetchone()[0]).result()
    gate = keep_busy(store)
    sent = [store.report(made.code, phone, "0001") for phone in made.phones]
    full = store.write(
        lambda db: (
            db.execute(f"PRAGMA max_page_count={pages}"),
            db.execute("CREATE TABLE more(x)"),
        )
    )
    gate.set()
    for future in (*sent, full):
        with pytest.raises(StoreUnavailable, match="nothing was stored"):
            future.result()
    assert made.teacher.progress().reports == 0
    store.write(lambda db: db.execute("PRAGMA max_page_count=1000000")).result()
    assert {made.report(phone, "0001").state for phone in made.phones} == {"counted"}
    assert made.teacher.progress().reports == 10


# --- the writer ----------------------------------------------------------------------------------


def plain() -> sqlite3.Connection:
    """A connection to nothing."""
    made = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    made.execute("CREATE TABLE t(x CHECK(x > 0))")
    return made


def keep_busy(writer) -> threading.Event:
    """Keep a writer (or a database) busy until the event is set: what comes now waits together."""
    submit = getattr(writer, "submit", None) or writer.write
    started, gate = threading.Event(), threading.Event()
    submit(lambda db: (started.set(), gate.wait()))
    started.wait()
    return gate


def insert(number: int, then: Exception | None = None):
    """A job that writes, and then fails if it shall."""

    def work(db: sqlite3.Connection) -> int:
        db.execute("INSERT INTO t VALUES(?)", (number,))
        if then:
            raise then
        return number

    return work


def test_queued_jobs_share_a_commit_and_finish_after_it():
    connection, told = plain(), []
    connection.set_trace_callback(lambda text: told.append(text))
    writer = Writer(connection)
    gate = keep_busy(writer)
    jobs = [writer.submit(insert(number)) for number in range(1, MAX_BATCH + 45)]
    for job in jobs:
        job.add_done_callback(lambda _: told.append("told"))
    gate.set()
    assert [job.result() for job in jobs] == list(range(1, MAX_BATCH + 45))
    writer.stop()
    steps = "".join(
        {"BEGIN IMMEDIATE": "(", "COMMIT": ")", "told": "t"}.get(text, "") for text in told
    )
    assert steps == f"()({')' + 't' * MAX_BATCH}()" + "t" * 44


def test_a_failed_job_is_rolled_back_alone():
    writer = Writer(plain())
    gate = keep_busy(writer)
    good, bad, worse, last = (
        writer.submit(insert(1)), writer.submit(insert(2, InputError("no"))), writer.submit(insert(-1)),
        writer.submit(insert(4)),
    )  # fmt: skip
    gate.set()
    assert (good.result(), last.result()) == (1, 4)
    with pytest.raises(InputError, match="no"):
        bad.result()
    with pytest.raises(sqlite3.IntegrityError):
        worse.result()
    assert writer.submit(lambda db: db.execute("SELECT x FROM t").fetchall()).result() == [
        (1,),
        (4,),
    ]
    writer.stop()


def test_a_stopped_writer_has_written_its_queue_and_refuses_more():
    connection, found = plain(), []
    writer = Writer(connection)
    gate = keep_busy(writer)
    job = writer.submit(insert(1))
    last = writer.submit(lambda db: found.extend(db.execute("SELECT x FROM t")))
    stopping = threading.Thread(target=writer.stop)
    stopping.start()
    gate.set()
    stopping.join()
    writer.stop()
    assert job.done() and last.done() and found == [(1,)]
    with pytest.raises(StoreUnavailable, match="has stopped"):
        writer.submit(insert(2)).result()
    with pytest.raises(sqlite3.ProgrammingError):
        connection.execute("SELECT 1")


# --- the file ------------------------------------------------------------------------------------


def header(path: Path, at: int, number: int) -> None:
    """Write a number into the header of an SQLite file."""
    content = bytearray(path.read_bytes())
    content[at : at + 4] = number.to_bytes(4, "big")
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("content", "said"),
    [((60, 2), "newer version"), ((68, 7), "no file of a classroom"), (b"hello", "no file of a classroom"),
     (b"SQLite format 3\0" + b"\0" * 84, "no file of a classroom"), (b"x" * 5000, "no file of a classroom")],
)  # fmt: skip
def test_a_file_of_a_newer_version_or_another_program_is_not_changed(tmp_path, content, said):
    path = tmp_path / "classroom.sqlite3"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        Store(path).stop()
        header(path, *content)
    before = path.read_bytes(), path.stat().st_mtime_ns
    with pytest.raises(DataError, match=f"{said}.*left as it is"):
        Store(path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_an_unwritable_path_falls_back_to_a_temporary_file(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    store = Store(tmp_path / "file" / "classroom.sqlite3")
    assert store.temporary and store.path.parent != tmp_path
    keys = store.create(survey_of(), expected=30)
    assert store.join(keys.code, ticket()).result().state == "lobby"
    folder = store.path.parent
    store.stop()
    assert not folder.exists() and (tmp_path / "file").read_bytes() == b""


def test_a_locked_file_is_an_error_and_not_replaced(tmp_path, monkeypatch):
    from calm_core.classroom import database

    monkeypatch.setattr(database, "BUSY_TIMEOUT", 0.05)
    path = tmp_path / "classroom.sqlite3"
    Store(path).stop()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreUnavailable, match="locked by another program"):
            Store(path)


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_only_the_owner_can_read_the_file(tmp_path):
    store = Store(tmp_path / "new" / "classroom.sqlite3")
    store.create(survey_of(), expected=30)
    for file in store.path.parent.iterdir():
        assert file.stat().st_mode & 0o077 == 0, file
    assert store.path.parent.stat().st_mode & 0o077 == 0
    store.stop()


def test_surveys_of_a_file_unused_for_days_are_closed_at_the_start(make_class):
    made = make_class(12, opened=True)
    made.report(made.phones[0])
    rehearsal = made.teacher.rehearse()
    made.store.stop()
    for file in made.store.path.parent.iterdir():
        os.utime(file, (time.time() - 2 * DAY,) * 2)
    again = Store(made.store.path)
    progress = again.teacher(made.keys.teacher).progress()
    assert (progress.state, progress.reports, progress.phones) == ("closed", 1, None)
    assert again.join(rehearsal.code, ticket()).result().state == "unknown"
    again.stop()


class Days:
    """Which day it is, when the test says so; the age of the file goes with it."""

    def __init__(self, monkeypatch, store):
        self.now, self.path = database.current_day(), store.path
        monkeypatch.setattr(database, "current_day", lambda: self.now)

    def start(self, days: int) -> Store:
        """Another start, so many days after the last one; others have used the file all the while."""
        self.now += days
        for file in self.path.parent.iterdir():
            os.utime(file, (self.now * database.DAY,) * 2)
        return Store(self.path)


@pytest.fixture
def days(monkeypatch, store):
    return Days(monkeypatch, store)


def states(store: Store) -> list[str]:
    found = store.read("SELECT state FROM surveys ORDER BY rowid")
    store.stop()
    return [state for (state,) in found]


def test_only_surveys_unchanged_between_looks_are_abandoned(days, make_class):
    left, used = make_class(12, opened=True), make_class(12, opened=True)
    left.report(left.phones[0])
    left.store.stop()
    assert states(days.start(1)) == ["open", "open"], "the first look finds nobody to compare with"
    store = days.start(1)
    assert store.report(used.code, used.phones[0], "0000").result().state == "counted"
    assert states(store) == ["open", "open"]
    assert states(days.start(1)) == ["closed", "open"]
    store = days.start(0)
    assert store.teacher(left.keys.teacher).progress().reports == 1
    assert UNCHANGED_SINCE not in store.teacher(left.keys.teacher).notes, (
        "what is closed has no day"
    )
    assert not store.read("SELECT tag FROM tickets WHERE code = ?", (left.code,))
    assert states(store) == ["closed", "open"]
    assert states(days.start(2)) == ["closed", "closed"]


def test_an_empty_lobby_stays_open_over_a_weekend(days, make_class):
    made, joined = make_class(), make_class(1)
    made.store.stop()
    assert states(days.start(0)) == ["lobby", "lobby"]
    assert states(days.start(4)) == ["lobby", "closed"]
    assert states(days.start(4)) == ["closed", "closed"]
    assert joined.code != made.code


def test_creating_a_survey_closes_abandoned_ones(days, make_class):
    made = make_class(3)
    made.store.create(survey_of(), expected=30)
    days.now += 2
    made.store.create(survey_of(), expected=30)
    assert made.teacher.progress().state == "closed"


def test_a_clock_set_back_closes_nothing(days, make_class):
    made = make_class(12, opened=True)
    made.store.stop()
    days.start(0).stop()
    assert states(days.start(-400)) == ["open"]
    assert states(days.start(1)) == ["open"]
    assert states(days.start(1)) == ["closed"]


@pytest.mark.parametrize("does", ["open", "close", "delete", "delete_rehearsals"])
def test_a_rehearsal_is_deleted_with_its_survey(make_class, does):
    made, other = make_class(12), make_class(12)
    trial, theirs = (one.teacher.rehearse() for one in (made, other))
    getattr(made.teacher, does)()
    assert made.store.join(trial.code, ticket()).result().state == "unknown"
    assert made.store.join(theirs.code, ticket()).result().state == "open"
    assert other.teacher.progress().state == "lobby"


def test_a_survey_keeps_its_language(store):
    german = replace(survey_of(), language="de")
    keys = store.create(german, expected=30)
    assert store.teacher(keys.teacher).survey == german


def test_a_file_without_notes_is_read(store, make_class):
    made = make_class(12, opened=True)
    store.write(lambda db: db.execute("DROP TABLE notes")).result()
    store.stop()
    again = Store(store.path)
    teacher = again.teacher(made.keys.teacher)
    assert teacher.survey.language == "en" and teacher.notes.keys() <= {UNCHANGED_SINCE}
    again.stop()


def test_the_link_is_the_same_for_all_walls(make_class):
    made = make_class()
    made.teacher.set_link("https://lab.example.org")
    assert made.wall.notes[LINK] == "https://lab.example.org"
    assert made.store.wall(made.keys.wall).notes == made.wall.notes
    made.teacher.delete()
    assert made.wall.notes == {} and b"lab.example" not in made.store.path.read_bytes()
    with pytest.raises(InputError, match="deleted"):
        made.teacher.set_link("https://lab.example.org")
