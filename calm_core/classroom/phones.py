"""What a phone can do: join, report once, withdraw. Each is one step in a transaction of the writer."""

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

from calm_core.classroom.survey import assign_views, least_used_view, questions_for_phone

# Without letters and digits that look alike.
LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
TICKET_FORM = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)
REPORT_FORM = re.compile(r"[0-9]{4}", re.ASCII)
# In place of a view: a phone in the lobby; a printed card that nobody has used.
WAITING, UNUSED_CARD = -1, -2
ASSIGNED, USED, CANCELLED = 0, 1, 2
# Allowed a second.
MAX_NEW_TICKETS, MAX_UNKNOWN_CODES = 200, 50
# The note of the answer that some phones may push, as JSON; NULL if none may lie.
PUSHED = "pushed"
PUSHED_ANSWER = f"(SELECT said FROM notes WHERE code = surveys.code AND what = '{PUSHED}')"
# One phone in so many is asked to lie, of those that get the pushed question.
PHONES_PER_LIAR = 10
# Names counted before those without a recent count are dropped.
MAX_NAMES = 1_000

# States of replies.
LOBBY, OPEN, COUNTED, WITHDRAWN = "lobby", "open", "counted", "withdrawn"
UNKNOWN, CLOSED, FULL, CARD = "unknown", "closed", "full", "card"
TICKET, REPORT, BUSY = "ticket", "report", "busy"


@dataclass(frozen=True)
class Reply:
    """The answer to a phone.

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
    """Return the hash of a ticket or key, which is all that is stored of it."""
    return hashlib.sha256(secret.encode()).digest()


def new_secret() -> str:
    """Return a random ticket or key: 22 letters, digits, - and _."""
    return secrets.token_urlsafe(16)


def phone_title(title: str, test: bool) -> str:
    """Return the title as phones show it."""
    return f"TEST · {title}" if test else title


class RateLimit:
    """A limit of events a second, for each name.

    Parameters
    ----------
    limit : int
        Allowed in any one second.
    clock : callable
        Returns seconds from any start.

    Examples
    --------
    >>> limit = RateLimit(2, clock=lambda: 7.0)
    >>> limit.allow("a"), limit.allow("a"), limit.allow("a"), limit.allow("b")
    (True, True, False, True)
    >>> limit.recent("a"), limit.recent("c")
    (2, 0)
    """

    def __init__(self, limit: int, *, clock: Callable[[], float]):
        self._limit, self._clock = limit, clock
        self._times: dict[str, deque[float]] = {}

    def recent(self, name: str = "") -> int:
        """Return the number of events of a name within the last second."""
        now = self._clock()
        return sum(now - when < 1 for when in self._times.get(name, ()))

    def allow(self, name: str = "") -> bool:
        """Return whether one more event is allowed now, and count it if so."""
        if self.recent(name) >= self._limit:
            return False
        if name not in self._times and len(self._times) >= MAX_NAMES:
            # Visitors choose names, so they are bounded.
            self._times = {name: times for name, times in self._times.items() if self.recent(name)}
        self._times.setdefault(name, deque(maxlen=self._limit)).append(self._clock())
        return True


class Phones:
    """Requests of the phones of all surveys; only the writer's thread may call it.

    Parameters
    ----------
    rng : numpy Generator
        Breaks ties between views for phones that join late.
    clock : callable
        For the limits.
    """

    def __init__(self, *, rng: np.random.Generator, clock: Callable[[], float]):
        self._rng = rng
        self._new = RateLimit(MAX_NEW_TICKETS, clock=clock)
        self._unknown = RateLimit(MAX_UNKNOWN_CODES, clock=clock)

    def _survey(self, db: sqlite3.Connection, code: str) -> Reply | tuple:
        """Return the row of a survey, or a refusal if it is unknown or closed."""
        query = (
            "SELECT state, roster, capacity, plan, title, questions, test, "
            f"{PUSHED_ANSWER} FROM surveys WHERE code = ?"
        )
        row = db.execute(query, (code,)).fetchone()
        if row is None:
            return _reply(UNKNOWN, 404) if self._unknown.allow() else _reply(BUSY, 429)
        return _reply(CLOSED, 410) if row[0] == "closed" else row

    def join(self, db: sqlite3.Connection, code: str, ticket: str) -> Reply:
        """Add a phone, or answer one that asks again; its view never changes."""
        row = self._survey(db, code)
        if isinstance(row, Reply):
            return row
        state, roster, capacity, plan, title, questions, test, pushed = row
        tag = hash_secret(ticket)
        entry = _find_ticket(db, code, tag)
        if entry is None or entry[0] == UNUSED_CARD:
            refused = self._refusal(db, code, entry, roster, capacity)
            if refused:
                return refused
            entry = WAITING, ASSIGNED
            if state == "open":
                phones = _count_phones(db, code)
                counts = [phones.get(view, 0) for view in range(len(read_json(plan)["views"]))]
                entry = least_used_view(counts, rng=self._rng), ASSIGNED
            db.execute(
                "INSERT INTO tickets VALUES(?, ?, ?, ?) ON CONFLICT DO UPDATE SET view = excluded.view",
                (code, tag, *entry),
            )
            choose_liars(db, code, [(entry[0], tag)], self._rng)
        view, used = entry
        if used != ASSIGNED:
            return _reply(COUNTED if used == USED else WITHDRAWN, 200)
        if state == "lobby":
            return _reply(LOBBY, 200, title=phone_title(title, test))
        shown, asked = phone_title(title, test), read_json(questions)
        body = questions_for_phone(
            shown, asked, read_json(plan), view, read_json(pushed) if pushed else None,
            is_liar=bool(pushed) and _is_chosen(db, code, tag),
        )  # fmt: skip
        return Reply(OPEN, 200, body)

    def _refusal(self, db, code: str, entry: tuple | None, roster: str, capacity: int):
        """Return why a phone cannot join, or None."""
        if roster == "cards" and entry is None:
            return _reply(CARD, 403)
        if entry is None:
            ((joined,),) = db.execute("SELECT count(*) FROM tickets WHERE code = ?", (code,))
            if joined >= capacity:
                return _reply(FULL, 403)
        return None if self._new.allow(code) else _reply(BUSY, 429)

    def report(
        self, db: sqlite3.Connection, code: str, ticket: str, report: str, *, lie: bool = False
    ) -> Reply:
        """Count the first report of a phone, a lie apart from those of the others; a repeat gets the same answer."""
        checked = self._open_ticket(db, code, ticket)
        if isinstance(checked, Reply):
            return checked
        view, used, size = checked
        if used != ASSIGNED:
            return _reply(COUNTED, 200) if used == USED else _reply(WITHDRAWN, 409)
        if not 0 <= int(report) < size or lie and not _may_lie(db, code, ticket, view, int(report)):
            return _reply(REPORT, 422)
        if not lie:
            # Whoever was asked to lie and answers has refused.
            db.execute("DELETE FROM liars WHERE code = ? AND tag = ?", (code, hash_secret(ticket)))
        db.execute(
            f"INSERT INTO {'lies' if lie else 'tallies'} VALUES(?, ?, ?, 1) "
            "ON CONFLICT DO UPDATE SET number = number + 1",
            (code, view, int(report)),
        )
        _mark_ticket(db, code, ticket, USED)
        return _reply(COUNTED, 200)

    def withdraw(self, db: sqlite3.Connection, code: str, ticket: str, report: str) -> Reply:
        """Take a report back; its ticket cannot be used again."""
        checked = self._open_ticket(db, code, ticket)
        if isinstance(checked, Reply):
            return checked
        view, used, _ = checked
        if used == CANCELLED:
            return _reply(WITHDRAWN, 200)
        table = "lies" if _is_chosen(db, code, hash_secret(ticket)) else "tallies"
        query = (
            f"UPDATE {table} SET number = number - 1 "
            "WHERE code = ? AND view = ? AND report = ? AND number > 0"
        )
        if used != USED or not db.execute(query, (code, view, int(report))).rowcount:
            return _reply(REPORT, 422)
        _mark_ticket(db, code, ticket, CANCELLED)
        return _reply(WITHDRAWN, 200)

    def _open_ticket(self, db, code: str, ticket: str) -> Reply | tuple[int, int, int]:
        """Return view and state of a ticket and the cells of the view, or a refusal."""
        row = self._survey(db, code)
        if isinstance(row, Reply):
            return row
        state, plan = row[0], row[3]
        if state == "lobby":
            return _reply(LOBBY, 409)
        entry = _find_ticket(db, code, hash_secret(ticket))
        if entry is None or entry[0] == UNUSED_CARD:
            return _reply(TICKET, 403)
        return *entry, read_json(plan)["sizes"][entry[0]]


@lru_cache(maxsize=256)
def read_json(text: str):
    """Parse stored JSON; the value is shared between calls and must not be changed."""
    return json.loads(text)


def _count_phones(db: sqlite3.Connection, code: str) -> dict[int, int]:
    """The number of phones of every view that has any."""
    query = "SELECT view, count(*) FROM tickets WHERE code = ? AND view >= 0 GROUP BY view"
    return dict(db.execute(query, (code,)).fetchall())


def _find_ticket(db: sqlite3.Connection, code: str, tag: bytes) -> tuple[int, int] | None:
    query = "SELECT view, state FROM tickets WHERE code = ? AND tag = ?"
    return db.execute(query, (code, tag)).fetchone()


def _mark_ticket(db: sqlite3.Connection, code: str, ticket: str, state: int) -> None:
    """Set the state of a ticket, and raise the version of its survey."""
    values = state, code, hash_secret(ticket)
    db.execute("UPDATE tickets SET state = ? WHERE code = ? AND tag = ?", values)
    db.execute("UPDATE surveys SET version = version + 1 WHERE code = ?", (code,))


def assign_waiting(db: sqlite3.Connection, code: str, views: int, rng: np.random.Generator) -> None:
    """Assign a view to every waiting phone."""
    query = "SELECT tag FROM tickets WHERE code = ? AND view = ?"
    tags = [tag for (tag,) in db.execute(query, (code, WAITING)).fetchall()]
    assigned = assign_views(views, len(tags), rng=rng).tolist()
    db.executemany(
        "UPDATE tickets SET view = ? WHERE code = ? AND tag = ?",
        [(view, code, tag) for view, tag in zip(assigned, tags)],
    )
    choose_liars(db, code, list(zip(assigned, tags)), rng)


def choose_liars(
    db: sqlite3.Connection, code: str, phones: list[tuple[int, bytes]], rng: np.random.Generator
) -> None:
    """Ask some of these phones to lie, if the survey has liars, until they are a tenth of those with the question.

    At least one is asked. Phones that refuse are replaced by phones that come later.

    Parameters
    ----------
    phones : list of (int, bytes)
        View and tag of phones that have just got their questions.
    """
    query = f"SELECT plan, {PUSHED_ANSWER} FROM surveys WHERE code = ?"
    plan, pushed = db.execute(query, (code,)).fetchone()
    if plan is None or pushed is None:
        return
    views = read_json(plan)["views"]
    has_question = [read_json(pushed)["question"] in view for view in views]
    there = sum(number for view, number in _count_phones(db, code).items() if has_question[view])
    ((liars,),) = db.execute("SELECT count(*) FROM liars WHERE code = ?", (code,))
    missing = max(1, round(there / PHONES_PER_LIAR)) - liars
    tags = [tag for view, tag in phones if view >= 0 and has_question[view]]
    order = rng.permutation(len(tags))[: max(0, missing)]
    db.executemany("INSERT INTO liars VALUES(?, ?)", [(code, tags[at]) for at in order])


def _is_chosen(db: sqlite3.Connection, code: str, tag: bytes) -> bool:
    """Whether a phone is asked to lie and has not refused."""
    query = "SELECT 1 FROM liars WHERE code = ? AND tag = ?"
    return db.execute(query, (code, tag)).fetchone() is not None


def _may_lie(db: sqlite3.Connection, code: str, ticket: str, view: int, report: int) -> bool:
    """Whether a phone is asked to lie, and this is the lie: a cell with the pushed answer."""
    if not _is_chosen(db, code, hash_secret(ticket)):
        return False
    query = f"SELECT plan, questions, {PUSHED_ANSWER} FROM surveys WHERE code = ?"
    plan, questions, pushed = map(read_json, db.execute(query, (code,)).fetchone())
    positions = plan["views"][view]
    answers = np.unravel_index(report, [len(questions[at]["choices"]) for at in positions])
    return answers[positions.index(pushed["question"])] == pushed["choice"]
