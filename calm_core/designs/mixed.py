"""Coverings of attributes with unequal numbers of values: views limited by their cells."""

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations

from calm_core._checks import check_count
from calm_core.designs.finding import Blocks, find_covering
from calm_core.designs.partial import choose_blocks


def _check_mixed(sizes: Iterable[int], cells: int, t: int) -> tuple[tuple[int, ...], int, int]:
    sizes = tuple(check_count("number of values", c) for c in sizes)
    return sizes, check_count("cells", cells), check_count("t", t, high=len(sizes))


def _cells(sizes: Sequence[int], view: Iterable[int]) -> int:
    return math.prod(sizes[i] for i in view)


def is_mixed_covering(
    blocks: Iterable[Sequence[int]], sizes: Sequence[int], cells: int, t: int
) -> bool:
    """Say whether views cover every t-subset of the attributes within a budget of cells.

    Views must hold distinct attributes and at most `cells` cells; only a t-subset (or a single
    attribute) that is too large on its own may stand as a view of its own.
    """
    sizes, cells, t = _check_mixed(sizes, cells, t)
    rows = [tuple(sorted(b)) for b in blocks]
    for row in rows:
        if not row or len(set(row)) < len(row) or row[0] < 0 or row[-1] >= len(sizes):
            return False
        if _cells(sizes, row) > cells and len(row) not in (1, t):
            return False
    held = {s for row in rows for s in combinations(row, t)}
    everyone = {i for row in rows for i in row}
    return len(held) == math.comb(len(sizes), t) and len(everyone) == len(sizes)


def find_mixed_covering(
    sizes: Iterable[int], cells: int, t: int, *, progress=None
) -> tuple[tuple[int, ...], ...]:
    """Views of at most `cells` cells each that hold every t-subset of the attributes."""
    sizes, cells, t = _check_mixed(sizes, cells, t)
    blocks = _mixed_covering(sizes, cells, t)
    if progress:
        progress(len(blocks), len(blocks))
    return blocks


def mixed_covering_size(sizes: Iterable[int], cells: int, t: int) -> int:
    """Number of views of `find_mixed_covering`; builds it once and remembers it."""
    return len(_mixed_covering(*_check_mixed(sizes, cells, t)))


@lru_cache(maxsize=512)
def _mixed_covering(sizes, cells, t) -> Blocks:
    d = len(sizes)
    if len(set(sizes)) == 1:
        length = d
        while length > 1 and sizes[0] ** length > cells:
            length -= 1
        return find_covering(d, max(length, t), t)
    open_ = set(combinations(range(d), t))
    own = {s for s in open_ if _cells(sizes, s) > cells}
    open_ -= own
    blocks = set(own)
    while open_:
        view = list(min(open_))
        while True:
            room = [
                i for i in range(d) if i not in view and _cells(sizes, view) * sizes[i] <= cells
            ]
            if not room:
                break
            gains = {
                i: sum(tuple(sorted((*s, i))) in open_ for s in combinations(view, t - 1))
                for i in room
            }
            best = max(room, key=lambda i: (gains[i] / math.sqrt(math.log(sizes[i] + 1)), -i))
            if not gains[best]:
                break
            view.append(best)
        block = tuple(sorted(view))
        blocks.add(block)
        open_ -= set(combinations(block, t))
    return tuple(sorted(blocks))


def choose_mixed_blocks(sizes: Iterable[int], cells: int, m: int) -> Blocks:
    """Exactly m distinct views of at most `cells` cells, holding as many pairs as they can."""
    sizes = tuple(sizes)
    if len(set(sizes)) == 1:
        length = 1
        while length < len(sizes) and sizes[0] ** (length + 1) <= cells:
            length += 1
        return choose_blocks(len(sizes), length, m)
    pairs = find_mixed_covering(sizes, cells, min(2, len(sizes)))
    if m <= len(pairs):
        return pairs[:m]
    every = [
        v
        for n in range(1, len(sizes) + 1)
        for v in combinations(range(len(sizes)), n)
        if _cells(sizes, v) <= cells and v not in pairs
    ]
    return tuple(sorted(pairs + tuple(every[: m - len(pairs)])))
