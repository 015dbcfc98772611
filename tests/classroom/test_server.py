"""The app as people start it, on a disk that fills up and on a laptop that falls asleep."""

import json
import os
import signal
import sqlite3
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from calm_core.classroom.database import truncate_log
from calm_core.classroom.store import Store
from tests.browser.conftest import serving
from tests.classroom.rooms import ask, posted, survey, ticket_of

resource = pytest.importorskip("resource")
PHONES, TRIES = 40, 200


class Phone:
    """A phone that asks the server over HTTP, and goes on asking as the page does."""

    def __init__(self, port: int, code: str, number: int):
        self.port, self.code, self.ticket = port, code, ticket_of(number)
        self.report = f"{number % 4:04d}"

    def post(self, what: str, *, patience: float = 30) -> tuple[int, str]:
        """Status and state of one request."""
        body = posted(self.ticket, self.report if what == "report" else None)
        status, _, said = ask(self.port, "POST", f"/r/{self.code}/{what}", body, patience=patience)
        return status, json.loads(said)["state"]

    def insist(self, what: str) -> str:
        """The same bytes until there is an answer: after a second without one they are sent again."""
        for _ in range(TRIES):
            try:
                status, state = self.post(what, patience=1)
            except OSError:
                continue
            if status == 200:
                return state
            time.sleep(0.05)
        raise AssertionError(f"no answer to {what}")


def through_sleep(process, phones: list[Phone], what: str) -> list[str]:
    """What all phones are told in the end, where the machine falls asleep after the first few."""
    told: list[str] = []
    with ThreadPoolExecutor(8) as pool:
        going = [
            pool.submit(lambda phone: told.append(phone.insist(what)), phone) for phone in phones
        ]
        while len(told) < len(phones) // 4:
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGSTOP)
        seen = []
        for _ in range(20):
            time.sleep(0.1)
            seen.append(len(told))
        # What was under way may still be read; then nobody is answered, long enough to ask again.
        assert seen[5] == seen[-1] < len(phones)
        os.kill(process.pid, signal.SIGCONT)
        for one in going:
            one.result()
    return told


def through_a_full_disk(process, store: Store, phones: list[Phone]) -> list[Phone]:
    """Phones report while no file of the server may grow; those that were told they are counted."""
    store._database.write(lambda db: None, truncate_log).result()
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (store.path.stat().st_size, most))
    told = [phone.post("report") for phone in phones]
    assert set(told) == {(200, "counted"), (503, "busy")}
    # Who asks only is still told.
    assert phones[-1].post("join") == (200, "open")
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most, most))
    return [phone for phone, (status, _) in zip(phones, told) if status == 200]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs limits of another process")
def test_a_full_disk_and_a_sleeping_laptop_lose_and_double_nothing(tmp_path, monkeypatch):
    path = tmp_path / "room.sqlite3"
    monkeypatch.setenv("CALM_CLASSROOM", str(path))
    store = Store(path)
    keys = store.create(survey(), expected=PHONES)
    teacher = store.teacher(keys.teacher)
    with serving(tmp_path) as (address, process):
        port = int(address.rsplit(":", 1)[1])
        phones = [Phone(port, keys.code, number) for number in range(PHONES)]
        assert through_sleep(process, phones, "join") == ["lobby"] * PHONES
        assert teacher.open().phones == PHONES
        counted = through_a_full_disk(process, store, phones[: PHONES // 2])
        assert teacher.progress().reports == len(counted) > 0
        assert through_sleep(process, phones, "report") == ["counted"] * PHONES
    assert teacher.close().reports == PHONES
    store.stop()
    with closing(sqlite3.connect(path)) as db:
        found = dict(db.execute("SELECT report, sum(number) FROM tallies GROUP BY report"))
    assert found == Counter(int(phone.report) for phone in phones)
