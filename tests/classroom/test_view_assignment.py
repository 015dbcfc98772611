"""Plans of classes, dealing, and what a phone is sent."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calm_core.classroom.survey import (
    MAX_CELLS,
    Question,
    Survey,
    assign_views,
    plan_class,
    plan_from_text,
    plan_to_text,
    questions_for_phone,
)
from calm_core.errors import DataError, InfeasibleError
from calm_core.oracles import GRR
from tests.classroom.conftest import survey_of

# Section 7: d, epsilon -> l, m (m of 8 questions at epsilon 1 depends on n).
PLANS = {
    (3, 1): (2, 3), (3, 2): (2, 3), (3, 3): (3, 1), (3, 4): (3, 1), (4, 1): (2, 6), (4, 2): (2, 6),
    (4, 3): (4, 1), (4, 4): (4, 1), (6, 1): (2, 15), (6, 2): (3, 6), (6, 3): (4, 3), (6, 4): (4, 3),
    (8, 2): (3, 11), (8, 3): (4, 6), (8, 4): (5, 4),
}  # fmt: skip


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0, 2.0, 3.7, 8.0])
def test_every_view_passes_the_checks_of_the_phone(epsilon, rng):
    for d, choices, n in itertools.product((2, 3, 7, 12), (2, 3, 6), (12, 300)):
        survey = survey_of(d, choices, epsilon)
        plan = json.loads(plan_to_text(plan_class(survey, n, rng=rng)))
        questions = json.loads(survey.questions_text)
        for view in range(len(plan["views"])):
            told = questions_for_phone("T", questions, plan, view)
            size = math.prod(len(question["choices"]) for question in told["questions"])
            assert (
                told["oracle"] == "grr" and size == told["size"] >= 2 and told["size"] <= MAX_CELLS
            )
            keep = int(told["keep"], 16)
            odds = keep * (told["size"] - 1) / (2**64 - keep)
            assert abs(math.log(odds) - epsilon) < 1e-9 and told["views"] == len(plan["views"])
            assert len(told["keep"]) == 16


@pytest.mark.parametrize("d, epsilon", PLANS)
@pytest.mark.parametrize("n", [30, 40, 60, 100, 300])
def test_plans_match_the_specification(d, epsilon, n, rng):
    plan = plan_class(survey_of(d, epsilon=float(epsilon)), n, rng=rng)
    assert (plan.l, plan.m) == PLANS[d, epsilon]
    assert all(plan.covers(pair) for pair in itertools.combinations(plan.domain.names, 2))
    assert {oracle.name for oracle in plan.oracles} == {"grr"} and plan.n == n


@pytest.mark.parametrize(
    "sizes", [(6,) * 12, (5,) * 8, (4,) * 6, (2, 6, 6, 6, 2), (3, 5, 2, 6, 4, 6)]
)
@pytest.mark.parametrize("epsilon", [1.0, 4.0, 8.0])
def test_no_view_has_more_than_64_cells_and_every_question_is_asked(sizes, epsilon, rng):
    asked = [
        Question(f"q{at}", "?", [str(c) for c in range(size)]) for at, size in enumerate(sizes)
    ]
    survey = Survey("T", asked, epsilon)
    with pytest.raises(InfeasibleError) as refused:
        plan_class(survey, 0, rng=rng)
    ((_, fewest),) = refused.value.remedies
    for n in (fewest, 30, 300, 1000):
        plan = plan_class(survey, n, rng=rng)
        assert max(oracle.size for oracle in plan.oracles) <= 64 and plan.m <= n
        assert {name for view in plan.views for name in view} == set(survey.domain.names)


def test_views_made_smaller_still_cover_every_pair_with_few(rng):
    # Algorithm 1 wants five questions of four answers together, 1,024 cells; of three there are 56 views.
    plan = plan_class(survey_of(8, 4, 8.0), 1000, rng=rng)
    assert (plan.l, plan.m) == (3, 11)
    assert all(plan.covers(pair) for pair in itertools.combinations(plan.domain.names, 2))
    # Too few phones for all 15 pairs of six answers: as many views as Algorithm 1 allows them.
    assert plan_class(survey_of(6, 6, 8.0), 20, rng=rng).m == 10


def test_too_few_phones_are_refused_with_the_number_needed(rng):
    survey = survey_of(12, epsilon=1.0)
    for n in (0, 1, 5):
        with pytest.raises(InfeasibleError, match="wait for more phones: at least 6") as refused:
            plan_class(survey, n, rng=rng)
        assert refused.value.remedies == (("n", 6),)
    assert plan_class(survey, 6, rng=rng).m == 6


@pytest.mark.parametrize(
    "change",
    [
        {"keep": ["b6137869fdc8da21"] * 3}, {"keep": ["b6137869fdc8da20"]}, {"sizes": [5, 4, 4]}, {"sizes": [4]},
        {"epsilon": 3.0}, {"oracle": "oue"}, {"views": [[0, 3], [0, 1], [1, 2]]}, {"views": [[0, -1], [0, 1], [1, 2]]},
        {"views": [[1, 0], [0, 2], [1, 2]]}, {"views": [[0, 0], [0, 2], [1, 2]]}, {"views": 3}, {"n": 1}, {"n": 10**6},
        {"n": None}, {"more": 1},
    ],
)  # fmt: skip
def test_an_impossible_plan_is_refused(change, rng):
    survey = survey_of(3)
    plain = json.loads(plan_to_text(plan_class(survey, 40, rng=rng))) | change
    with pytest.raises(DataError, match="damaged"):
        plan_from_text(json.dumps(plain), survey)


def test_a_plan_with_too_large_a_view_is_refused():
    plain = {"views": [[0, 1, 2]], "sizes": [216], "keep": [f"{GRR(2.0, 216).keep:016x}"], "epsilon": 2.0,
             "n": 40, "oracle": "grr"}  # fmt: skip
    with pytest.raises(DataError, match="none of this survey"):
        plan_from_text(json.dumps(plain), survey_of(3, 6))


@given(st.integers(1, 40), st.integers(0, 300), st.integers(0, 2**32))
def test_views_are_assigned_in_exact_balance(m, phones, seed):
    dealt = assign_views(m, phones, rng=np.random.default_rng(seed))
    counts = np.bincount(dealt, minlength=m)
    assert len(dealt) == phones and counts.max() - counts.min() <= 1


def test_every_phone_gets_every_view_equally_often(rng):
    # Mean 1000 of 3000 deals; 5 standard deviations are 129.
    counts = np.zeros((5, 3))
    for _ in range(3000):
        counts[np.arange(5), assign_views(3, 5, rng=rng)] += 1
    assert np.abs(counts - 1000).max() < 129
