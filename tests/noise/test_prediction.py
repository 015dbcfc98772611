"""The predicted error of a plan is the measured one of the consistent, uncorrected estimate."""

import math
from dataclasses import replace

import numpy as np
import pytest

import calm_core as cc
from calm_core.evaluation.prediction import plan_variances
from calm_core.evaluation.run import iter_price, iter_wrong
from calm_core.methods import Calm
from calm_core.planning.plan import contrast_variance
from calm_core.tables.dataset import Population

CASES = [
    ((2,) * 8, 3, 56, 1.0, 3),
    ((2,) * 8, 2, 28, 0.5, 2),
    ((2,) * 8, 4, 14, 0.5, 3),
    ((2, 3, 5, 2, 4), 2, 10, 1.0, 2),
]


@pytest.mark.parametrize(("sizes", "l", "m", "epsilon", "k"), CASES)
def test_prediction_is_the_measured_error(sizes, l, m, epsilon, k):  # noqa: E741
    # Uniform data, covered queries, 100 collections: the mean lies within 4 standard errors (each
    # under 5%) but once in 16,000 runs; a prediction 30% off does not.
    rng = np.random.default_rng(3)
    domain = cc.Domain(tuple(f"a{i}" for i in range(len(sizes))), sizes)
    codes = np.stack([rng.integers(0, c, 60_000) for c in sizes], axis=1)
    dataset = cc.Dataset.from_codes(codes, domain)
    plan = cc.make_plan(domain, dataset.n, epsilon=epsilon, k=k, l=l, m=m, rng=rng)
    queries = cc.choose_queries(domain, k, 30, rng=rng)
    truths = dataset.marginals(queries)
    errors = []
    for _ in range(100):
        noisy = cc.aggregate(cc.collect(dataset, plan, rng=rng))
        tables = cc.make_consistent(noisy, nonnegativity="none").tables
        answers = [next(t for t in tables if t.covers(query)).project(query) for query in queries]
        errors.append(np.mean([cc.sse(t, a) for t, a in zip(truths, answers)]))
    standard_error = np.std(errors, ddof=1) / math.sqrt(len(errors))
    known = plan_variances(plan, queries=queries)
    predicted = (known.collected / known.cells).mean()
    assert standard_error < 0.05 * predicted
    assert abs(np.mean(errors) - predicted) < 4 * standard_error
    assert abs(np.mean(errors) - 1.3 * predicted) > 4 * standard_error
    assert abs(np.mean(errors) - 0.7 * predicted) > 4 * standard_error


@pytest.mark.parametrize("m", [1, 2, 5, 10])
def test_sampling_is_predicted_too(m):
    """With nearly no noise the error of a view is that of a sample without replacement.

    A cell at 1/L of n/m out of n users has the variance (1/L) (1 - 1/L) (1 - 1/m) m / n, and all
    L - 1 contrasts together L times that.
    """
    n, sizes = 60_000, (2, 3, 2, 2, 2)
    domain = cc.Domain(tuple("abcde"), sizes)
    plan = cc.make_plan(
        domain, n, epsilon=16.0, k=2, l=5 if m == 1 else 3, m=m if m > 1 else 1, oracle="grr",
        rng=np.random.default_rng(1), theta=1.0,
    )  # fmt: skip
    for view, oracle in enumerate(plan.oracles):
        sampled = (1 - 1 / plan.m) * plan.m / (n * oracle.size)
        predicted = contrast_variance(plan.oracles[view], plan.shares[view], plan.n)
        assert predicted == pytest.approx(sampled, rel=1e-3, abs=1e-9)


def test_sampling_of_unequal_groups_is_the_measured_one():
    """Two views, one of a tenth and one of nine tenths of the users, measured 400 times.

    The mean square of the L - 1 contrasts of 400 draws stays within 25% of the prediction.
    """
    rng = np.random.default_rng(8)
    domain = cc.Domain(("a", "b"), (2, 3))
    codes = np.stack([np.tile(np.arange(2), 3000), np.repeat(np.arange(3), 2000)], axis=1)
    data = cc.Dataset(codes, domain)
    plan = cc.make_plan(domain, data.n, epsilon=16.0, k=2, oracle="grr", rng=rng)
    plan = replace(plan, views=plan.views * 2, oracles=plan.oracles * 2, weights=(1.0, 9.0))
    truth, squares = data.marginal(domain.names).values, np.zeros(2)
    for _ in range(400):
        tables = cc.aggregate(cc.collect(data, plan, rng=rng)).tables
        squares += [((table.values - truth) ** 2).sum() / 5 / 400 for table in tables]
    for view, found in enumerate(squares):
        assert found == pytest.approx(
            contrast_variance(plan.oracles[view], plan.shares[view], plan.n), rel=0.25
        )


def test_the_people_named_bring_local_privacy_as_close_as_the_curator():
    """The price against a simulation of its own, with other noise: within 10%, standard errors 3%."""
    rng = np.random.default_rng(4)
    domain = cc.Domain(tuple("abcd"), (2,) * 4)
    codes = (rng.random((20_000, 4)) < (0.5, 0.3, 0.4, 0.2)).astype(int)
    data, attrs = cc.Dataset.from_codes(codes, domain), ("a", "b")
    *_, price = iter_price(data, attrs, epsilon=1.0, k=2, seed=1)
    assert 100 * data.n < price.people and price.curator.mean < 0.1 * price.local.mean
    many, local = Population(data, price.people), Calm(epsilon=1.0, k=2)
    *_, other = iter_wrong(many, local, attrs, seed=2)
    assert other.mean == pytest.approx(price.curator.mean, rel=0.1 + 3 * 0.03 * math.sqrt(2))
    assert price.reached.mean == pytest.approx(price.curator.mean, rel=0.1)


def test_the_price_of_two_yes_or_no_questions_is_that_of_the_formulas():
    rng = np.random.default_rng(4)
    data = cc.Dataset.from_codes(rng.integers(0, 2, (20_000, 2)), cc.Domain(("a", "b"), (2, 2)))
    *_, price = iter_price(data, ("a", "b"), epsilon=1.0, k=2, seed=1)
    # Mean absolute errors: Laplace noise of scale 2 / (1 / 2) in counts, and normal noise of randomized response.
    p, q = np.e / (np.e + 3), 1 / (np.e + 3)
    variance = (p * (1 - p) + 3 * q * (1 - q)) / 4 / (p - q) ** 2
    assert price.local.mean == pytest.approx(
        4 * math.sqrt(2 * variance / math.pi / 20_000) / 2, rel=0.1
    )
    assert 1 < price.curator.mean * 20_000 / 2 < 5
