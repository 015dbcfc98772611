"""Cancel long computations from outside.

Long loops call `checkpoint`. Whoever starts the work sets a hook, which `checkpoint` calls: the hook returns, or raises
what ends the work. It never changes a result. Only the standard library is imported.
"""

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
_hook: ContextVar[Callable[[], None] | None] = ContextVar("cancel_hook", default=None)


@contextmanager
def cancellable(hook: Callable[[], None]) -> Generator[None]:
    """Set the hook that `checkpoint` calls within this context and thread.

    Examples
    --------
    >>> def time_is_up():
    ...     raise TimeoutError
    >>> with cancellable(time_is_up):
    ...     checkpoint()
    Traceback (most recent call last):
    TimeoutError
    """
    token = _hook.set(hook)
    try:
        yield
    finally:
        _hook.reset(token)


def checkpoint() -> None:
    """Call the hook, if there is one; to be called in long loops, several times a second.

    Examples
    --------
    >>> checkpoint()
    """
    hook = _hook.get()
    if hook is not None:
        hook()


def iter_cancellable(items: Iterable[Item]) -> Generator[Item]:
    """Yield the items with a checkpoint before each, for loops of one line.

    Examples
    --------
    >>> sum(iter_cancellable([1, 2]))
    3
    """
    for item in items:
        checkpoint()
        yield item
