"""What is kept about an object goes with the object."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

Value = TypeVar("Value")
MAX_OF_EACH = 16


def cache_per_object(function: Callable[..., Value]) -> Callable[..., Value]:
    """Keep what a function gives for its first argument as long as that lives, and no longer.

    A cache of a module would hold names and records of a table that everybody else has let go of.
    The other arguments are hashable; of one object at most 16 results are kept.

    Examples
    --------
    >>> class Table: pass
    >>> made = []
    >>> @cache_per_object
    ... def shape(table, axis): made.append(axis); return axis
    >>> table = Table()
    >>> shape(table, 1), shape(table, 1), made
    (1, 1, [1])
    """
    kept: WeakKeyDictionary[Any, dict[tuple, Value]] = WeakKeyDictionary()

    @wraps(function)
    def found(thing: Any, *others: Any) -> Value:
        known = kept.setdefault(thing, {})
        if others not in known:
            if len(known) >= MAX_OF_EACH:
                known.clear()
            known[others] = function(thing, *others)
        return known[others]

    return found
