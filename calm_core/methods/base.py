"""What every method has in common: a frozen configuration and one verb."""

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


class Answer:
    """What a method released; can be asked for any marginal, as often as one likes.

    Attributes
    ----------
    domain : Domain
        Shape of the data.
    offers : frozenset of str
        What else can be asked of it: "plan" (`plan`, fixed before the data was seen), "reports"
        (`reports`), "views" (`noisy` and `views`), "intervals" (`interval(attrs)` and
        `interval_of_sum(attrs, inside)`), "explain" (`explain(attrs)`).
    """

    domain: Domain
    offers: ClassVar[frozenset[str]] = frozenset()

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether the marginal over `attrs` was measured directly rather than rebuilt."""
        raise NotImplementedError

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """The private marginal over `attrs`; its axes are in the order of the domain."""
        raise NotImplementedError

    def marginals(self, queries: Sequence[Iterable[str]]) -> list[Marginal]:
        """The private marginals of many queries, in the order asked."""
        found = []
        for query in queries:
            checkpoint()
            found.append(self.marginal(query))
        return found

    def range_shares(self, queries: Sequence[Ranges]) -> np.ndarray:
        """The share of the people inside the ranges of every query: of a table the sum of cells.

        Parameters
        ----------
        queries : sequence of mapping
            For every query the first and the last code, both inside, of each attribute it is about.

        Examples
        --------
        >>> from calm_core.methods.uniform import UniformAnswer
        >>> answer = UniformAnswer(Domain(("age", "income"), (16, 16)))
        >>> answer.range_shares([{"age": (0, 7)}, {"age": (0, 7), "income": (4, 15)}]).tolist()
        [0.5, 0.375]
        """
        return range_shares(self.marginals, queries)


def option(check: Callable[[str, Any], Any], default: Any = MISSING) -> Any:
    """A field of a method; `check(name, value)` returns the value or refuses it when it is made."""
    return field(default=default, metadata={"check": check})


@dataclass(frozen=True)
class Method:
    """Configuration of a method; `release` runs it on a data set.

    Every field is an `option`: none is accepted unchecked, since later is after the users reported.

    Attributes
    ----------
    epsilon : float
        Privacy budget of every user.
    k : int
        Number of attributes in the marginals of interest.
    name : str
        Key in `METHODS`.
    title : str
        Name shown to people.
    summary : str
        What it does, in one sentence for people.
    trust : {"local", "central"}
        Who has to be trusted: nobody, or a curator who sees all the data.
    excluded_settings : frozenset of str
        Settings chosen for CALM that it does not take over in a comparison, even where it has an
        option of that name: a rival is compared as it was published, an unbiased one stays so.
    no_public_plan_reason : str
        Why no public plan of views asks what it needs to know; empty where one does.
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
    no_public_plan_reason: ClassVar[str] = "it works on everybody's records, which no collector has"

    def __post_init__(self):
        for item in fields(self):
            value = item.metadata["check"](item.name, getattr(self, item.name))
            object.__setattr__(self, item.name, value)

    def check(self, domain: Domain, n: int) -> None:
        """Refuse, before anybody reports, what `release` would refuse of such data.

        Parameters
        ----------
        domain : Domain
            Shape of the data.
        n : int
            Number of users.

        Raises
        ------
        UserError
            Where k, the tables or n do not fit; with its remedies.
        """
        check_k(self.k, domain.d)

    @classmethod
    def data_warning(cls, domain: Domain) -> str:
        """A sentence on how such data are not what it was made for, though it works; or nothing."""
        return ""

    def explain_unsupported(self, plan: Plan) -> str:
        """Why it cannot answer from the reports by a public plan; empty where it can."""
        return self.no_public_plan_reason

    def release(
        self,
        dataset: People,
        *,
        rng: np.random.Generator,
        notify: Callable[[object], None] | None = None,
    ) -> Answer:
        """Run the method on `dataset`; the answer holds nothing that was not released."""
        raise NotImplementedError

    def analytical_sse(
        self,
        domain: Domain,
        n: int,
        attrs: Iterable[str],
        *,
        truth: Marginal | None = None,
    ) -> float | None:
        """Expected SSE of the marginal over `attrs` by formula; None where there is no formula.

        Parameters
        ----------
        domain : Domain
            Shape of the data.
        n : int
            Number of users.
        attrs : iterable of str
            The marginal asked for.
        truth : Marginal, optional
            The true marginal, which splitting the users depends on. Without it the value for a
            uniform one is returned, the largest there is.
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
        """Expected SSE of every query before anything is collected; None where there is no formula.

        Parameters
        ----------
        domain : Domain
            Shape of the data.
        n : int
            Number of users.
        queries : sequence of attribute sets
            Marginals asked for.
        rng : numpy Generator
            Randomness of the plan, where the method makes one: the very plan is predicted that
            `release` would make with an equal stream.
        """
        found = [self.analytical_sse(domain, n, query) for query in queries]
        return None if None in found else np.array(found, dtype=float)
