"""Uploads in the app: one parser at a time, and nothing stays of what is beyond the limits."""

import time
from threading import Event, Thread

import pytest

from calm_core.errors import TooLargeError
from calm_core.ingest.limits import UPLOADS
from calm_core.ingest.table import ReadOptions
from pages.ui import cached_calls, jobs, uploads
from pages.ui.jobs import FairQueue


@pytest.fixture
def told(monkeypatch):
    """What is said to who waits."""
    said = []
    monkeypatch.setattr(cached_calls, "TURNS", FairQueue(1))
    monkeypatch.setattr(cached_calls, "SOON", 0.0)
    monkeypatch.setattr(jobs, "QUEUE_PAUSE", 0.01)
    monkeypatch.setattr(cached_calls.st, "toast", lambda text, **how: said.append(text))
    return said


def test_a_second_file_waits_for_the_first_and_says_so(told, monkeypatch):
    inside, go_on, order = Event(), Event(), []

    def read(content, **how):
        assert how["limits"] == UPLOADS
        order.append(content)
        inside.set()
        assert go_on.wait(30)
        return content

    monkeypatch.setattr(cached_calls, "read_table", read)
    threads = [
        Thread(target=cached_calls.parse_table, args=(name, "a.csv", ReadOptions(), str))
        for name in (b"one", b"two")
    ]
    threads[0].start()
    assert inside.wait(30)
    threads[1].start()
    until = time.monotonic() + 30
    while not told and time.monotonic() < until:
        time.sleep(0.01)
    assert order == [b"one"] and told == ["Another file is read first; yours comes after."]
    go_on.set()
    for thread in threads:
        thread.join(30)
    assert order == [b"one", b"two"] and not len(cached_calls.TURNS)


def test_a_file_beyond_the_limits_leaves_no_bytes_and_an_empty_drop_zone(open_app, monkeypatch):
    dropped = []
    monkeypatch.setattr(uploads, "drop_files", lambda: dropped.append(True))

    def refuse(content, **how):
        raise TooLargeError("the file needs more than 1,536 MB of memory to read; keep fewer rows")

    app = open_app("data")
    monkeypatch.setattr(cached_calls, "read_table", refuse)
    app.file_uploader(key="upload").set_value(("bomb.csv", b"a,b\n1,2\n", "text/csv")).run()
    assert not app.exception and "1,536 MB" in app.error[0].value and dropped
    assert app.file_uploader(key="upload_1").value is None
    monkeypatch.undo()
