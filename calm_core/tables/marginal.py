"""Marginal: one table of fractions over some attributes, and its contrasts.

Contrasts are coefficients in an orthonormal basis whose first vector is constant along every attribute: for two values
the Walsh-Hadamard basis, for more the discrete cosine basis. They split into one block per subset of the attributes:
the block of S is the part of the marginal over S that its proper subsets do not determine.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from calm_core._checks import as_readonly
from calm_core.errors import InputError
from calm_core.tables.domain import Domain


@dataclass(frozen=True, eq=False)
class Marginal:
    """Fractions of the population, one cell per combination of values.

    Parameters
    ----------
    domain : Domain
        The attributes of this table only, in canonical order.
    values : ndarray of float, shape domain.sizes
        Axis i belongs to attribute i. True and final marginals are distributions; a raw noisy
        estimate may hold negative cells (see `is_distribution`).

    Examples
    --------
    >>> table = Marginal(Domain(("sex", "age"), (2, 3)), [[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]])
    >>> table.project(("sex",)).values.round(3).tolist()
    [0.4, 0.6]
    """

    domain: Domain
    values: np.ndarray

    def __post_init__(self):
        values = np.array(self.values, dtype=float)
        if values.shape != self.domain.sizes:
            raise InputError(
                f"values of shape {values.shape} must have the shape {self.domain.sizes} of the domain"
            )
        if not np.isfinite(values).all():
            raise InputError("values must be finite numbers")
        object.__setattr__(self, "values", as_readonly(values))

    @property
    def attrs(self) -> tuple[str, ...]:
        """Attribute names, axis by axis."""
        return self.domain.names

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether every given attribute is an axis of this table."""
        return self.domain.covers(attrs)

    def project(self, attrs: Iterable[str]) -> "Marginal":
        """Sum out every attribute that is not given; axes stay in the order of the domain."""
        keep = self.domain.positions(attrs)
        out = tuple(i for i in range(self.domain.d) if i not in keep)
        return Marginal(self.domain.project(attrs), self.values.sum(axis=out))

    marginal = project


def uniform(domain: Domain, attrs: Iterable[str]) -> Marginal:
    """The uniform table: all cells equal.

    Examples
    --------
    >>> uniform(Domain(("sex", "age"), (2, 3)), ("age",)).values.round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    cells = domain.cells_of(attrs)
    return Marginal(domain.project(attrs), np.full(domain.shape_of(attrs), 1.0 / cells))


def mutual_information(marginal: Marginal) -> float:
    """Mutual information of two attributes, in nats; negative cells count as empty."""
    cells = np.maximum(marginal.values, 0.0)
    cells = cells / cells.sum()
    independent = np.outer(cells.sum(axis=1), cells.sum(axis=0))
    inside = cells > 0
    return float((cells[inside] * np.log(cells[inside] / independent[inside])).sum())


def is_distribution(marginal: Marginal, *, tol: float = 1e-9) -> bool:
    """Whether no cell is negative and the cells sum to 1, both within `tol`."""
    values = marginal.values
    return bool(values.min() >= -tol and abs(values.sum() - 1) <= tol * max(1, values.size))


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
