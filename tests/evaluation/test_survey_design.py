"""A survey designed without data: never worse with more people or budget, and what it says holds."""

import math
from itertools import combinations, pairwise

import numpy as np
import pytest

import calm_core as cc
from calm_core.errors import InputError
from calm_core.evaluation.prediction import Usual, plan_variances, view_variances
from calm_core.evaluation.survey_design import (
    DEPENDENT,
    find_survey_epsilon,
    find_survey_users,
    make_equal_domain,
    make_survey_plan,
    predict_survey_wrong,
)
from calm_core.figures.plan import incidence, variance_by_size
from calm_core.ingest.populations import make_population
from calm_core.methods import Calm
from calm_core.planning.plan import make_plan
from calm_core.randomness import stream
from calm_core.tables.domain import Domain

SURVEYS = [(16, 2, 3), (12, 3, 2), (8, 5, 3), (40, 2, 4), (6, 2, 6)]


@pytest.mark.slow
@pytest.mark.parametrize(("d", "values", "k"), SURVEYS[:3])
def test_more_people_or_budget_are_never_expected_to_err_more(d, values, k):
    ns = np.unique(np.geomspace(100, 1e9, 40).astype(int)).tolist()
    for epsilon in (0.05, 0.77, 2.0, 6.0):
        errors = [predict_survey_wrong(d, values, n, epsilon=epsilon, k=k) for n in ns]
        assert all(later <= earlier for earlier, later in pairwise(errors))
        assert errors[-1] < 0.3 * errors[0]
    epsilons = np.geomspace(0.05, 10, 40).tolist()
    for n in (150, 5_000, 3_000_000):
        errors = [predict_survey_wrong(d, values, n, epsilon=e, k=k) for e in epsilons]
        assert all(later <= earlier for earlier, later in pairwise(errors))


@pytest.mark.parametrize(("l", "epsilon"), [(3, math.log(6 / 3)), (4, math.log(14 / 3))])
def test_the_step_between_oracles_is_not_for_the_worse(l, epsilon):  # noqa: E741
    # At this epsilon the papers' rule goes from OUE to GRR for views of 2^l cells.
    below, above = (
        predict_survey_wrong(l, 2, 10**6, epsilon=epsilon * factor, k=l)
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
    assert predict_survey_wrong(d, values, n, **asked) == pytest.approx(
        plan_variances(plan, DEPENDENT).wrong(), rel=1e-9
    )
    # Algorithm 1's own plan for a number of people on the grid is among those looked at.
    automatic = plan_variances(
        make_plan(plan.domain, 100, **asked, rng=stream(0, "what if")), DEPENDENT
    ).wrong()
    assert predict_survey_wrong(d, values, 100, **asked) <= automatic * (1 + 1e-9)


@pytest.mark.slow
def test_what_people_and_budget_cost_is_enough_and_little_less_is_not():
    asked = {"epsilon": 2.0, "k": 3}
    n = find_survey_users(16, 2, 0.05, **asked)
    assert (
        predict_survey_wrong(16, 2, n, **asked)
        <= 0.05
        < predict_survey_wrong(16, 2, int(n * 0.98), **asked)
    )
    epsilon = find_survey_epsilon(16, 2, 0.05, n=100_000, k=3)
    assert predict_survey_wrong(16, 2, 100_000, epsilon=epsilon, k=3) <= 0.05
    assert predict_survey_wrong(16, 2, 100_000, epsilon=epsilon * 0.98, k=3) > 0.05
    assert (
        find_survey_users(16, 2, 1e-20, **asked) is None
        and find_survey_users(16, 2, 1.0, **asked) == 100
    )
    assert find_survey_epsilon(16, 2, 1e-9, n=1000, k=3) is None
    for wrong in (0.0, -1.0, float("nan")):
        with pytest.raises(InputError, match="must be above 0"):
            find_survey_users(16, 2, wrong, **asked)


def measure_error(data: cc.Dataset, wanted: float, *, epsilon: float, k: int) -> float:
    """Share of people in the wrong cell of a collection from as many people as the design says, by its plan."""
    n = find_survey_users(data.domain.d, 2, wanted, epsilon=epsilon, k=k)
    plan = make_survey_plan(data.domain.d, 2, n, epsilon=epsilon, k=k)
    method = Calm(epsilon=epsilon, k=k, l=plan.l, m=plan.m, oracle="contrast")
    runs = [cc.run(data, method, seed=s, n=n, queries=50) for s in range(3)]
    return float(np.mean([run.wrong for run in runs]))


@pytest.mark.parametrize("wanted", [0.15, 0.05])
@pytest.mark.parametrize(
    "population",
    [
        {"kind": "chain", "strength": 0.5},
        {"kind": "factor", "strength": 0.3},
        {"kind": "independent"},
    ],
    ids=lambda population: population["kind"],
)
def test_as_many_people_as_asked_for_err_no_more_than_wanted(population, wanted):
    data = make_population(d=16, n=100_000, rng=np.random.default_rng(5), **population)
    assert measure_error(data, wanted, epsilon=2.0, k=3) < 1.2 * wanted


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nltcs.csv.gz", "acs_binary.csv.gz", "msnbc.parquet"])
def test_as_many_people_as_asked_for_are_enough_on_real_data(name, shared_data, parse_in_process):
    from calm_core.ingest.encode import load_dataset

    data = load_dataset(shared_data / name, max_values=2).dataset
    data = data.select(data.domain.names[:16])
    assert measure_error(data, 0.05, epsilon=2.0, k=3) < 1.2 * 0.05


DOMAIN = make_equal_domain(12, 3)


def test_incidence_shows_every_view():
    plan = make_plan(DOMAIN, 50_000, epsilon=2.0, k=3, rng=stream(0, "what if"))
    shown = np.array(incidence(plan).data[0].z)
    assert shown.shape == (12, plan.m)
    assert shown.sum(axis=0).tolist() == [len(view) for view in plan.views]


def test_the_oracles_cross_where_the_paper_says():
    figure = variance_by_size(1.0, 8)
    grr, oue = (np.array(trace.y) for trace in figure.data[:2])
    sizes = np.array(figure.data[0].x)
    assert grr[sizes < 5].max() < oue[sizes < 5].min() and grr[-1] > oue[-1]


def test_errors_of_queries_are_the_sums_over_their_subsets(rng):
    domain = Domain(tuple("abcdef"), (2, 3, 2, 4, 2, 3))
    plan = make_plan(domain, 5_000, epsilon=1.0, k=3, rng=rng)
    variances = rng.uniform(1e-4, 1e-2, plan.m)
    queries = [("a", "b", "d"), ("c", "f"), ("e",), ("a", "b", "c", "d", "e", "f")]

    def slowly(query, prior):
        total = 0.0
        for subset in (s for r in range(1, len(query) + 1) for s in combinations(query, r)):
            inside = math.prod(domain.shape_of(subset))
            dim = math.prod(c - 1 for c in domain.shape_of(subset))
            precision = sum(
                inside / (variance * math.prod(domain.shape_of(view)))
                for view, variance in zip(plan.views, variances)
                if set(subset) <= set(view)
            )
            precision += inside / prior[min(len(subset), 3)]
            total += dim * inside / precision if precision else 0.0
        return total / math.prod(domain.shape_of(query))

    prior = {1: 0.01, 2: 0.02, 3: 0.03}
    usual = Usual(single=0.01, pair=0.02, higher=0.03, carried=0.0, shrinks=True)
    found = view_variances(domain, plan.views, variances, queries, usual=usual)
    errors = (found.collected + found.lost) / found.cells
    assert errors.tolist() == pytest.approx([slowly(query, prior) for query in queries])
