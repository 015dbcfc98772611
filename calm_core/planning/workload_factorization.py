"""The matrix of chances for all k-way tables: the workload factorisation mechanism.

From random rows the descent (`descent.py`) ends in poor valleys. Here it starts from what a search over
sets finds: an output is sent e^epsilon times as often by the cells of its set. Sets that tell most where
it is lacking are found by ascent from views, parities and random ones, and the people are divided among
them by a convex problem, until no set found would help. Where attributes have equally many values, or
their values change places, nothing changes in what is asked: sets are searched for with all their
renamings, and in the end as few of these are taken as tell the same.
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

# Rounds of the search, at most and without a better set; steps of a climb and of a division.
_ROUNDS, _IDLE, _CLIMBS, _DIVIDING = 40, 4, 60, 2_000
_SMALL, _MIN_SHARE = 1e-5, 1e-4
# Sets drawn at random for every round; renamings that are tried of a set at a time, and in all.
_RANDOM, _RENAMED, _MAX_RENAMED = 96, 200, 600


def _from_sets(sets: np.ndarray, epsilon: float) -> np.ndarray:
    """Rows with sum 1 each: cells of a set send e^epsilon times as often as others."""
    rows = 1 + math.expm1(epsilon) * sets
    return rows / rows.sum(axis=1, keepdims=True)


def _power(load: Workload, sets: np.ndarray, epsilon: float) -> np.ndarray:
    """What a report on each set tells of every wave; of sets alone, so that small epsilon loses nothing."""
    gain = math.expm1(epsilon)
    weight = gain / (sets.shape[1] + gain * sets.sum(axis=1, keepdims=True))
    return load.power(weight * (sets @ load.columns))


def _divide(told: np.ndarray, importance: np.ndarray) -> np.ndarray:
    """Shares of the people for rows that tell so much (J, K), by multiplicative updates."""
    shares = np.full(len(told), 1 / len(told))
    for step in range(_DIVIDING):
        checkpoint()
        now = shares @ told
        gain = told @ (importance / now**2)
        # The gain of the best row bounds what any other division could bring.
        if step % 10 == 0 and gain.max() <= (1 + _SMALL) * (shares @ gain):
            break
        shares *= np.sqrt(gain)
        shares /= shares.sum()
    return shares


def _climb(load: Workload, sets: np.ndarray, worth: np.ndarray, epsilon: float) -> np.ndarray:
    """Sets that tell more of what is `worth` (K,) something: each the best for what the last one tells.

    What is told is convex in the chances of a row, so that no step can lose.
    """
    gain, count, columns = math.expm1(epsilon), sets.shape[1], load.spread(worth)
    size = count + gain * np.arange(1, count + 1)
    for _ in range(_CLIMBS):
        checkpoint()
        weight = gain / (count + gain * sets.sum(axis=1, keepdims=True))
        pull = (weight * (sets @ load.columns) * columns) @ load.columns.T
        # Rounded, so that equal ones come in one order on every processor.
        pull = np.round(pull / np.abs(pull).max(), 9)
        order = np.argsort(-pull, axis=1, kind="stable")
        # A pull sums to 0 over all cells; of cells in order, how many are best for their number?
        mean = np.cumsum(np.take_along_axis(pull, order, axis=1), axis=1) / size
        best = np.round(mean / np.abs(mean).max(), 9).argmax(axis=1)
        found = np.empty_like(sets)
        np.put_along_axis(found, order, np.arange(count) <= best[:, np.newaxis], axis=1)
        if (found == sets).all():
            break
        sets = found
    return sets


def _views(load: Workload, epsilon: float, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Of every kind of view a cell, and as many as subset selection sends; parities of two values."""
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
    """Sets where a few waves drawn at random are high together, and of cells drawn one by one."""
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
    """Sets and shares of the people, each set for all its renamings alike."""
    importance = np.bincount(load.kinds, load.importance)
    waves = np.bincount(load.kinds, load.times)[load.kinds] / load.times
    sets = np.array(list(_views(load, epsilon, rng)))
    told = load.of_kinds(_power(load, sets, epsilon))
    first = _distinct(told)
    sets, told = sets[first], told[first]
    shares = _divide(told, importance)
    idle = 0
    for _ in range(_ROUNDS):
        now = shares @ told
        worth = importance / now**2
        random = _random_sets(load, rng)
        more = _climb(load, np.concatenate([sets, random]), worth[load.kinds] / waves, epsilon)
        told_more = load.of_kinds(_power(load, more, epsilon))
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
    """Numbers of rows that tell something, of which none tells the same as another."""
    digits, first = np.unique(np.round(told / told.max(), 9), axis=0, return_index=True)
    return np.sort(first[digits.any(axis=1)])


def _renamed(one: np.ndarray, sizes: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """The set with attributes of equal sizes exchanged, and with values renamed."""
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
    """So many different renamings of a set that they tell of every wave of each kind they tell of."""
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
    """Which rows of `told` (J, K) suffice for a mixture that tells what is wanted: about K of them."""
    # A little unequal, since which of many equal rows are taken must not hang on rounding.
    from scipy.optimize import nnls

    unequal = 1 + 1e-6 * stream(0, "unequal").random((len(told), 1))
    parts = np.column_stack([told / wanted * unequal, np.ones(len(told))])
    shares, _ = nnls(parts.T, np.ones(len(wanted) + 1), maxiter=100 * len(told))
    return shares > _MIN_SHARE * shares.max()


def _spread(
    load: Workload, sets: np.ndarray, shares: np.ndarray, epsilon: float, rng: np.random.Generator
) -> np.ndarray:
    """Rows with sum 1: the sets under as few of their renamings as tell of all waves alike."""
    told = load.of_kinds(_power(load, sets, epsilon))
    wanted = shares @ told
    few = sets[_fewest(told, wanted)]
    sets = np.concatenate([_renamings(load, one, epsilon, rng) for one in few])
    sets = sets[_fewest(_power(load, sets, epsilon), wanted[load.kinds])]
    return (
        _from_sets(sets, epsilon) * _divide(_power(load, sets, epsilon), load.importance)[:, None]
    )


@lru_cache(maxsize=16)
def factorize(sizes: tuple[int, ...], k: int, epsilon: float) -> Strategy:
    """The matrix for tables over k of attributes with so many values: no data, always the same.

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
