"""The cache all sessions share."""

from itertools import combinations
from threading import Thread

import numpy as np
import pandas as pd
import pytest

from calm_core import Domain
from pages.ui.jobs import result_cache as module
from pages.ui.jobs.result_cache import ResultCache, bytes_of
from pages.ui.screens import MAX_SCREENS, Screens, drawn_for


def test_keeps_what_was_used_last():
    shelf = ResultCache(most=2)
    for key in ("a", "b", "a", "c"):
        shelf.get(key, lambda key=key: key)
    assert shelf.get("a", lambda: "new") == "a"
    assert shelf.get("b", lambda: "new") == "new"


def test_heavy_results_push_out_others_but_never_themselves():
    shelf = ResultCache(most=10, weigh=len, bytes_kept=100)
    shelf.get("small", lambda: b"x" * 10)
    shelf.get("large", lambda: b"x" * 500)
    assert len(shelf) == 1
    assert len(shelf.get("large", lambda: b"")) == 500


def test_an_error_is_not_kept_and_the_next_may_try():
    shelf = ResultCache(most=2)
    with pytest.raises(ZeroDivisionError):
        shelf.get("a", lambda: 1 // 0)
    assert shelf.get("a", lambda: 3) == 3


def test_sessions_that_want_the_same_wait_for_one_computation():
    shelf, made, got = ResultCache(most=2), [], []

    def make():
        made.append(1)
        slow.wait(0.2)
        return object()

    from threading import Event

    slow = Event()
    threads = [Thread(target=lambda: got.append(shelf.get("a", make))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1 and len(set(map(id, got))) == 1


def test_a_result_weighs_what_it_holds_once_and_a_million_parts_are_not_looked_at():
    numbers = np.zeros(10_000)
    assert 80_000 <= bytes_of({"one": numbers, "other": (numbers, numbers[:0])}) < 82_000
    assert bytes_of(pd.DataFrame({"a": numbers})) >= 80_000
    whole = Domain(tuple(f"a{i}" for i in range(40)), (2,) * 40)
    views = [whole.project(pair) for pair in combinations(whole.names, 2)]
    assert len(views) * 500 < bytes_of(views) < len(views) * 2_000
    many = [np.zeros(10) for _ in range(5_000)]
    assert 300_000 < bytes_of(many) < 1_000_000


@pytest.fixture
def screens(monkeypatch):
    """Tabs that begin and end to draw their page; those of `open_tabs` are there."""
    screens = Screens()
    monkeypatch.setattr(module, "SCREENS", screens)
    return screens


def drawn(screens, shelf, session, *keys, whole=True, tabs=("a", "b", "c")):
    screens.begin(session, tabs.__contains__)
    for key in keys:
        shelf.get(key, lambda: b"x" * 10)
    if whole:
        screens.end()


def kept(shelf, *keys):
    return "".join(key for key in keys if key in shelf._kept)


def test_what_an_open_session_shows_goes_last_and_only_where_all_of_it_is_too_heavy(screens):
    shelf = ResultCache(most=2, weigh=len, bytes_kept=40)
    drawn(screens, shelf, "a", "1", "2")
    drawn(screens, shelf, "b", "3", "4")
    assert kept(shelf, *"1234") == "1234", "four are shown, though two are enough"
    drawn_for("")
    shelf.get("5", lambda: b"x" * 10)
    shelf.get("6", lambda: b"x" * 10)
    assert kept(shelf, *"123456") == "2346", (
        "too heavy: the oldest that is shown goes after all others"
    )


def test_what_is_not_shown_any_more_goes_first(screens):
    shelf = ResultCache(most=3, weigh=len)
    drawn(screens, shelf, "a", "1")
    drawn(screens, shelf, "b", "2")
    drawn(screens, shelf, "b", "3", whole=False)
    drawn(screens, shelf, "c", "4")
    assert kept(shelf, *"1234") == "1234", "the old page stands until the new one is drawn"
    screens.begin("b", lambda session: True)
    shelf.get("3", bytes)
    screens.end()
    drawn(screens, shelf, "c", "4", "5")
    assert kept(shelf, *"12345") == "1345"
    drawn(screens, shelf, "b", "6", tabs="bc")
    assert kept(shelf, *"13456") == "3456", "the tab of the first was closed"


def test_a_part_that_is_drawn_again_and_again_does_not_keep_everything(screens):
    shelf = ResultCache(most=1)
    drawn(screens, shelf, "a", *map(str, range(2 * MAX_SCREENS)))
    assert len(shelf) == MAX_SCREENS


def test_what_is_forgotten_is_not_held_by_what_shows_it(screens):
    shelf = ResultCache(most=9)
    drawn(screens, shelf, "a", "1")
    (noted,) = screens._of["a"].used
    shelf.forget("1")
    assert noted.value is None
