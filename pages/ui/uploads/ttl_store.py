"""What outlives a session: held in memory under random keys, and let go some time after its last use."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock, Timer
from typing import Generic, TypeVar

Things = TypeVar("Things")
LOOK = 60.0


def after(seconds: float, do: Callable[[], None]) -> None:
    """Do something later, in a thread that keeps nobody from ending."""
    timer = Timer(seconds, do)
    timer.daemon = True
    timer.start()


@dataclass
class _Held(Generic[Things]):
    things: Things
    used: float
    holders: set[str] = field(default_factory=set)


class TTLStore(Generic[Things]):
    """Things under keys that nobody can guess, for `seconds` after nobody holds them any more.

    Whoever knows a key finds its things and holds them. As long as a holder is alive nothing is let
    go: it has them anyway. Of what nobody alive holds the longest unused goes first where all
    together weigh too much. Looks are taken every minute as long as there is anything, so it does
    not take a visitor for things to be let go.

    Parameters
    ----------
    seconds : float
        How long things are kept without a holder.
    most_bytes : int
        What all may weigh together before the unheld ones go.
    weigh : callable
        Bytes of things.
    alive : callable
        Whether a holder, by name, is still there.
    let_go : callable
        Called with things and the names of all who held them, once nobody can find them any more.
    clock, later : callable, optional
        Seconds now, and how something is done later.

    Examples
    --------
    >>> keeper = TTLStore(9, 100, weigh=len, alive=lambda name: False, let_go=lambda things, names: None)
    >>> key = keeper.keep("abc", "session 1")
    >>> keeper.find(key, "session 2"), keeper.find("guess", "session 2")
    ('abc', None)
    """

    def __init__(
        self,
        seconds: float,
        most_bytes: int,
        *,
        weigh: Callable[[Things], int],
        alive: Callable[[str], bool],
        let_go: Callable[[Things, set[str]], None],
        clock: Callable[[], float] = time.monotonic,
        later: Callable[[float, Callable[[], None]], None] = after,
    ):
        self._seconds, self._most_bytes = seconds, most_bytes
        self._weigh, self._alive, self._let_go = weigh, alive, let_go
        self._clock, self._later = clock, later
        self._held: dict[str, _Held[Things]] = {}
        self._lock, self._looking = Lock(), False

    def keep(self, things: Things, holder: str) -> str:
        """Keep something; gives the key under which it is found: 256 random bits."""
        key = secrets.token_urlsafe(32)
        with self._lock:
            self._held[key] = _Held(things, self._clock(), {holder})
            start, self._looking = not self._looking, True
        if start:
            self._later(LOOK, self._look)
        return key

    def find(self, key: str, holder: str) -> Things | None:
        """What is kept under a key; from now on held by `holder` too."""
        with self._lock:
            held = self._held.get(key)
            if held is None:
                return None
            held.used = self._clock()
            held.holders.add(holder)
            return held.things

    def forget(self, key: str) -> None:
        """Let go of what is kept under a key now, whoever holds it."""
        with self._lock:
            held = self._held.pop(key, None)
        if held is not None:
            self._let_go(held.things, held.holders)

    def sweep(self) -> None:
        """Let go of all whose time is up, and of the longest unused where all weigh too much."""
        now = self._clock()
        with self._lock:
            unheld = []
            for key, held in self._held.items():
                if any(map(self._alive, held.holders)):
                    held.used = now
                else:
                    unheld.append(key)
            unheld.sort(key=lambda key: self._held[key].used)
            weight = sum(self._weigh(held.things) for held in self._held.values())
            gone = []
            for key in unheld:
                held = self._held[key]
                if now - held.used > self._seconds or weight > self._most_bytes:
                    weight -= self._weigh(held.things)
                    gone.append(self._held.pop(key))
        for held in gone:
            self._let_go(held.things, held.holders)

    def _look(self) -> None:
        try:
            self.sweep()
        finally:
            # Whatever went wrong with one, the others' time runs on.
            with self._lock:
                self._looking = again = bool(self._held)
            if again:
                self._later(LOOK, self._look)

    def __len__(self) -> int:
        return len(self._held)
