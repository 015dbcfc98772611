"""Predicted error of a plan, from its views, oracles and numbers of users; sees no data."""

import math
from collections.abc import Iterable
from itertools import chain, combinations

from calm_core.metrics import choose_queries
from calm_core.plans import Plan
from calm_core.streams import stream

QUERIES = 200


def _subsets(attrs: tuple[str, ...], largest: int) -> Iterable[tuple[str, ...]]:
    """Non-empty subsets of at most `largest` attributes."""
    return chain.from_iterable(
        combinations(attrs, order) for order in range(1, min(largest, len(attrs)) + 1)
    )


def contrast_variance(plan: Plan, view: int) -> float:
    """Variance of one normalised contrast of a view: noise of the oracle plus sampling of the group.

    Without data every cell is taken as equally frequent.
    """
    oracle, share = plan.oracles[view], plan.shares[view]
    users = plan.n * share
    return float(oracle.contrast_variance(users)) + (1 - share) / (oracle.size * users)


def predicted_sse(plan: Plan, queries: Iterable[Iterable[str]] | None = None) -> float:
    """Expected SSE of the consistent estimate, mean over the queries, in squared fractions.

    In residual space the estimate of a set S of attributes has precision
    sum over views V containing S of 1 / (var_V * cells of V outside S), and adds
    dim_S * variance / (cells of A outside S) to the SSE of a marginal over A. Noise and sampling are
    counted; what no view covers adds the unknown reconstruction error on top, and non-negativity
    takes some of the error away where cells are small.

    Parameters
    ----------
    plan : Plan
        The collection.
    queries : iterable of attribute tuples, optional
        Marginals asked for; all k-way ones (200 of them where there are more) if omitted.

    Examples
    --------
    >>> import numpy as np
    >>> from calm_core.domain import Domain
    >>> from calm_core.plans import make_plan
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> plan = make_plan(domain, 10_000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> round(predicted_sse(plan), 5)
    0.0016
    """
    domain = plan.domain
    if queries is None:
        queries = choose_queries(domain, plan.k, QUERIES, rng=stream(0, "prediction"))
    queries = [domain.canonical(query) for query in queries]
    wanted = max(map(len, queries))
    size = dict(zip(domain.names, domain.sizes))
    precision: dict[tuple[str, ...], float] = {}
    for i, view in enumerate(plan.views):
        variance, cells = contrast_variance(plan, i), plan.oracles[i].size
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
