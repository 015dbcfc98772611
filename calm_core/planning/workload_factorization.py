"""The workload factorization mechanism for all k-way tables: the search for its strategy matrix.

From random rows the descent (`strategy_descent`) ends in poor local minima. It starts here from a search
over sets: an output is sent e^epsilon times as often by the cells of its set. Sets with the most
information where it is lacking are found by ascent from views, parities and random sets, and a convex
problem divides the users among them, until no set found improves the result. The workload is symmetric
under exchanges of attributes of equal size and of values, so sets are searched together with all their
images under these symmetries, and in the end as few images are kept as give the same information.
"""

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

import numpy as np

from calm_core.planning.optimal_design import PARITIES
from calm_core.planning.strategy_descent import Strategy, descend
from calm_core.planning.workload import Workload, k_way_workload
from calm_core.randomness import stream
from calm_core.runtime.cancellation import checkpoint

# Maximum rounds of the search, and without improvement; steps of an ascent and of a division.
_ROUNDS, _IDLE, _CLIMBS, _DIVIDING = 40, 4, 60, 2_000
_SMALL, _MIN_SHARE = 1e-5, 1e-4
# Random sets per round; images of a set tried at a time, and in all.
_RANDOM, _RENAMED, _MAX_RENAMED = 96, 200, 600


def _from_sets(sets: np.ndarray, epsilon: float) -> np.ndarray:
    """Rows with sum 1 each, e^epsilon times as large for the cells of a set as for others."""
    rows = 1 + math.expm1(epsilon) * sets
    return rows / rows.sum(axis=1, keepdims=True)


def _power(load: Workload, sets: np.ndarray, epsilon: float) -> np.ndarray:
    """Information of a report on each set about every wave, computed stably for small epsilon."""
    gain = math.expm1(epsilon)
    weight = gain / (sets.shape[1] + gain * sets.sum(axis=1, keepdims=True))
    return load.power(weight * (sets @ load.columns))


def _divide(told: np.ndarray, importance: np.ndarray) -> np.ndarray:
    """Shares of the users for rows with this information (J, K), by multiplicative updates."""
    shares = np.full(len(told), 1 / len(told))
    for step in range(_DIVIDING):
        checkpoint()
        now = shares @ told
        gain = told @ (importance / now**2)
        # The gain of the best row bounds the gain of any other division.
        if step % 10 == 0 and gain.max() <= (1 + _SMALL) * (shares @ gain):
            break
        shares *= np.sqrt(gain)
        shares /= shares.sum()
    return shares


def _climb(load: Workload, sets: np.ndarray, worth: np.ndarray, epsilon: float) -> np.ndarray:
    """Improve sets for the weights `worth` (K,) of the waves by iterated linear steps.

    The information is convex in the entries of a row, so no step can reduce it.
    """
    gain, count, columns = math.expm1(epsilon), sets.shape[1], load.spread(worth)
    size = count + gain * np.arange(1, count + 1)
    for _ in range(_CLIMBS):
        checkpoint()
        weight = gain / (count + gain * sets.sum(axis=1, keepdims=True))
        pull = (weight * (sets @ load.columns) * columns) @ load.columns.T
        # Rounded, so that ties are ordered alike on every processor.
        pull = np.round(pull / np.abs(pull).max(), 9)
        order = np.argsort(-pull, axis=1, kind="stable")
        # A pull sums to 0 over all cells: find the best number of leading cells.
        mean = np.cumsum(np.take_along_axis(pull, order, axis=1), axis=1) / size
        best = np.round(mean / np.abs(mean).max(), 9).argmax(axis=1)
        found = np.empty_like(sets)
        np.put_along_axis(found, order, np.arange(count) <= best[:, np.newaxis], axis=1)
        if (found == sets).all():
            break
        sets = found
    return sets


def _views(load: Workload, epsilon: float, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Start sets: one cell, and a random subset of cells, of every kind of view; parities of binary attributes."""
    cells = np.indices(load.sizes).reshape(len(load.sizes), -1)
    for length in range(1, len(load.sizes) + 1):
        for kind in sorted(set(combinations(sorted(load.sizes), length))):
            left = list(range(len(load.sizes)))
            view = [
                left.pop(next(i for i, at in enumerate(left) if load.sizes[at] == size))
                for size in kind
            ]
            held = np.ravel_multi_index(cells[view], kind)
            yield held == 0
            chosen = max(1, round(math.prod(kind) / (math.exp(epsilon) + 1)))
            yield np.isin(held, rng.permutation(math.prod(kind))[:chosen])
    signs = cells[np.array(load.sizes) == 2]
    for parities in PARITIES:
        if max(map(max, parities)) < len(signs):
            yield np.all([signs[list(one)].sum(axis=0) % 2 == 0 for one in parities], axis=0)
    for length in range(2, len(signs) + 1):
        yield signs[:length].sum(axis=0) % 2 == 0


def _random_sets(load: Workload, rng: np.random.Generator) -> np.ndarray:
    """Random sets: level sets of random combinations of a few waves, and random cells."""
    waves = rng.normal(size=(_RANDOM, load.columns.shape[1])) * (
        rng.random((_RANDOM, load.columns.shape[1])) < rng.uniform(0, 1, (_RANDOM, 1)) ** 4
    )
    heights = waves @ load.columns.T + 1e-3 * rng.random((_RANDOM, len(load.columns)))
    single = rng.random((_RANDOM, len(load.columns)))
    heights[: _RANDOM // 3] = single[: _RANDOM // 3]
    most = np.quantile(heights, rng.uniform(0.5, 0.98), axis=1)
    return heights > most[:, np.newaxis]


def _search(
    load: Workload, epsilon: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Sets and shares of the users, where each set stands for all its images."""
    importance = np.bincount(load.kinds, load.importance)
    waves = np.bincount(load.kinds, load.times)[load.kinds] / load.times
    sets = np.array(list(_views(load, epsilon, rng)))
    told = load.kind_means(_power(load, sets, epsilon))
    first = _distinct(told)
    sets, told = sets[first], told[first]
    shares = _divide(told, importance)
    idle = 0
    for _ in range(_ROUNDS):
        now = shares @ told
        worth = importance / now**2
        random = _random_sets(load, rng)
        more = _climb(load, np.concatenate([sets, random]), worth[load.kinds] / waves, epsilon)
        told_more = load.kind_means(_power(load, more, epsilon))
        better = told_more @ worth > (1 + 10 * _SMALL) * (importance / now).sum()
        if not better.any():
            idle += 1
            if idle == _IDLE:
                break
            continue
        idle = 0
        kept = shares > 1e-3
        sets, told = (
            np.concatenate([sets[kept], more[better]]),
            np.concatenate([told[kept], told_more[better]]),
        )
        first = _distinct(told)
        sets, told = sets[first], told[first]
        shares = _divide(told, importance)
    return sets, shares


def _distinct(told: np.ndarray) -> np.ndarray:
    """Indices of rows with information, without duplicates."""
    digits, first = np.unique(np.round(told / told.max(), 9), axis=0, return_index=True)
    return np.sort(first[digits.any(axis=1)])


def _renamed(one: np.ndarray, sizes: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """A random image of the set: attributes of equal size exchanged, and values permuted."""
    held = np.array(sizes)
    places = np.argsort(np.argsort(held, kind="stable"))
    axes = np.lexsort((rng.random(len(held)), held))[places]
    table = one.reshape(sizes).transpose(axes)
    for axis, size in enumerate(sizes):
        table = table.take(rng.permutation(size), axis=axis)
    return table.ravel()


def _renamings(
    load: Workload, one: np.ndarray, epsilon: float, rng: np.random.Generator
) -> np.ndarray:
    """Different images of a set that together have information on all waves of each kind they reach."""
    found = one[np.newaxis]
    while True:
        checkpoint()
        more = [_renamed(one, load.sizes, rng) for _ in range(_RENAMED)]
        before, found = len(found), np.concatenate([found, more])
        told = _power(load, found, epsilon)
        first = _distinct(told)
        found, told = found[first], told[first].max(axis=0)
        seen = told > _SMALL * told.max()
        whole = (seen == np.bincount(load.kinds, seen).astype(bool)[load.kinds]).all()
        if whole and (len(found) == before or len(found) > _MAX_RENAMED):
            return found


def _fewest(told: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Which rows of `told` (J, K) are enough for a mixture with the information `wanted`: about K of them."""
    # Slightly unequal weights, so that the choice among equal rows does not depend on rounding.
    from scipy.optimize import nnls

    unequal = 1 + 1e-6 * stream(0, "unequal").random((len(told), 1))
    parts = np.column_stack([told / wanted * unequal, np.ones(len(told))])
    shares, _ = nnls(parts.T, np.ones(len(wanted) + 1), maxiter=100 * len(told))
    return shares > _MIN_SHARE * shares.max()


def _spread(
    load: Workload, sets: np.ndarray, shares: np.ndarray, epsilon: float, rng: np.random.Generator
) -> np.ndarray:
    """Rows with sum 1: few images of the sets with equal information on all waves of a kind."""
    told = load.kind_means(_power(load, sets, epsilon))
    wanted = shares @ told
    few = sets[_fewest(told, wanted)]
    sets = np.concatenate([_renamings(load, one, epsilon, rng) for one in few])
    sets = sets[_fewest(_power(load, sets, epsilon), wanted[load.kinds])]
    return (
        _from_sets(sets, epsilon) * _divide(_power(load, sets, epsilon), load.importance)[:, None]
    )


@lru_cache(maxsize=16)
def factorize(sizes: tuple[int, ...], k: int, epsilon: float) -> Strategy:
    """Find the strategy for all tables over k of the attributes with these sizes; deterministic.

    Examples
    --------
    >>> strategy = factorize((2, 2, 2), 2, 1.0)
    >>> strategy.rows.shape[1], round(strategy.error((0, 1)), 1)
    (8, 15.4)
    """
    load = k_way_workload(sizes, k)
    if not len(load.times):
        return Strategy(sizes, k, epsilon, np.ones((1, 1)))
    rng = stream(0, "factorise")
    rows = _spread(load, *_search(load, epsilon, rng), epsilon, rng)
    rows = descend(load, rows, epsilon)
    return Strategy(sizes, k, epsilon, rows)
