"""What the wall of a survey shows, and what its teacher can do, from the lobby to running it again."""

import secrets
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from calm_core._checks import check_count
from calm_core.classroom.database import (
    LANGUAGE,
    LINK,
    Database,
    close_survey,
    delete_rehearsals,
    set_note,
    truncate_log,
    vacuum,
)  # fmt: skip
from calm_core.classroom.phones import (
    LETTERS,
    PUSHED,
    PUSHED_ANSWER,
    UNUSED_CARD,
    assign_waiting,
    hash_secret,
    new_secret,
    read_json,
)  # fmt: skip
from calm_core.classroom.results import MIN_REPORTS, ReportCounts, no_counts
from calm_core.classroom.survey import (
    DEFAULT_CLASS_SIZE,
    LANGUAGES,
    MAX_PHONES,
    PushedAnswer,
    Survey,
    plan_class,
    plan_from_text,
    plan_to_text,
    questions_from_text,
)
from calm_core.errors import InputError


@dataclass(frozen=True)
class Progress:
    """State and counts of a survey, as lobby and wall show them.

    Attributes
    ----------
    code, title : str
        Its code and its title.
    state : str
        "lobby", "open" or "closed".
    roster : str
        "open", or "cards" if only tickets on cards may join.
    capacity : int
        Maximum number of phones.
    cards : int
        Unused cards.
    phones : int or None
        Phones that have joined; None once it is closed, because tickets are deleted then.
    reports : int
        Counted reports, without lies.
    groups : tuple of int
        Reports of every view; empty before there is a plan.
    version : int
        Raised by everything that changes a result.
    shows_results : bool
        Whether the wall shows results.
    test : bool
        Whether it is a rehearsal.
    lies : int
        Counted lies.
    liars : int
        Phones that are asked to lie and have not refused; 0 once it is closed.
    pushed : PushedAnswer or None
        The answer that they push; None if no phone may lie.
    """

    code: str
    title: str
    state: str
    roster: str
    capacity: int
    cards: int
    phones: int | None
    reports: int
    groups: tuple[int, ...]
    version: int
    shows_results: bool
    test: bool
    lies: int = 0
    liars: int = 0
    pushed: PushedAnswer | None = None


class ProjectorView:
    """The view of one survey with its wall key: counts always, results if the teacher shows them.

    Parameters
    ----------
    database : Database
        The classroom's file.
    code : str
        The survey.

    Examples
    --------
    See `Store`.
    """

    def __init__(self, database: Database, code: str):
        self._database, self.code = database, code

    def progress(self) -> Progress:
        """Return state, counts and version from the file, in about a millisecond."""
        title, state, roster, capacity, plan, version, shown, test, lies, liars, pushed = self._row(
            "title, state, roster, capacity, plan, version, shown, test, "
            "(SELECT coalesce(sum(number), 0) FROM lies WHERE code = surveys.code), "
            f"(SELECT count(*) FROM liars WHERE code = surveys.code), {PUSHED_ANSWER}"
        )
        views, reports_by_view = (
            dict(self._database.read(f"SELECT view, {number} WHERE code = ? GROUP BY view", (self.code,)))
            for number in ("count(*) FROM tickets", "sum(number) FROM tallies")
        )  # fmt: skip
        cards = views.pop(UNUSED_CARD, 0)
        groups = tuple(reports_by_view.get(view, 0) for view in range(count_views(plan)))
        phones = None if state == "closed" else sum(views.values())
        return Progress(
            self.code, title, state, roster, capacity, cards, phones, sum(groups), groups,
            version, bool(shown), bool(test), lies, liars, _pushed_from_text(pushed),
        )  # fmt: skip

    @property
    def notes(self) -> dict[str, str]:
        """Notes about the survey, see `calm_core.classroom.database`; none is secret."""
        return self._notes(self.code)

    def _notes(self, code: str) -> dict[str, str]:
        return dict(self._database.read("SELECT what, said FROM notes WHERE code = ?", (code,)))

    def report_counts(self) -> ReportCounts:
        """Return the report counts with questions and plan.

        Raises
        ------
        InputError
            If the teacher does not show results, or there is no plan yet.
        """
        if not self._may_see(self.code):
            raise InputError("results are not shown yet; the teacher decides when they are")
        return self._read_counts(self.code)

    @property
    def classes(self) -> tuple[str, ...]:
        """Codes of the surveys that `pooled_counts` adds up, oldest first: same keys, questions and plan."""
        rows = self._database.read(
            "SELECT b.code FROM surveys a JOIN surveys b USING(teacher, wall, questions, plan, test) "
            "WHERE a.code = ? ORDER BY b.rowid",
            (self.code,),
        )
        return tuple(code for (code,) in rows if self._may_see(code))

    def pooled_counts(self) -> ReportCounts:
        """Return the report counts of all `classes` together."""
        other_codes = [code for code in self.classes if code != self.code]
        return reduce(add, map(self._read_counts, other_codes), self.report_counts())

    def _may_see(self, code: str) -> bool:
        """Whether the results of a survey may be seen."""
        return bool(self._row("shown", code)[0])

    def _row(self, columns: str, code: str | None = None) -> tuple:
        query = f"SELECT {columns} FROM surveys WHERE code = ?"
        rows = self._database.read(query, (code or self.code,))
        if not rows:
            raise SurveyDeleted
        return rows[0]

    def _survey(self, code: str) -> Survey:
        title, questions, epsilon = self._row("title, questions, epsilon", code)
        notes = self._notes(code)
        language, pushed = notes.get(LANGUAGE, LANGUAGES[0]), _pushed_from_text(notes.get(PUSHED))
        return Survey(title, questions_from_text(questions), epsilon, language, pushed)

    def _read_counts(self, code: str) -> ReportCounts:
        survey, (plan,) = self._survey(code), self._row("plan", code)
        if plan is None:
            raise InputError("there is no plan yet; open the survey first")
        parsed = plan_from_text(plan, survey)
        counts, lies = no_counts(parsed), no_counts(parsed)
        for table, numbers in (("tallies", counts), ("lies", lies)):
            query = f"SELECT view, report, number FROM {table} WHERE code = ?"
            for view, report, number in self._database.read(query, (code,)):
                numbers[view][report] = number
        return ReportCounts(survey, parsed, counts, lies=lies)


def count_views(plan: str | None) -> int:
    """Return the number of views of a stored plan, 0 without one."""
    return len(read_json(plan)["views"]) if plan else 0


def _pushed_from_text(text: str | None) -> PushedAnswer | None:
    """The pushed answer of a note."""
    return PushedAnswer(**read_json(text)) if text else None


class SurveyDeleted(InputError):
    """The survey has been deleted."""

    def __init__(self):
        super().__init__("this survey has been deleted; make a new one")


MAX_SURVEYS = 50


class TeacherControls(ProjectorView):
    """What the teacher of one survey sees and does; every refusal is an InputError with a sentence.

    Parameters
    ----------
    database, code
        As for `ProjectorView`.
    rng : numpy Generator
        Draws the plan and assigns the views.
    """

    def __init__(self, database: Database, code: str, *, rng: np.random.Generator):
        super().__init__(database, code)
        self._rng = rng

    def _may_see(self, code: str) -> bool:
        return True

    @property
    def survey(self) -> Survey:
        """Questions, title, epsilon and language."""
        return self._survey(self.code)

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes of all surveys that the same key opens, newest first."""
        rows = self._database.read(
            "SELECT b.code FROM surveys a JOIN surveys b USING(teacher) "
            "WHERE a.code = ? AND b.test = 0 ORDER BY b.rowid DESC",
            (self.code,),
        )
        return tuple(code for (code,) in rows)

    def open(self) -> Progress:
        """Open the survey: make its plan, unless it has one, and assign views to the waiting phones."""
        now = self.progress()
        if now.state == "open":
            return now
        self.delete_rehearsals()
        if now.state == "lobby" and not now.phones:
            raise InputError("nobody is there yet; open the survey once phones have joined")
        survey, (plan,) = self.survey, self._row("plan")
        if plan is None:
            plan = plan_to_text(plan_class(survey, now.phones or 0, rng=self._rng))

        def work(db: sqlite3.Connection, state: str) -> None:
            if state == "lobby":
                db.execute(
                    "UPDATE surveys SET state = 'open', plan = ? WHERE code = ?", (plan, self.code)
                )
                assign_waiting(db, self.code, count_views(plan), self._rng)
                _bump_version(db, self.code)

        return self._change(work, not_closed=True)

    def let_lie(self, pushed: PushedAnswer | None) -> Progress:
        """Let a tenth of the phones push an answer by lying; None lets nobody lie.

        Raises
        ------
        InputError
            If the survey is open already, where phones may have answered, or has no such answer.
        """
        text = replace(self.survey, pushed=pushed).pushed_text

        def work(db: sqlite3.Connection, state: str) -> None:
            if state != "lobby":
                raise InputError(
                    "phones can be asked to lie only before the survey opens; begin it anew with the same plan"
                )
            set_note(db, self.code, PUSHED, text)

        return self._change(work)

    def lock(self) -> Progress:
        """Admit no more phones than have joined by now."""
        return self._limit("max(1, (SELECT count(*) FROM tickets WHERE code = surveys.code))")

    def set_capacity(self, capacity: int) -> Progress:
        """Set the maximum number of phones, 1 to 1,000; phones that have joined stay."""
        return self._limit("?", check_count("capacity", capacity, high=MAX_PHONES))

    def _limit(self, capacity: str, *values: int) -> Progress:
        query = f"UPDATE surveys SET capacity = {capacity} WHERE code = ?"
        return self._change(lambda db, _: db.execute(query, (*values, self.code)), not_closed=True)

    def make_cards(self, number: int) -> tuple[str, ...]:
        """Return new one-time tickets to print and hand out shuffled; from now on only these may join.

        The store keeps only their hashes. Phones that have joined before stay.
        """
        tickets = tuple(new_secret() for _ in range(check_count("cards", number, high=MAX_PHONES)))

        def work(db: sqlite3.Connection, state: str) -> None:
            ((there,),) = db.execute("SELECT count(*) FROM tickets WHERE code = ?", (self.code,))
            check_count("cards and phones together", there + number, high=MAX_PHONES)
            rows = [(self.code, hash_secret(ticket), UNUSED_CARD) for ticket in tickets]
            db.executemany("INSERT INTO tickets VALUES(?, ?, ?, 0)", rows)
            db.execute("UPDATE surveys SET roster = 'cards' WHERE code = ?", (self.code,))

        self._change(work, not_closed=True)
        return tickets

    def show_results(self, visible: bool = True) -> Progress:
        """Show the results on the wall, from 10 reports on, or hide them."""
        if visible and self.progress().reports < MIN_REPORTS:
            raise InputError(f"results can be shown from {MIN_REPORTS} reports on; wait for more")

        def work(db: sqlite3.Connection, state: str) -> None:
            # A second press changes no version, so that no wall draws anew.
            query = "UPDATE surveys SET shown = ? WHERE code = ? AND shown != ?"
            if db.execute(query, (int(visible), self.code, int(visible))).rowcount:
                _bump_version(db, self.code)

        return self._change(work)

    def close(self) -> Progress:
        """Close the survey for good: refuse late reports, delete the tickets. A second call does nothing."""
        self.delete_rehearsals()

        def work(db: sqlite3.Connection, state: str) -> None:
            if state != "closed":
                close_survey(db, self.code)

        return self._change(work, then=truncate_log)

    def delete(self) -> None:
        """Delete the survey; the file holds none of its texts afterwards. A second call does nothing."""

        def work(db: sqlite3.Connection) -> None:
            delete_rehearsals(db, self.code)
            db.execute("DELETE FROM surveys WHERE code = ?", (self.code,))

        self._database.write(work, vacuum).result()

    def delete_rehearsals(self) -> None:
        """Delete the rehearsals of this survey."""
        query = (
            "SELECT 1 FROM surveys a JOIN surveys b USING(teacher) WHERE a.code = ? AND b.test = 1"
        )
        if self._database.read(query, (self.code,)):
            self._database.write(lambda db: delete_rehearsals(db, self.code), vacuum).result()

    def set_link(self, link: str) -> None:
        """Set the beginning of the link that phones open, for all walls and everything printed; "" for none."""
        self._change(lambda db, _: set_note(db, self.code, LINK, link))

    def run_again(self) -> "TeacherControls":
        """Return a new survey in the lobby with the same questions, plan and keys, whose reports add up with these."""
        capacity, plan = self._row("capacity, plan")
        if plan is None:
            raise InputError("it has no plan yet that another class could take; open it first")
        # The other class may have been locked.
        usual = min(MAX_PHONES, 2 * read_json(plan)["n"])
        return self._copy(plan, capacity=max(capacity, usual))

    def rehearse(self) -> "TeacherControls":
        """Return a survey with the same questions that is open at once; phones show TEST.

        It is deleted when this one opens, is closed or deleted, or is rehearsed again.
        """
        self.delete_rehearsals()
        plan = plan_to_text(plan_class(self.survey, DEFAULT_CLASS_SIZE, rng=self._rng))
        return self._copy(plan, capacity=2 * DEFAULT_CLASS_SIZE, state="open", test=True)

    def _copy(self, plan: str, **options) -> "TeacherControls":
        """Return a new survey with the same questions and keys."""
        survey, (teacher, wall) = self.survey, self._row("teacher, wall")
        code = self._database.write(
            lambda db: insert_survey(db, survey, teacher=teacher, wall=wall, plan=plan, **options)
        ).result()
        return TeacherControls(self._database, code, rng=self._rng)

    def _change(
        self, work: Callable, *, not_closed: bool = False, then: Callable | None = None
    ) -> Progress:
        """Run `work` with the state of the survey; refuse one that is deleted, or closed where it must not be."""

        def checked(db: sqlite3.Connection) -> None:
            row = db.execute("SELECT state FROM surveys WHERE code = ?", (self.code,)).fetchone()
            if row is None:
                raise SurveyDeleted
            if not_closed and row[0] == "closed":
                raise InputError(
                    "this survey is closed for good; ask another class with the same plan instead"
                )
            work(db, row[0])

        self._database.write(checked, then).result()
        return self.progress()


def insert_survey(
    db: sqlite3.Connection, survey: Survey, *, capacity: int, teacher: bytes, wall: bytes,
    plan: str | None = None, state: str = "lobby", test: bool = False,
) -> str:  # fmt: skip
    """Insert a survey and return its code.

    Raises
    ------
    InputError
        If 50 surveys are not closed.
    """
    ((unclosed,),) = db.execute("SELECT count(*) FROM surveys WHERE state != 'closed'")
    if state != "closed" and unclosed >= MAX_SURVEYS:
        raise InputError(
            f"{unclosed} surveys are in the lobby or open, and no more are allowed; close some first"
        )
    codes = {code for (code,) in db.execute("SELECT code FROM surveys")}
    while (code := "".join(secrets.choice(LETTERS) for _ in range(6))) in codes:
        pass
    texts = survey.title, survey.questions_text, survey.epsilon
    db.execute(
        "INSERT INTO surveys VALUES(?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, 0, ?, 0)",
        (code, *texts, capacity, teacher, wall, state, plan, test),
    )
    set_note(db, code, LANGUAGE, survey.language)
    set_note(db, code, PUSHED, survey.pushed_text)
    return code


def insert_counts(db: sqlite3.Connection, code: str, collected: ReportCounts) -> None:
    """Insert the report counts of a saved class."""
    for table, numbers in (("tallies", collected.counts), ("lies", collected.lies)):
        rows = [
            (code, view, report, number)
            for view, counts in enumerate(numbers)
            for report, number in enumerate(counts.tolist())
            if number
        ]
        db.executemany(f"INSERT INTO {table} VALUES(?, ?, ?, ?)", rows)


def _bump_version(db: sqlite3.Connection, code: str) -> None:
    db.execute("UPDATE surveys SET version = version + 1 WHERE code = ?", (code,))
