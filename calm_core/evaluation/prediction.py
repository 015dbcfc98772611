"""What a method will err, before anything is collected."""

import math

import numpy as np

from calm_core._checks import check_k
from calm_core.evaluation.error_units import typical_points
from calm_core.methods.base import Method
from calm_core.planning.expected_error import MAX_SSE, default_queries, expected_errors
from calm_core.planning.plan import Plan
from calm_core.tables.domain import Domain


def predict_points(
    method: Method, domain: Domain, n: int, *, rng: np.random.Generator
) -> float | None:
    """Expected typical error of the k-way tables, in percentage points; None without a formula.

    Sees no data. What is supposed instead is in `Method.expected_errors`; where noise is strong the
    measured error is smaller, since no released share is negative.

    Parameters
    ----------
    method : Method
        What is to be released, with its epsilon and k.
    domain : Domain
        Shape of the data.
    n : int
        Number of users.
    rng : numpy Generator
        Randomness of the plan.

    Examples
    --------
    >>> from calm_core.methods import Calm, Em
    >>> domain, rng = Domain(names=("sex", "age"), sizes=(2, 3)), np.random.default_rng(1)
    >>> round(predict_points(Calm(epsilon=1.0, k=2), domain, 10_000, rng=rng), 2)
    1.63
    >>> predict_points(Em(epsilon=1.0, k=2), domain, 10_000, rng=rng) is None
    True
    """
    check_k(method.k, domain.d)
    queries = default_queries(domain, method.k)
    errors = method.expected_errors(domain, n, queries, rng=rng)
    return None if errors is None else _points(errors, domain, queries)


def predict_plan_points(plan: Plan) -> float:
    """Expected typical error of a plan of CALM, with the allowance for rebuilding.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> plan = make_plan(domain, 10_000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> round(predict_plan_points(plan), 2)
    1.63
    """
    queries = default_queries(plan.domain, plan.k)
    return _points(np.minimum(expected_errors(plan, queries), MAX_SSE), plan.domain, queries)


def _points(errors, domain: Domain, queries) -> float:
    return typical_points(errors, [math.prod(domain.shape_of(query)) for query in queries])
