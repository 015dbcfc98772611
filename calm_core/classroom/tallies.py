"""What came in: questions, plan and tallies of a survey; tallies of the same plan add up."""

from dataclasses import dataclass

import numpy as np

from calm_core.classroom.survey import Survey
from calm_core.collection.collecting import Reports
from calm_core.collection.states import State
from calm_core.planning.plan import Plan


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
    """

    survey: Survey
    plan: Plan
    counts: tuple[np.ndarray, ...]
    classes: int = 1

    @property
    def n(self) -> int:
        """Number of reports."""
        raise NotImplementedError

    @property
    def reports(self) -> Reports:
        """What `aggregate` turns into noisy tables."""
        raise NotImplementedError

    @property
    def state(self) -> State:
        """The same as a state of a collection, which the page "Open a collection" shows."""
        raise NotImplementedError

    def asked(self, *names: str) -> int:
        """How many reports there are of phones that were asked all of these questions together."""
        raise NotImplementedError

    def __add__(self, other: "Collected") -> "Collected":
        raise NotImplementedError
