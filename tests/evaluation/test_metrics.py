"""Metrics against hand-made numbers and scipy."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

import calm_core as cc

DOMAIN = cc.Domain(("sex", "age"), (2, 3))


def table(values):
    return cc.Marginal(DOMAIN, values)


def test_metrics_by_hand():
    truth = table([[0.5, 0.2, 0.0], [0.1, 0.1, 0.1]])
    answer = table([[0.4, 0.3, 0.0], [0.1, 0.1, 0.1]])
    assert cc.sse(truth, answer) == pytest.approx(0.02)
    assert cc.l2(truth, answer) == pytest.approx(math.sqrt(0.02))
    assert cc.l1(truth, answer) == pytest.approx(0.2)


def test_jensen_shannon_is_scipys(rng):
    for _ in range(50):
        a, b = rng.dirichlet(np.full(6, 0.3), size=2)
        ours = cc.jensen_shannon(table(a.reshape(2, 3)), table(b.reshape(2, 3)))
        assert ours == pytest.approx(jensenshannon(a, b) ** 2, abs=1e-12)


def test_jensen_shannon_of_disjoint_tables_is_ln_2():
    a, b = table([[1, 0, 0], [0, 0, 0]]), table([[0, 0, 0], [0, 0, 1]])
    assert cc.jensen_shannon(a, b) == pytest.approx(math.log(2))


def test_different_tables_are_not_compared():
    with pytest.raises(cc.InputError, match="compared"):
        cc.sse(table(np.full((2, 3), 1 / 6)), cc.uniform(DOMAIN, ("sex",)))


def test_queries_are_distinct_and_all_where_few(rng):
    domain = cc.Domain(tuple("abcdefgh"), (2,) * 8)
    assert len(set(cc.choose_queries(domain, 3, 50, rng=rng))) == 50
    assert len(cc.choose_queries(domain, 3, 200, rng=rng)) == 56


def test_streams_are_apart_and_repeat():
    keys = [(1, 0, "a"), (1, 1, "a"), (1, 0, "b"), (2, 0, "a")]
    draws = [cc.stream(*key).random() for key in keys]
    assert len(set(draws)) == 4
    assert cc.stream(1, 0, "a").random() == draws[0]
