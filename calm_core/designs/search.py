"""Find the bundled designs: `python -m calm_core.designs.search` (hours; not needed by users).

Every target (d, l, t) starts from what the constructions reach and from greedy covers, and is
shrunk by the focused tabu search. What is smaller than any construction is stored; then the
table of sizes over all rules is made anew. Runs can be stopped and continued at will.
"""

import numpy as np

from calm_core.designs import bundled
from calm_core.designs.bundled import TABLE_POINTS, TABLE_T, store
from calm_core.designs.constructions import NONE, rules


def stored_designs() -> dict[tuple[int, int, int], np.ndarray]:
    """All designs in the bundled file; empty where there is no file yet."""
    if not bundled.FILE.exists():
        store({}, first_table())
    return {key: bundled.bundled_blocks(*key) for key in bundled.bundled_sizes()}


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


def make_table(lowest: int = 0) -> np.ndarray:
    """Least size over all rules for every (d, l, t), repeated until nothing changes."""
    table = first_table()
    changed = True
    while changed:
        changed = False
        for t in range(1, TABLE_T + 1):
            for d in [*range(t + 1, TABLE_POINTS + 1), *range(TABLE_POINTS - 1, t, -1)]:
                for k in range(t, d):
                    size = min(size for size, _ in rules(d, k, t, table))
                    changed |= size < table[t, d, k]
                    table[t, d, k] = size
    return table
