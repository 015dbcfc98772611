"""Consistency as the papers write it: one shared set after the other, in topological order."""

import itertools
import math

import numpy as np

from calm_core.collection.aggregation import NoisyMarginals
from calm_core.tables.marginal import Marginal


def shared_sets(views) -> list[frozenset]:
    """All intersections of some of the views, every set after its subsets."""
    found = {frozenset()} | {frozenset(view) for view in views}
    grown = found
    while grown:
        new = {a & frozenset(b) for a, b in itertools.product(grown, views)} - found
        found |= new
        grown = new
    return sorted(found, key=lambda s: (len(s), sorted(s)))


def _sums_over(values: np.ndarray, attrs, shared) -> np.ndarray:
    out = tuple(axis for axis, name in enumerate(attrs) if name not in shared)
    return values.sum(axis=out, keepdims=True)


def topological_consistency(noisy: NoisyMarginals, *, weights="precision") -> tuple[Marginal, ...]:
    """Average the projections on every shared set and spread the difference evenly."""
    tables = [table.values / 1.0 for table in noisy.tables]
    tables = [values + (1 - values.sum()) / values.size for values in tables]
    for shared in shared_sets(noisy.views)[1:]:
        holding = [v for v, view in enumerate(noisy.views) if shared <= set(view)]
        weight = []
        for v in holding:
            outside = math.prod(
                size
                for name, size in zip(noisy.views[v], noisy.tables[v].domain.sizes)
                if name not in shared
            )
            weight.append(1 / (noisy.variances[v] * outside) if weights == "precision" else 1.0)
        if not sum(weight):
            continue
        sums = [_sums_over(tables[v], noisy.views[v], shared) for v in holding]
        shape = tuple(s for s in sums[0].shape if s > 1) or (1,)
        best = sum(w * s.reshape(shape) for w, s in zip(weight, sums)) / sum(weight)
        for v, own in zip(holding, sums):
            per_cell = own.size / tables[v].size
            tables[v] = tables[v] + (best.reshape(own.shape) - own) * per_cell
    return tuple(Marginal(t.domain, values) for t, values in zip(noisy.tables, tables))
