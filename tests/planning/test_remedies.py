"""What-if without data, and the pictures of plan and collection."""

import math
from itertools import combinations

import numpy as np
import pytest

from calm_core.errors import InputError
from calm_core.figures.collect import posterior, variance_by_size
from calm_core.figures.plan import choices_map, incidence, noise_curves, table_of_choices
from calm_core.oracles import GRR
from calm_core.planning.algorithm1 import choose_views
from calm_core.planning.expected_error import expected_sse, noise_errors
from calm_core.planning.plan import make_plan
from calm_core.planning.remedies import (
    expected_plan_sse,
    find_epsilon,
    find_remedies,
    find_users,
    make_example_plan,
)
from calm_core.planning.survey_design import make_equal_domain
from calm_core.randomness import stream
from calm_core.tables.domain import Domain

DOMAIN = make_equal_domain(12, 3)


def test_epsilon_needed_is_enough_and_a_little_less_is_not():
    found = find_epsilon(DOMAIN, 0.01, n=20_000, k=3)
    assert expected_plan_sse(DOMAIN, 20_000, epsilon=found, k=3) <= 0.01
    assert expected_plan_sse(DOMAIN, 20_000, epsilon=found / 1.03, k=3) > 0.01


def test_epsilon_needed_at_the_ends():
    assert find_epsilon(DOMAIN, 1e-9, n=1000, k=3) is None
    assert find_epsilon(DOMAIN, 1e9, n=1000, k=3) == 0.01
    for bad in (0.0, -1.0, float("nan")):
        with pytest.raises(InputError):
            find_epsilon(DOMAIN, bad, n=1000, k=3)


def test_each_remedy_alone_is_enough():
    plan = make_example_plan(DOMAIN, 1500, epsilon=0.3, k=3)
    found = {remedy.field: remedy.value for remedy in find_remedies(plan, 0.2)}
    assert expected_plan_sse(DOMAIN, 1500, epsilon=found["epsilon"], k=3) <= 0.2
    assert expected_plan_sse(DOMAIN, found["n"], epsilon=0.3, k=3) <= 0.2
    assert expected_plan_sse(DOMAIN, 1500, epsilon=0.3, k=3) > 0.2


def test_posterior_against_simulated_reports(rng):
    oracle, prior, times = GRR(1.0, 4), 0.3, 5
    reports = oracle.perturb(np.zeros(200_000, dtype=int), rng=rng).reshape(-1, times)
    seen = (reports == 0).sum(axis=1)
    yes = oracle.p**seen * (1 - oracle.p) ** (times - seen)
    no = oracle.q**seen * (1 - oracle.q) ** (times - seen)
    simulated = prior * yes / (prior * yes + (1 - prior) * no)
    # 40,000 people; five standard errors.
    allowed = 5 * simulated.std() / np.sqrt(len(simulated))
    assert abs(posterior(prior, oracle.p, oracle.q, times) - simulated.mean()) < allowed


def test_table_2_of_the_figure_is_algorithm_1s():
    table = table_of_choices(2**18, 16)
    choice = choose_views(2**18, (2,) * 16, 1.0, 5)
    assert (table[2][4].l, table[2][4].m) == (choice.l, choice.m)
    assert choices_map(table, (1.0, 5)).data[0].text[2][4] == f"{choice.l}, {choice.m}"


def test_noise_curves_are_in_points():
    figure = noise_curves(60_000, (2,) * 8, 3, 1e-3, 2.0, 4)
    now = next(trace for trace in figure.data if trace.name == "now")
    choice = choose_views(60_000, (2,) * 8, 2.0, 3)
    (noise,) = [size.noise_error for size in choice.candidates if size.l == 4]
    assert now.y[0] == pytest.approx(100 * (noise / 8) ** 0.5)
    assert "points" in figure.layout.yaxis.title.text


def test_incidence_shows_every_view():
    plan = make_example_plan(DOMAIN, 50_000, epsilon=2.0, k=3)
    shown = np.array(incidence(plan).data[0].z)
    assert shown.shape == (12, plan.m)
    assert shown.sum(axis=0).tolist() == [len(view) for view in plan.views]


def test_the_oracles_cross_where_the_paper_says():
    figure = variance_by_size(1.0, 8)
    grr, oue = (np.array(trace.y) for trace in figure.data[:2])
    sizes = np.array(figure.data[0].x)
    assert grr[sizes < 5].max() < oue[sizes < 5].min() and grr[-1] > oue[-1]


def test_few_sets_of_views_are_weighed_however_many_numbers_of_people_are_tried():
    domain = Domain(tuple(f"a{i}" for i in range(32)), (2,) * 32)
    weighed = []
    asked = {"epsilon": 1.0, "k": 4}
    n = find_users(domain, 1e-5, n=60_000, notify=weighed.append, **asked)
    assert weighed == list(range(len(weighed))) and len(weighed) <= 6
    assert imagined_error(domain, n, **asked) <= 1e-5 < imagined_error(domain, n / 1.05, **asked)


def imagined_error(domain, n, **asked):
    return expected_sse(make_plan(domain, int(n), rng=stream(0, "users"), **asked))


def test_who_is_told_of_the_search_can_end_it():
    domain = Domain(tuple("abcdefgh"), (2,) * 8)

    def stop(done):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        find_users(domain, 1e-3, n=1_000, epsilon=1.0, k=3, notify=stop)


def test_errors_of_queries_are_the_sums_over_their_subsets(rng):
    domain = Domain(tuple("abcdef"), (2, 3, 2, 4, 2, 3))
    plan = make_plan(domain, 5_000, epsilon=1.0, k=3, rng=rng)
    variances = rng.uniform(1e-4, 1e-2, plan.m)
    queries = [("a", "b", "d"), ("c", "f"), ("e",), ("a", "b", "c", "d", "e", "f")]

    def slowly(query, prior=None):
        total = 0.0
        for subset in (s for r in range(1, len(query) + 1) for s in combinations(query, r)):
            inside = math.prod(domain.shape_of(subset))
            dim = math.prod(c - 1 for c in domain.shape_of(subset))
            precision = sum(
                inside / (variance * math.prod(domain.shape_of(view)))
                for view, variance in zip(plan.views, variances)
                if set(subset) <= set(view)
            )
            precision += inside / prior(len(subset)) if prior else 0.0
            total += dim * inside / precision if precision else 0.0
        return total / math.prod(domain.shape_of(query))

    for prior in (None, lambda order: 0.01 * order):
        found = noise_errors(domain, plan.views, variances, queries, prior=prior)
        assert found.tolist() == pytest.approx([slowly(query, prior) for query in queries])
