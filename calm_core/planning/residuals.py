"""Expected error of consistent views, from their precision in residual space."""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain, combinations

import numpy as np

from calm_core.tables.domain import Domain


def _subsets(attrs: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
    """All non-empty subsets."""
    return chain.from_iterable(combinations(attrs, order) for order in range(1, len(attrs) + 1))


def noise_sse(
    domain: Domain,
    views: Sequence[tuple[str, ...]],
    variances: Sequence[float],
    queries: Iterable[Iterable[str]],
) -> float:
    """Expected SSE of consistent, uncorrected estimates, mean over the queries.

    The estimate of a set S of attributes has precision
    sum over views V containing S of 1 / (var_V * cells of V outside S), and adds
    dim_S * variance / (cells of A outside S) to the SSE of a marginal over A. What no view covers
    adds the unknown reconstruction error on top.

    Parameters
    ----------
    domain : Domain
        Shape of the data.
    views : sequence of attribute tuples
        What was measured, m views.
    variances : sequence of float
        Variance of one normalised contrast of each view, in fractions squared.
    queries : iterable of attribute tuples
        Marginals asked for.

    Examples
    --------
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> round(noise_sse(domain, [("sex", "age")], [0.01], [("sex", "age"), ("sex",)]), 6)
    0.04
    """
    asked = [domain.positions(query) for query in queries]
    holds = np.zeros((len(views), domain.d), dtype=bool)
    for row, view in zip(holds, views):
        row[list(domain.positions(view))] = True
    cells = np.array([math.prod(domain.shape_of(view)) for view in views], dtype=float)
    exact = 1 / np.maximum(np.asarray(variances) * cells, 1e-300)

    @cache
    def added(subset: tuple[int, ...]) -> float:
        """What the subset adds to the SSE of a table, times the cells of that table."""
        inside = math.prod(domain.sizes[i] for i in subset)
        precision = exact[holds[:, subset].all(axis=1)].sum() * inside
        dim = math.prod(domain.sizes[i] - 1 for i in subset)
        return dim * inside / precision if precision > 0 else 0.0

    total = sum(
        sum(map(added, _subsets(query))) / math.prod(domain.sizes[i] for i in query)
        for query in asked
    )
    return float(total / len(asked))
