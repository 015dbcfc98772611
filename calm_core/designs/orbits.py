"""Blocks in whole orbits under the rotation x -> x + 1 of the points: all points used alike."""

import math

import numpy as np

from calm_core.designs.coverage import subset_ranks

CANDIDATES = 6
MAX_RANKS = 10_000_000
ENOUGH = 4


def necklace(block: tuple[int, ...], d: int) -> tuple[int, ...]:
    """The same for all rotations of a block and different for any other: its least gap sequence."""
    gaps = [(b - a) % d for a, b in zip(block, block[1:] + block[:1])]
    return tuple(min(gaps[i:] + gaps[:i] for i in range(len(gaps))))


def has_full_orbit(gaps: tuple[int, ...]) -> bool:
    """Whether the rotations of a block with these gaps are all different."""
    size = len(gaps)
    return not any(
        size % period == 0 and gaps == gaps[:period] * (size // period) for period in range(1, size)
    )


def rotations(block: np.ndarray, d: int) -> np.ndarray:
    """All rotations of a block (l,), ascending, shape (d, l)."""
    return np.sort((np.asarray(block)[None, :] + np.arange(d)[:, None]) % d, axis=1)


def spread_orbits(d: int, l: int, number: int, *, avoid, aim: int) -> np.ndarray:  # noqa: E741
    """Up to `number` whole orbits of l-subsets of 0..d-1, chosen to hold many subsets of size aim.

    Orbits of blocks in `avoid` are left out. Where candidates run short fewer orbits come back.

    Returns
    -------
    ndarray of int, shape (orbits * d, l)
    """
    rng = np.random.default_rng([d, l, number])
    seen = {necklace(tuple(block), d) for block in avoid}
    track = aim > 1 and math.comb(d, aim) <= MAX_RANKS
    open_ = np.ones(math.comb(d, aim) if track else 0, dtype=bool)
    enough = ENOUGH * math.comb(d, aim) // (d * math.comb(l, aim)) if track else 0
    found: list[np.ndarray] = []
    misses = 0
    while len(found) < number and misses < 2_000:
        tries = CANDIDATES if len(found) < enough else 1
        rows = np.sort(rng.random((tries, d)).argpartition(l - 1, axis=1)[:, :l], axis=1)
        fresh = {}
        for row in rows:
            gaps = necklace(tuple(row.tolist()), d)
            if gaps not in seen and has_full_orbit(gaps):
                fresh[gaps] = row
        if not fresh:
            misses += 1
            continue
        misses = 0
        gaps, row = next(iter(fresh.items()))
        if len(fresh) > 1:
            new = open_[subset_ranks(np.array(list(fresh.values())), aim, d)].sum(axis=1)
            gaps, row = list(fresh.items())[int(new.argmax())]
        seen.add(gaps)
        found.append(rotations(row, d))
        if len(found) < enough:
            open_[subset_ranks(found[-1], aim, d)] = False
    return np.concatenate(found) if found else np.zeros((0, l), dtype=np.int64)
