"""Find the bundled designs: `python -m calm_core.designs.search` (hours; not needed by users).

Every target (d, l, t) starts from what the constructions reach, from coverings induced by larger
designs and from greedy covers, and is shrunk by the focused tabu search. What is smaller than any
construction is stored; then the table of sizes over all rules is made anew. A run continues from
the stored file and may be stopped at any time.
"""

import argparse
import csv
import time
from itertools import islice
from pathlib import Path

import numpy as np

from calm_core.designs import bundled_designs
from calm_core.designs.bundled_designs import TABLE_POINTS, TABLE_T, store
from calm_core.designs.constructions import NONE, covering_rules, known_size
from calm_core.designs.coverage import covers_all
from calm_core.designs.search_starts import lower_bound, slack, starting_covers
from calm_core.designs.symmetric_covering import symmetric_covers
from calm_core.designs.tabu import improve

Key = tuple[int, int, int]
WORTH_IMPROVING = 1.08


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
    if args.symmetric:
        covers = symmetric_covers(*key, seconds=seconds, rng=rng)
    else:
        covers = starting_covers(*key, rng)
    for start in islice(covers, args.starts):
        if args.symmetric and len(start) > WORTH_IMPROVING * present:
            continue
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
    parser.add_argument("--symmetric", action="store_true", help="only covers with symmetry")
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
