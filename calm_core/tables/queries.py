"""Random k-way marginals to query."""

import math
from itertools import combinations

import numpy as np

from calm_core._checks import check_count, check_k, check_rng
from calm_core.tables.domain import Domain


def choose_queries(
    domain: Domain, k: int, count: int, *, rng: np.random.Generator
) -> list[tuple[str, ...]]:
    """`count` distinct random k-way marginals, or all of them where there are no more.

    Examples
    --------
    >>> domain = Domain(("sex", "age"), (2, 3))
    >>> choose_queries(domain, 1, 50, rng=np.random.default_rng(1))
    [('sex',), ('age',)]
    """
    k = check_k(k, domain.d)
    count, rng = check_count("queries", count), check_rng(rng)
    if math.comb(domain.d, k) <= count:
        return list(combinations(domain.names, k))
    chosen: dict[tuple[int, ...], None] = {}
    while len(chosen) < count:
        chosen[tuple(sorted(rng.choice(domain.d, size=k, replace=False).tolist()))] = None
    return [tuple(domain.names[i] for i in query) for query in chosen]
