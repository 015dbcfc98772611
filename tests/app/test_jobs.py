"""Whose work comes first: slots for drawing pages, the worker beside them, turns, and processes for pages."""

import os
import threading

import numpy as np
import pytest

from calm_core import Dataset, Domain
from calm_core.experiments.background import start_comparison
from calm_core.experiments.spec import ExperimentSpec
from pages.ui import connections, jobs
from pages.ui.jobs import (
    LOOK_AGAIN,
    LOOK_LATER,
    PAUSE,
    LeasedSemaphore,
    TurnQueue,
    Worker,
    hold_turn,
)
from tests.app.screen import until


@pytest.fixture
def endless(monkeypatch):
    """Jobs of minutes, for a session by name; ended with the test."""
    codes = np.random.default_rng(3).integers(0, 2, size=(3_000, 6))
    data = Dataset.from_codes(codes, Domain(tuple("abcdef"), (2,) * 6))
    spec = ExperimentSpec(data, ("calm",), (1.0,), ks=(3,), repetitions=20_000)
    made = []

    def make(session, page="compare"):
        monkeypatch.setattr(connections, "session_name", lambda: session)
        made.append(jobs.Job(page, lambda: start_comparison(spec)))
        return made[-1]

    yield make
    for job in made:
        job.cancel()


def test_who_has_ended_leaves_the_place_though_nobody_looks(endless):
    first, other = endless("Ann"), endless("Bob")
    first.work()._process.kill()
    assert until(lambda: other.work() is not None)


def test_a_place_is_free_as_soon_as_its_work_has_ended(endless, monkeypatch):
    monkeypatch.setattr(jobs, "LOOK", 5.0)
    first, other = endless("Ann"), endless("Bob")
    work = first.work()
    work._process.kill()
    work._process.wait()
    assert other.work() is not None, "it waited for the next look of the watch"


def test_work_ends_when_its_tab_is_closed(endless, monkeypatch):
    job = endless("Ann")
    work = job.work()
    monkeypatch.setattr(connections, "is_present", lambda session: session != "Ann")
    assert until(lambda: not work.is_running)


def test_a_connection_lost_for_a_moment_ends_nothing(endless, monkeypatch):
    looks = iter([False, True] * 3)
    monkeypatch.setattr(jobs, "LOOK", 0.05)
    seen = []

    def present(session):
        seen.append(session)
        return next(looks, True)

    monkeypatch.setattr(connections, "is_present", present)
    work = endless("Ann").work()
    assert until(lambda: len(seen) > 8) and work.is_running


def test_work_ends_when_another_page_is_opened(endless):
    work = endless("Ann").work()
    jobs.leave_other_pages("compare")
    assert work.is_running
    bob = endless("Bob")
    jobs.leave_other_pages("data")
    assert work.is_running, "it is not Bob's"
    endless("Ann")
    jobs.leave_other_pages("data")
    assert not work.is_running and bob.work() is not None


@pytest.mark.skipif(not os.path.exists("/proc/self/autogroup"), reason="Linux groups by session")
def test_the_nice_child_is_weighed_beside_the_apps_threads(endless):
    pid = endless("Ann").work()._process.pid
    assert until(lambda: os.getpriority(os.PRIO_PROCESS, pid) >= 10)
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


def test_the_latest_request_is_served_first_and_awaited_jobs_are_kept():
    clock, done, answers = Clock(), [], []
    worker = Worker(most=2, clock=clock, sleep=lambda seconds: None)

    def work(name):
        done.append(name)
        yield

    def ask(name):
        answers.append(worker.ask(name, lambda: work(name)))

    def first():
        for name in "abcd":
            ask(name)
        # Nobody asks for "first" any more, and its room is b's; "a" is asked for again.
        clock.now += 5
        ask("a"), ask("b")
        yield

    worker.ask("first", first)
    worker.wait()
    assert done == ["b", "a"]
    assert answers == [
        LOOK_AGAIN,
        LOOK_LATER,
        LOOK_LATER + 1,
        LOOK_LATER + 2,
        LOOK_AGAIN,
        LOOK_AGAIN,
    ]


def test_a_worker_ends_when_its_tab_is_closed(monkeypatch):
    done, here = [], ["tab"]
    monkeypatch.setattr(connections, "session_name", lambda: "tab")
    monkeypatch.setattr(connections, "is_present", here.__contains__)

    def work():
        for i in range(100):
            done.append(i)
            if i == 2:
                here.clear()
            yield

    worker = Worker(sleep=lambda seconds: None)
    worker.ask("spread", work)
    worker.wait()
    assert done == [0, 1, 2]


def test_work_waits_while_pages_are_drawn():
    slept, drawing = [], [True] * 3
    worker = Worker(sleep=slept.append, count_runs=lambda: bool(drawing and drawing.pop()))
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


def test_no_more_jobs_run_than_there_are_slots():
    turns = TurnQueue(2)
    asked = [turns.ask() for i in range(4)]
    assert [turns.begin(turn) for turn in asked] == [True, True, False, False]
    turns.end(asked[0])
    assert [turns.begin(turn) for turn in asked[2:]] == [True, False]


def test_a_silent_turn_is_dropped_but_a_running_job_keeps_its_slot():
    now = [0.0]
    turns = TurnQueue(1, patience=10, clock=lambda: now[0])
    working, gone, here = turns.ask(), turns.ask(), turns.ask()
    assert turns.begin(working)
    now[0] = 11.0
    assert not turns.begin(here) and turns.ahead(here) == 1
    turns.end(working)
    assert turns.begin(here)
    # It comes back, as a tab does that slept.
    assert not turns.begin(gone) and turns.ahead(gone) == 1


@pytest.mark.parametrize("how", [None, KeyboardInterrupt])
def test_the_slot_is_given_back_however_the_work_ends(monkeypatch, how):
    turns = TurnQueue(1)
    monkeypatch.setattr(jobs, "QUEUE_PAUSE", 0.001)
    try:
        with hold_turn(turns, lambda ahead: None):
            assert len(turns) == 1
            if how:
                raise how
    except KeyboardInterrupt:
        pass
    assert len(turns) == 0


def test_a_waiting_session_learns_its_position_and_may_leave(monkeypatch):
    monkeypatch.setattr(jobs, "QUEUE_PAUSE", 0.001)
    turns, told = TurnQueue(1), []
    assert turns.begin(turns.ask())

    def look(ahead):
        told.append(ahead)
        if len(told) > 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), hold_turn(turns, look):
        raise AssertionError("nobody has ended")
    assert set(told) == {1} and len(turns) == 1


class Left(Exception):
    """Somebody who waits leaves."""


def test_a_semaphore_admits_a_few_in_order():
    # Nobody stays long enough for not being counted.
    slots, order, inside, most = LeasedSemaphore(2, lease=0.01, clock=lambda: 0.0), [], set(), []
    waiting, go = threading.Semaphore(0), threading.Event()

    def visit(name):
        with slots.hold(waiting.release):
            inside.add(name)
            order.append(name)
            most.append(len(inside))
            go.wait(20)
            inside.discard(name)

    threads = []
    for name in range(6):
        threads.append(threading.Thread(target=visit, args=(name,)))
        threads[-1].start()
        while len(slots) <= name:
            threading.Event().wait(0.001)
    # Four look whether they are still wanted; two do not wait.
    for _ in range(4):
        assert waiting.acquire(timeout=10)
    assert sorted(order) == [0, 1]
    go.set()
    for thread in threads:
        thread.join(60)
    assert sorted(order) == list(range(6)) and max(most) <= 2 and not len(slots)


def test_a_semaphore_is_not_blocked_by_long_holders_nor_by_those_who_leave():
    now = [0.0]
    slots = LeasedSemaphore(1, lease=0.01, clock=lambda: now[0])

    def leave():
        raise Left

    def wait_long():
        now[0] += 1.0
        assert now[0] < 50, "the semaphore is blocked for ever"

    with slots.hold(leave):
        with pytest.raises(Left), slots.hold(leave):
            pytest.fail("there is no place")
        assert len(slots) == 1
        with slots.hold(wait_long):
            assert now[0], "who is inside was counted for a while"
    assert not len(slots)
