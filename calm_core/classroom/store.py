"""The store: surveys, tickets and tallies in SQLite; what is acknowledged is on the disk.

store = Store()                                  # CALM_CLASSROOM, else ~/.calm-lab/classroom.sqlite3
keys = store.create(survey, expected=30)         # keys.code, keys.teacher, keys.wall: shown once
store.join(code, ticket)    -> Future[Reply]     # phones: nothing but code and ticket
store.report(code, ticket, "0002") -> Future[Reply]
store.withdraw(code, ticket, "0002") -> Future[Reply]
desk = store.teacher(keys.teacher)               # all that a teacher may do
wall = store.wall(keys.wall)                     # what is shown, no more
"""

from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from calm_core.classroom.survey import Survey
from calm_core.classroom.tallies import Collected


@dataclass(frozen=True)
class Reply:
    """What a phone is told.

    Attributes
    ----------
    state : str
        One of the words below; a route gives each its HTTP status.
    body : dict
        The JSON to answer: {"state": state}, for "lobby" also the title, for "open" all of `dealing.wire`.
    """

    state: str
    body: dict


# States of replies. 200: LOBBY (to join), OPEN, COUNTED, WITHDRAWN; 404: UNKNOWN; 410: CLOSED;
# 403: FULL, CARD, TICKET; 409: LOBBY and WITHDRAWN (to a report); 422: REPORT; 429: BUSY.
# What a future raises instead of a reply (`Unavailable`) is 503: nothing was stored, try again.
LOBBY, OPEN, COUNTED, WITHDRAWN = "lobby", "open", "counted", "withdrawn"
UNKNOWN, CLOSED, FULL, CARD, TICKET, REPORT, BUSY = (
    "unknown", "closed", "full", "card", "ticket", "report", "busy",
)  # fmt: skip


class Unavailable(Exception):
    """Nothing was stored (disk full, file locked, store stopped): the same request may be sent again."""


@dataclass(frozen=True)
class Keys:
    """What is shown once when a survey is made; only the hashes are kept."""

    code: str
    teacher: str
    wall: str


@dataclass(frozen=True)
class Progress:
    """Where a survey is: everything the lobby and the wall count.

    Attributes
    ----------
    code, title : str
    state : str
        "lobby", "open" or "closed".
    roster : str
        "open", or "cards" where only tickets on cards may join.
    capacity : int
        Most phones.
    phones : int or None
        Phones that have joined; None once closed, when tickets are deleted.
    waiting : int
        Of these, phones without a view.
    reports : int
        Reports that are counted.
    smallest : int
        Reports on the view that has fewest (0 before there is a plan).
    views : int
        m, 0 before there is a plan.
    version : int
        Changes with everything that changes a result.
    shown : bool
        Whether the wall shows results.
    test : bool
        Whether it is marked TEST.
    """

    code: str
    title: str
    state: str
    roster: str
    capacity: int
    phones: int | None
    waiting: int
    reports: int
    smallest: int
    views: int
    version: int
    shown: bool
    test: bool


class Wall:
    """What the wall of one survey may see. Made by `Store.wall`."""

    code: str

    def progress(self) -> Progress:
        """Counts and version, read from the file: cheap, may be asked twice a second."""
        raise NotImplementedError

    def collected(self) -> Collected:
        """Questions, plan and tallies, where results are shown or the teacher asks; else InputError."""
        raise NotImplementedError

    def pooled(self) -> Collected:
        """The same, summed over all surveys of this teacher key with the same questions and plan."""
        raise NotImplementedError

    @property
    def classes(self) -> tuple[str, ...]:
        """Codes of the surveys that `pooled` sums, this one included."""
        raise NotImplementedError


class Desk(Wall):
    """What the teacher of one survey may do. Made by `Store.teacher`; refusals are InputError."""

    @property
    def survey(self) -> Survey:
        """What is asked."""
        raise NotImplementedError

    @property
    def codes(self) -> tuple[str, ...]:
        """All surveys that this key opens, newest first; `store.teacher(key, code)` gives the others."""
        raise NotImplementedError

    def open(self) -> Progress:
        """Make the plan for the phones that wait (or take the plan it was made with) and deal the views."""
        raise NotImplementedError

    def lock(self) -> Progress:
        """No more phones than have joined by now."""
        raise NotImplementedError

    def allow(self, capacity: int) -> Progress:
        """Another capacity, 1 to 1,000."""
        raise NotImplementedError

    def cards(self, number: int) -> tuple[str, ...]:
        """New one-time tickets to print, in random order; from now on only tickets on cards may join."""
        raise NotImplementedError

    def show(self, shown: bool = True) -> Progress:
        """Show results on the wall (from 10 reports on), or hide them."""
        raise NotImplementedError

    def close(self) -> Progress:
        """End it for good: late reports are refused, tickets are deleted. Twice does no harm."""
        raise NotImplementedError

    def delete(self) -> None:
        """Delete everything of it; the file holds none of its texts afterwards."""
        raise NotImplementedError

    def again(self) -> "Desk":
        """A new survey in the lobby with the same questions, plan and keys; tallies add up."""
        raise NotImplementedError


class Store:
    """Surveys, tickets and tallies in one SQLite file. Safe to use from all threads and processes.

    Parameters
    ----------
    path : path, optional
        `default_path()` where omitted. Where it cannot be written a temporary file serves instead, and
        `temporary` says so.

    Raises
    ------
    DataError
        If the file is of a newer version of the program, or no classroom: it is left untouched.
    """

    path: Path
    temporary: bool

    def __init__(self, path: str | Path | None = None):
        raise NotImplementedError

    def stop(self) -> None:
        """Finish what waits and close the file. Twice does no harm."""
        raise NotImplementedError

    def join(self, code: str, ticket: str) -> Future[Reply]:
        """A phone joins, or asks again: waits, is dealt its view, or hears how far it is."""
        raise NotImplementedError

    def report(self, code: str, ticket: str, report: str) -> Future[Reply]:
        """A phone's report, four digits: counted once, however often it is sent."""
        raise NotImplementedError

    def withdraw(self, code: str, ticket: str, report: str) -> Future[Reply]:
        """A phone takes its report back while the survey is open; its ticket is dead for good."""
        raise NotImplementedError

    def create(
        self, survey: Survey, *, expected: int, capacity: int | None = None, test: bool = False
    ) -> Keys:
        """A new survey in the lobby; capacity is twice the expected class where omitted."""
        raise NotImplementedError

    def bring_back(self, collected: Collected) -> Keys:
        """An exported survey as a closed one: to see it, and to run it again with the same plan."""
        raise NotImplementedError

    def teacher(self, key: str, code: str | None = None) -> Desk:
        """The desk of a survey that the key opens, the newest where no code is given.

        Raises
        ------
        InputError
            If the key opens nothing, or too many wrong keys were tried in the last second.
        """
        raise NotImplementedError

    def wall(self, key: str, code: str | None = None) -> Wall:
        """The wall of a survey that the key opens, likewise."""
        raise NotImplementedError


def default_path() -> Path:
    """`CALM_CLASSROOM`, else ~/.calm-lab/classroom.sqlite3."""
    raise NotImplementedError
