"""The compiled inner loops of `tabu`; importing this loads numba, which only the search does."""

import numba
import numpy as np


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
def _holder(masks, held, but):
    """Some block other than `but` that holds the set."""
    for b in range(masks.size):
        if b != but and masks[b] & held == held:
            return b
    return -1


@numba.njit(cache=True)
def _add_loss(loss, b, held, change):
    """Change what block b would lose with each point of the set that only b holds."""
    for x in range(loss.shape[1]):
        if held >> x & 1:
            loss[b, x] += change


@numba.njit(cache=True)
def _start(blocks, masks, counts, loss, missing, where, set_masks, subsets, choose):
    """Fill the state of a search from its blocks; return how many sets are uncovered."""
    number, k = blocks.shape
    t = subsets.shape[1]
    picked = np.empty(t, np.int64)
    for b in range(number):
        for i in range(k):
            masks[b] |= np.int64(1) << blocks[b, i]
        for s in range(subsets.shape[0]):
            for i in range(t):
                picked[i] = blocks[b, subsets[s, i]]
            counts[_rank(picked, t, choose)] += 1
    left = 0
    for r in range(counts.size):
        if counts[r] == 0:
            missing[left] = r
            where[r] = left
            left += 1
        elif counts[r] == 1:
            _add_loss(loss, _holder(masks, set_masks[r], -1), set_masks[r], 1)
    return left


@numba.njit(cache=True)
def _best_move(target, blocks, masks, loss, until, missing, left, set_masks, step, rng):
    """The least costly swap (block, slot, point) that covers the set `target`."""
    number, k = blocks.shape
    d = loss.shape[1]
    through = np.zeros(d, np.int64)
    best, ties, best_block, best_slot, best_point = np.int64(1 << 60), 0, -1, -1, -1
    for b in range(number):
        absent = target & ~masks[b]
        if absent & (absent - 1) != 0:
            continue
        point = 0
        while absent >> point & 1 == 0:
            point += 1
        if until[b, point] > step:
            continue
        outside = ~(masks[b] | absent)
        completed = 0
        through[:] = 0
        for u in range(left):
            held = set_masks[missing[u]]
            if held & outside == 0:
                completed += 1
                for i in range(k):
                    through[blocks[b, i]] += held >> blocks[b, i] & 1
        for slot in range(k):
            leaving = blocks[b, slot]
            if target >> leaving & 1:
                continue
            cost = loss[b, leaving] - completed + through[leaving]
            if cost < best:
                best, ties = cost, 1
                best_block, best_slot, best_point = b, slot, point
            elif cost == best:
                ties += 1
                if rng.random() * ties < 1:
                    best_block, best_slot, best_point = b, slot, point
    return best_block, best_slot, best_point


@numba.njit(cache=True)
def tabu_steps(blocks, d, choose, rests, subsets, set_masks, held, steps, rng, low, high):
    """Run up to `steps` moves in place; return the number of t-sets left uncovered.

    rests and subsets are the (t-1)-subsets of k - 1 places and the t-subsets of k places; held
    counts what is covered from outside.
    """
    number, k = blocks.shape
    total = set_masks.size
    counts = held.copy()
    missing = np.empty(total, np.int64)
    where = np.full(total, -1, np.int64)
    masks = np.zeros(number, np.int64)
    loss = np.zeros((number, d), np.int64)
    left = _start(blocks, masks, counts, loss, missing, where, set_masks, subsets, choose)
    until = np.zeros((number, d), np.int64)
    changed = np.empty(rests.shape[0], np.int64)
    others = np.empty(k - 1, np.int64)
    for step in range(steps):
        if left == 0:
            return 0
        target = set_masks[missing[int(rng.random() * left)]]
        b, slot, point = _best_move(
            target, blocks, masks, loss, until, missing, left, set_masks, step, rng
        )
        if b < 0:
            continue
        leaving = blocks[b, slot]
        others[:slot] = blocks[b, :slot]
        others[slot:] = blocks[b, slot + 1 :]
        _ranks_with(others, leaving, rests, choose, changed)
        for r in changed:
            counts[r] -= 1
            if counts[r] == 0:
                missing[left] = r
                where[r] = left
                left += 1
                _add_loss(loss, b, set_masks[r], -1)
            elif counts[r] == 1:
                _add_loss(loss, _holder(masks, set_masks[r], b), set_masks[r], 1)
        _ranks_with(others, point, rests, choose, changed)
        for r in changed:
            counts[r] += 1
            if counts[r] == 1:
                left -= 1
                at = where[r]
                missing[at] = missing[left]
                where[missing[at]] = at
                where[r] = -1
                _add_loss(loss, b, set_masks[r], 1)
            elif counts[r] == 2:
                _add_loss(loss, _holder(masks, set_masks[r], b), set_masks[r], -1)
        _swap(blocks, b, slot, point)
        masks[b] ^= np.int64(1) << leaving | np.int64(1) << point
        until[b, leaving] = step + low + int(rng.random() * (high - low + 1))
    return left


@numba.njit(cache=True)
def greedy_blocks(d, k, t, choose, covered, rng):
    blocks = np.empty((64, k), np.int64)
    number, left = 0, covered.size - covered.sum()
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
