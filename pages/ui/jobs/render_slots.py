"""Slots for drawing pages: few pages are drawn at a time, first come, first served."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event, Lock

from pages.ui import progress


class LeasedSemaphore:
    """A semaphore in order of arrival that stops counting a holder once its lease is over.

    So nothing that happens inside, where somebody may wait for another's work, can block the others.

    Parameters
    ----------
    slots : int
        How many are inside at a time.
    lease : float
        Seconds for which a holder is counted.
    clock : callable
        Time in seconds.

    Examples
    --------
    >>> slots = LeasedSemaphore(1)
    >>> with slots.hold(lambda: None):
    ...     len(slots)
    1
    >>> len(slots)
    0
    """

    def __init__(
        self, slots: int, *, lease: float = 0.5, clock: Callable[[], float] = time.monotonic
    ):
        self._slots, self._lease, self._clock = slots, lease, clock
        # When each holder came in, by the event that lets it in.
        self._inside: dict[Event, float] = {}
        self._waiting: deque[Event] = deque()
        self._lock = Lock()

    @contextmanager
    def hold(self, check: Callable[[], object]) -> Iterator[None]:
        """Wait for a slot and hold it within; `check` is called now and then meanwhile, and may raise to leave."""
        own = Event()
        with self._lock:
            self._waiting.append(own)
            self._let_in()
        try:
            while not own.wait(self._lease):
                check()
                with self._lock:
                    self._let_in()
            yield
        finally:
            with self._lock:
                if self._inside.pop(own, None) is None and own in self._waiting:
                    self._waiting.remove(own)
                self._let_in()

    def _let_in(self) -> None:
        now = self._clock()
        self._inside = {own: at for own, at in self._inside.items() if now - at < self._lease}
        while self._waiting and len(self._inside) < self._slots:
            own = self._waiting.popleft()
            self._inside[own] = now
            own.set()

    def __len__(self) -> int:
        return len(self._inside) + len(self._waiting)


# Python computes one thing at a time. Of sixty pages drawn at once every one would be late, and the server's
# own thread would wait for all of them at every step.
SLOTS = LeasedSemaphore(2)
_RENDERING: ContextVar[bool] = ContextVar("rendering", default=False)
# The runs that draw now, in all sessions.
_RUNS: set[object] = set()


@contextmanager
def render_slot() -> Iterator[None]:
    """Around all that one run of the script draws."""
    run = object()
    _RUNS.add(run)
    token = _RENDERING.set(True)
    try:
        with SLOTS.hold(progress.yield_to_streamlit):
            progress.set_page_cancel_hook()
            yield
    finally:
        _RENDERING.reset(token)
        _RUNS.discard(run)


def is_rendering() -> bool:
    """Whether this thread is inside a `render_slot`: a fragment is then drawn as a part of its page."""
    return _RENDERING.get()


def count_runs() -> int:
    """How many runs draw at this moment, in all sessions."""
    return len(_RUNS)
