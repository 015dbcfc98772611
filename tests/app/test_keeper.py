"""What outlives a session: found by its key only, gone when its time is up, with nobody looking."""

import pytest

from pages.ui.uploads.ttl_store import LOOK, TTLStore


class World:
    """A clock that a test turns, holders that come and go, and what is done later."""

    def __init__(self):
        self.now, self.alive, self.gone, self.planned = 0.0, set(), [], []

    def keeper(self, seconds=100.0, most_bytes=1000) -> TTLStore:
        return TTLStore(
            seconds, most_bytes, weigh=len, alive=self.alive.__contains__,
            let_go=lambda things, holders: self.gone.append((things, holders)),
            clock=lambda: self.now, later=lambda wait, do: self.planned.append((wait, do)),
        )  # fmt: skip

    def wait(self, seconds: float) -> None:
        """Let time pass as the machine does: what is planned happens when its time has come."""
        end = self.now + seconds
        while self.planned and self.now + self.planned[0][0] <= end:
            wait, do = self.planned.pop(0)
            self.now += wait
            do()
        self.now = end


@pytest.fixture
def world() -> World:
    return World()


def test_only_the_key_finds_things_and_no_two_keys_are_alike(world):
    keeper = world.keeper()
    keys = {keeper.keep(text, "a session") for text in ("one", "two", "one")}
    assert len(keys) == 3 and all(len(key) == 43 for key in keys)
    assert sorted(keeper.find(key, "b") for key in keys) == ["one", "one", "two"]
    for guess in ("", "one", next(iter(keys))[:-1]):
        assert keeper.find(guess, "b") is None


def test_things_go_when_their_time_is_up_without_any_visitor(world):
    keeper = world.keeper(seconds=100)
    key = keeper.keep("table", "a")
    world.wait(100)
    assert keeper.find(key, "b") == "table", "and so it is used again"
    world.wait(100)
    assert len(keeper) == 1
    world.wait(LOOK)
    assert len(keeper) == 0 and keeper.find(key, "b") is None
    assert world.gone == [("table", {"a", "b"})]
    assert not world.planned, "where there is nothing there is nothing to look at"
    keeper.keep("another", "a")
    assert len(world.planned) == 1


def test_nothing_goes_while_somebody_holds_it(world):
    keeper = world.keeper(seconds=100)
    key = keeper.keep("table", "a")
    world.alive.add("a")
    world.wait(10_000)
    assert keeper.find(key, "a") == "table"
    world.alive.clear()
    world.wait(90)
    assert len(keeper) == 1, "the time begins when the last holder has gone"
    world.wait(100 + LOOK)
    assert len(keeper) == 0


def test_what_weighs_too_much_goes_the_longest_unused_first_and_never_what_is_held(world):
    keeper = world.keeper(most_bytes=10)
    held = keeper.keep("x" * 6, "a")
    world.alive.add("a")
    keys = []
    for text in ("aaa", "bb", "cc"):
        world.wait(1)
        keys.append(keeper.keep(text, "nobody"))
    keeper.sweep()
    assert [keeper.find(key, "c") for key in (held, *keys)] == ["x" * 6, None, "bb", "cc"]
    assert world.gone == [("aaa", {"nobody"})]


def test_what_is_forgotten_is_gone_at_once_whoever_holds_it(world):
    keeper = world.keeper()
    key = keeper.keep("table", "a")
    world.alive.add("a")
    keeper.forget(key)
    keeper.forget("a key of nothing")
    assert keeper.find(key, "a") is None and world.gone == [("table", {"a"})]
