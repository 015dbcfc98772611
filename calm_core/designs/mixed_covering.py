"""Coverings of attributes with unequal numbers of values: views limited by their number of cells.

An attribute with 41 values should share its view with small ones. A view has at most `cells` cells,
whatever its number of attributes; a t-subset with more cells gets a view of its own.

Few of the views found are chosen by a row weighting local search for the unicost set cover problem. One view of a cover
is removed again and again: then the view with the least loss leaves, a view that covers a random uncovered subset
enters, and uncovered subsets gain weight, so that those that are hard to cover decide.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, combinations, permutations
from operator import mul

import numpy as np

from calm_core._checks import check_count
from calm_core.designs.covering import Blocks, find_covering, positions_of_subsets
from calm_core.designs.partial_covering import choose_blocks
from calm_core.errors import InputError
from calm_core.runtime.cancellation import checkpoint

MAX_STEPS = 12_000
MAX_WORK = 1_500_000_000  # steps times views times subsets: some seconds


def smallest_cover(
    views: list[tuple[int, ...]], subsets: list[tuple[int, ...]]
) -> list[tuple[int, ...]]:
    """Choose as few views as the search finds that cover every wanted subset; the same every time.

    Parameters
    ----------
    views : list of tuple of int
        Candidates; together they must cover every wanted subset.
    subsets : list of tuple of int
        Ascending subsets, all of one size.
    """
    if not subsets:
        return []
    member = np.zeros((len(views), 1 + max(map(max, (*subsets, *views)))), dtype=bool)
    for j, view in enumerate(views):
        member[j, list(view)] = True
    # Which view (axis 1) holds which wanted subset (axis 0).
    holds = np.logical_and.reduce([member[:, column] for column in np.array(subsets).T]).T
    forced = np.unique(holds[holds.sum(axis=1) == 1].argmax(axis=1))
    rest = ~holds[:, forced].any(axis=1)
    useful = np.flatnonzero(holds[rest].any(axis=0))
    if rest.any():
        chosen = _CoverSearch(holds[rest][:, useful]).run(patience=400 + 8 * int(rest.sum()))
        forced = np.concatenate([forced, useful[chosen]])
    return [views[j] for j in sorted(forced.tolist())]


class _CoverSearch:
    """State of the search: the number of views that cover each subset, and its weight."""

    def __init__(self, holds: np.ndarray):
        self.holds = holds
        self.by_view = np.ascontiguousarray(holds.T, dtype=np.float32)
        self.rows_of = [np.flatnonzero(holds[:, j]) for j in range(holds.shape[1])]
        self.columns_of = [np.flatnonzero(row) for row in holds]
        self.count = np.zeros(len(holds), dtype=np.int64)
        self.weight = np.ones(len(holds), dtype=np.int64)
        self.chosen: list[int] = []
        self.changed = np.zeros(holds.shape[1], dtype=np.int64)
        self.blocked = np.zeros(holds.shape[1], dtype=bool)

    def run(self, patience: int) -> list[int]:
        """Indices of the views of the smallest cover found."""
        rng = np.random.default_rng(len(self.columns_of))
        while not self.count.all():
            checkpoint()
            gains = self.by_view @ (self.count == 0).astype(np.float32)
            self._add(int(gains.argmax()))
        best, found_at = list(self.chosen), 0
        work = len(best) * len(self.columns_of)
        for step in range(min(MAX_STEPS, MAX_WORK // work)):
            while (self.count > 0).all():
                checkpoint()
                best, found_at = list(self.chosen), step
                if len(best) == 1:
                    return best
                self._leave(step, but=-1)
            if step - found_at >= patience:
                break
            self._leave(step, but=self.chosen[-1])
            open_ = np.flatnonzero(self.count == 0)
            row = int(open_[rng.integers(len(open_))])
            self._enter(row, step)
            self.weight[self.count == 0] += 1
        return best

    def _add(self, j: int) -> None:
        self.count[self.rows_of[j]] += 1
        self.chosen.append(j)

    def _leave(self, step: int, but: int) -> None:
        """Drop the chosen view of least loss; among equal ones the longest unchanged."""
        chosen = np.array([j for j in self.chosen if j != but])
        if not len(chosen):
            return
        losses = self.by_view[chosen] @ (self.weight * (self.count == 1)).astype(np.float32)
        tied = chosen[losses == losses.min()]
        j = int(tied[self.changed[tied].argmin()])
        self.chosen.remove(j)
        rows = self.rows_of[j]
        self.count[rows] -= 1
        self.changed[j] = step
        self.blocked[self._neighbours(rows)] = False
        self.blocked[j] = True

    def _enter(self, row: int, step: int) -> None:
        """Add the view of most gain that covers `row` and was not just dropped."""
        columns = self.columns_of[row]
        free = columns[~self.blocked[columns]]
        columns = free if len(free) else columns
        gains = self.by_view[columns] @ (self.weight * (self.count == 0)).astype(np.float32)
        tied = columns[gains == gains.max()]
        j = int(tied[self.changed[tied].argmin()])
        self._add(j)
        self.changed[j] = step
        self.blocked[self._neighbours(self.rows_of[j])] = False

    def _neighbours(self, rows: np.ndarray) -> np.ndarray:
        return np.logical_or.reduce(self.holds[rows], axis=0)


ENUMERATE_UP_TO = 16
MAX_COLUMNS = 6_000
GREEDY_RUNS = (3, 40)
GREEDY_SUBSETS = 16_000


def cells_of(sizes: Sequence[int], view: Iterable[int]) -> int:
    """Number of cells of a view."""
    return math.prod(sizes[i] for i in view)


@lru_cache(maxsize=1024)
def find_mixed_covering(sizes: tuple[int, ...], cells: int, t: int) -> Blocks:
    """Few views of at most `cells` cells each that hold every t-subset of the attributes.

    Parameters
    ----------
    sizes : tuple of int
        Number of values of every attribute, shape (d,).
    cells : int
        Budget of cells for one view (SPEC 4). A t-subset with more cells gets a view of its own.
    t : int
        Attributes to be covered together.

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
    if len(set(sizes)) == 1:
        return find_covering(len(sizes), max(longest_view(sizes, cells), t), t)
    subsets = list(combinations(range(len(sizes)), t))
    too_large = [s for s in subsets if cells_of(sizes, s) > cells]
    fitting = [s for s in subsets if cells_of(sizes, s) <= cells]
    views = candidate_views(sizes, cells, fitting)
    cover = smallest_cover(views, fitting)
    return tuple(sorted(too_large + without_idle_attributes(cover, sizes, t)))


def candidate_views(sizes, cells: int, subsets: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """All maximal views within the budget, or, where those are many, the views of greedy covers."""
    if len(sizes) <= ENUMERATE_UP_TO:
        views = maximal_views(sizes, cells)
        if len(views) <= MAX_COLUMNS:
            return views
    return greedy_views(sizes, cells, subsets)


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


def greedy_views(sizes, cells: int, subsets: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The distinct views of many greedy covers, each with attributes weighed a little differently.

    An attribute is added for the wanted subsets it completes, divided by the square root of its
    log-size: large attributes are placed last where they bring as much.
    """
    if not subsets:
        return []
    d, t = len(sizes), len(subsets[0])
    rng = np.random.default_rng(d * 1_000_003 + cells)
    open_at_first = np.zeros((d,) * t, dtype=bool)
    for places in permutations(np.array(subsets).T):
        open_at_first[places] = True
    room = np.log(np.array(sizes)) + 1e-12
    views: dict[tuple[int, ...], None] = {}
    min_runs, max_runs = GREEDY_RUNS
    for run in range(min(max_runs, max(min_runs, GREEDY_SUBSETS // len(subsets)))):
        checkpoint()
        jitter = np.exp(rng.normal(0, 0.25 * (run > 0), size=d))
        price = jitter * np.maximum(room, math.log(2)) ** (0.5 if run % 3 else 1.0)
        open_ = open_at_first.copy()
        while open_.any():
            checkpoint()
            view = _greedy_view(open_, sizes, cells, price, rng)
            views[tuple(sorted(view))] = None
            open_[np.ix_(*[view] * t)] = False
    return list(views)


def _greedy_view(open_, sizes, cells, price, rng) -> list[int]:
    """One view, grown from a random open subset by the attribute of best gain for its price."""
    places = np.argwhere(open_)
    view = places[int(rng.integers(len(places)))].tolist()
    t = open_.ndim
    product = cells_of(sizes, view)
    while True:
        checkpoint()
        joined = np.array(view)[positions_of_subsets(len(view), t - 1)]
        gains = open_[tuple(joined.T)].reshape(-1, len(sizes)).sum(axis=0) / price
        gains[[i for i, size in enumerate(sizes) if i in view or product * size > cells]] = 0
        best = int(gains.argmax())
        if gains[best] <= 0:
            return view
        view.append(best)
        product *= sizes[best]


def without_idle_attributes(views, sizes, t: int) -> list[tuple[int, ...]]:
    """The same views without attributes whose subsets are all held elsewhere: cells cost noise."""
    count = Counter(subset for view in views for subset in combinations(view, t))
    slim = []
    for view in sorted(views, key=lambda v: -cells_of(sizes, v)):
        for i in sorted(view, key=lambda i: -sizes[i]):
            subsets = [s for s in combinations(view, t) if i in s]
            if all(count[s] > 1 for s in subsets):
                view = tuple(x for x in view if x != i)
                for s in subsets:
                    count[s] -= 1
        if len(view) >= t:
            slim.append(view)
    return slim


MAX_STRENGTH = 4
MAX_VIEWS = 20_000
MAX_SUBSETS = 1_200
# Coverings of triples and more stay well above the counting bound: do not search in vain.
HOPELESS = 3


def choose_mixed_blocks(sizes: Iterable[int], cells: int, m: int) -> Blocks:
    """Exactly m distinct views of at most `cells` cells, holding as many subsets as they can.

    Parameters
    ----------
    sizes : iterable of int
        Number of values of every attribute, shape (d,).
    cells, m : int
        Budget of cells for one view and number of views.

    Returns
    -------
    tuple of tuple of int
        m distinct views of ascending positions. All t-subsets that fit are held for the largest
        t (at most 4) that a covering of m views allows, every attribute is in a view where m
        allows it, and the room left in these and in further views goes to new subsets of
        size t + 1, of little used attributes first. An attribute too large for the budget has a
        view of its own. With equal sizes the views are `choose_blocks(d, l, m)` for the largest l
        that fits.

    Raises
    ------
    InputError
        If there are fewer than m views within the budget.

    Examples
    --------
    >>> choose_mixed_blocks((2, 3, 3), cells=9, m=2)
    ((0, 1), (0, 2))
    """
    sizes = tuple(sizes)
    m = check_count("m", m, high=MAX_VIEWS, remedy="ask for fewer views")
    d = len(sizes)
    length = max(1, longest_view(sizes, cells))
    if len(set(sizes)) == 1 and m <= math.comb(d, length):
        return choose_blocks(d, length, m)
    strength, views = 0, set()
    for t in range(1, min(MAX_STRENGTH, d) + 1):
        # Each view holds at most the subsets of the longest.
        fitting = sum(cells_of(sizes, s) <= cells for s in combinations(range(d), t))
        fewest = -(-fitting // max(1, math.comb(longest_view(sizes, cells), t)))
        hopeless = fewest * (HOPELESS if t > 2 else 1) > m
        if hopeless or math.comb(d, t) > MAX_SUBSETS:
            break
        covering = covering_that_fits(sizes, cells, t)
        if len(covering) > m:
            break
        strength, views = t, set(covering)
    growing = _GrowingViews(sizes, cells, min(strength + 1, d), views)
    while len(growing.views) < m:
        checkpoint()
        growing.add(growing.next_view())
    return tuple(sorted(growing.views))


def longest_view(sizes: Iterable[int], cells: int) -> int:
    """The most attributes that a view of at most `cells` cells can hold: the smallest ones."""
    return sum(product <= cells for product in accumulate(sorted(sizes), mul))


# Planning asks for the same few at every epsilon and number of people.
@lru_cache(maxsize=64)
def covering_that_fits(sizes: tuple[int, ...], cells: int, t: int) -> Blocks:
    """The views of a mixed covering, of the t-subsets too large only attributes not yet held.

    Here t-subsets that fit no view are given up; a single attribute never is.
    """
    covering = find_mixed_covering(sizes, cells, t)
    if not covering:
        return ()
    views = [v for v in covering if cells_of(sizes, v) <= cells]
    attributes = {i for view in views for i in view}
    single = [i for i in range(len(sizes)) if i not in attributes]
    return tuple(sorted(views + [(i,) for i in single]))


class _GrowingViews:
    """Views grown attribute by attribute: little used ones first, then most new subsets."""

    def __init__(self, sizes, cells, aim, views):
        self.sizes, self.cells, self.aim = sizes, cells, aim
        self.held: set[tuple[int, ...]] = set()
        self.used = np.zeros(len(sizes), dtype=np.int64)
        self.views: set[tuple[int, ...]] = set()
        self.room = np.log(np.maximum(sizes, 2)) ** 0.5
        for view in sorted(views):
            grown = self._grown(list(view))
            self.add(view if grown in self.views else grown)

    def add(self, view: tuple[int, ...]) -> None:
        self.views.add(view)
        self.used[list(view)] += 1
        self.held.update(combinations(view, self.aim))

    def next_view(self) -> tuple[int, ...]:
        """A new view: grown from a little used attribute, or any unused one that fits."""
        for first in np.lexsort((-np.array(self.sizes), self.used)).tolist():
            if self.sizes[first] <= self.cells:
                view = self._grown([first])
                if view not in self.views:
                    return view
        return self._any_view()

    def _grown(self, view: list[int]) -> tuple[int, ...]:
        while True:
            product = cells_of(self.sizes, view)
            fits = [
                i
                for i, size in enumerate(self.sizes)
                if i not in view and product * size <= self.cells
            ]
            if not fits:
                return tuple(sorted(view))
            view = [*view, max(fits, key=lambda i: (self._gain(view, i), -self.used[i], -i))]

    def _gain(self, view: list[int], i: int) -> float:
        size = min(self.aim - 1, len(view))
        rest = [tuple(sorted((*s, i))) for s in combinations(view, size)]
        new = sum(s not in self.held for s in rest) if size == self.aim - 1 else 1
        return new / (self.room[i] * (1 + self.used[i]))

    def _any_view(self) -> tuple[int, ...]:
        """The largest view within the budget that is not used yet."""
        for length in range(longest_view(self.sizes, self.cells), 0, -1):
            for view in combinations(range(len(self.sizes)), length):
                if view not in self.views and cells_of(self.sizes, view) <= self.cells:
                    return view
        raise InputError(
            f"m must be at most {len(self.views):,}, there are no more views of at most "
            f"{self.cells:,} cells; use fewer views or a larger budget"
        )
