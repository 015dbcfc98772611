"""Stacking: people left out by their counts alone, mixtures of classes, weights, stacking."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import optimize

import calm_core as cc
from calm_core.collection.aggregation import aggregate
from calm_core.collection.simulation import Reports, ViewReports, collect
from calm_core.errors import InfeasibleError
from calm_core.inference import latent_classes, stacking
from calm_core.inference.shrinkage.interactions import MomentNoise, measure_interactions
from calm_core.inference.shrinkage.priors import learn_priors
from calm_core.inference.stacking import (
    divide_reports,
    infer_stacked,
    is_divisible,
    subtract_reports,
)
from calm_core.methods import METHODS, Stacked
from calm_core.oracles import GRR, OLH, ORACLES, OUE, SubsetSelection
from calm_core.planning.plan import make_plan
from calm_core.tables.population import Population
from tests.reference.chi_square import same_law_pvalue
from tests.reference.exact_collection import collect_exactly, mixture

DOMAIN = cc.Domain(("sex", "age"), (2, 2))
SEX = cc.Domain(("sex",), (2,))
TRIES = 1200


def reports_of(oracle, support, n, domain=DOMAIN) -> Reports:
    return Reports(domain, (ViewReports(domain.names, oracle, support, n),))


def divided_by_counts(oracle, domain, held, folds, rng):
    """Supports of two of some folds, (TRIES, 2, L), of which only the sums were known."""
    found = []
    for support in oracle.simulate(np.tile(held, (TRIES, 1)), rng=rng):
        parts = divide_reports(reports_of(oracle, support, held.sum(), domain), folds, rng=rng)
        found.append([part.views[0].support for part in parts[:2]])
    return np.array(found)


def divided_one_by_one(oracle, domain, held, folds, rng):
    """The same where every person's report is at hand."""
    people = np.tile(np.repeat(np.arange(len(held)), held), (TRIES, 1))
    values = rng.permuted(people, axis=1).ravel()
    fold = np.tile(np.arange(held.sum()) * folds // held.sum(), (TRIES, 1))
    groups = (fold + folds * np.arange(TRIES)[:, np.newaxis]).ravel()
    counts = np.zeros(TRIES * folds * len(held), dtype=np.int64)
    oracle.add_support(oracle.perturb(values, rng=rng), groups * len(held), counts)
    return counts.reshape(TRIES, folds, -1)[:, :2]


def alike(one, other) -> float:
    """p-value of a chi-square test that two lots of draws have one law."""
    kinds = sorted(set(one) | set(other))
    counts = np.array([[lot.count(kind) for kind in kinds] for lot in (one, other)])
    return same_law_pvalue(counts[:, counts.sum(axis=0) >= 20])


def test_people_divided_by_their_counts_are_people_divided_one_by_one():
    """GRR, exactly: the counts of two folds together."""
    oracle, rng, held = GRR(1.5, 4), np.random.default_rng(1), np.array([20, 15, 4, 1])
    lots = []
    for divided in (divided_by_counts, divided_one_by_one):
        drawn = divided(oracle, DOMAIN, held, 4, rng)
        lots.append([tuple(row) for row in (drawn[:, :, 0] // 2 * 20 + drawn[:, :, 3]).tolist()])
    assert alike(*lots) > 1e-3


@pytest.mark.slow
def test_bits_divided_by_their_counts_go_together_as_those_of_people():
    """Every cell as if people were divided, and the cells of two folds as far apart."""
    oracle, rng, held = OUE(6.0, 2), np.random.default_rng(2), np.array([20, 20])
    drawn = [
        divided(oracle, SEX, held, 2, rng) for divided in (divided_by_counts, divided_one_by_one)
    ]
    for cell in range(2):
        assert alike(*(lot[:, 0, cell].tolist() for lot in drawn)) > 1e-3
    apart, off = [], []
    for lot in drawn:
        both = lot - lot.mean(axis=0)
        terms = both[:, 0, 0] * both[:, 1, 1], both[:, 0, 0] * both[:, 0, 1]
        apart.append([term.mean() for term in terms])
        off.append([term.std() / np.sqrt(TRIES) for term in terms])
    # What folds have in common because nobody is in both is far larger than chance here.
    assert apart[1][0] > 5 * off[1][0]
    np.testing.assert_array_less(np.abs(np.subtract(*apart)), 3.5 * np.hypot(*off))


@pytest.mark.parametrize("n", [0, 3, 1000, 10**12])
@pytest.mark.parametrize("kind", [GRR, OUE, OLH], ids=lambda kind: kind.name)
def test_folds_of_any_number_of_people_add_up(rng, kind, n):
    oracle = kind(1.0, 4)
    held = rng.multinomial(n, [0.7, 0.2, 0.1, 0.0])
    reports = reports_of(oracle, oracle.simulate(held, rng=rng), n)
    parts = divide_reports(reports, 4, rng=rng)
    assert max(part.n for part in parts) - min(part.n for part in parts) <= 1
    total = sum(parts[1:], parts[0]).views[0]
    np.testing.assert_array_equal(total.support, reports.views[0].support)
    assert subtract_reports(reports, parts[0]).n == n - parts[0].n


def test_a_table_of_one_cell_is_divided_too(rng):
    domain = cc.Domain(("one",), (1,))
    view = ViewReports(("one",), OUE(1.0, 1), np.array([9]), 9)
    parts = divide_reports(Reports(domain, (view,)), 4, rng=rng)
    assert sorted(int(part.views[0].support[0]) for part in parts) == [2, 2, 2, 3]


def test_what_cannot_be_divided_is_refused_before_anybody_reports(rng):
    divisible = {name for name, kind in ORACLES.items() if is_divisible(kind(1.0, 4))}
    assert {"grr", "oue", "olh"} <= divisible and "subset" not in divisible
    reports = reports_of(SubsetSelection(1.0, 4), np.array([9, 5, 4, 2]), 20)
    with pytest.raises(InfeasibleError, match="cannot be divided among people"):
        divide_reports(reports, 4, rng=rng)
    method = Stacked(epsilon=0.5, k=2, oracle="subset")
    with pytest.raises(InfeasibleError, match="Stacked cannot answer.*choose another oracle") as no:
        method.check(DOMAIN, 1000)
    assert ("method", "calm_plus") in no.value.remedies
    plan = METHODS["calm_plus"](epsilon=0.5, k=2, oracle="subset").plan(DOMAIN, 1000, rng=rng)
    assert "cannot be divided" in method.explain_unsupported(plan)


def noisy_views(d, sizes, rng, n=20_000):
    domain = cc.Domain(tuple("abcdefgh"[:d]), sizes)
    codes = np.stack([rng.integers(0, c, n) for c in sizes], axis=1)
    codes[: n // 3] = 0
    data = cc.Dataset.from_codes(codes, domain)
    plan = make_plan(domain, n, epsilon=2.0, k=3, theta=1e-3, rng=rng)
    return aggregate(collect(data, plan, rng=rng))


def test_steps_of_a_mixture_follow_its_slopes_and_end_where_a_general_optimiser_does(rng):
    noisy = noisy_views(4, (2, 3, 2, 1), rng)
    known = learn_priors(measure_interactions(noisy, order=3), MomentNoise.from_views(noisy))
    mix = latent_classes._Mixture(known, 2, 3)
    start = latent_classes._start_numbers(mix, latent_classes._main_direction(known))
    gradient, matrix = mix.slopes(start)
    slow = optimize.approx_fprime(start, mix.loss, 1e-6)
    np.testing.assert_allclose(2 * gradient, slow, rtol=1e-3, atol=1e-3 * np.abs(slow).max())
    assert np.linalg.eigvalsh(matrix).min() > 0
    best = optimize.minimize(mix.loss, start, method="BFGS")
    tables = [
        mix.classes(best.x).table((0, 1, 2)),
        latent_classes.fit_latent_classes(known, 2).table((0, 1, 2)),
    ]
    np.testing.assert_allclose(*tables, atol=2e-3)


def test_classes_that_there_are_are_found():
    people = mixture((0.6, 0.4), ((0.1, 0.2, 0.1, 0.3, 0.2), (0.8, 0.7, 0.9, 0.6, 0.8)))
    rng = np.random.default_rng(3)
    plan = make_plan(people.domain, 10**9, epsilon=4.0, k=3, theta=1e-3, rng=rng)
    noisy, truth = collect_exactly(people, plan, rng)
    found = latent_classes.fit_latent_classes(
        learn_priors(measure_interactions(noisy, order=3), MomentNoise.from_views(noisy)), 2
    )
    np.testing.assert_allclose(found.table((0, 1, 2, 3, 4)), truth.values, atol=1e-3)
    assert sorted(found.shares.round(1).tolist()) == [0.4, 0.6]


def test_mixtures_of_too_many_numbers_are_left_out(rng, monkeypatch):
    noisy = noisy_views(3, (2, 2, 3), rng)
    monkeypatch.setattr(latent_classes, "MAX_NUMBERS", 100)
    assert (
        latent_classes.fit_latent_classes(
            learn_priors(measure_interactions(noisy), MomentNoise.from_views(noisy)), 8
        )
        is None
    )


@pytest.mark.slow
def test_scores_are_those_of_the_true_errors_and_as_noisy_as_they_say():
    """Members that say the same whatever is reported: what is seen of them is unbiased."""
    rng = np.random.default_rng(4)
    domain = cc.Domain(("a", "b", "c"), (2, 2, 2))
    true, *said = (
        cc.Marginal(domain, rng.dirichlet(np.full(8, 3)).reshape(2, 2, 2)) for _ in range(4)
    )
    data = cc.Dataset.from_codes(
        np.stack(np.unravel_index(rng.choice(8, 8000, p=true.values.ravel()), (2, 2, 2)), axis=1), domain
    )  # fmt: skip
    plan = make_plan(domain, 8000, epsilon=1.0, k=2, theta=1e-3, rng=rng, l=2, m=3)
    queries = list(combinations(domain.names, 2))

    def members(_, views):
        return [[table.project(view) for view in views] for table in said]

    scores = [stacking.score_members(collect(data, plan, rng=rng), members, 2) for _ in range(60)]
    error = [
        np.mean([cc.sse(data.marginal(q), table.project(q)) for q in queries]) for table in said
    ]
    seen = np.array([one.improvement for one in scores]) / stacking.FOLDS
    # |t - m_j|^2 = |t - m_0|^2 - 2 g_j + D_jj, for a mean table of two attributes.
    expected = [
        (error[0] - error[j] + scores[0].differences[j - 1, j - 1] / stacking.FOLDS) / 2
        for j in (1, 2)
    ]
    np.testing.assert_allclose(
        seen.mean(axis=0), expected, atol=3.5 * seen.std(axis=0).max() / 60**0.5
    )
    claimed = np.mean([one.noise for one in scores], axis=0) / stacking.FOLDS**2
    np.testing.assert_allclose(np.cov(seen.T), claimed, rtol=0.5, atol=0.25 * claimed.max())


def test_members_are_told_nothing_of_the_people_left_out(rng):
    oracle = GRR(1.0, 4)
    reports, told = reports_of(oracle, np.array([40, 30, 20, 10]), 100), []

    def members(noisy, views):
        told.append(noisy)
        return [[noisy.marginal(view) for view in views]] * 2

    stacking.score_members(reports, members, 2)
    assert [sum(noisy.users) for noisy in told] == [75] * stacking.FOLDS
    # In all turns together everybody is left out once: the means of what is told are all reports.
    mean = np.mean([noisy.tables[0].values for noisy in told], axis=0)
    np.testing.assert_allclose(mean, aggregate(reports).tables[0].values, atol=1e-12)


def test_shares_are_the_best_there_are(rng):
    for _ in range(20):
        root, right = rng.normal(size=(3, 3)), rng.normal(size=3)
        apart = root @ root.T + 0.01 * np.eye(3)
        found = stacking._best_shares(apart, right)
        slow = optimize.minimize(
            lambda a, inner=apart, pull=right: a @ inner @ a - 2 * pull @ a, np.full(3, 0.2),
            method="SLSQP", bounds=[(0, 1)] * 3,
            constraints={"type": "ineq", "fun": lambda a: 1 - a.sum()},
        )  # fmt: skip
        assert (found >= 0).all() and found.sum() <= 1 + 1e-9
        value = found @ apart @ found - 2 * right @ found
        assert value <= slow.fun + 1e-6


def test_of_many_views_some_are_predicted(monkeypatch):
    answer, *_ = collected(factor(6), 4000, 1.0, 5)
    views = len(answer.noisy.tables)
    monkeypatch.setattr(stacking, "MAX_VIEWS", views - 1)
    some = stacking._select_views(answer.noisy)
    assert len(some.tables) == len(some.sets) == views - 1
    assert infer_stacked(answer.reports, 3).weights.sum() == pytest.approx(1)


def test_members_that_all_say_the_same_leave_the_first_alone():
    same = stacking.Scores(np.zeros((2, 2)), np.zeros(2), np.zeros((2, 2)))
    assert stacking.compute_weights(same).tolist() == [1, 0, 0]


def factor(d):
    """One bit behind all attributes, which CALM+ has to put together from pairs."""
    rates = np.linspace(0.1, 0.4, d)
    return mixture((0.5, 0.5), (rates, 1 - rates))


def collected(people, n, epsilon, seed):
    rng = np.random.default_rng(seed)
    rows = rng.choice(people.values.size, n, p=people.values.ravel())
    codes = np.stack(np.unravel_index(rows, people.values.shape), axis=1)
    data = cc.Dataset.from_codes(codes, people.domain)
    answer = Stacked(epsilon=epsilon, k=3).release(data, rng=rng)
    queries = cc.choose_queries(people.domain, 3, 20, rng=rng)
    truths = data.marginals(queries)
    found = answer.marginals(queries), answer.inferred.members.plus.marginals(queries)
    return answer, *(np.mean(list(map(cc.sse, truths, tables))) for tables in found)


@pytest.mark.slow
def test_many_attributes_with_one_thing_behind_them_are_answered_better_than_by_calm_plus():
    answer, stacked, plus = collected(factor(12), 2**15, 2.0, 1)
    assert not answer.inferred.members.plus.joint
    assert stacked < 0.7 * plus
    assert answer.inferred.weights[0] < 0.9 and cc.is_distribution(answer.marginal(("a", "l")))


def test_a_stacked_answer_is_a_distribution_in_its_interval_and_always_the_same(rng):
    answer, *_ = collected(factor(6), 4000, 1.0, 5)
    assert answer.inferred.weights.sum() == pytest.approx(1)
    again = infer_stacked(answer.reports, 3)
    for query in (("a",), ("a", "c"), ("b", "d", "e")):
        table = answer.marginal(query)
        assert cc.is_distribution(table)
        np.testing.assert_array_equal(table.values, again.marginal(query).values)
        low, high = answer.interval(query)
        assert (0 <= low).all() and (low <= table.values).all()
        assert (table.values <= high).all() and (high <= 1).all()
        inside = table.values > np.median(table.values)
        low, high = answer.interval_of_sum(query, inside)
        # It reaches further to where the prior pulled from, so the answer is not its middle.
        assert 0 <= low <= table.values[inside].sum() <= high <= 1
    assert "Weights: CALM+" in answer.explain(("a", "b")).text
    assert answer.covers(("a",)) and answer.views.domain == answer.domain


@pytest.mark.slow
def test_with_little_noise_it_is_no_worse_than_calm_or_calm_plus():
    strong = ((0.02, 0.01, 0.03, 0.05, 0.08, 0.04), (0.5, 0.2, 0.8, 0.9, 0.95, 0.7), (0.95,) * 6)
    people, errors = mixture((0.7, 0.2, 0.1), strong), []
    codes = np.stack(np.unravel_index(np.arange(64), people.values.shape), axis=1)
    times = np.round(people.values.ravel() * 100_000).astype(int)
    crowd = Population(cc.Dataset.from_codes(np.repeat(codes, times, axis=0), people.domain), 2**24)
    queries = list(combinations(people.domain.names, 3))
    truths = crowd.marginals(queries)
    for seed in (1, 2, 3):
        answer = Stacked(epsilon=2.0, k=3).release(crowd, rng=np.random.default_rng(seed))
        all_ = (answer, answer.views, answer.inferred.members.plus)
        errors.append([np.mean(list(map(cc.sse, truths, one.marginals(queries)))) for one in all_])
    stacked, calm, plus = np.sum(errors, axis=0)
    assert stacked < 1.02 * min(calm, plus)


def test_intervals_are_longer_where_the_answers_differ(rng):
    plus = infer_stacked(collected(factor(4), 4000, 1.0, 6)[0].reports, 2).members.plus
    own = plus.marginal(("a", "b"))
    other = cc.Marginal(own.domain, own.values + 0.05 * np.array([[1, -1], [-1, 1]]))
    lengths = [np.subtract(*plus.interval(own.attrs, center=c)[::-1]) for c in (own, other)]
    assert (lengths[1] > lengths[0] + 0.01).all()
    np.testing.assert_array_equal(lengths[0], np.subtract(*plus.interval(own.attrs)[::-1]))


def test_nobody_reported_yet():
    plan = make_plan(DOMAIN, 1000, epsilon=1.0, k=2, theta=1e-3, rng=np.random.default_rng(1))
    empty = Reports(DOMAIN, tuple(
        ViewReports(view, oracle, np.zeros(oracle.size, dtype=int), 0)
        for view, oracle in zip(plan.views, plan.oracles)
    ))  # fmt: skip
    low, high = infer_stacked(empty, 2).interval(("sex", "age"))
    assert (low == 0).all() and (high == 1).all()
    one = replace(empty.views[0], support=np.array([1, 0, 0, 0]), n=1)
    lone = infer_stacked(replace(empty, views=(one, *empty.views[1:])), 2)
    assert cc.is_distribution(lone.marginal(("sex",)))
