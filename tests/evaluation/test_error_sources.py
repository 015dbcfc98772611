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
