"""Stacked answers: CALM+, latent classes and CALM from the same reports, each with its weight.

Each fold of people is left out once, all members are inferred from the others, and the moments that the
fold reported are compared with those of each member's tables (stacked generalization, Wolpert 1992). Let
m_j be the moments of member j, the first being the one to improve on, and t the true ones. Mixing in
shares a_j of the other members changes the expected squared error of a table by a' D a - 2 g' a, with D
the inner products of m_j - m_0 and g those with t - m_0. D is known; g is observed with the noise of the
fold's reports, whose covariance is known. A priori the first member errs in no direction more than in
others, so g has mean 0 and a covariance proportional to D; the weights use its posterior mean. They are 0
if the held-out reports give no evidence.

Reports of held-out people are divided among folds given only support counts: the counts of a fold are those
of a random group of people, and the folds are disjoint.

- GRR: a report supports one cell, so the counts are people, drawn without replacement: exact.
- OUE, OLH: given the users' values, bits of different cells are independent. A user with a cell goes to a
  fold together with all her bits, which makes the cells of a fold dependent. Counts alone do not determine
  how: with two people, two cells and one 1 in each, the probability that one person sent both depends on
  the values, so no rule that uses counts alone is exact for all of them. The values are therefore guessed
  from the estimate. Each cell is divided exactly whatever the guess (its ones are drawn without
  replacement); covariances between cells are exact if the guess is right, and without any guess they
  would be off by (p - q)^2 f f' per person.
- Subset selection: bits of one report exclude each other, and nothing here divides them.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from calm_core.collection.aggregation import NoisyMarginals, aggregate
from calm_core.collection.simulation import Reports, ViewReports, draw_group_sizes
from calm_core.errors import InfeasibleError
from calm_core.inference.consistency import ConsistentMarginals
from calm_core.inference.latent_classes import LatentClasses, fit_latent_classes
from calm_core.inference.nonnegativity import norm_sub
from calm_core.inference.shrinkage.answers import PlusMarginals, PlusNote, infer_plus
from calm_core.inference.shrinkage.interactions import measure_interactions
from calm_core.oracles import GRR, Oracle
from calm_core.randomness import draw_without_replacement
from calm_core.runtime.cancellation import checkpoint
from calm_core.runtime.processes import limit_blas_threads
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal


def is_divisible(oracle: Oracle) -> bool:
    """Whether support counts of this oracle can be divided among people."""
    return oracle.size == 1 or oracle.independent_bits or isinstance(oracle, GRR)


def divide_reports(
    reports: Reports, folds: int, *, rng: np.random.Generator
) -> tuple[Reports, ...]:
    """Divide the reports into nearly equal random groups of people; they add up to all reports.

    Parameters
    ----------
    reports : Reports
        Of a collection, with divisible oracles (`is_divisible`).
    folds : int
        Number of groups, at least 1.
    rng : numpy Generator
        Draws the groups.

    Raises
    ------
    InfeasibleError
        If an oracle's counts cannot be divided.

    Examples
    --------
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> view = ViewReports(("sex", "age"), GRR(1.0, 6), [40, 10, 10, 20, 10, 10], 100)
    >>> parts = divide_reports(Reports(domain, (view,)), 4, rng=np.random.default_rng(1))
    >>> [part.n for part in parts], sum(parts[1:], parts[0]).views[0].support.tolist()
    ([25, 25, 25, 25], [40, 10, 10, 20, 10, 10])
    """
    views: list[tuple[ViewReports, ...]] = []
    for view in reports.views:
        checkpoint()
        sizes = draw_group_sizes(view.n, (1 / folds,) * folds, rng=rng)
        supports = _divide_view(view, sizes, rng)
        views.append(tuple(
            ViewReports(view.attrs, view.oracle, support, int(size))
            for support, size in zip(supports, sizes)
        ))  # fmt: skip
    return tuple(Reports(reports.domain, fold) for fold in zip(*views))


def subtract_reports(reports: Reports, part: Reports) -> Reports:
    """Return the reports of all people who are not in a part of them."""
    views = (
        ViewReports(all_.attrs, all_.oracle, all_.support - one.support, all_.n - one.n)
        for all_, one in zip(reports.views, part.views)
    )
    return Reports(reports.domain, tuple(views))


def _divide_view(view: ViewReports, sizes: np.ndarray, rng) -> list[np.ndarray]:
    """Return the support counts (L,) of every fold."""
    if not is_divisible(view.oracle):
        raise InfeasibleError(
            f"reports by {view.oracle.title} cannot be divided among people from their counts alone; "
            "choose another oracle, or CALM+",
            remedies=[("oracle", "adaptive"), ("method", "calm_plus")],
        )
    if isinstance(view.oracle, GRR) or view.oracle.size == 1 or not view.n:
        return _draw_groups(view.support[np.newaxis], sizes, rng)
    values = _guess_values(view)
    own = _draw_own_ones(view, values, rng)
    owners, supports = _draw_groups(values[np.newaxis], sizes, rng), []
    # Of every cell: its holders who sent a 1, those who did not, and the same of all others.
    pool = np.stack([own, values - own, view.support - own, view.n - values - view.support + own])
    for size, held in zip(sizes, owners):
        holders = draw_without_replacement(pool[:2].T, held, rng=rng).T
        others = draw_without_replacement(pool[2:].T, size - held, rng=rng).T
        supports.append(holders[0] + others[0])
        pool = pool - np.concatenate([holders, others])
    return supports


def _draw_groups(pool: np.ndarray, sizes: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    """Draw groups of people without replacement from counts by kind (1, kinds)."""
    shares = []
    for size in sizes:
        drawn = draw_without_replacement(pool, np.array([size]), rng=rng)
        shares.append(drawn[0])
        pool = pool - drawn
    return shares


def _guess_values(view: ViewReports) -> np.ndarray:
    """Return the estimated number of people with each cell: whole numbers that sum to n."""
    exact = norm_sub(view.oracle.estimate(view.support, view.n)[np.newaxis], total=1.0)[0] * view.n
    counts = np.floor(exact).astype(np.int64)
    largest = np.argsort(counts - exact, kind="stable")
    counts[largest[: view.n - int(counts.sum())]] += 1
    return counts


def _draw_own_ones(view: ViewReports, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw how many ones of every cell came from people with that cell: as expected, rounded at random."""
    p, q, others = view.oracle.p, view.oracle.q, view.n - values
    own, stray = values * p * (1 - p), others * q * (1 - q)
    share = np.divide(own, own + stray, out=np.zeros(len(own)), where=own + stray > 0)
    expected = values * p + share * (view.support - values * p - others * q)
    least = np.maximum(view.support - others, 0)
    drawn = np.floor(expected + rng.random(len(values))).astype(np.int64)
    return np.clip(drawn, least, np.minimum(values, view.support))


FOLDS, FOLDS_SEED = 4, 2018
# Prior standard deviation of the share of a member's deviation that is right.
SHARE_SPREAD = 0.2
# The gain must be at least so many standard deviations of its estimate.
MIN_GAIN = 1.0
# At most so many views are predicted, evenly chosen, to bound the time.
MAX_VIEWS = 150

# A function from noisy views and queries to the tables of every member.
MemberTables = Callable[[NoisyMarginals, Sequence[tuple[str, ...]]], list[list[Marginal]]]


class Scores(NamedTuple):
    """What the held-out reports say about J members relative to a first one.

    Attributes
    ----------
    differences : ndarray, shape (J, J)
        D: inner products of their deviations from the first.
    improvement : ndarray, shape (J,)
        Observed g: inner products with the deviations of the reports from the first.
    noise : ndarray, shape (J, J)
        Covariance of the observed g.
    """

    differences: np.ndarray
    improvement: np.ndarray
    noise: np.ndarray


def score_members(reports: Reports, members: MemberTables, k: int) -> Scores:
    """Score how well every member predicts the folds, for tables of k attributes.

    Parameters
    ----------
    reports : Reports
        All reports.
    members : callable
        The members, the one to improve on first.
    k : int
        Attributes of the tables whose error counts.
    """
    found = []
    # A fixed seed: one state, one answer.
    rng = np.random.default_rng(FOLDS_SEED)
    for part in divide_reports(reports, FOLDS, rng=rng):
        checkpoint()
        left_out = _select_views(aggregate(part))
        tables = members(aggregate(subtract_reports(reports, part)), left_out.views)
        found.append(_score_fold(left_out, tables, k))
    return Scores(*map(sum, zip(*found)))


def _select_views(noisy: NoisyMarginals) -> NoisyMarginals:
    """Return views evenly chosen among all, at most `MAX_VIEWS`."""
    m = len(noisy.tables)
    rows = np.unique(np.linspace(0, m - 1, min(m, MAX_VIEWS)).astype(int)).tolist()
    names = ("tables", "variances", "users", "contrast_variances", "value_variances", "sets")
    return replace(noisy, **{name: tuple(getattr(noisy, name)[i] for i in rows) for name in names})


def _score_fold(left_out: NoisyMarginals, tables: list[list[Marginal]], k: int) -> Scores:
    """Score one fold: the members' moments are averaged over the views as the reported ones are."""
    seen = measure_interactions(left_out, order=k)
    moments = [
        measure_interactions(replace(left_out, tables=tuple(each)), order=k) for each in tables
    ]
    count = len(tables) - 1
    found = [Scores(np.zeros((count, count)), np.zeros(count), np.zeros((count, count)))]
    for at, family in enumerate(seen.families):
        checkpoint()
        weight = moment_importance(left_out.domain.sizes, len(family.sizes), k)
        first = moments[0].families[at].values
        deviations = np.stack([one.families[at].values - first for one in moments[1:]])
        found.append((
            weight * np.einsum("imf,jmf->ij", deviations, deviations),
            weight * np.einsum("imf,mf->i", deviations, family.values - first),
            weight**2 * np.einsum("imf,m,jmf->ij", deviations, family.variances, deviations),
        ))  # fmt: skip
    return Scores(*map(sum, zip(*found)))


def moment_importance(sizes: Sequence[int], order: int, k: int) -> float:
    """Return the weight of a squared error of the moments of one set in a random table of k attributes.

    Such a table contains the set with some probability, and spreads its error over the cells outside;
    for different sizes the mean of 1/c is used.

    Examples
    --------
    >>> moment_importance((2, 2, 2), 2, 2), moment_importance((2, 2, 2), 1, 2)
    (0.3333333333333333, 0.3333333333333333)
    """
    d, k = len(sizes), min(k, len(sizes))
    chance = math.comb(d - order, k - order) / math.comb(d, k)
    return chance * float(np.mean(1 / np.array(sizes))) ** (k - order)


def compute_weights(scores: Scores) -> np.ndarray:
    """Return the weights of all members, the first one's first: non-negative, sum 1.

    Examples
    --------
    A certain gain gets weight, a gain hidden by noise does not:

    >>> for noise in (1e-9, 1e3):
    ...     compute_weights(Scores(np.eye(1), np.array([0.5]), noise * np.eye(1))).round(2).tolist()
    [0.5, 0.5]
    [1.0, 0.0]
    """
    differences, improvement, noise = scores.differences, scores.improvement, scores.noise
    lengths = np.diag(differences)
    none = np.append(1.0, np.zeros(len(improvement)))
    if not lengths.any():
        return none
    prior = SHARE_SPREAD**2 * float(np.median(lengths[lengths > 0])) * differences
    ridge = 1e-9 * np.diag(lengths + lengths.max()) * lengths.max()
    believed = prior @ np.linalg.solve(prior + noise + ridge, improvement)
    shares = _best_shares(differences + 1e-9 * lengths.max() * np.eye(len(improvement)), believed)
    gain = 2 * improvement @ shares - shares @ differences @ shares
    if gain < MIN_GAIN * 2 * math.sqrt(shares @ noise @ shares):
        return none
    return np.append(1 - shares.sum(), shares)


def _best_shares(differences: np.ndarray, improvement: np.ndarray) -> np.ndarray:
    """Return the shares a >= 0 of sum at most 1 that minimize a' D a - 2 g' a: the best of all faces."""
    best, least = np.zeros(len(improvement)), 0.0
    for size in range(1, len(improvement) + 1):
        for face in map(list, combinations(range(len(improvement)), size)):
            inner, pull = differences[np.ix_(face, face)], improvement[face]
            shares = np.linalg.solve(inner, pull)
            if shares.sum() > 1:
                level = np.linalg.solve(inner, np.ones(size))
                shares -= level * (shares.sum() - 1) / level.sum()
            value = shares @ inner @ shares - 2 * pull @ shares
            if (shares >= 0).all() and value < least:
                best, least = np.zeros(len(improvement)), value
                best[face] = shares
    return best


CLASS_COUNTS = (2, 4, 8)


@dataclass(frozen=True, eq=False)
class Members:
    """The stacked members, all from the same noisy views.

    Attributes
    ----------
    plus : PlusMarginals
        CALM+, which includes CALM.
    mixtures : tuple of Classes
        Latent class models, as many as fit in memory.
    """

    plus: PlusMarginals
    mixtures: tuple[LatentClasses, ...]

    @classmethod
    def from_views(cls, noisy: NoisyMarginals, k: int) -> "Members":
        """Infer all members from noisy views."""
        plus = infer_plus(noisy, order=k)
        fitted = (fit_latent_classes(plus.known, count) for count in CLASS_COUNTS)
        return cls(plus, tuple(classes for classes in fitted if classes is not None))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the members in the order of their tables."""
        classes = (f"{len(classes.shares)} classes" for classes in self.mixtures)
        return "CALM+", *classes, "CALM"

    def tables(self, queries: Sequence[Iterable[str]]) -> list[list[Marginal]]:
        """Return the answers of every member to all queries."""
        domain = self.plus.domain
        named = [domain.canonical(attrs) for attrs in queries]
        found = [self.plus.marginals(named)]
        for classes in self.mixtures:
            found.append([
                Marginal(domain.project(attrs), classes.table(domain.positions(attrs)))
                for attrs in named
            ])  # fmt: skip
        return [*found, self.plus.views.marginals(named)]


@dataclass(frozen=True, eq=False)
class StackedMarginals:
    """Weighted answers of several members; every answer is a distribution.

    Attributes
    ----------
    reports : Reports
        The support counts of all views.
    k : int
        Number of attributes of the marginals whose error the weights minimize.
    members : Members
        The members, inferred from all reports.
    """

    reports: Reports
    k: int
    members: Members

    @property
    def domain(self) -> Domain:
        """All attributes of the collection."""
        return self.reports.domain

    @property
    def views(self) -> ConsistentMarginals:
        """CALM's own inference from the same reports, for paired comparison."""
        return self.members.plus.views

    @cached_property
    @limit_blas_threads()
    def weights(self) -> np.ndarray:
        """Weight of every member, in the order of `Members.names`."""
        if not any(view.n for view in self.reports.views):
            return np.append(1.0, np.zeros(len(self.members.mixtures) + 1))
        return compute_weights(score_members(self.reports, self._infer_tables, self.k))

    def _infer_tables(self, noisy: NoisyMarginals, queries) -> list[list[Marginal]]:
        return Members.from_views(noisy, self.k).tables(queries)

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether a view contains all given attributes."""
        return self.members.plus.covers(attrs)

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the marginal over `attrs`: non-negative, sum 1."""
        return self.marginals([attrs])[0]

    def marginals(self, queries: Iterable[Iterable[str]]) -> list[Marginal]:
        """Return many marginals in the given order."""
        queries = list(queries)
        if self.weights[0] == 1:
            return self.members.plus.marginals(queries)
        shares = self.weights
        return [
            Marginal(same[0].domain, np.tensordot(shares, [one.values for one in same], axes=1))
            for same in zip(*self.members.tables(queries))
        ]

    def interval(self, attrs: Iterable[str], level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Return an interval for every cell: around the stacked answer, longer where CALM+ differs.

        Parameters
        ----------
        attrs : iterable of str
            The marginal.
        level : float
            Nominal probability, above 0 and below 1, that a cell lies in its interval.

        Returns
        -------
        low, high : ndarray, shape of the marginal
            Fractions in [0, 1]; for attributes without reports those of CALM+.
        """
        return self.members.plus.interval(attrs, level, center=self.marginal(attrs))

    def interval_of_sum(
        self, attrs: Iterable[str], inside: np.ndarray, level: float = 0.95
    ) -> tuple[float, float]:
        """Return an interval for the sum of the cells that are True in `inside`."""
        return self.members.plus.interval_of_sum(attrs, inside, level, center=self.marginal(attrs))

    def explain(self, attrs: Iterable[str]) -> PlusNote:
        """Return CALM+'s note on the marginal, with the weights added."""
        note = self.members.plus.explain(attrs)
        shares = [
            f"{name} {share:.0%}"
            for name, share in zip(self.members.names, self.weights)
            if share >= 0.005
        ]
        return replace(note, text=f"{note.text} Weights: {', '.join(shares)}.")


@limit_blas_threads()
def infer_stacked(reports: Reports, k: int) -> StackedMarginals:
    """Infer CALM+, mixtures of 2, 4 and 8 latent classes and CALM, weighted by held-out reports.

    Parameters
    ----------
    reports : Reports
        Support counts of all views, by divisible oracles (`is_divisible`).
    k : int
        Number of attributes of the tables whose error the weights minimize.

    Examples
    --------
    >>> from calm_core.collection.simulation import ViewReports
    >>> from calm_core.oracles import GRR
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> view = ViewReports(("sex", "age"), GRR(1.0, 6), [40, 10, 10, 20, 10, 10], 100)
    >>> stacked = infer_stacked(Reports(domain, (view,)), k=2)
    >>> stacked.members.names
    ('CALM+', '2 classes', '4 classes', '8 classes', 'CALM')
    >>> round(float(stacked.marginal(("age",)).values.sum()), 6)
    1.0
    """
    return StackedMarginals(reports, k, Members.from_views(aggregate(reports), k))
