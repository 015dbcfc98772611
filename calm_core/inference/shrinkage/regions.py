"""Which attributes are fitted together with those of a query.

Attributes that depend on a query's own tell what its reports alone leave open. A neighbourhood is the
query and the attributes that interact most with it as far as the reports tell, few enough for a small
table.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from calm_core.inference.shrinkage.features import count_contrasts
from calm_core.inference.shrinkage.interactions import Subset
from calm_core.inference.shrinkage.priors import Knowledge

# Of a neighbourhood's table, and of its contrasts of the orders that were measured: with less noise these
# are more, each step takes longer, and fewer neighbours do.
MOST_CELLS, MOST_CONTRASTS = 2**10, 170


def _strengths(known: Knowledge) -> np.ndarray:
    """Mean square of every pair's standardised interaction, as shrunken, shape (d, d)."""
    d = known.interactions.domain.d
    strengths = np.zeros((d, d))
    for (i, j), strength in known.strengths.items():
        strengths[i, j] = strengths[j, i] = strength
    return strengths


def neighbourhoods(known: Knowledge, queries: Sequence[Subset]) -> list[Subset]:
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
    sizes, strengths = np.array(known.interactions.domain.sizes), _strengths(known)
    return [_around(query, sizes, strengths, known.interactions.order) for query in queries]


def _around(query: Subset, sizes: np.ndarray, strengths: np.ndarray, order: int) -> Subset:
    """The neighbourhood of one query."""
    region, shape, left = list(query), sizes[list(query)].tolist(), set(sizes.tolist())
    score = strengths[region].sum(axis=0)
    score[region] = -np.inf
    while True:
        # The table only grows: what is too large for it now is so for good.
        large = {size for size in left if not _is_small(tuple(sorted([*shape, size])), order)}
        left -= large
        for size in large:
            score[sizes == size] = -np.inf
        nearest = int(np.argmax(score))
        if score[nearest] <= 0:
            return tuple(sorted(region))
        region.append(nearest)
        shape.append(int(sizes[nearest]))
        score += strengths[nearest]
        score[nearest] = -np.inf


@lru_cache(maxsize=4096)
def _is_small(shape: tuple[int, ...], order: int) -> bool:
    """Whether a table of this shape may be that of a neighbourhood."""
    return math.prod(shape) <= MOST_CELLS and count_contrasts(shape, order) <= MOST_CONTRASTS
