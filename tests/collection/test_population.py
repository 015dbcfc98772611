"""People drawn from a known table by counts of groups: exactly as if each were drawn and dealt."""

import json
import math

import numpy as np
import pytest
from scipy.special import chdtr, chdtrc

import calm_core as cc
from calm_core._checks import MAX_PEOPLE
from calm_core.cli import app
from calm_core.collection.aggregation import aggregate, draw_arrivals, draw_first_reports
from calm_core.collection.simulation import collect
from calm_core.errors import InfeasibleError, InputError
from calm_core.evaluation.prediction import predict_wrong
from calm_core.experiments.spec import ExperimentSpec, compare
from calm_core.oracles import GRR, OLH, OUE, SubsetSelection
from calm_core.randomness import draw_without_replacement
from calm_core.tables.dataset import Population
from tests.reference.chi_square import fit_pvalue, same_law_pvalue
from tests.reference.exact_collection import report_each

FROM_COUNTS = [n for n, kind in cc.METHODS.items() if getattr(kind, "uses_counts_only", False)]
# Curators who count tables of the same people.
COUNTING = ("priview", "direct", "flat", "mwem", "learning", "datacube", "matrix")
DOMAIN = cc.Domain(("sex", "age", "job"), (2, 3, 2))
# One cell of sex x age that nobody holds.
ROWS = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 2, 0], [1, 2, 1], [1, 2, 1]]


@pytest.fixture
def rows() -> cc.Dataset:
    return cc.Dataset.from_codes(ROWS, DOMAIN)


def split_by(*kinds, epsilon=1.0) -> cc.Plan:
    views, choice = (("sex", "age"), ("age", "job")), cc.choose_views(9, DOMAIN.sizes, epsilon, 2)
    oracles = tuple(kind(epsilon, 6) for kind in kinds)
    return cc.Plan(DOMAIN, 9, epsilon, 2, 1e-3, views, oracles, choice)


def assert_same_law(*ways: list, common: float) -> None:
    """Two lists of tables are drawn from one law; those seen less than ten times are left out, and few are."""
    kinds, code = np.unique(np.concatenate(ways), axis=0, return_inverse=True)
    parts = np.split(code.ravel(), 2)
    table = np.array([np.bincount(part, minlength=len(kinds)) for part in parts])
    usual = table[:, table.sum(axis=0) >= 10]
    assert usual.sum() > common * table.sum()
    assert same_law_pvalue(usual) > 1e-3


def test_counts_of_groups_are_those_of_people_drawn_one_by_one(rows):
    """Chi-square of whole tables of a small group: multinomial draws against rows drawn and counted."""
    rng, tries, size = np.random.default_rng(1), 4000, 3
    people = Population(rows, 50)
    views = [("sex", "age")]
    drawn = [people.group_counts(views, [size], rng=rng)[0] for _ in range(tries)]
    cells = rows.cells(views[0])
    each = [np.bincount(cells[rng.integers(0, len(ROWS), size)], minlength=6) for _ in range(tries)]
    assert_same_law(drawn, each, common=0.99)
    # A cell that nobody holds is held by nobody, however many are drawn.
    assert not any(counts[2] or counts[4] for counts in drawn)


@pytest.mark.slow
@pytest.mark.parametrize("kind", (GRR, OUE, OLH, SubsetSelection), ids=lambda kind: kind.name)
def test_reports_are_those_of_people_drawn_dealt_and_asked_one_by_one(rows, kind):
    """Chi-square of the supports of one cell: by counts of groups against every report made."""
    rng, tries, n = np.random.default_rng(2), 700, 12
    plan = split_by(kind, kind)
    counted, single = [], []
    for _ in range(tries):
        counted.append(collect(Population(rows, n), plan, rng=rng).views[0].support[[0, 5]])
        drawn = rows.select_users(rng.integers(0, rows.n, n))
        one_by_one = report_each(drawn, plan, rng)
        single.append(one_by_one.views[0].support[[0, 5]])
    assert_same_law(counted, single, common=0.5)


@pytest.mark.parametrize("kind", (GRR, OUE, OLH, SubsetSelection), ids=lambda kind: kind.name)
@pytest.mark.parametrize("n", (10**9, MAX_PEOPLE))
def test_the_law_at_a_trillion_people(rows, kind, n):
    """Mean and variance of every estimated cell are the formula's: nothing overflows, nothing is rounded."""
    rng, tries = np.random.default_rng(3), 150
    plan = split_by(kind, kind)
    oracle, truth = plan.oracles[0], rows.marginal(("sex", "age")).values.ravel()
    found = []
    for _ in range(tries):
        reports = collect(Population(rows, n), plan, rng=rng)
        assert reports.n == n and {view.n for view in reports.views} == {n // 2}
        assert all(view.support.dtype == np.int64 for view in reports.views)
        found.append(aggregate(reports).tables[0].values.ravel())
    errors = np.array(found) - truth
    # What the reports add, and what people drawn from the population differ from it.
    law = oracle.variance(n // 2, truth) + truth * (1 - truth) / (n // 2)
    scores = errors / np.sqrt(law)
    assert np.all(np.abs(scores.mean(axis=0)) < 4.5 / math.sqrt(tries))
    spread = (scores**2).sum(axis=0)
    assert np.all(chdtrc(tries, spread) > 1e-4) and np.all(chdtr(tries, spread) > 1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("name", FROM_COUNTS)
def test_methods_take_a_population(rows, name):
    people = Population(rows, MAX_PEOPLE)
    found = cc.run(people, cc.make_method(name, epsilon=2.0, k=2), seed=1)
    assert found.n == MAX_PEOPLE
    # A method that measures nothing, as the uniform guess, may be far off.
    assert found.wrong < 0.001 or not any(map(found.answer.covers, found.queries))
    if name == "calm":
        expected = predict_wrong(
            cc.make_method(name, epsilon=2.0, k=2), DOMAIN, MAX_PEOPLE,
            rng=np.random.default_rng(1), queries=found.queries,
        )  # fmt: skip
        # Three tables of a few cells: within a factor that chance explains.
        assert 0.3 < found.wrong / expected < 2.2


@pytest.fixture
def bits() -> cc.Dataset:
    return cc.Dataset.from_codes(
        [[0, 1, 0], [1, 1, 0], [1, 0, 1]], cc.Domain(tuple("abc"), (2, 2, 2))
    )


@pytest.mark.parametrize("name", COUNTING)
def test_curators_count_a_population(bits, name):
    def errors(people, **options) -> list[float]:
        method = cc.make_method(name, epsilon=1.0, k=2, **options)
        answer = method.release(people, rng=np.random.default_rng(1))
        pairs = ("a", "b"), ("b", "c")
        return [np.abs(answer.marginal(p).values - people.marginal(p).values).max() for p in pairs]

    # Some of these estimate with a bias of their own, which rows have as well.
    found, own = errors(Population(bits, 10**11)), errors(bits, noise="none")
    assert np.allclose(found, own, atol=1e-3 if name != "mwem" else 0.1)


@pytest.mark.parametrize("name", ("priview", "learning"))
def test_tables_of_a_curator_are_of_the_same_people(bits, name, monkeypatch):
    """Few people, no noise: tables of draws of their own would not agree."""
    from calm_core.tables import dataset

    seen = []
    draw = dataset.Population.draw
    monkeypatch.setattr(
        dataset.Population, "draw",
        lambda self, *, rng: seen.append(draw(self, rng=rng)) or seen[-1],
    )  # fmt: skip
    method = cc.make_method(name, epsilon=1.0, k=2, noise="none")
    answer = method.release(Population(bits, 7), rng=np.random.default_rng(1))
    (people,) = seen
    # What Learning answers is not what it has counted, even without noise.
    if name == "priview":
        for pair in (("a", "b"), ("b", "c"), ("a", "c")):
            assert answer.marginal(pair).values == pytest.approx(people.counts([pair])[0] / 7)


@pytest.mark.slow
def test_who_is_drawn_is_as_if_drawn_one_by_one(rows):
    """Chi-square of two overlapping tables together: rows drawn with their numbers against one by one."""
    rng, tries, n = np.random.default_rng(9), 5000, 3
    views = [("sex", "age"), ("age", "job")]
    drawn, each = [], []
    for _ in range(tries):
        people = Population(rows, n).draw(rng=rng)
        assert people.n == n
        drawn.append(np.concatenate([c.ravel() for c in people.counts(views)]))
        one_by_one = rows.select_users(rng.integers(0, rows.n, n))
        each.append(np.concatenate([c.ravel() for c in one_by_one.counts(views)]))
    assert_same_law(drawn, each, common=0.95)


def test_methods_that_need_rows_say_so(bits):
    for name in sorted(set(cc.METHODS) - set(FROM_COUNTS) - set(COUNTING)):
        with pytest.raises(InfeasibleError, match="only counted, and this needs the row of each"):
            cc.make_method(name, epsilon=1.0, k=2).release(
                Population(bits, 10**11), rng=np.random.default_rng(1)
            )


def test_people_of_a_population_have_no_rows(rows):
    people = Population(rows, 10**11)
    for name in ("codes", "cells", "counts", "select_users"):
        with pytest.raises(InfeasibleError, match="at most 5,000,000 rows instead of a population"):
            getattr(people, name)
    with pytest.raises(InputError, match="must be at most"):
        people.group_counts([("sex",)], [10**11 + 1], rng=np.random.default_rng(1))


def test_rounds_draw_as_numpy_does(monkeypatch):
    """Every outcome of a small draw, as often as the hypergeometric law says."""
    from calm_core import randomness

    monkeypatch.setattr(randomness, "NUMPY_POOL", 0)
    pool, take, tries = np.array([5, 4]), 3, 20_000
    drawn = draw_without_replacement(
        np.tile(pool, (tries, 1)), np.full(tries, take), rng=np.random.default_rng(7)
    )
    found = np.bincount(drawn[:, 0], minlength=4)
    law = [math.comb(5, k) * math.comb(4, take - k) / math.comb(9, take) for k in range(4)]
    assert fit_pvalue(found, tries * np.array(law)) > 1e-3


@pytest.mark.parametrize("kind", (GRR, OUE, SubsetSelection), ids=lambda kind: kind.name)
def test_a_trillion_reports_arrive(rows, kind):
    rng = np.random.default_rng(8)
    plan = split_by(kind, kind)
    reports = collect(Population(rows, MAX_PEOPLE), plan, rng=rng)
    view = reports.views[0]
    early, late = draw_first_reports(view, [view.n // 10, view.n], rng=rng)
    assert late.support.tolist() == view.support.tolist()
    assert np.allclose(early.support / early.n, view.support / view.n, atol=1e-4)
    came = draw_arrivals([v.n for v in reports.views], [10**11, MAX_PEOPLE], rng=rng)
    assert came.sum(axis=1).tolist() == [10**11, MAX_PEOPLE]


@pytest.mark.slow
def test_command_line_and_experiments_take_a_population(rows, tmp_path, capsys):
    path = tmp_path / "people.csv"
    path.write_text("sex,age,job\n" + "".join("{},{},{}\n".format(*row) for row in ROWS * 3))
    shared = ["--k", "2", "--queries", "3", "--population"]
    app(["release", str(path), *shared, "--n", "1000000000000", "--json"], standalone_mode=False)
    found = json.loads(capsys.readouterr().out)
    assert found["n"] == MAX_PEOPLE and 0 < found["sse_mean"] < 1e-10
    with pytest.raises(InputError, match="leave out --stream or --population"):
        app(["release", str(path), "--stream", "--population"], standalone_mode=False)
    with pytest.raises(InputError, match="n .* from 1 to 1,000,000,000,000"):
        app(["release", str(path), *shared, "--n", "1000000000001"], standalone_mode=False)
    spec, of_rows = (
        ExperimentSpec(people, ("calm",), (1.0,), ks=(2,), ns=(10**6, 10**9), repetitions=2)
        for people in (Population(rows, 10**6), rows)
    )
    table = compare(spec, jobs=1).groupby("n").sse.mean()
    assert table[10**9] < table[10**6] / 100
    # A population is not the same people as its rows.
    assert not {task.key for task in spec.tasks} & {task.key for task in of_rows.tasks}
