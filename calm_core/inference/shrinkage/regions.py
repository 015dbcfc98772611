"""Which attributes are fitted together with a query, and up to which order of interaction.

Attributes that depend on those of a query add information that its own reports lack. A neighborhood is
the query and the attributes that interact most with it, few enough for a small table. A view of more
attributes than the query also restricts it by its larger interactions: no cell is negative, and where
many cells are empty all moments depend on each other. So orders above that of the query are fitted where
the views measure them well enough.
"""

import math
from collections.abc import Sequence

import numpy as np

from calm_core.collection.aggregation import NoisyMarginals
from calm_core.inference.shrinkage.interactions import Subset
from calm_core.inference.shrinkage.log_linear import count_contrasts
from calm_core.inference.shrinkage.priors import Knowledge

# Limits of a neighborhood's table and of its measured contrasts, which grow as noise falls.
MAX_CELLS, MAX_CONTRASTS = 2**10, 170
# Queries of up to so many attributes are fitted within a whole view; for larger ones neighbors help as much.
MAX_COMPLETED = 2


def find_neighborhoods(known: Knowledge, queries: Sequence[Subset]) -> list[Subset]:
    """Return the attributes (ascending positions) to be fitted together for every query.

    Parameters
    ----------
    known : Knowledge
        Its measured pairs decide which attributes belong together.
    queries : sequence of tuple of int
        Positions of the attributes of every query, ascending.

    Returns
    -------
    list of tuple of int
        Supersets of the queries.
    """
    around = _InteractionGraph(known)
    return [around.grow(around.complete_to_view(query)) for query in queries]


class _InteractionGraph:
    """Strengths of the interactions between attributes, and the contrasts each adds to a region."""

    def __init__(self, known: Knowledge):
        self.sizes = np.array(known.interactions.domain.sizes)
        d = len(self.sizes)
        self.strengths = np.zeros((d, d))
        for (i, j), strength in known.strengths.items():
            self.strengths[i, j] = self.strengths[j, i] = strength
        large = [subset for subset in known.interactions.index if len(subset) > 2]
        self.holds = np.zeros((len(large), d), dtype=bool)
        for row, subset in enumerate(large):
            self.holds[row, list(subset)] = True
        self.contrasts = np.where(self.holds, self.sizes - 1, 1).prod(axis=1)

    def missing(self, region: Subset) -> np.ndarray:
        """Return which attributes of every larger set are missing in a region, shape (sets, d)."""
        missing = self.holds.copy()
        missing[:, list(region)] = False
        return missing

    def count(self, region: Subset) -> int:
        """Return the number of contrasts of a region: of all its pairs, and of larger measured sets."""
        inside = ~self.missing(region).any(axis=1)
        sizes = tuple(self.sizes[list(region)].tolist())
        return count_contrasts(sizes, 2) + int(self.contrasts[inside].sum())

    def added_contrasts(self, region: Subset) -> np.ndarray:
        """Return how many contrasts each other attribute adds to a region, shape (d,)."""
        missing = self.missing(region)
        one = missing.sum(axis=1) == 1
        pairs = (self.sizes - 1) * (1 + (self.sizes[list(region)] - 1).sum())
        return pairs + self.contrasts[one] @ missing[one]

    def complete_to_view(self, query: Subset) -> Subset:
        """Return the largest measured set that contains a small query, whose cells cannot be negative.

        Among several it is the one that interacts most with the query; larger queries stay as they are.
        """
        if len(query) > MAX_COMPLETED:
            return query
        rows = np.flatnonzero(self.holds[:, list(query)].all(axis=1))
        score = self.holds[rows] @ self.strengths[list(query)].sum(axis=0)
        for row in rows[np.lexsort((score, self.holds[rows].sum(axis=1)))[::-1]]:
            view = tuple(np.flatnonzero(self.holds[row]).tolist())
            cells = math.prod(self.sizes[list(view)].tolist())
            if cells <= MAX_CELLS and self.count(view) <= MAX_CONTRASTS:
                return view
        return query

    def grow(self, region: Subset) -> Subset:
        """Return a region extended by the attributes that interact most with it."""
        cells, count = math.prod(self.sizes[list(region)].tolist()), self.count(region)
        score = self.strengths[list(region)].sum(axis=0)
        score[list(region)] = -np.inf
        while True:
            brought = self.added_contrasts(region)
            # The table only grows, so an attribute that is too large now stays excluded.
            score[(cells * self.sizes > MAX_CELLS) | (count + brought > MAX_CONTRASTS)] = -np.inf
            nearest = int(np.argmax(score))
            if score[nearest] <= 0:
                return tuple(sorted(region))
            region = (*region, nearest)
            cells, count = cells * int(self.sizes[nearest]), count + int(brought[nearest])
            score += self.strengths[nearest]
            score[nearest] = -np.inf


MAX_ORDER = 6
MAX_JOINT_NUMBERS = 300_000
# Larger interactions are fitted if their variance is at least this share of their noise variance.
MIN_SIGNAL = 0.2


def joint_order(noisy: NoisyMarginals) -> int:
    """Return the largest order that some view measures and a joint fit can afford."""
    sizes = noisy.domain.sizes
    largest = max((len(table.attrs) for table in noisy.tables), default=0)
    for order in range(min(largest, MAX_ORDER), 2, -1):
        if math.prod(sizes) * count_contrasts(sizes, order) <= MAX_JOINT_NUMBERS:
            return order
    return 2


def view_order(noisy: NoisyMarginals, least: int) -> int:
    """Return the largest order, at least `least`, for which a neighborhood can contain a whole view."""
    if least > MAX_COMPLETED:
        return least
    shapes = {table.domain.sizes for table in noisy.tables}
    small = [shape for shape in shapes if math.prod(shape) <= MAX_CELLS]
    orders = range(3, MAX_ORDER + 1)
    held = [
        order for shape in small for order in orders
        if order <= len(shape) and count_contrasts(shape, order) <= MAX_CONTRASTS
    ]  # fmt: skip
    return max(held, default=least)


def signal_to_noise(known: Knowledge, order: int) -> float:
    """Return the variance of the interactions of an order over their median noise variance; 0 if unmeasured."""
    noise = [
        family.variances / known.spreads[family.subsets].prod(axis=1)
        for family in known.interactions.families if len(family.sizes) == order
    ]  # fmt: skip
    if not noise:
        return 0.0
    return float(known.shrinkages[order].variance / np.median(np.concatenate(noise)))


def estimable_order(known: Knowledge, least: int) -> int:
    """Return the largest order, at least `least`, up to which every order is measured well enough."""
    order = least
    while order < known.interactions.order and signal_to_noise(known, order + 1) >= MIN_SIGNAL:
        order += 1
    return order
