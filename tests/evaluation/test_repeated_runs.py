"""Repeated questions: the first is the run itself, impossible ones say why, the rest are whole."""

import math

import numpy as np
import pytest

from calm_core import Dataset, Domain, run, stream
from calm_core.evaluation.run import (
    choose_view_grid,
    measure_sweep,
    measure_view_grid,
    repeat_release,
    score_pairs,
)
from calm_core.methods import Calm


@pytest.fixture(scope="module")
def data() -> Dataset:
    codes = np.random.default_rng(3).integers(0, 2, size=(8_000, 5))
    codes[:, 1] = np.maximum(codes[:, 0], codes[:, 1])
    return Dataset.from_codes(codes, Domain(tuple("abcde"), (2, 2, 2, 2, 3)))


def test_first_replay_is_the_run_and_the_others_differ(data):
    method = Calm(epsilon=1.0, k=2)
    own = run(data, method, seed=4, n=5_000).answer.marginal(("a", "b"))
    again = list(repeat_release(data, method, ("a", "b"), seed=4, n=5_000, times=3))
    np.testing.assert_array_equal(again[0].values, own.values)
    assert not np.array_equal(again[1].values, again[2].values)


def test_pairs_are_all_there_with_their_errors(data):
    answer = Calm(epsilon=1.0, k=2).release(data, rng=stream(1))
    pairs = score_pairs(data, answer)
    assert len(pairs) == 10
    row = pairs[[a == ("a", "e") for a in pairs.attributes]].iloc[0]
    difference = data.marginal(("a", "e")).values - answer.marginal(("a", "e")).values
    assert row.sse == pytest.approx((difference**2).sum())


@pytest.mark.parametrize(("d", "choice"), [(2, (2, 1)), (5, (2, 10)), (8, (3, 11)), (16, (2, 120))])
def test_grid_of_views_is_possible_and_holds_the_choice(d, choice):
    pairs = choose_view_grid(d, choice)
    assert choice in pairs and len(set(pairs)) == len(pairs)

    assert all(math.ceil(d / l) <= m <= math.comb(d, l) for l, m in pairs)  # noqa: E741


def test_views_that_cannot_run_say_why(data):
    found = list(measure_view_grid(data, Calm(epsilon=1.0, k=2), [(2, 10), (2, 1)], seed=1))
    assert found[0]["sse"] > 0 and found[0]["reason"] == ""
    assert np.isnan(found[1]["sse"]) and "m (1)" in found[1]["reason"]


@pytest.mark.parametrize(("name", "values"), [("epsilon", (0.3, 3.0)), ("n", (1_000, 30_000))])
def test_error_falls_with_budget_and_users(data, name, values):
    few, many = measure_sweep(data, Calm(epsilon=1.0, k=2), name, values, seed=1, queries=10)
    assert few["sse"] > 2 * many["sse"]
    assert few["low"] <= few["sse"] <= few["high"]
    assert 0.2 < many["sse"] / many["predicted"] < 5
    for row in (few, many):
        assert row["wrong_low"] <= row["wrong"] <= row["wrong_high"] < row["wrong_guess"] + 0.2
        assert 0.3 < row["wrong"] / row["wrong_expected"] < 2
    assert few["wrong"] > 1.4 * many["wrong"]


def test_sweep_reports_a_value_that_cannot_run(data):
    (found,) = measure_sweep(data, Calm(epsilon=1.0, k=2), "epsilon", [99.0], seed=1)
    assert "99" in found["reason"] and "sse" not in found
