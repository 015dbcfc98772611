"""The optimal design: the program against a general solver, its bounds, and the plan that is made of it."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, islice, product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

import calm_core as cc
from calm_core.evaluation.prediction import Usual, plan_variances
from calm_core.oracles import Parity, choose_oracle
from calm_core.planning import optimal_design
from calm_core.planning.algorithm1 import choose_views
from calm_core.planning.optimal_design import (
    POWER,
    build_problem,
    divide_users,
    optimal_plan,
    optimize_division,
)

CUBE = cc.Domain(tuple("abcdefgh"), (2,) * 8)
MIXED = cc.Domain(tuple("abcdef"), (2, 2, 2, 3, 3, 5))
SETTINGS = [
    (CUBE, 2, 0.5),
    (CUBE, 2, 1.0),
    (CUBE, 3, 1.0),
    (CUBE, 3, 2.0),
    (MIXED, 2, 1.0),
    (MIXED, 3, 2.0),
]
every = pytest.mark.parametrize(("domain", "k", "epsilon"), SETTINGS)
N = 2**16


def problem(domain, k, epsilon, n=N):
    return build_problem(domain, n, epsilon, k, choose_views(n, domain.sizes, epsilon, k, 1e-3))


def value(posed, shares):
    return float((posed.ratios(posed.precision.T @ shares) ** POWER).mean() ** (1 / POWER))


@every
def test_the_shares_are_those_of_a_general_solver(domain, k, epsilon):
    posed = problem(domain, k, epsilon)
    found = divide_users(posed, epsilon)
    kinds = len(posed.kinds)
    slow = minimize(
        lambda shares: value(posed, shares), np.full(kinds, 1 / kinds), method="SLSQP",
        bounds=[(0, 1)] * kinds, constraints={"type": "eq", "fun": lambda s: s.sum() - 1},
        options={"ftol": 1e-13, "maxiter": 500},
    )  # fmt: skip
    best = value(posed, found.shares)
    assert found.shares.min() >= 0 and found.shares.sum() == pytest.approx(1)
    assert best <= slow.fun * (1 + 1e-4)
    # The bound is one: nothing that the solver finds is below it.
    assert slow.fun >= best * (1 - found.gap) * (1 - 1e-9) and found.gap < 1e-3


def test_slopes_are_those_of_the_errors(rng):
    posed = problem(MIXED, 3, 1.0, 5000)
    told = rng.random(len(posed.importance)) * 0.1
    _, slopes = posed.errors(told)
    for at in range(len(told)):
        step = np.eye(len(told))[at] * 1e-6
        apart = (posed.errors(told + step)[0] - posed.errors(told - step)[0]) / 2e-6
        np.testing.assert_allclose(slopes[:, at], apart, rtol=1e-4)


@every
def test_no_reports_at_all_are_better_than_the_bound_says(domain, k, epsilon, rng):
    """Made-up kinds of reports that let through as much as privacy allows, spread at random."""
    posed = problem(domain, k, epsilon)
    found = divide_users(posed, epsilon)
    whole = np.expm1(epsilon) ** 2 / (4 * np.exp(epsilon))
    spread = rng.dirichlet(np.full(len(posed.contrasts), 0.3), size=300)
    ideal = replace(posed, precision=csr_matrix(spread * whole / posed.contrasts))
    best, limit = value(posed, found.shares), 1 - found.bound
    assert min(value(ideal, row) for row in np.eye(300)) >= limit * best
    assert value(ideal, divide_users(ideal, epsilon).shares) >= limit * best * (1 - 1e-9)
    # And all the kinds there are stay within what privacy lets through.
    assert (posed.precision @ posed.contrasts).max() <= whole * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("k", [2, 3])
def test_the_plan_has_the_error_of_its_division(k, epsilon):
    """Every pair and every triple are treated alike, and a formula that knows nothing of kinds agrees."""
    found = optimize_division(CUBE, N, epsilon=epsilon, k=k)
    plan = optimal_plan(CUBE, N, epsilon=epsilon, k=k, rng=np.random.default_rng(1))
    assert sum(plan.shares) == pytest.approx(1)
    queries = list(combinations(CUBE.names, k))
    usual = Usual(single=0.2, pair=0.02, higher=0.003, carried=0.0, shrinks=True)
    known = plan_variances(plan, usual, queries)
    errors = (known.collected + known.lost) / known.cells
    # Nearly: a kind that few are asked in does not come round to all sets.
    assert np.ptp(errors) < 0.01 * errors.mean()
    # That without what pairs have in common, and with everybody's own sampling, which is little here.
    posed = found.problem
    alone = replace(posed, common=np.full(4, 1e12))
    ours = alone.errors(posed.precision.T @ found.shares)[0][0]
    assert errors.mean() == pytest.approx(ours, rel=0.06)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("d", "n", "k"), [(32, 2**16, 3), (32, 1000, 3), (3, 50, 2), (2, 3, 2), (24, 30, 2)]
)
@pytest.mark.parametrize("epsilon", [0.2, 2.0, 8.0])
def test_everybody_is_asked_and_every_attribute_is(d, n, k, epsilon):
    domain = cc.Domain(tuple(f"x{i}" for i in range(d)), tuple(2 + (i % 5 == 4) for i in range(d)))
    plan = optimal_plan(domain, n, epsilon=epsilon, k=k, rng=np.random.default_rng(1))
    alone = {name for v, o in zip(plan.views, plan.oracles) if o.sets is None for name in v}
    assert alone == set(domain.names) and plan.m <= min(n, optimal_design.MAX_GROUPS + d)
    assert len(set(zip(plan.views, plan.oracles))) == plan.m
    assert {oracle.epsilon for oracle in plan.oracles} == {epsilon}


def test_nobody_is_asked_what_has_one_value_for_everybody():
    names = ("x", "a", "y", "b", "c")
    plan = optimal_plan(
        cc.Domain(names, (1, 2, 1, 2, 3)), N, epsilon=1.0, k=4, rng=np.random.default_rng(1)
    )
    asked = cc.Domain(("a", "b", "c"), (2, 2, 3))
    same = optimal_plan(asked, N, epsilon=1.0, k=3, rng=np.random.default_rng(1))
    assert {name for view in plan.views for name in view} == set(names)
    assert plan.oracles == same.oracles and plan.shares == same.shares


def test_sets_that_are_not_all_asked_are_asked_alike():
    needed, holding = Counter((2, 2, 2)), {2: list(range(20))}
    domain = cc.Domain(tuple(f"x{i}" for i in range(20)), (2,) * 20)
    grown = optimal_design._balanced(domain.d, needed, holding, 190, np.random.default_rng(1))
    blocks = list(islice(grown, 190))
    pairs = Counter(pair for block in blocks for pair in combinations(block, 2))
    assert len(blocks) == len(set(blocks)) == 190 and len(pairs) == 190
    assert max(pairs.values()) - min(pairs.values()) <= 3


def test_an_oracle_that_is_named_is_used_for_views():
    plan = optimal_plan(CUBE, N, epsilon=1.0, k=2, oracle="oue", rng=np.random.default_rng(1))
    assert {oracle.name for oracle in plan.oracles} <= {"oue", "parity"}
    free = optimal_plan(CUBE, N, epsilon=0.5, k=2, rng=np.random.default_rng(1))
    for oracle in free.oracles:
        if oracle.sets is None:
            assert oracle == choose_oracle(oracle.size, 0.5, "best")


def test_parities_of_a_view_are_asked_in_all_different_ways():
    (form,) = optimal_design._forms(Parity(1.0, 8, ((0, 1), (1, 2))))
    assert form.sets == {(0, 1), (0, 2), (1, 2)}
    forms = optimal_design._forms(Parity(1.0, 16, ((0,), (1, 2), (2, 3))))
    alone = [s for form in forms for s in form.sets if len(s) == 1]
    assert sorted(alone) == list(product(range(4)))
