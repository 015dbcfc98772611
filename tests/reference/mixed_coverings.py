"""The definition of a covering by views of at most so many cells."""

import math
from itertools import combinations

from calm_core.designs.mixed_covering import cells_of


def is_mixed_covering(blocks, sizes, cells: int, t: int) -> bool:
    """Whether views within the budget hold every t-subset; only one too large on its own may be above it."""
    rows = [tuple(sorted(block)) for block in blocks]
    for row in rows:
        if not row or len(set(row)) < len(row) or row[0] < 0 or row[-1] >= len(sizes):
            return False
        if cells_of(sizes, row) > cells and len(row) != t:
            return False
    held = {subset for row in rows for subset in combinations(row, t)}
    return len(held) == math.comb(len(sizes), t)
