"""Which attributes are fitted together with those of a query.

Attributes that depend on a query's own tell what its reports alone leave open. A neighbourhood is the
query and the attributes that interact most with it as far as the reports tell, few enough for a small
table.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calm_core.inference.shrinkage.interactions import Subset
from calm_core.inference.shrinkage.priors import Knowledge

EXTRA_ATTRIBUTES = 1


@dataclass(frozen=True)
class Reach:
    """How far neighbourhoods go.

    Attributes
    ----------
    attributes : int
        So many attributes in all; one more than the query has if that is more.
    cells : int
        Of their table, at most.
    """

    attributes: int
    cells: int


NEAR, WIDE = Reach(6, 2**7), Reach(9, 2**9)


def _strengths(known: Knowledge) -> np.ndarray:
    """Mean square of every pair's standardised interaction, as shrunken, shape (d, d)."""
    d = known.interactions.domain.d
    strengths = np.zeros((d, d))
    for (i, j), strength in known.strengths.items():
        strengths[i, j] = strengths[j, i] = strength
    return strengths


def neighbourhoods(
    known: Knowledge, queries: Sequence[Subset], reach: Reach = NEAR
) -> list[Subset]:
    """The attributes (ascending positions) to be fitted together for every query.

    Parameters
    ----------
    known : Knowledge
        Whose measured pairs say which attributes belong together.
    queries : sequence of tuple of int
        Positions of the attributes of every query, ascending.
    reach : Reach
        How many more there may be.

    Returns
    -------
    list of tuple of int
        Each holds its query, and others as far as it reaches.
    """
    sizes, strengths = np.array(known.interactions.domain.sizes), _strengths(known)
    found = []
    for query in queries:
        region, cells = list(query), math.prod(sizes[list(query)].tolist())
        most = max(reach.attributes, len(query) + EXTRA_ATTRIBUTES)
        score = strengths[region].sum(axis=0)
        while len(region) < most:
            score[region] = -1.0
            nearest = int(np.argmax(np.where(cells * sizes <= reach.cells, score, -1.0)))
            if score[nearest] <= 0 or cells * sizes[nearest] > reach.cells:
                break
            region.append(nearest)
            cells *= int(sizes[nearest])
            score += strengths[nearest]
        found.append(tuple(sorted(region)))
    return found
