"""What the wall of a survey shows: counts always, results if the teacher shows them."""

from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from calm_core.classroom.counts import ReportCounts
from calm_core.classroom.database import Database
from calm_core.classroom.phones import UNUSED_CARD, WAITING, read_json
from calm_core.classroom.survey import LANGUAGES, Survey, questions_from_text
from calm_core.classroom.survey_metadata import LANGUAGE
from calm_core.classroom.view_assignment import plan_from_text
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
    waiting : int
        Phones without a view.
    reports : int
        Counted reports.
    groups : tuple of int
        Reports of every view; empty before there is a plan.
    version : int
        Raised by everything that changes a result.
    shown : bool
        Whether the wall shows results.
    test : bool
        Whether it is a rehearsal.
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
    def smallest_group(self) -> int:
        """Reports of the view with the fewest."""
        return min(self.groups, default=0)


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
        title, state, roster, capacity, plan, version, shown, test = self._row(
            "title, state, roster, capacity, plan, version, shown, test"
        )
        views, found = (
            dict(self._database.read(f"SELECT view, {number} WHERE code = ? GROUP BY view", (self.code,)))
            for number in ("count(*) FROM tickets", "sum(number) FROM tallies")
        )  # fmt: skip
        cards, waiting = views.pop(UNUSED_CARD, 0), views.get(WAITING, 0)
        groups = tuple(found.get(view, 0) for view in range(count_views(plan)))
        phones = None if state == "closed" else sum(views.values())
        return Progress(
            self.code, title, state, roster, capacity, cards, phones, waiting, sum(groups), groups,
            version, bool(shown), bool(test),
        )  # fmt: skip

    @property
    def notes(self) -> dict[str, str]:
        """Notes about the survey, see `survey_metadata`; none is secret."""
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
        others = [code for code in self.classes if code != self.code]
        return reduce(add, map(self._read_counts, others), self.report_counts())

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
        language = self._notes(code).get(LANGUAGE, LANGUAGES[0])
        return Survey(title, questions_from_text(questions), epsilon, language)

    def _read_counts(self, code: str) -> ReportCounts:
        survey, (plan,) = self._survey(code), self._row("plan", code)
        if plan is None:
            raise InputError("there is no plan yet; open the survey first")
        parsed = plan_from_text(plan, survey)
        counts = [np.zeros(oracle.size, dtype=np.int64) for oracle in parsed.oracles]
        query = "SELECT view, report, number FROM tallies WHERE code = ?"
        for view, report, number in self._database.read(query, (code,)):
            counts[view][report] = number
        return ReportCounts(survey, parsed, tuple(counts))


def count_views(plan: str | None) -> int:
    """Return the number of views of a stored plan, 0 without one."""
    return len(read_json(plan)["views"]) if plan else 0


class SurveyDeleted(InputError):
    """The survey has been deleted."""

    def __init__(self):
        super().__init__("this survey has been deleted; make a new one")
