"""Find the bundled designs: `python -m calm_core.designs.search` (hours; not needed by users).

Every target (d, l, t) starts from what the constructions reach, from coverings induced by larger
designs and from greedy covers, and is shrunk by a focused tabu search: of a cover with one block too
few it picks an uncovered t-set at random and repairs it in a block that holds all of it but one point,
by swapping that point in for the point whose loss hurts least. What is smaller than any construction
is stored; then the table of sizes over all rules is made anew. A run continues from the stored file
and may be stopped at any time.
"""

import argparse
import csv
import math
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from calm_core.designs import bundled_designs
from calm_core.designs.bundled_designs import (
    TABLE_POINTS,
    TABLE_T,
    bundled_blocks,
    bundled_sizes,
    size_table,
    store,
)
from calm_core.designs.constructions import (
    NONE,
    build_covering,
    covering_rules,
    known_size,
    pad_blocks,
)
from calm_core.designs.coverage import (
    choose_table,
    coverage_counts,
    covers_all,
    drop_redundant,
    from_membership,
    lower_bound,
    positions_of_subsets,
    subset_ranks,
    to_membership,
)
from calm_core.designs.geometries import affine_flats, geometry_catalog
from calm_core.designs.tabu_kernels import greedy_blocks, tabu_steps
from calm_core.runtime.cancellation import checkpoint

TABU_STEPS = (3, 6)
HELD = 1 << 20  # larger than any count, so that a set held from outside never counts as lost


def _without_least(blocks, d, t, held, rng):
    """The cover without the block that uncovers least (ties at random)."""
    counts = coverage_counts(blocks, d, t) + held
    cost = (counts[subset_ranks(blocks, t, d)] == 1).sum(axis=1) + rng.random(len(blocks)) / 2
    return np.delete(blocks, cost.argmin(), axis=0)


def improve(blocks, d, t, *, goal, clock, seconds, rng, steps=200_000, held=None):
    """Shrink a cover (b, k) until `goal` blocks or the time is over; never returns a worse one.

    held, shape (C(d, t),), marks t-sets that need no cover because other blocks hold them.
    """
    held = np.zeros(math.comb(d, t), np.int32) if held is None else held.astype(np.int32) * HELD
    best = drop_redundant(np.sort(blocks, axis=1), d, t, held)
    k = best.shape[1]
    choose = choose_table(d + 1, t)
    rests, subsets = positions_of_subsets(k - 1, t - 1), positions_of_subsets(k, t)
    set_masks = (np.int64(1) << positions_in_rank_order(d, t)).sum(axis=1)
    end = clock() + seconds
    while len(best) > goal and clock() < end:
        trial = _without_least(best, d, t, held, rng)
        left, done, pace = 1, 0, 2_000
        while left and done < steps and clock() < end:
            checkpoint()
            before = clock()
            left = tabu_steps(
                trial, d, choose, rests, subsets, set_masks, held, pace, rng, *TABU_STEPS
            )
            done += pace
            pace = int(min(2 * pace, max(100, pace * 0.3 / (clock() - before + 1e-9))))
        if left == 0:
            best = drop_redundant(trial, d, t, held)
    return best


def positions_in_rank_order(d: int, t: int) -> np.ndarray:
    """All t-subsets of 0..d-1 in colexicographic order, shape (C(d, t), t)."""
    subsets = positions_of_subsets(d, t)
    return subsets[np.argsort(subset_ranks(subsets, t, d)[:, 0])]


def greedy_cover(d, k, t, rng, held=None):
    """A cover built block by block, each point chosen for the uncovered sets it completes."""
    covered = np.zeros(math.comb(d, t), dtype=bool) if held is None else held.copy()
    return greedy_blocks(d, k, t, choose_table(d + 1, t), covered, rng)


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


def slack(d: int, k: int, t: int, goals: dict) -> float:
    """How far the present size is above the goal, or above the lower bound without a goal."""
    return int(size_table()[t, d, k]) / goals.get((d, k, t), lower_bound(d, k, t))


Key = tuple[int, int, int]


def stored_designs() -> dict[Key, np.ndarray]:
    """All designs in the bundled file; empty where there is no file yet."""
    if not bundled_designs.FILE.exists():
        store({}, first_table())
        store({}, make_table())
    return {key: bundled_designs.bundled_blocks(*key) for key in bundled_designs.bundled_sizes()}


def first_table() -> np.ndarray:
    """Sizes known without any rule: one block of all points, nothing to cover, or no way yet."""
    side = TABLE_POINTS + 1
    table = np.full((TABLE_T + 1, side, side), NONE, dtype=np.int64)
    for t in range(TABLE_T + 1):
        for d in range(side):
            table[t, d, d:] = 1
            table[t, d, :] = 0 if t > d else table[t, d, :]
    table[0] = 1
    return table


def make_table() -> np.ndarray:
    """Least size over all rules for every (d, l, t), repeated until nothing changes."""
    table = first_table()
    changed = True
    while changed:
        changed = False
        for t in range(1, TABLE_T + 1):
            for d in [*range(t + 1, TABLE_POINTS + 1), *range(TABLE_POINTS - 1, t, -1)]:
                for k in range(t, d):
                    size = min(size for size, _ in covering_rules(d, k, t, table))
                    changed |= size < table[t, d, k]
                    table[t, d, k] = size
    return table


def save(designs: dict[Key, np.ndarray]) -> None:
    """Store the designs with a new table, leaving out those that a construction now matches."""
    before = bundled_designs.FILE.read_bytes()
    try:
        store(designs, first_table())
        table = make_table()
    except BaseException:
        bundled_designs.FILE.write_bytes(before)
        raise
    needed = {}
    for (d, k, t), blocks in designs.items():
        others = [size for size, _ in covering_rules(d, k, t, table)]
        others.remove(len(blocks))
        if len(blocks) < min(others):
            needed[d, k, t] = blocks
    store(needed, table)


def targets(args) -> list[Key]:
    """What to look for, furthest from the goal first."""
    goals = read_goals(args.goals)
    keys = [
        (d, k, t)
        for t in args.t
        for d in range(max(args.d_min, t + 2), args.d_max + 1)
        for k in range(max(args.l_min, t + 1), min(args.l_max, d - 1) + 1)
        if int(bundled_designs.size_table()[t, d, k]) <= args.largest
        and slack(d, k, t, goals) > args.slack
    ]
    return sorted(keys, key=lambda key: -slack(*key, goals))[: args.first]


def read_goals(path: Path | None) -> dict[Key, int]:
    """Sizes at which to stop, from a CSV with columns v, k, t, best_known_size."""
    if path is None:
        return {}
    with open(path, newline="") as file:
        rows = csv.DictReader(file)
        return {(int(r["v"]), int(r["k"]), int(r["t"])): int(r["best_known_size"]) for r in rows}


def search_target(key: Key, goal: int, args, rng) -> np.ndarray | None:
    """The best cover found for one target, or None where none is smaller than the present one."""
    present, seconds, clock = known_size(*key), args.seconds, time.process_time
    best = None
    for start in islice(starting_covers(*key, rng), args.starts):
        found = improve(start, key[0], key[2], goal=goal, clock=clock, seconds=seconds, rng=rng)
        if len(found) < (present if best is None else len(best)):
            best = found
        if len(found) <= goal:
            break
    if best is not None and not covers_all(best, key[0], key[2]):
        raise AssertionError(f"the search returned blocks that do not cover {key}")
    return best


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Find the bundled designs (hours; not needed by users)."
    )
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seconds", type=float, default=2.0, help="for every start")
    parser.add_argument("--starts", type=int, default=3, help="for every target")
    parser.add_argument("--t", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--d-min", type=int, default=5)
    parser.add_argument("--d-max", type=int, default=32)
    parser.add_argument("--l-min", type=int, default=3)
    parser.add_argument("--l-max", type=int, default=10)
    parser.add_argument("--largest", type=int, default=3000, help="blocks")
    parser.add_argument("--slack", type=float, default=1.0, help="targets above this ratio")
    parser.add_argument("--first", type=int, default=10_000, help="only the worst so many targets")
    parser.add_argument("--goals", type=Path, help="CSV of sizes at which to stop")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    goals = read_goals(args.goals)
    designs = stored_designs()
    end = time.monotonic() + 60 * args.minutes
    try:
        for key in targets(args):
            if time.monotonic() > end:
                break
            goal = goals.get(key, lower_bound(*key))
            found = search_target(key, goal, args, rng)
            if found is not None:
                designs[key] = found
                print(*key, known_size(*key), "->", len(found), "goal", goal, flush=True)
    finally:
        save(designs)


if __name__ == "__main__":
    main()
