"""Asked again: the same people are asked every day, and the attacker keeps all of their reports.

Fresh reports cost their budget every day. A memoized report is drawn once per value and sent again. With two rounds, a
memoized report is randomized once more every day, so that it looks different from day to day: RAPPOR for bits,
LOLOHA for a hash of the value.
"""

import math
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar

import numpy as np
import pandas as pd

from calm_core._checks import check_fraction, count_checker
from calm_core.attacks.base import Attack, AttackResult, Defense, Population, ViewShares, list_views
from calm_core.attacks.guessing import (
    blocks,
    guess_cells,
    hit_rate,
    independent_hit_rate,
    log_prior,
    sort_cells,
    support_size,
)
from calm_core.methods.base import option
from calm_core.oracles import GRR, Oracle
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.runtime.cancellation import checkpoint

# Beyond this many steps of counting, or where reports are sets, the chance is a mean over draws.
COUNTING = 2 * 10**8
# Relative standard error of such a mean, and the most draws for it.
PRECISION, MAX_DRAWS = 0.001, 400_000
# Buckets of LOLOHA that are tried.
MAX_BUCKETS = 64


@dataclass(frozen=True)
class DailyReports(ABC):
    """A way to send a report every day for `size` cells.

    Attributes
    ----------
    name : str
        Shown in tables.
    """

    name: ClassVar[str]

    @abstractmethod
    def hit_rate(self, prior: np.ndarray, days: int) -> float:
        """Return how often the best guess from the reports of so many days is right, for people who do not change."""

    @abstractmethod
    def log_odds(
        self, cells: np.ndarray, days: int, *, rng: np.random.Generator
    ) -> Iterator[np.ndarray]:
        """Simulate reports of people (n,) day by day, and yield the log-likelihood of every cell (n, L) so far."""

    @abstractmethod
    def budget(self, days: int, *, changing: bool) -> float:
        """Return the total budget of somebody whose cell never changes, or may change every day."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """Variance of a mean cell of one day's table, times the number of people."""


@dataclass(frozen=True)
class Fresh(DailyReports):
    """A new report by the oracle every day."""

    oracle: Oracle
    name: ClassVar[str] = "fresh"

    def hit_rate(self, prior: np.ndarray, days: int) -> float:
        """Return the exact chance where counts can be enumerated, else the mean over draws."""
        return repeated_hit_rate(self.oracle, prior, days)

    def log_odds(self, cells, days, *, rng):
        """Yield epsilon times the number of reports that support each cell."""
        total = np.zeros((len(cells), self.oracle.size))
        for _ in range(days):
            total += self.oracle.supports(self.oracle.perturb(cells, rng=rng))
            yield self.oracle.epsilon * total

    def budget(self, days, *, changing):
        """Return epsilon a day."""
        return days * self.oracle.epsilon

    @property
    def variance(self) -> float:
        """That of the oracle."""
        return float(self.oracle.variance(1, 1 / self.oracle.size))


@dataclass(frozen=True)
class Memoized(Fresh):
    """One report by the oracle for every value, sent again whenever the value is the same."""

    name: ClassVar[str] = "memoized"

    def hit_rate(self, prior, days):
        """Return that of one report."""
        return hit_rate(self.oracle, prior)

    def log_odds(self, cells, days, *, rng):
        """Yield the same every day."""
        [first] = super().log_odds(cells, 1, rng=rng)
        yield from (first for _ in range(days))

    def budget(self, days, *, changing):
        """Return epsilon for every value."""
        return self.oracle.epsilon * (min(days, self.oracle.size) if changing else 1)

    def measure_seen(
        self, cells: np.ndarray, change: float, days: int, *, rng: np.random.Generator
    ) -> np.ndarray:
        """Return how many of some people (n,) are seen to have moved by each day, int64 (days,).

        Parameters
        ----------
        cells : ndarray (n,)
            Where they are on the first day.
        change : float
            Chance of a person to move to another cell, any of them, from one day to the next.
        days : int
            Number of days with a report.
        """
        size, counts = self.oracle.size, []
        now, first = cells.copy(), self.oracle.perturb(cells, rng=rng)
        memory = [{int(cell): report} for cell, report in zip(cells, first)]
        seen = np.zeros(len(cells), dtype=bool)
        for day in range(days):
            moving = np.flatnonzero(rng.random(len(cells)) < change) if day and size > 1 else []
            for person in moving:
                now[person] = (now[person] + rng.integers(1, size)) % size
                cell = int(now[person])
                if cell not in memory[person]:
                    memory[person][cell] = self.oracle.perturb(np.array([cell]), rng=rng)[0]
                seen[person] |= bool(np.any(memory[person][cell] != first[person]))
            counts.append(seen.sum())
        return np.array(counts)


class MemoizedGRR(Memoized):
    """Randomized response, memoized."""

    name: ClassVar[str] = "memoized GRR"


@dataclass(frozen=True)
class Rappor(DailyReports):
    """Two rounds on bits: a permanent report of one bit per cell, whose bits are randomized again every day.

    Parameters
    ----------
    epsilon : float
        Budget of the permanent report, which all days together never exceed while the value is the same.
    size : int
        Number of cells.
    first : float
        Budget of a single day's report, as a share of `epsilon`.

    References
    ----------
    Erlingsson, Pihur and Korolova, CCS 2014, with symmetric bits in both rounds.

    Examples
    --------
    >>> way = Rappor(epsilon=2.0, size=4, first=0.5)
    >>> [round(way.hit_rate(np.full(4, 1 / 4), days), 3) for days in (1, 10, 100)]
    [0.373, 0.508, 0.512]
    """

    epsilon: float
    size: int
    first: float
    name: ClassVar[str] = "two rounds (RAPPOR)"

    @property
    def permanent(self) -> float:
        """Chance that the permanent report has the true bit."""
        return _logistic(self.epsilon / 2)

    @property
    def daily(self) -> float:
        """Chance that a bit of the permanent report is sent as it is."""
        once = _logistic(self.first * self.epsilon / 2)
        return (once + self.permanent - 1) / (2 * self.permanent - 1)

    def _chances(self, days: int) -> tuple[np.ndarray, np.ndarray]:
        """Chances of the number of days on which the bit of the own cell, or another one, is 1."""
        ones, zeros = _binomial(days, self.daily), _binomial(days, 1 - self.daily)
        keep = self.permanent
        return keep * ones + (1 - keep) * zeros, (1 - keep) * ones + keep * zeros

    def hit_rate(self, prior, days):
        """Return the exact chance: bits are independent."""
        return independent_hit_rate(*self._chances(days), prior, prior)

    def log_odds(self, cells, days, *, rng):
        """Yield the log-odds of the number of ones of each cell."""
        own = cells[:, np.newaxis] == np.arange(self.size)
        bits = (rng.random(own.shape) < self.permanent) == own
        ones = np.zeros(own.shape, dtype=np.int64)
        for day in range(1, days + 1):
            ones += (rng.random(own.shape) < self.daily) == bits
            own_chances, other_chances = self._chances(day)
            yield np.log(own_chances / other_chances)[ones]

    def budget(self, days, *, changing):
        """Return that of all days, at most that of the permanent reports."""
        values = min(days, self.size) if changing else 1
        return self.epsilon * min(days * self.first, values)

    @property
    def variance(self) -> float:
        """That of symmetric bits with the budget of a day."""
        once = _logistic(self.first * self.epsilon / 2)
        return once * (1 - once) / (2 * once - 1) ** 2


@dataclass(frozen=True)
class Loloha(DailyReports):
    """Two rounds on a hash: randomized response of the hash, memoized, randomized again every day.

    The hash function is drawn once per person and public. As it has few values, the total budget stays
    small where a value changes often: cells with the same hash share a report.

    Parameters
    ----------
    epsilon, size, first
        As for `Rappor`.

    References
    ----------
    Arcolezi et al., "Frequency estimation of evolving data under local differential privacy" (EDBT 2023),
    arXiv 2210.00262. The number of hash values is the one with the least variance, found by trying.

    Examples
    --------
    >>> way = Loloha(epsilon=2.0, size=4, first=0.5)
    >>> way.buckets, [round(way.hit_rate(np.full(4, 1 / 4), days), 3) for days in (1, 10, 100)]
    (3, [0.378, 0.478, 0.489])
    """

    epsilon: float
    size: int
    first: float
    name: ClassVar[str] = "LOLOHA"

    @cached_property
    def buckets(self) -> int:
        """Number of values of the hash."""
        tried = range(2, max(2, min(MAX_BUCKETS, self.size)) + 1)
        return min(tried, key=self._variance)

    def _rounds(self, buckets: int) -> tuple[GRR, GRR]:
        """The oracle of the permanent report, and the one of every day."""
        permanent, once = math.exp(self.epsilon), math.exp(self.first * self.epsilon)
        daily = (once * (permanent + buckets - 2) - (buckets - 1)) / (permanent - once)
        return GRR(self.epsilon, buckets), GRR(math.log(daily), buckets)

    def _variance(self, buckets: int) -> float:
        permanent, daily = self._rounds(buckets)
        own = permanent.p * daily.p + (1 - permanent.p) * daily.q
        other, share = 1 / buckets, 1 / self.size
        spread = share * own * (1 - own) + (1 - share) * other * (1 - other)
        return spread / (own - other) ** 2

    @property
    def variance(self) -> float:
        """That of hashing with the budget of a day."""
        return self._variance(self.buckets)

    def hit_rate(self, prior, days):
        """Return the exact chance: a sum over how often each value of the hash may be sent."""
        permanent, daily = self._rounds(self.buckets)
        total = 0.0
        for counts in _partitions(days, self.buckets):
            ways = math.factorial(days) * math.factorial(self.buckets)
            for count, buckets in Counter(counts).items():
                ways //= math.factorial(count) ** buckets * math.factorial(buckets)
            ascending = np.array(counts[::-1], dtype=float)
            sent = np.exp(ascending * math.log(daily.p) + (days - ascending) * math.log(daily.q))
            own = permanent.q * sent.sum() + permanent.gap * sent
            even = np.full(self.buckets, 1 / self.buckets)
            total += ways * independent_hit_rate(own * even, even, prior, prior)
        return total

    def log_odds(self, cells, days, *, rng):
        """Yield the log-likelihood of the hash of each cell."""
        permanent, daily = self._rounds(self.buckets)
        hashes = rng.integers(self.buckets, size=(len(cells), self.size))
        people = np.arange(len(cells))
        memoized = permanent.perturb(hashes[people, cells], rng=rng)
        counts = np.zeros((len(cells), self.buckets))
        for _ in range(days):
            counts[people, daily.perturb(memoized, rng=rng)] += 1
            sent = np.exp(daily.epsilon * (counts - counts.max(axis=1, keepdims=True)))
            likely = permanent.q * sent.sum(axis=1, keepdims=True) + permanent.gap * sent
            yield np.take_along_axis(np.log(likely), hashes, axis=1)

    def budget(self, days, *, changing):
        """Return that of all days, at most that of the permanent reports of all values of the hash."""
        return self.epsilon * min(days * self.first, min(days, self.buckets) if changing else 1)


def repeated_hit_rate(oracle: Oracle, prior: np.ndarray, days: int) -> float:
    """Return how often the best guess from so many fresh reports of one person is right.

    Exact where bits are independent (unary encoding, hashing) and for randomized response, unless there are very many
    cells and days; else, as for subset selection, a mean with a relative standard error of about 0.1%.

    Parameters
    ----------
    oracle : Oracle
        The randomizer of every report.
    prior : array (L,)
        True shares, which the attacker knows.
    days : int
        Number of reports, T; T epsilon is their total budget.

    Examples
    --------
    >>> [round(repeated_hit_rate(GRR(epsilon=1.0, size=6), np.full(6, 1 / 6), days), 3) for days in (1, 5, 20)]
    [0.352, 0.493, 0.798]
    """
    if days == 1 or oracle.size == 1:
        return hit_rate(oracle, prior)
    if oracle.independent_bits:
        own, other = _binomial(days, oracle.p), _binomial(days, oracle.q)
        return independent_hit_rate(own, other, prior, prior)
    likely, _ = sort_cells(oracle, prior, None)
    if support_size(oracle) == 1 and len(likely) ** 2 * days**3 <= COUNTING:
        return _multinomial_hit_rate(oracle, likely, days)
    return _mean_hit_rate(oracle, prior, days)


def _multinomial_hit_rate(oracle: Oracle, prior: np.ndarray, days: int) -> float:
    """The hit rate of randomized response: a sum over how often the own cell is sent, and how often others may be.

    The number of sequences in which every cell is sent at most so often is a coefficient of a product of truncated
    exponential series.
    """
    cells, counts = len(prior), np.arange(days + 1)
    scores = log_prior(prior)[:, np.newaxis] + oracle.epsilon * counts
    rank = np.empty(scores.size, dtype=np.int64)
    rank[np.argsort(scores, axis=None, kind="stable")] = np.arange(scores.size)
    ranks = rank.reshape(scores.shape)
    factorials = np.cumprod(np.maximum(counts, 1).astype(float))
    # The product for each cell and each count of it, (cells, T + 1), as a series up to T.
    series = np.zeros((*scores.shape, days + 1))
    series[..., 0] = 1.0
    for other in range(cells):
        limits = np.searchsorted(ranks[other], rank).reshape(scores.shape) - 1
        product = np.zeros_like(series)
        for count in range(days + 1):
            allowed = (count <= limits)[..., np.newaxis] / factorials[count]
            product[..., count:] += allowed * series[..., : days + 1 - count]
        product[other] = series[other]
        series = product
    rest = series[:, counts, days - counts]
    sent = oracle.p**counts * oracle.q ** (days - counts) * factorials[days] / factorials
    return float((prior[:, np.newaxis] * sent * rest).sum())


def _mean_hit_rate(oracle: Oracle, prior: np.ndarray, days: int) -> float:
    """The mean, over people drawn, of the posterior of the best guess."""
    rng, chances = stream(0, "asked-again"), np.zeros(0)
    each = max(1, min(20_000, 2**22 // oracle.size))
    while len(chances) < MAX_DRAWS:
        cells = rng.choice(oracle.size, size=each, p=prior)
        *_, scores = Fresh(oracle).log_odds(cells, days, rng=rng)
        scores += log_prior(prior)
        best = scores.max(axis=1)
        chances = np.append(chances, 1 / np.exp(scores - best[:, np.newaxis]).sum(axis=1))
        if chances.std() < PRECISION * chances.mean() * math.sqrt(len(chances)):
            break
    return float(chances.mean())


def _binomial(trials: int, chance: float) -> np.ndarray:
    """Chances of 0 to `trials` successes."""
    successes = np.arange(trials + 1)
    ways = np.array([math.comb(trials, s) for s in successes], dtype=float)
    return ways * chance**successes * (1 - chance) ** (trials - successes)


def _logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def _partitions(total: int, parts: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """Descending tuples of `parts` numbers from 0 with this sum."""
    largest = total if largest is None else largest
    if parts == 1:
        if total <= largest:
            yield (total,)
        return
    for head in range(min(total, largest), -(-total // parts) - 1, -1):
        for tail in _partitions(total - head, parts - 1, head):
            yield (head, *tail)


MAX_DAYS, MAX_SIMULATED = 30, 10**6
# Days in the table; about as many of more.
SHOWN_DAYS = 12
# What is counted: best guesses that are right, and people seen to have moved to another cell.
GUESS, MOVE = "right guess", "move seen"


@dataclass(frozen=True)
class AskedAgain(Attack):
    """Guess the cells of people who report every day, from all of their reports so far.

    The gain is the share of people whose cell the best guess hits after the last day if every report has fresh noise; the
    bound is the same by formula, see `repeated_hit_rate`. The defenses are memoized reports (by the plan's oracle, or by
    randomized response), and the two rounds of RAPPOR and LOLOHA. People whose cells never change are guessed. Of people
    who change, memoized reports show it: another report than on the first day means another cell. With two rounds
    no single report shows it.

    Attributes
    ----------
    days : int
        Number of days, T.
    first : float
        Budget of one day's report with two rounds, as a share of the plan's epsilon, which the permanent report has.
    change : float
        Chance of a person to move to another cell from one day to the next, for what memoized reports show of it.
    people : int
        Number of simulated people.

    Raises
    ------
    InputError
        If a setting is out of its range.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> from calm_core.tables.domain import Domain
    >>> rng = np.random.default_rng(1)
    >>> plan = make_plan(Domain(("sex", "age"), (2, 3)), 1000, epsilon=1.0, k=2, rng=rng)
    >>> found = AskedAgain(days=20, people=2000).run(plan, rng=rng)
    >>> round(found.gain, 2), round(found.bound, 3), round(found.defense.gain, 2)
    (0.79, 0.798, 0.26)
    """

    days: int = option(count_checker(1, MAX_DAYS), 10)
    first: float = option(partial(check_fraction, remedy="0.5 is usual", one=False), 0.5)
    change: float = option(partial(check_fraction, remedy="0.05 is one day in 20"), 0.05)
    people: int = option(count_checker(1, MAX_SIMULATED), 5000)
    name: ClassVar[str] = "asked-again"
    title: ClassVar[str] = "Asked again"
    summary: ClassVar[str] = "Asks the same people every day and keeps all of their reports."

    def run(
        self, plan: Plan, population: Population | None = None, *, rng: np.random.Generator
    ) -> AttackResult:
        """As `Attack.run`; the table has a row per way to report, day and measure.

        Its columns are `way`; `day`, the number of days so far; `measure`, "right guess" or "move seen"; `gain`, the measured
        share of people, and `expected`, by formula, for right guesses; `budget` and `budget_changing`, the total budget of
        somebody whose cell never changes, or changes often; and `variance`, that of one day's table over that of fresh
        reports.
        """
        rows = defaultdict(lambda: np.zeros(5))
        for view in list_views(plan, population, self.people, rng=rng):
            plain = Fresh(view.oracle).variance
            for way in self._ways(view.oracle):
                checkpoint()
                results = self._measure(way, view, rng)
                for (measure, day), (hits, expected) in results.items():
                    budgets = (way.budget(day, changing=changing) for changing in (False, True))
                    variance_ratio = way.variance / plain if plain else 1.0
                    weighted = view.weight * np.array([expected, *budgets, variance_ratio])
                    rows[way.name, day, measure] += [hits / self.people, *weighted]
        columns = ["gain", "expected", "budget", "budget_changing", "variance"]
        table = pd.DataFrame(rows, index=columns).T.rename_axis(["way", "day", "measure"])
        return self._describe(table.reset_index())

    def _describe(self, table: pd.DataFrame) -> AttackResult:
        """The result from the table."""
        guessed = table[table["measure"] == GUESS].set_index(["way", "day"])
        last = guessed.xs(self.days, level="day")
        fresh, once = last.loc[Fresh.name], guessed.loc[(Fresh.name, 1)]
        # Of equally good defenses the one with the least errors.
        defenses = last.drop(Fresh.name).assign(left=last["expected"].round(3))
        best = defenses.sort_values(["left", "variance"]).iloc[0]
        gain = float(fresh["gain"])
        return AttackResult(
            attack=self.name, gain=gain, standard_error=float(np.sqrt(gain * (1 - gain) / self.people)),
            bound=float(fresh["expected"]),
            defense=Defense(
                str(best.name), float(best["gain"]),
                f"With {best.name} the guess is right for {100 * best['gain']:.3g} of 100 people after {self.days} days, at a "
                f"total budget of {best['budget']:.3g}; the variance of a day's table is {best['variance']:.2g} times as large.",
            ),
            sentence=f"After {self.days} days of fresh reports the best guess is right for {100 * gain:.3g} of 100 people, after "
            f"the first for {100 * once['gain']:.3g}; the total budget is {fresh['budget']:.3g}.",
            table=table,
        )  # fmt: skip

    def _ways(self, oracle: Oracle) -> list[DailyReports]:
        """Every way to report on a view."""
        ways: list[DailyReports] = [Fresh(oracle)]
        if oracle.size > 1:
            epsilon, cells = oracle.epsilon, oracle.size
            ways += [
                Memoized(oracle), MemoizedGRR(GRR(epsilon, cells)), Rappor(epsilon, cells, self.first),
                Loloha(epsilon, cells, self.first),
            ]  # fmt: skip
        return ways

    def _measure(
        self, way: DailyReports, view: ViewShares, rng: np.random.Generator
    ) -> dict[tuple[str, int], tuple[int, float]]:
        """Right guesses and moves seen by each day in the table: measured numbers and expected shares."""
        table_days = show_days(self.days)
        right, moves = np.zeros((2, self.days), dtype=np.int64)
        for part in blocks(view.people, view.oracle.size):
            cells = rng.choice(view.oracle.size, size=part, p=view.shares)
            days = way.log_odds(cells, self.days, rng=rng)
            for day, scores in enumerate(days, start=1):
                if day in table_days:
                    guess = guess_cells(scores + log_prior(view.shares), rng=rng)
                    right[day - 1] += (guess == cells).sum()
            if isinstance(way, Memoized):
                moves += way.measure_seen(cells, self.change, self.days, rng=rng)
        results = {
            (GUESS, day): (int(right[day - 1]), way.hit_rate(view.shares, day))
            for day in table_days
        }
        if isinstance(way, Memoized):
            for day in table_days:
                results[MOVE, day] = int(moves[day - 1]), math.nan
        return results


def show_days(days: int) -> list[int]:
    """Days in a table: all, or about 12 of many, the first and the last among them.

    Examples
    --------
    >>> show_days(3), show_days(30)
    ([1, 2, 3], [1, 2, 3, 5, 6, 9, 12, 16, 22, 30])
    """
    if days <= SHOWN_DAYS:
        return list(range(1, days + 1))
    return np.unique(np.geomspace(1, days, SHOWN_DAYS).round().astype(int)).tolist()
