"""Exactly m blocks: a covering where m allows one, otherwise as much coverage as m can give."""

import math
from itertools import combinations, permutations

import numpy as np

from calm_core._checks import check_count
from calm_core.designs.constructions import build, known_size
from calm_core.designs.cover import points_of, positions_of_subsets
from calm_core.designs.finding import Blocks, covering_size

MAX_TABLE = 20_000_000


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
        every attribute in nearly equally many blocks.

    Returns
    -------
    tuple of tuple of int
        m distinct ascending blocks in lexicographic order; the same every time.

    Raises
    ------
    InputError
        If there are fewer than m l-subsets.

    Examples
    --------
    >>> choose_blocks(3, 2, 2)
    ((0, 1), (0, 2))
    """
    d, l = check_count("d", d), min(check_count("l", l), check_count("d", d))  # noqa: E741
    every = math.comb(d, l)
    m = check_count("m", m, high=every, remedy=f"{d} attributes have {every:,} views of {l}")
    if t is not None and t <= l and m == covering_size(d, l, t):
        table = build(d, l, t)
    elif m == every:
        table = build(d, l, l)
    else:
        table = _partial_design(d, l, m)
    return tuple(map(tuple, points_of(table).tolist()))


def _partial_design(d: int, l: int, m: int) -> np.ndarray:  # noqa: E741
    strength = max((t for t in range(1, l) if known_size(d, l, t) <= m), default=0)
    start = build(d, l, strength) if strength else np.zeros((0, d), dtype=bool)
    aim = min(strength + 1, l)
    while d**aim > MAX_TABLE:
        aim -= 1
    greedy = _Greedy(d, l, aim, start)
    while len(greedy.blocks) < m:
        greedy.add(greedy.next_block())
    blocks = np.array(sorted(greedy.blocks))
    table = np.zeros((m, d), dtype=bool)
    np.put_along_axis(table, blocks, True, axis=1)
    return table


class _Greedy:
    """Adds blocks point by point: little used points first, then most new subsets of size aim."""

    def __init__(self, d, l, aim, start):  # noqa: E741
        self.d, self.l, self.aim = d, l, aim
        self.open = np.ones((d,) * aim, dtype=bool)
        self.used = np.zeros(d, dtype=np.int64)
        self.blocks: set[tuple[int, ...]] = set()
        self.subsets = [tuple(s) for s in positions_of_subsets(l, aim)]
        for block in points_of(start).tolist() if len(start) else []:
            self.add(tuple(block))

    def add(self, block: tuple[int, ...]) -> None:
        self.blocks.add(block)
        self.used[list(block)] += 1
        for subset in combinations(block, self.aim):
            for order in permutations(subset):
                self.open[order] = False

    def gains(self, points: list[int]) -> np.ndarray:
        """New subsets that each further point would bring (or could, while the block is small)."""
        if len(points) < self.aim - 1:
            open_ = self.open[tuple(points)]
            return open_.reshape(self.d, -1).sum(axis=1)
        picked = np.array(list(combinations(points, self.aim - 1)), dtype=np.int64)
        return self.open[tuple(picked.T)].reshape(-1, self.d).sum(axis=0)

    def next_block(self) -> tuple[int, ...]:
        points: list[int] = []
        for place in range(self.l):
            score = self.gains(points) if points else np.zeros(self.d)
            score = score - self.used / (self.used.max() + 1.0)
            busy = self.used > self.used.min() + 1
            if busy.sum() <= self.d - self.l:
                score[busy] -= 1e6
            score[points] = -np.inf
            if not points:
                score = -self.used.astype(float)
            order = np.argsort(-score, kind="stable")
            if place == self.l - 1:
                return self._unused(points, order)
            points.append(int(order[0]))
        raise AssertionError("a block has at least one point")

    def _unused(self, points, order) -> tuple[int, ...]:
        for point in order[: self.d - len(points)].tolist():
            block = tuple(sorted([*points, point]))
            if block not in self.blocks:
                return block
        return min(
            (b for b in combinations(range(self.d), self.l) if b not in self.blocks),
            key=lambda b: self.used[list(b)].sum(),
        )
