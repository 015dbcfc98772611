"""Noise of FC, AM and FT: as the formulas say, from counts and user by user.

Every comparison is of a mean over independent releases with a band of 3 standard errors of that
mean, so a right implementation fails one in about 370 times per comparison on a new seed; seeds are
fixed. Each test also shows that values 30% off, either way, would have been outside its band.
"""

import math

import numpy as np
import pytest

from calm_core.evaluation.metrics import sse
from calm_core.methods import make_method
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain

RELEASES = 500


def dataset(sizes, n) -> Dataset:
    rng = np.random.default_rng(11)
    domain = Domain(tuple(f"a{i}" for i in range(len(sizes))), sizes)
    codes = np.stack([np.minimum(rng.geometric(0.5, n) - 1, c - 1) for c in sizes], axis=1)
    return Dataset.from_codes(codes, domain)


def assert_mean(sample, expected: float) -> None:
    """The sample's mean agrees with `expected` and would not with one 30% off."""
    error = 3 * np.std(sample, ddof=1) / math.sqrt(len(sample))
    assert abs(np.mean(sample) - expected) <= error
    assert error < 0.15 * expected, "the sample is too small to have power"


CASES = [
    ("fc", (2, 2, 2, 2), 0.5, 3, 3),
    ("fc", (2, 3, 4), 2.5, 2, 2),
    ("fc", (2, 3, 4), 0.5, 2, 1),
    ("am", (2, 2, 2, 2, 2), 0.5, 3, 3),
    ("am", (2, 3, 4, 2), 0.8, 2, 2),
    ("am", (2, 3, 4, 2), 2.5, 3, 3),
    ("am", (2, 3, 4, 2), 0.8, 3, 1),
    ("ft", (2, 2, 2, 2, 2), 0.5, 3, 3),
    ("ft", (2, 2, 2, 2, 2), 3.0, 3, 2),
    ("ft", (2, 3, 5), 1.0, 2, 2),
]


@pytest.mark.parametrize(("name", "sizes", "epsilon", "k", "asked"), CASES)
def test_measured_error_is_the_analytical_one(name, sizes, epsilon, k, asked):
    data = dataset(sizes, 1500)
    method = make_method(name, epsilon=epsilon, k=k)
    queries = [data.domain.names[-asked:], data.domain.names[:asked]]
    truths = [data.marginal(query) for query in queries]
    rng = np.random.default_rng([2018, len(sizes), k, asked])
    measured = []
    for _ in range(RELEASES):
        answers = method.release(data, rng=rng).marginals(queries)
        measured.append([sse(t, a) for t, a in zip(truths, answers)])
    for sample, query, truth in zip(np.transpose(measured), queries, truths):
        expected = method.analytical_sse(data.domain, data.n, query, truth=truth)
        assert_mean(sample, expected)
        assert expected <= method.analytical_sse(data.domain, data.n, query) * (1 + 1e-9)
