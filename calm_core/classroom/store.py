"""The store: surveys, tickets and tallies in SQLite; what is acknowledged is on the disk."""

import hmac
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np

from calm_core._checks import check_count
from calm_core.classroom.counts import ReportCounts
from calm_core.classroom.database import Database
from calm_core.classroom.phones import (
    REPORT_FORM,
    TICKET_FORM,
    Phones,
    RateLimit,
    Reply,
    hash_secret,
    new_secret,
)  # fmt: skip
from calm_core.classroom.projector import ProjectorView
from calm_core.classroom.survey import MAX_PHONES, Survey
from calm_core.classroom.teacher import TeacherControls, insert_counts, insert_survey
from calm_core.classroom.view_assignment import plan_class, plan_to_text
from calm_core.errors import InputError

# Wrong keys in one second of one who asks, and of all together.
WRONG_KEYS, ALL_WRONG_KEYS = 5, 50


@dataclass(frozen=True)
class SurveyKeys:
    """What is told once when a survey is made; only the hashes of the two keys are kept."""

    code: str
    teacher: str
    wall: str


class Store:
    """Surveys, tickets and tallies in one SQLite file; safe to use from all threads and processes.

    Parameters
    ----------
    path : path, optional
        `CALM_CLASSROOM`, else ~/.calm-lab/classroom.sqlite3, where omitted. Where that cannot be written
        a temporary file serves instead, and `temporary` says so.
    rng : numpy Generator, optional
        Deals the views; from the system's randomness where omitted.
    clock : callable
        Seconds, for the limits.

    Raises
    ------
    DataError
        If the file is no classroom, or of a newer version; it is untouched then.

    Examples
    --------
    >>> import tempfile
    >>> from calm_core.classroom.survey import Question
    >>> asked = [Question(name, f"{name}?", ("No", "Yes")) for name in "ab"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(Path(folder) / "room.sqlite3")
    ...     keys = store.create(Survey("T", asked), expected=30)
    ...     desk, tickets = store.teacher(keys.teacher), ["a" * 22, "b" * 22]
    ...     waits, _ = [store.join(keys.code, ticket).result() for ticket in tickets]
    ...     opened = desk.open()
    ...     told = store.report(keys.code, tickets[0], "0002").result()
    ...     reports = desk.close().reports
    ...     store.stop()
    >>> waits.body, told.body, reports
    ({'state': 'lobby', 'title': 'T'}, {'state': 'counted'}, 1)
    """

    def __init__(
        self, path: str | Path | None = None, *, rng: np.random.Generator | None = None,
        clock: Callable[[], float] = time.monotonic,
    ):  # fmt: skip
        self._rng = np.random.default_rng() if rng is None else rng
        self._database = Database(path)
        self._phones = Phones(rng=self._rng.spawn(1)[0], clock=clock)
        self._wrong, self._all_wrong = (
            RateLimit(WRONG_KEYS, clock=clock),
            RateLimit(ALL_WRONG_KEYS, clock=clock),
        )
        self._door = Lock()

    @property
    def path(self) -> Path:
        """Where it is kept."""
        return self._database.path

    @property
    def temporary(self) -> bool:
        """Whether it is kept only until this program stops."""
        return self._database.temporary

    def stop(self) -> None:
        """Write what waits and close the file; twice does no harm."""
        self._database.stop()

    def join(self, code: str, ticket: str) -> Future[Reply]:
        """A phone joins, or asks again: it waits, is dealt its view, or hears how far it is.

        Parameters
        ----------
        code : str
            The survey, in capital or small letters.
        ticket : str
            22 of A-Z, a-z, 0-9, - and _, drawn by the phone or printed on its card.

        Returns
        -------
        Future of Reply
            Done once it is on the disk. It raises `Unavailable` where nothing was stored.

        Raises
        ------
        InputError
            If the ticket is of another form.
        """
        code = _check_request(code, ticket)
        return self._database.write(lambda db: self._phones.join(db, code, ticket))

    def report(self, code: str, ticket: str, report: str) -> Future[Reply]:
        """A phone's report, four digits: counted once, however often it is sent. As `join` otherwise."""
        code = _check_request(code, ticket, report)
        return self._database.write(lambda db: self._phones.report(db, code, ticket, report))

    def withdraw(self, code: str, ticket: str, report: str) -> Future[Reply]:
        """A phone takes its report back while the survey is open. As `join` otherwise."""
        code = _check_request(code, ticket, report)
        return self._database.write(lambda db: self._phones.withdraw(db, code, ticket, report))

    def create(
        self, survey: Survey, *, expected: int, capacity: int | None = None, test: bool = False, tries: str = ""
    ) -> SurveyKeys:  # fmt: skip
        """A new survey in the lobby.

        Parameters
        ----------
        survey : Survey
            What is asked.
        expected : int
            Phones expected.
        capacity : int, optional
            Most phones, at most 1,000; twice as many as expected where omitted.
        test : bool
            Whether it is a rehearsal: phones show TEST, and it is open at once, with the plan of a class
            of the expected size.
        tries : str
            The code of the survey that a rehearsal tries, and with which it goes.
        """
        expected = check_count("expected class size", expected, high=MAX_PHONES)
        most = min(2 * expected, MAX_PHONES) if capacity is None else capacity
        most = check_count("capacity", most, high=MAX_PHONES)
        teacher, wall = new_secret(), new_secret()
        state, plan = "lobby", None
        if test:
            state, plan = "open", plan_to_text(plan_class(survey, expected, rng=self._generator()))
        else:
            self._database.close_abandoned()
        code = self._database.write(
            lambda db: insert_survey(
                db,
                survey,
                capacity=most,
                teacher=hash_secret(teacher),
                wall=hash_secret(wall),
                plan=plan,
                state=state,
                test=test,
                tries=tries,
            )  # fmt: skip
        ).result()
        return SurveyKeys(code, teacher, wall)

    def restore(self, *classes: ReportCounts) -> SurveyKeys:
        """Classes that were exported, as closed surveys: to be seen, and run again with the same plan.

        All get the same keys; those with the same questions and plan are pooled. The code is that of the last one.
        """
        teacher, wall = new_secret(), new_secret()

        def work(db) -> str:
            code = ""
            for found in classes:
                code = insert_survey(
                    db, found.survey, capacity=MAX_PHONES, teacher=hash_secret(teacher), wall=hash_secret(wall),
                    plan=plan_to_text(found.plan), state="closed",
                )  # fmt: skip
                insert_counts(db, code, found)
            return code

        return SurveyKeys(self._database.write(work).result(), teacher, wall)

    def teacher(self, key: str, code: str | None = None, *, by: str = "") -> TeacherControls:
        """The desk of a survey that the key opens, the newest where no code is given.

        Parameters
        ----------
        key : str
            As it was told when the survey was made.
        code : str, optional
            Which survey, where the key opens several.
        by : str
            Who asks, a session for instance: others' wrong keys never shut out who has tried none.

        Raises
        ------
        InputError
            If the key does not open it, or too many wrong ones were tried within a second.
        """
        return TeacherControls(
            self._database, self._opened("teacher", key, code, by), rng=self._generator()
        )

    def wall(self, key: str, code: str | None = None, *, by: str = "") -> ProjectorView:
        """The wall of a survey that the key opens, likewise."""
        return ProjectorView(self._database, self._opened("wall", key, code, by))

    def _generator(self) -> np.random.Generator:
        with self._door:
            return self._rng.spawn(1)[0]

    def _must_wait(self, by: str) -> bool:
        """Whether somebody has guessed too much to be heard now.

        Who has not typed a wrong key within the last second is always heard, or a prankster could keep the
        teacher out. That is safe: a key is 128 random bits, so whoever starts anew for every guess still
        guesses nothing in the age of the universe. What is limited is how much one can ask.
        """
        own = self._wrong.recent(by)
        return own >= WRONG_KEYS or (own > 0 and self._all_wrong.recent() >= ALL_WRONG_KEYS)

    def _opened(self, role: str, key: str, code: str | None, by: str) -> str:
        """The code of the survey that a key opens."""
        with self._door:
            if self._must_wait(by):
                raise InputError("too many wrong keys were tried; wait a second, then try again")
            tag = hash_secret(key.strip())
            rows = self._database.read(f"SELECT code, {role} FROM surveys ORDER BY rowid DESC")
            # Every one is compared in full, so that time tells nothing about any.
            fitting = [found for found, kept in rows if hmac.compare_digest(kept, tag)]
            chosen = [found for found in fitting if code is None or found == code.upper()]
            if not chosen:
                self._wrong.passes(by)
                self._all_wrong.passes()
                raise InputError(
                    "this key opens no survey here; paste it as it was shown, or the survey was deleted"
                )
            return chosen[0]


def _check_request(code: str, ticket: str, report: str = "0000") -> str:
    """The code in capital letters; a ticket or report of another form is refused."""
    if not TICKET_FORM.fullmatch(ticket) or not REPORT_FORM.fullmatch(report):
        raise InputError("a ticket must have 22 characters, a report four digits")
    return code.upper()
