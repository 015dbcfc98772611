"""Errors predicted before anything is collected: by formula, in points, for every method that has one."""

import math

import numpy as np
import pytest

from calm_core import Domain, choose_queries, run, stream
from calm_core.errors import InputError, UserError
from calm_core.evaluation.metrics import (
    Band,
    classify_error,
    predict_plan_points,
    predict_points,
    typical_points,
)
from calm_core.evaluation.prediction import predict_wrong
from calm_core.ingest.samples import load_sample
from calm_core.methods import METHODS, Calm, CalmPlus, make_method
from calm_core.methods.calm_plus import typical_variance
from calm_core.planning.plan import expected_errors, expected_sse, shrunken_errors

MIXED = Domain(("sex", "age", "job", "vote"), (2, 3, 4, 2))


def test_points_are_those_of_the_errors_of_every_table():
    method = Calm(epsilon=1.0, k=2)
    plan = method.plan(MIXED, 30_000, rng=stream(1))
    queries = choose_queries(MIXED, 2, 200, rng=stream(2))
    errors = expected_errors(plan, queries)
    assert expected_sse(plan) == pytest.approx(errors.mean())
    cells = [math.prod(MIXED.shape_of(query)) for query in queries]
    assert len(set(cells)) > 1
    found = predict_points(method, MIXED, 30_000, rng=stream(1))
    assert found == pytest.approx(typical_points(errors, cells))
    assert found != pytest.approx(typical_points([errors.mean()], [np.mean(cells)]))


@pytest.mark.parametrize("name", ["direct", "fourier", "priview", "flat", "matrix"])
def test_no_more_is_expected_of_a_curator_than_shares_can_err(name):
    domain, wanted = Domain(tuple("abcd"), (2,) * 4), [("a", "b"), ("c", "d")]
    mended, raw = (
        make_method(name, epsilon=0.005, k=2, nonnegativity=rule).expected_errors(
            domain, 100, wanted, rng=stream(1)
        )
        for rule in ("global", "none")
    )
    assert min(raw) > 50 and mended.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("name", ["calm", "priview"])
def test_shares_that_nothing_mends_may_err_more(name):
    domain, wanted = Domain(tuple("abcd"), (2,) * 4), [("a", "b")]
    raw, none = (
        make_method(name, epsilon=0.005, k=2, **rule).expected_errors(
            domain, 100, wanted, rng=stream(1)
        )
        for rule in ({"rounds": 0}, {"nonnegativity": "none"})
    )
    assert raw.tolist() == none.tolist() and raw[0] > 50


def test_no_more_is_expected_than_shares_can_err():
    """Of a hundred people at epsilon 0.05 the formula foresees 500 points; shares are 0 to 100% and add up to 1."""
    domain, wanted = Domain(tuple("abcd"), (2,) * 4), [("a", "b")]
    mended, raw = (
        make_method("calm", epsilon=0.05, k=2, l=2, m=6, nonnegativity=rule)
        for rule in ("ripple", "none")
    )
    by_formula = raw.expected_errors(domain, 100, wanted, rng=stream(1))
    assert by_formula[0] > 50
    assert mended.expected_errors(domain, 100, wanted, rng=stream(1)) == [2.0]
    # All people in one cell, and all released in another.
    most = pytest.approx(typical_points([2.0], 4))
    assert predict_points(mended, domain, 100, rng=stream(1)) == most
    assert predict_plan_points(mended.plan(domain, 100, rng=stream(1))) == most


def test_shrinkage_is_between_the_reports_and_the_prior():
    plan = Calm(epsilon=1.0, k=2, l=2, m=6).plan(MIXED, 20_000, rng=stream(1))
    queries = choose_queries(MIXED, 2, 6, rng=stream(2))
    sizes = [math.prod(MIXED.shape_of(query)) for query in queries]
    reports = shrunken_errors(plan, queries, lambda order: 1e9)
    np.testing.assert_allclose(reports, expected_errors(plan, queries), rtol=1e-6)
    # All contrasts of a table of c cells are c - 1; what is known of none is lost for all of them.
    nothing = shrunken_errors(plan, queries, lambda order: 1e-9)
    np.testing.assert_allclose(nothing, [1e-9 * (c - 1) / c for c in sizes], rtol=1e-3)
    usual = shrunken_errors(plan, queries, typical_variance)
    assert (usual < reports).all() and (usual > nothing).all()


@pytest.mark.parametrize(("epsilon", "k"), [(1.0, 3), (0.2, 3), (1.0, 6)])
def test_calm_plus_on_a_survey_errs_as_predicted(epsilon, k):
    """Interactions are not those supposed: within a factor of two, over six collections."""
    data, method = load_sample("survey", d=8).dataset, CalmPlus(epsilon=epsilon, k=k)
    runs = [run(data, method, seed=4, queries=28, repetition=i) for i in range(6)]
    measured = typical_points([error for one in runs for error in one.scores.sse], 2**k)
    predicted = predict_points(method, data.domain, data.n, rng=stream(1))
    assert predicted / 2 < measured < 2 * predicted


def test_two_phases_are_not_predicted():
    method = CalmPlus(epsilon=1.0, k=2, design="two_phase")
    assert predict_points(method, MIXED, 10_000, rng=stream(1)) is None


def test_every_method_predicts_a_number_or_none_and_refuses_too_few_people():
    small, wide = (Domain(tuple(names), (2,) * len(names)) for names in ("abcd", "abcdef"))
    for name in METHODS:
        method = make_method(name, epsilon=1.0, k=2)
        found = predict_points(method, small, 10_000, rng=stream(1))
        assert found is None or found > 0, name
        wrong = predict_wrong(method, small, 10_000, rng=stream(1))
        assert (wrong is None) == (found is None) and (wrong is None or 0 < wrong < 1), name
        try:
            found = predict_points(method, wide, 3, rng=stream(1))
        except UserError as refused:
            assert "3" in str(refused), name
        else:
            assert found is None or found > 0, name


def test_unknown_errors_are_not_averaged():
    for errors in ([], [0.1, math.nan]):
        with pytest.raises(InputError, match="errors must be known"):
            typical_points(errors, 4)


def test_bands_end_where_the_rule_says():
    for error, guess, expected in (
        (1.0, 10.0, Band.EXACT), (1.01, 100.0, Band.TREND), (1.0, 9.9, Band.TREND),
        (6.0, 18.0, Band.TREND), (6.01, 18.0, Band.NOISE), (0.5, 1.0, Band.NOISE), (0.0, 0.0, Band.EXACT),
    ):  # fmt: skip
        assert classify_error(error, guess) is expected, (error, guess)
