"""Methods that work from reports: plan, collect, answer. Reports of parts of the users add up."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, ClassVar

import numpy as np

from calm_core.errors import InputError
from calm_core.methods.base import Answer, Method
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain
from calm_core.tables.population import People

# The same users in the same parts every time it is called: two phases look at them twice.
Parts = Callable[[], Iterable[People]]


@dataclass(frozen=True)
class ReportingMethod(Method):
    """A method that sees nothing but reports, so users may come in parts that are never held together.

    `release` is the collection from a single part: both run the same code on the same random stream.
    """

    # Whether a collection needs no more of the users than how many of each group hold each cell.
    from_counts: ClassVar[bool] = False
    unplanned: ClassVar[str] = ""

    def plan(self, domain: Domain, n: int, *, rng: np.random.Generator) -> Any:
        """Fix everything that is fixed before collection; its `m` is the number of groups."""
        raise NotImplementedError

    def public_plan(self, domain: Domain, n: int, *, rng: np.random.Generator) -> Plan:
        """What a deployment publishes before anybody reports.

        Raises
        ------
        InputError
            If no public plan of views asks what the method needs to know.
        """
        raise NotImplementedError

    def planned_errors(self, plan: Plan, queries: Sequence[Iterable[str]]) -> np.ndarray:
        """Expected SSE of every query by a public plan; NaN where it cannot answer. Sees no data."""
        raise NotImplementedError

    def most_asked(self, plan: Plan) -> int:
        """How many attributes a table of its answers by a public plan can have."""
        return plan.domain.d

    def check(self, domain, n) -> None:
        """Refuse what `release` would refuse of such data."""
        self.plan(domain, n, rng=stream(0, "check"))

    def collect(
        self,
        dataset: People,
        plan: Any,
        *,
        rng: np.random.Generator,
        notify: Callable[[object], None] | None = None,
    ) -> Any:
        """What the users report by `plan`, as something that adds up: the last line that sees the data."""
        raise NotImplementedError

    def answer(self, plan: Any, reports: Any) -> Answer:
        """What follows from the reports alone."""
        raise NotImplementedError

    def collect_parts(self, parts: Parts, domain: Domain, n: int, *, rng, notify=None):
        """The plan, and the sum of what all parts of the users report by it."""
        plan = self.plan(domain, n, rng=rng)
        large = merge_small_parts(parts(), plan.m)
        collected = (self.collect(part, plan, rng=rng, notify=notify) for part in large)
        return plan, reduce(add, collected)

    def release_parts(
        self,
        parts: Parts,
        domain: Domain,
        n: int,
        *,
        rng: np.random.Generator,
        notify: Callable[[object], None] | None = None,
    ) -> Answer:
        """As `release`, from users who come in parts; groups are nearly equal within every part.

        Parameters
        ----------
        parts : callable
            Gives the data sets of all parts, the same ones at every call.
        domain : Domain
            Their common shape.
        n : int
            Users of all parts together.
        rng, notify
            As in `release`.

        Examples
        --------
        >>> from calm_core.methods.calm import Calm
        >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
        >>> rng = np.random.default_rng(1)
        >>> halves = [Dataset(rng.integers(0, 2, size=(2500, 2)), domain) for _ in range(2)]
        >>> answer = Calm(epsilon=2.0, k=2).release_parts(lambda: halves, domain, 5000, rng=rng)
        >>> answer.reports.n
        5000
        """
        return self.answer(*self.collect_parts(parts, domain, n, rng=rng, notify=notify))

    def release(self, dataset, *, rng, notify=None) -> Any:
        """Plan, collect, answer."""
        if not self.from_counts:
            dataset.codes  # noqa: B018 - a population has none, and says so
        return self.release_parts(
            lambda: (dataset,), dataset.domain, dataset.n, rng=rng, notify=notify
        )


def merge_small_parts(parts: Iterable[People], m: int) -> Iterator[People]:
    """Parts with at least one user for every group: small ones are joined to a neighbour."""
    ready, waiting, held = None, [], 0
    for part in parts:
        waiting.append(part)
        held += part.n
        if held >= m:
            if ready is not None:
                yield ready
            # Held back, so that a small last part has something to join.
            ready, waiting, held = _join_parts(waiting), [], 0
    if waiting:
        ready = _join_parts(waiting if ready is None else [ready, *waiting])
    if ready is not None:
        yield ready


def _join_parts(parts: Sequence[People]) -> People:
    """The people of several parts as one; a population comes whole."""
    if len(parts) == 1:
        return parts[0]
    held = [part for part in parts if isinstance(part, Dataset)]
    if len(held) < len(parts):
        raise InputError(
            "people drawn from a population must come in one part; pass one population"
        )
    return Dataset.joined(held)
