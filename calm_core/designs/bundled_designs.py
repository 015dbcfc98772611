"""Covering designs and sizes stored in the package, found by `python -m calm_core.designs.search`.

One compressed file has the blocks of every design that is smaller than those of all constructions, one
bit per block and point, and the table of all sizes for up to 64 points.
"""

from functools import lru_cache
from pathlib import Path

import numpy as np

from calm_core.designs.coverage import from_membership, to_membership

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


def store(designs: dict[tuple[int, int, int], np.ndarray], sizes: np.ndarray, file=FILE) -> None:
    """Write designs, by (d, l, t), and the table of sizes; equal designs give equal bytes."""
    keys, offsets, parts = [], [0], []
    for (d, k, t), blocks in sorted(designs.items()):
        table = to_membership(blocks, d)
        parts.append(np.packbits(table[np.lexsort(~table.T[::-1])]))
        keys.append((d, k, t, len(blocks)))
        offsets.append(offsets[-1] + len(parts[-1]))
    np.savez_compressed(
        file,
        keys=np.array(keys, dtype=np.int64).reshape(-1, 4),
        offsets=np.array(offsets, dtype=np.int64),
        bits=np.concatenate(parts) if parts else np.zeros(0, np.uint8),
        sizes=sizes,
    )
    _contents.cache_clear()
    bundled_sizes.cache_clear()
    size_table.cache_clear()
