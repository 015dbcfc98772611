"""The cache all sessions share."""

from threading import Thread

import numpy as np
import pandas as pd
import pytest

from pages.ui.shelf import Shelf, bytes_of


def test_keeps_what_was_used_last():
    shelf = Shelf(most=2)
    for key in ("a", "b", "a", "c"):
        shelf.get(key, lambda key=key: key)
    assert shelf.get("a", lambda: "new") == "a"
    assert shelf.get("b", lambda: "new") == "new"


def test_heavy_results_push_out_others_but_never_themselves():
    shelf = Shelf(most=10, weigh=len, bytes_kept=100)
    shelf.get("small", lambda: b"x" * 10)
    shelf.get("large", lambda: b"x" * 500)
    assert len(shelf) == 1
    assert len(shelf.get("large", lambda: b"")) == 500


def test_an_error_is_not_kept_and_the_next_may_try():
    shelf = Shelf(most=2)
    with pytest.raises(ZeroDivisionError):
        shelf.get("a", lambda: 1 // 0)
    assert shelf.get("a", lambda: 3) == 3


def test_sessions_that_want_the_same_wait_for_one_computation():
    shelf, made, got = Shelf(most=2), [], []

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
    many = [np.zeros(10) for _ in range(5_000)]
    assert 300_000 < bytes_of(many) < 1_000_000
