"""Errors predicted before anything is collected, for every method that has a formula."""

import math

import numpy as np
import pytest

from calm_core import Domain, run, stream
from calm_core.errors import UserError
from calm_core.evaluation.metrics import (
    Verdict,
    expected_real_difference,
    judge_error,
    real_difference,
    wrong_of_sse,
)
from calm_core.evaluation.prediction import predict_wrong
from calm_core.ingest.samples import load_sample
from calm_core.methods import METHODS, Calm, CalmPlus, make_method

MIXED = Domain(("sex", "age", "job", "vote"), (2, 3, 4, 2))


@pytest.mark.parametrize("name", ["calm", "direct", "fourier", "priview", "flat", "matrix"])
def test_no_more_is_expected_than_mended_shares_can_err(name):
    """Nothing known of four cells: three of four people are in the wrong one. Raw shares may be anything."""
    domain, wanted = Domain(tuple("abcd"), (2,) * 4), [("a", "b")]
    mended, raw = (
        predict_wrong(
            make_method(name, epsilon=0.005, k=2, nonnegativity=rule), domain, 100, rng=stream(1), queries=wanted
        )
        for rule in ("global", "none")
    )  # fmt: skip
    assert 0.6 < mended < 0.75 and raw > 5


@pytest.mark.parametrize(("epsilon", "k"), [(1.0, 3), (0.2, 3), (1.0, 6)])
def test_calm_plus_on_a_survey_errs_as_predicted(epsilon, k):
    """Interactions are not those supposed: within a factor of two, over six collections."""
    data, method = load_sample("survey", d=8).dataset, CalmPlus(epsilon=epsilon, k=k)
    runs = [run(data, method, seed=4, queries=28, repetition=i) for i in range(6)]
    measured = np.mean([one.wrong for one in runs])
    predicted = predict_wrong(method, data.domain, data.n, rng=stream(1))
    assert predicted / 2 < measured < 2 * predicted


def test_every_method_predicts_a_number_or_none_and_refuses_too_few_people():
    small, wide = (Domain(tuple(names), (2,) * len(names)) for names in ("abcd", "abcdef"))
    for name in METHODS:
        method = make_method(name, epsilon=1.0, k=2)
        found = predict_wrong(method, small, 10_000, rng=stream(1))
        assert found is None or 0 < found < 1, name
        try:
            found = predict_wrong(method, wide, 3, rng=stream(1))
        except UserError as refused:
            assert "3" in str(refused), name
        else:
            assert found is None or found > 0, name


def test_a_prediction_is_for_the_tables_asked_for():
    method = Calm(epsilon=1.0, k=2)
    few, many = (
        predict_wrong(method, MIXED, 10_000, rng=stream(1), queries=[attrs])
        for attrs in (("sex", "vote"), ("age", "job"))
    )
    assert few < predict_wrong(method, MIXED, 10_000, rng=stream(1)) < many


def test_verdicts_end_where_the_rule_says():
    for wrong, guess, expected in (
        (0.02, 0.2, Verdict.PRECISE), (0.0201, 0.5, Verdict.ROUGH), (0.02, 0.19, Verdict.ROUGH),
        (0.2, 0.4, Verdict.ROUGH), (0.201, 0.4, Verdict.UNUSABLE), (0.01, 0.015, Verdict.UNUSABLE),
        (0.0, 0.0, Verdict.PRECISE),
    ):  # fmt: skip
        assert judge_error(wrong, guess) is expected, (wrong, guess)


@pytest.mark.parametrize("cells", [2, 4, 16])
def test_differences_said_to_be_real_are_in_95_of_100_repeats(cells):
    """Normal errors that add up to 0: of 4,000 repeats, by 20 others each, or by their known size."""
    draws = stream(3, cells).normal(size=(4000, 21, cells))
    errors = draws - draws.mean(axis=2, keepdims=True)
    widest = np.ptp(errors[:, 20], axis=1)
    measured = np.array([real_difference(some[:20]) for some in errors])
    # One in 21 repeats is beyond the 20 others; three standard errors.
    assert np.mean(widest <= measured) == pytest.approx(20 / 21, abs=0.01)
    known = expected_real_difference(math.sqrt(1 - 1 / cells), cells)
    assert 0.945 < np.mean(widest <= known) < 0.97


def test_people_in_the_wrong_cell_are_those_of_normal_errors_with_this_sse():
    errors = stream(4).normal(scale=0.01, size=(20_000, 8))
    wrong, sse = np.abs(errors).sum(axis=1).mean() / 2, (errors**2).sum(axis=1).mean()
    assert wrong == pytest.approx(wrong_of_sse(sse, 8), rel=0.01)
