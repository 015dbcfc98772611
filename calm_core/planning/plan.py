"""Plan: everything that is fixed before the collection, and the error to expect of it; sees no data.

The views of a plan tell of every interaction of the attributes of a query, with a precision that follows from the plan.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from calm_core._checks import (
    MAX_PEOPLE,
    check_cells,
    check_choice,
    check_count,
    check_epsilon,
    check_k,
    check_rng,
    check_theta,
)
from calm_core.designs.mixed_covering import choose_mixed_blocks, find_mixed_covering
from calm_core.designs.partial_covering import choose_blocks
from calm_core.errors import InputError, Toward
from calm_core.oracles import Oracle, choose_oracle
from calm_core.planning.algorithm1 import Choice, check_users, choose_views, mean_cells
from calm_core.randomness import stream
from calm_core.runtime.cancellation import checkpoint, iter_cancellable
from calm_core.runtime.weak_cache import cache_per_object
from calm_core.tables.domain import Domain, choose_queries
from calm_core.text import format_count

DESIGNS = ("auto", "attributes", "cells")
UNEQUAL = 4
# A covering limited by cells needs a search, which takes too long for more k-subsets than this.
SEARCHABLE = 600


@dataclass(frozen=True)
class ViewPlan:
    """The views of a curator's release and the reason for them: fixed from d, epsilon and n alone.

    Attributes
    ----------
    views : tuple of tuple of str
        w views, attributes in domain order.
    t : int
        Every t attributes lie together in a view.
    error : float
        Predicted noise error of a pair (equation 5), in fractions.
    """

    views: tuple[tuple[str, ...], ...]
    t: int
    error: float

    @property
    def l(self) -> int:  # noqa: E743 - the paper's name
        """Number of attributes of the largest view."""
        return max(len(view) for view in self.views)

    @property
    def m(self) -> int:
        """Number of views."""
        return len(self.views)


def check_views(
    domain: Domain, views: Sequence[tuple[str, ...]], oracles: Sequence[Oracle]
) -> None:
    """Refuse views that are not sets of attributes in domain order, or oracles of another size."""
    if not views or len(views) != len(oracles):
        raise InputError(
            f"views ({len(views)}) and oracles ({len(oracles)}) must be equally many and at least one"
        )
    for view, oracle in iter_cancellable(zip(views, oracles)):
        at = domain.positions(view)
        if not at or tuple(domain.names[i] for i in at) != tuple(view):
            raise InputError(f"the view {view} must name attributes, in the order of the domain")
        cells = math.prod(domain.sizes[i] for i in at)
        if oracle.size != cells:
            raise InputError(
                f"the oracle of the view {view} is for {oracle.size:,} values; it must be for the "
                f"{cells:,} cells of the view"
            )


@dataclass(frozen=True)
class Plan:
    """The view and the oracle of every group of users; public and fixed before the collection.

    Attributes
    ----------
    domain : Domain
        Shape of the data.
    n : int
        Number of users planned for.
    epsilon : float
        Privacy budget of the single report of each user.
    k : int
        Size of the marginals of interest.
    theta : float
        Error threshold given to Algorithm 1.
    views : tuple of tuple of str
        m views, attributes in domain order.
    oracles : tuple of Oracle
        The frequency oracle of every view.
    choice : Choice
        The result of Algorithm 1 with its trace, even if l or m was set by hand.
    weights : tuple of float, optional
        Relative numbers of users of the views; equal by default.

    Raises
    ------
    InputError
        If a number is out of its range or views, oracles and weights do not fit together.
    """

    domain: Domain
    n: int
    epsilon: float
    k: int
    theta: float
    views: tuple[tuple[str, ...], ...]
    oracles: tuple[Oracle, ...]
    choice: Choice
    weights: tuple[float, ...] = ()

    def __post_init__(self):
        check_count("n", self.n, high=MAX_PEOPLE)
        check_epsilon(self.epsilon)
        check_k(self.k, self.domain.d)
        check_theta(self.theta)
        check_views(self.domain, self.views, self.oracles)
        if self.weights and len(self.weights) != self.m:
            raise InputError(
                f"weights ({len(self.weights)}) must be one for each of {self.m} views"
            )
        if self.weights and not (min(self.weights) >= 0 and 0 < sum(self.weights) < math.inf):
            raise InputError("weights must not be negative, and at least one must be above 0")

    @property
    def l(self) -> int:  # noqa: E743 - the paper's name
        """Number of attributes of the largest view."""
        return max(len(view) for view in self.views)

    @property
    def m(self) -> int:
        """Number of views."""
        return len(self.views)

    @property
    def shares(self) -> tuple[float, ...]:
        """Share of the users of each view; sums to 1."""
        weights = self.weights or (1,) * self.m
        total = sum(weights)
        return tuple(weight / total for weight in weights)

    def covers(self, attrs) -> bool:
        """Whether some view covers the table over the given attributes."""
        attributes = set(self.domain.canonical(attrs))
        collected = zip(self.views, self.oracles)
        return any(attributes <= set(view) for view, oracle in collected if oracle.sets is None)

    @property
    def is_whole(self) -> bool:
        """Whether every view measures all of its interactions, as in the papers."""
        return all(oracle.sets is None for oracle in self.oracles)


def make_plan(
    domain: Domain,
    n: int,
    *,
    epsilon: float,
    k: int,
    theta: float = 1e-3,
    rng: np.random.Generator,
    l: int | None = None,  # noqa: E741
    m: int | None = None,
    oracle: str = "adaptive",
    design: str = "auto",
) -> Plan:
    """Plan a collection: Algorithm 1, a covering design on shuffled attributes, an oracle per view.

    Parameters
    ----------
    domain : Domain
        Shape of the data, d attributes.
    n : int
        Number of users.
    epsilon, k, theta
        As in `choose_views`.
    rng : numpy Generator
        Assigns the attributes to the points of the design.
    l, m : int, optional
        Override the choice of Algorithm 1.
    oracle : str
        Rule of `choose_oracle`, or an oracle's name.
    design : {"auto", "attributes", "cells"}
        Views of l attributes each, or views with at most as many cells as l typical attributes have, so
        that an attribute with many values is combined with small ones. "auto" limits cells where the
        numbers of values differ much, l is above 2 and neither l nor m is given.

    Examples
    --------
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> plan = make_plan(domain, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> plan.views, plan.oracles[0].name
    ((('sex', 'age'),), 'grr')
    """
    rng = check_rng(rng)
    check_choice("design", design, DESIGNS)
    choice = choose_views(n, domain.sizes, epsilon, k, theta)
    l_used = choice.l if l is None else check_count("l", l, high=domain.d, remedies=[("l", None)])
    high = math.comb(domain.d, l_used)
    low = math.ceil(domain.d / l_used)
    if m is None:
        m_used = choice.m if l_used == choice.l else max(min(choice.max_views, high), low)
    else:
        remedy, automatic = (
            f"there {'is' if high == 1 else 'are'} {format_count(high, 'view')} of {l_used}",
            [("m", None)],
        )
        m_used = check_count("m", m, high=high, remedy=remedy, remedies=automatic)
        if m_used < low:
            raise InputError(
                f"m ({m_used}) must be at least {low} to ask about every attribute",
                remedies=[("m", low), *automatic],
            )
    by_hand = [(name, None) for name, value in (("l", l), ("m", m)) if value is not None]
    check_users(n, m_used, remedies=by_hand)
    by_cells = design == "cells" or (
        design == "auto" and l is m is None and _wants_cells(domain, l_used, m_used)
    )
    if by_cells:
        blocks = _blocks_by_cells(domain.sizes, choice, l_used, m_used, k)
        check_users(n, len(blocks))
        place = range(domain.d)
    else:
        blocks = choose_blocks(domain.d, l_used, m_used, t=min(k, l_used))
        place = rng.permutation(domain.d)
    views = tuple(
        domain.canonical(domain.names[place[i]] for i in block)
        for block in iter_cancellable(blocks)
    )
    oracles = choose_oracles(domain, views, epsilon, oracle)
    return Plan(domain, n, float(epsilon), k, float(theta), views, oracles, choice)


def _wants_cells(domain: Domain, l: int, m: int) -> bool:  # noqa: E741
    """Whether the largest views of l attributes are much larger than the typical one, and m smaller ones exist."""
    budget = mean_cells(domain.sizes, l)
    largest = math.prod(sorted(domain.sizes)[-l:])
    return l > 2 and largest > UNEQUAL * budget and _views_within(domain.sizes, budget, l) >= m


def _views_within(sizes, budget: float, l: int) -> int:  # noqa: E741
    """Number of views of l attributes with at most `budget` cells (rounded)."""
    # Number of subsets by (attributes, cells), attribute after attribute.
    counts = Counter({(0, 1): 1})
    for size in sizes:
        for (length, cells), number in list(counts.items()):
            if length < l and cells * size <= round(budget):
                counts[length + 1, cells * size] += number
    return sum(number for (length, _), number in counts.items() if length == l)


def _blocks_by_cells(sizes, choice: Choice, l: int, m: int, k: int):  # noqa: E741
    """Views limited by cells: a covering if one fits the bound of Algorithm 1, else m views."""
    budget = round(mean_cells(sizes, l))
    if choice.branch == "covered" and math.comb(len(sizes), k) <= SEARCHABLE:
        covering = find_mixed_covering(sizes, budget, k)
        if len(covering) <= choice.max_views:
            return covering
    return choose_mixed_blocks(sizes, budget, m)


def choose_oracles(
    domain: Domain, views: Sequence[tuple[str, ...]], epsilon: float, rule: str
) -> tuple[Oracle, ...]:
    """The oracle of every view; views of equal size share one object, as there may be 200,000 of them."""
    smaller = [("l", None), ("k", Toward.LESS)]
    sizes = [
        check_cells(domain.shape_of(view), f"the view {', '.join(view)}", remedies=smaller)
        for view in iter_cancellable(views)
    ]
    oracles = {size: choose_oracle(size, epsilon, rule) for size in set(sizes)}
    return tuple(oracles[size] for size in sizes)


QUERIES = 200


def contrast_variance(oracle: Oracle, share: float, n: int) -> float:
    """Variance of one normalized contrast of a view: noise of the oracle plus sampling of the group.

    All cells are assumed to be equally frequent; the view has a share of the n users.
    """
    return (float(oracle.contrast_variance(1)) + (1 - share) / oracle.size) / (n * share)


def default_queries(domain: Domain, k: int) -> list[tuple[str, ...]]:
    """All k-way marginals, or a fixed sample of 200 where there are more."""
    return list(_default_queries(domain, k))


@cache_per_object
def _default_queries(domain: Domain, k: int) -> tuple[tuple[str, ...], ...]:
    return tuple(choose_queries(domain, k, QUERIES, rng=stream(0, "prediction")))


class QueryInteractions(NamedTuple):
    """What views tell of the interactions of some queries over equally many attributes.

    Attributes
    ----------
    rows : ndarray of int, shape (queries,)
        Positions of the queries.
    precisions : ndarray, shape (queries, 2^k)
        1 / variance of a standardized contrast of each set of a query's attributes; 0 if no view holds it.
        Sets are numbered in binary, the first attribute highest.
    dims : ndarray, shape (queries, 2^k)
        Number of contrasts of each set.
    order : ndarray of int, shape (2^k,)
        Number of attributes of each set.
    cells : ndarray, shape (queries,)
        Number of cells of each query.
    """

    rows: np.ndarray
    precisions: np.ndarray
    dims: np.ndarray
    order: np.ndarray
    cells: np.ndarray


# Queries times views looked at together.
_TOGETHER = 2**18


def measure_interactions(
    domain: Domain,
    views: Sequence[tuple[str, ...]],
    variances: Sequence[float],
    queries: Sequence[Iterable[str]],
    *,
    sets: Sequence[frozenset[tuple[int, ...]] | None] = (),
) -> Iterator[QueryInteractions]:
    """Yield the precisions of all interactions of all queries, in blocks.

    Parameters
    ----------
    domain : Domain
        Shape of the data.
    views : sequence of attribute tuples
        The m views.
    variances : sequence of float
        Variance of one normalized contrast of each view, in fractions squared.
    queries : sequence of attribute sets
        The tables asked for.
    sets : sequence of frozenset or None
        The interactions of views that have only some of them, see `Oracle.sets`.

    Examples
    --------
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> (found,) = measure_interactions(domain, [("sex",)], [0.01], [("sex", "age")])
    >>> found.precisions.round(6).tolist(), found.dims.tolist()
    ([[50.0, 0.0, 50.0, 0.0]], [[1.0, 2.0, 1.0, 2.0]])
    """
    holds = find_held_attributes(domain, views).T.copy()
    cells = np.array([math.prod(domain.shape_of(view)) for view in views], dtype=float)
    exact = 1 / np.maximum(np.asarray(variances) * cells, 1e-300)
    extra: Counter[tuple[int, ...]] = Counter()
    for row, some in enumerate(sets):
        if some is not None:
            at = domain.positions(views[row])
            for axes in some:
                extra[tuple(at[a] for a in axes)] += exact[row]
            exact[row] = 0.0
    alike: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    for row, query in enumerate(map(domain.positions, queries)):
        alike.setdefault(len(query), []).append((row, query))
    step = max(1, _TOGETHER // len(views))
    for same in alike.values():
        for first in range(0, len(same), step):
            checkpoint()
            rows, block = zip(*same[first : first + step])
            attrs = np.array(block)
            precisions = _precisions(holds[attrs], exact)
            for row, query in enumerate(block if extra else ()):
                for part in _parts(len(query)):
                    number = sum(1 << (len(query) - 1 - axis) for axis in part)
                    precisions[row, number] += extra.get(tuple(query[a] for a in part), 0.0)
            sizes, order, dims = np.array(domain.sizes)[attrs], np.zeros(1, dtype=int), np.ones(1)
            for column in sizes.T[:, :, None, None]:
                factors = np.concatenate([np.ones_like(column), column - 1], axis=2)
                dims = (dims.reshape(-1, dims.shape[-1], 1) * factors).reshape(len(block), -1)
                order = np.add.outer(order, [0, 1]).ravel()
            yield QueryInteractions(np.array(rows), precisions, dims, order, sizes.prod(axis=1))


def _precisions(holds: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Precision of every set of every query, from which attributes the views hold (queries, k, views)."""
    count, k, _ = holds.shape
    # First by the exact intersection of view and query, then by subsets of it.
    met = (1 << np.arange(k)[::-1]) @ holds + (np.arange(count) << k)[:, None]
    precisions = np.bincount(met.ravel(), np.tile(exact, count), count << k)
    for axis in range(k):
        without, within = precisions.reshape(count << axis, 2, -1).swapaxes(0, 1)
        without += within
    return precisions.reshape(count, -1)


def find_held_attributes(domain: Domain, views: Sequence[tuple[str, ...]]) -> np.ndarray:
    """Boolean table of views (rows) and their attributes (columns)."""
    holds = np.zeros((len(views), domain.d), dtype=bool)
    for row, view in zip(holds, views):
        row[list(domain.positions(view))] = True
    return holds


@lru_cache(maxsize=32)
def _parts(length: int) -> tuple[tuple[int, ...], ...]:
    """All non-empty sets of `length` axes."""
    return tuple(s for r in range(1, length + 1) for s in combinations(range(length), r))
