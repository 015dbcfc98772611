"""Exact counting of cells in compiled code, the only loop over users."""

import math
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache

import numpy as np

from calm_core.runtime.cancellation import add_helper_time, may_use_helpers
from calm_core.runtime.processes import defer_signals

STEPS_PER_WORKER = 400_000
BLOCK = 8_192
UNROLLED = 4


@cache
def _helpers() -> ThreadPoolExecutor:
    """The pool of threads; starting one takes as long as counting 50,000 users."""
    return ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 1), "counting")


if sys.platform != "win32":
    # Threads do not survive a fork; the child starts its own.
    os.register_at_fork(after_in_child=_helpers.cache_clear)


@cache
def _kernels():
    """Compiled once per machine (cached on disk); imported late so that starting up stays quick."""
    from numba import njit

    # Unsigned indices throughout: numba then need not look for negative ones. Cells are found for a
    # block of users before any is counted: a counter read while it is being written stalls the rest.
    one = np.uintp(1)

    @njit(cache=True, nogil=True)
    def count_own(codes, d, labels, wide, first, at, weight, offset, counts):
        row, width = np.uintp(0), np.uintp(d)
        cells = np.empty(BLOCK, dtype=np.uint32)
        for start in range(0, len(labels), BLOCK):
            users = min(BLOCK, len(labels) - start)
            for user in range(users):
                group = np.uintp(labels[np.uintp(start + user)])
                cell = offset[group]
                j = np.uintp(first[group])
                for _ in range(UNROLLED):
                    cell += weight[j] * np.uint32(codes[row + np.uintp(at[j])])
                    j += one
                if wide:
                    while j < first[group + one]:
                        cell += weight[j] * np.uint32(codes[row + np.uintp(at[j])])
                        j += one
                cells[np.uintp(user)] = cell
                row += width
            for user in range(users):
                counts[np.uintp(cells[np.uintp(user)])] += one

    @njit(cache=True, nogil=True)
    def count_all(codes, d, first, at, weight, offset, counts):
        row, width = np.uintp(0), np.uintp(d)
        for _ in range(len(codes) // d):
            for view in range(len(first) - 1):
                cell = offset[view]
                for j in range(first[view], first[view + 1]):
                    cell += weight[j] * np.uint32(codes[row + np.uintp(at[j])])
                counts[np.uintp(cell)] += one
            row += width

    return count_own, count_all


@lru_cache(maxsize=64)
def _layout(sizes: tuple[int, ...], views: tuple[tuple[int, ...], ...], multiple: int):
    """Offsets, attributes and weights of all views, and the boundaries of their cells.

    Every view is padded to a multiple of `multiple` attributes, with weight 0.
    """
    at, weight, first, edges = [], [], [0], [0]
    for view in views:
        spare = [0] * (max(-(-len(view) // multiple), 1) * multiple - len(view))
        at += [*view, *spare]
        weight += [math.prod(sizes[a] for a in view[i + 1 :]) for i in range(len(view))] + spare
        first.append(len(at))
        edges.append(edges[-1] + math.prod(sizes[a] for a in view))
    tables = (
        np.array(first, dtype=np.uint32),
        np.array(at, dtype=np.uint16),
        np.array(weight, dtype=np.uint32),
        np.array(edges, dtype=np.uint32),
    )
    return tables, edges


def count_cells(
    codes: np.ndarray,
    sizes: Sequence[int],
    views: Sequence[Sequence[int]],
    labels: np.ndarray | None = None,
) -> list[np.ndarray]:
    """Number of users in every cell of every view; large data sets are counted on all cores.

    Parameters
    ----------
    codes : ndarray of unsigned int, shape (n, d)
        Valid codes, row-major.
    sizes : sequence of int
        Number of values of the d attributes.
    views : sequence of sequence of int
        Attribute positions of each view.
    labels : ndarray of unsigned int, shape (n,), optional
        The view each user belongs to; without it every user counts in every view.

    Returns
    -------
    list of ndarray of int64
        Flat counts, row-major over each view's attributes.

    Examples
    --------
    >>> codes = np.array([[0, 2], [1, 0], [1, 2]], dtype=np.uint8)
    >>> [counts.tolist() for counts in count_cells(codes, (2, 3), [(0, 1), (1,)])]
    [[0, 0, 1, 1, 0, 1], [1, 0, 2]]
    """
    tables, edges = _layout(
        tuple(sizes), tuple(map(tuple, views)), 1 if labels is None else UNROLLED
    )
    count_own, count_all = _kernels()
    d = codes.shape[1]
    wide = max(map(len, views), default=0) > UNROLLED

    def count_part(part: slice) -> tuple[np.ndarray, float]:
        """The counts of some users, and the CPU seconds of this thread."""
        began = time.thread_time()
        counts = np.zeros(edges[-1], dtype=np.uint32)
        if labels is None:
            count_all(codes[part].reshape(-1), d, *tables, counts)
        else:
            count_own(codes[part].reshape(-1), d, labels[part], wide, *tables, counts)
        return counts.astype(np.int64), time.thread_time() - began

    steps = len(codes) * (len(views) if labels is None else 2)
    cores = (os.cpu_count() or 1) if may_use_helpers() else 1
    workers = min(cores, 1 + steps // STEPS_PER_WORKER)
    bounds = np.linspace(0, len(codes), workers + 1).astype(int)
    parts = [slice(a, b) for a, b in zip(bounds, bounds[1:])]
    with defer_signals():
        others = [_helpers().submit(count_part, part) for part in parts[1:]]
        counts, _ = count_part(parts[0])
        for other in others:
            more, seconds = other.result()
            add_helper_time(seconds)
            counts += more
    return [counts[a:b] for a, b in zip(edges, edges[1:])]
