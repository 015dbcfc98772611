"""Covering designs and sizes stored in the package, found beforehand by a tabu search.

One compressed file has the blocks of every design that is smaller than those of all constructions, one
bit per block and point, and the table of all sizes for up to 64 points. The search is in the repository's
history at `9a0d1b87`, in `calm_core/designs/search.py`.
"""

from functools import lru_cache
from pathlib import Path

import numpy as np

from calm_core.designs.coverage import from_membership

FILE = Path(__file__).with_name("designs.npz")
TABLE_POINTS = 64
TABLE_T = 8


@lru_cache(maxsize=1)
def _contents() -> dict[str, np.ndarray]:
    with np.load(FILE) as stored:
        return {name: stored[name] for name in ("keys", "offsets", "bits", "sizes")}


@lru_cache(maxsize=1)
def bundled_sizes() -> dict[tuple[int, int, int], int]:
    """Number of blocks of every bundled design, by (d, l, t)."""
    return {(d, k, t): b for d, k, t, b in _contents()["keys"].tolist()}


def bundled_blocks(d: int, k: int, t: int) -> np.ndarray:
    """Ascending blocks (b, k) of one bundled design."""
    contents = _contents()
    at = list(bundled_sizes()).index((d, k, t))
    number = int(contents["keys"][at, 3])
    start, end = contents["offsets"][at : at + 2]
    bits = np.unpackbits(contents["bits"][start:end], count=number * d)
    return from_membership(bits.reshape(number, d).astype(bool))


@lru_cache(maxsize=1)
def size_table() -> np.ndarray:
    """Sizes of the coverings this package constructs, indexed [t, d, l] for t <= 8, d, l <= 64."""
    return _contents()["sizes"]
