"""Marginal: one table of fractions over some attributes."""

from collections.abc import Iterable
from dataclasses import dataclass

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


def is_distribution(marginal: Marginal, *, tol: float = 1e-9) -> bool:
    """Whether no cell is negative and the cells sum to 1, both within `tol`."""
    values = marginal.values
    return bool(values.min() >= -tol and abs(values.sum() - 1) <= tol * max(1, values.size))
