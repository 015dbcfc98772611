"""What the wall and the teacher of a survey can see and do; only their keys give these out."""

import secrets
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from calm_core._checks import check_count
from calm_core.classroom.database import Database, clean_up, wipe
from calm_core.classroom.dealing import plan_class, plan_from_text, plan_text
from calm_core.classroom.phones import (
    LETTERS,
    UNUSED,
    WAITING,
    deal_all,
    new_secret,
    read_json,
    tag_of,
)  # fmt: skip
from calm_core.classroom.survey import MOST_PHONES, Survey, questions_from_text
from calm_core.classroom.tallies import FEWEST_REPORTS, Collected
from calm_core.errors import InputError

MOST_SURVEYS = 50


@dataclass(frozen=True)
class Progress:
    """Where a survey is: everything that the lobby and the wall count.

    Attributes
    ----------
    code, title : str
        Its code, and what the phones show on top.
    state : str
        "lobby", "open" or "closed".
    roster : str
        "open", or "cards" where only the tickets on cards may join.
    capacity : int
        Most phones.
    cards : int
        Cards that nobody has used.
    phones : int or None
        Phones that have joined; None once it is closed, since tickets are deleted then.
    waiting : int
        Phones that have no view yet.
    reports : int
        Reports that are counted.
    groups : tuple of int
        Reports on every view; empty before there is a plan.
    version : int
        Changes with everything that changes a result.
    shown : bool
        Whether the wall shows results.
    test : bool
        Whether it is a rehearsal, marked TEST.
    """

    code: str
    title: str
    state: str
    roster: str
    capacity: int
    cards: int
    phones: int | None
    waiting: int
    reports: int
    groups: tuple[int, ...]
    version: int
    shown: bool
    test: bool

    @property
    def smallest(self) -> int:
        """Reports on the view that has fewest."""
        return min(self.groups, default=0)


class Wall:
    """What the wall of one survey may see: counts always, results where the teacher shows them.

    Parameters
    ----------
    database : Database
        Where it is kept.
    code : str
        Which survey.

    Examples
    --------
    See `Store`.
    """

    def __init__(self, database: Database, code: str):
        self._database, self.code = database, code

    def progress(self) -> Progress:
        """Counts and version, read from the file: cheap, can be asked twice a second."""
        title, state, roster, capacity, plan, version, shown, test = self._row(
            "title, state, roster, capacity, plan, version, shown, test"
        )
        views = dict(
            self._database.read(
                "SELECT view, count(*) FROM tickets WHERE code = ? GROUP BY view", (self.code,)
            )
        )
        cards, waiting = views.pop(UNUSED, 0), views.get(WAITING, 0)
        found = dict(
            self._database.read(
                "SELECT view, sum(number) FROM tallies WHERE code = ? GROUP BY view", (self.code,)
            )
        )
        groups = tuple(found.get(view, 0) for view in range(_views(plan)))
        phones = None if state == "closed" else sum(views.values())
        return Progress(
            self.code, title, state, roster, capacity, cards, phones, waiting, sum(groups), groups,
            version, bool(shown), bool(test),
        )  # fmt: skip

    def collected(self) -> Collected:
        """Questions, plan and tallies.

        Raises
        ------
        InputError
            If results are not shown, or there is no plan yet.
        """
        self._check_shown(self.code)
        return self._collected(self.code)

    @property
    def classes(self) -> tuple[str, ...]:
        """Codes of the surveys that `pooled` adds up, oldest first: same keys, questions and plan."""
        rows = self._database.read(
            "SELECT b.code FROM surveys a JOIN surveys b USING(teacher, wall, questions, plan, test) "
            "WHERE a.code = ? ORDER BY b.rowid",
            (self.code,),
        )
        return tuple(code for (code,) in rows if self._may_see(code))

    def pooled(self) -> Collected:
        """The same of all `classes` together."""
        others = [code for code in self.classes if code != self.code]
        return reduce(add, map(self._collected, others), self.collected())

    def _may_see(self, code: str) -> bool:
        """Whether results of a survey are shown."""
        return bool(self._row("shown", code)[0])

    def _check_shown(self, code: str) -> None:
        if not self._may_see(code):
            raise InputError("results are not shown yet; the teacher decides when they are")

    def _row(self, columns: str, code: str | None = None) -> tuple:
        query = f"SELECT {columns} FROM surveys WHERE code = ?"
        rows = self._database.read(query, (code or self.code,))
        if not rows:
            raise _gone()
        return rows[0]

    def _survey(self, code: str) -> Survey:
        title, questions, epsilon = self._row("title, questions, epsilon", code)
        return Survey(title, questions_from_text(questions), epsilon)

    def _collected(self, code: str) -> Collected:
        survey, (plan,) = self._survey(code), self._row("plan", code)
        if plan is None:
            raise InputError("there is no plan yet; open the survey first")
        made = plan_from_text(plan, survey)
        counts = [np.zeros(oracle.size, dtype=np.int64) for oracle in made.oracles]
        query = "SELECT view, report, number FROM tallies WHERE code = ?"
        for view, report, number in self._database.read(query, (code,)):
            counts[view][report] = number
        return Collected(survey, made, tuple(counts))


class Desk(Wall):
    """What the teacher of one survey sees and does; each refusal is a sentence (InputError).

    Parameters
    ----------
    database, code
        As for `Wall`.
    rng : numpy Generator
        Decides about the plan and who is dealt which view.
    """

    def __init__(self, database: Database, code: str, *, rng: np.random.Generator):
        super().__init__(database, code)
        self._rng = rng

    def _may_see(self, code: str) -> bool:
        return True

    @property
    def survey(self) -> Survey:
        """What is asked."""
        return self._survey(self.code)

    @property
    def codes(self) -> tuple[str, ...]:
        """All surveys that the same key opens, newest first."""
        rows = self._database.read(
            "SELECT b.code FROM surveys a JOIN surveys b USING(teacher) WHERE a.code = ? "
            "ORDER BY b.rowid DESC",
            (self.code,),
        )
        return tuple(code for (code,) in rows)

    def open(self) -> Progress:
        """Make the plan for the phones that wait, or take the one it came with, and deal the views."""
        now = self.progress()
        if now.state == "open":
            return now
        if now.state == "lobby" and not now.phones:
            raise InputError("nobody is there yet; open the survey once phones have joined")
        survey, (plan,) = self.survey, self._row("plan")
        if plan is None:
            plan = plan_text(plan_class(survey, now.phones or 0, rng=self._rng))

        def work(db: sqlite3.Connection) -> None:
            if _state(db, self.code, going=True) == "lobby":
                db.execute(
                    "UPDATE surveys SET state = 'open', plan = ? WHERE code = ?", (plan, self.code)
                )
                deal_all(db, self.code, _views(plan), self._rng)
                _changed(db, self.code)

        return self._done(work)

    def lock(self) -> Progress:
        """No more phones than have joined by now."""

        def work(db: sqlite3.Connection) -> None:
            _state(db, self.code, going=True)
            db.execute(
                "UPDATE surveys SET capacity = "
                "max(1, (SELECT count(*) FROM tickets WHERE code = surveys.code)) WHERE code = ?",
                (self.code,),
            )

        return self._done(work)

    def allow(self, capacity: int) -> Progress:
        """Another capacity, 1 to 1,000; who has joined stays."""
        most = check_count("capacity", capacity, high=MOST_PHONES)

        def work(db: sqlite3.Connection) -> None:
            _state(db, self.code, going=True)
            db.execute("UPDATE surveys SET capacity = ? WHERE code = ?", (most, self.code))

        return self._done(work)

    def cards(self, number: int) -> tuple[str, ...]:
        """New one-time tickets, to be printed and handed out shuffled: from now on only these may join.

        They are given out once; only their hashes are kept. Phones that have joined before stay.
        """
        tickets = tuple(new_secret() for _ in range(check_count("cards", number, high=MOST_PHONES)))

        def work(db: sqlite3.Connection) -> None:
            _state(db, self.code, going=True)
            ((there,),) = db.execute("SELECT count(*) FROM tickets WHERE code = ?", (self.code,))
            check_count("cards and phones together", there + number, high=MOST_PHONES)
            rows = [(self.code, tag_of(ticket), UNUSED) for ticket in tickets]
            db.executemany("INSERT INTO tickets VALUES(?, ?, ?, 0)", rows)
            db.execute("UPDATE surveys SET roster = 'cards' WHERE code = ?", (self.code,))

        self._done(work)
        return tickets

    def show(self, shown: bool = True) -> Progress:
        """Show results on the wall, from 10 reports on, or hide them."""
        if shown and self.progress().reports < FEWEST_REPORTS:
            raise InputError(
                f"results can be shown from {FEWEST_REPORTS} reports on; wait for more"
            )

        def work(db: sqlite3.Connection) -> None:
            _state(db, self.code)
            db.execute("UPDATE surveys SET shown = ? WHERE code = ?", (int(shown), self.code))
            _changed(db, self.code)

        return self._done(work)

    def close(self) -> Progress:
        """End it for good: late reports are refused, tickets are deleted. Twice does no harm."""

        def work(db: sqlite3.Connection) -> None:
            if _state(db, self.code) != "closed":
                db.execute("UPDATE surveys SET state = 'closed' WHERE code = ?", (self.code,))
                db.execute("DELETE FROM tickets WHERE code = ?", (self.code,))
                _changed(db, self.code)

        return self._done(work, clean_up)

    def delete(self) -> None:
        """Delete everything of it: the file holds none of its texts afterwards."""

        def work(db: sqlite3.Connection) -> None:
            _state(db, self.code)
            db.execute("DELETE FROM surveys WHERE code = ?", (self.code,))

        self._database.write(work, wipe).result()

    def again(self, title: str | None = None) -> "Desk":
        """A new survey in the lobby with the same questions, plan and keys: tallies of both add up."""
        survey = self.survey
        renamed = Survey(title or survey.title, survey.questions, survey.epsilon)

        def work(db: sqlite3.Connection) -> str:
            _state(db, self.code)
            query = "SELECT capacity, teacher, wall, plan, test FROM surveys WHERE code = ?"
            capacity, teacher, wall, plan, test = db.execute(query, (self.code,)).fetchone()
            if plan is None:
                raise InputError("it has no plan yet that another class could take; open it first")
            return add_survey(
                db, renamed, capacity=capacity, teacher=teacher, wall=wall, plan=plan, test=test
            )

        return Desk(self._database, self._database.write(work).result(), rng=self._rng)

    def _done(self, work: Callable, then: Callable | None = None) -> Progress:
        self._database.write(work, then).result()
        return self.progress()


def add_survey(
    db: sqlite3.Connection, survey: Survey, *, capacity: int, teacher: bytes, wall: bytes,
    plan: str | None = None, state: str = "lobby", test: bool = False,
) -> str:  # fmt: skip
    """Store a new survey; its code.

    Raises
    ------
    InputError
        If 50 surveys are not closed.
    """
    ((going,),) = db.execute("SELECT count(*) FROM surveys WHERE state != 'closed'")
    if state != "closed" and going >= MOST_SURVEYS:
        raise InputError(
            f"{going} surveys are in the lobby or open, and no more are allowed; close some first"
        )
    codes = {code for (code,) in db.execute("SELECT code FROM surveys")}
    while (code := "".join(secrets.choice(LETTERS) for _ in range(6))) in codes:
        pass
    db.execute(
        "INSERT INTO surveys VALUES(?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, 0, ?, 0)",
        (
            code,
            survey.title,
            survey.questions_text,
            survey.epsilon,
            capacity,
            teacher,
            wall,
            state,
            plan,
            test,
        ),
    )
    return code


def _state(db: sqlite3.Connection, code: str, *, going: bool = False) -> str:
    """The state of a survey that is there, and not closed where it must be `going` on."""
    row = db.execute("SELECT state FROM surveys WHERE code = ?", (code,)).fetchone()
    if row is None:
        raise _gone()
    if going and row[0] == "closed":
        raise InputError("this survey is closed for good; run it again instead")
    return row[0]


def _changed(db: sqlite3.Connection, code: str) -> None:
    db.execute("UPDATE surveys SET version = version + 1 WHERE code = ?", (code,))


def _views(plan: str | None) -> int:
    return len(read_json(plan)["views"]) if plan else 0


def _gone() -> InputError:
    return InputError("this survey has been deleted; make a new one")
