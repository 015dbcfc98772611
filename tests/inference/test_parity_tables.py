"""Interactions from reports of parities: what a view of them tells, and tables for who knows views only."""

from itertools import combinations

import numpy as np
import pytest

import calm_core as cc
from calm_core.collection.aggregation import NoisyMarginals, draw_first_reports
from calm_core.collection.simulation import ViewReports
from calm_core.inference.shrinkage.interactions import (
    MomentNoise,
    contrasts_up_to_order,
    full_tables_from_parities,
    measure_interactions,
)
from calm_core.oracles import GRR, Parity

DOMAIN = cc.Domain(tuple("abcd"), (2,) * 4)
TRIPLE = Parity(1.0, 8, ((0, 1), (1, 2)))


def exact(truth, views, variance=1e-4):
    """Views without noise; of those with sets only these are told, and the rest is made up."""
    tables, told = [], []
    for attrs, sets in views:
        table = truth.project(attrs).values
        if sets is not None:
            table = np.random.default_rng(1).dirichlet(np.ones(table.size)).reshape(table.shape)
            whole = truth.project(attrs).values
            signs = np.indices(table.shape)
            for s in sets:
                sign = (-1.0) ** sum(signs[a] for a in s)
                table = table + sign * ((whole - table) * sign).sum() / table.size
        tables.append(cc.Marginal(truth.domain.project(attrs), table))
        told.append(sets)
    m = len(views)
    return NoisyMarginals(
        truth.domain, tuple(tables), (variance,) * m, (100,) * m, sets=tuple(told)
    )


@pytest.fixture
def truth(rng):
    return cc.Marginal(DOMAIN, rng.dirichlet(np.ones(16)).reshape(2, 2, 2, 2))


def test_only_what_is_reported_is_measured(truth):
    noisy = exact(truth, [((n,), None) for n in "abcd"] + [(("a", "b", "d"), TRIPLE.sets)])
    found = measure_interactions(noisy)
    assert set(found.index) == {(i,) for i in range(4)} | {(0, 1), (0, 3), (1, 3)}
    direct = measure_interactions(exact(truth, [(("a", "b", "c", "d"), None)]))
    for subset in found.index:
        np.testing.assert_allclose(found.values(subset), direct.values(subset), atol=1e-12)
    # The same three tables over two attributes would tell as much with four cells each.
    assert noisy.covers(("a",)) and not noisy.covers(("a", "b"))


def test_a_whole_without_its_parts_is_left_out(truth):
    sets = Parity(1.0, 8, ((0, 1), (0, 2), (0,))).sets
    views = [(("a", "b", "c"), frozenset({(0, 1, 2), (0, 1)})), (("a",), None), (("b",), None)]
    assert set(measure_interactions(exact(truth, views)).index) == {(0,), (1,), (0, 1)}
    assert len(sets) == 7


def test_whole_tables_are_the_true_ones_where_everything_is_reported(truth):
    views = [((n,), None) for n in "abc"] + [(("a", "b", "c"), TRIPLE.sets)]
    found = full_tables_from_parities(exact(truth, views))
    tables = {table.attrs: table.values for table in found.tables}
    assert set(tables) == {("a", "b"), ("a", "c"), ("b", "c"), ("d",)}
    for pair in combinations("abc", 2):
        np.testing.assert_allclose(tables[pair], truth.project(pair).values, atol=1e-12)
    # Nobody reported on d.
    assert tables["d",].tolist() == [0.5, 0.5] and found.variances[-1] == np.inf
    answer = cc.make_consistent(found)
    np.testing.assert_allclose(answer.marginal(("a", "b")).values, truth.project(("a", "b")).values)


def test_plain_views_stay_as_they_are(truth):
    noisy = exact(truth, [(("a", "b"), None)])
    assert full_tables_from_parities(noisy) is noisy


@pytest.mark.slow
def test_moments_err_as_the_noise_says(rng):
    """Many collections by views and parities: the covariance of what is measured, and V_S."""
    truth = rng.dirichlet(np.full(8, 3.0))
    domain = cc.Domain(("x", "y", "z"), (2, 2, 2))
    views = [
        (("x", "y", "z"), TRIPLE, 900),
        (("x", "y"), GRR(1.0, 4), 700),
        (("z",), GRR(1.0, 2), 500),
    ]
    table, runs = truth.reshape(2, 2, 2), 2000
    found, variances = [], []
    contrasts = contrasts_up_to_order((2, 2, 2), 2)
    for _ in range(runs):
        reports = []
        for attrs, oracle, n in views:
            axes = tuple(i for i, name in enumerate(domain.names) if name not in attrs)
            counts = rng.multinomial(n, table.sum(axis=axes).ravel())
            reports.append(ViewReports(attrs, oracle, oracle.simulate(counts, rng=rng), n))
        noisy = cc.aggregate(cc.Reports(domain, tuple(reports)))
        told = measure_interactions(noisy)
        found.append([told.values(s)[0] for s in contrasts.subsets])
        variances.append([told.variance(s) for s in contrasts.subsets])
    seen = np.cov(np.array(found).T)
    moved = contrasts.matrix()
    mean = moved @ truth
    covariance = (moved * truth) @ moved.T - np.outer(mean, mean)
    noise = MomentNoise.from_views(noisy)
    # Users are drawn anew each time here, so nobody is everybody.
    noise = type(noise)(**{**vars(noise), "everyone": 0.0})
    promised = noise.covariance((0, 1, 2), contrasts, truth, covariance)
    scale = np.sqrt(np.outer(np.diag(promised), np.diag(promised)))
    assert np.abs((seen - promised) / scale).max() < 6 * np.sqrt(2 / runs)
    wrong = type(noise)(**{**vars(noise), "sets": (None, None, None)})
    off = wrong.covariance((0, 1, 2), contrasts, truth, covariance)
    assert np.abs((seen - off) / scale).max() > 6 * np.sqrt(2 / runs)
    # V_S takes the finite population for given: the reports of the smaller part of them.
    assert (np.mean(variances, axis=0) / np.diag(seen)).max() < 1.1


def test_the_first_reports_of_parities_name_whole_classes(rng):
    support = TRIPLE.simulate(np.array([40, 5, 30, 2, 9, 3, 8, 3]), rng=rng)
    view = ViewReports(("a", "b", "c"), TRIPLE, support, 100)
    early, late = draw_first_reports(view, [30, 100], rng=rng)
    assert late.support.tolist() == support.tolist() and early.support.sum() == 2 * 30
    for part in (early, late):
        for number in range(4):
            assert len(set(part.support[TRIPLE.classes == number].tolist())) == 1
