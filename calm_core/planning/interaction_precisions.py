"""How exactly the views of a plan tell of every interaction of the attributes of a query."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain


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
    told: Counter[tuple[int, ...]] = Counter()
    for row, some in enumerate(sets):
        if some is not None:
            at = domain.positions(views[row])
            for axes in some:
                told[tuple(at[a] for a in axes)] += exact[row]
            exact[row] = 0.0
    alike: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    for row, query in enumerate(map(domain.positions, queries)):
        alike.setdefault(len(query), []).append((row, query))
    step = max(1, _TOGETHER // len(views))
    for same in alike.values():
        for first in range(0, len(same), step):
            checkpoint()
            rows, block = zip(*same[first : first + step])
            asked = np.array(block)
            precisions = _precisions(holds[asked], exact)
            for row, query in enumerate(block if told else ()):
                for part in _parts(len(query)):
                    number = sum(1 << (len(query) - 1 - axis) for axis in part)
                    precisions[row, number] += told.get(tuple(query[a] for a in part), 0.0)
            sizes, order, dims = np.array(domain.sizes)[asked], np.zeros(1, dtype=int), np.ones(1)
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
    found = np.bincount(met.ravel(), np.tile(exact, count), count << k)
    for axis in range(k):
        without, within = found.reshape(count << axis, 2, -1).swapaxes(0, 1)
        without += within
    return found.reshape(count, -1)


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
