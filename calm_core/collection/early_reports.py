"""The first reports of a collection, drawn from its final counts; sees reports only, never the data."""

from collections.abc import Sequence

import numpy as np

from calm_core._checks import check_rng
from calm_core.collection.simulation import ViewReports
from calm_core.errors import InputError
from calm_core.oracles import Parity
from calm_core.randomness import NUMPY_POOL, draw_without_replacement


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
    rng, left = check_rng(rng), np.asarray(sizes, dtype=np.int64)
    came = np.empty((len(moments), len(left)), dtype=np.int64)
    for i in _backwards(moments, int(left.sum())):
        came[i] = left = _some_of(left, moments[i], rng)
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
    found, left = [], view
    for i in _backwards(moments, view.n):
        support = thin(left, moments[i], rng)
        left = ViewReports(view.attrs, view.oracle, support, moments[i])
        found.append(left)
    return tuple(reversed(found))


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
