"""Exactly m blocks: a covering if m allows one, otherwise as much coverage as possible."""

import math
from collections import Counter
from collections.abc import Set
from functools import lru_cache
from itertools import combinations

import numpy as np

from calm_core.designs.covering import (
    MAX_BLOCKS,
    Blocks,
    covering_size,
    covering_table,
    find_covering,
    from_membership,
    known_size,
)
from calm_core.errors import InfeasibleError
from calm_core.runtime.cancellation import checkpoint, iter_cancellable

MAX_OPEN = 20_000_000
MAX_WORK = 500_000_000
SMALL = 500
MAX_GREEDY = 3_000
REPAIR_ROUNDS = 200
LEVEL = 2


def choose_blocks(d: int, l: int, m: int, *, t: int | None = None) -> Blocks:  # noqa: E741
    """Exactly m distinct l-subsets of 0..d-1.

    Parameters
    ----------
    d, l, m : int
        Number of attributes, attributes in a block, number of blocks (at most C(d, l)).
    t : int, optional
        The subsets that should be covered. With m = covering_size(d, l, t) the blocks are
        `find_covering(d, l, t)`. With another m, all subsets of the largest size that a covering
        of at most m blocks can hold are covered, then as many as possible of the next size, with
        every attribute in nearly equally many blocks (SPEC 4).

    Returns
    -------
    tuple of tuple of int
        m distinct ascending blocks in lexicographic order; the same every time.

    Raises
    ------
    InfeasibleError
        If m is above 2,000,000.

    Examples
    --------
    >>> choose_blocks(3, 2, 2)
    ((0, 1), (0, 2))
    """
    every = math.comb(d, l)
    if m > MAX_BLOCKS:
        raise InfeasibleError(
            f"m ({m:,}) must be at most {MAX_BLOCKS:,} views; ask for fewer",
            remedies=[("m", MAX_BLOCKS)],
        )
    if t is not None and t <= l and m == covering_size(d, l, t):
        return _small_covering(d, l, t) if m <= MAX_GREEDY else find_covering(d, l, t)
    if m == every:
        return tuple(combinations(range(d), l))
    strength = max((s for s in range(1, l) if known_size(d, l, s) <= m), default=0)
    covering = []
    if strength:
        covering = [tuple(b) for b in from_membership(covering_table(d, l, strength)).tolist()]
    aim = strength + 1
    while aim > 1 and (d**aim > MAX_OPEN or m * l * d * math.comb(l, aim - 1) > MAX_WORK):
        aim -= 1
    if 2 * m > every > SMALL:
        left_out = _spread_blocks(d, l, every - m, set(covering), np.zeros(d))
        return tuple(b for b in iter_cancellable(combinations(range(d), l)) if b not in left_out)
    if m <= MAX_GREEDY:
        return _few(d, l, m, tuple(covering), aim, strength)
    used = np.bincount(np.ravel(covering), minlength=d).astype(float)
    return tuple(sorted({*covering, *_spread_blocks(d, l, m - len(covering), set(covering), used)}))


# Predictions need the same few again and again; each is below 30 MB.
_small_covering = lru_cache(maxsize=64)(find_covering)


@lru_cache(maxsize=64)
def _few(d, l, m, covering, aim, strength) -> Blocks:  # noqa: E741
    greedy = GreedyBlocks(d, l, aim, covering)
    greedy.fill(m)
    balance(greedy, strength)
    return tuple(sorted(greedy.blocks))


def _spread_blocks(d, l, number, avoid: Set, used: np.ndarray) -> set[tuple[int, ...]]:  # noqa: E741
    """Random blocks that are not in `avoid`, of the points that are in fewest blocks so far; counts them in `used`."""
    rng = np.random.default_rng([d, l, number])
    blocks: set[tuple[int, ...]] = set()
    chance = 1.0
    while len(blocks) < number:
        checkpoint()
        points = np.argpartition(used + chance * rng.random(d), l - 1)[:l]
        block = tuple(np.sort(points).tolist())
        if block in avoid or block in blocks:
            chance += 1.0
            continue
        chance = 1.0
        blocks.add(block)
        used[points] += 1
    return blocks


class GreedyBlocks:
    """Greedy blocks, point by point: rarely used points first, then most new subsets of size aim.

    Attributes
    ----------
    blocks : set of tuple of int
    used : ndarray of int, shape (d,)
        In how many blocks every point is.
    open : ndarray of bool, shape (d,) * aim
        The subsets not yet in a block, under every order of their points.
    """

    def __init__(self, d, l, aim, start):  # noqa: E741
        self.d, self.l, self.aim = d, l, aim
        self.open = np.ones((d,) * aim, dtype=bool)
        for i in range(aim):
            for j in range(i):
                same = np.moveaxis(self.open, (i, j), (0, 1))
                same[np.arange(d), np.arange(d)] = False
        self.used = np.zeros(d, dtype=np.int64)
        self.blocks: set[tuple[int, ...]] = set()
        for block in iter_cancellable(start):
            self.add(block)

    def fill(self, m: int) -> None:
        """Add blocks until there are m."""
        while len(self.blocks) < m:
            checkpoint()
            self.add(self.next_block())

    def add(self, block: tuple[int, ...]) -> None:
        """Take one block in."""
        self.blocks.add(block)
        self.used[list(block)] += 1
        self.open[np.ix_(*[block] * self.aim)] = False

    def gains(self, points: list[int]) -> np.ndarray:
        """Number of new subsets with each further point (or possible ones, in a small block)."""
        if self.aim == 1:
            return self.open.astype(int)
        if len(points) < self.aim - 1:
            return self.open[tuple(points)].reshape(self.d, -1).sum(axis=1)
        joined = np.array(list(combinations(points, self.aim - 1)))
        return self.open[tuple(joined.T)].reshape(-1, self.d).sum(axis=0)

    def next_block(self) -> tuple[int, ...]:
        """The block to add next."""
        points = [int(self.used.argmin())]
        busy = self.used > self.used.min() + 1
        if self.d - busy.sum() < self.l:
            busy[:] = False
        score = -self.used.astype(float)
        for _ in range(self.l - 1):
            score = self.gains(points) - self.used / (self.used.max() + 1.0)
            score[busy] -= self.open.size
            score[points] = -np.inf
            points.append(int(score.argmax()))
        block = tuple(sorted(points))
        return self._another(points, score) if block in self.blocks else block

    def _another(self, points, score) -> tuple[int, ...]:
        """An unused block, if possible with only the last point changed."""
        for point in np.argsort(-score, kind="stable")[: self.d - self.l + 1].tolist():
            block = tuple(sorted([*points[:-1], point]))
            if point not in points[:-1] and block not in self.blocks:
                return block
        by_use = np.argsort(self.used, kind="stable").tolist()
        return next(
            block
            for block in (tuple(sorted(b)) for b in combinations(by_use, self.l))
            if block not in self.blocks
        )


def balance(greedy: GreedyBlocks, strength: int) -> None:
    """Replace frequent points by rare ones while every strength-subset stays covered."""
    counts = Counter(subset for block in greedy.blocks for subset in combinations(block, strength))
    for _ in range(REPAIR_ROUNDS):
        if np.ptp(greedy.used) <= LEVEL or not _exchange(greedy, strength, counts):
            return


def _exchange(greedy: GreedyBlocks, strength: int, counts: Counter) -> bool:
    """Make one exchange of the most for the least used point possible; False if there is none."""
    order = np.argsort(-greedy.used, kind="stable").tolist()
    for much in order:
        for little in reversed(order):
            if greedy.used[much] < greedy.used[little] + 2:
                break
            for block in sorted(b for b in greedy.blocks if much in b and little not in b):
                checkpoint()
                rest = [x for x in block if x != much]
                exchanged = tuple(sorted([*rest, little]))
                lost = [s for s in combinations(block, strength) if much in s]
                if exchanged in greedy.blocks or any(counts[s] == 1 for s in lost):
                    continue
                counts.subtract(lost)
                counts.update(s for s in combinations(exchanged, strength) if little in s)
                greedy.blocks.remove(block)
                greedy.blocks.add(exchanged)
                greedy.used[[much, little]] += [-1, 1]
                return True
    return False
