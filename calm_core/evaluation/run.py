"""One run of the app or the command line: choose rows and queries, release, score."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from calm_core.evaluation.metrics import Band, classify_error, score, typical_points
from calm_core.methods.base import Answer, Method
from calm_core.randomness import stream
from calm_core.tables.domain import Domain, choose_queries
from calm_core.tables.marginal import Marginal
from calm_core.tables.population import People

# True tables counted in one pass over the rows, where progress is shown.
AT_ONCE = 10


@dataclass(frozen=True, eq=False)
class Run:
    """A simulated release together with the truth.

    Attributes
    ----------
    dataset : Dataset or Population
        The rows used, or the population.
    answer : Answer
        The release.
    queries : tuple of tuple of str
        The k-way marginals queried.
    answers, truths : tuple of Marginal
        Released and true table of every query.
    scores : DataFrame
        One row per query, see `metrics.score`.
    """

    dataset: People
    answer: Answer
    queries: tuple[tuple[str, ...], ...]
    answers: tuple[Marginal, ...]

    @property
    def n(self) -> int:
        """Users who reported."""
        return self.dataset.n

    @property
    def domain(self) -> Domain:
        """Shape of the data."""
        return self.dataset.domain

    @property
    def plan(self):
        """The plan of the collection; None if the method has none."""
        return self.answer.plan if "plan" in self.answer.offers else None

    @cached_property
    def truths(self) -> tuple[Marginal, ...]:
        """The true table of every query."""
        return tuple(self.dataset.marginals(self.queries))

    def iter_truths(self) -> Iterator[int]:
        """Count `truths` a few at a time and yield the number so far, to show progress."""
        found: list[Marginal] = []
        for start in range(0, len(self.queries), AT_ONCE):
            found += self.dataset.marginals(self.queries[start : start + AT_ONCE])
            yield len(found)
        # Fill the cached property.
        self.__dict__["truths"] = tuple(found)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """Errors of every query."""
        covered = (self.answer.covers(query) for query in self.queries)
        return score(self.truths, self.answers, covered)

    @property
    def points(self) -> float:
        """Typical error of a cell of the queries, in percentage points."""
        return typical_points(self.scores.sse, [truth.values.size for truth in self.truths])

    @property
    def guess_points(self) -> float:
        """Typical error of equal shares, in percentage points."""
        return typical_points(self.scores.uniform_sse, [truth.values.size for truth in self.truths])

    @property
    def band(self) -> Band:
        """What the tables can be used for."""
        return classify_error(self.points, self.guess_points)


def use_rows(dataset: People, n: int | None, seed: int, repetition: int = 0) -> People:
    """The people of one repetition: all rows, or n of them (duplicated if n exceeds the data)."""
    if n is None or n == dataset.n:
        return dataset
    return dataset.resample(n, rng=stream(seed, repetition, "rows"))


def run(
    dataset: People,
    method: Method,
    *,
    seed: int,
    n: int | None = None,
    queries: int = 50,
    repetition: int = 0,
    notify: Callable[[object], None] | None = None,
) -> Run:
    """Release `dataset` with `method` and ask for `queries` random k-way marginals.

    Rows, queries and noise have separate streams keyed by (seed, repetition), so that all methods of a
    repetition use the same rows and queries.

    Examples
    --------
    >>> import numpy as np
    >>> from calm_core.tables.domain import Domain
    >>> from calm_core.methods import Calm
    >>> from calm_core.tables.dataset import Dataset
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> codes = np.random.default_rng(1).integers(0, 2, size=(5000, 2))
    >>> outcome = run(Dataset.from_codes(codes, domain), Calm(epsilon=2.0, k=2), seed=1)
    >>> len(outcome.scores), bool(outcome.scores.sse.mean() < outcome.scores.uniform_sse.mean())
    (1, True)

    A billion people of the same population:

    >>> from calm_core.tables.population import Population
    >>> many = Population(Dataset.from_codes(codes, domain), 10**9)
    >>> bool(run(many, Calm(epsilon=2.0, k=2), seed=1).points < 0.05)
    True
    """
    dataset = use_rows(dataset, n, seed, repetition)
    rng = stream(seed, repetition, "queries")
    chosen = tuple(choose_queries(dataset.domain, method.k, queries, rng=rng))
    answer = method.release(dataset, rng=stream(seed, repetition, method.name), notify=notify)
    return Run(dataset, answer, chosen, tuple(answer.marginals(chosen)))
