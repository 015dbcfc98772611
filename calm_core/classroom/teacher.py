"""What the teacher of a survey can do: lobby, plan, dealing, showing, closing, deleting, running again."""

import secrets
import sqlite3
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from calm_core._checks import check_count
from calm_core.classroom.counts import MIN_REPORTS, ReportCounts, align_counts
from calm_core.classroom.database import Database, truncate_log, vacuum
from calm_core.classroom.phones import (
    LETTERS,
    UNUSED_CARD,
    assign_waiting,
    hash_secret,
    new_secret,
    read_json,
)  # fmt: skip
from calm_core.classroom.projector import Progress, ProjectorView, SurveyDeleted, count_views
from calm_core.classroom.survey import MAX_PHONES, Survey
from calm_core.classroom.survey_metadata import (
    LANGUAGE,
    LINK,
    OWN_LINK,
    REHEARSAL_OF,
    close_survey,
    delete_rehearsals,
    set_note,
)  # fmt: skip
from calm_core.classroom.view_assignment import plan_class, plan_to_text
from calm_core.errors import InputError

MAX_SURVEYS = 50


class TeacherControls(ProjectorView):
    """What the teacher of one survey sees and does; each refusal is a sentence (InputError).

    Parameters
    ----------
    database, code
        As for `ProjectorView`.
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
        self.delete_rehearsals()
        if now.state == "lobby" and not now.phones:
            raise InputError("nobody is there yet; open the survey once phones have joined")
        survey, (plan,) = self.survey, self._row("plan")
        if plan is None:
            plan = plan_to_text(plan_class(survey, now.phones or 0, rng=self._rng))

        def work(db: sqlite3.Connection) -> None:
            if _survey_state(db, self.code, going=True) == "lobby":
                db.execute(
                    "UPDATE surveys SET state = 'open', plan = ? WHERE code = ?", (plan, self.code)
                )
                assign_waiting(db, self.code, count_views(plan), self._rng)
                _bump_version(db, self.code)

        return self._done(work)

    def lock(self) -> Progress:
        """No more phones than have joined by now."""

        def work(db: sqlite3.Connection) -> None:
            _survey_state(db, self.code, going=True)
            db.execute(
                "UPDATE surveys SET capacity = "
                "max(1, (SELECT count(*) FROM tickets WHERE code = surveys.code)) WHERE code = ?",
                (self.code,),
            )

        return self._done(work)

    def allow(self, capacity: int) -> Progress:
        """Another capacity, 1 to 1,000; who has joined stays."""
        most = check_count("capacity", capacity, high=MAX_PHONES)

        def work(db: sqlite3.Connection) -> None:
            _survey_state(db, self.code, going=True)
            db.execute("UPDATE surveys SET capacity = ? WHERE code = ?", (most, self.code))

        return self._done(work)

    def cards(self, number: int) -> tuple[str, ...]:
        """New one-time tickets, to be printed and handed out shuffled: from now on only these may join.

        They are given out once; only their hashes are kept. Phones that have joined before stay.
        """
        tickets = tuple(new_secret() for _ in range(check_count("cards", number, high=MAX_PHONES)))

        def work(db: sqlite3.Connection) -> None:
            _survey_state(db, self.code, going=True)
            ((there,),) = db.execute("SELECT count(*) FROM tickets WHERE code = ?", (self.code,))
            check_count("cards and phones together", there + number, high=MAX_PHONES)
            rows = [(self.code, hash_secret(ticket), UNUSED_CARD) for ticket in tickets]
            db.executemany("INSERT INTO tickets VALUES(?, ?, ?, 0)", rows)
            db.execute("UPDATE surveys SET roster = 'cards' WHERE code = ?", (self.code,))

        self._done(work)
        return tickets

    def show(self, shown: bool = True) -> Progress:
        """Show results on the wall, from 10 reports on, or hide them."""
        if shown and self.progress().reports < MIN_REPORTS:
            raise InputError(f"results can be shown from {MIN_REPORTS} reports on; wait for more")

        def work(db: sqlite3.Connection) -> None:
            _survey_state(db, self.code)
            # Pressed twice it is no new result, which all walls would draw again.
            query = "UPDATE surveys SET shown = ? WHERE code = ? AND shown != ?"
            if db.execute(query, (int(shown), self.code, int(shown))).rowcount:
                _bump_version(db, self.code)

        return self._done(work)

    def close(self) -> Progress:
        """End it for good: late reports are refused, tickets are deleted. Twice does no harm."""
        self.delete_rehearsals()

        def work(db: sqlite3.Connection) -> None:
            if _survey_state(db, self.code) != "closed":
                close_survey(db, self.code)

        return self._done(work, truncate_log)

    def delete(self) -> None:
        """Delete everything of it: the file holds none of its texts afterwards. Twice does no harm."""

        def work(db: sqlite3.Connection) -> None:
            delete_rehearsals(db, self.code)
            db.execute("DELETE FROM surveys WHERE code = ?", (self.code,))

        self._database.write(work, vacuum).result()

    def delete_rehearsals(self) -> None:
        """Delete every survey marked TEST that tries this one; the session that had it may be gone."""
        query = "SELECT count(*) FROM notes WHERE what = ? AND said = ?"
        if self._database.read(query, (REHEARSAL_OF, self.code)) != [(0,)]:
            self._database.write(lambda db: delete_rehearsals(db, self.code), vacuum).result()

    def reach(self, link: str, *, own: bool) -> None:
        """Where phones find it, for all walls and all that is printed.

        Parameters
        ----------
        link : str
            Beginning of the address, up to "/r/" and the code.
        own : bool
            Whether it is an address of this machine, which it may lose; else somebody typed it.
        """

        def work(db: sqlite3.Connection) -> None:
            _survey_state(db, self.code)
            set_note(db, self.code, LINK, "" if own else link)
            set_note(db, self.code, OWN_LINK, link if own else "")

        self._database.write(work).result()

    def saved(self) -> tuple[ReportCounts, ...]:
        """What came in from each of `classes`, this one among them."""
        self._row("code")
        return tuple(map(self._collected, self.classes))

    def add(self, *classes: ReportCounts) -> None:
        """Classes that were saved, as closed surveys beside this one: `pooled` adds them up.

        Raises
        ------
        InputError
            If one was asked other questions, or by another plan, or is among these classes already. Then none is
            added.
        """
        plan, teacher, wall, capacity = self._row("plan, teacher, wall, capacity")
        here = self._collected(self.code)
        there = list(self.saved())
        known = len(there)
        for at, found in enumerate(classes, start=1):
            what = f"class {at} of the file" if len(classes) > 1 else "the saved class"
            fits = align_counts(found, here, what)
            if fits.n and any(all(map(np.array_equal, fits.counts, one.counts)) for one in there):
                raise InputError(
                    f"{what} has exactly the reports of a class that is here already; they would count twice"
                )
            there.append(fits)

        def work(db: sqlite3.Connection) -> None:
            _survey_state(db, self.code)
            for found in there[known:]:
                code = insert_survey(
                    db, found.survey, capacity=capacity, teacher=teacher, wall=wall, plan=plan, state="closed"
                )  # fmt: skip
                insert_counts(db, code, found)

        self._database.write(work).result()

    def again(self, title: str | None = None) -> "TeacherControls":
        """A new survey in the lobby with the same questions, plan and keys: tallies of both add up.

        One of the same title that nobody has joined yet is taken instead: pressing twice makes one.
        """
        survey = self.survey
        renamed = replace(survey, title=title or survey.title)

        def work(db: sqlite3.Connection) -> str:
            _survey_state(db, self.code)
            query = "SELECT capacity, teacher, wall, plan, test FROM surveys WHERE code = ?"
            capacity, teacher, wall, plan, test = db.execute(query, (self.code,)).fetchone()
            if plan is None:
                raise InputError("it has no plan yet that another class could take; open it first")
            unused = db.execute(
                "SELECT code FROM surveys WHERE state = 'lobby' AND title = ? AND questions = ? AND "
                "(teacher, wall, plan, test) = (?, ?, ?, ?) AND code NOT IN (SELECT code FROM tickets)",
                (renamed.title, renamed.questions_text, teacher, wall, plan, test),
            ).fetchone()
            if unused:
                return unused[0]
            # As many as usual: what was locked was the other class.
            usual = min(MAX_PHONES, 2 * read_json(plan)["n"])
            return insert_survey(
                db,
                renamed,
                capacity=max(capacity, usual),
                teacher=teacher,
                wall=wall,
                plan=plan,
                test=test,
            )

        return TeacherControls(self._database, self._database.write(work).result(), rng=self._rng)

    def _done(self, work: Callable, then: Callable | None = None) -> Progress:
        self._database.write(work, then).result()
        return self.progress()


def insert_survey(
    db: sqlite3.Connection, survey: Survey, *, capacity: int, teacher: bytes, wall: bytes,
    plan: str | None = None, state: str = "lobby", test: bool = False, tries: str = "",
) -> str:  # fmt: skip
    """Store a new survey, which may be a rehearsal that `tries` another one; its code.

    Raises
    ------
    InputError
        If 50 surveys are not closed.
    """
    ((going,),) = db.execute("SELECT count(*) FROM surveys WHERE state != 'closed'")
    if state != "closed" and going >= MAX_SURVEYS:
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
    set_note(db, code, LANGUAGE, survey.language)
    set_note(db, code, REHEARSAL_OF, tries)
    return code


def insert_counts(db: sqlite3.Connection, code: str, collected: ReportCounts) -> None:
    """Store how often each report of a saved class arrived."""
    rows = [
        (code, view, report, number)
        for view, counts in enumerate(collected.counts)
        for report, number in enumerate(counts.tolist())
        if number
    ]
    db.executemany("INSERT INTO tallies VALUES(?, ?, ?, ?)", rows)


def _survey_state(db: sqlite3.Connection, code: str, *, going: bool = False) -> str:
    """The state of a survey that is there, and not closed where it must be `going` on."""
    row = db.execute("SELECT state FROM surveys WHERE code = ?", (code,)).fetchone()
    if row is None:
        raise SurveyDeleted
    if going and row[0] == "closed":
        raise InputError(
            "this survey is closed for good; ask another class with the same plan instead"
        )
    return row[0]


def _bump_version(db: sqlite3.Connection, code: str) -> None:
    db.execute("UPDATE surveys SET version = version + 1 WHERE code = ?", (code,))
