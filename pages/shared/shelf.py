"""A bounded cache all sessions share: results by plain keys, each computed once."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import TypeVar

Value = TypeVar("Value")


class Shelf:
    """The `most` results used last; two sessions that want the same one wait for one computation.

    Streamlit's own caches would hash arrays by a sample and do not allow progress to be shown, and
    so a run to be cancelled, while they compute.

    >>> shelf = Shelf(most=2)
    >>> shelf.get("a", lambda: 1), shelf.get("a", lambda: 2)
    (1, 1)
    """

    def __init__(self, most: int):
        self._most = most
        self._kept: OrderedDict[Hashable, object] = OrderedDict()
        self._lock = Lock()
        self._computing: dict[Hashable, Lock] = {}

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The result kept under `key`, else what `make` gives; nothing is kept where it raises."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            turn = self._computing.setdefault(key, Lock())
        with turn:
            with self._lock:
                if key in self._kept:
                    return self._kept[key]
            value = make()
            with self._lock:
                self._kept[key] = value
                self._computing.pop(key, None)
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
            return value

    def __len__(self) -> int:
        return len(self._kept)
