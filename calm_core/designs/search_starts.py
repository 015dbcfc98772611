"""Covers for the search to start from: constructions, coverings induced on fewer points, greedy."""

import time
from collections.abc import Iterator

import numpy as np

from calm_core.designs.bundled_designs import (
    TABLE_POINTS,
    bundled_blocks,
    bundled_sizes,
    size_table,
)
from calm_core.designs.constructions import NONE, build_covering, known_size, pad_blocks
from calm_core.designs.coverage import coverage_counts, from_membership, to_membership
from calm_core.designs.geometries import affine_flats, geometry_catalog
from calm_core.designs.tabu import greedy_cover, improve

MAX_SOURCE_BLOCKS = 20_000
CLASS_PRODUCTS = {(18, 6), (32, 8), (50, 10)}


def starting_covers(d: int, k: int, t: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Covers (b, k) of (d, k, t), the most promising first, without end."""
    if known_size(d, k, t) < MAX_SOURCE_BLOCKS:
        yield from_membership(pad_blocks(build_covering(d, k, t), k))
    if t == 3 and (d, k) in CLASS_PRODUCTS:
        yield class_product(k // 2, rng)
    sources = induced_sources(d, k, t, rng)
    yield greedy_cover(d, k, t, rng)
    for _, table, chosen in sources[:4]:
        yield induce_cover(table, chosen, k, t)
    while True:
        yield greedy_cover(d, k, t, rng)
        if sources:
            _, table, _ = sources[int(rng.integers(min(len(sources), 4)))]
            _, chosen = fewest_blocks(table, d, k, t, rng)
            yield induce_cover(table, chosen, k, t)


def class_product(q: int, rng, seconds: float = 5.0) -> np.ndarray:
    """(2q^2, 2q, 3): lines times lines within the parallel classes of two planes AG(2, q).

    Every triple with points on both sides is then held; of the triples of one side only those
    that no line holds are left, for which a small cover is searched.
    """
    lines = affine_flats(2, 1, q).reshape(q + 1, q, q)
    points = q * q
    parts = [
        np.concatenate([np.repeat(c, q, axis=0), points + np.tile(c, (q, 1))], axis=1)
        for c in lines
    ]
    held = coverage_counts(lines.reshape(-1, q), points, 3) > 0
    rest = greedy_cover(points, 2 * q, 3, rng, held)
    rest = improve(
        rest, points, 3, goal=1, clock=time.process_time, seconds=seconds, rng=rng, held=held
    )
    return np.concatenate([*parts, rest, points + rest])


def induced_sources(d, k, t, rng) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """(blocks, source, points kept) for larger designs of strength t or more, fewest blocks first."""
    sources = [
        (g.points, g.block, g.build)
        for g in geometry_catalog()
        if g.t >= t and g.size < MAX_SOURCE_BLOCKS
    ]
    sources += [
        (v, b, lambda key=(v, b, s): bundled_blocks(*key)) for v, b, s in bundled_sizes() if s == t
    ]
    found = []
    for points, block, make in sources:
        if points > d and 0.6 * k < block * d / points < 1.7 * k and points < 2.5 * d:
            table = to_membership(make(), points)
            found.append((*fewest_blocks(table, d, k, t, rng, rounds=10), table))
    return [(size, table, chosen) for size, chosen, table in sorted(found, key=lambda f: f[0])]


def fewest_blocks(table, d, k, t, rng, rounds=40) -> tuple[int, np.ndarray]:
    """Choose d points of a design such that the induced cover has few blocks, by exchange."""
    points = table.shape[1]
    price = np.array(
        [0 if s < t else known_size(min(s, TABLE_POINTS), k, t) for s in range(points + 1)]
    )
    best = (NONE * points, np.arange(d))
    block = np.flatnonzero(table[int(rng.integers(len(table)))])
    beside = np.setdiff1d(np.arange(points), block)
    for order in (
        np.arange(points),
        rng.permutation(points),
        np.concatenate([rng.permutation(beside), rng.permutation(block)]),
        np.concatenate([rng.permutation(block), rng.permutation(beside)]),
    ):
        inside, outside = order[:d].copy(), order[d:].copy()
        held = table[:, inside].sum(axis=1)
        cost = int(price[held].sum())
        for _ in range(rounds):
            i, j = rng.integers(d, size=48), rng.integers(points - d, size=48)
            moved = held[:, None] - table[:, inside[i]] + table[:, outside[j]]
            costs = price[moved].sum(axis=0)
            at = int(costs.argmin())
            if costs[at] <= cost:
                cost, held = int(costs[at]), moved[:, at]
                inside[i[at]], outside[j[at]] = outside[j[at]], inside[i[at]]
        best = min(best, (cost, np.sort(inside)), key=lambda b: b[0])
    return best


def induce_cover(table: np.ndarray, chosen: np.ndarray, k: int, t: int) -> np.ndarray:
    """The cover that a design leaves on some of its points; blocks too large are covered again."""
    kept = table[:, chosen]
    held = kept.sum(axis=1)
    parts = [kept[(held >= t) & (held <= k)]]
    for row in kept[held > k]:
        places = np.flatnonzero(row)
        small = build_covering(len(places), k, t)
        part = np.zeros((len(small), len(chosen)), dtype=bool)
        part[:, places] = small
        parts.append(part)
    return from_membership(pad_blocks(np.concatenate(parts), k))


def lower_bound(d: int, k: int, t: int) -> int:
    """Schoenheim's bound: no covering (d, k, t) has fewer blocks."""
    bound = 1
    for i in range(t - 1, -1, -1):
        bound = -(-(d - i) * bound // (k - i))
    return bound


def slack(d: int, k: int, t: int, goals: dict) -> float:
    """How far the present size is above the goal, or above the lower bound without a goal."""
    return int(size_table()[t, d, k]) / goals.get((d, k, t), lower_bound(d, k, t))
