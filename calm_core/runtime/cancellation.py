"""Long work asks now and then whether anybody still waits for it.

Whoever has work done says how to ask; loops that can be long `attend`. What is asked changes no result: it
returns, or raises what ends the work. What others work for a thread is told to it, so that it can be asked of all
that it has taken. Only the standard library.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
_asked: ContextVar[Callable[[], None] | None] = ContextVar("asked", default=None)


class _Others(threading.local):
    """What helpers have worked for each thread, and whether it works alone."""

    seconds, alone = 0.0, False


_others = _Others()


@contextmanager
def attended(ask: Callable[[], None]) -> Iterator[None]:
    """Within it, and in this thread, loops call `ask` now and then; what it raises ends them.

    >>> def ask():
    ...     raise TimeoutError
    >>> with attended(ask):
    ...     attend()
    Traceback (most recent call last):
    TimeoutError
    """
    token = _asked.set(ask)
    try:
        yield
    finally:
        _asked.reset(token)


def attended_from_now(ask: Callable[[], None]) -> None:
    """The same for the rest of this thread, or until it is called anew."""
    _asked.set(ask)


def attend() -> None:
    """Called in long loops, several times a second: end here where nobody waits for what they make.

    >>> attend()
    """
    ask = _asked.get()
    if ask is not None:
        ask()


def attentive(items: Iterable[Item]) -> Iterator[Item]:
    """The items, for loops of one line: they attend at each.

    >>> sum(attentive([1, 2]))
    3
    """
    for item in items:
        attend()
        yield item


def helped(seconds: float) -> None:
    """Another thread has worked so long for this one."""
    _others.seconds += seconds


@contextmanager
def unhelped() -> Iterator[None]:
    """Within it no other threads work for this one: the other cores are for those who come first.

    >>> with unhelped():
    ...     may_be_helped()
    False
    """
    before, _others.alone = _others.alone, True
    try:
        yield
    finally:
        _others.alone = before


def may_be_helped() -> bool:
    """Whether this thread may have others work for it."""
    return not _others.alone


def worked() -> float:
    """Seconds of the processor that this thread has taken, with those of its helpers.

    >>> before = worked()
    >>> helped(60.0)
    >>> worked() - before >= 60.0
    True
    """
    return time.thread_time() + _others.seconds
