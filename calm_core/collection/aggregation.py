"""Aggregation: from randomized reports to unbiased estimates of the views; and the first reports of a collection.

Those are drawn from its final counts. Nothing here sees the data.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from calm_core._checks import check_count, check_rng, set_fields
from calm_core.collection.simulation import Reports, ViewReports
from calm_core.errors import InputError
from calm_core.oracles import Parity
from calm_core.randomness import NUMPY_POOL, draw_without_replacement
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


def draw_arrivals(sizes: Sequence[int], moments: Sequence[int], *, rng: np.random.Generator):
    """Draw how many of the first reports are from each group, with all reports in a random order.

    The first r of n reports are a uniform sample without replacement, so the numbers from each group are
    multivariate hypergeometric; an earlier sample is a sample of a later one.

    Parameters
    ----------
    sizes : sequence of int
        Final number of reports of each group.
    moments : sequence of int
        Numbers of reports, never falling, from 0 to all.
    rng : numpy Generator
        Draws the order.

    Returns
    -------
    ndarray of int64, shape (moments, groups)
        Rows sum to the moments, and columns never fall.

    Examples
    --------
    >>> came = draw_arrivals([300, 300, 400], [10, 100, 1000], rng=np.random.default_rng(1))
    >>> came.sum(axis=1).tolist(), came[-1].tolist()
    ([10, 100, 1000], [300, 300, 400])
    """
    rng, remaining = check_rng(rng), np.asarray(sizes, dtype=np.int64)
    came = np.empty((len(moments), len(remaining)), dtype=np.int64)
    for i in _backwards(moments, int(remaining.sum())):
        came[i] = remaining = _some_of(remaining, moments[i], rng)
    return came


def draw_first_reports(
    view: ViewReports, moments: Sequence[int], *, rng: np.random.Generator
) -> tuple[ViewReports, ...]:
    """Draw the counts of the first reports of one group, with its reports in a random order.

    They are drawn backwards from the final counts. By exchangeability the support of each cell is
    hypergeometric, with exactly the distribution of the first reports, at every moment and between
    moments. Where a report supports one cell (GRR), this holds for the whole table. Otherwise the counts do
    not show which cells a report supports together, and every arrangement with these counts is taken as
    equally likely: cells independently where reports support any number of cells, a random arrangement
    with a fixed number of cells per report otherwise. This leaves out the covariance of two cells from the
    sampling of users, -f g (1/r - 1/n) for shares f and g, which is small relative to the noise.

    Parameters
    ----------
    view : ViewReports
        All reports of the group.
    moments : sequence of int
        Numbers of reports, never falling, from 0 to all.
    rng : numpy Generator
        Draws the order.

    Examples
    --------
    >>> from calm_core.oracles import GRR
    >>> view = ViewReports(("sex", "age"), GRR(1.0, 6), [40, 10, 10, 20, 10, 10], 100)
    >>> early, late = draw_first_reports(view, [10, 100], rng=np.random.default_rng(1))
    >>> early.support.sum().item(), late.support.tolist() == view.support.tolist()
    (10, True)
    """
    rng = check_rng(rng)
    if isinstance(oracle := view.oracle, Parity):
        # A report names one class and supports all of its cells.
        _, cells = np.unique(oracle.classes, return_index=True)
        classes = ViewReports(view.attrs, oracle.class_oracle, view.support[cells], view.n)
        return tuple(
            ViewReports(view.attrs, oracle, early.support[oracle.classes], early.n)
            for early in draw_first_reports(classes, moments, rng=rng)
        )
    thin = _thin_fixed if view.oracle.fixed_support else _thin_free
    parts, remaining = [], view
    for i in _backwards(moments, view.n):
        support = thin(remaining, moments[i], rng)
        remaining = ViewReports(view.attrs, view.oracle, support, moments[i])
        parts.append(remaining)
    return tuple(reversed(parts))


def _some_of(kinds: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw how many of each kind are in a sample of `size`."""
    if kinds.sum() < NUMPY_POOL:
        return rng.multivariate_hypergeometric(kinds, size, method="marginals")
    return draw_without_replacement(kinds[np.newaxis], np.array([size]), rng=rng)[0]


def _backwards(moments: Sequence[int], n: int) -> range:
    """Indices of the moments, last first; refuses moments that fall or are out of range."""
    if not len(moments) or np.any(np.diff([0, *moments, n]) < 0):
        raise InputError(
            f"moments must be numbers of reports that never fall, from 0 to {n:,}; sort them"
        )
    return range(len(moments) - 1, -1, -1)


def _thin_free(view: ViewReports, size: int, rng: np.random.Generator) -> np.ndarray:
    """Supports of a sample of `size` reports, cells independently."""
    if view.n < NUMPY_POOL:
        return rng.hypergeometric(view.support, view.n - view.support, size)
    pools = np.stack([view.support, view.n - view.support], axis=1)
    return draw_without_replacement(pools, np.full(len(pools), size), rng=rng)[:, 0]


def _thin_fixed(view: ViewReports, size: int, rng: np.random.Generator) -> np.ndarray:
    """Supports of a sample of `size` reports, each of which supports w cells.

    In a random order, the supports of the cells are laid one after another w times around a circle of
    n reports, so that no cell meets a report twice. Reports between two borders are alike, and it is
    enough to draw the number of each kind in the sample.
    """
    if not view.n:
        return view.support
    order = rng.permutation(len(view.support))
    borders = np.concatenate([[0], np.cumsum(view.support[order])])
    starts, place = np.unique(borders % view.n, return_inverse=True)
    kinds = np.diff(np.append(starts, view.n))
    drawn = _some_of(kinds, size, rng)
    before = np.concatenate([[0], np.cumsum(drawn)])
    support = np.empty_like(view.support)
    support[order] = np.diff(borders // view.n * size + before[place])
    return support
