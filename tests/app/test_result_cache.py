"""The cache all sessions share."""

from itertools import combinations
from threading import Event, Thread

import numpy as np
import pandas as pd
import pytest

from calm_core import Domain
from pages.ui.result_cache import ResultCache, count_bytes


def test_keeps_what_was_used_last():
    cache = ResultCache(2)
    for key in ("a", "b", "a", "c"):
        cache.get(key, lambda key=key: key)
    assert cache.get("a", lambda: "new") == "a"
    assert cache.get("b", lambda: "new") == "new"


def test_heavy_results_push_out_others_but_never_themselves():
    cache = ResultCache(10, weigh=len, max_bytes=100)
    cache.get("small", lambda: b"x" * 10)
    cache.get("large", lambda: b"x" * 500)
    assert len(cache) == 1
    assert len(cache.get("large", lambda: b"")) == 500


def test_an_error_is_not_kept_and_the_next_may_try():
    cache = ResultCache(2)
    with pytest.raises(ZeroDivisionError):
        cache.get("a", lambda: 1 // 0)
    assert cache.get("a", lambda: 3) == 3


def test_sessions_that_want_the_same_wait_for_one_computation():
    cache, made, got = ResultCache(2), [], []

    def make():
        made.append(1)
        slow.wait(0.2)
        return object()

    slow = Event()
    threads = [Thread(target=lambda: got.append(cache.get("a", make))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1 and len(set(map(id, got))) == 1


def test_a_result_weighs_what_it_holds_once_and_a_million_parts_are_not_looked_at():
    numbers = np.zeros(10_000)
    assert 80_000 <= count_bytes({"one": numbers, "other": (numbers, numbers[:0])}) < 82_000
    assert count_bytes(pd.DataFrame({"a": numbers})) >= 80_000
    whole = Domain(tuple(f"a{i}" for i in range(40)), (2,) * 40)
    views = [whole.project(pair) for pair in combinations(whole.names, 2)]
    assert len(views) * 300 < count_bytes(views) < len(views) * 2_000
    many = [np.zeros(10) for _ in range(5_000)]
    assert 300_000 < count_bytes(many) < 1_000_000
