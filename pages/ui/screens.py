"""What open sessions show: of what is kept for all of them it goes last."""

from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

# Of one session, beyond what a page uses: a part that is drawn by itself again and again lets go of its oldest.
MAX_SCREENS = 200


@dataclass(eq=False)
class Kept:
    """A result on a shelf, what it weighs, and on how many screens it is; without the result once it is let go."""

    value: Any
    weight: int
    screens: int = 0


@dataclass(eq=False)
class _Screen:
    used: OrderedDict[Kept, None] = field(default_factory=OrderedDict)
    # On the screen still, until the page that is being drawn stands in its place.
    before: list[Kept] = field(default_factory=list)


_SESSION: ContextVar[str] = ContextVar("session", default="")


class Screens:
    """The results that each session has used since its page was drawn.

    Examples
    --------
    >>> screens, old, new = Screens(), Kept("old", 1), Kept("new", 1)
    >>> screens.begin("tab", lambda session: True); screens.note(old); screens.end()
    >>> screens.begin("tab", lambda session: True); screens.note(new); old.screens, new.screens
    (1, 1)
    >>> screens.end(); old.screens, new.screens
    (0, 1)
    """

    def __init__(self) -> None:
        self._of: dict[str, _Screen] = {}
        self._lock = Lock()

    def begin(self, session: str, present: Callable[[str], bool]) -> None:
        """A session's page is drawn anew in this thread; `present` tells of which sessions there is a tab."""
        _SESSION.set(session)
        with self._lock:
            for gone in [name for name in self._of if name != session and not present(name)]:
                screen = self._of.pop(gone)
                self._release(*screen.before, *screen.used)
            screen = self._of.setdefault(session, _Screen())
            screen.before += screen.used
            screen.used = OrderedDict()

    def note(self, kept: Kept) -> None:
        """The page that is drawn in this thread uses something; nothing where none is."""
        with self._lock:
            screen = self._of.get(_SESSION.get())
            if screen is None:
                return
            if kept not in screen.used:
                kept.screens += 1
                screen.used[kept] = None
            screen.used.move_to_end(kept)
            if len(screen.used) > MAX_SCREENS:
                self._release(screen.used.popitem(last=False)[0])

    def end(self) -> None:
        """The page is drawn: what it showed before is on the screen no more."""
        with self._lock:
            screen = self._of.get(_SESSION.get(), _Screen())
            self._release(*screen.before)
            screen.before = []

    def _release(self, *things: Kept) -> None:
        for kept in things:
            kept.screens -= 1


SCREENS = Screens()


def drawn_for(session: str) -> None:
    """In this thread a part of a session's page is drawn by itself: what it uses comes to what is shown."""
    _SESSION.set(session)
