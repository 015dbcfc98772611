"""Predicted error of a plan, from its views, oracles and numbers of users; sees no data."""

from collections.abc import Iterable

from calm_core.metrics import choose_queries
from calm_core.plans import Plan
from calm_core.residuals import noise_sse
from calm_core.streams import stream

QUERIES = 200


def contrast_variance(plan: Plan, view: int) -> float:
    """Variance of one normalised contrast of a view: noise of the oracle plus sampling of the group.

    Without data every cell is taken as equally frequent.
    """
    oracle, share = plan.oracles[view], plan.shares[view]
    users = plan.n * share
    return (float(oracle.contrast_variance(1)) + (1 - share) / oracle.size) / users


def predicted_sse(plan: Plan, queries: Iterable[Iterable[str]] | None = None) -> float:
    """Expected SSE of the consistent estimate, mean over the queries, in squared fractions.

    Noise and sampling are counted, see `noise_sse`; what no view covers adds the unknown
    reconstruction error on top, and non-negativity takes some of the error away where cells are
    small.

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
    if queries is None:
        queries = choose_queries(plan.domain, plan.k, QUERIES, rng=stream(0, "prediction"))
    variances = [contrast_variance(plan, view) for view in range(plan.m)]
    return noise_sse(plan.domain, plan.views, variances, queries)
