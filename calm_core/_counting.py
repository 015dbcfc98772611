"""Exact counting of cells, compiled: the one loop over users that everything fast rests on."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

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
    sizes = np.array(sizes, dtype=np.uint64)
    at = [np.array(view, dtype=np.uintp) for view in views]
    weight = [np.append(np.cumprod(sizes[a[:0:-1]])[::-1], 1) for a in at]
    lengths = [int(np.prod(sizes[a])) for a in at]
    offset = np.cumsum([0, *lengths])
    first = np.cumsum([0, *map(len, at)]).astype(np.uintp)
    tables = (
        first,
        np.concatenate(at),
        np.concatenate(weight).astype(np.uintp),
        offset.astype(np.uintp),
    )
    count_own, count_all = _kernels()

    def count_part(part: slice) -> np.ndarray:
        counts = np.zeros(offset[-1], dtype=np.int64)
        if labels is None:
            count_all(codes[part], *tables, counts)
        else:
            count_own(codes[part], labels[part], *tables, counts)
        return counts

    steps = len(codes) * (len(views) if labels is None else 2)
    workers = min(os.cpu_count() or 1, 1 + steps // STEPS_PER_WORKER)
    edges = np.linspace(0, len(codes), workers + 1).astype(int)
    with ThreadPoolExecutor(workers) as pool:
        counts = sum(pool.map(count_part, [slice(a, b) for a, b in zip(edges, edges[1:])]))
    return np.split(counts, offset[1:-1])
