"""HDG: against its paper's algorithms cell by cell, without bias, exact where there is no noise."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

import calm_core as cc
from calm_core.collection.aggregation import aggregate
from calm_core.errors import InfeasibleError, InputError
from calm_core.inference import grids as inference
from calm_core.inference.grids import (
    Axis,
    cut_axis,
    estimate_range_shares,
    fit_joint_table,
    fit_response_matrices,
    granularities,
    make_grids_consistent,
)
from calm_core.ingest.populations import make_numeric_population
from calm_core.methods import Hdg
from calm_core.oracles import OLH
from calm_core.tables.marginal import is_distribution
from calm_core.tables.population import Population
from calm_core.tables.ranges import choose_ranges, range_share, range_shares
from tests.reference import grids as referee

# Uneven cuts, values without an order, few values and one.
AXES = (cut_axis(9, 9, 4, 2), cut_axis(7, 5, 4, 2), cut_axis(3, 0, 8, 4), cut_axis(6, 6, 8, 4))


def noisy_grids(rng, axes=AXES):
    """Grids about one random population, each with noise of its own: they disagree, some below 0."""
    lines = {a: rng.dirichlet(np.ones(len(axis.fine))) for a, axis in enumerate(axes)}
    squares = {
        (a, b): rng.dirichlet(np.ones(len(axes[a].coarse) * len(axes[b].coarse))).reshape(
            len(axes[a].coarse), -1
        )
        for a, b in combinations(range(len(axes)), 2)
    }
    for table in (*lines.values(), *squares.values()):
        table += rng.normal(0, 0.05, table.shape)
    return lines, squares


@pytest.mark.parametrize("rounds", [1, 3])
def test_grids_are_made_to_agree_as_in_the_paper(rounds, rng, monkeypatch):
    monkeypatch.setattr(inference, "MAX_ROUNDS", rounds)
    lines, squares = noisy_grids(rng)
    found, both = make_grids_consistent(lines, squares, AXES)
    slow = referee.agree(lines, squares, AXES, rounds)
    for who, table in {**{(a,): t for a, t in found.items()}, **both}.items():
        np.testing.assert_allclose(table.ravel(), list(slow[who].values()), atol=1e-12)


def test_grids_that_agree_are_distributions_with_one_opinion(rng):
    lines, squares = make_grids_consistent(*noisy_grids(rng), AXES)
    assert all(table.min() >= 0 for table in (*lines.values(), *squares.values()))
    for (a, b), square in squares.items():
        for axis, sums in ((a, square.sum(axis=1)), (b, square.sum(axis=0))):
            own = np.add.reduceat(lines[axis], AXES[axis].coarse)
            np.testing.assert_allclose(sums, own, atol=1e-3)
        assert square.sum() == pytest.approx(1)


@pytest.mark.parametrize("pair", [(0, 1), (1, 3), (2, 0)])
def test_a_response_matrix_is_that_of_algorithm_1(pair, rng, monkeypatch):
    """The paper's has every value, ours fine cells; after 1 round as after many."""
    axes = (AXES[pair[0]], AXES[pair[1]])
    lines, squares = make_grids_consistent(*noisy_grids(rng, axes), axes)
    for rounds in (1, 40):
        monkeypatch.setattr(inference, "MAX_UPDATES", rounds)
        (found,) = fit_response_matrices(
            lines[0][None], lines[1][None], squares[0, 1][None], axes, tolerance=0.0
        )
        slow = referee.response(lines[0], lines[1], squares[0, 1], axes, rounds)
        spread = found[np.ix_(axes[0].fine_of, axes[1].fine_of)]
        spread *= np.outer(axes[0].shares, axes[1].shares)
        # Totals of 1 are kept to the last digits by us, approached by the paper's.
        np.testing.assert_allclose(spread, slow / slow.sum(), atol=1e-6)
    in_coarse = np.add.reduceat(np.add.reduceat(found, axes[0].coarse, 0), axes[1].coarse, 1)
    np.testing.assert_allclose(in_coarse, squares[0, 1], atol=1e-12)


@pytest.mark.parametrize("k", [3, 4])
def test_ranges_of_many_attributes_are_those_of_algorithm_2(k, rng):
    among = list(combinations(range(k), 2))
    known = rng.uniform(0.1, 0.4, (5, len(among)))
    known[4] = 0.0
    found = estimate_range_shares(known, among, 1e-12)
    for answer, row in zip(found, known):
        slow = referee.share_inside(dict(zip(among, row)), k, inference.MAX_UPDATES)
        assert answer == pytest.approx(slow, abs=1e-6)
    assert found[4] == 0


def test_a_table_of_three_has_the_tables_of_two(rng):
    truth = rng.dirichlet(np.ones(24)).reshape(2, 3, 4)
    pairs = {(0, 1): truth.sum(2), (0, 2): truth.sum(1), (1, 2): truth.sum(0)}
    found = fit_joint_table(pairs, (2, 3, 4), 1e-12)
    for (a, b), table in pairs.items():
        (other,) = {0, 1, 2} - {a, b}
        np.testing.assert_allclose(found.sum(other), table, atol=1e-3)
    # Of all such tables the one of largest entropy has no interaction of three.
    logs = np.log(found)
    third = logs[1:, 1:, 1:] - logs[:1, 1:, 1:] - logs[1:, :1, 1:] - logs[1:, 1:, :1]
    third += logs[1:, :1, :1] + logs[:1, 1:, :1] + logs[:1, :1, 1:] - logs[:1, :1, :1]
    assert np.abs(third).max() < 1e-9


@pytest.mark.parametrize(("n", "epsilon", "d"), [(10**5, 0.5, 6), (10**6, 1.0, 6), (10**6, 2.0, 3)])
def test_the_guideline_has_the_least_error_of_all_powers_of_two_but_one(n, epsilon, d):
    """By search over real numbers of cells, then the nearest power of two."""
    groups = d + d * (d - 1) // 2
    variance = OLH(epsilon, 2).variance(n / groups)
    cells = np.geomspace(1.01, 512, 200_000)
    one = cells[np.argmin(variance * cells + (0.7 / cells) ** 2)]
    two = cells[np.argmin(variance / 4 * cells**2 + (2 * 0.03 / cells) ** 2)]
    for real, chosen in zip((one, two), granularities(n, epsilon, groups)):
        powers = 2 ** np.arange(1, 12)
        # OLH rounds its buckets: its variance is up to 2% above the formula's.
        near = powers[np.abs(powers - max(real, 2)).argmin()]
        assert chosen == near
    assert granularities(21, 1e-6, 21) == (2, 2)


def test_cuts_are_nested_even_and_leave_values_without_an_order_alone():
    for size, g1, g2 in product((1, 2, 5, 18, 64, 100), (2, 8, 16, 128), (2, 4, 64)):
        for ordered in {0, 1, size // 2, size}:
            axis = cut_axis(size, ordered, g1, g2)
            assert len(axis.fine) == min(ordered, g1) + size - ordered
            assert len(axis.coarse) == min(ordered, g1, g2) + size - ordered
            assert axis.widths.sum() == size and set(axis.widths[min(ordered, g1) :]) <= {1}
            assert np.ptp(axis.widths[: min(ordered, g1)]) <= 1 if ordered else True
            assert (np.diff(axis.coarse_of[axis.fine_of]) >= 0).all()
    assert cut_axis(64, 64, 16, 4) == Axis(64, tuple(range(0, 64, 4)), (0, 4, 8, 12))


DOMAIN = cc.Domain(("age", "income", "city"), (12, 16, 3), ordered=(11, 16, 0))


def people(n=20_000, seed=4) -> cc.Dataset:
    """Correlated; age has a last value beside the order, city none."""
    rng = np.random.default_rng(seed)
    age = rng.binomial(10, 0.4, n)
    income = np.clip(age + rng.integers(0, 6, n), 0, 15)
    city = (income > 8) + rng.integers(0, 2, n)
    age = np.where(rng.random(n) < 0.1, 11, age)
    return cc.Dataset(np.stack([age, income, city], axis=1), DOMAIN)


def test_everybody_reports_one_cell_once_with_all_of_epsilon(rng):
    """What a report tells is bounded by the oracle's own proof: it is all that leaves a device."""
    data, method = people(3000), Hdg(epsilon=0.7, k=2, simulation="per_user")
    plan = method.plan(DOMAIN, data.n)
    assert plan.m == 3 + 3 and all(isinstance(oracle, OLH) for oracle in plan.oracles)
    assert {oracle.epsilon for oracle in plan.oracles} == {0.7}
    reports = method.collect(data, plan, rng=rng)
    assert reports.n == data.n and {view.n for view in reports.views} == {500}
    assert [len(view.attrs) for view in reports.views] == [1, 1, 1, 2, 2, 2]


@pytest.mark.slow
@pytest.mark.parametrize(("simulation", "tries"), [("aggregate", 600), ("per_user", 150)])
def test_grids_are_not_biased(simulation, tries):
    data, rng = people(1200), np.random.default_rng(6)
    method = Hdg(epsilon=1.0, k=2, g1=4, g2=2, simulation=simulation)
    plan = method.plan(DOMAIN, data.n)
    found = [aggregate(method.collect(data, plan, rng=rng)).tables for _ in range(tries)]
    age, income, city = plan.grids.axes
    ages = pd.Series(age.fine_of[data.codes[:, 0]])
    truth = np.bincount(ages, minlength=5) / data.n
    both = np.zeros((3, 3))
    np.add.at(both, (age.coarse_of[ages], city.fine_of[data.codes[:, 2]]), 1 / data.n)
    for number, true in ((0, truth), (4, both)):
        each = np.array([tables[number].values for tables in found])
        assert each.shape[1:] == true.shape
        scores = (each.mean(axis=0) - true) / (each.std(axis=0) / tries**0.5)
        assert np.abs(scores).max() < 4.5


def test_without_noise_ranges_of_whole_cells_are_exact(rng):
    rows = people()
    crowd = Population(rows, 10**12)
    answer = Hdg(epsilon=8.0, k=2, g1=4, g2=2).release(crowd, rng=rng)
    age, income, _ = answer.inferred.grids.axes
    fine = [(a, b - 1) for a, b in combinations((*age.fine, 12), 2)]
    queries = [{"age": span} for span in fine]
    whole = [age.fine[first] for first in age.coarse], [income.fine[i] for i in income.coarse]
    spans = [[(a, b - 1) for a, b in combinations((*w, s), 2)] for w, s in zip(whole, (12, 16))]
    queries += [{"age": a, "income": b} for a, b in product(*spans)]
    queries += [{"income": span, "city": (c, c)} for span in spans[1] for c in range(3)]
    queries += [{"city": (0, 1)}]
    far = np.abs(answer.range_shares(queries) - range_shares(rows.marginals, queries))
    assert len(queries) > 20 and far.max() < 2e-5
    # What cuts through a cell is not: there all values are taken for alike.
    assert abs(answer.inferred.share({"age": (0, 0)}) - rows.marginal("age").values[0]) > 0.01


def test_with_a_cell_for_every_value_and_no_noise_pairs_are_exact(rng):
    rows = people()
    answer = Hdg(epsilon=8.0, k=3, g1=16, g2=16).release(Population(rows, 10**12), rng=rng)
    for pair in combinations(DOMAIN.names, 2):
        tables = answer.marginal(pair).values, rows.marginal(pair).values
        np.testing.assert_allclose(*tables, atol=2e-5)


def test_ranges_and_tables_are_one_thing_up_to_two_attributes(rng):
    data = people()
    answer = Hdg(epsilon=1.0, k=3).release(data, rng=rng)
    for size in (1, 2):
        for query in choose_ranges(DOMAIN, size, 10, volume=0.3, rng=rng):
            table = answer.marginal(tuple(query))
            assert answer.inferred.share(query) == pytest.approx(range_share(table, query))
    three = answer.marginal(DOMAIN.names)
    assert is_distribution(three) and three.values.shape == DOMAIN.sizes
    query = {"age": (0, 4), "income": (3, 9), "city": (0, 1)}
    (own,) = answer.range_shares([query])
    assert own == answer.inferred.share(query) != pytest.approx(range_share(three, query), abs=1e-9)
    calm = cc.METHODS["calm"](epsilon=1.0, k=2).release(data, rng=rng)
    query = {"income": (2, 5), "age": (0, 3)}
    whole = calm.marginal(("age", "income")).values[:4, 2:6].sum()
    assert calm.range_shares([query])[0] == pytest.approx(whole)


def test_values_of_a_cell_are_alike_and_others_have_their_own(rng):
    answer = Hdg(epsilon=1.0, k=2, g1=4, g2=2).release(people(), rng=rng)
    cells = answer.marginal("age").values
    assert np.ptp(cells[:2]) == 0 and len(set(np.round(cells[:11], 12))) == 4
    assert answer.inferred.grids.axes[0].fine[-1] == 11
    alone = replace(DOMAIN, ordered=(0, 0, 0))
    plan = Hdg(epsilon=1.0, k=2, g1=4, g2=2).plan(alone, 1000)
    assert plan.grids.cells.sizes == alone.sizes * 2


def test_ranges_are_told_far_better_than_by_tables_of_all_values():
    """The paper's finding, on its kind of people: 6 attributes of 32 values, 40,000 people."""
    data = make_numeric_population("normal", 4, 32, 40_000, rng=np.random.default_rng(1))
    queries = choose_ranges(data.domain, 2, 60, rng=np.random.default_rng(2))
    truth, error = range_shares(data.marginals, queries), {}
    for name in ("hdg", "calm", "uni"):
        answer = cc.METHODS[name](epsilon=1.0, k=2).release(data, rng=np.random.default_rng(3))
        error[name] = np.abs(answer.range_shares(queries) - truth).mean()
    assert error["hdg"] < 0.5 * min(error["calm"], error["uni"])


def test_what_has_one_value_is_not_asked_about(rng):
    domain = cc.Domain(("a", "b", "c"), (1, 8, 1))
    nothing = np.zeros(500, int)
    data = cc.Dataset(np.stack([nothing, np.arange(500) % 8, nothing], 1), domain)
    answer = Hdg(epsilon=4.0, k=3).release(data, rng=rng)
    assert Hdg(epsilon=4.0, k=3).plan(domain, 500).m == 1
    assert answer.marginal(domain.names).values.shape == (1, 8, 1)
    assert answer.inferred.share({"a": (0, 0)}) == 1
    assert is_distribution(answer.marginal(("a", "c")))
    assert answer.inferred.share({"a": (0, 0), "b": (0, 3)}) == answer.inferred.share({"b": (0, 3)})


def test_it_says_what_does_not_fit():
    with pytest.raises(InfeasibleError, match="HDG has 6 grids.* at least 6 people") as few:
        Hdg(epsilon=1.0, k=2).check(DOMAIN, 5)
    assert ("n", 6) in few.value.remedies
    wide = cc.Domain(("a", "b"), (3000, 3000), ordered=(0, 0))
    with pytest.raises(InfeasibleError, match="9,000,000 cells .*merge values"):
        Hdg(epsilon=1.0, k=2).check(wide, 1000)
    Hdg(epsilon=1.0, k=2).check(replace(wide, ordered=(3000, 3000)), 1000)
    with pytest.raises(InputError, match="ranges of values"):
        raise InputError(Hdg(epsilon=1.0, k=2).explain_unsupported(None))
