"""What holds for a whole process: starting children, signals as an exception, memory given back, threads of linear algebra.

Matrices here have some hundred rows. More threads gain little on an idle machine; on a busy machine they make each call
10 to 100 times slower (measured)."""

import ctypes
import signal
import sys
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import TypeVar

Value = TypeVar("Value")

M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8  # malloc.h
MMAP_THRESHOLD, MAX_ARENAS = 4 * 2**20, 2
_launcher = ThreadPoolExecutor(1, "launcher")
_deferred: ContextVar[list[int] | None] = ContextVar("deferred_signals", default=None)


def run_in_launcher_thread(start: Callable[..., Value], *args, **options) -> Value:
    """What `start` returns, called in a thread that lasts as long as this process.

    The script of a page, and so its thread, ends within a second, and children end with the thread that starts them
    (`child_process`). Children inherit that the thread blocks SIGINT: Ctrl-C reaches the whole terminal group, but it is
    for the program to say what becomes of the work.

    Examples
    --------
    >>> run_in_launcher_thread(sum, (2, 3))
    5
    """
    with defer_signals():
        return _launcher.submit(_call_without_sigint, start, *args, **options).result()


def _call_without_sigint(start: Callable[..., Value], *args, **options) -> Value:
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    return start(*args, **options)


def tune_malloc() -> None:
    """Let arrays of 4 MB or more go back to the system as soon as they are freed; called once, when a server starts.

    By itself the C library learns from the first large array that is freed to take the next, up to 32 MB, from a heap,
    one for every thread. Small objects that stay lie between, so that the heap never shrinks. Smaller arrays stay in the
    heap: to ask the system for them again and again takes as long as to work with them.
    """
    if sys.platform == "linux" and (mallopt := _glibc_function("mallopt")) is not None:
        mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD)
        mallopt(M_ARENA_MAX, MAX_ARENAS)


def trim_memory() -> None:
    """Give freed memory back to the system; the C library and Arrow would keep up to a gigabyte."""
    if arrow := sys.modules.get("pyarrow"):
        arrow.default_memory_pool().release_unused()
    if sys.platform == "linux" and (malloc_trim := _glibc_function("malloc_trim")) is not None:
        malloc_trim(0)


@lru_cache(maxsize=2)
def _glibc_function(name: str) -> Callable[..., int] | None:
    """A function that other C libraries do not have."""
    return getattr(ctypes.CDLL(None), name, None)


class StopRequested(BaseException):
    """The user (Ctrl-C) or the system wants the program to stop.

    Attributes
    ----------
    signal : int
        SIGINT or SIGTERM.
    outcome : str
        What becomes of the work; set on the way by whoever knows it.
    """

    def __init__(self, number: int, outcome: str = "nothing was written"):
        super().__init__(number, outcome)
        self.signal, self.outcome = number, outcome

    @property
    def status(self) -> int:
        """The usual exit status: 130 for Ctrl-C, 143 for SIGTERM."""
        return 128 + self.signal


@contextmanager
def interruptible() -> Generator[None]:
    """Turn SIGINT and SIGTERM into `StopRequested`, so that the work is cleaned up before the program ends."""

    def stop(number: int, frame) -> None:
        if (deferred := _deferred.get()) is None:
            raise StopRequested(number)
        deferred.append(number)

    numbers = [n for n in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(n) != signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def defer_signals() -> Generator[None]:
    """Raise `StopRequested` at the end of this context instead of within it.

    For short work with what threads share: a lock that Python's library takes by `Condition` stays taken where an
    exception is raised at that moment (CPython's issue 148874), and whoever wants it next waits for ever.

    Examples
    --------
    >>> import os
    >>> with interruptible():
    ...     with defer_signals():
    ...         os.kill(os.getpid(), signal.SIGTERM)
    ...         print("all of it")
    Traceback (most recent call last):
    calm_core.runtime.processes.StopRequested: (15, 'nothing was written')
    """
    if _deferred.get() is not None:
        yield
        return
    numbers: list[int] = []
    token = _deferred.set(numbers)
    try:
        yield
    finally:
        _deferred.reset(token)
    if numbers:
        raise StopRequested(numbers[0])


_lock = threading.Lock()
_inside: list = []


@lru_cache(maxsize=1)
def _libraries(modules: int):
    """The linear algebra libraries in use when so many modules are imported: another may bring one more."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def limit_blas_threads() -> Generator[None]:
    """Limit the linear algebra libraries to one thread inside the block.

    The setting belongs to the process: the first caller changes it and the last one restores it.
    """
    with _lock:
        if not _inside:
            limiter = _libraries(len(sys.modules)).limit(limits=1, user_api="blas")
        else:
            limiter = _inside[0]
        _inside.append(limiter)
    try:
        yield
    finally:
        with _lock:
            _inside.pop()
            if not _inside:
                limiter.restore_original_limits()
