"""Long work asks now and then whether anybody still waits for it.

Whoever has work done says how to ask; loops that can be long `checkpoint`. What is asked changes no result: it
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
def cancellable(ask: Callable[[], None]) -> Iterator[None]:
    """Within it, and in this thread, loops call `ask` now and then; what it raises ends them.

    >>> def ask():
    ...     raise TimeoutError
    >>> with cancellable(ask):
    ...     attend()
    Traceback (most recent call last):
    TimeoutError
    """
    token = _asked.set(ask)
    try:
        yield
    finally:
        _asked.reset(token)


def set_cancel_hook(ask: Callable[[], None]) -> None:
    """The same for the rest of this thread, or until it is called anew."""
    _asked.set(ask)


def checkpoint() -> None:
    """Called in long loops, several times a second: end here where nobody waits for what they make.

    >>> checkpoint()
    """
    ask = _asked.get()
    if ask is not None:
        ask()


def iter_cancellable(items: Iterable[Item]) -> Iterator[Item]:
    """The items, for loops of one line: they attend at each.

    >>> sum(iter_cancellable([1, 2]))
    3
    """
    for item in items:
        checkpoint()
        yield item


def add_helper_time(seconds: float) -> None:
    """Another thread has worked so long for this one."""
    _others.seconds += seconds


@contextmanager
def single_threaded() -> Iterator[None]:
    """Within it no other threads work for this one: the other cores are for those who come first.

    >>> with single_threaded():
    ...     may_be_helped()
    False
    """
    before, _others.alone = _others.alone, True
    try:
        yield
    finally:
        _others.alone = before


def may_use_helpers() -> bool:
    """Whether this thread may have others work for it."""
    return not _others.alone


def cpu_seconds() -> float:
    """Seconds of the processor that this thread has taken, with those of its helpers.

    >>> before = cpu_seconds()
    >>> add_helper_time(60.0)
    >>> cpu_seconds() - before >= 60.0
    True
    """
    return time.thread_time() + _others.seconds
