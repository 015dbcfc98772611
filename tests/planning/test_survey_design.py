"""A survey designed without data: never worse with more people or budget, and what it says holds."""

import math
from itertools import combinations, pairwise

import numpy as np
import pytest

import calm_core as cc
from calm_core.errors import InputError
from calm_core.figures.plan import (
    choices_map,
    incidence,
    noise_curves,
    posterior,
    table_of_choices,
    variance_by_size,
)
from calm_core.ingest.populations import make_population
from calm_core.methods import Calm
from calm_core.oracles import GRR
from calm_core.planning.algorithm1 import choose_views
from calm_core.planning.plan import expected_sse, make_plan, noise_errors, reconstruction_allowance
from calm_core.planning.survey_design import (
    expected_plan_sse,
    find_epsilon,
    find_remedies,
    find_survey_epsilon,
    find_survey_users,
    find_users,
    make_equal_domain,
    make_example_plan,
    make_survey_plan,
    predict_survey_sse,
)
from calm_core.randomness import stream
from calm_core.tables.domain import Domain
from pages import words

SURVEYS = [(16, 2, 3), (12, 3, 2), (8, 5, 3), (40, 2, 4), (6, 2, 6)]


@pytest.mark.slow
@pytest.mark.parametrize(("d", "values", "k"), SURVEYS)
def test_more_people_or_budget_are_never_expected_to_err_more(d, values, k):
    ns = np.unique(np.geomspace(100, 1e9, 40).astype(int)).tolist()
    for epsilon in (0.05, 0.77, 2.0, 6.0):
        errors = [predict_survey_sse(d, values, n, epsilon=epsilon, k=k) for n in ns]
        assert all(later <= earlier for earlier, later in pairwise(errors))
        assert errors[-1] < 0.1 * errors[0]
    epsilons = np.geomspace(0.05, 10, 40).tolist()
    for n in (150, 5_000, 3_000_000):
        errors = [predict_survey_sse(d, values, n, epsilon=e, k=k) for e in epsilons]
        assert all(later <= earlier for earlier, later in pairwise(errors))


@pytest.mark.parametrize(("l", "epsilon"), [(3, math.log(6 / 3)), (4, math.log(14 / 3))])
def test_the_step_between_oracles_is_not_for_the_worse(l, epsilon):  # noqa: E741
    # At this epsilon the papers' rule goes from OUE to GRR for views of 2^l cells.
    below, above = (
        predict_survey_sse(l, 2, 10**6, epsilon=epsilon * factor, k=l)
        for factor in (0.9999, 1.0001)
    )
    assert make_survey_plan(l, 2, 10**6, epsilon=epsilon, k=l).l == l
    assert above <= below


@pytest.mark.parametrize(("d", "values", "k"), SURVEYS)
@pytest.mark.parametrize("n", [100, 31_622, 1_000_000])
def test_the_error_is_that_of_the_plan_and_no_more_than_algorithm_1s(d, values, k, n):
    asked = {"epsilon": 1.0, "k": k}
    plan = make_survey_plan(d, values, n, **asked)
    assert plan.n == n and plan.m <= n and {oracle.epsilon for oracle in plan.oracles} == {1.0}
    assert predict_survey_sse(d, values, n, **asked) == pytest.approx(expected_sse(plan), rel=1e-9)
    # Algorithm 1's own plan for a number of people on the grid is among those looked at.
    automatic = expected_sse(make_example_plan(plan.domain, 100, **asked))
    assert predict_survey_sse(d, values, 100, **asked) <= automatic * (1 + 1e-9)


@pytest.mark.slow
def test_what_people_and_budget_cost_is_enough_and_little_less_is_not():
    asked = {"epsilon": 2.0, "k": 3}
    n = find_survey_users(16, 2, 0.01, **asked)
    assert (
        predict_survey_sse(16, 2, n, **asked)
        <= 0.01
        < predict_survey_sse(16, 2, int(n * 0.98), **asked)
    )
    epsilon = find_survey_epsilon(16, 2, 0.01, n=100_000, k=3)
    assert predict_survey_sse(16, 2, 100_000, epsilon=epsilon, k=3) <= 0.01
    assert predict_survey_sse(16, 2, 100_000, epsilon=epsilon * 0.98, k=3) > 0.01
    assert (
        find_survey_users(16, 2, 1e-20, **asked) is None
        and find_survey_users(16, 2, 1e9, **asked) == 100
    )
    assert find_survey_epsilon(16, 2, 1e-9, n=1000, k=3) is None
    for wrong in (0.0, -1.0, float("nan")):
        with pytest.raises(InputError, match="must be above 0"):
            find_survey_users(16, 2, wrong, **asked)


def measured(data: cc.Dataset, wanted: float, *, epsilon: float, k: int) -> float:
    """Mean SSE of a collection from as many people as the design says, by its plan."""
    n = find_survey_users(data.domain.d, 2, wanted, epsilon=epsilon, k=k)
    plan = make_survey_plan(data.domain.d, 2, n, epsilon=epsilon, k=k)
    method = Calm(epsilon=epsilon, k=k, l=plan.l, m=plan.m, oracle="contrast")
    runs = [cc.run(data, method, seed=s, n=n, queries=50) for s in range(3)]
    return float(np.mean([run.scores.sse.mean() for run in runs]))


@pytest.mark.parametrize("wanted", [0.05, 0.01])
@pytest.mark.parametrize(
    "population",
    [
        {"kind": "chain", "strength": 0.5},
        {"kind": "clusters", "strength": 0.5},
        {"kind": "independent"},
    ],
    ids=lambda population: population["kind"],
)
def test_as_many_people_as_asked_for_err_no_more_than_wanted(population, wanted):
    # The case of 810 people for 0.01, who erred by 0.024. The allowance leaves a third or more to
    # spare in all of these, many times what three collections vary.
    data = make_population(d=16, n=100_000, rng=np.random.default_rng(5), **population)
    assert measured(data, wanted, epsilon=2.0, k=3) <= wanted


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nltcs.csv.gz", "acs_binary.csv.gz", "msnbc.parquet"])
def test_as_many_people_as_asked_for_are_enough_on_real_data(name, shared_data, parse_in_process):
    from calm_core.ingest.encode import load_dataset

    data = load_dataset(shared_data / name, max_values=2).dataset
    data = data.select(data.domain.names[:16])
    assert measured(data, 0.01, epsilon=2.0, k=3) <= 0.01


def test_the_allowance_is_for_what_no_view_holds():
    domain = cc.Domain(tuple("abcd"), (2, 3, 2, 4))
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    found = lambda views, query: reconstruction_allowance(domain, views, [query], theta=0.004)  # noqa: E731
    assert found([("a", "b", "c")], ("a", "c")) == 0
    assert found(pairs, ("a", "b", "c")) == pytest.approx(0.004)
    assert found(pairs[:2], ("a", "b", "c")) == pytest.approx(0.004 + 0.1 * 2 / 12)
    assert found([("a",)], ("b", "d")) == pytest.approx(0.004 + 0.1 * 6 / 12)


@pytest.mark.slow
def test_no_number_of_users_is_named_without_the_allowance():
    domain = cc.Domain(tuple(f"a{i}" for i in range(16)), (2,) * 16)
    assert find_users(domain, 0.01, epsilon=2.0, k=3, n=100) > 10 * 810
    plan = make_example_plan(domain, 500, epsilon=0.3, k=3)
    for remedy in find_remedies(plan, 0.1):
        assert remedy.field != "n" or remedy.value > 810


def test_the_answer_says_what_it_rests_on():
    plan = make_survey_plan(16, 2, 3000, epsilon=2.0, k=3)
    for said in (
        words.plan.cost_text(3.0, 3000, 2.0, None, 66_000),
        words.plan.survey_text(plan, 2.0),
    ):
        assert "allowance for rebuilding" in said and "larger errors" in said
    assert f"ℓ = {plan.l}, m = {plan.m}" in words.plan.survey_text(plan, 2.0)


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


@pytest.mark.slow
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
