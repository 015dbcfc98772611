"""Exact counting of cells, compiled: the one loop over users that everything fast rests on."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache

import numpy as np

STEPS_PER_WORKER = 400_000


@cache
def _kernels():
    """Compiled once per machine (cached on disk); imported late so that starting up stays quick."""
    from numba import njit

    # Unsigned indices throughout: numba then need not look for negative ones.
    @njit(cache=True, nogil=True)
    def count_own(codes, labels, first, attr, weight, offset, counts):
        for user in range(len(labels)):
            group = np.uintp(labels[user])
            cell = offset[group]
            for j in range(first[group], first[group + np.uintp(1)]):
                cell += weight[j] * np.uintp(codes[np.uintp(user), attr[j]])
            counts[cell] += 1

    @njit(cache=True, nogil=True)
    def count_all(codes, first, attr, weight, offset, counts):
        for user in range(len(codes)):
            for view in range(len(first) - 1):
                cell = offset[view]
                for j in range(first[view], first[view + 1]):
                    cell += weight[j] * np.uintp(codes[np.uintp(user), attr[j]])
                counts[cell] += 1

    return count_own, count_all


@lru_cache(maxsize=64)
def _layout(sizes: tuple[int, ...], views: tuple[tuple[int, ...], ...]):
    """Where each view's attributes, their weights and its cells lie, and the edges of its cells."""
    sizes = np.array(sizes, dtype=np.uint64)
    at = [np.array(view, dtype=np.uintp) for view in views]
    weight = [np.append(np.cumprod(sizes[a[:0:-1]])[::-1], 1) for a in at]
    edges = np.cumsum([0] + [int(np.prod(sizes[a])) for a in at])
    first = np.cumsum([0, *map(len, at)]).astype(np.uintp)
    flat = (np.concatenate(at), np.concatenate(weight).astype(np.uintp), edges.astype(np.uintp))
    return (first, *flat), edges.tolist()


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

    def count_part(part: slice) -> np.ndarray:
        counts = np.zeros(edges[-1], dtype=np.int64)
        if labels is None:
            count_all(codes[part], *tables, counts)
        else:
            count_own(codes[part], labels[part], *tables, counts)
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
