"""The store: surveys, tickets and report counts in SQLite. An acknowledged request is on the disk."""

import hmac
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock

import numpy as np

from calm_core._checks import check_count
from calm_core.classroom.database import VISITED, Database, set_note
from calm_core.classroom.phones import (
    REPORT_FORM,
    TICKET_FORM,
    Phones,
    RateLimit,
    Reply,
    hash_secret,
    new_secret,
)
from calm_core.classroom.results import ReportCounts
from calm_core.classroom.survey import MAX_PHONES, Survey, plan_to_text
from calm_core.classroom.teacher import ProjectorView, TeacherControls, insert_counts, insert_survey
from calm_core.errors import InputError

# Wrong keys of one visitor a second.
MAX_WRONG_KEYS = 5


@dataclass(frozen=True)
class SurveyKeys:
    """Code and keys of a new survey. The store keeps only hashes of the two keys."""

    code: str
    teacher: str
    wall: str


class Store(Database):
    """Surveys, tickets and report counts in one SQLite file; threads and processes may share it.

    Only the limits of requests a second are counted in each process alone.

    Parameters
    ----------
    path : path, optional
        The file; by default `CALM_CLASSROOM`, else ~/.calm-lab/classroom.sqlite3. If it cannot be written, a
        temporary file is used, and `temporary` is true.
    rng : numpy Generator, optional
        Assigns the views; by default seeded by the system.
    clock : callable
        Returns seconds, for the limits.

    Raises
    ------
    DataError
        If the file is no classroom, or of a newer version; it is not changed then.

    Examples
    --------
    >>> import tempfile
    >>> from calm_core.classroom.survey import Question
    >>> questions = [Question(name, f"{name}?", ("No", "Yes")) for name in "ab"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(Path(folder) / "classroom.sqlite3")
    ...     keys = store.create(Survey("T", questions), expected=30)
    ...     teacher, tickets = store.teacher(keys.teacher), ["a" * 22, "b" * 22]
    ...     waiting, _ = [store.join(keys.code, ticket).result() for ticket in tickets]
    ...     progress = teacher.open()
    ...     reply = store.report(keys.code, tickets[0], "0002").result()
    ...     reports = teacher.close().reports
    ...     store.stop()
    >>> waiting.body, reply.body, reports
    ({'state': 'lobby', 'title': 'T'}, {'state': 'counted'}, 1)
    """

    def __init__(
        self, path: str | Path | None = None, *, rng: np.random.Generator | None = None,
        clock: Callable[[], float] = time.monotonic,
    ):  # fmt: skip
        super().__init__(path)
        self._rng = np.random.default_rng() if rng is None else rng
        self._phones = Phones(rng=self._rng.spawn(1)[0], clock=clock)
        self._wrong = RateLimit(MAX_WRONG_KEYS, clock=clock)
        self._lock = Lock()

    def join(self, code: str, ticket: str) -> Future[Reply]:
        """Let a phone join, or ask again: the reply is that it waits, its questions, or how far it is.

        Parameters
        ----------
        code : str
            The survey, in upper or lower case.
        ticket : str
            22 of A-Z, a-z, 0-9, - and _, drawn by the phone or printed on its card.

        Returns
        -------
        Future of Reply
            Done once it is on the disk. It raises `StoreUnavailable` if nothing was stored.

        Raises
        ------
        InputError
            If the ticket has another form.
        """
        return self._ask(self._phones.join, code, ticket)

    def report(self, code: str, ticket: str, report: str) -> Future[Reply]:
        """Count a phone's report of four digits; sent again, it is not counted again. Otherwise as `join`."""
        return self._ask(self._phones.report, code, ticket, report)

    def lie(self, code: str, ticket: str, report: str) -> Future[Reply]:
        """Count the report of a phone that was asked to lie and agrees, apart from the answers. Otherwise as `join`."""
        return self._ask(partial(self._phones.report, lie=True), code, ticket, report)

    def withdraw(self, code: str, ticket: str, report: str) -> Future[Reply]:
        """Take a phone's report back while the survey is open. Otherwise as `join`."""
        return self._ask(self._phones.withdraw, code, ticket, report)

    def _ask(
        self, step: Callable[..., Reply], code: str, ticket: str, *report: str
    ) -> Future[Reply]:
        """Take a step of a phone in a transaction; raise InputError for a ticket or report of another form."""
        if not TICKET_FORM.fullmatch(ticket) or not all(map(REPORT_FORM.fullmatch, report)):
            raise InputError("a ticket must have 22 characters, a report four digits")
        return self.write(lambda db: step(db, code.upper(), ticket, *report))

    def note_visit(self, code: str) -> None:
        """Note that another machine has opened the page of a survey; an unknown code is ignored."""

        def work(db: sqlite3.Connection) -> None:
            query = "SELECT 1 FROM notes WHERE code = ? AND what = ?"
            if not db.execute(query, (code.upper(), VISITED)).fetchone():
                set_note(db, code.upper(), VISITED, "yes")

        self.write(work)

    def create(self, survey: Survey, *, expected: int) -> SurveyKeys:
        """Create a survey in the lobby.

        Parameters
        ----------
        survey : Survey
            The questions.
        expected : int
            Phones expected; at first twice as many may join, and at most 1,000.
        """
        check_count("expected class size", expected, high=MAX_PHONES)
        self.close_abandoned()
        return self._insert(survey, capacity=min(2 * expected, MAX_PHONES))

    def restore(self, saved: ReportCounts) -> SurveyKeys:
        """Store an exported class as a closed survey, to look at or to run again with the same plan."""
        plan = plan_to_text(saved.plan)
        return self._insert(saved.survey, saved, capacity=MAX_PHONES, plan=plan, state="closed")

    def _insert(self, survey: Survey, saved: ReportCounts | None = None, **options) -> SurveyKeys:
        """Store a survey, with the reports of a saved one, under new keys."""
        teacher, wall = new_secret(), new_secret()
        stored = hash_secret(teacher), hash_secret(wall)

        def work(db: sqlite3.Connection) -> str:
            code = insert_survey(db, survey, teacher=stored[0], wall=stored[1], **options)
            if saved is not None:
                insert_counts(db, code, saved)
            return code

        return SurveyKeys(self.write(work).result(), teacher, wall)

    def teacher(self, key: str, code: str | None = None, *, by: str = "") -> TeacherControls:
        """Return the controls of a survey that the key opens, by default the newest.

        Parameters
        ----------
        key : str
            The teacher key, as shown when the survey was created.
        code : str, optional
            Which survey, if the key opens several.
        by : str
            Who asks, for instance a session: wrong keys of others never lock out a visitor who tried none.

        Raises
        ------
        InputError
            If the key does not open it, or too many wrong keys were tried within a second.
        """
        code = self._find_survey("teacher", key, code, by)
        return TeacherControls(self, code, rng=self._spawn_rng())

    def wall(self, key: str, code: str | None = None, *, by: str = "") -> ProjectorView:
        """Return the projector view of a survey that the wall key opens, as `teacher` does."""
        return ProjectorView(self, self._find_survey("wall", key, code, by))

    def _spawn_rng(self) -> np.random.Generator:
        with self._lock:
            return self._rng.spawn(1)[0]

    def _find_survey(self, role: str, key: str, code: str | None, by: str) -> str:
        """Return the code of the survey that a key opens."""
        with self._lock:
            # Keys have 128 random bits: the limit only bounds the number of requests.
            if self._wrong.recent(by) >= MAX_WRONG_KEYS:
                raise InputError("too many wrong keys were tried; wait a second, then try again")
            tag = hash_secret(key.strip())
            rows = self.read(f"SELECT code, {role} FROM surveys WHERE test = 0 ORDER BY rowid DESC")
            # Every hash is compared in full, so that the time taken reveals nothing.
            opened_codes = [entry for entry, stored in rows if hmac.compare_digest(stored, tag)]
            matches = [entry for entry in opened_codes if code is None or entry == code.upper()]
            if not matches:
                self._wrong.allow(by)
                raise InputError(
                    "this key opens no survey here; paste it as it was shown, or the survey was deleted"
                )
            return matches[0]
