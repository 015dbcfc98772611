"""A collection watched: its last moment is the run, and the numbers beside it are of this table."""

import numpy as np
import pytest

from calm_core import Dataset, Domain, run
from calm_core.evaluation.run import choose_moments, follow_view
from calm_core.methods import Calm


@pytest.fixture(scope="module")
def outcome():
    codes = np.random.default_rng(3).integers(0, 2, size=(3000, 4))
    data = Dataset.from_codes(codes, Domain(tuple("abcd"), (2, 2, 2, 3)))
    return run(data, Calm(epsilon=1.0, k=2), seed=2)


@pytest.mark.parametrize("view", [0, 2])
def test_the_last_moment_is_what_the_run_released(outcome, view):
    held = outcome.answer.reports.views[view]
    seen = follow_view(outcome, view, (0, 5, held.n), rng=np.random.default_rng(1))
    np.testing.assert_allclose(
        seen.reconstructed[-1], outcome.answer.noisy.tables[view].values.ravel()
    )
    np.testing.assert_array_equal(seen.truth.values, outcome.dataset.marginal(held.attrs).values)
    assert np.isnan(seen.reconstructed[0]).all() and not np.isnan(seen.reconstructed[1]).any()
    assert seen.errors[0] > seen.errors[1] > seen.errors[2]


def test_only_the_cells_asked_for_are_kept_and_they_are_the_same(outcome):
    held = outcome.answer.reports.views[0]
    whole, part = (
        follow_view(outcome, 0, (9, held.n), rng=np.random.default_rng(1), cells=cells, repeats=3)
        for cells in (None, [2, 0])
    )
    np.testing.assert_array_equal(part.reconstructed, whole.reconstructed[:, [2, 0]])
    np.testing.assert_array_equal(part.repeats, whole.repeats[:, :, [2, 0]])
    assert part.errors.tolist() == whole.errors.tolist() and part.guess == whole.guess


def test_moments_rise_from_the_first_to_everybody():
    for n, first in ((60_000, 60), (40, 4), (1, 1), (61, 6), (9, 1)):
        found = choose_moments(n, (600, 6000))
        assert found[0] == first and found[-1] == n and list(found) == sorted(set(found)), n
        assert {r for r in (600, 6000) if r < n} <= set(found)
