"""A queue for heavy work that is fair between sessions: nobody's first job waits for another's second."""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from threading import Lock

PAUSE = 0.1


@dataclass(eq=False)
class Turn:
    """One job of a session in the queue; made by `FairQueue.ask`."""

    owner: str
    number: int
    asked: float
    at_work: bool = False


class FairQueue:
    """A queue with a number of slots; the next goes to the session that holds none and was served longest ago.

    A turn that nobody asks about any more, as when a tab was closed, is dropped.

    Parameters
    ----------
    slots : int
        How many jobs run at a time.
    patience : float
        Seconds after which a turn that nobody asks about is dropped.
    clock : callable
        Time in seconds.

    Examples
    --------
    >>> queue = FairQueue(1)
    >>> first, second, other = queue.ask("Ann"), queue.ask("Ann"), queue.ask("Bob")
    >>> queue.begin(first), queue.ahead(second), queue.ahead(other)
    (True, 2, 1)
    >>> queue.end(first)
    >>> queue.begin(second), queue.begin(other)
    (False, True)
    """

    def __init__(
        self, slots: int, *, patience: float = 10.0, clock: Callable[[], float] = time.monotonic
    ):
        self._slots, self._patience, self._clock = slots, patience, clock
        self._turns: list[Turn] = []
        # The sessions served last, the newest at the end.
        self._served: OrderedDict[str, int] = OrderedDict()
        self._numbers, self._lock = count(1), Lock()

    def ask(self, owner: str) -> Turn:
        """Join the queue; begin as soon as `begin` is true, and `end` whatever happens."""
        with self._lock:
            turn = Turn(owner, next(self._numbers), self._clock())
            self._turns.append(turn)
            return turn

    def begin(self, turn: Turn) -> bool:
        """Whether its turn has come: it then holds a slot until `end`."""
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
        """How many jobs have to end before this one begins."""
        with self._lock:
            return self._before(turn)

    def end(self, turn: Turn) -> None:
        """Give back the slot, or leave the queue."""
        with self._lock:
            if turn in self._turns:
                self._turns.remove(turn)

    def _before(self, turn: Turn) -> int:
        now = self._clock()
        self._turns = [t for t in self._turns if t.at_work or now - t.asked <= self._patience]
        working = [t for t in self._turns if t.at_work]
        busy = [t.owner for t in working]

        def order(t: Turn) -> tuple[int, int, int]:
            # Of one session's jobs the first comes first.
            own = sum(
                o.owner == t.owner and o.number < t.number for o in self._turns if not o.at_work
            )
            return busy.count(t.owner) + own, self._served.get(t.owner, 0), t.number

        waiting = sorted((t for t in self._turns if not t.at_work), key=order)
        before = waiting.index(turn) if turn in waiting else len(waiting)
        return max(0, before + len(working) - self._slots + 1)

    def __len__(self) -> int:
        return len(self._turns)


@contextmanager
def hold_turn(queue: FairQueue, owner: str, look: Callable[[int], None]) -> Iterator[None]:
    """Wait for a slot and hold it within; `look` is given how many are ahead, and may raise to leave."""
    turn = queue.ask(owner)
    try:
        while not queue.begin(turn):
            look(queue.ahead(turn))
            time.sleep(PAUSE)
        yield
    finally:
        queue.end(turn)
