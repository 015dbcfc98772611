"""Divide the reports of a collection among folds of people, given only support counts.

The counts of a fold are those of a random group of people, and the folds are disjoint.

- GRR: a report supports one cell, so the counts are people, drawn without replacement: exact.
- OUE, OLH: given the users' values, bits of different cells are independent. A user with a cell goes to a
  fold together with all her bits, which makes the cells of a fold dependent. Counts alone do not determine
  how: with two people, two cells and one 1 in each, the probability that one person sent both depends on
  the values, so no rule that uses counts alone is exact for all of them. The values are therefore guessed
  from the estimate. Each cell is divided exactly whatever the guess (its ones are drawn without
  replacement); covariances between cells are exact if the guess is right, and without any guess they
  would be off by (p - q)^2 f f' per person.
- Subset selection: bits of one report exclude each other, and nothing here divides them.
"""

import numpy as np

from calm_core.collection.simulation import Reports, ViewReports, draw_group_sizes
from calm_core.errors import InfeasibleError
from calm_core.inference.nonnegativity import norm_sub
from calm_core.oracles import GRR, OLH, OUE, Oracle
from calm_core.randomness import draw_without_replacement
from calm_core.runtime.cancellation import checkpoint

INDEPENDENT_BITS = (OUE, OLH)


def is_divisible(oracle: Oracle) -> bool:
    """Whether support counts of this oracle can be divided among people."""
    return oracle.size == 1 or isinstance(oracle, (GRR, *INDEPENDENT_BITS))


def divide_reports(
    reports: Reports, folds: int, *, rng: np.random.Generator
) -> tuple[Reports, ...]:
    """Divide the reports into nearly equal random groups of people; they add up to all reports.

    Parameters
    ----------
    reports : Reports
        Of a collection, with divisible oracles (`is_divisible`).
    folds : int
        Number of groups, at least 1.
    rng : numpy Generator
        Draws the groups.

    Raises
    ------
    InfeasibleError
        If an oracle's counts cannot be divided.

    Examples
    --------
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> view = ViewReports(("sex", "age"), GRR(1.0, 6), [40, 10, 10, 20, 10, 10], 100)
    >>> parts = divide_reports(Reports(domain, (view,)), 4, rng=np.random.default_rng(1))
    >>> [part.n for part in parts], sum(parts[1:], parts[0]).views[0].support.tolist()
    ([25, 25, 25, 25], [40, 10, 10, 20, 10, 10])
    """
    views: list[tuple[ViewReports, ...]] = []
    for view in reports.views:
        checkpoint()
        sizes = draw_group_sizes(view.n, (1 / folds,) * folds, rng=rng)
        supports = _divide_view(view, sizes, rng)
        views.append(tuple(
            ViewReports(view.attrs, view.oracle, support, int(size))
            for support, size in zip(supports, sizes)
        ))  # fmt: skip
    return tuple(Reports(reports.domain, fold) for fold in zip(*views))


def subtract_reports(reports: Reports, part: Reports) -> Reports:
    """Return the reports of all people who are not in a part of them."""
    views = (
        ViewReports(all_.attrs, all_.oracle, all_.support - one.support, all_.n - one.n)
        for all_, one in zip(reports.views, part.views)
    )
    return Reports(reports.domain, tuple(views))


def _divide_view(
    view: ViewReports, sizes: np.ndarray, rng: np.random.Generator
) -> list[np.ndarray]:
    """Return the support counts (L,) of every fold."""
    if not is_divisible(view.oracle):
        raise InfeasibleError(
            f"reports by {view.oracle.title} cannot be divided among people from their counts alone; "
            "choose another oracle, or CALM+",
            remedies=[("oracle", "adaptive"), ("method", "calm_plus")],
        )
    if isinstance(view.oracle, GRR) or view.oracle.size == 1 or not view.n:
        return _draw_groups(view.support[np.newaxis], sizes, rng)
    values = _guess_values(view)
    own = _draw_own_ones(view, values, rng)
    owners, supports = _draw_groups(values[np.newaxis], sizes, rng), []
    # Of every cell: its holders who sent a 1, those who did not, and the same of all others.
    pool = np.stack([own, values - own, view.support - own, view.n - values - view.support + own])
    for size, held in zip(sizes, owners):
        holders = draw_without_replacement(pool[:2].T, held, rng=rng).T
        others = draw_without_replacement(pool[2:].T, size - held, rng=rng).T
        supports.append(holders[0] + others[0])
        pool = pool - np.concatenate([holders, others])
    return supports


def _draw_groups(pool: np.ndarray, sizes: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    """Draw groups of people without replacement from counts by kind (1, kinds)."""
    shares = []
    for size in sizes:
        drawn = draw_without_replacement(pool, np.array([size]), rng=rng)
        shares.append(drawn[0])
        pool = pool - drawn
    return shares


def _guess_values(view: ViewReports) -> np.ndarray:
    """Return the estimated number of people with each cell: whole numbers that sum to n."""
    exact = norm_sub(view.oracle.estimate(view.support, view.n)[np.newaxis], total=1.0)[0] * view.n
    counts = np.floor(exact).astype(np.int64)
    largest = np.argsort(counts - exact, kind="stable")
    counts[largest[: view.n - int(counts.sum())]] += 1
    return counts


def _draw_own_ones(view: ViewReports, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw how many ones of every cell came from people with that cell: as expected, rounded at random."""
    p, q, others = view.oracle.p, view.oracle.q, view.n - values
    own, stray = values * p * (1 - p), others * q * (1 - q)
    share = np.divide(own, own + stray, out=np.zeros(len(own)), where=own + stray > 0)
    expected = values * p + share * (view.support - values * p - others * q)
    least = np.maximum(view.support - others, 0)
    drawn = np.floor(expected + rng.random(len(values))).astype(np.int64)
    return np.clip(drawn, least, np.minimum(values, view.support))
