"""How far the work is, on stderr."""

import sys
from collections.abc import Callable
from typing import Any

from tqdm import tqdm


class Progress:
    """A bar on stderr that appears only when the work takes longer than a second.

    Parameters
    ----------
    unit : str
        What is counted.
    counted : callable
        How many are done and how many there are, from the event that the work notifies of.

    Attributes
    ----------
    done, total : int
        As of the latest event; 0 before the first.

    Examples
    --------
    >>> with Progress("group", lambda event: event) as progress:
    ...     progress((2, 3))
    >>> progress.done, progress.total
    (2, 3)
    """

    def __init__(self, unit: str, counted: Callable[[Any], tuple[int, int]]):
        self.unit, self.counted = unit, counted
        self.done, self.total = 0, 0
        self._bar: tqdm | None = None

    def __call__(self, event: object) -> None:
        """Advance to the event."""
        self.done, self.total = self.counted(event)
        if self._bar is None:
            self._bar = tqdm(total=self.total, unit=self.unit, delay=1.0, file=sys.stderr)
        self._bar.update(self.done - self._bar.n)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *error) -> None:
        """Leave the line free for what follows."""
        if self._bar is not None:
            self._bar.close()
