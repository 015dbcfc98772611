"""A bounded cache that all sessions share: results by plain keys, each computed once."""

import sys
from collections.abc import Callable, Hashable, Mapping
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np
import pandas as pd
from cachetools import LRUCache

from calm_core.tables.domain import Domain

Value = TypeVar("Value")
# What is not weighed, and how many parts of a result are weighed one by one.
LIGHT = (str, int, float, type(None))
MAX_PARTS = 1000


def count_bytes(value: object, counted: set[int] | None = None) -> int:
    """About how many bytes a result holds: its arrays and tables, each once, without names of attributes and values.

    >>> import numpy as np
    >>> numbers = np.zeros(1000)
    >>> count_bytes({"a": (numbers, numbers)}) - numbers.nbytes < 1000
    True
    """
    counted = set() if counted is None else counted
    if id(value) in counted or isinstance(value, LIGHT):
        return 0
    counted.add(id(value))
    if isinstance(value, Domain):
        # Without what it shares with the domain that it is a part of: every view has its own.
        return sum(map(sys.getsizeof, (value.__dict__, *value.__dict__.values())))
    own = getattr(value, "nbytes", None)
    if isinstance(own, int):
        return own
    if isinstance(value, (pd.DataFrame, pd.Series)):
        return int(np.sum(value.memory_usage(deep=True)))
    if isinstance(value, Mapping):
        parts = [*value, *value.values()]
    elif isinstance(value, (list, tuple, set, frozenset)):
        parts = list(value)
    else:
        parts = list(getattr(value, "__dict__", {}).values())
    # Of a million views the first stand for all.
    weighed = [part for part in parts[:MAX_PARTS] if not isinstance(part, LIGHT)]
    return sys.getsizeof(value) + sum(count_bytes(part, counted) for part in weighed) * max(
        1, len(parts) // MAX_PARTS
    )


class ResultCache:
    """The results used last: at most `max_results` of about `max_bytes` together.

    Two sessions that want the same result wait for one computation. Streamlit's own caches would hash arrays by a
    sample, and could not show progress or be cancelled while they compute.

    Parameters
    ----------
    max_results : int
        Number of results kept.
    weigh : callable, optional
        Bytes a result holds that nothing else holds.
    max_bytes : int
        Sum of the weights kept; the newest result is kept however heavy it is.

    Examples
    --------
    >>> cache = ResultCache(2)
    >>> cache.get("a", lambda: 1), cache.get("a", lambda: 2)
    (1, 1)
    """

    def __init__(
        self,
        max_results: int,
        weigh: Callable[[object], int] = lambda value: 0,
        max_bytes: int = 300_000_000,
    ):
        # One bound for both: a light result counts as its share of the bytes.
        min_weight = max_bytes / max_results
        self._kept: LRUCache = LRUCache(
            max_bytes, lambda value: min(max(weigh(value), min_weight), max_bytes)
        )
        self._lock = Lock()
        self._computing: dict[Hashable, Lock] = {}
        _CACHES.add(self)

    def get(
        self,
        key: Hashable,
        make: Callable[[], Value],
        take: Callable[[Lock], object] = lambda turn: turn.acquire(),
    ) -> Value:
        """The result kept under `key`, else what `make` returns; nothing is kept where it raises.

        While another session makes it, `take` waits until it can acquire the lock it is given.
        """
        with self._lock:
            if key in self._kept:
                return self._kept[key]
            turn = self._computing.setdefault(key, Lock())
        take(turn)
        try:
            with self._lock:
                if key in self._kept:
                    return self._kept[key]
            try:
                value = make()
                with self._lock:
                    self._kept[key] = value
            finally:
                with self._lock:
                    self._computing.pop(key, None)
            return value
        finally:
            turn.release()

    def peek(self, key: Hashable) -> Any:
        """The result kept under `key`, if there is one; computes nothing."""
        with self._lock:
            return self._kept.get(key)

    def forget(self, word: str) -> None:
        """Drop every result whose key mentions a word."""
        with self._lock:
            for key in [key for key in self._kept if _mentions(key, word)]:
                del self._kept[key]

    def __len__(self) -> int:
        return len(self._kept)


_CACHES: WeakSet[ResultCache] = WeakSet()


def forget_results(word: str) -> None:
    """Drop all results, in whatever cache, whose key mentions a word.

    Examples
    --------
    >>> cache = ResultCache(9)
    >>> cache.get(("table", ("abc", 3)), dict), cache.get(("table", ("abd", 3)), dict)
    ({}, {})
    >>> forget_results("abc")
    >>> len(cache)
    1
    """
    for cache in list(_CACHES):
        cache.forget(word)


def _mentions(key: Hashable, word: str) -> bool:
    return key == word or (isinstance(key, tuple) and any(_mentions(part, word) for part in key))
