"""Expected error of consistent views, from their precision in residual space."""

import math
from collections.abc import Iterable, Sequence
from itertools import chain, combinations

from calm_core.domain import Domain


def _subsets(attrs: tuple[str, ...], largest: int) -> Iterable[tuple[str, ...]]:
    """Non-empty subsets of at most `largest` attributes."""
    return chain.from_iterable(
        combinations(attrs, order) for order in range(1, min(largest, len(attrs)) + 1)
    )


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
    queries = [domain.canonical(query) for query in queries]
    wanted = max(map(len, queries))
    size = dict(zip(domain.names, domain.sizes))
    precision: dict[tuple[str, ...], float] = {}
    for view, variance in zip(views, variances):
        cells = math.prod(size[name] for name in view)
        for subset in _subsets(view, wanted):
            outside = cells / math.prod(size[name] for name in subset)
            precision[subset] = precision.get(subset, 0.0) + 1 / max(variance * outside, 1e-300)
    total = 0.0
    for query in queries:
        cells = math.prod(size[name] for name in query)
        for subset in _subsets(query, wanted):
            if subset in precision:
                inside = math.prod(size[name] for name in subset)
                dim = math.prod(size[name] - 1 for name in subset)
                total += dim / precision[subset] * inside / cells
    return total / len(queries)
