"""How large the interactions are that fits take along: those of interest, and larger ones that views tell.

A view of more attributes than are asked for says more of them than its interactions of that size do: none
of its cells is negative, and where many are empty all its moments depend on each other. A fit that knows the
larger interactions gains that, which CALM's inference has by its nature.
"""

import math
from collections.abc import Sequence

import numpy as np

from calm_core.collection.aggregation import NoisyMarginals
from calm_core.inference.shrinkage.interactions import Subset
from calm_core.inference.shrinkage.log_linear import count_contrasts
from calm_core.inference.shrinkage.priors import Knowledge

# DOC of merged: """Which attributes are fitted together with those of a query.
#
# Attributes that depend on a query's own tell what its reports alone leave open. A neighborhood is the
# query and the attributes that interact most with it as far as the reports tell, few enough for a small
# table.
# """
#

# Of a neighborhood's table, and of its contrasts that were measured: with less noise these are more, each
# step takes longer, and fewer neighbors do.
MAX_CELLS, MAX_CONTRASTS = 2**10, 170
# Queries of so many attributes are fitted within a whole view. Of more, neighbors tell as much as the rest of it.
MAX_COMPLETED = 2


def find_neighborhoods(known: Knowledge, queries: Sequence[Subset]) -> list[Subset]:
    """The attributes (ascending positions) to be fitted together for every query.

    Parameters
    ----------
    known : Knowledge
        Whose measured pairs say which attributes belong together.
    queries : sequence of tuple of int
        Positions of the attributes of every query, ascending.

    Returns
    -------
    list of tuple of int
        Each holds its query, and others.
    """
    around = _InteractionGraph(known)
    return [around.grow(around.complete_to_view(query)) for query in queries]


class _InteractionGraph:
    """How strongly attributes interact, and how much room each takes in a neighborhood."""

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
        """Which attributes every larger set holds that a region does not, shape (sets, d)."""
        missing = self.holds.copy()
        missing[:, list(region)] = False
        return missing

    def count(self, region: Subset) -> int:
        """Contrasts of a region: of all its pairs, and of larger sets that were measured."""
        inside = ~self.missing(region).any(axis=1)
        sizes = tuple(self.sizes[list(region)].tolist())
        return count_contrasts(sizes, 2) + int(self.contrasts[inside].sum())

    def added_contrasts(self, region: Subset) -> np.ndarray:
        """Contrasts that a region has more with each other attribute, shape (d,)."""
        missing = self.missing(region)
        one = missing.sum(axis=1) == 1
        pairs = (self.sizes - 1) * (1 + (self.sizes[list(region)] - 1).sum())
        return pairs + self.contrasts[one] @ missing[one]

    def complete_to_view(self, query: Subset) -> Subset:
        """A query; of few attributes the largest measured set that holds it, no cell of which is negative.

        Of several it is that which interacts most with the query.
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
        """A region and the attributes that interact most with it."""
        cells, count = math.prod(self.sizes[list(region)].tolist()), self.count(region)
        score = self.strengths[list(region)].sum(axis=0)
        score[list(region)] = -np.inf
        while True:
            brought = self.added_contrasts(region)
            # The table only grows: what is too large for it now is so for good.
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
# Larger interactions than those of interest count where they are as strong as this share of their noise.
MIN_SIGNAL = 0.2


def joint_order(noisy: NoisyMarginals) -> int:
    """Largest order that some view holds and a joint fit can take along at little cost."""
    sizes = noisy.domain.sizes
    largest = max((len(table.attrs) for table in noisy.tables), default=0)
    for order in range(min(largest, MAX_ORDER), 2, -1):
        if math.prod(sizes) * count_contrasts(sizes, order) <= MAX_JOINT_NUMBERS:
            return order
    return 2


def view_order(noisy: NoisyMarginals, least: int) -> int:
    """Largest order, from that of interest on, of which a neighborhood can hold a whole view if it gains."""
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
    """How strong the sets of an order are, in the median noise variance of one; 0 where none was measured."""
    noise = [
        family.variances / known.spreads[family.subsets].prod(axis=1)
        for family in known.interactions.families if len(family.sizes) == order
    ]  # fmt: skip
    if not noise:
        return 0.0
    return float(known.shrinkages[order].variance / np.median(np.concatenate(noise)))


def estimable_order(known: Knowledge, least: int) -> int:
    """The largest order, from that of interest on, up to which the reports tell of every one."""
    order = least
    while order < known.interactions.order and signal_to_noise(known, order + 1) >= MIN_SIGNAL:
        order += 1
    return order
