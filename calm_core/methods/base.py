"""What every method has in common: a frozen configuration and `release`."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from calm_core._checks import check_epsilon, check_k, count_checker
from calm_core.planning.plan import Plan
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal
from calm_core.tables.population import People
from calm_core.tables.ranges import Ranges, range_shares

# Receives events, to show progress.
Notify = Callable[[object], None] | None


class Answer:
    """The released result of a method; answers any number of marginals.

    Attributes
    ----------
    domain : Domain
        Shape of the data.
    offers : frozenset of str
        What else it has: "plan" (`plan`, fixed before the data was seen), "reports"
        (`reports`), "views" (`noisy` and `views`), "intervals" (`interval(attrs)` and
        `interval_of_sum(attrs, inside)`), "explain" (`explain(attrs)`).
    """

    domain: Domain
    offers: ClassVar[frozenset[str]] = frozenset()

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether the marginal over `attrs` was measured directly rather than reconstructed."""
        raise NotImplementedError

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the private marginal over `attrs`; its axes are in domain order."""
        raise NotImplementedError

    def marginals(self, queries: Sequence[Iterable[str]]) -> list[Marginal]:
        """Return the private marginals of many queries, in the given order."""
        found = []
        for query in queries:
            checkpoint()
            found.append(self.marginal(query))
        return found

    def range_shares(self, queries: Sequence[Ranges]) -> np.ndarray:
        """Return the share of people inside the ranges of every query: a sum of cells of a marginal.

        Parameters
        ----------
        queries : sequence of mapping
            For every query the first and the last code, both inclusive, of each of its attributes.

        Examples
        --------
        >>> from calm_core.methods.uniform import UniformAnswer
        >>> answer = UniformAnswer(Domain(("age", "income"), (16, 16)))
        >>> answer.range_shares([{"age": (0, 7)}, {"age": (0, 7), "income": (4, 15)}]).tolist()
        [0.5, 0.375]
        """
        return range_shares(self.marginals, queries)


class KWayAnswer(Answer):
    """An answer with every marginal of at most k attributes."""

    k: int

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether the query has at most k attributes: each such marginal was measured."""
        return len(self.domain.positions(attrs)) <= self.k


def option(check: Callable[[str, Any], Any], default: Any = MISSING) -> Any:
    """Return a dataclass field whose value `check(name, value)` validates when the method is made."""
    return field(default=default, metadata={"check": check})


@dataclass(frozen=True)
class Method:
    """Configuration of a method; `release` runs it on a data set.

    Every field is an `option`, validated at once: afterwards users may already have reported.

    Attributes
    ----------
    epsilon : float
        Privacy budget of every user.
    k : int
        Number of attributes in the marginals of interest.
    name : str
        Key in `METHODS`.
    title : str
        Name shown on screen.
    summary : str
        What it does, in one sentence for the screen.
    trust : {"local", "central"}
        "central" needs a trusted curator who sees all the data.
    excluded_settings : frozenset of str
        Settings chosen for CALM that it ignores in a comparison, even if it has an option of that
        name: other methods are compared as published, and unbiased ones stay unbiased.
    no_public_plan_reason : str
        Why no public plan of views collects what it needs; empty if one does.
    """

    epsilon: float = option(lambda name, value: check_epsilon(value))
    k: int = option(count_checker())
    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    trust: ClassVar[str] = "local"
    excluded_settings: ClassVar[frozenset[str]] = frozenset(
        {"nonnegativity", "rounds", "reconstruction", "design"}
    )
    no_public_plan_reason: ClassVar[str] = "it works on all records, which no collector has"

    def __post_init__(self):
        for item in fields(self):
            value = item.metadata["check"](item.name, getattr(self, item.name))
            object.__setattr__(self, item.name, value)

    def check(self, domain: Domain, n: int) -> None:
        """Refuse, before anybody reports, data that `release` would refuse.

        Parameters
        ----------
        domain : Domain
            Shape of the data.
        n : int
            Number of users.

        Raises
        ------
        UserError
            If k, the tables or n do not fit; with remedies.
        """
        check_k(self.k, domain.d)

    @classmethod
    def data_warning(cls, domain: Domain) -> str:
        """Return a sentence on why such data do not suit the method, though it works; or an empty string."""
        return ""

    def explain_unsupported(self, plan: Plan) -> str:
        """Return why it cannot answer from the reports of a public plan; empty if it can."""
        return self.no_public_plan_reason

    def release(
        self, dataset: People, *, rng: np.random.Generator, notify: Notify = None
    ) -> Answer:
        """Run the method on `dataset`; the answer contains only what was released."""
        raise NotImplementedError

    def analytical_sse(
        self,
        domain: Domain,
        n: int,
        attrs: Iterable[str],
        *,
        truth: Marginal | None = None,
    ) -> float | None:
        """Return the expected SSE of the marginal over `attrs` by formula; None if there is no formula.

        Parameters
        ----------
        domain : Domain
            Shape of the data.
        n : int
            Number of users.
        attrs : iterable of str
            The marginal.
        truth : Marginal, optional
            The true marginal, which the sampling error depends on. The default is a uniform one,
            which gives the largest value.
        """
        return None

    def expected_errors(
        self,
        domain: Domain,
        n: int,
        queries: Sequence[Iterable[str]],
        *,
        rng: np.random.Generator,
    ) -> np.ndarray | None:
        """Return the expected SSE of every query before collection; None if there is no formula.

        Parameters
        ----------
        domain : Domain
            Shape of the data.
        n : int
            Number of users.
        queries : sequence of attribute sets
            The marginals.
        rng : numpy Generator
            Randomness of the plan, if the method makes one: the plan is the one that `release`
            would make with an equal stream.
        """
        found = [self.analytical_sse(domain, n, query) for query in queries]
        return None if None in found else np.array(found, dtype=float)
