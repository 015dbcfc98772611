"""Designs of CALM+ with views of their own: all views are asked about equally, every user reports once."""

from itertools import combinations

import numpy as np
import pytest

import calm_core as cc
from calm_core.methods.calm_plus import DESIGNS_WITH_OWN_VIEWS, plan_all_views

DOMAIN = cc.Domain(tuple("abcde"), (2, 3, 2, 2, 4))


def data(rng, n=4000, domain=DOMAIN):
    codes = np.stack([rng.integers(0, c, n) for c in domain.sizes], axis=1)
    return cc.Dataset.from_codes(codes, domain)


@pytest.mark.parametrize("size", [2, 3])
def test_all_pairs_and_all_triples_are_asked_about_equally(size):
    plan = plan_all_views(DOMAIN, 10_000, size, epsilon=1.0, k=3)
    assert plan.views == tuple(combinations(DOMAIN.names, size))
    assert plan.shares == pytest.approx([1 / plan.m] * plan.m)


@pytest.mark.parametrize("design", DESIGNS_WITH_OWN_VIEWS)
def test_every_user_reports_exactly_once(rng, design):
    method = cc.METHODS["calm_plus"](epsilon=1.0, k=3, design=design, oracle="best")
    answer = method.release(data(rng), rng=rng)
    assert answer.reports.n == 4000 == sum(answer.noisy.users)
    assert answer.plan.views == tuple(view.attrs for view in answer.reports.views)
    assert sum(answer.plan.shares) == pytest.approx(1)
    assert {view.oracle.epsilon for view in answer.reports.views} == {1.0}
    assert set().union(*answer.plan.views) == set(DOMAIN.names)
    for query in combinations(DOMAIN.names, 3):
        assert cc.is_distribution(answer.marginal(query))
        assert cc.is_distribution(answer.views.marginal(query))


def test_too_many_views_are_refused():
    domain = cc.Domain(tuple(f"x{i}" for i in range(60)), (2,) * 60)
    with pytest.raises(cc.InfeasibleError, match="34,220"):
        plan_all_views(domain, 10**6, 3, epsilon=1.0, k=3)
    with pytest.raises(cc.InputError, match="design"):
        cc.METHODS["calm_plus"](epsilon=1.0, k=3, design="best")
