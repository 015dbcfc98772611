"""A question of Ask about people like those of a table: a pilot, the survey of last year, the data set of the app.

The table is for planning only. It decides how strongly attributes go together, which decides the power of a difference
more than anything else.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from calm_core._checks import check_k, check_level
from calm_core.errors import InputError
from calm_core.evaluation.planned_questions import (
    check_difference,
    describe_difference,
    difference_weights,
    spread_table,
    weigh_one_cell,
)
from calm_core.evaluation.survey_design import make_similar_plan
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.release.conditions import cells_of_condition
from calm_core.release.estimate import Estimate, write_per_100
from calm_core.release.evidence import TrueTables
from calm_core.release.questions import Question as TextQuestion
from calm_core.release.questions import ask as ask_text
from calm_core.release.questions import check_questions, read_question
from calm_core.tables.population import People


@dataclass(frozen=True, eq=False)
class PilotQuestion:
    """A question about people like these.

    Planning with it sees their table, and is no part of a collection: use one that may be seen.

    Attributes
    ----------
    people : Dataset or Population
        Whose shares, and how these go together, are expected of the people who will be asked.
    text : str
        As of `cc.release.ask`, of those with one interval, such as "share smoked=yes given sex=woman".
    wanted : float, optional
        Difference to detect, as a fraction, not 0; by default that of these people. The second group keeps its share.
    k : int, optional
        Attributes of the tables that the survey is for; by default those of the question.
    level : float
        Probability of the interval.

    Raises
    ------
    InputError
        If the question cannot be asked of these people, or has not one interval.

    Examples
    --------
    >>> from calm_core.evaluation.needs import solve_question
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> codes = np.random.default_rng(1).integers(0, [2, 3], (500, 2))
    >>> people = Dataset.from_codes(codes, Domain(("sex", "age"), (2, 3)))
    >>> need = solve_question(PilotQuestion(people, "share sex=1"), epsilon=1.0, half_width=0.2)
    >>> 150 < need.n < 210
    True
    """

    people: People
    text: str
    wanted: float | None = None
    k: int | None = None
    level: float = 0.95
    _tables: dict[tuple[str, ...], np.ndarray] = field(default_factory=dict, repr=False)

    def __post_init__(self):
        check_level(self.level)
        check_questions(self.people.domain, [self.text], together=True)
        check_k(self.query_size, self.people.domain.d)
        # What has no answer with everybody's true answers has none.
        assert self.truth is not None
        if self.wanted is not None:
            if self._parts.kind != "difference":
                raise InputError("a difference to detect is for a question about a difference")
            (_, one, two), _, other = self._compared
            if (one & two).any():
                raise InputError(
                    "both groups have people in common, so that no other difference can be planned for; leave it out"
                )
            check_difference(self.wanted, other)

    @cached_property
    def _parts(self) -> TextQuestion:
        return read_question(self.text)

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """The attributes asked about, in domain order."""
        return self._parts.attributes(self.people.domain)

    @property
    def query_size(self) -> int:
        """Attributes of the tables that the survey is for."""
        return len(self.attributes) if self.k is None else self.k

    @cached_property
    def truth(self) -> Estimate:
        """The answer of these people."""
        true = TrueTables(self.people.domain, self.people.marginal)
        return self.ask(true)

    @property
    def difference(self) -> float | None:
        """Difference of both groups to detect; None for other questions."""
        own = self.truth.value if self._parts.kind == "difference" else None
        return own if self.wanted is None else self.wanted

    @property
    def words(self) -> str:
        """What is asked."""
        if self.difference is None:
            if self._parts.kind == "share":
                return f"a share of {write_per_100(self.truth.value)} of 100"
            return f"the question {self.text!r} of people like these"
        return describe_difference(self.difference, self._compared[2])

    def plan(self, n: int, epsilon: float) -> tuple[Plan, tuple[str, ...]]:
        """The plan, and the attributes asked about."""
        asked = self.attributes
        domain = self.people.domain
        return make_similar_plan(domain, n, epsilon=epsilon, k=self.query_size, asked=asked), asked

    def table(self) -> np.ndarray:
        """The shares of the attributes asked about, with the difference wanted."""
        found = self._table(self.attributes)
        return found if self.wanted is None else found * self._times

    def view_tables(self, plan: Plan, asked: tuple[str, ...]) -> list[np.ndarray]:
        """The shares of the cells of every view, row-major."""
        return [self._view_table(view).ravel() for view in plan.views]

    def _view_table(self, view: tuple[str, ...]) -> np.ndarray:
        if self.wanted is None:
            return self._table(view)
        # Who has other answers to what is asked has other ones besides, too.
        domain, asked = self.people.domain, self.attributes
        both = domain.canonical({*view, *asked})
        shape = domain.shape_of(both)
        changed = self._table(both) * spread_table(self._times, shape, both, asked)
        outside = tuple(axis for axis, name in enumerate(both) if name not in view)
        return changed.sum(axis=outside)

    def _table(self, attrs: tuple[str, ...]) -> np.ndarray:
        if attrs not in self._tables:
            self._tables[attrs] = self.people.marginal(attrs).values
        return self._tables[attrs]

    @cached_property
    def _times(self) -> np.ndarray:
        """How many times as many people each cell of the table asked about has with the difference wanted."""
        assert self.wanted is not None
        cells, own, other = self._compared
        met, first, _ = cells
        share = other + self.wanted
        times = np.ones(met.shape)
        times[first & met] = share / own
        times[first & ~met] = (1 - share) / (1 - own)
        return times

    @cached_property
    def _compared(self) -> tuple[list[np.ndarray], float, float]:
        """The cells that the share is of, and those of both groups, and both shares among these people."""
        asked, attrs = self._parts, self.attributes
        domain, table = self.people.domain, self._table(attrs)
        conditions = (asked.condition, *asked.groups)
        cells = [cells_of_condition(domain, attrs, each) for each in conditions]
        met, *groups = cells
        own, other = (float(table[met & group].sum() / table[group].sum()) for group in groups)
        if not (0 < own < 1 and 0 < other < 1):
            raise InputError(
                "all or none of a group in the table have what is asked about; choose another value"
            )
        return cells, own, other

    def measured_weights(self) -> np.ndarray:
        """The difference as weights of cells; one cell for other questions."""
        if self.difference is None:
            return weigh_one_cell(self.table())
        return difference_weights(self.table(), *self._compared[0])

    def ask(self, answer, asked: tuple[str, ...] = ()) -> Estimate:
        """The answer to the question, as Ask gives it."""
        found = ask_text(answer, self.text, rng=stream(0, "pilot"), level=self.level)
        assert isinstance(found, Estimate)  # by the check of the question
        return found

    def to_dict(self) -> dict:
        """Plain values for JSON."""
        difference = None if self.difference is None else 100 * self.difference
        return {
            "question": self.text, "difference": difference, "d": self.people.domain.d,
            "k": self.query_size,
        }  # fmt: skip
