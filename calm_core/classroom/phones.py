"""What a phone can do: join, report once, withdraw; each is one step of the writer's transaction."""

import hashlib
import json
import re
import secrets
import sqlite3
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from calm_core.classroom.view_assignment import assign_views, least_used_view, questions_for_phone

# Letters and digits that nobody mistakes for others.
LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
CODE_FORM = re.compile(f"[{LETTERS}]{{6}}", re.ASCII)
TICKET_FORM = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)
REPORT_FORM = re.compile(r"[0-9]{4}", re.ASCII)
# How a ticket stands: not yet dealt a view; printed on a card that nobody has used yet.
WAITING, UNUSED_CARD = -1, -2
ASSIGNED, USED, CANCELLED = 0, 1, 2
NEW_TICKETS, UNKNOWN_CODES = 200, 50
# Names whose last second is remembered before those that are silent are forgotten.
MAX_NAMES = 1_000

# States of replies, and the HTTP status each stands for.
LOBBY, OPEN, COUNTED, WITHDRAWN = "lobby", "open", "counted", "withdrawn"
UNKNOWN, CLOSED, FULL, CARD = "unknown", "closed", "full", "card"
TICKET, REPORT, BUSY = "ticket", "report", "busy"


@dataclass(frozen=True)
class Reply:
    """What a phone is told.

    Attributes
    ----------
    state : str
        One of the words above.
    status : int
        The HTTP status that goes with it: 200, 403, 404, 409, 410, 422 or 429.
    body : dict
        The JSON to answer.
    """

    state: str
    status: int
    body: dict


def _reply(state: str, status: int, **more) -> Reply:
    return Reply(state, status, {"state": state, **more})


def hash_secret(secret: str) -> bytes:
    """What is kept of a ticket or a key."""
    return hashlib.sha256(secret.encode()).digest()


def new_secret() -> str:
    """A ticket or a key that nobody guesses: 22 letters, digits, - and _."""
    return secrets.token_urlsafe(16)


def phone_title(title: str, test: bool) -> str:
    """The title as phones show it."""
    return f"TEST · {title}" if test else title


class RateLimit:
    """So many things in one second, for each of several names.

    Parameters
    ----------
    most : int
        Allowed in any one second.
    clock : callable
        Seconds from whenever; no time of day.

    Examples
    --------
    >>> limit = RateLimit(2, clock=lambda: 7.0)
    >>> limit.passes("a"), limit.passes("a"), limit.passes("a"), limit.passes("b")
    (True, True, False, True)
    >>> limit.recent("a"), limit.recent("c")
    (2, 0)
    """

    def __init__(self, most: int, *, clock: Callable[[], float]):
        self._most, self._clock = most, clock
        self._lately: dict[str, deque[float]] = {}

    def recent(self, name: str = "") -> int:
        """How many were counted within the last second."""
        lately, now = self._lately.get(name, ()), self._clock()
        return sum(now - when < 1 for when in lately)

    def passes(self, name: str = "") -> bool:
        """Whether one more is allowed now; it is counted if so."""
        if self.recent(name) >= self._most:
            return False
        if name not in self._lately and len(self._lately) >= MAX_NAMES:
            # Anybody may bring new names: those of which nothing was heard lately are forgotten.
            self._lately = {name: kept for name, kept in self._lately.items() if self.recent(name)}
        self._lately.setdefault(name, deque(maxlen=self._most)).append(self._clock())
        return True


class Phones:
    """The phones of all surveys; used by the writer's thread alone.

    Parameters
    ----------
    rng : numpy Generator
        Deals views to those who come late.
    clock : callable
        For the limits.
    """

    def __init__(self, *, rng: np.random.Generator, clock: Callable[[], float]):
        self._rng = rng
        self._new = RateLimit(NEW_TICKETS, clock=clock)
        self._unknown = RateLimit(UNKNOWN_CODES, clock=clock)

    def _survey(self, db: sqlite3.Connection, code: str) -> Reply | tuple:
        """What is stored of a survey; a refusal where there is none, or it is over."""
        found = "SELECT state, roster, capacity, plan, title, questions, test FROM surveys WHERE code = ?"
        row = db.execute(found, (code,)).fetchone()
        if row is None:
            return _reply(UNKNOWN, 404) if self._unknown.passes() else _reply(BUSY, 429)
        return _reply(CLOSED, 410) if row[0] == "closed" else row

    def join(self, db: sqlite3.Connection, code: str, ticket: str) -> Reply:
        """A phone joins, or asks again; it is dealt a view once."""
        row = self._survey(db, code)
        if isinstance(row, Reply):
            return row
        state, roster, capacity, plan, title, questions, test = row
        tag = hash_secret(ticket)
        known = _find_ticket(db, code, tag)
        if known is None or known[0] == UNUSED_CARD:
            refused = self._refusal(db, code, known, roster, capacity)
            if refused:
                return refused
            view = self._next(db, code, plan) if state == "open" else WAITING
            known = view, ASSIGNED
            db.execute(
                "INSERT INTO tickets VALUES(?, ?, ?, ?) ON CONFLICT DO UPDATE SET view = excluded.view",
                (code, tag, *known),
            )
        view, spent = known
        if spent != ASSIGNED:
            return _reply(COUNTED if spent == USED else WITHDRAWN, 200)
        if state == "lobby":
            return _reply(LOBBY, 200, title=phone_title(title, test))
        told = questions_for_phone(
            phone_title(title, test), read_json(questions), read_json(plan), view
        )
        return Reply(OPEN, 200, told)

    def _refusal(self, db, code: str, known: tuple | None, roster: str, capacity: int):
        """Why a phone cannot come in, if it cannot."""
        if roster == "cards" and known is None:
            return _reply(CARD, 403)
        if known is None:
            ((joined,),) = db.execute("SELECT count(*) FROM tickets WHERE code = ?", (code,))
            if joined >= capacity:
                return _reply(FULL, 403)
        return None if self._new.passes(code) else _reply(BUSY, 429)

    def _next(self, db, code: str, plan: str) -> int:
        """The view of a phone that comes late."""
        counts = [0] * len(read_json(plan)["views"])
        rows = db.execute(
            "SELECT view, count(*) FROM tickets WHERE code = ? AND view >= 0 GROUP BY view", (code,)
        )
        for view, number in rows:
            counts[view] = number
        return least_used_view(counts, rng=self._rng)

    def report(self, db: sqlite3.Connection, code: str, ticket: str, report: str) -> Reply:
        """A phone reports: counted the first time, told the same every time."""
        checked = self._own(db, code, ticket)
        if isinstance(checked, Reply):
            return checked
        view, spent, size = checked
        if spent != ASSIGNED:
            return _reply(COUNTED, 200) if spent == USED else _reply(WITHDRAWN, 409)
        if not 0 <= int(report) < size:
            return _reply(REPORT, 422)
        db.execute(
            "INSERT INTO tallies VALUES(?, ?, ?, 1) ON CONFLICT DO UPDATE SET number = number + 1",
            (code, view, int(report)),
        )
        _mark_ticket(db, code, ticket, USED)
        return _reply(COUNTED, 200)

    def withdraw(self, db: sqlite3.Connection, code: str, ticket: str, report: str) -> Reply:
        """A phone takes its report back; its ticket is dead from then on."""
        checked = self._own(db, code, ticket)
        if isinstance(checked, Reply):
            return checked
        view, spent, _ = checked
        if spent == CANCELLED:
            return _reply(WITHDRAWN, 200)
        taken = (
            spent == USED
            and db.execute(
                "UPDATE tallies SET number = number - 1 WHERE code = ? AND view = ? AND report = ? AND number > 0",
                (code, view, int(report)),
            ).rowcount
        )
        if not taken:
            return _reply(REPORT, 422)
        _mark_ticket(db, code, ticket, CANCELLED)
        return _reply(WITHDRAWN, 200)

    def _own(self, db, code: str, ticket: str) -> Reply | tuple[int, int, int]:
        """The view of a phone, how its ticket stands, and the cells of the view; or a refusal."""
        row = self._survey(db, code)
        if isinstance(row, Reply):
            return row
        state, _, _, plan, *_ = row
        if state == "lobby":
            return _reply(LOBBY, 409)
        known = _find_ticket(db, code, hash_secret(ticket))
        if known is None or known[0] == UNUSED_CARD:
            return _reply(TICKET, 403)
        return *known, read_json(plan)["sizes"][known[0]]


@lru_cache(maxsize=256)
def read_json(text: str):
    """What is stored as JSON; not to be changed, since it is read once for many phones."""
    return json.loads(text)


def _find_ticket(db: sqlite3.Connection, code: str, tag: bytes) -> tuple[int, int] | None:
    found = "SELECT view, state FROM tickets WHERE code = ? AND tag = ?"
    return db.execute(found, (code, tag)).fetchone()


def _mark_ticket(db: sqlite3.Connection, code: str, ticket: str, state: int) -> None:
    """Mark a ticket, and say that the counts have changed."""
    values = state, code, hash_secret(ticket)
    db.execute("UPDATE tickets SET state = ? WHERE code = ? AND tag = ?", values)
    db.execute("UPDATE surveys SET version = version + 1 WHERE code = ?", (code,))


def assign_waiting(db: sqlite3.Connection, code: str, views: int, rng: np.random.Generator) -> None:
    """Every waiting phone gets its view."""
    query = "SELECT tag FROM tickets WHERE code = ? AND view = ?"
    tags = [tag for (tag,) in db.execute(query, (code, WAITING)).fetchall()]
    dealt = assign_views(views, len(tags), rng=rng).tolist()
    db.executemany(
        "UPDATE tickets SET view = ? WHERE code = ? AND tag = ?",
        [(view, code, tag) for view, tag in zip(dealt, tags)],
    )
