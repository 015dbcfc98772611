"""Exactly m views of unequal attributes within a budget of cells."""

import math
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate, combinations
from operator import mul

import numpy as np

from calm_core._checks import check_count
from calm_core.designs.covering import Blocks
from calm_core.designs.mixed_covering import (
    attributes_that_fit,
    cells_of,
    find_mixed_covering,
    mixed_covering_size,
)
from calm_core.designs.partial_covering import choose_blocks
from calm_core.errors import InputError
from calm_core.runtime.cancellation import checkpoint

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
    length = max(1, attributes_that_fit(sizes[0], d, cells))
    if len(set(sizes)) == 1 and m <= math.comb(d, length):
        return choose_blocks(d, length, m)
    strength, views = 0, set()
    for t in range(1, min(MAX_STRENGTH, d) + 1):
        hopeless = fewest_views(sizes, cells, t) * (HOPELESS if t > 2 else 1) > m
        if hopeless or math.comb(d, t) > MAX_SUBSETS:
            break
        fitting = covering_that_fits(sizes, cells, t)
        if len(fitting) > m:
            break
        strength, views = t, set(fitting)
    growing = _GrowingViews(sizes, cells, min(strength + 1, d), views)
    while len(growing.views) < m:
        checkpoint()
        growing.add(growing.next_view())
    return tuple(sorted(growing.views))


def longest_view(sizes: Iterable[int], cells: int) -> int:
    """The most attributes that a view of at most `cells` cells can hold: the smallest ones."""
    return sum(product <= cells for product in accumulate(sorted(sizes), mul))


def fewest_views(sizes: tuple[int, ...], cells: int, t: int) -> int:
    """No fewer views hold all t-subsets that fit: each holds at most those of the longest view."""
    longest = longest_view(sizes, cells)
    fitting = sum(cells_of(sizes, s) <= cells for s in combinations(range(len(sizes)), t))
    return -(-fitting // max(1, math.comb(longest, t)))


# Planning asks for the same few at every epsilon and number of people.
@lru_cache(maxsize=64)
def covering_that_fits(sizes: tuple[int, ...], cells: int, t: int) -> Blocks:
    """The views of a mixed covering, of the t-subsets too large only attributes not yet held.

    Here t-subsets that fit no view are given up; a single attribute never is.
    """
    if mixed_covering_size(sizes, cells, t) == 0:
        return ()
    views = [v for v in find_mixed_covering(sizes, cells, t) if cells_of(sizes, v) <= cells]
    held = {i for view in views for i in view}
    alone = [i for i in range(len(sizes)) if i not in held]
    return tuple(sorted(views + [(i,) for i in alone]))


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
                for i in range(len(self.sizes))
                if i not in view and product * self.sizes[i] <= self.cells
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
