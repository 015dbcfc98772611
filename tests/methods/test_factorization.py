"""Workload factorization as a method: what is sent, what is refused, and mended answers."""

from itertools import combinations

import numpy as np
import pytest
from scipy.special import chdtr, chdtrc

import calm_core as cc
from calm_core.errors import InfeasibleError
from calm_core.inference.nonnegativity import nearest_distribution
from calm_core.methods import factorization
from calm_core.methods.factorization import draw_outputs
from calm_core.planning.workload import factorize, k_way_workload
from tests.planning.test_factorizing import queries


def bits(d: int, n: int = 100) -> cc.Dataset:
    rng = np.random.default_rng(3)
    codes = np.cumsum(rng.random((n, d)) < 0.3, axis=1) % 2
    return cc.Dataset.from_codes(codes, cc.Domain(tuple(f"a{i}" for i in range(d)), (2,) * d))


@pytest.mark.parametrize("one_by_one", [0, 10**6])
def test_outputs_are_sent_by_the_chances_of_the_matrix(one_by_one, monkeypatch, rng):
    monkeypatch.setattr(factorization, "MAX_PEOPLE_ONE_BY_ONE", one_by_one)
    made, people = factorize((2, 3), 2, 1.0), np.array([400, 0, 100, 3000, 0, 500])
    law, tries = made.matrix, 400
    sent = np.array([draw_outputs(made, people, rng=rng).ravel() for _ in range(tries)])
    assert (sent.sum(axis=1) == 4000).all()
    expected = law @ people
    # People are fixed: each adds her own Bernoulli variance, and less than 4,000 equal ones would.
    spread = (law * (1 - law)) @ people
    means = (sent.mean(axis=0) - expected) / np.sqrt(spread / tries)
    assert np.abs(means).max() < 4.5
    spreads = ((sent - expected) ** 2).sum(axis=0) / spread
    assert min(tail(tries, spreads).min() for tail in (chdtrc, chdtr)) > 1e-5


def test_it_is_refused_before_anybody_reports_where_the_full_table_is_large(rng):
    method, asked = cc.METHODS["factor"](epsilon=1.0, k=2), []
    for call in (
        lambda: method.check(bits(9).domain, 100),
        lambda: method.release(bits(9), rng=rng, notify=asked.append),
        lambda: method.analytical_sse(bits(9).domain, 100, ("a0", "a1")),
    ):
        with pytest.raises(InfeasibleError) as refused:
            call()
        assert str(refused.value) == (
            "Factorization would need a matrix for the 512 cells of 9 attributes, more than the limit of "
            "256; the first 8 attributes would fit"
        )
        assert refused.value.remedies[0] == ("d", 8)
    assert not asked
    method.check(bits(8).domain, 100)


def test_mended_by_wnnls_it_is_the_nearest_distribution(rng):
    import cvxpy

    sizes, k = (2, 3, 2), 2
    asked, cells = queries(sizes, k), rng.normal(1 / 12, 0.2, 12)
    cells += (1 - cells.sum()) / 12
    wanted = cvxpy.Variable(12, nonneg=True)
    distance = cvxpy.sum_squares(asked @ (wanted - cells))
    cvxpy.Problem(cvxpy.Minimize(distance), [cvxpy.sum(wanted) == 1]).solve()
    found = nearest_distribution(k_way_workload(sizes, k), cells)
    assert found.min() >= 0 and found.sum() == pytest.approx(1)
    assert asked @ found == pytest.approx(asked @ wanted.value, abs=1e-5)


def test_mended_answers_agree_and_are_never_further_in_all():
    data = bits(6, 3000)
    raw, mended = (
        cc.METHODS["factor"](epsilon=0.5, k=2, nonnegativity=how).release(
            data, rng=np.random.default_rng(1)
        )
        for how in ("none", "wnnls")
    )
    asked = list(combinations(data.domain.names, 2))
    far = [sum(cc.sse(data.marginal(q), a.marginal(q)) for q in asked) for a in (raw, mended)]
    assert far[1] < 0.8 * far[0]
    ones = [mended.marginal(q).project(("a3",)).values for q in asked if "a3" in q]
    assert ones == [pytest.approx(ones[0])] * 5
    assert all(mended.marginal(q).values.min() >= 0 for q in asked)


def test_nothing_is_noise_where_privacy_is_weak():
    data = bits(5, 2000)
    answer = cc.METHODS["factor"](epsilon=16.0, k=3).release(data, rng=np.random.default_rng(1))
    for query in combinations(data.domain.names, 3):
        assert answer.marginal(query).values == pytest.approx(data.marginal(query).values, abs=2e-3)
