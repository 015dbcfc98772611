"""Error parts: each vanishes where its source does, and together they are the whole."""

import numpy as np
import pytest

from calm_core import Dataset, Domain, choose_queries, sse, stream
from calm_core.evaluation.error_sources import PARTS, split_error
from calm_core.methods import Calm


@pytest.fixture(scope="module")
def chain() -> Dataset:
    """Five correlated attributes, one of them with three values, 20,000 users."""
    rng = np.random.default_rng(5)
    first = rng.integers(0, 2, 20_000)
    columns = [first]
    for _ in range(3):
        columns.append(np.where(rng.random(20_000) < 0.8, columns[-1], 1 - columns[-1]))
    columns.append(columns[-1] + rng.integers(0, 2, 20_000))
    return Dataset.from_codes(np.stack(columns, axis=1), Domain(tuple("abcde"), (2, 2, 2, 2, 3)))


def split(data, method, k=3):
    queries = choose_queries(data.domain, k, 10, rng=stream(1))
    return split_error(data, method, queries, rng=stream(1, 0, "calm"))


def test_parts_add_up_to_the_error_of_an_ordinary_release(chain):
    method = Calm(epsilon=0.8, k=3)
    parts = split(chain, method)
    answer = method.release(chain, rng=stream(1, 0, "calm"))
    measured = [sse(chain.marginal(q), answer.marginal(q)) for q in parts.attributes]
    np.testing.assert_allclose(parts.sse, measured, rtol=1e-12)
    np.testing.assert_allclose(parts[list(PARTS)].sum(axis=1), parts.sse, rtol=1e-9)
    assert (parts.direct > 0).all()


def test_reconstruction_error_is_nothing_where_views_cover(chain):
    covered = split(chain, Calm(epsilon=1.0, k=3, l=3, m=10))
    assert covered.covered.all()
    assert covered.reconstruction.abs().max() < 1e-15
    rebuilt = split(chain, Calm(epsilon=1.0, k=3, l=2, m=4))
    assert not rebuilt.covered.any()
    assert rebuilt.reconstruction.min() > 1e-6


def test_sampling_error_is_nothing_with_a_single_view(chain):
    single = split(chain, Calm(epsilon=1.0, k=3, l=5, m=1))
    assert single.sampling.abs().max() < 1e-15
    assert single.reconstruction.abs().max() < 1e-15
    assert (single.noise > 0).all()


def test_the_same_groups_are_dealt_without_noise(chain):
    """Truthful reports (one in a million is not) leave nothing to noise if nobody changes groups.

    Dealt anew, other users would be sampled, and the parts would differ by sampling error.
    """
    parts = split(chain, Calm(epsilon=16.0, k=3, l=3, m=10, oracle="grr"))
    assert parts.noise.abs().max() < 0.01 * parts.sampling.abs().mean()
    assert parts.sampling.mean() > 1e-5


def test_full_coverage_is_the_oracles_error_on_the_query(chain):
    """Mean over queries of the direct SSE against its formula, L times the cell's variance.

    60 draws of a sum of 8 to 12 squares: the mean stays within 30% unless a parameter is off.
    """
    from calm_core import choose_oracle

    method = Calm(epsilon=3.0, k=3, l=3, m=10)
    queries = choose_queries(chain.domain, 3, 10, rng=stream(1)) * 6
    direct = split_error(chain, method, queries, rng=stream(2, 0, "calm")).direct
    users = chain.n // 10
    expected = []
    for query in queries:
        truth = chain.marginal(query).values
        oracle = choose_oracle(truth.size, 3.0)
        f, p, q = truth.ravel(), oracle.p, oracle.q
        noise = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / (users * (p - q) ** 2)
        expected.append(noise.sum() + (f * (1 - f)).sum() / users)
    assert 0.6 < direct.mean() / np.mean(expected) < 1.15
