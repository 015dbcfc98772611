"""Runs: one of the app or the command line (choose rows and queries, release, score), and repeated ones.

Repeated runs are generators, so that callers can show each result as it comes and stop at any time.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import pandas as pd

from calm_core._checks import check_count
from calm_core.evaluation.metrics import Verdict, judge_error, score
from calm_core.methods.base import Answer, Method, ViewsAnswer
from calm_core.methods.calm_binary import CalmBinaryAnswer
from calm_core.randomness import stream
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.dataset import People
from calm_core.tables.domain import Domain, choose_queries
from calm_core.tables.marginal import Marginal

# True tables counted in one pass over the rows, where progress is shown.
AT_ONCE = 10


def find_plan(answer: Answer):
    """The plan of the collection; None if the method has none."""
    return answer.plan if isinstance(answer, ViewsAnswer | CalmBinaryAnswer) else None


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
        return find_plan(self.answer)

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
    def wrong(self) -> float:
        """Share of people in the wrong cell, 0 to 1: half the L1 distance, mean over the queries."""
        return float(self.scores.l1.mean()) / 2

    @property
    def guess_wrong(self) -> float:
        """Share in the wrong cell with equal shares."""
        return float(self.scores.uniform_l1.mean()) / 2

    @property
    def verdict(self) -> Verdict:
        """What the tables can be used for."""
        return judge_error(self.wrong, self.guess_wrong)


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

    >>> from calm_core.tables.dataset import Population
    >>> many = Population(Dataset.from_codes(codes, domain), 10**9)
    >>> bool(run(many, Calm(epsilon=2.0, k=2), seed=1).wrong < 0.001)
    True
    """
    dataset = use_rows(dataset, n, seed, repetition)
    rng = stream(seed, repetition, "queries")
    chosen = tuple(choose_queries(dataset.domain, method.k, queries, rng=rng))
    answer = method.release(dataset, rng=stream(seed, repetition, method.name), notify=notify)
    return Run(dataset, answer, chosen, tuple(answer.marginals(chosen)))


def repeat_release(
    dataset: People,
    method: Method,
    attrs: Iterable[str],
    *,
    seed: int,
    times: int,
    n: int | None = None,
) -> Iterator[Marginal]:
    """Yield the marginal over `attrs` from `times` independent collections; the first is that of `run`.

    The rows are those of the run: only the noise and the assignment to groups change.

    Examples
    --------
    >>> import numpy as np
    >>> from calm_core.methods import Calm
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> codes = np.random.default_rng(1).integers(0, 2, size=(5000, 2))
    >>> data = Dataset.from_codes(codes, domain)
    >>> len(list(repeat_release(data, Calm(epsilon=1.0, k=2), ("age",), seed=1, times=3)))
    3
    """
    attrs = tuple(attrs)
    for answer in repeat_answers(use_rows(dataset, n, seed), method, seed=seed, times=times):
        yield answer.marginal(attrs)


def repeat_answers(dataset: People, method: Method, *, seed: int, times: int) -> Iterator[Answer]:
    """Yield the answers of `times` independent collections from these people; the first is that of `run`."""
    for repetition in range(check_count("times", times)):
        checkpoint()
        yield method.release(dataset, rng=stream(seed, repetition, method.name))


def score_pairs(dataset: People, answer: Answer) -> pd.DataFrame:
    """Errors of every two-way marginal, one row per pair as in `metrics.score`.

    Examples
    --------
    >>> import numpy as np
    >>> from calm_core.methods import Calm
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> codes = np.random.default_rng(1).integers(0, 2, size=(5000, 2))
    >>> data = Dataset.from_codes(codes, domain)
    >>> answer = Calm(epsilon=1.0, k=2).release(data, rng=np.random.default_rng(2))
    >>> score_pairs(data, answer).attributes.tolist()
    [('sex', 'age')]
    """
    pairs = list(combinations(dataset.domain.names, 2))
    covered = [answer.covers(pair) for pair in pairs]
    return score(dataset.marginals(pairs), answer.marginals(pairs), covered)
