"""How many people make up for a missing curator: found soon, in steps, from errors that are the right ones."""

import math
from itertools import combinations

import pytest

from calm_core.planning.expected_error import expected_sse, noise_errors
from calm_core.planning.plan import make_plan
from calm_core.planning.remedies import find_users
from calm_core.randomness import stream
from calm_core.tables.domain import Domain


def test_few_sets_of_views_are_weighed_however_many_numbers_of_people_are_tried():
    domain = Domain(tuple(f"a{i}" for i in range(32)), (2,) * 32)
    weighed = []
    asked = {"epsilon": 1.0, "k": 4}
    n = find_users(domain, 1e-5, n=60_000, notify=weighed.append, **asked)
    assert weighed == list(range(len(weighed))) and len(weighed) <= 6
    assert imagined_error(domain, n, **asked) <= 1e-5 < imagined_error(domain, n / 1.05, **asked)


def imagined_error(domain, n, **asked):
    return expected_sse(make_plan(domain, int(n), rng=stream(0, "users"), **asked))


def test_who_is_told_of_the_search_can_end_it():
    domain = Domain(tuple("abcdefgh"), (2,) * 8)

    def stop(done):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        find_users(domain, 1e-3, n=1_000, epsilon=1.0, k=3, notify=stop)


def test_errors_of_queries_are_the_sums_over_their_subsets(rng):
    domain = Domain(tuple("abcdef"), (2, 3, 2, 4, 2, 3))
    plan = make_plan(domain, 5_000, epsilon=1.0, k=3, rng=rng)
    variances = rng.uniform(1e-4, 1e-2, plan.m)
    queries = [("a", "b", "d"), ("c", "f"), ("e",), ("a", "b", "c", "d", "e", "f")]

    def slowly(query, prior=None):
        total = 0.0
        for subset in (s for r in range(1, len(query) + 1) for s in combinations(query, r)):
            inside = math.prod(domain.shape_of(subset))
            dim = math.prod(c - 1 for c in domain.shape_of(subset))
            precision = sum(
                inside / (variance * math.prod(domain.shape_of(view)))
                for view, variance in zip(plan.views, variances)
                if set(subset) <= set(view)
            )
            precision += inside / prior(len(subset)) if prior else 0.0
            total += dim * inside / precision if precision else 0.0
        return total / math.prod(domain.shape_of(query))

    for prior in (None, lambda order: 0.01 * order):
        found = noise_errors(domain, plan.views, variances, queries, prior=prior)
        assert found.tolist() == pytest.approx([slowly(query, prior) for query in queries])
