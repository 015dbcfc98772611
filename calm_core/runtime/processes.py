"""What programs of ours and their children have in common: how those are started, what Ctrl-C means, memory given back."""

import ctypes
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import TypeVar

from calm_core.runtime.cancellation import cancellable

Value = TypeVar("Value")

M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8  # malloc.h
LARGE, ARENAS = 4 * 2**20, 2
_lasting = ThreadPoolExecutor(1, "starter")
_put_off: ContextVar[list[int] | None] = ContextVar("put_off", default=None)


def _without_interrupts(start: Callable[..., Value], *args, **options) -> Value:
    # Children inherit what is blocked here: Ctrl-C reaches the whole terminal group, and it is for
    # the program, not for its workers, to say what becomes of the work.
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    return start(*args, **options)


def run_in_launcher_thread(start: Callable[..., Value], *args, **options) -> Value:
    """What `start` gives, called in a thread that lasts as long as this process.

    A page's script, and so its thread, ends in a second: see `tied.preamble`.

    Examples
    --------
    >>> run_in_launcher_thread(sum, (2, 3))
    5
    """
    with defer_signals():
        return _lasting.submit(_without_interrupts, start, *args, **options).result()


def tune_malloc() -> None:
    """Called once where a server starts: arrays from 4 MB go back to the system as soon as they are freed.

    Smaller ones do not, since to ask the system for them again and again takes as long as to work with them.

    The C library learns from the first large array that is freed to take the next, up to 32 MB, from a heap, of which
    every thread may have its own; what is small and stays lies between, so that the heap can never shrink.
    """
    if sys.platform == "linux" and (choose := _of_glibc("mallopt")) is not None:
        choose(M_MMAP_THRESHOLD, LARGE)
        choose(M_ARENA_MAX, ARENAS)


def trim_memory() -> None:
    """Let the system have what was freed: the C library and Arrow keep it for later, up to a gigabyte."""
    if arrow := sys.modules.get("pyarrow"):
        arrow.default_memory_pool().release_unused()
    if sys.platform == "linux" and (trim := _of_glibc("malloc_trim")) is not None:
        trim(0)


@lru_cache(maxsize=2)
def _of_glibc(name: str) -> Callable[..., int] | None:
    """A function that other C libraries do not have."""
    return getattr(ctypes.CDLL(None), name, None)


class StopRequested(BaseException):
    """The person at the keyboard, or the system, wants the program to stop.

    Attributes
    ----------
    signal : int
        SIGINT or SIGTERM.
    told : str
        What becomes of the work; whoever knows sets it on the way.
    """

    def __init__(self, number: int, told: str = "nothing was written"):
        super().__init__(number, told)
        self.signal, self.told = number, told

    @property
    def status(self) -> int:
        """Exit status by custom: 130 for Ctrl-C, 143 for a request to end."""
        return 128 + self.signal


def _is_wound_up() -> bool:
    """Whether an `StopRequested` is just being handled."""
    handled = sys.exc_info()[1]
    while handled is not None and not isinstance(handled, StopRequested):
        handled = handled.__context__
    return handled is not None


@contextmanager
def interruptible() -> Iterator[None]:
    """Make SIGINT and SIGTERM an `StopRequested`, so that work is wound up before the program ends."""
    received: list[int] = []

    def stop(number: int, frame) -> None:
        received.append(number)
        if (noted := _put_off.get()) is None:
            raise StopRequested(number)
        noted.append(number)

    def say_again() -> None:
        # What is raised while an object is freed is forgotten.
        if received and not _is_wound_up():
            raise StopRequested(received[0])

    def unheard(ignored) -> None:
        if not isinstance(ignored.exc_value, StopRequested):
            told(ignored)

    numbers = [n for n in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(n) != signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in numbers}
    told, sys.unraisablehook = sys.unraisablehook, unheard
    try:
        with cancellable(say_again):
            yield
    finally:
        sys.unraisablehook = told
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def defer_signals() -> Iterator[None]:
    """What would be an `StopRequested` within is one at the end.

    For short work with what threads share: locks that Python's library takes by `Condition` stay taken where an
    exception comes just then (CPython's issue 148874), and whoever wants them next waits for ever.

    Examples
    --------
    >>> import os
    >>> with interruptible():
    ...     with uninterrupted():
    ...         os.kill(os.getpid(), signal.SIGTERM)
    ...         print("all of it")
    Traceback (most recent call last):
    calm_core.runtime.processes.StopRequested: (15, 'nothing was written')
    """
    if _put_off.get() is not None:
        yield
        return
    noted: list[int] = []
    token = _put_off.set(noted)
    try:
        yield
    finally:
        _put_off.reset(token)
    if noted and not _is_wound_up():
        raise StopRequested(noted[0])
