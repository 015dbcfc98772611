"""Who can answer from the reports by a plan, with what, and what it is expected to err."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import calm_core as cc
from calm_core.collection.simulation import collect
from calm_core.collection.states import State
from calm_core.collection.tally import Tally
from calm_core.errors import InputError
from calm_core.evaluation.prediction import (
    answer_state,
    available_methods,
    expect_state_wrong,
    expected_wrong,
    max_query_size,
)
from calm_core.methods import CalmPlus

DOMAIN = cc.Domain(tuple("abcdef"), (2, 3, 2, 4, 2, 2))
ALWAYS = {"calm", "calm_plus", "uni"}
SOMETIMES = {"fc", "am", "ft", "em", "calm_binary", "priview", "flat"}


def plan_of(name, **settings):
    method = cc.METHODS[name](**{"epsilon": 1.0, "k": 2} | settings)
    return method.public_plan(DOMAIN, 50_000, rng=np.random.default_rng(1))


PLANS = {
    "views of three": (plan_of("calm", l=3, m=8), set()),
    "one table": (plan_of("fc", k=3), {"fc", "am"}),
    "all pairs": (plan_of("am"), {"am"}),
    "all pairs, for larger tables, in unequal groups": (
        replace(plan_of("calm_plus", k=3, design="pairs"), weights=tuple(range(1, 16))),
        {"am"},
    ),
}
every_plan = pytest.mark.parametrize(("plan", "more"), PLANS.values(), ids=PLANS)


def collect_state(plan, people=None):
    codes = np.random.default_rng(5).integers(0, DOMAIN.sizes, size=(50_000, 6))
    people = people or cc.Dataset(codes, DOMAIN)
    reports = collect(people, plan, rng=np.random.default_rng(3))
    support = np.concatenate([view.support for view in reports.views])
    return State(plan, (Tally((("a", "0f"),), support, [view.n for view in reports.views]),))


@pytest.mark.slow
@every_plan
def test_all_who_can_answer_do_and_the_others_say_why_not(plan, more):
    available = set(available_methods(plan))
    assert available >= ALWAYS and available & SOMETIMES == more
    state = collect_state(plan)
    for name in cc.METHODS:
        if name in available_methods(plan):
            found = answer_state(state, name).marginal(("a", "d"))
            assert found.values.shape == (2, 4)
            assert np.abs(found.values - 1 / 8).max() < 0.2
            continue
        with pytest.raises(InputError, match=f"method .{name}. cannot answer .*: it .*; choose"):
            answer_state(state, name)


@pytest.mark.slow
@every_plan
def test_what_is_expected_is_what_is_measured(plan, more):
    """The mean over 200 collections of uniform people, whose true shares are known."""
    people = cc.Dataset(
        np.random.default_rng(5).integers(0, DOMAIN.sizes, size=(50_000, 6)), DOMAIN
    )
    queries = [("a",), ("b", "d"), ("e", "f")]
    truths = [people.marginal(query).values for query in queries]
    for name in more:
        method = cc.METHODS[name](epsilon=1.0, k=plan.k)
        rng, sums = np.random.default_rng(7), np.zeros(3)
        for _ in range(200):
            answer = method.answer(plan, collect(people, plan, rng=rng))
            for i, (query, truth) in enumerate(zip(queries, truths)):
                sums[i] += ((answer.marginal(query).values - truth) ** 2).sum() / 200
        assert method.planned_errors(plan, queries) == pytest.approx(sums, rel=0.25)


@pytest.mark.parametrize("name", ["fc", "am"])
def test_a_plan_in_public_is_expected_to_err_as_the_method_says(name):
    method, queries = cc.METHODS[name](epsilon=1.0, k=2), [("a",), ("b", "d")]
    known = [method.analytical_sse(DOMAIN, 50_000, query) for query in queries]
    assert method.planned_errors(plan_of(name), queries) == pytest.approx(known, rel=1e-6)


def test_tables_larger_than_were_asked_about_have_no_expected_error():
    plan, _ = PLANS["all pairs, for larger tables, in unequal groups"]
    assert max_query_size(plan, "am") == 2 and max_query_size(plan, "calm") == 6
    state = collect_state(plan)
    queries = [("a", "b", "c"), ("a", "b")]
    wrong = expect_state_wrong(state, answer_state(state, "am"), queries, "am")
    assert np.isnan(wrong[0]) and 0 < wrong[1] < 0.2


def test_where_nobody_has_reported_yet_nothing_is_claimed():
    plan, _ = PLANS["all pairs"]
    sizes = [oracle.size for oracle in plan.oracles]
    people = [0] * plan.m
    people[plan.views.index(("a", "b"))] = 1
    state = State(plan, (Tally((("a", "0f"),), np.zeros(sum(sizes), dtype=int), people),))
    answer = answer_state(state, "am")
    assert answer.marginal(("d",)).values.tolist() == [0.25] * 4
    assert expect_state_wrong(state, answer, [("d",)], "am")[0] > 0.6
    # CALM+ knows errors only of attributes with reports: what is usual remains.
    usual = expected_wrong(CalmPlus(epsilon=1.0, k=2), replace(plan, n=1), [("c", "d")])
    assert expect_state_wrong(state, answer_state(state), [("c", "d")]) == pytest.approx(usual)


@pytest.mark.parametrize("name", ["calm", "calm_plus"])
@pytest.mark.parametrize(
    ("common", "differ"), [(0.05, 0.5), (0.3, 0.1), (0.3, 0.01)], ids=["unrelated", "related", "same"]
)  # fmt: skip
def test_what_reports_tell_brings_the_expected_error_nearer_to_the_real_one(name, common, differ):
    """The plan cannot know how attributes go together: it expects the same of all."""
    rng, n = np.random.default_rng(2), 200_000
    alike = rng.random((n, 1)) < common
    bits = rng.random((n, 5)) < common if differ == 0.5 else alike ^ (rng.random((n, 5)) < differ)
    people = cc.Dataset.from_codes(bits.astype(int), cc.Domain(tuple("abcde"), (2,) * 5))
    method = cc.METHODS[name](epsilon=1.0, k=3, l=2, m=10)
    plan = method.plan(people.domain, n, rng=rng)
    queries = list(combinations("abcde", 3))
    state = collect_state(plan, people)
    answer = answer_state(state, name)
    wrong = [cc.l1(people.marginal(query), answer.marginal(query)) / 2 for query in queries]
    before = expected_wrong(method, plan, queries).mean()
    after = expect_state_wrong(state, answer, queries, name).mean()
    assert abs(np.log(after / np.mean(wrong))) < abs(np.log(before / np.mean(wrong)))
