"""Several processes use one file: each sees what the others wrote, and one that is killed loses nothing."""

import os
import secrets
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from calm_core.classroom.phones import hash_secret
from calm_core.classroom.store import Store
from tests.classroom.conftest import Class, survey_of

ROOT = Path(__file__).resolve().parents[2]
PHONES, THREADS = 300, 8
KILLS = int(os.environ.get("CALM_KILLS", "2"))
# Every acknowledgement is printed once it has come; then the process waits to be killed.
SERVER = """
import os, sys, threading
from tests.classroom.test_processes import open_store, send_all
store, (code, *phones) = open_store(sys.argv[1]), sys.argv[2:]
send_all(store, code, phones, lambda *said: os.write(1, f"{' '.join(said)}\\n".encode()))
os.write(1, b"done\\n")
threading.Event().wait()
"""


def open_store(path: str | Path) -> Store:
    """A store whose limits never apply: a second passes between two looks at its clock."""
    return Store(path, clock=iter(range(10**9)).__next__)


def report_of(phone: str) -> str:
    """The report of a phone, the same on every retry."""
    return f"000{hash_secret(phone)[0] % 4}"


def withdraws(phone: str) -> bool:
    """About every eighth phone takes its report back."""
    return hash_secret(phone)[1] < 32


def send_all(store: Store, code: str, phones: list[str], note) -> None:
    """Join and report for several phones at a time; `note` gets each acknowledgement."""

    def send(phone: str) -> None:
        store.join(code, phone).result()
        for step in ("report", "withdraw") if withdraws(phone) else ("report",):
            reply = getattr(store, step)(code, phone, report_of(phone)).result()
            note(phone, reply.state)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(send, phones))


def start_server(path: Path, code: str, phones: list[str]) -> subprocess.Popen:
    """Another process that sends for its phones through a store of its own."""
    command = [sys.executable, "-c", SERVER, str(path), code, *phones]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def kill_midway(server: subprocess.Popen, after: int) -> dict[str, str]:
    """Kill a process after so many acknowledgements; return the last one of every phone."""
    acknowledged: dict[str, str] = {}
    for line in server.stdout:
        if line == "done\n":
            break
        # A line that was cut off by the kill was never complete.
        if line.endswith("\n"):
            phone, state = line.split()
            acknowledged[phone] = state
        if len(acknowledged) == after:
            server.send_signal(signal.SIGKILL)
    server.kill()
    server.wait()
    return acknowledged


@pytest.mark.slow
@pytest.mark.timeout(60 + 30 * KILLS)
@pytest.mark.parametrize("_", range(KILLS))
def test_a_killed_process_loses_nothing_acknowledged_and_the_other_goes_on(tmp_path, _):
    path = tmp_path / "classclassroom.sqlite3"
    store = open_store(path)
    made = Class(store, store.create(survey_of(4), expected=500))
    made.join(30)
    made.teacher.open()
    phones = [secrets.token_hex(11) for _ in range(PHONES)]
    there, here = phones[::2], phones[1::2]
    replies: dict[str, str] = {}
    server = start_server(path, made.code, there)
    sending = threading.Thread(target=send_all, args=(store, made.code, here, replies.__setitem__))
    sending.start()
    acknowledged = kill_midway(server, after=20 + secrets.randbelow(80))
    sending.join()
    assert len(replies) == len(here) and 20 <= len(acknowledged)

    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        used = dict(database.execute("SELECT tag, state FROM tickets"))
    wanted = {"counted": (1, 2), "withdrawn": (2,)}
    for phone, state in (acknowledged | replies).items():
        assert used[hash_secret(phone)] in wanted[state]
    # The wall counts what both processes acknowledged, and what the killed one had committed.
    assert made.wall.progress().reports == Counter(used.values())[1]

    # The phones of the killed process send the same bytes again, to the other one.
    send_all(store, made.code, there, lambda *_: None)
    made.teacher.show_results()
    counts = sum(made.wall.report_counts().counts)
    kept = Counter(int(report_of(phone)) for phone in phones if not withdraws(phone))
    assert counts.tolist() == [kept[report] for report in range(4)]
    assert made.teacher.close().reports == sum(kept.values())
    store.stop()


@pytest.mark.slow
def test_processes_that_start_at_once_make_one_file(tmp_path):
    code = "import sys; from calm_core.classroom.store import Store; store = Store(sys.argv[1]); print(store.temporary); store.stop()"
    command = [sys.executable, "-c", code, str(tmp_path / "classclassroom.sqlite3")]
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(3)
    ]
    assert [process.communicate()[0] for process in started] == ["False\n"] * 3


def test_a_process_that_starts_leaves_the_rehearsals_of_others_alone(store):
    made = Class(store, store.create(survey_of(), expected=30))
    rehearsal = made.teacher.rehearse()
    Store(store.path).stop()
    assert store.join(rehearsal.code, "a" * 22).result().state == "open"
