"""Whole tables from reports of parities, for methods that know views only."""

import math
from itertools import combinations

import numpy as np

from calm_core.collection.aggregating import NoisyMarginals
from calm_core.inference.shrinkage.interactions import Interactions, Subset, measure_interactions
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.contrasts import transform
from calm_core.tables.marginal import Marginal, uniform


def full_tables_from_parities(noisy: NoisyMarginals) -> NoisyMarginals:
    """The same knowledge as tables of views that tell all of their interactions.

    Where every view does so already, they are returned as they are. Else a table is made of the
    measured interactions of every set of attributes that is in no larger one; these tables agree. Of an attribute that nobody
    reported on the table is uniform, with infinite variance.

    Examples
    --------
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(("sex", "votes"), (2, 2))
    >>> alone = [Marginal(domain.project((name,)), [0.4, 0.6]) for name in domain.names]
    >>> agree = Marginal(domain, [[0.3, 0.2], [0.2, 0.3]])
    >>> told = None, None, frozenset({(0, 1)})
    >>> noisy = NoisyMarginals(domain, (*alone, agree), (1e-4,) * 3, (100,) * 3, sets=told)
    >>> full_tables_from_parities(noisy).tables[0].values.round(3).tolist()
    [[0.2, 0.2], [0.2, 0.4]]
    """
    if not any(noisy.sets):
        return noisy
    found = measure_interactions(noisy)
    held: set[Subset] = set()
    tables, cells, contrasts = [], [], []
    for subset in sorted(found.index, key=len, reverse=True):
        checkpoint()
        if subset not in held:
            held.update(s for r in range(len(subset)) for s in combinations(subset, r + 1))
            table, variance = _table(noisy, found, subset)
            tables.append(table)
            contrasts.append(variance)
            cells.append(variance * (1 - 1 / table.values.size))
    for i, name in enumerate(noisy.domain.names):
        if (i,) not in held:
            alone = noisy.domain.project((name,))
            tables.append(uniform(alone, alone.names))
            contrasts.append(math.inf)
            cells.append(math.inf)
    return NoisyMarginals(
        noisy.domain, tuple(tables), tuple(cells), (0,) * len(tables), tuple(contrasts)
    )


def _table(noisy: NoisyMarginals, found: Interactions, subset: Subset) -> tuple[Marginal, float]:
    """The table over a set of attributes, and the mean variance of its contrasts."""
    domain = noisy.domain.project([noisy.domain.names[i] for i in subset])
    size = math.prod(domain.sizes)
    moved, spread = np.zeros(domain.sizes), 0.0
    moved[(0,) * len(subset)] = 1 / math.sqrt(size)
    for r in range(1, len(subset) + 1):
        for axes in combinations(range(len(subset)), r):
            part = tuple(subset[a] for a in axes)
            at = tuple(slice(1, None) if a in axes else 0 for a in range(len(subset)))
            outside = size / math.prod(domain.sizes[a] for a in axes)
            values = found.values(part)
            moved[at] = values.reshape(moved[at].shape) / math.sqrt(outside)
            spread += values.size * found.variance(part) / outside
    values = transform(moved.reshape(1, -1), domain.sizes, inverse=True).reshape(domain.sizes)
    return Marginal(domain, values), spread / max(size - 1, 1)
