"""What came in: questions, plan and tallies of a survey; tallies of the same plan add up."""

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from calm_core._checks import check_count, readonly
from calm_core.classroom.survey import Survey
from calm_core.collection.collecting import Reports, ViewReports
from calm_core.collection.states import State
from calm_core.collection.tallying import Tally
from calm_core.errors import InputError
from calm_core.planning.plan import Plan

# Below this many reports nothing is concluded at all.
FEWEST_REPORTS = 10


@dataclass(frozen=True, eq=False)
class Collected:
    """All that is kept of a survey: what was asked, how, and how often each report arrived.

    Attributes
    ----------
    survey : Survey
        What was asked.
    plan : Plan
        Who was asked what, and how it was randomised.
    counts : tuple of ndarray of int64
        For every view how often each report arrived, shape (L,), row-major over its questions.
    classes : int
        How many surveys these are the sums of.

    Raises
    ------
    InputError
        If these do not fit together, or a count is negative.

    Examples
    --------
    >>> from calm_core.classroom.dealing import plan_class
    >>> from calm_core.classroom.survey import Question
    >>> asked = [Question(name, f"{name}?", ("No", "Yes")) for name in "ab"]
    >>> survey = Survey("T", asked)
    >>> plan = plan_class(survey, 20, rng=np.random.default_rng(1))
    >>> one = Collected(survey, plan, ([5, 3, 2, 4],))
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
            self, "counts", tuple(readonly(found.astype(np.int64)) for found in counts)
        )

    @property
    def groups(self) -> tuple[int, ...]:
        """Number of reports on every view."""
        return tuple(int(found.sum()) for found in self.counts)

    @property
    def n(self) -> int:
        """Number of reports."""
        return sum(self.groups)

    @cached_property
    def reports(self) -> Reports:
        """What `aggregate` turns into noisy tables."""
        # A report of GRR supports the cell it names.
        parts = zip(self.plan.views, self.plan.oracles, self.counts, self.groups)
        return Reports(self.plan.domain, tuple(ViewReports(*part) for part in parts))

    @property
    def state(self) -> State:
        """The same as a state of a collection, as `aggregate` of the command line makes it."""
        support, people = np.concatenate(self.counts), np.array(self.groups)
        sha = hashlib.sha256(support.astype("<i8").tobytes()).hexdigest()
        return State(self.plan, (Tally(((sha[:32], sha),), support, people),))

    def asked(self, *names: str) -> int:
        """Number of reports of phones that were asked all of these questions together."""
        wanted = set(self.plan.domain.canonical(names))
        return sum(n for view, n in zip(self.plan.views, self.groups) if wanted <= set(view))

    def __add__(self, other: "Collected") -> "Collected":
        if (self.survey.questions, self.plan) != (other.survey.questions, other.plan):
            raise InputError(
                "only classes with the same questions and the same plan add up; look at each on its own"
            )
        counts = tuple(a + b for a, b in zip(self.counts, other.counts))
        return Collected(self.survey, self.plan, counts, self.classes + other.classes)
