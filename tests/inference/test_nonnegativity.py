"""Non-negativity: each variant against its definition or a slow referee."""

import numpy as np
import pytest

from calm_core.inference.nonnegativity import norm_sub, ripple
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


@pytest.mark.parametrize("shape", SHAPES)
def test_norm_sub_is_the_projection_on_the_simplex(shape, rng):
    import cvxpy as cp

    batch = noisy_tables(shape, rng, m=2)
    for table, projected in zip(batch, norm_sub(batch)):
        nearest = cp.Variable(table.size, nonneg=True)
        distance = cp.sum_squares(nearest - table.ravel())
        cp.Problem(cp.Minimize(distance), [cp.sum(nearest) == 1]).solve(solver=cp.CLARABEL)
        np.testing.assert_allclose(projected.ravel(), nearest.value, atol=1e-5)
