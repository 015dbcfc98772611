"""CALM+: CALM's collection with shrunken interactions instead of consistency and ripple, and its designs by predicted risk.

Shrinkage turns the noise of an interaction into risk: the posterior variance 1 / (1/prior + precision). A
design divides the users to minimize the risk of the k-way marginals, summed over all their interactions.
The problem is convex in the shares.

With two phases the first half of the users report by the optimal design, and the second half where the
first half's reports leave most risk. Every user still reports once, with the full budget; the second
plan depends on released reports only.
"""

import copy
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from operator import add
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from calm_core._checks import check_k, choice_checker
from calm_core.collection.aggregation import NoisyMarginals, aggregate
from calm_core.collection.simulation import Reports
from calm_core.errors import InfeasibleError, InputError, Toward
from calm_core.inference.consistency import ConsistentMarginals
from calm_core.inference.shrinkage.answers import PlusMarginals, infer_plus
from calm_core.inference.shrinkage.interactions import Subset, subsets_within
from calm_core.inference.shrinkage.priors import TYPICAL_VARIANCE, Knowledge
from calm_core.inference.stacking import StackedMarginals
from calm_core.methods.base import (
    CollectedAnswer,
    CollectingMethod,
    Parts,
    merge_small_parts,
    option,
)
from calm_core.oracles import choose_oracle
from calm_core.planning.algorithm1 import check_users, choose_views
from calm_core.planning.optimal_design import (
    Place,
    informative_attributes,
    optimal_plan,
    second_phase_candidates,
)
from calm_core.planning.plan import Plan, shrunken_errors
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain
from calm_core.tables.population import People

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

ALGORITHM1 = "algorithm1"
# Designs that use theta only for the comparison with Algorithm 1.
RISK_DESIGNS = ("pairs", "triples", "risk")
DESIGNS_WITH_OWN_VIEWS = (*RISK_DESIGNS, "optimal", "two_phase")
DESIGNS = (ALGORITHM1, *DESIGNS_WITH_OWN_VIEWS)
MAX_VIEWS = 20_000
MAX_VIEW_CELLS = 20_000
# Views with fewer users are dropped.
MIN_USERS = 8
# Smallest posterior variance of an interaction, as a share of the mean of its order.
DOUBT = 0.3
_STEPS = 300


@dataclass(frozen=True, eq=False)
class Candidates:
    """Views that a plan may collect.

    Attributes
    ----------
    views : tuple of tuple of int
        Positions of the attributes.
    oracles : tuple of Oracle
        The frequency oracle of every view.
    subsets : tuple of tuple of int
        All interactions that some view measures.
    precision : csr_matrix, shape (views, subsets)
        Precision 1/V_S that one user of a view adds to an interaction.
    """

    views: tuple[Subset, ...]
    oracles: tuple
    subsets: tuple[Subset, ...]
    precision: "csr_matrix"


def typical_variance(order: int) -> float:
    """Return the variance of a standardized interaction of so many attributes, typical of survey data.

    Orders beyond the third decrease by the same factor.

    Examples
    --------
    >>> [round(typical_variance(order), 6) for order in (1, 2, 3, 4)]
    [0.2, 0.02, 0.003, 0.00045]
    """
    return TYPICAL_VARIANCE.get(order) or TYPICAL_VARIANCE[3] * (
        TYPICAL_VARIANCE[3] / TYPICAL_VARIANCE[2]
    ) ** (order - 3)


def candidate_views(
    domain: Domain, epsilon: float, orders: tuple[int, ...], rule: str = "adaptive"
) -> Candidates:
    """Return all views of the given numbers of attributes, except tables that are too large.

    Examples
    --------
    >>> found = candidate_views(Domain(("sex", "age"), (2, 3)), 1.0, (1, 2))
    >>> found.views, found.precision.shape
    (((0,), (1,), (0, 1)), (3, 3))
    """
    count = sum(math.comb(domain.d, r) for r in orders)
    if count > MAX_VIEWS:
        raise InfeasibleError(
            f"all views of {max(orders)} of {domain.d} attributes would be {count:,}, more than "
            f"{MAX_VIEWS:,}; use fewer attributes or design=pairs",
            remedies=[("d", Toward.LESS), ("design", "pairs")],
        )
    everything = [v for r in orders for v in combinations(range(domain.d), r)]
    cells = [math.prod(domain.sizes[i] for i in view) for view in everything]
    kept = [view for view, c in zip(everything, cells) if len(view) == 1 or c <= MAX_VIEW_CELLS]
    # An attribute too large for every pair is still measured on its own.
    alone = set(range(domain.d)) - {i for view in kept for i in view}
    kept += [(i,) for i in sorted(alone)]
    chosen = {c: choose_oracle(c, epsilon, rule) for c in set(cells) | set(domain.sizes)}
    return _candidates(
        domain, [(view, chosen[math.prod(domain.sizes[i] for i in view)]) for view in kept]
    )


def _candidates(domain: Domain, places: Sequence[Place]) -> Candidates:
    """Return the candidates for given views and oracles, which may be parities."""
    index: dict[Subset, int] = {}
    rows, columns, values = [], [], []
    for row, (view, oracle) in enumerate(places):
        checkpoint()
        spread = max(float(oracle.contrast_variance(1)), 1e-12) * oracle.size
        measured = subsets_within(view, len(view)) if oracle.sets is None else [
            tuple(view[a] for a in axes) for axes in sorted(oracle.sets)
        ]  # fmt: skip
        for subset in measured:
            inside = math.prod(domain.sizes[i] for i in subset)
            rows.append(row)
            columns.append(index.setdefault(subset, len(index)))
            # Sampling one user's value adds 1/L_S to the variance.
            values.append(inside / (spread + 1.0))
    from scipy.sparse import csr_matrix

    precision = csr_matrix((values, (rows, columns)), shape=(len(places), len(index)))
    views, oracles = zip(*places)
    return Candidates(views, oracles, tuple(index), precision)


def _importance(domain: Domain, subsets, k: int, square: np.ndarray) -> np.ndarray:
    """Return the weight of one contrast's variance in the mean SSE of all k-way marginals, per subset.

    An interaction S contributes to the table over A with the squared fractions of the other attributes;
    `square` contains sum_x p_i(x)^2 of each, and their mean is used for the attributes outside S.
    """
    weight = np.empty(len(subsets))
    for row, subset in enumerate(subsets):
        r = len(subset)
        contrasts = math.prod(domain.sizes[i] - 1 for i in subset)
        among = math.comb(domain.d - r, k - r) / math.comb(domain.d, k) if r <= k else 0.0
        weight[row] = contrasts * among * float(np.mean(square)) ** max(k - r, 0)
    return weight


def allocate(
    precision: "csr_matrix", importance: np.ndarray, known: np.ndarray, n: int
) -> np.ndarray:
    """Return the shares of n users over the views that minimize the risk, shape (views,).

    Minimizes sum_S importance_S / (known_S + n (precision^T share)_S) over the simplex by
    multiplicative updates, share <- share sqrt(-gradient), normalized; the objective decreases at
    every step and is convex.

    Parameters
    ----------
    precision : sparse matrix, shape (views, subsets)
        What one user of a view adds.
    importance : ndarray, shape (subsets,)
        Weight of every subset's variance.
    known : ndarray, shape (subsets,)
        Precision before these users: of the prior and of earlier reports.
    n : int
        Number of users.

    Examples
    --------
    Two views that measure one interaction each, one of them nine times as important:

    >>> from scipy.sparse import csr_matrix
    >>> shares = allocate(csr_matrix(np.eye(2)), np.array([9.0, 1.0]), np.full(2, 1e-9), 1000)
    >>> shares.round(3).tolist()
    [0.75, 0.25]
    """
    shares = np.full(precision.shape[0], 1 / precision.shape[0])
    transposed = precision.T.tocsr()
    for _ in range(_STEPS):
        checkpoint()
        variance = 1 / (known + n * (transposed @ shares))
        gain = precision @ (importance * variance**2)
        shares = shares * np.sqrt(gain)
        shares /= shares.sum()
    return shares


def _prune(shares: np.ndarray, n: int, views, d: int) -> np.ndarray:
    """Return indices of the views to keep, so that every attribute stays in some view."""
    keep = shares * n >= MIN_USERS
    for attribute in range(d):
        holding = [row for row, view in enumerate(views) if attribute in view]
        if not keep[holding].any():
            keep[max(holding, key=lambda row: shares[row])] = True
    return np.flatnonzero(keep)


def _make_plan(domain, n, epsilon, k, theta, found: Candidates, shares) -> Plan:
    rows = _prune(shares, n, found.views, domain.d)
    check_users(n, len(rows))
    views = tuple(tuple(domain.names[i] for i in found.views[row]) for row in rows)
    weights = tuple(float(shares[row]) for row in rows)
    return Plan(
        domain, n, float(epsilon), k, float(theta), views,
        tuple(found.oracles[row] for row in rows),
        choose_views(n, domain.sizes, epsilon, k, theta), weights,
    )  # fmt: skip


def plan_by_risk(
    domain: Domain,
    n: int,
    *,
    epsilon: float,
    k: int,
    theta: float = 1e-3,
    design: str = "risk",
    oracle: str = "adaptive",
) -> Plan:
    """Plan a collection without Algorithm 1.

    Parameters
    ----------
    domain, n, epsilon, k, theta
        As in `make_plan`; theta is used only for the comparison with Algorithm 1.
    design : str
        "pairs" or "triples": all of them, with equally many users each. "risk": half of the users
        on all pairs, from which the priors are learned, and the others on single attributes, pairs
        and triples where the typical prior predicts most risk.
    oracle : str
        Rule of `choose_oracle`.

    Examples
    --------
    >>> domain = Domain(("sex", "age", "job"), (2, 3, 4))
    >>> plan_by_risk(domain, 1000, epsilon=1.0, k=2, design="pairs").views
    (('sex', 'age'), ('sex', 'job'), ('age', 'job'))
    """
    check_k(k, domain.d)
    if design == "risk":
        informative_attributes(domain)
        most = min(MAX_VIEWS // 2, n)
        orders = tuple(
            r for r in range(1, min(k, 3) + 1) if r == 1 or math.comb(domain.d, r) <= most
        )
    else:
        orders = (min({"pairs": 2, "triples": 3}[design], domain.d),)
    found = candidate_views(domain, epsilon, orders, oracle)
    if design == "risk":
        shares = _initial_shares(domain, found, k, n)
    else:
        shares = np.full(len(found.views), 1 / len(found.views))
    return _make_plan(domain, n, epsilon, k, theta, found, shares)


def _prior_variances(
    subsets, spreads: np.ndarray, strengths: Mapping[int, float] = TYPICAL_VARIANCE
) -> np.ndarray:
    """Prior variance of every interaction; strengths of other orders are typical ones."""
    by_order = [strengths.get(len(s), typical_variance(len(s))) for s in subsets]
    return np.array([v * math.prod(spreads[i] for i in s) for v, s in zip(by_order, subsets)])


def _initial_shares(domain: Domain, found: Candidates, k: int, n: int) -> np.ndarray:
    """Return the shares by the typical prior, after half of the users on the pairs."""
    largest = min(2, max(len(view) for view in found.views))
    base = np.array([float(len(view) == largest) for view in found.views])
    base /= base.sum()
    spreads = 1 / np.array(domain.sizes)
    prior = _prior_variances(found.subsets, spreads)
    known = 1 / np.maximum(prior, 1e-12) + n / 2 * (found.precision.T @ base)
    importance = _importance(domain, found.subsets, k, spreads)
    return (base + allocate(found.precision, importance, known, n // 2)) / 2


def plan_second_phase(
    known: Knowledge, first: Plan, n: int, *, oracle: str, rng: np.random.Generator
) -> Plan:
    """Plan the collection of the second half of the users, given the first half's reports.

    Candidates are views and parities as in the first phase, and others of few attributes; the remaining
    variance of every interaction decides among them.

    Parameters
    ----------
    known : Knowledge
        Learned from the reports of the first phase alone.
    first : Plan
        The plan of the first phase.
    n : int
        Number of users of the second phase.
    oracle : str
        Rule of `choose_oracle`.
    rng : numpy Generator
        Chooses candidate sets of attributes if there are very many.
    """
    domain, k = first.domain, first.k
    found = _candidates(domain, second_phase_candidates(first, oracle, rng))
    spreads = known.spreads
    strengths = {r: prior.variance for r, prior in known.shrinkages.items()}
    prior = _prior_variances(found.subsets, spreads, strengths)
    left = np.array([known.variances.get(s, p) for s, p in zip(found.subsets, prior)], dtype=float)
    left = _doubted_variances(domain, found.subsets, left, spreads, first)
    square = np.array([float(table @ table) for table in known.one_way])
    importance = _importance(domain, found.subsets, k, square)
    shares = allocate(found.precision, importance, 1 / np.maximum(left, 1e-12), n)
    return _make_plan(domain, n, first.epsilon, k, first.theta, found, shares)


def _doubted_variances(
    domain: Domain, subsets, left: np.ndarray, spreads, first: Plan
) -> np.ndarray:
    """Return the variances after the first phase, corrected for what the prior may miss.

    The prior of an order may be wrong: on average its variances are at least those under a typical prior. And
    a single interaction may look like 0 by chance: it keeps a share of the mean variance of its order.
    """
    collected = _candidates(domain, list(zip(map(domain.positions, first.views), first.oracles)))
    added = first.n * (collected.precision.T @ np.array(first.shares))
    precisions = dict(zip(collected.subsets, added))
    length = np.array([len(s) for s in subsets])
    scale = np.array([math.prod(spreads[i] for i in s) for s in subsets])
    usual = np.array([typical_variance(r) for r in length])
    seen = np.array([precisions.get(s, 0.0) for s in subsets]) * scale
    count = np.maximum(np.bincount(length), 1)
    mean = np.bincount(length, left / scale) / count
    least = np.bincount(length, 1 / (1 / usual + seen)) / count
    raised = np.maximum(1, least / np.maximum(mean, 1e-12))
    mean, believed = np.maximum(mean, least), left / scale * raised[length]
    return scale * np.maximum(believed, DOUBT * mean[length])


@dataclass(frozen=True, eq=False)
class CalmPlusAnswer(CollectedAnswer):
    """The result of a CALM+ collection: the plan, the reports and the inference from them."""

    offers: ClassVar[frozenset[str]] = CollectedAnswer.offers | {"intervals"}
    inferred: PlusMarginals | StackedMarginals

    @property
    def views(self) -> ConsistentMarginals:
        """CALM's own inference from the same reports, for paired comparison."""
        return self.inferred.views

    def interval(self, attrs: Iterable[str], level: float = 0.95):
        """Return the lowest and highest plausible fraction of every cell, two arrays; see `PlusMarginals`."""
        return self.inferred.interval(attrs, level)

    def interval_of_sum(self, attrs: Iterable[str], inside: np.ndarray, level: float = 0.95):
        """Return the same for the sum of the cells that are True in `inside`, two numbers."""
        return self.inferred.interval_of_sum(attrs, inside, level)


@dataclass(frozen=True)
class CalmPlus(CollectingMethod):
    """CALM+ on CALM's own plan, or on a design of its own.

    As noise vanishes its error falls to CALM's at most. In the mean over populations drawn at
    random its 95% intervals hold 91% of the largest cells of tables, 95% of those of single attributes, and 98% of all. They hold
    nothing of an exclusive-or that no view holds: see "Where it is weak" in the documentation.

    Attributes
    ----------
    theta, l, m, oracle, simulation
        As in `CollectingMethod`; l and m are refused unless the design is Algorithm 1's.
    design : str
        Which views to collect. "algorithm1": CALM's own; "pairs", "triples": all of them;
        "risk": half of the users on all pairs, the others divided by predicted risk; "optimal":
        views and parities in the shares of least expected error, see `optimal_plan`; "two_phase":
        half of the users by "optimal", the others where those reports leave most risk.

    Examples
    --------
    >>> import numpy as np
    >>> from calm_core.tables.dataset import Dataset
    >>> rng = np.random.default_rng(1)
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> data = Dataset.from_codes(rng.integers(0, 2, size=(5000, 2)), domain)
    >>> answer = CalmPlus(epsilon=2.0, k=2).release(data, rng=rng)
    >>> bool(abs(answer.marginal(("sex",)).values.sum() - 1) < 1e-9)
    True
    """

    design: str = option(choice_checker(DESIGNS), ALGORITHM1)
    name: ClassVar[str] = "calm_plus"
    title: ClassVar[str] = "CALM+"
    summary: ClassVar[str] = (
        "CALM's views or a design of its own, interactions shrunk by how reliable they are; "
        "beyond the paper."
    )
    excluded_settings: ClassVar[frozenset[str]] = CollectingMethod.excluded_settings - {"design"}
    answer_type: ClassVar[type[CollectedAnswer]] = CalmPlusAnswer

    def __post_init__(self):
        super().__post_init__()
        for name, value in (("l", self.l), ("m", self.m)):
            if value is not None and self.design in DESIGNS_WITH_OWN_VIEWS:
                raise InputError(
                    f"{name} ({value}) is not used by design ({self.design}), which has views of its own; "
                    "leave one of them out"
                )

    def public_plan(self, domain, n, *, rng) -> Plan:
        """Return the plan, if it does not depend on reports."""
        if self.design == "two_phase":
            raise InputError(
                "design (two_phase) plans the second half from the first half's reports; "
                "choose another design for a public plan"
            )
        return super().public_plan(domain, n, rng=rng)

    def plan(self, domain: Domain, n: int, *, rng) -> Plan:
        """Fix everything that is fixed before collection (before the first phase, if there are two)."""
        if self.design == ALGORITHM1:
            return super().plan(domain, n, rng=rng)
        if self.design in ("optimal", "two_phase"):
            return optimal_plan(
                domain, n, epsilon=self.epsilon, k=self.k, theta=self.theta, oracle=self.oracle,
                rng=rng,
            )  # fmt: skip
        return plan_by_risk(
            domain, n, epsilon=self.epsilon, k=self.k, theta=self.theta,
            design=self.design, oracle=self.oracle,
        )  # fmt: skip

    def expected_errors(self, domain, n, queries, *, rng) -> np.ndarray | None:
        """Return errors by formula for interactions of typical strength; None for two phases.

        The second phase depends on the first one's reports.
        """
        if self.design == "two_phase":
            return None
        return super().expected_errors(domain, n, queries, rng=rng)

    def planned_errors(self, plan, queries) -> np.ndarray:
        """Return errors by formula for interactions of typical strength."""
        return shrunken_errors(plan, queries, typical_variance)

    def infer(self, noisy: NoisyMarginals) -> PlusMarginals:
        """Return the inference by shrinkage; sees estimates only."""
        return infer_plus(noisy, order=self.k)

    def collect_parts(self, parts: Parts, domain: Domain, n: int, *, rng, notify=None):
        """Return the plan and the reports; with two phases each user reports in one of them."""
        if self.design != "two_phase" or n < 2:
            return super().collect_parts(parts, domain, n, rng=rng, notify=notify)
        halves = TwoPhaseSplit(parts, rng)
        first, early = super().collect_parts(halves.first, domain, n // 2, rng=rng, notify=notify)
        # The second plan may depend only on what the first half released.
        known = self.infer(aggregate(early)).known
        second = plan_second_phase(known, first, n - n // 2, oracle=self.oracle, rng=rng)
        late = reduce(add, (
            self.collect(part, second, rng=rng, notify=notify)
            for part in merge_small_parts(halves.second(), second.m)
        ))  # fmt: skip
        weights = [share * part.n for part in (first, second) for share in part.shares]
        plan = replace(
            first, n=n, views=first.views + second.views,
            oracles=first.oracles + second.oracles, weights=tuple(weights),
        )  # fmt: skip
        return plan, Reports(domain, early.views + late.views)


class TwoPhaseSplit:
    """Users in parts, each part split in two at random; a second pass finds the same halves.

    Sizes are rounded so that the first halves together have n // 2 users.
    """

    def __init__(self, parts: Parts, rng: np.random.Generator):
        self.parts, self.rng = parts, rng
        self.copies: list[np.random.Generator] = []

    def first(self) -> Iterator[People]:
        """Yield the first half of every part, drawn now."""
        return self._halves(0, zip(self.parts(), self._copied_generators()))

    def second(self) -> Iterator[People]:
        """Yield the second half of every part."""
        return self._halves(1, zip(self.parts(), self.copies, strict=True))

    def _copied_generators(self) -> Iterator[np.random.Generator]:
        """Yield the generator for every part; its copies repeat the same draws in the second pass."""
        while True:
            self.copies.append(copy.deepcopy(self.rng))
            yield self.rng

    @staticmethod
    def _halves(
        which: int, drawn: Iterable[tuple[People, np.random.Generator]]
    ) -> Iterator[People]:
        seen = 0
        for part, rng in drawn:
            size, seen = (seen + part.n) // 2 - seen // 2, seen + part.n
            if 0 < size < part.n:
                yield part.split(size, rng=rng)[which]
            elif (size == 0) == (which == 1):
                yield part
