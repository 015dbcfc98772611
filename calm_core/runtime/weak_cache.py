"""A cache for functions of an object, which forgets an object's results with the object."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

Value = TypeVar("Value")
MAX_PER_OBJECT = 16


def cache_per_object(function: Callable[..., Value]) -> Callable[..., Value]:
    """Cache what a function returns for its first argument, as long as that object lives.

    `functools.lru_cache` would keep the names and records of a table that nobody else uses any more. The other
    arguments must be hashable; at most 16 results are kept for an object.

    Examples
    --------
    >>> class Table: pass
    >>> computed = []
    >>> @cache_per_object
    ... def shape(table, axis): computed.append(axis); return axis
    >>> table = Table()
    >>> shape(table, 1), shape(table, 1), computed
    (1, 1, [1])
    """
    cache: WeakKeyDictionary[Any, dict[tuple, Value]] = WeakKeyDictionary()

    @wraps(function)
    def cached(thing: Any, *others: Any) -> Value:
        results = cache.setdefault(thing, {})
        if others not in results:
            if len(results) >= MAX_PER_OBJECT:
                results.clear()
            results[others] = function(thing, *others)
        return results[others]

    return cached
