"""The check of coverings, by enumeration of subsets.

A covering (d, l, t) is a set of l-subsets ("blocks") of d points such that every t-subset of the
points lies inside at least one block. CALM's views are the blocks, its attributes the points.
"""

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

from calm_core._checks import check_count
from calm_core.errors import InfeasibleError
from calm_core.runtime.cancellation import checkpoint

MAX_SUBSETS = 700_000_000
CHUNK = 4_000_000


@lru_cache(maxsize=64)
def choose_table(n: int, t: int) -> np.ndarray:
    """Binomial coefficients C(x, i) for x < n (axis 0) and i <= t (axis 1)."""
    return np.array([[math.comb(x, i) for i in range(t + 1)] for x in range(n)], dtype=np.int64)


@lru_cache(maxsize=64)
def positions_of_subsets(k: int, t: int) -> np.ndarray:
    """All t-subsets of 0..k-1 as an array (C(k, t), t)."""
    flat = np.fromiter((x for c in combinations(range(k), t) for x in c), dtype=np.int64)
    return flat.reshape(math.comb(k, t), t)


def subset_ranks(blocks: np.ndarray, t: int, d: int) -> np.ndarray:
    """Colexicographic ranks of all t-subsets of every block.

    Parameters
    ----------
    blocks : ndarray of int, shape (b, k)
        Ascending points of every block.
    t : int
    d : int
        Number of points.

    Returns
    -------
    ndarray of int64, shape (b, C(k, t))
        Ranks in 0..C(d, t)-1.
    """
    blocks = np.asarray(blocks)
    choose = choose_table(d, t)
    subsets = positions_of_subsets(blocks.shape[1], t)
    ranks = np.zeros((len(blocks), len(subsets)), dtype=np.int64)
    for i in range(t):
        ranks += choose[blocks, i + 1][:, subsets[:, i]]
    return ranks


def is_covering(blocks: Iterable[Sequence[int]], d: int, l: int, t: int) -> bool:  # noqa: E741
    """Whether `blocks` is a covering design (d, l, t).

    Parameters
    ----------
    blocks : iterable of sequences of int
        Every block must hold min(l, d) distinct points of 0..d-1, in any order.
    d, l, t : int
        Number of points, block size, and the size of the subsets to be covered.

    Returns
    -------
    bool
        True when every t-subset of the points lies in a block and every block is well formed.

    Examples
    --------
    >>> is_covering([(0, 1), (0, 2), (1, 2)], d=3, l=2, t=2)
    True
    >>> is_covering([(0, 1), (0, 2)], d=3, l=2, t=2)
    False
    """
    d, l, t = check_count("d", d), check_count("l", l), check_count("t", t, low=0)  # noqa: E741
    size = min(l, d)
    rows = [tuple(block) for block in blocks]
    if not rows or any(len(row) != size for row in rows):
        return False
    array = np.sort(np.array(rows, dtype=np.int64), axis=1)
    if array[:, 0].min() < 0 or array[:, -1].max() >= d or (np.diff(array, axis=1) == 0).any():
        return False
    total, each = math.comb(d, t), math.comb(size, t)
    if t > size or len(array) * each < total:
        return False
    if total > MAX_SUBSETS:
        raise InfeasibleError(
            f"there are {total:,} {t}-subsets of {d} attributes, too many to enumerate "
            f"(limit {MAX_SUBSETS:,}); use fewer attributes or a smaller k"
        )
    seen = np.zeros(total, dtype=bool)
    step = max(1, CHUNK // each)
    for start in range(0, len(array), step):
        checkpoint()
        seen[subset_ranks(array[start : start + step], t, d).ravel()] = True
    return bool(seen.all())


def to_membership(blocks: np.ndarray, d: int) -> np.ndarray:
    """Blocks (b, k) as a boolean table (b, d)."""
    table = np.zeros((len(blocks), d), dtype=bool)
    np.put_along_axis(table, np.asarray(blocks, dtype=np.int64), True, axis=1)
    return table


def from_membership(table: np.ndarray) -> np.ndarray:
    """The blocks (b, k) of a boolean table (b, d) whose rows all hold k points."""
    k = int(table[0].sum())
    return np.nonzero(table)[1].reshape(len(table), k)
