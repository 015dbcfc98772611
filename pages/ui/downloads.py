"""Files that pages offer, kept until nobody can ask for them.

Streamlit forgets what a page offers as soon as it is drawn anew, and lets go of what nobody offers whenever a
run of anybody ends: a download pressed while one's page is drawn anew was lost as soon as somebody else was there.
"""

import time
from collections.abc import Callable
from threading import Lock, get_ident
from typing import Protocol

# Seconds for which a run that has not ended is waited for, and after which nobody is waited for.
LONGEST, LATEST = 10.0, 30.0


class Manager(Protocol):
    """What Streamlit calls where a run begins, and where it ends."""

    clear_session_refs: Callable[..., None]
    remove_orphaned_files: Callable[[], None]


class Sweeper:
    """Has a manager of files let go of those that nobody offers only when no page is being drawn anew.

    Parameters
    ----------
    manager : Manager
        Streamlit's.
    clock : callable
        Time in seconds.
    """

    def __init__(self, manager: Manager, *, clock: Callable[[], float] = time.monotonic):
        self._clock, self._lock = clock, Lock()
        self._forget, self._sweep = manager.clear_session_refs, manager.remove_orphaned_files
        # When the run of a thread began.
        self._drawing: dict[int, float] = {}
        self._swept = clock()
        manager.clear_session_refs, manager.remove_orphaned_files = self.begun, self.ended

    def begun(self, session_id: str | None = None) -> None:
        """A run begins in this thread: what its page offers is nobody's until it is offered again."""
        with self._lock:
            self._drawing[get_ident()] = self._clock()
        self._forget(session_id)

    def ended(self) -> None:
        """The run of this thread ends."""
        with self._lock:
            now = self._clock()
            self._drawing.pop(get_ident(), None)
            self._drawing = {
                thread: began for thread, began in self._drawing.items() if now - began < LONGEST
            }
            if self._drawing and now - self._swept < LATEST:
                return
            self._swept = now
        self._sweep()
