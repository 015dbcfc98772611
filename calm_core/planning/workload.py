"""The workload factorization mechanism for all k-way tables: the workload, strategies for it, and their search.

The workload is in the Fourier basis of the full table. Cyclic shifts of the values of an attribute do not
change it. The errors of a strategy with the same symmetry are independent between the waves (the characters of
the group; parities for binary attributes), so one number per wave describes a strategy for N cells.

McKenna, Maity, Mazumdar and Miklau (VLDB 2020) let each user send one of m outputs with the
probabilities of a strategy matrix, chosen by projected gradient descent for the least variance of the
workload. The variance is convex in the information, so a matrix together with all its shifts is never worse
than the matrix alone. The descent here is theirs on such matrices: a row stands for its N shifts, and a step
costs N times less.

From random rows the descent ends in poor local minima. It starts here from a search over sets: an output is
sent e^epsilon times as often by the cells of its set. Sets with the most information where it is lacking are
found by ascent from views, parities and random sets, and a convex problem divides the users among them, until
no set found improves the result. The workload is symmetric under exchanges of attributes of equal size and of
values, so sets are searched together with all their images under these symmetries, and in the end as few
images are kept as give the same information.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np

from calm_core._checks import as_readonly, check_epsilon, check_k
from calm_core.errors import InputError
from calm_core.planning.optimal_design import PARITIES
from calm_core.randomness import stream
from calm_core.runtime.cancellation import checkpoint


@dataclass(frozen=True, eq=False)
class Workload:
    """The K waves that span the k-way tables; a wave and its complex conjugate count once.

    Attributes
    ----------
    sizes : tuple of int
        Numbers of values of the attributes with more than one; N cells.
    columns : ndarray, shape (N, K + T)
        Cosines of all waves, then sines of those that have them.
    turned : ndarray of int, shape (T,)
        Which waves have sines.
    times : ndarray, shape (K,)
        Two for a wave that differs from its conjugate, else one.
    importance : ndarray, shape (K,)
        Weight of the variance of a wave in the mean squared error of a k-way table.
    kinds : ndarray of int, shape (K,)
        Waves over attributes with the same numbers of values are of one kind.
    over : ndarray of bool, shape (K, attributes)
        The attributes along which a wave varies.
    """

    sizes: tuple[int, ...]
    columns: np.ndarray
    turned: np.ndarray
    times: np.ndarray
    importance: np.ndarray
    kinds: np.ndarray
    over: np.ndarray

    def product(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Complex products of the waves of two tables, each (J, K + T): the waves of their convolution."""
        count, turned = len(self.times), self.turned
        cosines = one[:, :count] * other[:, :count]
        cosines[:, turned] -= one[:, count:] * other[:, count:]
        sines = one[:, turned] * other[:, count:] + one[:, count:] * other[:, turned]
        return np.hstack([cosines, sines])

    def power(self, parts: np.ndarray) -> np.ndarray:
        """Squared moduli (J, K) of `table @ columns` (J, K + T)."""
        count = len(self.times)
        squared = parts[:, :count] ** 2
        squared[:, self.turned] += parts[:, count:] ** 2
        return squared

    def spread(self, numbers: np.ndarray) -> np.ndarray:
        """Expand one number per wave (K,) to one per column (K + T,)."""
        return np.append(numbers, numbers[self.turned])

    def kind_means(self, numbers: np.ndarray) -> np.ndarray:
        """Means over the waves of each kind: (J, K) to (J, kinds)."""
        held = (self.kinds[:, np.newaxis] == np.arange(self.kinds.max() + 1)) * self.times[:, None]
        return numbers @ (held / held.sum(axis=0))


def _importance(held: Counter[int], own: tuple[int, ...], d: int, k: int) -> float:
    """Mean over random k-way tables of [the table contains attributes of sizes `own`] / cells."""
    ways = [Fraction(1)] + [Fraction(0)] * (k - len(own))
    for size, number in (held - Counter(own)).items():
        more = [Fraction(math.comb(number, i), size**i) for i in range(len(ways))]
        ways = [sum(ways[j] * more[i - j] for j in range(i + 1)) for i in range(len(ways))]
    return float(ways[-1] / math.prod(own) / math.comb(d, k))


def _codes(sizes: tuple[int, ...]) -> np.ndarray:
    """The codes of every cell, one row per cell."""
    return np.indices(sizes).reshape(len(sizes), math.prod(sizes)).T


def cyclic_differences(sizes: tuple[int, ...]) -> np.ndarray:
    """Index of the cell x - y, with cyclic differences of the codes, for all cells: shape (N, N).

    Examples
    --------
    >>> cyclic_differences((3,)).tolist()
    [[0, 2, 1], [1, 0, 2], [2, 1, 0]]
    """
    cells, places = _codes(sizes), np.cumprod((1, *sizes[:0:-1]))[::-1][: len(sizes)]
    return ((cells[:, np.newaxis] - cells) % np.array(sizes, dtype=int)) @ places


@lru_cache(maxsize=16)
def k_way_workload(sizes: tuple[int, ...], k: int) -> Workload:
    """The workload of all tables over k of the attributes with these numbers of values.

    Examples
    --------
    >>> load = k_way_workload((2, 2, 2), 2)
    >>> load.columns.shape, load.times.tolist()
    ((8, 6), [1, 1, 1, 1, 1, 1])
    >>> load.importance.round(3).tolist()
    [0.167, 0.167, 0.083, 0.167, 0.083, 0.083]
    """
    wide = tuple(size for size in sizes if size > 1)
    cells, mirrored = _codes(wide), cyclic_differences(wide)[0]
    order = (cells > 0).sum(axis=1)
    waves = np.flatnonzero((order > 0) & (order <= k) & (mirrored >= np.arange(len(cells))))
    turned = np.flatnonzero(mirrored[waves] > waves)
    angles = 2 * np.pi * ((cells @ (cells[waves] / wide).T) % 1)
    owners = [tuple(sorted(np.array(wide)[cells[wave] > 0].tolist())) for wave in waves]
    times = np.where(mirrored[waves] > waves, 2, 1)
    kinds = {own: number for number, own in enumerate(dict.fromkeys(owners))}
    held = Counter(sizes)
    share = {own: _importance(held, own, len(sizes), k) for own in kinds}
    return Workload(
        wide, as_readonly(np.hstack([np.cos(angles), np.sin(angles[:, turned])])), turned, times,
        times * [share[own] for own in owners], np.array([kinds[own] for own in owners], dtype=int),
        cells[waves] > 0,
    )  # fmt: skip


_STEPS, _MIN_STEP, _MIN_GAIN = 100, 1e-6, 1e-7


@dataclass(frozen=True, eq=False)
class Strategy:
    """A strategy matrix, stored without the cyclic shifts of its rows.

    Attributes
    ----------
    sizes : tuple of int
        Numbers of values of the attributes; N cells.
    k : int
        Attributes of the tables of the workload.
    epsilon : float
        Privacy budget.
    rows : ndarray, shape (J, N)
        Probability that a user in cell x sends (j, x - y), with cyclic differences, for every j and y.

    Raises
    ------
    InputError
        If the probabilities do not sum to 1, or one in a row exceeds e^epsilon times another.
    """

    sizes: tuple[int, ...]
    k: int
    epsilon: float
    rows: np.ndarray

    def __post_init__(self):
        check_epsilon(self.epsilon)
        check_k(self.k, len(self.sizes))
        rows = np.array(self.rows, dtype=float)
        if rows.ndim != 2 or rows.shape[1] != math.prod(self.sizes) or not rows.size:
            raise InputError(
                f"each of the rows must have a chance for each of the sizes {self.sizes}"
            )
        if not (rows > 0).all() or abs(rows.sum() - 1) > 1e-9:
            raise InputError("the chances of all rows must be above 0 and sum to 1")
        if (rows.max(axis=1) > math.exp(self.epsilon) * rows.min(axis=1) * (1 + 1e-12)).any():
            raise InputError("no chance of a row may be over e^epsilon times another")
        object.__setattr__(self, "rows", as_readonly(rows / rows.sum()))

    @property
    def m(self) -> int:
        """Number of groups: all users do the same."""
        return 1

    @property
    def matrix(self) -> np.ndarray:
        """Probability of every output for every cell, shape (J N, N): the matrix Q of the paper."""
        less = cyclic_differences(self.sizes)
        return np.vstack([row[less.T] for row in self.rows])

    @property
    def workload(self) -> Workload:
        """The workload it is made for."""
        return k_way_workload(self.sizes, self.k)

    @cached_property
    def information(self) -> np.ndarray:
        """Information of a report on every wave, shape (K,)."""
        load, rows = self.workload, self.rows
        return (load.power(rows @ load.columns) / rows.sum(axis=1, keepdims=True)).sum(axis=0)

    def error(self, at: Sequence[int]) -> float:
        """Expected SSE of the table over the attributes `at`, times the number of reports, for any data."""
        wide = [i for i, size in enumerate(self.sizes) if size > 1]
        load, left = self.workload, [place for place, i in enumerate(wide) if i not in at]
        inside = ~load.over[:, left].any(axis=1)
        noise = load.times[inside] @ (1 / self.information[inside] - 1)
        return float(noise) / math.prod(self.sizes[i] for i in at)

    def cells(self, counts: np.ndarray) -> np.ndarray:
        """Estimate of the full table whose k-way tables are unbiased, shape (N,).

        Parameters
        ----------
        counts : ndarray, shape (J, N)
            Number of reports of every output.
        """
        load, shares = self.workload, self.rows.sum(axis=1)[:, np.newaxis]
        sent = counts / counts.sum() / shares
        waves = load.product(self.rows @ load.columns, sent @ load.columns).sum(axis=0)
        waves *= load.spread(load.times / self.information)
        return (1 + load.columns @ waves) / self.rows.shape[1]


def variance(load: Workload, rows: np.ndarray) -> tuple[float, np.ndarray]:
    """The objective tr((Q^T D^-1 Q)^+ W^T W) / N per table, and its gradient (J, N)."""
    shares, parts = rows.sum(axis=1, keepdims=True), rows @ load.columns
    power = load.power(parts) / shares
    told = power.sum(axis=0)
    if not told.all():
        return math.inf, np.zeros_like(rows)
    slope = -load.importance / told**2
    slopes = 2 * (parts / shares * load.spread(slope)) @ load.columns.T
    return float((load.importance / told).sum()), slopes - (power / shares) @ slope[:, np.newaxis]


def project(rows: np.ndarray, least: np.ndarray, ratio: float) -> np.ndarray:
    """Project rows on those with sum 1 and entries from `least` (J,) to `ratio` times `least`.

    Examples
    --------
    >>> project(np.array([[0.9, 0.5], [0.2, 0.0]]), np.array([0.2, 0.1]), 2.0).round(3).tolist()
    [[0.4, 0.4], [0.1, 0.1]]
    """
    low = np.broadcast_to(least[:, np.newaxis], rows.shape)
    high = ratio * low
    # The sum is a piecewise linear function of the amount added to all entries.
    breaks = np.concatenate([(low - rows).ravel(), (high - rows).ravel()])
    order = np.argsort(breaks)
    slopes = np.cumsum(np.where(order < rows.size, 1, -1))[:-1]
    breaks = breaks[order]
    sums = low.sum() + np.append(0.0, np.cumsum(slopes * np.diff(breaks)))
    return np.clip(rows + np.interp(1.0, sums, breaks), low, high)


def descend(load: Workload, rows: np.ndarray, epsilon: float) -> np.ndarray:
    """Improve rows by projected gradient descent on them and on their smallest entries."""
    ratio, least = math.exp(epsilon), rows.min(axis=1)
    rows = project(rows, least, ratio)
    value, slopes = variance(load, rows)
    step = first = rows.mean() / np.abs(slopes).max()
    for _ in range(_STEPS):
        checkpoint()
        low, high = rows <= least[:, None], rows >= ratio * least[:, None]
        free = ~(low | high)
        # Keep the sum at 1: the price is the mean slope of the entries that are not at a bound.
        price = slopes[free].mean() if free.any() else float((slopes * rows).sum())
        pull = ((slopes - price) * (low + ratio * high)).sum(axis=1) / (ratio * rows.shape[1])
        before = value
        while step > _MIN_STEP * first:
            checkpoint()
            after = np.maximum(least - step * pull, 1e-15)
            total = after.sum() * rows.shape[1]
            after *= np.clip(total, 1 / ratio, 1) / total
            moved = project(rows - step * slopes, after, ratio)
            found, next_slopes = variance(load, moved)
            if found < value:
                rows, least, value, slopes = moved, after, found, next_slopes
                break
            step /= 2
        if before - value <= _MIN_GAIN * value:
            break
        step *= 1.5
    return rows


# Maximum rounds of the search, and without improvement; steps of an ascent and of a division.
_ROUNDS, _IDLE, _CLIMBS, _DIVIDING = 40, 4, 60, 2_000
_SMALL, _MIN_SHARE = 1e-5, 1e-4
# Random sets per round; images of a set tried at a time, and in all.
_RANDOM, _RENAMED, _MAX_RENAMED = 96, 200, 600


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
    # e^epsilon times as large for the cells of a set as for others.
    rows = 1 + math.expm1(epsilon) * sets
    rows /= rows.sum(axis=1, keepdims=True)
    return rows * _divide(_power(load, sets, epsilon), load.importance)[:, None]


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
    # Another name would be another matrix.
    rng = stream(0, "factorise")
    rows = _spread(load, *_search(load, epsilon, rng), epsilon, rng)
    rows = descend(load, rows, epsilon)
    return Strategy(sizes, k, epsilon, rows)
