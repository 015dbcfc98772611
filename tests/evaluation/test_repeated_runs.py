"""Repeated questions: the first is the run itself, all pairs are scored."""

import numpy as np
import pytest

from calm_core import Dataset, Domain, run, stream
from calm_core.evaluation.run import repeat_answers, score_pairs, use_rows
from calm_core.methods import Calm


@pytest.fixture(scope="module")
def data() -> Dataset:
    codes = np.random.default_rng(3).integers(0, 2, size=(8_000, 5))
    codes[:, 1] = np.maximum(codes[:, 0], codes[:, 1])
    return Dataset.from_codes(codes, Domain(tuple("abcde"), (2, 2, 2, 2, 3)))


def test_first_replay_is_the_run_and_the_others_differ(data):
    method = Calm(epsilon=1.0, k=2)
    own = run(data, method, seed=4, n=5_000).answer.marginal(("a", "b"))
    again = repeat_answers(use_rows(data, 5_000, 4), method, seed=4, times=3)
    again = [answer.marginal(("a", "b")) for answer in again]
    np.testing.assert_array_equal(again[0].values, own.values)
    assert not np.array_equal(again[1].values, again[2].values)


def test_pairs_are_all_there_with_their_errors(data):
    answer = Calm(epsilon=1.0, k=2).release(data, rng=stream(1))
    pairs = score_pairs(data, answer)
    assert len(pairs) == 10
    row = pairs[[a == ("a", "e") for a in pairs.attributes]].iloc[0]
    difference = data.marginal(("a", "e")).values - answer.marginal(("a", "e")).values
    assert row.sse == pytest.approx((difference**2).sum())
