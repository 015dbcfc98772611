"""Orthonormal bases of tables whose first vector is constant along every attribute.

For two values this is the Walsh-Hadamard basis, for more the discrete cosine basis. The coefficients
of a table split into one block per subset of its attributes: the block of S is the part of the marginal
over S that its proper subsets do not determine.
"""

import math
from functools import lru_cache

import numpy as np

from calm_core._checks import as_readonly

_MATRIX_CELLS = 64


@lru_cache(maxsize=64)
def _basis(sizes: tuple[int, ...]) -> np.ndarray:
    """Basis of tables of these sizes, one vector per row."""
    from scipy.fft import dct

    basis = np.ones((1, 1))
    for size in sizes:
        basis = np.kron(basis, dct(np.eye(size), axis=0, norm="ortho"))
    return as_readonly(basis)


def _axis_groups(sizes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Adjacent axes combined while the matrix over them stays small."""
    groups: list[tuple[int, ...]] = []
    for size in sizes:
        if groups and math.prod(groups[-1]) * size <= _MATRIX_CELLS:
            groups[-1] += (size,)
        else:
            groups.append((size,))
    return groups


def transform_contrasts(
    batch: np.ndarray, sizes: tuple[int, ...], *, inverse: bool = False
) -> np.ndarray:
    """Coefficients of tables in the basis, or with `inverse` the tables of coefficients.

    Parameters
    ----------
    batch : ndarray, shape (m, cells)
        Tables, flat in row-major order.
    sizes : tuple of int
        Shape of each table.

    Returns
    -------
    ndarray, shape (m, cells)
        Entry (j_1, ..., j_l) belongs to the subset of attributes with j_i > 0.

    Examples
    --------
    >>> (transform_contrasts(np.array([[0.1, 0.2, 0.1, 0.3, 0.2, 0.1]]), (2, 3)).round(3) + 0).tolist()
    [[0.408, 0.1, -0.058, -0.082, -0.1, -0.058]]
    """
    m, cells = batch.shape
    if max(sizes) > _MATRIX_CELLS:
        from scipy.fft import dctn, idctn

        move = idctn if inverse else dctn
        axes = tuple(range(1, len(sizes) + 1))
        return move(batch.reshape(m, *sizes), axes=axes, norm="ortho").reshape(m, cells)
    for group in _axis_groups(sizes):
        basis = _basis(group)
        # Each step transforms the leading axes and moves them to the end.
        blocks = batch.reshape(m, len(basis), cells // len(basis)).transpose(0, 2, 1)
        batch = np.matmul(blocks, basis if inverse else basis.T)
    return batch.reshape(m, cells)
