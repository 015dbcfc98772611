"""Who is served next where few can be at a time."""

import threading

import pytest

from pages.ui import jobs as module
from pages.ui.jobs import FairQueue, LeasedSemaphore, hold_turn


def test_nobody_waits_for_the_second_job_of_another():
    turns = FairQueue(1)
    ann = [turns.ask("Ann") for _ in range(3)]
    assert turns.begin(ann[0]) and not turns.begin(ann[1])
    bob = turns.ask("Bob")
    assert [turns.ahead(turn) for turn in (bob, ann[1], ann[2])] == [1, 2, 3]
    order = []
    turns.end(ann[0])
    while len(turns):
        [at] = [turn for turn in (*ann, bob) if turns.ahead(turn) == 0 and turn in turns._turns]
        assert turns.begin(at)
        order.append(at)
        turns.end(at)
    assert order == [bob, ann[1], ann[2]]


def test_the_session_served_longest_ago_is_next():
    turns = FairQueue(1)
    for name in ("Ann", "Bob", "Cleo"):
        turn = turns.ask(name)
        assert turns.begin(turn)
        turns.end(turn)
    waiting = [turns.ask(name) for name in ("Cleo", "Bob", "Dan")]
    assert [turns.ahead(turn) for turn in waiting] == [2, 1, 0]


def test_no_more_jobs_run_than_there_are_slots():
    turns = FairQueue(2)
    asked = [turns.ask(str(i)) for i in range(4)]
    assert [turns.begin(turn) for turn in asked] == [True, True, False, False]
    turns.end(asked[0])
    assert [turns.begin(turn) for turn in asked[2:]] == [True, False]


def test_a_silent_turn_is_dropped_but_a_running_job_keeps_its_slot():
    now = [0.0]
    turns = FairQueue(1, patience=10, clock=lambda: now[0])
    working, gone, here = turns.ask("a"), turns.ask("b"), turns.ask("c")
    assert turns.begin(working)
    now[0] = 11.0
    assert not turns.begin(here) and turns.ahead(here) == 1
    turns.end(working)
    assert turns.begin(here)
    # It comes back, as a tab does that slept.
    assert not turns.begin(gone) and turns.ahead(gone) == 1


@pytest.mark.parametrize("how", [None, KeyboardInterrupt])
def test_the_slot_is_given_back_however_the_work_ends(monkeypatch, how):
    turns = FairQueue(1)
    monkeypatch.setattr(module, "PAUSE", 0.001)
    try:
        with hold_turn(turns, "a", lambda ahead: None):
            assert len(turns) == 1
            if how:
                raise how
    except KeyboardInterrupt:
        pass
    assert len(turns) == 0


def test_a_waiting_session_learns_its_position_and_may_leave(monkeypatch):
    monkeypatch.setattr(module, "PAUSE", 0.001)
    turns, told = FairQueue(1), []
    assert turns.begin(turns.ask("a"))

    def look(ahead):
        told.append(ahead)
        if len(told) > 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), hold_turn(turns, "b", look):
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
