"""A question of Ask about people like those of a table: a pilot, the survey of last year, the data set of the app.

The table is for planning only. It decides how strongly attributes go together, which decides the power of a difference
more than anything else.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from calm_core._checks import check_k, check_level
from calm_core.errors import InfeasibleError, InputError
from calm_core.evaluation.planned_questions import interaction_weights
from calm_core.methods.calm_plus import ALGORITHM1, CalmPlus
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.release.conditions import cells_of_condition
from calm_core.release.estimate import Estimate
from calm_core.release.evidence import TrueTables
from calm_core.release.questions import ask as ask_text
from calm_core.release.questions import check_questions, read_question
from calm_core.tables.population import People

# Views of so many attributes each, by the attributes of the tables wanted.
DESIGNS = {2: "pairs", 3: "triples"}


@dataclass(frozen=True, eq=False)
class PilotQuestion:
    """A question about people like these, asked with the usual plan of CALM+.

    Attributes
    ----------
    people : Dataset or Population
        Whose shares, and how these go together, are expected of the people who will be asked.
    text : str
        As of `cc.release.ask`, of those with one interval, such as "share smoked=yes given sex=woman".
    k : int, optional
        Attributes of the tables that the survey is for; by default those of the question, at least 2.
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
    >>> solve_question(PilotQuestion(people, "share sex=1"), epsilon=1.0, half_width=0.2).n
    407
    """

    people: People
    text: str
    k: int | None = None
    level: float = 0.95
    _tables: dict[tuple[str, ...], np.ndarray] = field(default_factory=dict, repr=False)

    def __post_init__(self):
        check_level(self.level)
        check_questions(self.people.domain, [self.text], together=True)
        check_k(self.query_size, self.people.domain.d)
        # What has no answer with everybody's true answers has none.
        assert self.truth is not None

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes asked about, in domain order."""
        return read_question(self.text).attributes(self.people.domain)

    @property
    def query_size(self) -> int:
        """Attributes of the tables that the survey is for."""
        return max(len(self.attributes), 2) if self.k is None else self.k

    @cached_property
    def truth(self) -> Estimate:
        """The answer of these people."""
        true = TrueTables(self.people.domain, self.people.marginal)
        return self.ask(true)

    @property
    def difference(self) -> float | None:
        """Difference of both groups among these people; None for other questions."""
        return self.truth.value if read_question(self.text).kind == "difference" else None

    @property
    def words(self) -> str:
        """What is asked."""
        return f"the question {self.text!r} of people like these"

    def plan(self, n: int, epsilon: float) -> tuple[Plan, tuple[str, ...]]:
        """The plan of CALM+, and the attributes asked about."""
        # Algorithm 1 asks few people about few views only, which may leave out the attributes of the question.
        design = DESIGNS.get(self.query_size, ALGORITHM1)
        method = CalmPlus(epsilon=epsilon, k=self.query_size, design=design)
        plan = method.public_plan(self.people.domain, n, rng=stream(0, "pilot"))
        if not plan.covers(self.attributes):
            raise InfeasibleError(
                f"{n:,} people are too few to ask about {', '.join(self.attributes)} together; use more people"
            )
        return plan, self.attributes

    def table(self) -> np.ndarray:
        """The shares of the attributes asked about, among these people."""
        return self._table(self.attributes)

    def view_tables(self, plan: Plan, asked: tuple[str, ...]) -> list[np.ndarray]:
        """The shares of the cells of every view, among these people."""
        return [self._table(view).ravel() for view in plan.views]

    def _table(self, attrs: tuple[str, ...]) -> np.ndarray:
        if attrs not in self._tables:
            self._tables[attrs] = self.people.marginal(attrs).values
        return self._tables[attrs]

    def interaction_weights(self) -> np.ndarray:
        """The part of the difference that the interaction makes, as weights of cells."""
        asked, attrs = read_question(self.text), self.attributes
        conditions = (asked.condition, *asked.groups)
        if len(attrs) != 2 or any(len(condition) != 1 for condition in conditions):
            raise InputError(
                f"the power of {self.text!r:.80} is not predicted; let the share be about one attribute, and both "
                "groups about one other, or ask for a length of the interval"
            )
        domain = self.people.domain
        return interaction_weights(
            self.table(), *(cells_of_condition(domain, attrs, each) for each in conditions)
        )

    def ask(self, answer, asked: tuple[str, ...] = ()) -> Estimate:
        """The answer to the question, as Ask gives it."""
        found = ask_text(answer, self.text, rng=stream(0, "pilot"), level=self.level)
        assert isinstance(found, Estimate)  # by the check of the question
        return found

    def to_dict(self) -> dict:
        """Plain values for JSON."""
        return {"question": self.text, "d": self.people.domain.d, "k": self.query_size}
