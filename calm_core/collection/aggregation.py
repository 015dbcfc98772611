"""Aggregation: from randomized reports to unbiased estimates of the views."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from calm_core._checks import check_count, set_fields
from calm_core.collection.simulation import Reports
from calm_core.errors import InputError
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal


def check_tables(domain: Domain, tables: Iterable[Marginal]) -> None:
    """Refuse tables with attributes that are not in the domain, or not in its order."""
    for table in tables:
        fits = domain.shape_of(table.attrs) == table.domain.sizes
        if not fits or domain.canonical(table.attrs) != table.attrs:
            raise InputError(f"the view over {table.attrs} does not fit the domain")


@dataclass(frozen=True, eq=False)
class NoisyMarginals:
    """Unbiased estimates of the views: cells may be negative, overlapping views may disagree.

    Attributes
    ----------
    domain : Domain
        All attributes of the collection.
    tables : tuple of Marginal
        One estimate per view, m of them, as fractions of the population.
    variances : tuple of float
        Variance of one cell of each table (small-frequency form of the oracle's variance, fractions
        squared); infinite where nobody reported.
    users : tuple of int
        Number of users who reported on each view (0 where noise was not added by users).
    contrast_variances : tuple of float, optional
        Variance of a cell of each table once its total is known to be 1, at its mean fraction 1/L;
        `variances` by default. Exact, while `variances` is the approximation of the papers.
    value_variances : tuple of float, optional
        The part of it proportional to the cell, see `Oracle.value_variance`; 0 by default.
    sets : tuple, optional
        Sets of axes whose interactions each table measures, see `Oracle.sets`; None, the default, for a
        table that measures all. Its cells have no information on other interactions.

    Raises
    ------
    InputError
        If the lengths differ, a view does not fit the domain, or a number is out of range.
    """

    domain: Domain
    tables: tuple[Marginal, ...]
    variances: tuple[float, ...]
    users: tuple[int, ...]
    contrast_variances: tuple[float, ...] = ()
    value_variances: tuple[float, ...] = ()
    sets: tuple[frozenset[tuple[int, ...]] | None, ...] = ()

    def __post_init__(self):
        even = self.value_variances or (0.0,) * len(self.variances)
        set_fields(
            self, contrast_variances=self.contrast_variances or self.variances, value_variances=even,
            sets=self.sets or (None,) * len(self.tables),
        )  # fmt: skip
        numbers = self.variances, self.users, self.contrast_variances, even, self.sets
        if not self.tables or set(map(len, numbers)) != {len(self.tables)}:
            raise InputError("tables, variances and users must be equally many and at least one")
        if not all(map(math.isfinite, even)):
            raise InputError("value_variances must be finite numbers")
        check_tables(self.domain, self.tables)
        for users in self.users:
            check_count("users of a view", users, low=0)
        if any(not v >= 0 for v in self.variances + self.contrast_variances):
            raise InputError("variances must be numbers from 0")

    @property
    def views(self) -> tuple[tuple[str, ...], ...]:
        """Attribute names of every view."""
        return tuple(table.attrs for table in self.tables)

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether some view covers the table over the given attributes."""
        attrs = self.domain.canonical(attrs)
        return any(table.covers(attrs) for table in self._whole)

    @property
    def _whole(self) -> Iterator[Marginal]:
        """The tables that measure all of their interactions."""
        return (table for table, sets in zip(self.tables, self.sets) if sets is None)

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """The unprocessed estimate from the view with the fewest cells that covers `attrs`."""
        attrs = self.domain.canonical(attrs)
        covering = [table for table in self._whole if table.covers(attrs)]
        if not covering:
            raise InputError(f"no view covers {', '.join(attrs)}; make the views consistent first")
        return min(covering, key=lambda table: table.values.size).project(attrs)


def aggregate(reports: Reports) -> NoisyMarginals:
    """Turn support counts into unbiased estimates, one table per view (CALM section 2.2).

    Examples
    --------
    >>> from calm_core.collection.simulation import ViewReports
    >>> from calm_core.oracles import GRR
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> view = ViewReports(("sex", "age"), GRR(1.0, 6), [40, 10, 10, 20, 10, 10], 100)
    >>> aggregate(Reports(domain, (view,))).tables[0].values.sum().round(6).item()
    1.0
    """
    rows = []
    for view in reports.views:
        checkpoint()
        part = reports.domain.project(view.attrs)
        if view.n:
            estimate = view.oracle.estimate(view.support, view.n)
            variance = float(view.oracle.variance(view.n))
            contrast = float(view.oracle.contrast_variance(view.n))
            value = float(view.oracle.value_variance(view.n))
        else:
            # Without reports there is no estimate; infinite variance gives it no weight.
            estimate = np.full(view.oracle.size, 1 / view.oracle.size)
            variance = contrast = math.inf
            value = 0.0
        table = Marginal(part, estimate.reshape(part.sizes))
        rows.append((table, variance, view.n, contrast, value, view.oracle.sets))
    return NoisyMarginals(reports.domain, *zip(*rows))
