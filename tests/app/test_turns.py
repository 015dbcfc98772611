"""Whose turn it is where few can be served at a time."""

import threading

import pytest

from pages.ui.jobs import fair_queue as module
from pages.ui.jobs.fair_queue import FairQueue, hold_turn
from pages.ui.jobs.render_slots import LeasedSemaphore


def test_nobody_waits_for_anothers_second():
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


def test_who_was_served_longest_ago_is_next():
    turns = FairQueue(1)
    for name in ("Ann", "Bob", "Cleo"):
        turn = turns.ask(name)
        assert turns.begin(turn)
        turns.end(turn)
    waiting = [turns.ask(name) for name in ("Cleo", "Bob", "Dan")]
    assert [turns.ahead(turn) for turn in waiting] == [2, 1, 0]


def test_no_more_work_than_there_are_places():
    turns = FairQueue(2)
    asked = [turns.ask(str(i)) for i in range(4)]
    assert [turns.begin(turn) for turn in asked] == [True, True, False, False]
    turns.end(asked[0])
    assert [turns.begin(turn) for turn in asked[2:]] == [True, False]


def test_who_has_gone_is_not_waited_for_but_whoever_works_keeps_the_place():
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
def test_the_place_is_left_however_it_ends(monkeypatch, how):
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


def test_who_waits_is_told_and_may_leave(monkeypatch):
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


def test_many_threads_work_one_at_a_time(monkeypatch):
    monkeypatch.setattr(module, "PAUSE", 0.001)
    turns, inside, most, done = FairQueue(1), [], [0], []

    def work(name):
        with hold_turn(turns, name, lambda ahead: None):
            inside.append(name)
            most[0] = max(most[0], len(inside))
            inside.remove(name)
            done.append(name)

    threads = [threading.Thread(target=work, args=(str(i % 3),)) for i in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert most == [1] and len(done) == 30


class Wanted(Exception):
    """Somebody who waits leaves."""


def test_a_door_lets_few_in_in_their_order_and_who_leaves_makes_room():
    # Nobody stays long enough for not being counted.
    door, order, inside, most = LeasedSemaphore(2, lease=0.01, clock=lambda: 0.0), [], set(), []
    waiting, go = threading.Semaphore(0), threading.Event()

    def visit(name):
        with door.hold(waiting.release):
            inside.add(name)
            order.append(name)
            most.append(len(inside))
            go.wait(20)
            inside.discard(name)

    threads = []
    for name in range(6):
        threads.append(threading.Thread(target=visit, args=(name,)))
        threads[-1].start()
        while len(door) <= name:
            threading.Event().wait(0.001)
    # Four look whether they are still wanted; two do not wait.
    for _ in range(4):
        assert waiting.acquire(timeout=10)
    assert sorted(order) == [0, 1]
    go.set()
    for thread in threads:
        thread.join(60)
    assert sorted(order) == list(range(6)) and max(most) <= 2 and not len(door)


def test_a_door_is_not_kept_shut_by_who_stays_long_nor_by_who_goes_away_waiting():
    now = [0.0]
    door = LeasedSemaphore(1, lease=0.01, clock=lambda: now[0])

    def leave():
        raise Wanted

    def wait_long():
        now[0] += 1.0
        assert now[0] < 50, "the door is shut for ever"

    with door.hold(leave):
        with pytest.raises(Wanted), door.hold(leave):
            pytest.fail("there is no place")
        assert len(door) == 1
        with door.hold(wait_long):
            assert now[0], "who is inside was counted for a while"
    assert not len(door)
