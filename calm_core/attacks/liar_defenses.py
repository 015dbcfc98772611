"""Defenses against liars: from the cells that single reports support, and from the counts of a view.

No defense sees who lies. Those on reports look for groups of reports that are larger than honest people can make
them; the one on counts knows how many lie.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np

from calm_core.collection.aggregation import NoisyMarginals
from calm_core.inference.nonnegativity import norm_sub
from calm_core.oracles import Oracle
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.marginal import Marginal


def support_laws(oracle: Oracle, cells: int) -> tuple[np.ndarray, np.ndarray]:
    """Return how many of some cells an honest report supports, as two distributions.

    Parameters
    ----------
    oracle : Oracle
        GRR, OUE, OLH or subset selection.
    cells : int
        Number of the cells, r.

    Returns
    -------
    inside, outside : ndarray of float, shape (r + 1,)
        Probability of 0..r supported cells, for a person whose own cell is one of them, and for anyone else.

    Examples
    --------
    With all six cells, the number of ones in a bitmap:

    >>> from calm_core.oracles import OUE
    >>> inside, _ = support_laws(OUE(1.0, 6), 6)
    >>> inside.round(3).tolist()
    [0.104, 0.296, 0.333, 0.193, 0.062, 0.01, 0.001]
    """
    p, q, size = oracle.p, oracle.q, oracle.size
    if oracle.independent_bits:
        one = np.array([1 - q, q])
        others = _convolve([one] * (cells - 1))
        return np.convolve(others, [1 - p, p]), np.convolve(others, one)
    width = oracle.form.ones or 1

    def hit_probabilities(special: int, population: int, draws: int) -> np.ndarray:
        """Probability of 0..r of `special` cells in `draws` of `population` cells."""
        ways = [
            math.comb(special, j) * math.comb(population - special, draws - j) if j <= draws else 0
            for j in range(cells + 1)
        ]
        return np.array([way / math.comb(population, draws) for way in ways])

    def law(special: int, own: int) -> np.ndarray:
        # The set holds the own cell, or not; the others are drawn alike.
        with_own = np.roll(hit_probabilities(special, size - 1, width - 1), own)
        without = (
            hit_probabilities(special, size - 1, width) if width < size else np.zeros(cells + 1)
        )
        return p * with_own + (1 - p) * without

    return law(cells - 1, 1), law(min(cells, size - 1), 0)


def _convolve(parts: list[np.ndarray]) -> np.ndarray:
    product = np.ones(1)
    for part in parts:
        product = np.convolve(product, part)
    return product


# A group of reports is too large if it exceeds its law by more than this many standard errors.
TOO_MANY = 4.0


def weigh_by_count(oracle: Oracle, supports: np.ndarray) -> np.ndarray:
    """Return weights of reports by how many cells they support, so that no number is too frequent (Diffstats).

    Honest people support a number of cells with a known law, whatever their values are. Where a number is too
    frequent, its reports get less weight.

    Parameters
    ----------
    oracle : Oracle
        OUE, OLH or another.
    supports : ndarray of bool, shape (n, L)
        As from `Oracle.supports`.

    Returns
    -------
    ndarray of float, shape (n,)
        From 0 to 1; 1 for all where the number is fixed, as with GRR and subset selection.

    References
    ----------
    Li et al., arXiv 2506.02156, who remove whole groups of reports.

    Examples
    --------
    >>> from calm_core.oracles import OUE
    >>> supports = np.zeros((100, 8), dtype=bool)
    >>> supports[:, 0] = True
    >>> weigh_by_count(OUE(1.0, 8), supports).max().round(2).item()
    0.2
    """
    if oracle.fixed_support:
        return np.ones(len(supports))
    numbers = supports.sum(axis=1)
    n, (law, _) = len(numbers), support_laws(oracle, oracle.size)
    counts, expected = np.bincount(numbers, minlength=len(law)), n * law
    allowed = expected + TOO_MANY * np.sqrt(np.maximum(expected * (1 - law), 1))
    return np.where(counts > allowed, expected / np.maximum(counts, 1), 1.0)[numbers]


# Rounds of `weigh_by_pattern`, all on the group of the first, and steps of the share of people inside.
ROUNDS, STEPS = 3, 100
# Most standard errors of honest reports over all groups that are looked at; false alarms are rare.
ALARM = 5.0
# Numbers of supported cells that may be too frequent, from the largest one.
TOP_NUMBERS = 8


def find_watched_cells(shape: tuple[int, ...]) -> np.ndarray:
    """Return the cells of a view that a liar may push together: those with one or two answers in common.

    Parameters
    ----------
    shape : tuple of int
        Numbers of values of the view's attributes.

    Returns
    -------
    ndarray of bool, shape (groups, L)
        Groups of two cells or more, smaller than the view.

    Examples
    --------
    >>> find_watched_cells((2, 2)).astype(int).tolist()
    [[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]]
    """
    codes = np.indices(shape).reshape(len(shape), -1)
    rows: list[np.ndarray] = []
    for axes in [*combinations(range(len(shape)), 1), *combinations(range(len(shape)), 2)]:
        common = np.ravel_multi_index(codes[list(axes)], [shape[axis] for axis in axes])
        rows += [common == value for value in range(common.max() + 1)]
    groups = np.array(rows).reshape(-1, codes.shape[1])
    sizes = groups.sum(axis=1)
    return groups[(sizes > 1) & (sizes < codes.shape[1])]


def weigh_by_pattern(oracle: Oracle, supports: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return weights of reports, less where too many reports support the same cells together.

    To push a cell of two attributes in a view of more, a liar supports all cells of the view that belong to it.
    How many of them an honest report supports has one of two known laws, for people inside and outside, so the
    reports that support few of them tell how many may support nearly all of them. What is beyond that
    is taken off. A liar who stays unseen gains as with one cell: 1 / r of the most with r cells.

    Parameters
    ----------
    oracle : Oracle
        The view's.
    supports : ndarray of bool, shape (n, L)
        As from `Oracle.supports`.
    groups : ndarray of bool, shape (groups, L)
        As from `find_watched_cells`.

    Returns
    -------
    ndarray of float, shape (n,)
        From 0 to 1; 1 for all where a report supports one cell, as with GRR.

    Examples
    --------
    >>> from calm_core.oracles import OUE
    >>> oracle, rng = OUE(1.0, 8), np.random.default_rng(1)
    >>> honest = oracle.perturb(rng.integers(8, size=9500), rng=rng)
    >>> groups, lies = find_watched_cells((2, 4)), np.zeros((500, 8), dtype=bool)
    >>> lies[:, :4] = True
    >>> weights = weigh_by_pattern(oracle, np.concatenate([honest, lies]), groups)
    >>> weights[:9500].mean() > 0.97, weights[9500:].mean() < 0.2
    (np.True_, np.True_)
    """
    weights = np.ones(len(supports))
    if oracle.size == 1 or not (oracle.independent_bits or oracle.form.ones):
        return weights
    numbers = (supports.astype(np.float32) @ groups.T.astype(np.float32)).astype(np.int64)
    sizes = groups.sum(axis=1)
    laws = {int(size): _mix_laws(oracle, int(size)) for size in np.unique(sizes)}
    pushed = np.ones(len(groups), dtype=bool)
    for _ in range(ROUNDS):
        checkpoint()
        worst, place, min_cells, share = ALARM, -1, 0, 1.0
        for size, mixed in laws.items():
            places = np.flatnonzero(pushed & (sizes == size))
            if not len(places):
                continue
            counts = np.stack([np.bincount(numbers[:, i], weights, size + 1) for i in places])
            for top in range(size, max(1, size - TOP_NUMBERS), -1):
                excess, honest = _find_excess(counts, mixed, top)
                i = int(excess.argmax())
                if excess[i] > worst:
                    worst, place, min_cells, share = excess[i], places[i], top, honest[i]
        if place < 0:
            break
        weights[numbers[:, place] >= min_cells] *= share
        # Liars push one cell: what they do to others must not look like more of them.
        pushed = np.arange(len(groups)) == place
    return weights


def _mix_laws(oracle: Oracle, cells: int) -> np.ndarray:
    """The laws of the number of supported cells, for shares of the people inside from 0 to 1."""
    inside, outside = support_laws(oracle, cells)
    shares = np.linspace(0, 1, STEPS + 1)[:, np.newaxis]
    return shares * inside + (1 - shares) * outside


def _find_excess(
    counts: np.ndarray, laws: np.ndarray, min_cells: int
) -> tuple[np.ndarray, np.ndarray]:
    """How many reports too many have at least so many cells, in standard errors, and which share is honest.

    Counts have shape (groups, r + 1), laws (shares, r + 1).
    """
    below_count, top = counts[:, :min_cells].sum(axis=1), counts[:, min_cells:].sum(axis=1)
    below = laws[:, :min_cells].sum(axis=1)
    if below.min() <= 0:
        return np.zeros(len(counts)), np.ones(len(counts))
    fit = counts[:, :min_cells] @ np.log(np.maximum(laws[:, :min_cells].T / below, 1e-300))
    best = fit.max(axis=1, keepdims=True)
    odds = (1 - below) / below
    honest = below_count * odds[fit.argmax(axis=1)]
    # All shares within one standard error of the likeliest.
    likely = fit >= best - 0.5
    high, low = (below_count * edge for edge in _edges(odds, likely))
    spread = np.maximum(high - honest, honest - low)
    excess = (top - honest) / np.sqrt(np.maximum(honest, 1) + spread**2)
    honest_share = np.minimum(1, honest / np.maximum(top, 1))
    return np.where(below_count > 0, excess, 0.0), honest_share


def _edges(values: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The largest and the least value inside, for every row."""
    high = np.where(inside, values, -np.inf).max(axis=1)
    return high, np.where(inside, values, np.inf).min(axis=1)


def recover_table(cells: np.ndarray, share: float) -> np.ndarray:
    """Return a table from which the reports of unknown liars are subtracted (LDPRecover).

    A known share of the reports is taken to support all cells above 0 alike; what is left is made a
    distribution. Sees neither the liars nor their target.

    Parameters
    ----------
    cells : ndarray, shape (L,)
        An unprocessed estimate.
    share : float
        Share of liars that is assumed, below 1.

    References
    ----------
    Sun et al., arXiv 2403.09351.

    Examples
    --------
    >>> recover_table(np.array([0.7, 0.4, 0.1, -0.2]), 0.05).round(3).tolist()
    [0.649, 0.333, 0.018, 0.0]
    """
    ratio = share / (1 - share)
    positive = cells > 0
    lies = positive / max(positive.sum(), 1)
    return norm_sub(((1 + ratio) * cells - ratio * lies)[np.newaxis], total=1.0)[0]


def change_tables(
    noisy: NoisyMarginals, change: Callable[[int, np.ndarray], np.ndarray]
) -> NoisyMarginals:
    """Return the estimates with the cells (L,) of every view changed, given its number and its cells."""
    tables = (
        Marginal(table.domain, change(i, table.values.ravel()).reshape(table.values.shape))
        for i, table in enumerate(noisy.tables)
    )
    return replace(noisy, tables=tuple(tables))
