"""The optimal design: shares of the users for all kinds of reports with the least expected error, and its plan.

A report has information on some interactions. Shrinkage combines it with a prior, and the posterior
variance of an interaction is 1 / (1/prior + precision). Without data, attributes differ only in their
numbers of values, so the best division treats attributes of equal size alike, and it is enough to divide
the users among kinds of reports. The strength of interactions is unknown: several strengths are assumed,
and for each the error counts relative to that of CALM's views. The problem is convex in the shares. Its
dual bounds the error of any other division, and a bound on the information of a private report bounds
that of any other reports.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations, combinations_with_replacement, islice, permutations, product
from typing import TYPE_CHECKING

import numpy as np

from calm_core._checks import check_k
from calm_core.errors import InputError
from calm_core.oracles import Oracle, Parity, choose_oracle
from calm_core.planning.algorithm1 import Choice, check_users, choose_views, mean_cells
from calm_core.planning.plan import Plan
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# Assumed variances of standardized interactions of two and three attributes, and of the part that all
# pairs have in common: typical of surveys, a quarter of that, four times that, and strong dependence.
STRENGTHS = (
    (0.02, 0.003, 0.005), (0.005, 0.0007, 0.001), (0.08, 0.012, 0.02), (0.15, 0.06, 0.1),
)  # fmt: skip
SINGLES = 0.2
# Power of the error ratios to CALM in the objective: ratios above 1 count most.
POWER = 4
# The useful parities of binary attributes, found by a search over all with up to five attributes.
PARITIES = (
    ((0, 1),),
    ((0, 1), (1, 2)),
    ((0, 1), (1, 2), (2, 3)),
    ((0,), (1, 2)),
    ((0, 1), (0, 2, 3)),
    ((0,), (1, 2), (2, 3)),
)
MAX_ATTRIBUTES, MAX_CELLS, MAX_KINDS, MAX_CLASSES = 10, 20_000, 2_000, 6_000
# Interactions of more attributes are too weak to be measured.
MAX_ORDER = 4
_STEPS, _SMALL_GAP = 2_000, 1e-5

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class ReportKind:
    """A kind of report: the sizes of the attributes of its view, and the oracle.

    Attributes
    ----------
    sizes : tuple of int
        Numbers of values of the attributes of the view, ascending.
    oracle : Oracle
        The randomizer of the cell.
    """

    sizes: Sizes
    oracle: Oracle

    def count_measured(self, order: int) -> Counter[Sizes]:
        """Number of interactions it measures, by the sizes of their attributes, up to an order."""
        if self.oracle.sets is not None:
            return Counter((2,) * len(s) for s in self.oracle.sets if len(s) <= order)
        counts: Counter[Sizes] = Counter({(): 1})
        for size in self.sizes:
            for part, number in list(counts.items()):
                if len(part) < order:
                    counts[(*part, size)] += number
        del counts[()]
        return counts

    @property
    def information(self) -> float:
        """Information of a report on each interaction, relative to the true answer."""
        noise = max(float(self.oracle.contrast_variance(1)), 1e-12)
        return 1 / (self.oracle.size * noise + 1)


def report_kinds(domain: Domain, epsilon: float, rule: str = "best") -> list[ReportKind]:
    """All kinds of reports considered: views of all sizes, and parities of binary attributes.

    Examples
    --------
    >>> domain = Domain(("sex", "votes", "smokes"), (2, 2, 2))
    >>> [(len(kind.sizes), kind.oracle.name) for kind in report_kinds(domain, 1.0)]
    [(1, 'grr'), (2, 'grr'), (3, 'subset'), (2, 'parity'), (3, 'parity'), (3, 'parity')]
    """
    size_counts, kinds = Counter(domain.sizes), []
    for length in range(1, min(domain.d, MAX_ATTRIBUTES) + 1):
        checkpoint()
        views = [
            sizes
            for sizes in _available_sizes(size_counts, length)
            if length == 1 or math.prod(sizes) <= MAX_CELLS
        ]
        # With many different sizes only small views: large ones help little, and only for large epsilon.
        if length > 2 and len(kinds) + len(views) > MAX_KINDS:
            break
        cells = {math.prod(sizes) for sizes in views}
        oracles = {size: choose_oracle(size, epsilon, rule) for size in cells}
        kinds += [ReportKind(sizes, oracles[math.prod(sizes)]) for sizes in views]
    for parities in PARITIES:
        length = 1 + max(map(max, parities))
        if length <= size_counts[2]:
            kinds.append(ReportKind((2,) * length, Parity(epsilon, 2**length, parities)))
    return kinds


@dataclass(frozen=True, eq=False)
class Problem:
    """The optimization problem: F kinds of reports, G classes of interactions, C assumed strengths.

    Attributes
    ----------
    kinds : tuple of ReportKind
        Kinds of reports.
    precision : csr_matrix, shape (F, G)
        Precision of one report for every interaction of a class, averaged over relabelings.
    importance : ndarray, shape (G,)
        Weight of the variance of a class in the mean squared error of all k-way tables.
    prior : ndarray, shape (C, G)
        Prior precision.
    common : ndarray, shape (C,)
        Prior precision of the part that the first contrasts of all pairs have in common.
    pairs : ndarray, shape (G,)
        Number of pairs in a class, 0 in classes of other orders.
    usual : ndarray, shape (C,)
        Expected error of CALM's views.
    contrasts : ndarray, shape (G,)
        Number of contrasts of all interactions of a class.
    n : int
        Users.
    """

    kinds: tuple[ReportKind, ...]
    precision: "csr_matrix"
    importance: np.ndarray
    prior: np.ndarray
    common: np.ndarray
    pairs: np.ndarray
    usual: np.ndarray
    contrasts: np.ndarray
    n: int

    @cached_property
    def finite(self) -> float:
        """1 if the correction for a finite population is applied, else 0.

        With very few users the correction would make the problem non-convex.
        """
        return float(self.prior.max() < self.n)

    def errors(self, information: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Error (C,) and its derivatives (C, G) by the precision of one user for the classes (G,)."""
        remaining = np.maximum(1 - self.finite * information, 1e-9)
        precision, slope = self.n * information / remaining, self.n / remaining**2
        variance = 1 / (self.prior + precision)
        error, slopes = variance @ self.importance, -self.importance * variance**2 * slope
        # Every pair is a noisy measurement of the common part, with its own part as noise.
        own = 1 + precision / self.prior
        common_precision = self.common + (precision / own) @ self.pairs
        first = float((self.importance * self.pairs / self.contrasts).sum())
        slopes -= (first / common_precision**2)[:, None] * self.pairs * slope / own**2
        return error + first / common_precision, slopes

    def ratios(self, information: np.ndarray) -> np.ndarray:
        """Errors relative to CALM's, (C,)."""
        return self.errors(information)[0] / self.usual


def build_problem(
    domain: Domain,
    n: int,
    epsilon: float,
    k: int,
    choice: Choice,
    rule: str = "best",
) -> Problem:
    """Build the `Problem`; `choice` gives the views of CALM."""
    kinds, size_counts = report_kinds(domain, epsilon, rule), Counter(domain.sizes)
    order = min(k, MAX_ORDER)
    while order > 2 and len(_classes(size_counts, order)) > MAX_CLASSES:
        order -= 1
    classes = _classes(size_counts, order)
    column = {sizes: i for i, sizes in enumerate(classes)}
    number = np.array(
        [math.prod(math.comb(size_counts[c], m) for c, m in Counter(s).items()) for s in classes]
    )
    contrasts = number * [math.prod(c - 1 for c in sizes) for sizes in classes]
    length = np.array([len(sizes) for sizes in classes])
    query_share = np.array(
        [math.comb(domain.d - r, k - r) / math.comb(domain.d, k) for r in length]
    )
    # An interaction enters a table over k attributes with the squared fractions of the others.
    outside = np.mean(1 / np.array(domain.sizes)) ** (k - length)
    importance = contrasts * query_share * outside / [math.prod(sizes) for sizes in classes]
    prior = np.array([[1 / _variance(r, *two) for r in length] for *two, _ in STRENGTHS])
    common = np.array([1 / shared for *_, shared in STRENGTHS])
    cells = []
    for row, kind in enumerate(kinds):
        checkpoint()
        for sizes, times in kind.count_measured(order).items():
            at = column[sizes]
            cells.append((row, at, times / number[at] * kind.information))
    from scipy.sparse import csr_matrix

    rows, columns, values = zip(*cells)
    precision = csr_matrix((values, (rows, columns)), shape=(len(kinds), len(classes)))
    posed = Problem(
        tuple(kinds), precision, importance, prior, common, np.where(length == 2, number, 0),
        np.ones(len(common)), contrasts, n,
    )  # fmt: skip
    # Precision of one user for interactions of these orders with CALM's views, averaged over all.
    l = choice.l  # noqa: E741
    oracle = choose_oracle(round(mean_cells(domain.sizes, l)), epsilon)
    holding = [math.comb(domain.d - r, l - r) if r <= l else 0 for r in length]
    calm = np.array(holding) / math.comb(domain.d, l) * ReportKind((), oracle).information
    return replace(posed, usual=posed.errors(calm)[0])


def _classes(size_counts: Mapping[int, int], order: int) -> list[Sizes]:
    """The sizes of all sets of at most `order` attributes."""
    return [
        sizes for length in range(1, order + 1) for sizes in _available_sizes(size_counts, length)
    ]


def _available_sizes(size_counts: Mapping[int, int], length: int) -> Iterator[Sizes]:
    """Yield the sizes of all sets of `length` attributes, with the number of attributes of each size given."""
    for sizes in combinations_with_replacement(sorted(size_counts), length):
        if all(size_counts[size] >= number for size, number in Counter(sizes).items()):
            yield sizes


def _variance(order: int, pairs: float, triples: float) -> float:
    """Assumed variance of a standardized interaction; from order 3 on it falls geometrically."""
    if order < 3:
        return (SINGLES, pairs)[order - 1]
    return triples * (triples / pairs) ** (order - 3)


@dataclass(frozen=True, eq=False)
class Division:
    """A division of the users, with bounds on how much better others could be.

    Attributes
    ----------
    problem : Problem
        The problem.
    shares : ndarray, shape (F,)
        Share of the users for every kind of report.
    ratios : ndarray, shape (C,)
        Expected error relative to that of CALM's views, for every assumed strength.
    gap : float
        Upper bound of the relative gain of any other division among the same kinds.
    bound : float
        Upper bound of the relative gain of any private reports: the information of a report is at most
        (e^epsilon - 1)^2 / (4 e^epsilon) in total, at equally frequent cells.
    """

    problem: Problem
    shares: np.ndarray
    ratios: np.ndarray
    gap: float
    bound: float


def _descend(problem: Problem, precision: "csr_matrix") -> tuple[np.ndarray, float, float]:
    """Shares of the rows of `precision`, the objective to the 1/POWER there, and its lower bound.

    Uses multiplicative updates, share <- share sqrt(-gradient), normalized. The objective is convex, so
    the linear step to the row of steepest descent is a lower bound.
    """
    rows = len(precision.indptr) - 1
    shares = np.full(rows, 1 / rows)
    transposed = precision.T.tocsr()
    value = lower = 0.0
    for step in range(_STEPS):
        checkpoint()
        error, slopes = problem.errors(transposed @ shares)
        ratios = error / problem.usual
        weights = ratios ** (POWER - 1) / problem.usual / len(ratios)
        gain = -(precision @ (weights @ slopes))
        value, gap = float((ratios**POWER).mean()), POWER * float(gain.max() - gain @ shares)
        lower = max(lower, value - gap)
        if step == _STEPS - 1 or gap < _SMALL_GAP * value:
            break
        shares = shares * np.sqrt(gain)
        shares /= shares.sum()
    return shares, value ** (1 / POWER), lower ** (1 / POWER)


def divide_users(problem: Problem, epsilon: float, min_share: float = 0.0) -> Division:
    """Find the best division of the users among the kinds of reports.

    Parameters
    ----------
    problem : Problem
        See `build_problem`.
    epsilon : float
        Privacy budget of a report.
    min_share : float
        Smaller shares are set to 0.

    Examples
    --------
    >>> from calm_core.planning.algorithm1 import choose_views
    >>> domain = Domain(tuple("abcdefgh"), (2,) * 8)
    >>> choice = choose_views(2**16, domain.sizes, 1.0, 2, 1e-3)
    >>> found = divide_users(build_problem(domain, 2**16, 1.0, 2, choice), 1.0)
    >>> {k.oracle.name: round(float(s), 2) for k, s in zip(found.problem.kinds, found.shares) if s > 0.01}
    {'grr': 0.72, 'parity': 0.28}
    >>> bool(found.ratios.max() < 1), found.gap < 1e-4
    (True, True)
    """
    shares, _, lower = _descend(problem, problem.precision)
    shares = np.where(shares >= min(min_share, shares.max()), shares, 0.0)
    shares /= shares.sum()
    ratios = problem.ratios(problem.precision.T @ shares)
    value = float((ratios**POWER).mean() ** (1 / POWER))
    from scipy.sparse import csr_matrix, diags_array

    # All information of a report, spent on a single class of interactions.
    information = math.expm1(epsilon) ** 2 / (4 * math.exp(epsilon))
    *_, least_of_all = _descend(problem, csr_matrix(diags_array(information / problem.contrasts)))
    gap = max(1 - lower / value, 0.0)
    return Division(problem, shares, ratios, gap, 1 - least_of_all / value)


# Oracle rules that leave the choice of the oracle to this module.
FREE_RULES = ("adaptive", "contrast", "best")
MAX_GROUPS = 3_000
# Minimum number of users of a group, and minimum share of all report kinds that are kept.
MIN_USERS, MIN_TOGETHER = 8, 0.05

Place = tuple[tuple[int, ...], Oracle]


def optimize_division(
    domain: Domain,
    n: int,
    *,
    epsilon: float,
    k: int,
    theta: float = 1e-3,
    oracle: str = "best",
) -> Division:
    """The optimal division of the users among report kinds, from which `optimal_plan` makes views.

    Raises
    ------
    InputError
        If no attribute has at least two values.

    Examples
    --------
    >>> found = optimize_division(Domain(tuple("abcdefgh"), (2,) * 8), 2**16, epsilon=1.0, k=3)
    >>> bool(found.bound < 0.01), bool(found.ratios[0] < 0.9)
    (True, True)
    """
    check_k(k, domain.d)
    asked_domain = domain.project(informative_attributes(domain))
    k = min(k, asked_domain.d)
    choice = choose_views(n, asked_domain.sizes, epsilon, k, theta)
    rule = "best" if oracle in FREE_RULES else oracle
    problem = build_problem(asked_domain, n, epsilon, k, choice, rule)
    return divide_users(problem, epsilon, max(MIN_TOGETHER / len(problem.kinds), MIN_USERS / n))


def optimal_plan(
    domain: Domain,
    n: int,
    *,
    epsilon: float,
    k: int,
    theta: float = 1e-3,
    oracle: str = "best",
    rng: np.random.Generator,
) -> Plan:
    """Plan views and parities with the shares of least expected error, see `optimize_division`.

    Every report kind is used for all sets of attributes that it fits, or for as many as there are users
    for, with all pairs of attributes covered about equally often.

    Parameters
    ----------
    domain, n, epsilon, k, theta
        As in `make_plan`; theta decides the views of CALM, whose errors weigh the strengths of
        interactions.
    oracle : str
        The oracle of views, or a rule of `choose_oracle`. Parities use GRR.
    rng : numpy Generator
        Chooses the sets of attributes where not all are used.

    Examples
    --------
    >>> domain = Domain(tuple("abcd"), (2,) * 4)
    >>> plan = optimal_plan(domain, 10_000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> sorted({(oracle.name, len(view)) for view, oracle in zip(plan.views, plan.oracles)})
    [('grr', 2), ('parity', 3)]
    """
    division = optimize_division(domain, n, epsilon=epsilon, k=k, theta=theta, oracle=oracle)
    kinds, shares = division.problem.kinds, division.shares
    views, oracles, weights = [], [], []
    used_kinds = [(kind, share) for kind, share in zip(kinds, shares) if share > 0]
    for kind, share in _with_everybody(domain, used_kinds, kinds):
        checkpoint()
        groups = int(share * min(n / MIN_USERS, MAX_GROUPS))
        places = _places(domain, kind, max(groups, 1), rng)
        for at, oracle_of in places:
            views.append(tuple(domain.names[i] for i in at))
            oracles.append(oracle_of)
            weights.append(float(share / len(places)))
    check_users(n, len(views))
    # Attributes with a single value are added to a view, where they cost nothing.
    plain = next(i for i, oracle_of in enumerate(oracles) if oracle_of.sets is None)
    constants = [name for name, size in zip(domain.names, domain.sizes) if size == 1]
    views[plain] = domain.canonical((*views[plain], *constants))
    return Plan(
        domain, n, float(epsilon), k, float(theta), tuple(views), tuple(oracles),
        choose_views(n, domain.sizes, epsilon, k, theta), tuple(weights),
    )  # fmt: skip


def informative_attributes(domain: Domain) -> list[str]:
    """The attributes with at least two values; a report on the others has no information."""
    names = [name for name, size in zip(domain.names, domain.sizes) if size > 1]
    if not names:
        raise InputError("every attribute has one value only, so there is nothing to ask; add one")
    return names


def _with_everybody(domain: Domain, shares_of_kinds: list[tuple[ReportKind, float]], kinds):
    """The chosen kinds, and single attributes for the sizes that are in none of their views."""
    sizes = {size for kind, _ in shares_of_kinds if kind.oracle.sets is None for size in kind.sizes}
    singles = [(kind, MIN_TOGETHER / domain.d) for kind in kinds if len(kind.sizes) == 1]
    return shares_of_kinds + [
        (kind, share) for kind, share in singles if not {*kind.sizes} <= sizes
    ]


def _places(
    domain: Domain, kind: ReportKind, max_places: int, rng: np.random.Generator
) -> list[Place]:
    """Attributes and oracle of every group of this report kind.

    Every attribute is covered, even if that takes more groups than `max_places`.
    """
    needed = Counter(kind.sizes)
    holding = {size: [i for i, c in enumerate(domain.sizes) if c == size] for size in needed}
    sets = math.prod(math.comb(len(holding[size]), many) for size, many in needed.items())
    forms = _forms(kind.oracle)
    if sets * len(forms) <= max_places:
        sets_by_size = [combinations(holding[size], many) for size, many in needed.items()]
        blocks = [tuple(sorted(sum(parts, ()))) for parts in product(*sets_by_size)]
        return [(block, form) for block in blocks for form in forms]
    min_blocks = max(-(-len(holding[size]) // many) for size, many in needed.items())
    count = min(max(max_places, min_blocks), sets)
    blocks = islice(_balanced(domain.d, needed, holding, count, rng), count)
    return [(block, forms[i % len(forms)]) for i, block in enumerate(blocks)]


@lru_cache(maxsize=256)
def _forms(oracle: Oracle) -> tuple[Oracle, ...]:
    """An oracle with its parities over the attributes in all different orders."""
    if not isinstance(oracle, Parity):
        return (oracle,)
    forms: dict[frozenset, Oracle] = {}
    for order in permutations(range(oracle.size.bit_length() - 1)):
        parities = tuple(tuple(sorted(order[i] for i in parity)) for parity in oracle.parities)
        form = replace(oracle, parities=parities)
        forms.setdefault(form.sets, form)
    return tuple(forms.values())


def _balanced(d: int, needed: Counter[int], holding, count: int, rng) -> Iterator[tuple[int, ...]]:
    """Yield different sets of attributes that use attributes and pairs about equally often.

    Each is grown by the attribute that was together with the others least often; at least `count` where there are.
    """
    met, blocks = np.zeros((d, d)), set()
    # Use of pairs decides first, then use of single attributes, then chance.
    for _ in range(4 * count):
        checkpoint()
        block: list[int] = []
        for size, many in needed.items():
            candidates = np.array(holding[size])
            for _ in range(many):
                cost = (
                    met[candidates][:, block].sum(axis=1)
                    + met[candidates, candidates] / d
                    + rng.random(len(candidates)) / d**2
                )
                best = np.argmin(cost)
                block.append(int(candidates[best]))
                candidates = np.delete(candidates, best)
        met[np.ix_(block, block)] += 1
        if (new := tuple(sorted(block))) not in blocks:
            blocks.add(new)
            yield new
