"""Whose work comes first: slots for drawing pages, the worker beside them, turns, and processes for pages."""

import gc
import os
import threading
import weakref

import numpy as np
import pytest

from calm_core import Dataset, Domain
from calm_core.experiments.background import ComparisonJob
from calm_core.experiments.spec import ExperimentSpec
from pages.ui import jobs
from pages.ui.jobs import PAUSE, TurnQueue, Worker
from tests.app.screen import wait_until


@pytest.fixture
def endless():
    """Jobs of minutes; ended with the test."""
    codes = np.random.default_rng(3).integers(0, 2, size=(3_000, 6))
    data = Dataset.from_codes(codes, Domain(tuple("abcdef"), (2,) * 6))
    spec = ExperimentSpec(data, ("calm",), (1.0,), ks=(3,), repetitions=20_000)

    def make():
        make.made.append(jobs.Job(lambda: ComparisonJob(spec)))
        return make.made[-1]

    make.made = []
    yield make
    for job in make.made:
        job.cancel()


def test_a_place_is_free_as_soon_as_its_work_has_ended(endless):
    first, other = endless(), endless()
    work = first.work()
    assert other.work() is None and other.ahead == 1
    work._process.kill()
    work._process.wait()
    assert other.work() is not None


def test_a_process_whose_session_is_gone_is_not_kept(endless):
    work = weakref.ref(endless().work())
    endless.made.clear()
    gc.collect()
    assert work() is None


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/autogroup"), reason="Linux groups by session")
def test_the_nice_child_is_weighed_beside_the_apps_threads(endless):
    pid = endless().work()._process.pid
    assert wait_until(lambda: os.getpriority(os.PRIO_PROCESS, pid) >= 10)
    assert os.getsid(pid) == os.getsid(0) and os.getpgid(pid) == pid


# ---------------------------------------------------------------- the worker


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self):
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_work_ends_when_no_session_waits():
    clock, done = Clock(), []

    def sleep(seconds):
        clock.now += 10

    def work():
        for i in range(100):
            done.append(i)
            yield

    worker = Worker(patience=25, clock=clock, sleep=sleep)
    worker.ask("page left", work)
    worker.wait()
    assert done == [0, 1, 2]


def test_the_newest_request_is_served_first_and_others_look_less_often():
    done, answers = [], []
    worker = Worker(sleep=lambda seconds: None)

    def ask(name):
        answers.append(worker.ask(name, lambda: (done.append(name) for _ in range(1))))

    def first():
        for name in "abca":
            ask(name)
        yield

    worker.ask("first", first)
    worker.wait()
    assert done == ["c", "b", "a"] and answers == [1.0, 1.0, 1.0, 3.0]


def test_work_waits_while_pages_are_drawn():
    slept, drawing = [], [True] * 3
    worker = Worker(sleep=slept.append, is_drawing=lambda: bool(drawing and drawing.pop()))
    worker.ask("one", lambda: iter(range(1)))
    worker.wait()
    assert slept[:3] == [PAUSE] * 3 and PAUSE not in slept[3:]


def test_a_failure_is_reported_and_the_next_request_is_served(monkeypatch):
    seen, done = [], []
    monkeypatch.setattr("threading.excepthook", lambda answers: seen.append(answers.exc_type))
    worker = Worker(sleep=lambda seconds: None)

    def broken():
        yield 1 // 0

    worker.ask("broken", broken)
    worker.wait()
    worker.ask("whole", lambda: (done.append(i) for i in range(2)))
    worker.wait()
    assert seen == [ZeroDivisionError] and done == [0, 1]


# ---------------------------------------------------------------- turns and slots


@pytest.mark.parametrize("how", [None, KeyboardInterrupt])
def test_the_slot_is_given_back_however_the_work_ends(monkeypatch, how):
    turns = TurnQueue(1)
    monkeypatch.setattr(jobs, "LOOK_EVERY", 0.001)
    try:
        with turns.hold(lambda ahead: None):
            assert len(turns) == 1
            if how:
                raise how
    except KeyboardInterrupt:
        pass
    assert len(turns) == 0


def test_a_waiting_session_learns_its_position_and_may_leave(monkeypatch):
    monkeypatch.setattr(jobs, "LOOK_EVERY", 0.001)
    turns, told = TurnQueue(1), []
    assert turns.begin(turns.ask())

    def look(ahead):
        told.append(ahead)
        if len(told) > 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), turns.hold(look):
        raise AssertionError("nobody has ended")
    assert set(told) == {1} and len(turns) == 1


def test_a_queue_admits_a_few_in_order_and_each_as_soon_as_there_is_room(monkeypatch):
    monkeypatch.setattr(jobs, "LOOK_EVERY", 20.0)
    turns, order, inside, most, go = TurnQueue(2), [], set(), [], threading.Event()

    def visit(name):
        with turns.hold(lambda ahead: None):
            inside.add(name)
            order.append(name)
            most.append(len(inside))
            go.wait(20)
            inside.discard(name)

    threads = []
    for name in range(6):
        threads.append(threading.Thread(target=visit, args=(name,)))
        threads[-1].start()
        assert wait_until(lambda name=name: len(turns) > name)
    assert wait_until(lambda: len(order) == 2) and sorted(order) == [0, 1]
    go.set()
    for thread in threads:
        thread.join(15)
    assert sorted(order) == list(range(6)) and max(most) <= 2 and not len(turns)


def test_neither_who_is_silent_nor_who_holds_for_long_blocks_the_others():
    now = [0.0]
    turns = TurnQueue(1, patience=10, lease=20, clock=lambda: now[0])
    working, gone, here = turns.ask(), turns.ask(), turns.ask()
    assert turns.begin(working)
    now[0] = 11.0
    assert not turns.begin(here) and turns.ahead(here) == 1
    now[0] = 21.0
    assert turns.begin(here)
    # It comes back, as a tab does that slept.
    assert not turns.begin(gone) and turns.ahead(gone) == 1
