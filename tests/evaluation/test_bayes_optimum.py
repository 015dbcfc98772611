"""The Bayes optimum: against integrals, against noise alone, and nobody comes nearer."""

import math

import numpy as np
import pytest

import calm_core as cc
from calm_core.errors import InfeasibleError, InputError
from calm_core.evaluation import table_posterior
from calm_core.evaluation.bayes_optimum import (
    DENSE,
    SPARSE,
    Dependence,
    dependence_of,
    find_optimum,
)
from calm_core.planning.plan import Plan, make_plan

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def fewer_draws(monkeypatch):
    """100 draws make an expected square 1% too large, a tenth of what the repetitions leave open."""
    monkeypatch.setattr(table_posterior, "DRAWS", 100)


def plan_of(d: int, n: int, epsilon: float, *, k: int = 2, sizes=None) -> Plan:
    domain = cc.Domain(tuple("abcdefgh"[:d]), sizes or (2,) * d)
    rng = np.random.default_rng(1)
    return make_plan(domain, n, epsilon=epsilon, k=k, theta=1e-3, rng=rng)


def by_integral(plan: Plan, variance: float) -> float:
    """Expected SSE of the posterior mean of one yes/no attribute, by sums over a fine grid."""
    at = np.linspace(-5, 5, 1201) * math.sqrt(variance)
    prior = np.exp(-(at**2) / variance / 2)
    prior /= prior.sum()
    share = 1 / (1 + np.exp(-2 * at))
    oracle = plan.oracles[0]
    # A report says yes with this chance, and reports are all there is.
    yes = oracle.q + oracle.gap * share
    said = np.linspace(0, 1, 1601)
    spread = yes * (1 - yes) / plan.n
    law = np.exp(-((said[:, None] - yes) ** 2) / spread / 2) / np.sqrt(spread) * prior
    total = law.sum(axis=1)
    mean = (law @ share) / np.maximum(total, 1e-300)
    square = (law @ share**2) / np.maximum(total, 1e-300)
    # Both cells are off by as much.
    return float(2 * ((square - mean**2) * total).sum() / total.sum())


@pytest.mark.parametrize(("n", "epsilon"), [(200, 0.5), (2_000, 1.0)])
def test_one_attribute_is_what_an_integral_says(n, epsilon):
    # The second has one value only: nothing to be found out about it.
    plan = plan_of(2, n, epsilon, k=1, sizes=(2, 1))
    found = find_optimum(
        plan, Dependence((0.15, 0.02, 0.003)), [("a",)], repetitions=30, rng=np.random.default_rng(3)
    )  # fmt: skip
    best = np.array(found.best)
    error = best.std(ddof=1) / math.sqrt(len(best))
    assert best.mean() == pytest.approx(by_integral(plan, 0.15), abs=3 * error + 0.02 * best.mean())


def test_where_reports_say_all_their_noise_is_left():
    plan = plan_of(2, 10**8, 2.0)
    found = find_optimum(plan, DENSE, [("a", "b")], repetitions=50, rng=np.random.default_rng(5))
    assert plan.views == (("a", "b"),)
    for method in ("calm_plus", "calm"):
        ratio, error = found.ratio(method)
        assert ratio == pytest.approx(1, abs=3 * error) and error < 0.25


@pytest.mark.parametrize("dependence", [DENSE, SPARSE], ids=["dense", "sparse"])
def test_nobody_comes_nearer_on_average(dependence):
    plan = plan_of(5, 30_000, 0.7, sizes=(2, 3, 2, 2, 2))
    queries = cc.choose_queries(plan.domain, 3, 10, rng=np.random.default_rng(2))
    found = find_optimum(plan, dependence, queries, repetitions=25, rng=np.random.default_rng(2))
    for method in ("calm_plus", "calm"):
        ratio, error = found.ratio(method)
        assert ratio > 1 - 2 * error
    plus, error = found.ratio("calm_plus")
    assert found.ratio("calm")[0] > 1.5 > plus - 2 * error


def test_the_dependence_of_a_known_table_is_found():
    drawn = Dependence((0.2, 0.05, 0.01))
    domain = cc.Domain(tuple("abcdefgh"), (2,) * 8)
    rng, found = np.random.default_rng(4), []
    signs = 1 - 2 * np.indices((2,) * 8).reshape(8, -1)
    for _ in range(4):
        exponents = np.zeros(256)
        for order, variance in enumerate(drawn.variances, start=1):
            for query in cc.choose_queries(domain, order, 10**6, rng=rng):
                exponents += rng.normal(0, variance**0.5) * signs[
                    list(domain.positions(query))
                ].prod(axis=0)
        table = np.exp(exponents)
        table /= table.sum()
        found.append(dependence_of(cc.Marginal(domain, table.reshape((2,) * 8)), 10**9).variances)
    assert np.mean(found, axis=0) == pytest.approx(drawn.variances, rel=0.3)


def test_what_is_too_large_is_refused():
    with pytest.raises(InfeasibleError, match="2,048"):
        domain = cc.Domain(tuple("abcdefghijk"), (2,) * 11)
        dependence_of(cc.Marginal(domain, np.full((2,) * 11, 2.0**-11)), 100)
    plan = plan_of(2, 1_000, 1.0)
    with pytest.raises(InputError):
        find_optimum(plan, DENSE, [("a",)], repetitions=0, rng=np.random.default_rng(1))
