"""Exact counting of cells, compiled: the one loop over users that everything fast rests on."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache

import numpy as np

STEPS_PER_WORKER = 400_000
ATTRIBUTE_BITS = 16


@cache
def _kernels():
    """Compiled once per machine (cached on disk); imported late so that starting up stays quick."""
    from numba import njit

    # Unsigned indices throughout: numba then need not look for negative ones. An attribute and its
    # weight share one number, attribute in the low bits: half the reads in the innermost loop.
    low, shift = np.uint64((1 << ATTRIBUTE_BITS) - 1), np.uint64(ATTRIBUTE_BITS)
    one = np.uintp(1)

    @njit(cache=True, nogil=True)
    def count_own(codes, d, labels, first, packed, offset, counts):
        row, width = np.uintp(0), np.uintp(d)
        for user in range(len(labels)):
            group = np.uintp(labels[np.uintp(user)])
            cell = offset[group]
            for j in range(first[group], first[group + one]):
                cell += (packed[j] >> shift) * np.uint64(codes[row + (packed[j] & low)])
            counts[cell] += 1
            row += width

    @njit(cache=True, nogil=True)
    def count_all(codes, d, first, packed, offset, counts):
        row, width = np.uintp(0), np.uintp(d)
        for _ in range(len(codes) // d):
            for view in range(len(first) - 1):
                cell = offset[view]
                for j in range(first[view], first[view + 1]):
                    cell += (packed[j] >> shift) * np.uint64(codes[row + (packed[j] & low)])
                counts[cell] += 1
            row += width

    return count_own, count_all


@lru_cache(maxsize=64)
def _layout(sizes: tuple[int, ...], views: tuple[tuple[int, ...], ...]):
    """Where each view's attributes with their weights and its cells lie, and the edges of its cells."""
    sizes = np.array(sizes, dtype=np.uint64)
    at = [np.array(view, dtype=np.uintp) for view in views]
    weight = [np.append(np.cumprod(sizes[a[:0:-1]])[::-1], 1) for a in at]
    edges = np.cumsum([0] + [int(np.prod(sizes[a])) for a in at])
    first = np.cumsum([0, *map(len, at)]).astype(np.uintp)
    packed = np.concatenate(weight).astype(np.uint64) << np.uint64(ATTRIBUTE_BITS)
    packed |= np.concatenate(at).astype(np.uint64)
    return (first, packed, edges.astype(np.uint64)), edges.tolist()


def count_cells(
    codes: np.ndarray,
    sizes: Sequence[int],
    views: Sequence[Sequence[int]],
    labels: np.ndarray | None = None,
) -> list[np.ndarray]:
    """Number of users in every cell of every view; large data is counted by all cores.

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
    tables, edges = _layout(tuple(sizes), tuple(map(tuple, views)))
    count_own, count_all = _kernels()
    d = codes.shape[1]

    def count_part(part: slice) -> np.ndarray:
        counts = np.zeros(edges[-1], dtype=np.int64)
        if labels is None:
            count_all(codes[part].reshape(-1), d, *tables, counts)
        else:
            count_own(codes[part].reshape(-1), d, labels[part], *tables, counts)
        return counts

    steps = len(codes) * (len(views) if labels is None else 2)
    workers = min(os.cpu_count() or 1, 1 + steps // STEPS_PER_WORKER)
    bounds = np.linspace(0, len(codes), workers + 1).astype(int)
    parts = [slice(a, b) for a, b in zip(bounds, bounds[1:])]
    if workers == 1:
        counts = count_part(parts[0])
    else:
        with ThreadPoolExecutor(workers) as pool:
            counts = sum(pool.map(count_part, parts))
    return [counts[a:b] for a, b in zip(edges, edges[1:])]
