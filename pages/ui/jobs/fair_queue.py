"""Few places for heavy work of all visitors, and whose turn it is: nobody waits for another's second.

`LeasedSemaphore` is for drawing pages, a matter of a moment: first come, first served.
"""

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from threading import Event, Lock

PAUSE = 0.1


@dataclass(eq=False)
class Turn:
    """A visitor's wish to do something heavy; made by `Turns.ask`."""

    owner: str
    number: int
    asked: float
    at_work: bool = False


class FairQueue:
    """A number of places; the next is for who has none and was served longest ago.

    A turn that nobody asks about any more, as when a tab was closed, is forgotten.

    Parameters
    ----------
    places : int
        How many work at a time.
    patience : float
        Seconds after which a turn that nobody asks about is forgotten.
    clock : callable
        Time in seconds.

    Examples
    --------
    >>> turns = FairQueue(1)
    >>> first, second, other = turns.ask("Ann"), turns.ask("Ann"), turns.ask("Bob")
    >>> turns.begin(first), turns.ahead(second), turns.ahead(other)
    (True, 2, 1)
    >>> turns.end(first)
    >>> turns.begin(second), turns.begin(other)
    (False, True)
    """

    def __init__(
        self, places: int, *, patience: float = 10.0, clock: Callable[[], float] = time.monotonic
    ):
        self._places, self._patience, self._clock = places, patience, clock
        self._turns: list[Turn] = []
        # Who was served, the last at the end; those of an hour are enough to be fair.
        self._served: OrderedDict[str, int] = OrderedDict()
        self._numbers, self._lock = count(1), Lock()

    def ask(self, owner: str) -> Turn:
        """Wish to work; begin as soon as `begin` says so, and `end` whatever happens."""
        with self._lock:
            turn = Turn(owner, next(self._numbers), self._clock())
            self._turns.append(turn)
            return turn

    def begin(self, turn: Turn) -> bool:
        """Whether its turn has come: it has a place then, until `end`."""
        with self._lock:
            turn.asked = self._clock()
            if turn not in self._turns:
                self._turns.append(turn)
            if not turn.at_work and self._before(turn) == 0:
                turn.at_work = True
                self._served[turn.owner] = next(self._numbers)
                self._served.move_to_end(turn.owner)
                while len(self._served) > 1000:
                    self._served.popitem(last=False)
            return turn.at_work

    def ahead(self, turn: Turn) -> int:
        """How many are to end before it begins."""
        with self._lock:
            return self._before(turn)

    def end(self, turn: Turn) -> None:
        """Leave the place, or the queue; nothing where it has left already."""
        with self._lock:
            if turn in self._turns:
                self._turns.remove(turn)

    def _before(self, turn: Turn) -> int:
        now = self._clock()
        self._turns = [t for t in self._turns if t.at_work or now - t.asked <= self._patience]
        working = [t for t in self._turns if t.at_work]
        busy = [t.owner for t in working]

        def order(t: Turn) -> tuple[int, int, int]:
            # Of one visitor's the first comes first: the others wait behind as many as are before them.
            own = sum(
                o.owner == t.owner and o.number < t.number for o in self._turns if not o.at_work
            )
            return busy.count(t.owner) + own, self._served.get(t.owner, 0), t.number

        waiting = sorted((t for t in self._turns if not t.at_work), key=order)
        before = waiting.index(turn) if turn in waiting else len(waiting)
        return max(0, before + len(working) - self._places + 1)

    def __len__(self) -> int:
        return len(self._turns)


@contextmanager
def in_turn(turns: FairQueue, owner: str, look: Callable[[int], None]) -> Iterator[None]:
    """Wait for a place and hold it within; `look` is told how many are ahead, and may raise to leave."""
    turn = turns.ask(owner)
    try:
        while not turns.begin(turn):
            look(turns.ahead(turn))
            time.sleep(PAUSE)
        yield
    finally:
        turns.end(turn)


class LeasedSemaphore:
    """A few may be inside at a time, and who came first is next; who stays long is not counted any more.

    Nothing that happens inside, where somebody may wait for another's work, can keep the door shut.

    Parameters
    ----------
    places : int
        How many are inside at a time.
    lease : float
        Seconds for which one who is inside is counted.
    clock : callable
        Time in seconds.

    Examples
    --------
    >>> door = LeasedSemaphore(1)
    >>> with door.through(lambda: None):
    ...     len(door)
    1
    >>> len(door)
    0
    """

    def __init__(
        self, places: int, *, lease: float = 0.5, clock: Callable[[], float] = time.monotonic
    ):
        self._places, self._lease, self._clock = places, lease, clock
        # When who is inside came in, by what tells them apart; that tells those who wait, too.
        self._inside: dict[Event, float] = {}
        self._waiting: deque[Event] = deque()
        self._lock = Lock()

    @contextmanager
    def through(self, look: Callable[[], object]) -> Iterator[None]:
        """Wait for a place and have it within; `look` is called now and then meanwhile, and may raise to leave."""
        own = Event()
        with self._lock:
            self._waiting.append(own)
            self._let_in()
        try:
            while not own.wait(self._lease):
                look()
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
        while self._waiting and len(self._inside) < self._places:
            own = self._waiting.popleft()
            self._inside[own] = now
            own.set()

    def __len__(self) -> int:
        return len(self._inside) + len(self._waiting)
