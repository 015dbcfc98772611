"""Runs: one of the app or the command line (choose rows and queries, release, score), and repeated ones.

Repeated runs are generators, so that callers can show each result as it comes and stop at any time.

A run can be watched during its course: the shares that could be reconstructed at each moment come from its reports. The
truth is used only for the expected error and for other simulated collections of the same view.

What trusting nobody costs in people is found by repeats of a table by a trusted curator and by local privacy.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd

from calm_core._checks import MAX_PEOPLE, check_count, check_rng
from calm_core.collection.aggregation import draw_arrivals, draw_first_reports
from calm_core.evaluation.metrics import Verdict, judge_error, score, wrong_share
from calm_core.methods import Calm
from calm_core.methods.base import Answer, CollectedAnswer, Method, ViewsAnswer
from calm_core.methods.calm_binary import CalmBinaryAnswer
from calm_core.methods.central import PriView
from calm_core.oracles import Oracle
from calm_core.randomness import stream
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.dataset import People, Population
from calm_core.tables.domain import TABLES_SCORED, Domain, choose_queries
from calm_core.tables.marginal import Marginal, uniform

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
        tables: list[Marginal] = []
        for start in range(0, len(self.queries), AT_ONCE):
            tables += self.dataset.marginals(self.queries[start : start + AT_ONCE])
            yield len(tables)
        # Fill the cached property.
        self.__dict__["truths"] = tuple(tables)

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
    queries: int = TABLES_SCORED,
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
    sample = tuple(choose_queries(dataset.domain, method.k, queries, rng=rng))
    answer = method.release(dataset, rng=stream(seed, repetition, method.name), notify=notify)
    return Run(dataset, answer, sample, tuple(answer.marginals(sample)))


def repeat_answers(dataset: People, method: Method, *, seed: int, times: int) -> Iterator[Answer]:
    """Yield the answers of `times` independent collections from these people; the first is that of `run`.

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
    >>> len(list(repeat_answers(data, Calm(epsilon=1.0, k=2), seed=1, times=3)))
    3
    """
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


FIRST, STEPS = 60, 36
OTHERS = 20
HALTS = (600, 6000)


@dataclass(frozen=True, eq=False)
class ViewProgress:
    """One view at each moment of a collection; shares are unprocessed estimates and may be negative.

    Attributes
    ----------
    reports : ndarray of int64, shape (moments,)
        Number of reports of the view so far.
    truth : Marginal
        The true table.
    cells : ndarray of int
        The cells below, as flat indices.
    reconstructed : ndarray of float, shape (moments, cells)
        Unbiased shares from the reports so far; NaN without reports.
    repeats : ndarray of float, shape (collections, moments, cells)
        The shares of other collections with as many reports of this view.
    errors : ndarray of float, shape (moments,)
        Expected share of people in the wrong cell; infinite without reports, and above 1 while noise is so
        strong that shares are far below 0.
    guess : float
        Share in the wrong cell with equal shares.
    """

    reports: np.ndarray
    truth: Marginal
    cells: np.ndarray
    reconstructed: np.ndarray
    repeats: np.ndarray
    errors: np.ndarray
    guess: float


def choose_stops(n: int) -> tuple[int, ...]:
    """Numbers of reports at which to stop in a collection of n: 600, 6,000 and n.

    Examples
    --------
    >>> choose_stops(60_000), choose_stops(700)
    ((600, 6000, 60000), (600, 700))
    """
    return (*(halt for halt in HALTS if halt < n), n)


def choose_moments(n: int, stops: Sequence[int] = ()) -> tuple[int, ...]:
    """Numbers of reports at which to show a collection of n, evenly spaced on a log scale.

    They start at 60, or at n / 10 in a small collection, have two significant digits, include the
    `stops`, and end with n.

    Examples
    --------
    >>> choose_moments(60_000)[::5]
    (60, 160, 430, 1200, 3100, 8300, 22000, 60000)
    """
    grid = np.geomspace(min(FIRST, max(1, n // 10)), n, STEPS)
    rough = {int(float(f"{r:.2g}")) for r in grid} | set(stops)
    return tuple(sorted(r for r in rough if r < n)) + (n,)


def expected_raw_wrong(oracle: Oracle, truth: Marginal, reports: int, people: int) -> float:
    """Expected share of people in the wrong cell of the unbiased shares after `reports` reports.

    Half the sum of the mean absolute errors of all cells, with normal noise. The reports come from a random
    sample of the people without replacement: the variance is exactly that of the oracle at the true shares
    plus that of the sample.

    Parameters
    ----------
    oracle : Oracle
        The randomizer.
    truth : Marginal
        True shares among all people.
    reports, people : int
        Number of reports so far, and of all people.

    Examples
    --------
    >>> from calm_core.oracles import GRR
    >>> from calm_core.tables.domain import Domain
    >>> truth = Marginal(Domain(("sex", "smokes"), (2, 2)), [[0.4, 0.1], [0.3, 0.2]])
    >>> [round(expected_raw_wrong(GRR(1.0, 4), truth, r, 60_000), 3) for r in (0, 21, 2142)]
    [inf, 0.5, 0.049]
    """
    if not reports:
        return math.inf
    shares = truth.values.ravel()
    unreported = (people - reports) / max(1, people - 1)
    variance = oracle.variance(reports, shares) + shares * (1 - shares) / reports * unreported
    return float(np.sqrt(variance / (2 * math.pi)).sum())


def follow_view(
    run: Run,
    view: int,
    reports: Sequence[int],
    *,
    rng: np.random.Generator,
    cells: Sequence[int] | None = None,
    repeats: int = OTHERS,
) -> ViewProgress:
    """One view of a run after the given numbers of reports of its group.

    Parameters
    ----------
    run : Run
        A run of a method whose answer has reports.
    view : int
        Index among the views of the plan.
    reports : sequence of int
        Reports of the view at each moment, as from `draw_arrivals`.
    rng : numpy Generator
        Draws the order of the reports and the other collections.
    cells : sequence of int, optional
        Flat indices of the cells; all by default.
    repeats : int
        Number of other collections.

    Examples
    --------
    >>> from calm_core.methods import Calm
    >>> from calm_core.evaluation.run import run as run_once
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> codes = np.random.default_rng(1).integers(0, 2, size=(5000, 2))
    >>> data = Dataset.from_codes(codes, Domain(("sex", "age"), (2, 3)))
    >>> outcome = run_once(data, Calm(epsilon=2.0, k=2), seed=1)
    >>> seen = follow_view(outcome, 0, [50, 500, 5000], rng=np.random.default_rng(2))
    >>> bool(np.allclose(seen.reconstructed[-1], outcome.answer.noisy.tables[0].values.ravel()))
    True
    """
    assert isinstance(run.answer, CollectedAnswer)  # the answer that offers reports
    rng, group = check_rng(rng), run.answer.reports.views[view]
    truth, so_far = run.dataset.marginal(group.attrs), np.asarray(reports, dtype=np.int64)
    columns = np.arange(truth.values.size) if cells is None else np.asarray(cells)
    came = np.stack([part.support for part in draw_first_reports(group, so_far.tolist(), rng=rng)])
    people = np.rint(truth.values.ravel() * run.n).astype(np.int64)
    # Rounded cells may hold fewer people than there are.
    people[people.argmax()] += max(0, run.n - people.sum())
    draws = [_another(group.oracle, people, so_far, rng)[:, columns] for _ in range(repeats)]
    return ViewProgress(
        so_far, truth, columns, _shares(group.oracle, came, so_far)[:, columns],
        np.array(draws).reshape(repeats, len(so_far), len(columns)),
        np.array([expected_raw_wrong(group.oracle, truth, int(r), run.n) for r in so_far]),
        wrong_share(truth, uniform(truth.domain, truth.attrs)),
    )  # fmt: skip


def _another(oracle: Oracle, people: np.ndarray, reports: np.ndarray, rng) -> np.ndarray:
    """Shares at each moment of another collection, simulated from moment to moment."""
    who = draw_arrivals(people.tolist(), reports.tolist(), rng=rng)
    support = oracle.simulate(np.diff(who, axis=0, prepend=0), rng=rng).cumsum(axis=0)
    return _shares(oracle, support, reports)


def _shares(oracle: Oracle, support: np.ndarray, reports: np.ndarray) -> np.ndarray:
    """Unbiased shares from support counts (moments, cells); NaN without reports."""
    shares = oracle.estimate(support, np.maximum(reports, 1))
    return np.where(reports[:, np.newaxis] > 0, shares, np.nan)


CURATOR, LOCAL = PriView.name, Calm.name
# Repeats until the standard error of a mean is at most this part of it.
PRECISION = 0.03
MIN_REPEATS, MAX_REPEATS = 20, 1000
# The people needed are tried; they are corrected until the errors are as alike as this.
ALIKE, CORRECTIONS = 0.1, 4


@dataclass(frozen=True)
class MeanWrong:
    """Share of people in the wrong cell of a table, mean of some repeats, with its standard error."""

    mean: float
    error: float
    repeats: int


@dataclass(frozen=True)
class Price:
    """Both worlds for one table.

    Attributes
    ----------
    curator, local : MeanWrong
        With as many people as there are.
    people : int or None
        People by which local privacy is as close as the curator; None beyond 10^12.
    reached : MeanWrong or None
        Local privacy tried with so many people.
    """

    curator: MeanWrong
    local: MeanWrong
    people: int | None
    reached: MeanWrong | None


def curator_epsilon(epsilon: float) -> float:
    """The budget of a curator who promises epsilon for replacing one person's answers, as local privacy does.

    PriView is calibrated to adding or removing a person; replacing one is both.
    """
    return epsilon / 2


def iter_wrong(
    dataset: People, method: Method, attrs: tuple[str, ...], *, seed: int
) -> Iterator[MeanWrong]:
    """Yield the mean share of people in the wrong cell after each of 20 repeats or more.

    It ends once the standard error is 3% of the mean, or after 1000 repeats.

    Examples
    --------
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> codes = np.random.default_rng(1).integers(0, 2, size=(5000, 2))
    >>> people = Dataset.from_codes(codes, Domain(("sex", "voted"), (2, 2)))
    >>> *_, found = iter_wrong(people, Calm(epsilon=1.0, k=2), ("sex", "voted"), seed=1)
    >>> found.repeats >= 20, found.error <= 0.03 * found.mean
    (True, True)
    """
    truth, shares = dataset.marginal(attrs), []
    for answer in repeat_answers(dataset, method, seed=seed, times=MAX_REPEATS):
        shares.append(wrong_share(truth, answer.marginal(attrs)))
        error = float(np.std(shares, ddof=1)) / len(shares) ** 0.5 if len(shares) > 1 else 0.0
        now = MeanWrong(float(np.mean(shares)), error, len(shares))
        yield now
        if now.repeats >= MIN_REPEATS and now.error <= PRECISION * now.mean:
            return


def iter_price(
    dataset: People,
    attrs: tuple[str, ...],
    *,
    epsilon: float,
    k: int,
    theta: float = 1e-3,
    seed: int,
) -> Iterator[MeanWrong | Price]:
    """Yield every repeat of both worlds, and at last the people by which local privacy is as close as the curator.

    The number of people is scaled by the squared ratio of the errors, and tried. Where more people change CALM's
    plan, or rebuilding remains, it is scaled again.

    Examples
    --------
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> codes = np.random.default_rng(1).integers(0, 2, size=(5000, 2))
    >>> people = Dataset.from_codes(codes, Domain(("sex", "voted"), (2, 2)))
    >>> *_, found = iter_price(people, ("sex", "voted"), epsilon=1.0, k=2, seed=1)
    >>> found.people > 100_000, abs(found.reached.mean / found.curator.mean - 1) < 0.1
    (True, True)
    """
    check_count("seed", seed, low=0)
    trusted = PriView(epsilon=curator_epsilon(epsilon), k=k)
    local = Calm(epsilon=epsilon, k=k, theta=theta)
    curator = ours = MeanWrong(0.0, 0.0, 0)
    for curator in iter_wrong(dataset, trusted, attrs, seed=seed):
        yield curator
    for ours in iter_wrong(dataset, local, attrs, seed=seed):
        yield ours
    rows = dataset.rows if isinstance(dataset, Population) else dataset
    needed, reached = dataset.n, ours
    for _ in range(1 + CORRECTIONS):
        needed = round(needed * (reached.mean / max(curator.mean, 1e-300)) ** 2)
        if needed > MAX_PEOPLE:
            yield Price(curator, ours, None, None)
            return
        for reached in iter_wrong(Population(rows, needed), local, attrs, seed=seed):
            yield reached
        if abs(reached.mean / curator.mean - 1) <= ALIKE:
            break
    yield Price(curator, ours, needed, reached)
