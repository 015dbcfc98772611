"""Non-negativity: each variant against its definition or a slow referee."""

import cvxpy as cp
import numpy as np
import pytest

from calm_core.inference.nonnegativity import (
    NONNEGATIVITY,
    make_nonnegative,
    norm_sub,
    ripple,
)
from tests.reference.ripple import ripple_slowly

SHAPES = [(2, 2, 2), (2, 3), (3, 1, 4), (5,)]


def noisy_tables(shape, rng, *, m=4):
    """Tables with total 1 and many negative cells."""
    batch = rng.normal(size=(m, *shape))
    cells = tuple(range(1, batch.ndim))
    return batch + (1 - batch.sum(axis=cells, keepdims=True)) / np.prod(shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_ripple_equals_cell_by_cell(shape, rng):
    batch = noisy_tables(shape, rng)
    slowly = [ripple_slowly(table, 1e-4) for table in batch]
    np.testing.assert_allclose(ripple(batch, threshold=1e-4), slowly, atol=1e-12)


def test_ripple_leaves_cells_above_the_threshold_alone():
    table = np.array([[[-1e-4, 0.5], [0.3, 0.2001]]])
    np.testing.assert_array_equal(ripple(table, threshold=1e-3), table)


def test_ripple_takes_from_neighbors_only():
    before = np.array([[[-0.3, 0.3, 0.2], [0.3, 0.4, 0.1]]])
    change = ripple(before, threshold=1e-6) - before
    np.testing.assert_allclose(change, [[[0.3, -0.1, -0.1], [-0.1, 0.0, 0.0]]], atol=1e-15)


def test_a_table_of_one_cell_stays():
    one = np.ones((1, 1, 1))
    for name in NONNEGATIVITY:
        np.testing.assert_array_equal(make_nonnegative(one, name), one)


@pytest.mark.parametrize("shape", SHAPES)
def test_norm_sub_is_the_projection_on_the_simplex(shape, rng):
    batch = noisy_tables(shape, rng, m=2)
    for table, projected in zip(batch, norm_sub(batch)):
        nearest = cp.Variable(table.size, nonneg=True)
        distance = cp.sum_squares(nearest - table.ravel())
        cp.Problem(cp.Minimize(distance), [cp.sum(nearest) == 1]).solve(solver=cp.CLARABEL)
        np.testing.assert_allclose(projected.ravel(), nearest.value, atol=1e-5)
