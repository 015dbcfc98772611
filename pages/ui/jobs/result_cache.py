"""A bounded cache all sessions share: results by plain keys, each computed once."""

import sys
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Mapping
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np
import pandas as pd

from calm_core.tables.domain import Domain
from pages.ui.screens import SCREENS, Kept

Value = TypeVar("Value")
# What is not weighed, and how many parts of a result are weighed one by one.
LIGHT = (str, int, float, type(None))
LOOKED = 1000


def newest(things: Mapping[str, Value], most: int, used: Collection[str]) -> dict[str, Value]:
    """The `most` newest things of a session; none in `used` goes, and so more may stay.

    Examples
    --------
    >>> newest({"a": 1, "b": 2, "c": 3}, most=2, used={"a"})
    {'a': 1, 'c': 3}
    """
    spare = [name for name in things if name not in used]
    gone = spare[: max(0, len(things) - most)]
    return {name: thing for name, thing in things.items() if name not in gone}


def bytes_of(value: object, seen: set[int] | None = None) -> int:
    """About how many bytes a result holds: its arrays and tables, each once, without names of attributes and values.

    >>> import numpy as np
    >>> numbers = np.zeros(1000)
    >>> bytes_of({"a": (numbers, numbers)}) - numbers.nbytes < 1000
    True
    """
    seen = set() if seen is None else seen
    if id(value) in seen or isinstance(value, LIGHT):
        return 0
    seen.add(id(value))
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
    # Of a million views the first tell enough of all.
    looked = [part for part in parts[:LOOKED] if not isinstance(part, LIGHT)]
    return sys.getsizeof(value) + sum(bytes_of(part, seen) for part in looked) * max(
        1, len(parts) // LOOKED
    )


class ResultCache:
    """The results used last, at most `most` of them and together at most `bytes_kept` heavy.

    What an open session shows goes only where all that is shown is too heavy together: the oldest of it first.
    Two sessions that want the same result wait for one computation. Streamlit's own caches would
    hash arrays by a sample, and do not allow progress to be shown, and so a run to be cancelled,
    while they compute.

    Parameters
    ----------
    most : int
        Number of results kept, more where more are shown.
    weigh : callable, optional
        Bytes a result holds that nothing else holds.
    bytes_kept : int
        Sum of the weights kept; the newest result is kept however heavy it is.

    Examples
    --------
    >>> shelf = ResultCache(most=2)
    >>> shelf.get("a", lambda: 1), shelf.get("a", lambda: 2)
    (1, 1)
    """

    def __init__(
        self,
        most: int,
        weigh: Callable[[object], int] = lambda value: 0,
        bytes_kept: int = 300_000_000,
    ):
        self._most, self._weigh, self._bytes_kept = most, weigh, bytes_kept
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()
        self._weight = 0
        self._lock = Lock()
        self._computing: dict[Hashable, Lock] = {}
        _SHELVES.add(self)

    def get(
        self,
        key: Hashable,
        make: Callable[[], Value],
        take: Callable[[Lock], object] = lambda turn: turn.acquire(),
    ) -> Value:
        """The result kept under `key`, else what `make` gives; nothing is kept where it raises.

        While another session makes it `take` waits until it can acquire the lock it is given.
        """
        with self._lock:
            if key in self._kept:
                return self._shown(key)
            turn = self._computing.setdefault(key, Lock())
        take(turn)
        try:
            with self._lock:
                if key in self._kept:
                    return self._shown(key)
            try:
                value = make()
                heavy = self._weigh(value)
                with self._lock:
                    self._kept[key] = Kept(value, heavy)
                    self._weight += heavy
                    self._shown(key)
                    self._drop(key)
            finally:
                with self._lock:
                    self._computing.pop(key, None)
            return value
        finally:
            turn.release()

    def peek(self, key: Hashable) -> Any:
        """The result kept under `key`, if there is one; computes nothing."""
        with self._lock:
            return self._shown(key) if key in self._kept else None

    def _shown(self, key: Hashable) -> Any:
        """What is kept under a key: used last, and by the page that is drawn."""
        kept = self._kept[key]
        self._kept.move_to_end(key)
        SCREENS.note(kept)
        return kept.value

    def _drop(self, newest: Hashable) -> None:
        """Let go of the results used least recently until the rest is within the bounds; those on screens go last."""
        for shown in (False, True):
            for key, kept in list(self._kept.items()):
                if self._weight <= self._bytes_kept and (shown or len(self._kept) <= self._most):
                    break
                if key != newest and bool(kept.screens) == shown:
                    self._let_go(key)

    def _let_go(self, key: Hashable) -> None:
        kept = self._kept.pop(key)
        self._weight -= kept.weight
        # Whoever notes what is shown must not keep it.
        kept.value = None

    def forget(self, word: str) -> None:
        """Let go of every result whose key mentions a word."""
        with self._lock:
            for key in [key for key in self._kept if _mentions(key, word)]:
                self._let_go(key)

    def __len__(self) -> int:
        return len(self._kept)


_SHELVES: WeakSet[ResultCache] = WeakSet()


def forget(word: str) -> None:
    """Let go of all results, on whatever shelf, whose key mentions a word.

    Examples
    --------
    >>> shelf = ResultCache(most=9)
    >>> shelf.get(("table", ("abc", 3)), dict), shelf.get(("table", ("abd", 3)), dict)
    ({}, {})
    >>> forget("abc")
    >>> len(shelf)
    1
    """
    for shelf in list(_SHELVES):
        shelf.forget(word)


def _mentions(key: Hashable, word: str) -> bool:
    return key == word or (isinstance(key, tuple) and any(_mentions(part, word) for part in key))
