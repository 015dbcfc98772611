"""Whose turn it is where few can be served at a time."""

import threading

import pytest

from pages.ui import turns as module
from pages.ui.turns import Turns, in_turn


def test_nobody_waits_for_anothers_second():
    turns = Turns(1)
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
    turns = Turns(1)
    for name in ("Ann", "Bob", "Cleo"):
        turn = turns.ask(name)
        assert turns.begin(turn)
        turns.end(turn)
    waiting = [turns.ask(name) for name in ("Cleo", "Bob", "Dan")]
    assert [turns.ahead(turn) for turn in waiting] == [2, 1, 0]


def test_no_more_work_than_there_are_places():
    turns = Turns(2)
    asked = [turns.ask(str(i)) for i in range(4)]
    assert [turns.begin(turn) for turn in asked] == [True, True, False, False]
    turns.end(asked[0])
    assert [turns.begin(turn) for turn in asked[2:]] == [True, False]


def test_who_has_gone_is_not_waited_for_but_whoever_works_keeps_the_place():
    now = [0.0]
    turns = Turns(1, patience=10, clock=lambda: now[0])
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
    turns = Turns(1)
    monkeypatch.setattr(module, "PAUSE", 0.001)
    try:
        with in_turn(turns, "a", lambda ahead: None):
            assert len(turns) == 1
            if how:
                raise how
    except KeyboardInterrupt:
        pass
    assert len(turns) == 0


def test_who_waits_is_told_and_may_leave(monkeypatch):
    monkeypatch.setattr(module, "PAUSE", 0.001)
    turns, told = Turns(1), []
    assert turns.begin(turns.ask("a"))

    def look(ahead):
        told.append(ahead)
        if len(told) > 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), in_turn(turns, "b", look):
        raise AssertionError("nobody has ended")
    assert set(told) == {1} and len(turns) == 1


def test_many_threads_work_one_at_a_time(monkeypatch):
    monkeypatch.setattr(module, "PAUSE", 0.001)
    turns, inside, most, done = Turns(1), [], [0], []

    def work(name):
        with in_turn(turns, name, lambda ahead: None):
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
