"""Uploads on their way: bounded as those are that have come (`raw_files`), since they lie in memory and on the disk already.

Streamlit reads as many at a time as anybody sends, each of them whole before it is counted.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass

from pages.ui.uploads.raw_files import MAX_IN_ALL, MAX_OF_ONE


class NoRoom(Exception):
    """Too much is on its way already."""


@dataclass(eq=False)
class Coming:
    """A file on its way, the task that reads it, and whether that had to end for another's."""

    session: str
    size: int
    task: asyncio.Task
    dropped: bool = False


class Arriving:
    """What is on its way of all sessions; only for the server's own thread.

    Where it is too much in all, who sends most gives: nobody is kept from sending by a stranger who sends much.
    """

    def __init__(self) -> None:
        self._coming: list[Coming] = []

    def enter(self, session: str, size: int, task: asyncio.Task) -> Coming:
        """A file is going to be read; it is counted until it `leave`s.

        Raises
        ------
        NoRoom
            If its session sends too much already, or others do who send no more than it would.
        """
        own = size + sum(one.size for one in self._coming if one.session == session)
        if own > MAX_OF_ONE:
            raise NoRoom
        while sum(one.size for one in self._coming) + size > MAX_IN_ALL:
            self._drop_from_more_than(own, session)
        new = Coming(session, size, task)
        self._coming.append(new)
        return new

    def leave(self, one: Coming) -> None:
        """It has come, or comes no more."""
        if one in self._coming:
            self._coming.remove(one)

    def _drop_from_more_than(self, own: int, session: str) -> None:
        held = Counter[str]()
        for one in self._coming:
            held[one.session] += one.size
        del held[session]
        ((most, size),) = held.most_common(1) or (("", 0),)
        if size <= own:
            raise NoRoom
        last = next(one for one in reversed(self._coming) if one.session == most)
        last.dropped = True
        last.task.cancel()
        self.leave(last)
