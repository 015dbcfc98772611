"""Runs: one of the app or the command line (choose rows and queries, release, score), and repeated ones.

Repeated runs (many collections, all pairs, a grid of (l, m), a sweep over n or epsilon) are generators, so that callers
can show each result as it comes and stop at any time.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd

from calm_core._checks import check_choice, check_count
from calm_core.errors import UserError
from calm_core.evaluation.metrics import Verdict, judge_error, score
from calm_core.evaluation.prediction import predict_plan_wrong
from calm_core.methods.base import Answer, Method
from calm_core.methods.calm import Calm
from calm_core.planning.plan import predicted_sse
from calm_core.randomness import stream
from calm_core.runtime.cancellation import checkpoint
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

    >>> from calm_core.tables.population import Population
    >>> many = Population(Dataset.from_codes(codes, domain), 10**9)
    >>> bool(run(many, Calm(epsilon=2.0, k=2), seed=1).wrong < 0.001)
    True
    """
    dataset = use_rows(dataset, n, seed, repetition)
    rng = stream(seed, repetition, "queries")
    chosen = tuple(choose_queries(dataset.domain, method.k, queries, rng=rng))
    answer = method.release(dataset, rng=stream(seed, repetition, method.name), notify=notify)
    return Run(dataset, answer, chosen, tuple(answer.marginals(chosen)))


SWEPT = ("epsilon", "n")


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


def choose_view_grid(d: int, choice: tuple[int, int], *, sizes: int = 5, counts: int = 6):
    """Pairs (l, m) around the choice of Algorithm 1, including it: ascending l, then m.

    Every pair has enough views to cover each attribute, and at most C(d, l).

    Examples
    --------
    >>> choose_view_grid(4, (2, 6), sizes=2, counts=3)
    ((2, 2), (2, 3), (2, 6), (3, 2), (3, 3), (3, 4))
    """
    chosen_l, chosen_m = choice
    low = max(1, min(chosen_l - sizes // 2, d - sizes + 1))
    low = max(low, min(2, d))
    pairs = set()
    for l in range(low, min(low + sizes, d + 1)):  # noqa: E741 - the paper's name
        checkpoint()
        least, most = math.ceil(d / l), math.comb(d, l)
        top = min(most, max(4 * chosen_m, least))
        pairs |= {(l, int(round(m))) for m in np.geomspace(least, top, counts)}
    pairs.add((chosen_l, chosen_m))
    return tuple(sorted(pairs))


def measure_view_grid(
    dataset: People,
    method: Calm,
    pairs: Sequence[tuple[int, int]],
    *,
    seed: int,
    queries: int = 30,
    repetitions: int = 1,
) -> Iterator[dict]:
    """Measured error for each (l, m).

    Yields one dict per pair: `l`, `m`, the mean `sse`, the share of people in the `wrong` cell, and `reason`
    where it cannot run.
    """
    for l, m in pairs:  # noqa: E741
        found = {"l": l, "m": m, "sse": math.nan, "wrong": math.nan, "reason": ""}
        try:
            runs = _runs(dataset, replace(method, l=l, m=m), seed, None, queries, repetitions)
            found |= {"sse": _mean_sse(runs), "wrong": _mean(one.wrong for one in runs)}
        except UserError as error:
            found["reason"] = str(error)
        yield found


def _runs(dataset, method, seed, n, queries, repetitions) -> list[Run]:
    return [
        run(dataset, method, seed=seed, n=n, queries=queries, repetition=repetition)
        for repetition in range(repetitions)
    ]


def _mean_sse(runs: list[Run]) -> float:
    return float(np.mean([one.scores.sse.mean() for one in runs]))


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def measure_sweep(
    dataset: People,
    method: Calm,
    name: str,
    values: Sequence[float],
    *,
    seed: int,
    n: int | None = None,
    queries: int = 30,
    repetitions: int = 3,
) -> Iterator[dict]:
    """Measured and predicted SSE while `name` ("epsilon" or "n") takes each of `values`.

    Yields one dict per value: the value under its `name`, `sse`, `low` and `high` (least and
    largest mean over the repetitions), `predicted` (noise and sampling, see `predicted_sse`),
    `uniform_sse`; `wrong`, `wrong_low`, `wrong_high`, `wrong_expected` (see `predict_plan_wrong`) and
    `wrong_guess` (equal shares), shares of people in the wrong cell; `l`, `m`, and `reason` where it cannot run.
    """
    check_choice("name", name, SWEPT)
    for value in values:
        checkpoint()
        found = {name: value, "reason": ""}
        try:
            found |= _measure_at(dataset, method, name, value, seed, n, queries, repetitions)
        except UserError as error:
            found["reason"] = str(error)
        yield found


def _measure_at(dataset, method, name, value, seed, n, queries, repetitions) -> dict:
    if name == "epsilon":
        method = replace(method, epsilon=value)
    else:
        n = int(value)
    runs = _runs(dataset, method, seed, n, queries, repetitions)
    means, wrong = ([one.scores.sse.mean() for one in runs], [one.wrong for one in runs])
    plan = runs[0].plan
    assert plan is not None  # what is swept are methods that plan
    return {
        "sse": _mean_sse(runs),
        "low": float(min(means)),
        "high": float(max(means)),
        "predicted": predicted_sse(plan),
        "uniform_sse": float(np.mean([one.scores.uniform_sse.mean() for one in runs])),
        "wrong": _mean(wrong),
        "wrong_low": min(wrong),
        "wrong_high": max(wrong),
        "wrong_expected": predict_plan_wrong(plan),
        "wrong_guess": _mean(one.guess_wrong for one in runs),
        "l": plan.l,
        "m": plan.m,
    }
