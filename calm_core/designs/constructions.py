"""Constructions of coverings from others, with sizes known in advance.

Every rule is a size of a covering (d, l, t) with a function to build it. The size table has the minimum
over all rules, and the rule that reaches it is built. Sizes are therefore exact without building.
"""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from calm_core.designs.bundled_designs import (
    TABLE_POINTS,
    TABLE_T,
    bundled_blocks,
    bundled_sizes,
    size_table,
)
from calm_core.designs.coverage import positions_of_subsets, to_membership
from calm_core.designs.geometries import geometry_catalog
from calm_core.runtime.cancellation import checkpoint

Rule = tuple[int, Callable[[], np.ndarray]]
NONE = 10**15


def known_size(d: int, k: int, t: int) -> int:
    """Size of the covering (d, k, t) of `build_covering`; from the table for up to 64 points."""
    if t > d:
        return 0
    if k >= d or t == 0:
        return 1
    if k < t:
        return NONE
    if d <= TABLE_POINTS and t <= TABLE_T:
        return int(size_table()[t, d, k])
    return _size_beyond_table(d, k, t)


@lru_cache(maxsize=100_000)
def _size_beyond_table(d: int, k: int, t: int) -> int:
    return min(size for size, _ in covering_rules(d, k, t))


def covering_table(d: int, k: int, t: int) -> np.ndarray:
    """The covering as a boolean table (known_size(d, k, t), d), min(k, d) points in each row.

    Rows are distinct and in lexicographic order of their points.
    """
    return _distinct(pad_blocks(build_covering(d, k, t), min(k, d)))


def build_covering(d: int, k: int, t: int) -> np.ndarray:
    """The covering (d, k, t) as its rule builds it: rows may repeat or have fewer points."""
    wanted = known_size(d, k, t)
    for size, make in covering_rules(d, k, t):
        checkpoint()
        if size == wanted:
            return make()
    raise AssertionError(f"no rule reaches the tabled size {wanted} of ({d}, {k}, {t})")


def covering_rules(d: int, k: int, t: int) -> Iterator[Rule]:
    """Yield all ways to build (d, k, t); rows of their tables may have fewer than k points."""
    if t > d:
        yield 0, lambda: np.zeros((0, d), dtype=bool)
        return
    if k >= d or t == 0:
        yield 1, lambda: np.arange(d)[None, :] < k
        return
    if t == 1:
        yield -(-d // k), lambda: np.arange(d)[None, :] // k == np.arange(-(-d // k))[:, None]
        return
    if k == t:
        yield math.comb(d, t), lambda: to_membership(positions_of_subsets(d, t), d)
        return
    if (d, k, t) in bundled_sizes():
        yield bundled_sizes()[d, k, t], lambda: to_membership(bundled_blocks(d, k, t), d)
    for geometry in geometry_catalog():
        if geometry.points >= d and geometry.block <= k and geometry.t >= t:
            yield (
                geometry.size,
                lambda g=geometry: to_membership(g.build(), g.points)[:, :d],
            )
    for copies in range(2, k // t + 1):
        points = -(-d // copies)
        yield (
            known_size(points, k // copies, t),
            lambda c=copies, p=points: np.repeat(build_covering(p, k // c, t), c, axis=1)[:, :d],
        )
    if d > TABLE_POINTS or t > TABLE_T:
        yield _wide_split(d, k, t)
        return
    yield known_size(d, k - 1, t), lambda: build_covering(d, k - 1, t)
    if t + 1 < k and t < TABLE_T:
        yield known_size(d, k, t + 1), lambda: build_covering(d, k, t + 1)
    if d < TABLE_POINTS:
        yield known_size(d + 1, k, t), lambda: build_covering(d + 1, k, t)[:, :d]
    if t == 3 and k >= 4:
        yield from _class_products(d, k)
    yield from _split_products(d, k, t)


def _split_products(d, k, t) -> Iterator[Rule]:
    """Split the points in two; a t-set with s points on the left needs a cover of s times t - s."""
    table = size_table()
    lefts = np.arange(1, d // 2 + 1)[:, None]
    inside = np.arange(k + 1)[None, :]
    sizes = [
        table[s, lefts, inside].astype(float) * table[t - s, d - lefts, k - inside]
        for s in range(t + 1)
    ]
    totals = np.minimum(sum(size.min(axis=1) for size in sizes), NONE)
    left = int(totals.argmin())
    shares = tuple(int(size[left].argmin()) for size in sizes)
    if totals[left] < NONE:
        yield int(totals[left]), lambda: _split_product(d, k, t, left + 1, shares)


def _wide_split(d, k, t) -> Rule:
    """The split product beyond the table, with the number of points of the table on the right."""
    left = d - TABLE_POINTS if d > TABLE_POINTS else d // 2
    shares = [
        min((known_size(left, a, s) * known_size(d - left, k - a, t - s), a) for a in range(k + 1))
        for s in range(t + 1)
    ]
    size = min(sum(size for size, _ in shares), NONE)
    return size, lambda: _split_product(d, k, t, left, [a for _, a in shares])


def _split_product(d, k, t, left, shares) -> np.ndarray:
    parts = []
    for s, share in enumerate(shares):
        if known_size(left, share, s) and known_size(d - left, k - share, t - s):
            parts.append(
                _product(build_covering(left, share, s), build_covering(d - left, k - share, t - s))
            )
    return np.concatenate(parts)


def _product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Every row of `left` joined with every row of `right`."""
    return np.concatenate(
        [np.repeat(left, len(right), axis=0), np.tile(right, (len(left), 1))], axis=1
    )


def pair_classes(points: int, group: int) -> tuple[int, int, int]:
    """(classes, groups per class, order) of partitions that hold every pair in some group.

    The points are divided into `order` bundles (an even number), paired by a round-robin tournament;
    every group is a pair of bundles and has at most `group` points.
    """
    bundle = group // 2
    order = -(-points // bundle)
    order += order % 2
    return order - 1, order // 2, order


def _pair_partition(points: int, group: int, which: int) -> np.ndarray:
    """The groups of one class of `pair_classes` as a boolean table (order / 2, points)."""
    classes, _, order = pair_classes(points, group)
    rounds = [(classes, which)] + [
        ((which + i) % classes, (which - i) % classes) for i in range(1, order // 2)
    ]
    owner = np.arange(points) // (group // 2)
    return np.array([(owner == a) | (owner == b) for a, b in rounds])


def _class_products(d, k) -> Iterator[Rule]:
    """Doubling (t = 3): groups times groups within equal classes, then each side on its own."""
    for left in range(max(2, d // 3), d // 2 + 1):
        for share in range(2, k - 1):
            a, b = pair_classes(left, share), pair_classes(d - left, k - share)
            mixed = max(a[0], b[0]) * a[1] * b[1]
            size = mixed + known_size(left, k, 3) + known_size(d - left, k, 3)
            yield size, lambda v=left, w=share: _class_product(d, k, v, w)


def _class_product(d, k, left, share) -> np.ndarray:
    right = d - left
    a, b = pair_classes(left, share)[0], pair_classes(right, k - share)[0]
    parts = [
        _product(_pair_partition(left, share, i % a), _pair_partition(right, k - share, i % b))
        for i in range(max(a, b))
    ]
    for points, before in ((left, 0), (right, left)):
        own = build_covering(points, k, 3) if points >= 3 else np.zeros((0, points), dtype=bool)
        parts.append(np.pad(own, ((0, 0), (before, d - before - points))))
    return np.concatenate(parts)


def pad_blocks(table: np.ndarray, k: int) -> np.ndarray:
    """Pad rows to k points, using the points cyclically."""
    short = np.flatnonzero(table.sum(axis=1) < k)
    if len(short):
        table = table.copy()
        d = table.shape[1]
        turn = (np.arange(d)[None, :] - short[:, None] * k) % d
        turn[table[short]] = -1
        first = np.argsort(turn, axis=1, kind="stable")[:, :k]
        table[short[:, None], first] = True
    return table


def _distinct(table: np.ndarray) -> np.ndarray:
    """Rows in lexicographic order of their points, with repeated rows replaced by unused ones."""
    words = _words(table)
    order = np.lexsort(words.T[::-1])[::-1]
    table, words = table[order], words[order]
    fresh = np.append(True, (words[1:] != words[:-1]).any(axis=1))
    if fresh.all():
        return table
    used = {row.tobytes() for row in words[fresh]}
    spare: list[np.ndarray] = []
    row = np.arange(int(table[0].sum()))
    while len(spare) < len(table) - fresh.sum():
        candidate = np.zeros((1, table.shape[1]), dtype=bool)
        candidate[0, row] = True
        if _words(candidate)[0].tobytes() not in used:
            spare.append(candidate[0])
        row = _next_subset(row, table.shape[1])
    return _distinct(np.concatenate([table[fresh], np.array(spare)]))


def _words(table: np.ndarray) -> np.ndarray:
    """Rows as 64-bit words, first point highest: earlier in lexicographic order is larger."""
    packed = np.packbits(table, axis=1)
    return np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))).view(">u8").astype(np.uint64)


def _next_subset(row: np.ndarray, d: int) -> np.ndarray:
    """The k-subset of 0..d-1 after `row` in lexicographic order."""
    k = len(row)
    i = k - 1
    while row[i] == d - k + i:
        i -= 1
    return np.concatenate([row[:i], row[i] + 1 + np.arange(k - i)])
