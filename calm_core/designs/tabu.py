"""Focused tabu search for small coverings (compiled; used by `search`, never at run time).

The search keeps a cover with one block too few. It picks an uncovered t-set T at random and
repairs it in a block that already holds all of T but one point, by swapping that point in for
the point whose loss hurts least, even when the number of uncovered sets rises.
"""

import math

import numpy as np

from calm_core.designs.coverage import (
    choose_table,
    coverage_counts,
    drop_redundant,
    positions_of_subsets,
    subset_ranks,
)
from calm_core.designs.tabu_kernels import greedy_blocks, tabu_steps
from calm_core.runtime.cancellation import checkpoint

TABU_STEPS = (3, 6)
HELD = 1 << 20  # larger than any count, so that a set held from outside never counts as lost


def _without_least(blocks, d, t, held, rng):
    """The cover without the block that uncovers least (ties at random)."""
    counts = coverage_counts(blocks, d, t) + held
    cost = (counts[subset_ranks(blocks, t, d)] == 1).sum(axis=1) + rng.random(len(blocks)) / 2
    return np.delete(blocks, cost.argmin(), axis=0)


def improve(blocks, d, t, *, goal, clock, seconds, rng, steps=200_000, held=None):
    """Shrink a cover (b, k) until `goal` blocks or the time is over; never returns a worse one.

    held, shape (C(d, t),), marks t-sets that need no cover because other blocks hold them.
    """
    held = np.zeros(math.comb(d, t), np.int32) if held is None else held.astype(np.int32) * HELD
    best = drop_redundant(np.sort(blocks, axis=1), d, t, held)
    k = best.shape[1]
    choose = choose_table(d + 1, t)
    rests, subsets = positions_of_subsets(k - 1, t - 1), positions_of_subsets(k, t)
    set_masks = (np.int64(1) << positions_in_rank_order(d, t)).sum(axis=1)
    end = clock() + seconds
    while len(best) > goal and clock() < end:
        trial = _without_least(best, d, t, held, rng)
        left, done, pace = 1, 0, 2_000
        while left and done < steps and clock() < end:
            checkpoint()
            before = clock()
            left = tabu_steps(
                trial, d, choose, rests, subsets, set_masks, held, pace, rng, *TABU_STEPS
            )
            done += pace
            pace = int(min(2 * pace, max(100, pace * 0.3 / (clock() - before + 1e-9))))
        if left == 0:
            best = drop_redundant(trial, d, t, held)
    return best


def positions_in_rank_order(d: int, t: int) -> np.ndarray:
    """All t-subsets of 0..d-1 in colexicographic order, shape (C(d, t), t)."""
    subsets = positions_of_subsets(d, t)
    return subsets[np.argsort(subset_ranks(subsets, t, d)[:, 0])]


def greedy_cover(d, k, t, rng, held=None):
    """A cover built block by block, each point chosen for the uncovered sets it completes."""
    covered = np.zeros(math.comb(d, t), dtype=bool) if held is None else held.copy()
    return greedy_blocks(d, k, t, choose_table(d + 1, t), covered, rng)
