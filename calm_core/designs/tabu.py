"""Focused tabu search for small coverings (compiled; used by `search`, never at run time).

The search keeps a cover with one block too few. It picks an uncovered t-set T at random and
repairs it in a block that already holds all of T but one point, by swapping that point in for
the point whose loss hurts least, even when the number of uncovered sets rises.
"""

import math

import numba
import numpy as np

from calm_core.designs.cover import _choose_table, drop_redundant, positions_of_subsets

TABU_STEPS = (3, 6)


@numba.njit(cache=True)
def _rank(points, size, choose):
    total = 0
    for i in range(size):
        total += choose[points[i], i + 1]
    return total


@numba.njit(cache=True)
def _ranks_with(others, point, subsets, choose, out):
    """Ranks of {point} joined to every (t-1)-subset of the ascending `others`."""
    number, width = subsets.shape
    for s in range(number):
        total, shift = 0, 0
        for i in range(width):
            x = others[subsets[s, i]]
            if shift == 0 and x > point:
                total += choose[point, i + 1]
                shift = 1
            total += choose[x, i + 1 + shift]
        if shift == 0:
            total += choose[point, width + 1]
        out[s] = total


@numba.njit(cache=True)
def _unrank(rank, t, choose, d, out):
    x = d - 1
    for i in range(t, 0, -1):
        while choose[x, i] > rank:
            x -= 1
        out[i - 1] = x
        rank -= choose[x, i]


@numba.njit(cache=True)
def _swap(blocks, b, slot, point):
    """Replace the point in `slot` of block b by `point`, keeping the block ascending."""
    k = blocks.shape[1]
    i = slot
    while i + 1 < k and blocks[b, i + 1] < point:
        blocks[b, i] = blocks[b, i + 1]
        i += 1
    while i > 0 and blocks[b, i - 1] > point:
        blocks[b, i] = blocks[b, i - 1]
        i -= 1
    blocks[b, i] = point


@numba.njit(cache=True)
def tabu_steps(blocks, d, t, choose, subsets, all_subsets, steps, rng, low, high):
    """Run up to `steps` moves in place; return the number of t-sets left uncovered."""
    number, k = blocks.shape
    total = choose[d, t]
    counts = np.zeros(total, np.int32)
    picked = np.empty(t, np.int64)
    for b in range(number):
        for s in range(all_subsets.shape[0]):
            for i in range(t):
                picked[i] = blocks[b, all_subsets[s, i]]
            counts[_rank(picked, t, choose)] += 1
    missing = np.empty(total, np.int64)
    where = np.full(total, -1, np.int64)
    left = 0
    for r in range(total):
        if counts[r] == 0:
            missing[left] = r
            where[r] = left
            left += 1
    member = np.zeros((number, d), np.bool_)
    for b in range(number):
        for i in range(k):
            member[b, blocks[b, i]] = True
    until = np.zeros((number, d), np.int64)
    per_point = subsets.shape[0]
    lost = np.empty(per_point, np.int64)
    gained = np.empty(per_point, np.int64)
    target = np.empty(t, np.int64)
    others = np.empty(k - 1, np.int64)
    for step in range(steps):
        if left == 0:
            return 0
        _unrank(missing[int(rng.random() * left)], t, choose, d, target)
        best, ties, best_block, best_slot, best_point = 1 << 30, 0, -1, -1, -1
        for b in range(number):
            held, absent = 0, -1
            for i in range(t):
                if member[b, target[i]]:
                    held += 1
                else:
                    absent = target[i]
            if held != t - 1 or until[b, absent] > step:
                continue
            for slot in range(k):
                leaving = blocks[b, slot]
                in_target = False
                for i in range(t):
                    if target[i] == leaving:
                        in_target = True
                if in_target:
                    continue
                j = 0
                for i in range(k):
                    if i != slot:
                        others[j] = blocks[b, i]
                        j += 1
                cost = 0
                _ranks_with(others, leaving, subsets, choose, lost)
                for s in range(per_point):
                    if counts[lost[s]] == 1:
                        cost += 1
                if cost - per_point > best:
                    continue
                _ranks_with(others, absent, subsets, choose, gained)
                for s in range(per_point):
                    if counts[gained[s]] == 0:
                        cost -= 1
                if cost < best:
                    best, ties = cost, 1
                    best_block, best_slot, best_point = b, slot, absent
                elif cost == best:
                    ties += 1
                    if rng.random() * ties < 1:
                        best_block, best_slot, best_point = b, slot, absent
        if best_block < 0:
            continue
        b, slot, point = best_block, best_slot, best_point
        leaving = blocks[b, slot]
        j = 0
        for i in range(k):
            if i != slot:
                others[j] = blocks[b, i]
                j += 1
        _ranks_with(others, leaving, subsets, choose, lost)
        _ranks_with(others, point, subsets, choose, gained)
        for s in range(per_point):
            r = lost[s]
            counts[r] -= 1
            if counts[r] == 0:
                missing[left] = r
                where[r] = left
                left += 1
        for s in range(per_point):
            r = gained[s]
            counts[r] += 1
            if counts[r] == 1:
                left -= 1
                at = where[r]
                missing[at] = missing[left]
                where[missing[at]] = at
                where[r] = -1
        _swap(blocks, b, slot, point)
        member[b, leaving] = False
        member[b, point] = True
        until[b, leaving] = step + low + int(rng.random() * (high - low + 1))
    return left


def _without_least(blocks, d, t, rng):
    """The cover without the block that uncovers least (ties at random)."""
    from calm_core.designs.cover import coverage_counts, subset_ranks

    counts = coverage_counts(blocks, d, t)
    cost = (counts[subset_ranks(blocks, t, d)] == 1).sum(axis=1) + rng.random(len(blocks)) / 2
    return np.delete(blocks, cost.argmin(), axis=0)


def improve(blocks, d, t, *, goal, clock, seconds, rng, steps=20_000):
    """Shrink a cover (b, k) until `goal` blocks or the time is over; never returns a worse one."""
    best = drop_redundant(np.sort(blocks, axis=1), d, t)
    k = best.shape[1]
    choose = _choose_table(d + 1, t)
    subsets, all_subsets = positions_of_subsets(k - 1, t - 1), positions_of_subsets(k, t)
    end = clock() + seconds
    while len(best) > goal and clock() < end:
        trial = _without_least(best, d, t, rng)
        for _ in range(4):
            chunk = max(200, min(steps, 400_000_000 // (len(trial) * math.comb(k - 1, t - 1) * 8)))
            left = tabu_steps(trial, d, t, choose, subsets, all_subsets, chunk, rng, *TABU_STEPS)
            if left == 0 or clock() > end:
                break
        if left == 0:
            best = drop_redundant(trial, d, t)
    return best


def greedy_cover(d, k, t, rng):
    """A cover built block by block, each point chosen for the uncovered sets it completes."""
    choose = _choose_table(d + 1, t)
    covered = np.zeros(math.comb(d, t), dtype=bool)
    return _greedy(d, k, t, choose, covered, rng)


@numba.njit(cache=True)
def _greedy(d, k, t, choose, covered, rng):
    blocks = np.empty((64, k), np.int64)
    number, left = 0, covered.size
    target = np.empty(t, np.int64)
    index = np.empty(t, np.int64)
    chosen = np.empty(t, np.int64)
    while left > 0:
        if number == blocks.shape[0]:
            grown = np.empty((2 * number, k), np.int64)
            grown[:number] = blocks
            blocks = grown
        rank = int(rng.random() * covered.size)
        while covered[rank]:
            rank = (rank + 1) % covered.size
        _unrank(rank, t, choose, d, target)
        block = np.empty(k, np.int64)
        block[:t] = target
        inside = np.zeros(d, np.bool_)
        for i in range(t):
            inside[target[i]] = True
        for size in range(t, k + 1):
            best, ties, pick = -1, 0, -1
            if size == k:
                break
            for q in range(d):
                if inside[q]:
                    continue
                gain = 0
                for i in range(t - 1):
                    index[i] = i
                while True:
                    n = 0
                    for i in range(t - 1):
                        chosen[i] = block[index[i]]
                    chosen[t - 1] = q
                    chosen[:t].sort()
                    gain += not covered[_rank(chosen, t, choose)]
                    i = t - 2
                    while i >= 0 and index[i] == size - (t - 1) + i:
                        i -= 1
                    if i < 0:
                        break
                    index[i] += 1
                    for n in range(i + 1, t - 1):
                        index[n] = index[n - 1] + 1
                if gain > best:
                    best, ties, pick = gain, 1, q
                elif gain == best:
                    ties += 1
                    if rng.random() * ties < 1:
                        pick = q
            block[size] = pick
            inside[pick] = True
        block.sort()
        for i in range(t):
            index[i] = i
        while True:
            for i in range(t):
                chosen[i] = block[index[i]]
            r = _rank(chosen, t, choose)
            if not covered[r]:
                covered[r] = True
                left -= 1
            i = t - 1
            while i >= 0 and index[i] == k - t + i:
                i -= 1
            if i < 0:
                break
            index[i] += 1
            for n in range(i + 1, t):
                index[n] = index[n - 1] + 1
        blocks[number] = block
        number += 1
    return blocks[:number]
