"""Coverings of attributes with unequal numbers of values: views limited by their cells.

An attribute with 41 values should sit with small ones. Views hold at most `cells` cells, whatever
their number of attributes; a t-subset too large for the budget gets a view of its own.
"""

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

from calm_core.designs.coverage import positions_of_subsets
from calm_core.designs.covering import Blocks, find_covering
from calm_core.designs.set_cover import smallest_cover
from calm_core.runtime.cancellation import checkpoint

ENUMERATE_UP_TO = 16
MAX_COLUMNS = 6_000
GREEDY_RUNS = (3, 40)
GREEDY_SUBSETS = 16_000
Views = tuple[tuple[int, ...], ...]


def cells_of(sizes: Sequence[int], view: Iterable[int]) -> int:
    """Number of cells of a view."""
    return math.prod(sizes[i] for i in view)


def is_mixed_covering(
    blocks: Iterable[Sequence[int]], sizes: Sequence[int], cells: int, t: int
) -> bool:
    """Say whether views hold every t-subset of the attributes within a budget of cells.

    Parameters
    ----------
    blocks : iterable of sequences of int
        Views as positions of attributes, each with distinct attributes and at most `cells` cells.
        Only a t-subset that is too large on its own may stand as a view of its own.
    sizes : sequence of int
        Number of values of every attribute, shape (d,).
    cells, t : int

    Examples
    --------
    >>> is_mixed_covering([(0, 1), (0, 2), (1, 2)], sizes=(2, 3, 3), cells=9, t=2)
    True
    >>> is_mixed_covering([(0, 1, 2)], sizes=(2, 3, 3), cells=9, t=2)
    False
    """
    rows = [tuple(sorted(block)) for block in blocks]
    for row in rows:
        if not row or len(set(row)) < len(row) or row[0] < 0 or row[-1] >= len(sizes):
            return False
        if cells_of(sizes, row) > cells and len(row) != t:
            return False
    held = {subset for row in rows for subset in combinations(row, t)}
    return len(held) == math.comb(len(sizes), t)


def find_mixed_covering(sizes: Iterable[int], cells: int, t: int, *, progress=None) -> Views:
    """Few views of at most `cells` cells each that hold every t-subset of the attributes.

    Parameters
    ----------
    sizes : iterable of int
        Number of values of every attribute, shape (d,).
    cells : int
        Budget of cells for one view (SPEC 4). A t-subset with more cells gets a view of its own.
    t : int
        Attributes to be covered together.
    progress : callable(done, total), optional
        Told at the start and at the end.

    Returns
    -------
    tuple of tuple of int
        Distinct views of ascending positions. With equal sizes they are
        `find_covering(d, l, t)` for the largest l that fits. Otherwise a set cover: exact for few
        attributes, from many greedy covers for more; no view holds an attribute it does not need.

    Examples
    --------
    >>> find_mixed_covering((2, 3, 3), cells=9, t=2)
    ((0, 1), (0, 2), (1, 2))
    >>> find_mixed_covering((2, 3, 3), cells=18, t=2)
    ((0, 1, 2),)
    """
    report = progress or (lambda done, total: None)
    report(0, 1)
    views = _mixed_covering(tuple(sizes), cells, t)
    report(1, 1)
    return views


def mixed_covering_size(sizes: Iterable[int], cells: int, t: int) -> int:
    """Number of views of `find_mixed_covering`, which is built once and remembered."""
    return len(_mixed_covering(tuple(sizes), cells, t))


def attributes_that_fit(size: int, d: int, cells: int) -> int:
    """Largest number of attributes of equal size whose view has at most `cells` cells."""
    fit = 0
    while fit < d and size ** (fit + 1) <= cells:
        fit += 1
    return fit


@lru_cache(maxsize=1024)
def _mixed_covering(sizes: tuple[int, ...], cells: int, t: int) -> Blocks:
    if len(set(sizes)) == 1:
        return find_covering(
            len(sizes), max(attributes_that_fit(sizes[0], len(sizes), cells), t), t
        )
    subsets = list(combinations(range(len(sizes)), t))
    own = [s for s in subsets if cells_of(sizes, s) > cells]
    fitting = [s for s in subsets if cells_of(sizes, s) <= cells]
    views = candidate_views(sizes, cells, fitting)
    chosen = smallest_cover(views, fitting)
    return tuple(sorted(own + without_idle_attributes(chosen, sizes, t)))


def candidate_views(sizes, cells: int, wanted: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """All maximal views within the budget, or, where those are many, the views of greedy covers."""
    if len(sizes) <= ENUMERATE_UP_TO:
        views = maximal_views(sizes, cells)
        if len(views) <= MAX_COLUMNS:
            return views
    return greedy_views(sizes, cells, wanted)


def maximal_views(sizes: Sequence[int], cells: int) -> list[tuple[int, ...]]:
    """Every view of at most `cells` cells to which no attribute can be added."""
    d = len(sizes)
    product = np.ones(1, dtype=np.int64)
    for size in sizes:
        product = np.concatenate([product, np.minimum(product * min(size, cells + 1), cells + 1)])
    fits = product <= cells
    maximal = fits.copy()
    masks = np.arange(1 << d)
    for i in range(d):
        grown = masks | 1 << i
        maximal &= (grown == masks) | ~fits[grown]
    bits = masks[maximal][:, None] >> np.arange(d) & 1
    return [tuple(np.flatnonzero(row).tolist()) for row in bits if row.any()]


def greedy_views(sizes, cells: int, wanted: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The distinct views of many greedy covers, each with attributes weighed a little differently.

    An attribute is added for the wanted subsets it completes, divided by the square root of its
    log-size: large attributes are placed last where they bring as much.
    """
    if not wanted:
        return []
    d, t = len(sizes), len(wanted[0])
    rng = np.random.default_rng(d * 1_000_003 + cells)
    shape = (d,) * t
    wanted_at = np.array(wanted)
    room = np.log(np.array(sizes)) + 1e-12
    found: dict[tuple[int, ...], None] = {}
    fewest, most = GREEDY_RUNS
    for run in range(min(most, max(fewest, GREEDY_SUBSETS // len(wanted)))):
        checkpoint()
        jitter = np.exp(rng.normal(0, 0.25 * (run > 0), size=d))
        price = jitter * np.maximum(room, math.log(2)) ** (0.5 if run % 3 else 1.0)
        open_ = np.zeros(shape, dtype=bool)
        open_[tuple(wanted_at.T)] = True
        for axes in _orders(t):
            open_ |= open_.transpose(axes)
        while open_.any():
            checkpoint()
            view = _greedy_view(open_, sizes, cells, price, rng)
            found[tuple(sorted(view))] = None
            inside = np.ix_(*[view] * t)
            open_[inside] = False
    return list(found)


def _orders(t: int) -> list[tuple[int, ...]]:
    """Exchanges of neighbouring axes; going through them t times reaches every order."""
    swaps = []
    for i in range(t - 1):
        axes = list(range(t))
        axes[i], axes[i + 1] = axes[i + 1], axes[i]
        swaps.append(tuple(axes))
    return swaps * t


def _greedy_view(open_, sizes, cells, price, rng) -> list[int]:
    """One view, grown from a random open subset by the attribute of best gain for its price."""
    places = np.argwhere(open_)
    view = places[int(rng.integers(len(places)))].tolist()
    t = open_.ndim
    product = cells_of(sizes, view)
    while True:
        checkpoint()
        joined = positions_of_subsets(len(view), t - 1)
        joined = np.array(view)[joined]
        gains = open_[tuple(joined.T)].reshape(-1, len(sizes)).sum(axis=0) / price
        gains[[i for i, size in enumerate(sizes) if i in view or product * size > cells]] = 0
        best = int(gains.argmax())
        if gains[best] <= 0:
            return view
        view.append(best)
        product *= sizes[best]


def without_idle_attributes(views, sizes, t: int) -> list[tuple[int, ...]]:
    """The same views without attributes whose subsets are all held elsewhere: cells cost noise."""
    count: dict[tuple[int, ...], int] = {}
    for view in views:
        for subset in combinations(view, t):
            count[subset] = count.get(subset, 0) + 1
    slim = []
    for view in sorted(views, key=lambda v: -cells_of(sizes, v)):
        for i in sorted(view, key=lambda i: -sizes[i]):
            held = [s for s in combinations(view, t) if i in s]
            if all(count[s] > 1 for s in held):
                view = tuple(x for x in view if x != i)
                for s in held:
                    count[s] -= 1
        if len(view) >= t:
            slim.append(view)
    return slim
