"""Designs by predicted risk: the allocation is optimal, every user reports once, phases are honest."""

from dataclasses import fields
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

import calm_core as cc
from calm_core.inference.shrinkage.priors import Knowledge
from calm_core.methods import base as views
from calm_core.methods import calm_plus
from calm_core.methods import calm_plus as risk_design
from calm_core.methods.calm_plus import allocate, candidate_views, plan_by_risk

DOMAIN = cc.Domain(tuple("abcde"), (2, 3, 2, 2, 4))


def data(rng, n=4000, domain=DOMAIN):
    codes = np.stack([rng.integers(0, c, n) for c in domain.sizes], axis=1)
    return cc.Dataset.from_codes(codes, domain)


def test_allocation_agrees_with_a_general_optimizer(rng):
    precision = csr_matrix(rng.random((5, 7)) * (rng.random((5, 7)) < 0.6))
    importance, known = rng.random(7) + 0.1, rng.random(7) * 20 + 1

    def risk(shares):
        return (importance / (known + 100 * (precision.T @ shares))).sum()

    shares = allocate(precision, importance, known, 100)
    slow = minimize(
        risk, np.full(5, 0.2), bounds=[(0, 1)] * 5, method="SLSQP",
        constraints={"type": "eq", "fun": lambda s: s.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 1000},
    )  # fmt: skip
    assert abs(shares.sum() - 1) < 1e-12 and shares.min() >= 0
    assert risk(shares) <= slow.fun * (1 + 1e-4)


def test_a_users_precision_is_the_oracles(rng):
    found = candidate_views(DOMAIN, 1.0, (1, 2, 3))
    view = DOMAIN.positions(("a", "b", "e"))
    row = found.views.index(view)
    oracle = found.oracles[row]
    assert oracle.size == 24
    for subset in ((0,), (0, 4), (0, 1, 4)):
        cells = np.prod([DOMAIN.sizes[i] for i in subset])
        variance = oracle.contrast_variance(1) * 24 / cells + 1 / cells
        column = found.subsets.index(subset)
        assert found.precision[row, column] == pytest.approx(1 / variance)
    assert found.precision[row, found.subsets.index((2,))] == 0


@pytest.mark.parametrize("design, size", [("pairs", 2), ("triples", 3)])
def test_all_pairs_and_all_triples_are_asked_about_equally(design, size):
    plan = plan_by_risk(DOMAIN, 10_000, epsilon=1.0, k=3, design=design)
    assert plan.views == tuple(combinations(DOMAIN.names, size))
    assert plan.shares == pytest.approx([1 / plan.m] * plan.m)


def test_risk_asks_about_what_k_needs():
    domain = cc.Domain(tuple("abcdefgh"), (2,) * 8)
    low = plan_by_risk(domain, 2**16, epsilon=0.2, k=3)
    high = plan_by_risk(domain, 2**18, epsilon=4.0, k=3)
    one = plan_by_risk(domain, 2**16, epsilon=1.0, k=1)
    assert one.l == 1 and one.m == 8
    share = {
        name: sum(s for s, v in zip(plan.shares, plan.views) if len(v) == 3)
        for name, plan in (("low", low), ("high", high))
    }
    assert share["low"] < share["high"]
    # By symmetry no pair is preferred.
    pairs = [s for s, v in zip(low.shares, low.views) if len(v) == 2]
    assert len(pairs) in (0, 28) and np.ptp(pairs or [0]) < 1e-9


@pytest.mark.parametrize("design", ["pairs", "triples", "risk", "optimal", "two_phase"])
@pytest.mark.parametrize("simulation", ["aggregate", "per_user"])
def test_every_user_reports_exactly_once(rng, design, simulation):
    method = cc.METHODS["calm_plus"](
        epsilon=1.0, k=3, design=design, oracle="best", simulation=simulation
    )
    answer = method.release(data(rng), rng=rng)
    assert answer.reports.n == 4000 == sum(answer.noisy.users)
    assert answer.plan.views == tuple(view.attrs for view in answer.reports.views)
    assert sum(answer.plan.shares) == pytest.approx(1)
    assert {view.oracle.epsilon for view in answer.reports.views} == {1.0}
    assert set().union(*answer.plan.views) == set(DOMAIN.names)
    for query in combinations(DOMAIN.names, 3):
        assert cc.is_distribution(answer.marginal(query))
        assert cc.is_distribution(answer.views.marginal(query))


def test_the_two_phases_are_disjoint_users_and_only_reports_pass_between(rng, monkeypatch):
    seen, planned = [], []
    real_collect, real_plan = views.collect, calm_plus.plan_second_phase

    def watch_collect(dataset, plan, **options):
        seen.append(dataset.codes)
        return real_collect(dataset, plan, **options)

    def watch_plan(known, first, n, **options):
        planned.append((known, first, n))
        return real_plan(known, first, n, **options)

    monkeypatch.setattr(views, "collect", watch_collect)
    monkeypatch.setattr(calm_plus, "plan_second_phase", watch_plan)
    # Every user is recognisable by her value of a wide attribute.
    domain = cc.Domain(("id", "x", "y"), (500, 2, 2))
    codes = np.stack([np.arange(500), rng.integers(0, 2, 500), rng.integers(0, 2, 500)], axis=1)
    method = cc.METHODS["calm_plus"](epsilon=1.0, k=2, design="two_phase")
    method.release(cc.Dataset.from_codes(codes, domain), rng=rng)
    first, second = (set(part[:, 0].tolist()) for part in seen)
    assert not first & second and first | second == set(range(500))
    ((known, _, n),) = planned
    # What passes between the phases has no field that could hold records.
    assert n == 250 and isinstance(known, Knowledge)
    assert {field.name for field in fields(known)} == set(vars(known))


def test_two_phases_ask_again_where_the_interactions_are(rng, monkeypatch):
    planned, real_plan = [], calm_plus.plan_second_phase

    def watch_plan(*args, **options):
        planned.append(real_plan(*args, **options))
        return planned[-1]

    monkeypatch.setattr(calm_plus, "plan_second_phase", watch_plan)
    domain = cc.Domain(tuple("abcdef"), (2,) * 6)
    codes = rng.integers(0, 2, (60_000, 6))
    codes[:, 1] = codes[:, 0] ^ (rng.random(60_000) < 0.1)
    method = cc.METHODS["calm_plus"](epsilon=1.0, k=2, design="two_phase")
    method.release(cc.Dataset.from_codes(codes, domain), rng=rng)
    (second,) = planned
    # Parities tell of several pairs at once, so what counts is what is told of each.
    told = dict.fromkeys(combinations(domain.names, 2), 0.0)
    for view, oracle, share in zip(second.views, second.oracles, second.shares):
        pairs = oracle.sets or combinations(range(len(view)), 2)
        for pair in pairs:
            if len(pair) == 2:
                known = 1 / (oracle.size * float(oracle.contrast_variance(1)) + 1)
                told[tuple(view[i] for i in pair)] += share * known
    others = [precision for pair, precision in told.items() if pair != ("a", "b")]
    assert told["a", "b"] > 1.3 * np.mean(others)


def test_too_many_views_are_refused():
    domain = cc.Domain(tuple(f"x{i}" for i in range(60)), (2,) * 60)
    with pytest.raises(cc.InfeasibleError, match="34,220"):
        plan_by_risk(domain, 10**6, epsilon=1.0, k=3, design="triples")
    assert plan_by_risk(domain, 10**6, epsilon=1.0, k=3, design="risk").l == 2
    with pytest.raises(cc.InputError, match="design"):
        cc.METHODS["calm_plus"](epsilon=1.0, k=3, design="best")


def test_an_attribute_too_large_for_any_pair_stands_alone(monkeypatch):
    monkeypatch.setattr(risk_design, "MAX_VIEW_CELLS", 10)
    domain = cc.Domain(("a", "b", "c"), (2, 3, 50))
    plan = plan_by_risk(domain, 1000, epsilon=1.0, k=2, design="pairs")
    assert plan.views == (("a", "b"), ("c",))
