"""Limits that hold everywhere: k up to the number of attributes, and the least budget."""

import math
import warnings

import numpy as np
import pytest

import calm_core as cc
from calm_core._checks import EPSILON_PART, MIN_EPSILON, check_epsilon
from calm_core.evaluation.prediction import predict_plan_wrong
from calm_core.methods import METHODS, Em
from calm_core.methods.base import CollectingMethod
from calm_core.methods.calm_plus import DESIGNS
from calm_core.oracles import ORACLES
from calm_core.text import format_number

CONFIGURED = [(name, {}) for name in METHODS]
CONFIGURED += [("calm_plus", {"design": design}) for design in DESIGNS]
CONFIGURED += [("calm_plus", {"oracle": oracle}) for oracle in ("best", *ORACLES)]
ids = lambda value: "-".join(value.values()) if isinstance(value, dict) else value  # noqa: E731


def bits(d: int, n: int = 2000) -> cc.Dataset:
    domain = cc.Domain(tuple(f"a{i}" for i in range(d)), (2,) * d)
    return cc.Dataset(np.random.default_rng(3).integers(0, 2, size=(n, d)), domain)


@pytest.mark.parametrize(("name", "options"), CONFIGURED, ids=ids)
def test_k_above_the_number_of_attributes_is_refused_alike(name, options, rng):
    method = METHODS[name](epsilon=1.0, k=4, **options)
    asked = []
    with pytest.raises(cc.InputError) as refused:
        method.release(bits(3), rng=rng, notify=asked.append)
    assert str(refused.value) == (
        "k (4) must be a whole number from 1 to 3; the number of attributes is 3"
    )
    assert not asked


SMALL = {
    "few people": (bits(9, 20), 3),
    "many attributes": (bits(24, 400), 3),
    "many values": (
        cc.Dataset(np.zeros((40, 7), int), cc.Domain(tuple("abcdefg"), (12,) * 7)), 7,
    ),
    "a single value": (cc.Dataset(np.zeros((40, 2), int), cc.Domain(("a", "b"), (1, 2))), 2),
    "single values only": (cc.Dataset(np.zeros((40, 2), int), cc.Domain(("a", "b"), (1, 1))), 2),
}  # fmt: skip


def refusal(call) -> str:
    """The message with which a call is refused; empty if it is not."""
    try:
        call()
    except cc.UserError as error:
        assert all(len(remedy) == 2 for remedy in error.remedies)
        return str(error)
    return ""


@pytest.mark.slow
@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(("name", "options"), CONFIGURED, ids=ids)
def test_what_release_refuses_is_refused_before_anybody_reports(name, options, rng):
    for shape, (data, k) in SMALL.items():
        method = METHODS[name](epsilon=1.0, k=k, **options)
        released = refusal(lambda m=method, d=data: m.release(d, rng=rng))
        assert released == refusal(lambda m=method, d=data: m.check(d.domain, d.n)), shape


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), CONFIGURED, ids=ids)
def test_every_number_is_finite_at_the_least_budget(name, options, rng):
    data = bits(7)
    method = METHODS[name](epsilon=MIN_EPSILON, k=2, **options)
    queries = cc.choose_queries(data.domain, 2, 10, rng=rng)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        answer = method.release(data, rng=rng)
        tables = answer.marginals(queries)
        errors = [method.analytical_sse(data.domain, data.n, query) for query in queries]
        if isinstance(method, CollectingMethod):
            errors.append(predict_plan_wrong(answer.plan))
    assert all(np.isfinite(table.values).all() for table in tables)
    assert all(error is None or math.isfinite(error) for error in errors)


def test_intervals_are_wide_at_the_least_budget(rng):
    answer = METHODS["calm_plus"](epsilon=MIN_EPSILON, k=2).release(bits(5), rng=rng)
    low, high = answer.interval(("a0", "a3"))
    assert np.isfinite(low).all() and (high <= 1).all() and (high - low > 0.5).all()


def test_em_splits_the_least_budget_among_many_attributes(rng):
    data = bits(64)
    answer = Em(epsilon=MIN_EPSILON, k=2).release(data, rng=rng)
    assert np.isfinite(answer.marginal(("a0", "a63")).values).all()


@pytest.mark.parametrize("epsilon", [MIN_EPSILON * 0.999, 5e-324, 0.0, -1.0])
def test_less_than_the_least_budget_is_refused(epsilon):
    # That every type and function refuses a wrong epsilon is in tests/test_refusals.py.
    said = rf"epsilon \({format_number(epsilon)}\) must be from 0.000001 .* to 16"
    with pytest.raises(cc.InputError, match=said):
        check_epsilon(epsilon)


@pytest.mark.parametrize("size", [1, 2, 4096])
@pytest.mark.parametrize("kind", ORACLES.values(), ids=ORACLES)
def test_an_oracle_is_finite_with_the_least_part_of_a_budget(kind, size, rng):
    oracle = kind(EPSILON_PART, size)
    counts = rng.integers(0, 50, size=(2, size)) + 1
    estimate = oracle.estimate(oracle.simulate(counts, rng=rng), counts.sum(axis=1))
    support = oracle.support(oracle.perturb(rng.integers(size, size=50), rng=rng))
    numbers = [oracle.p, oracle.q, oracle.variance(1), oracle.contrast_variance(1)]
    assert oracle.gap > 0 and np.isfinite(numbers).all()
    assert np.isfinite(estimate).all() and np.isfinite(oracle.estimate(support, 50)).all()
    with pytest.raises(cc.InputError, match="must be from 0.000000000001 .* to 16"):
        kind(EPSILON_PART / 2, size)
