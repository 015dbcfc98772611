"""The reports of a survey as counts. Counts of the same plan add up."""

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from calm_core._checks import as_readonly, check_count
from calm_core.classroom.survey import Survey
from calm_core.collection.simulation import Reports, ViewReports
from calm_core.collection.states import State
from calm_core.collection.tally import Tally
from calm_core.errors import InputError
from calm_core.planning.plan import Plan

# With fewer reports no results are computed.
MIN_REPORTS = 10


@dataclass(frozen=True, eq=False)
class ReportCounts:
    """Questions, plan, and how often each report arrived: all that is kept of a survey.

    Attributes
    ----------
    survey : Survey
        The questions.
    plan : Plan
        Views and oracles of the phones.
    counts : tuple of ndarray of int64
        For every view how often each report arrived, shape (L,), row-major over its questions.
    classes : int
        Number of surveys added up in these counts.

    Raises
    ------
    InputError
        If they do not fit together, or a count is negative.

    Examples
    --------
    >>> from calm_core.classroom.view_assignment import plan_class
    >>> from calm_core.classroom.survey import Question
    >>> questions = [Question(name, f"{name}?", ("No", "Yes")) for name in "ab"]
    >>> survey = Survey("T", questions)
    >>> plan = plan_class(survey, 20, rng=np.random.default_rng(1))
    >>> one = ReportCounts(survey, plan, ([5, 3, 2, 4],))
    >>> one.n, (one + one).reports.views[0].support.tolist(), (one + one).classes
    (14, [10, 6, 4, 8], 2)
    """

    survey: Survey
    plan: Plan
    counts: tuple[np.ndarray, ...]
    classes: int = 1

    def __post_init__(self):
        if self.plan.domain != self.survey.domain:
            raise InputError("the plan must be for the questions of the survey")
        check_count("classes", self.classes)
        counts = tuple(np.asarray(found) for found in self.counts)
        if len(counts) != self.plan.m or any(
            found.shape != (oracle.size,) or found.dtype.kind not in "iu" or found.min() < 0
            for found, oracle in zip(counts, self.plan.oracles)
        ):
            raise InputError("counts must be a whole number from 0 for every cell of every view")
        object.__setattr__(
            self, "counts", tuple(as_readonly(found.astype(np.int64)) for found in counts)
        )

    @property
    def groups(self) -> tuple[int, ...]:
        """Number of reports of every view."""
        return tuple(int(found.sum()) for found in self.counts)

    @property
    def n(self) -> int:
        """Number of reports."""
        return sum(self.groups)

    @cached_property
    def reports(self) -> Reports:
        """The input of `aggregate`."""
        # A report of GRR supports one cell, so counts are support counts.
        parts = zip(self.plan.views, self.plan.oracles, self.counts, self.groups)
        return Reports(self.plan.domain, tuple(ViewReports(*part) for part in parts))

    @property
    def state(self) -> State:
        """The state of a collection with these reports; every class is a batch."""
        support, people = np.concatenate(self.counts), np.array(self.groups)
        content = support.astype("<i8").tobytes()
        # A saved file may claim any number of classes; at most as many as reports are believed.
        most = min(self.classes, max(1, self.n))
        shas = [hashlib.sha256(content + str(at or "").encode()).hexdigest() for at in range(most)]
        batches = tuple((sha[:32], sha) for sha in shas)
        return State(self.plan, (Tally(batches, support, people),))

    def count_asked(self, *names: str) -> int:
        """Return the number of reports of views with all of these questions."""
        wanted = set(self.plan.domain.canonical(names))
        return sum(n for view, n in zip(self.plan.views, self.groups) if wanted <= set(view))

    def __add__(self, other: "ReportCounts") -> "ReportCounts":
        if (self.survey.questions, self.plan) != (other.survey.questions, other.plan):
            raise InputError(
                "only classes with the same questions and the same plan add up; look at each on its own"
            )
        counts = tuple(a + b for a, b in zip(self.counts, other.counts))
        return ReportCounts(self.survey, self.plan, counts, self.classes + other.classes)


def align_counts(found: ReportCounts, like: ReportCounts, what: str) -> ReportCounts:
    """Return the counts of another class in the plan of this one, if the plans ask and randomize alike.

    Such plans may differ in the number of phones and in the order of the views.

    Parameters
    ----------
    found, like : ReportCounts
        The other class, and this one.
    what : str
        Name of the other class in errors.

    Raises
    ------
    InputError
        If the two do not add up.

    Examples
    --------
    >>> from calm_core.classroom.view_assignment import plan_class
    >>> from calm_core.classroom.survey import Question
    >>> survey = Survey("T", [Question(name, f"{name}?", ("No", "Yes")) for name in "ab"])
    >>> one, two = (plan_class(survey, n, rng=np.random.default_rng(1)) for n in (20, 30))
    >>> there = align_counts(ReportCounts(survey, two, ([5, 3, 2, 4],)), ReportCounts(survey, one, ([1, 1, 1, 1],)), "it")
    >>> there.plan.n, there.n
    (20, 14)
    """
    alone = "it does not add up with this one; open it on its own as a saved survey"
    if found.survey.questions != like.survey.questions:
        raise InputError(f"{what} was asked other questions, so {alone}")
    if found.plan.epsilon != like.plan.epsilon:
        raise InputError(
            f"{what} answered with ε = {found.plan.epsilon:g} and this one with {like.plan.epsilon:g}, so {alone}"
        )
    here, there = (
        sorted(range(plan.m), key=plan.views.__getitem__) for plan in (like.plan, found.plan)
    )
    if [like.plan.views[at] for at in here] != [found.plan.views[at] for at in there]:
        raise InputError(f"the phones of {what} were dealt other questions together, so {alone}")
    counts = dict(zip(here, (found.counts[at] for at in there)))
    return ReportCounts(
        found.survey, like.plan, tuple(counts[at] for at in range(like.plan.m)), found.classes
    )
