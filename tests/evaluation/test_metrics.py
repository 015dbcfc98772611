"""Metrics against hand-made numbers and scipy."""

import math

import numpy as np
import pytest
from scipy.special import rel_entr

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


@pytest.mark.parametrize("apart", [1.0, 1e-3, 0.0])
def test_jensen_shannon_keeps_cells_as_small_as_can_be_and_empty_ones(apart, rng):
    domain = cc.Domain(("a", "b"), (8, 8))
    for _ in range(20):
        # Among them cells of 1e-30 and less, and empty ones.
        a = rng.dirichlet(np.full(64, 0.05)) * (rng.random(64) < 0.8)
        b = a * (1 + apart * rng.random(64)) + apart * rng.dirichlet(np.full(64, 0.05))
        a, b = a / a.sum(), b / b.sum()
        middle = (a + b) / 2
        wanted = (rel_entr(a, middle) + rel_entr(b, middle)).sum() / 2
        ours = cc.jensen_shannon(*(cc.Marginal(domain, p.reshape(8, 8)) for p in (a, b)))
        assert ours == pytest.approx(wanted, rel=1e-9, abs=1e-15)


def test_different_tables_are_not_compared():
    with pytest.raises(cc.InputError, match="compared"):
        cc.sse(table(np.full((2, 3), 1 / 6)), cc.uniform(DOMAIN, ("sex",)))


def test_scores_of_many_are_those_of_each(rng):
    domain = cc.Domain(("a", "b", "c"), (2, 3, 2))
    asked = [("a", "b"), ("a", "c"), ("b", "c"), ("a",)]
    truths, answers = [], []
    for attrs in asked:
        part = domain.project(attrs)
        shares = rng.dirichlet(np.full(domain.cells_of(attrs), 0.2)).reshape(part.sizes)
        truths.append(cc.Marginal(part, shares))
        answers.append(cc.Marginal(part, shares + rng.normal(scale=0.3, size=part.sizes)))
    # A raw estimate may have nothing above 0.
    answers[-1] = cc.Marginal(answers[-1].domain, [-0.1, -0.2])
    found = cc.score(truths, answers, [True, False, True, False])
    for name, metric in cc.METRICS.items():
        np.testing.assert_allclose(found[name], list(map(metric, truths, answers)), rtol=1e-14)
    guesses = [cc.sse(truth, cc.uniform(domain, truth.attrs)) for truth in truths]
    np.testing.assert_allclose(found.uniform_sse, guesses, rtol=1e-14)
    assert found["query"].tolist() == [0, 1, 2, 3] and found.attributes.tolist() == asked
    assert found.covered.tolist() == [True, False, True, False]
    with pytest.raises(cc.InputError, match="compared"):
        cc.score(truths, answers[::-1], [True] * 4)


def test_queries_are_distinct_and_all_where_few(rng):
    domain = cc.Domain(tuple("abcdefgh"), (2,) * 8)
    assert len(set(cc.choose_queries(domain, 3, 50, rng=rng))) == 50
    assert len(cc.choose_queries(domain, 3, 200, rng=rng)) == 56


def test_streams_are_apart_and_repeat():
    keys = [(1, 0, "a"), (1, 1, "a"), (1, 0, "b"), (2, 0, "a")]
    draws = [cc.stream(*key).random() for key in keys]
    assert len(set(draws)) == 4
    assert cc.stream(1, 0, "a").random() == draws[0]
