"""Coverings with prescribed symmetry: a set cover over whole orbits of blocks under a group.

Where the plain search stalls, asking that the cover be mapped to itself by a group of permutations
shrinks the problem by the order of the group. Blocks fixed by some element of the group have short
orbits and are offered on purpose: the best designs are made of them.
"""

import math
from collections.abc import Iterator

import numpy as np

from calm_core.designs.coverage import drop_redundant, positions_of_subsets, subset_ranks
from calm_core.designs.geometries import PRIME_POWERS, field_tables

RANDOM_BLOCKS = 1_200
FIXED_BLOCKS = 1_200
MAX_ORDER = 2_500
MAX_UNITS = 12
MAX_ORBITS = 90


def generate_groups(d: int) -> Iterator[np.ndarray]:
    """Generators (g, d) of permutation groups on d points."""
    if d - 1 in PRIME_POWERS:
        yield from _projective_lines(d - 1)
    for q in (d, d - 1):
        if q in PRIME_POWERS and PRIME_POWERS[q] != q:
            yield from _affine_lines(q, d)
    for fixed in range(3):
        for copies in (1, 2, 3, 4):
            n, rest = divmod(d - fixed, copies)
            if not rest and n >= 5:
                for unit in _units(n):
                    yield np.array(
                        [_on_copies(n, copies, d, 1, 1), _on_copies(n, copies, d, unit, 0)]
                    )


def _units(n: int) -> list[int]:
    """One generator of every cyclic group of at most 12 units modulo n."""
    found = {}
    for unit in range(1, n):
        if math.gcd(unit, n) == 1 and _order(unit, n) <= MAX_UNITS:
            powers = frozenset(pow(unit, e, n) for e in range(_order(unit, n)))
            found.setdefault(powers, unit)
    return list(found.values())


def _order(unit: int, n: int) -> int:
    power, order = unit % n, 1
    while power != 1 % n:
        power, order = power * unit % n, order + 1
    return order


def _on_copies(n: int, copies: int, d: int, factor: int, shift: int) -> np.ndarray:
    """x -> factor x + shift modulo n on every one of the copies of 0..n-1; other points stay."""
    points = np.arange(d)
    inside = points < n * copies
    points[inside] = points[inside] // n * n + (points[inside] % n * factor + shift) % n
    return points


def _affine_lines(q: int, d: int) -> Iterator[np.ndarray]:
    """x -> x + b and x -> a x on GF(q), for a of every order; a further point stays."""
    add, times = field_tables(q)
    p = PRIME_POWERS[q]
    shifts = [add[p**i] for i in range(round(math.log(q, p)))]
    primitive = _primitive(times)
    for order in sorted((e for e in range(1, q) if (q - 1) % e == 0), reverse=True):
        power = np.arange(q)
        for _ in range((q - 1) // order):
            power = primitive[power]
        yield np.array([np.append(g, np.arange(q, d)) for g in [*shifts, power]])


def _projective_lines(q: int) -> Iterator[np.ndarray]:
    """PGL(2, q) and PSL(2, q) on the projective line, infinity last."""
    add, times = field_tables(q)
    p = PRIME_POWERS[q]
    shifts = [np.append(add[p**i], q) for i in range(round(math.log(q, p)))]
    primitive = _primitive(times)
    turn = (add == 0).argmax(axis=1)[(times == 1).argmax(axis=1)]  # x -> -1 / x
    turn[0] = q
    for scale in (primitive, primitive[primitive]):
        yield np.array([*shifts, np.append(scale, q), np.append(turn, 0)])


def _primitive(times: np.ndarray) -> np.ndarray:
    """Multiplication by an element whose powers are all elements but zero."""
    q = len(times)
    return next(times[a] for a in range(1, q) if len(_cycle(times[a], 1)) == q - 1)


def _cycle(permutation: np.ndarray, start: int) -> list[int]:
    cycle = [start]
    while permutation[cycle[-1]] != start:
        cycle.append(int(permutation[cycle[-1]]))
    return cycle


def list_cycles(permutation: np.ndarray) -> list[list[int]]:
    """The cycles of a permutation."""
    seen, found = set(), []
    for x in range(len(permutation)):
        if x not in seen:
            found.append(_cycle(permutation, x))
            seen.update(found[-1])
    return found


def list_group_elements(generators: np.ndarray) -> np.ndarray | None:
    """All permutations of the group (order, d), or None where there are more than MAX_ORDER."""
    d = generators.shape[1]
    found = {tuple(range(d))}
    layer = list(found)
    while layer:
        reached = {tuple(g[list(x)]) for x in layer for g in generators} - found
        found |= reached
        layer = list(reached)
        if len(found) > MAX_ORDER:
            return None
    return np.array(sorted(found))


def subset_orbits(generators: np.ndarray, t: int) -> np.ndarray:
    """Number of the orbit of every t-subset, by its rank."""
    d = generators.shape[1]
    subsets = positions_of_subsets(d, t)
    ranks = subset_ranks(subsets, t, d)[:, 0]
    images = [subset_ranks(np.sort(g[subsets], axis=1), t, d)[:, 0] for g in generators]
    edges = (np.tile(ranks, len(images)), np.concatenate(images))
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(edges[0])), edges), shape=(len(ranks), len(ranks)))
    return connected_components(graph, directed=False)[1]


def candidate_blocks(group: np.ndarray, k: int, rng) -> list[tuple[int, ...]]:
    """Random blocks, and blocks that some element of the group maps to themselves."""
    d = group.shape[1]
    found = {tuple(sorted(rng.choice(d, k, replace=False).tolist())) for _ in range(RANDOM_BLOCKS)}
    for _ in range(FIXED_BLOCKS):
        parts = list_cycles(group[int(rng.integers(len(group)))])
        block: list[int] = []
        for i in rng.permutation(len(parts)):
            if len(block) + len(parts[i]) <= k:
                block += parts[i]
        if len(block) == k:
            found.add(tuple(sorted(block)))
    return sorted(found)


def symmetric_cover(generators, k: int, t: int, *, seconds: float, rng) -> np.ndarray | None:
    """The smallest cover found that the group maps to itself, or None where it is too large."""
    group = list_group_elements(generators)
    orbit_of = subset_orbits(generators, t)
    if group is None or orbit_of.max() >= MAX_ORBITS:
        return None
    d = group.shape[1]
    blocks = np.array(candidate_blocks(group, k, rng))
    held = orbit_of[subset_ranks(blocks, t, d)]
    bit = np.int64(1) << np.arange(d)
    images = [np.unique(bit[group[:, block]].sum(axis=1)) for block in blocks]
    _, first = np.unique([i[0] for i in images], return_index=True)
    orbits = int(orbit_of.max()) + 1
    lengths = np.array([len(images[i]) for i in first])
    rows, columns = held[first].ravel(), np.repeat(np.arange(len(first)), held.shape[1])
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csc_array

    holds = csc_array((np.ones(len(rows)), (rows, columns)), shape=(orbits, len(first)))
    holds.data[:] = 1
    if len(np.unique(rows)) < orbits:
        return None
    result = milp(
        lengths,
        constraints=LinearConstraint(holds, lb=1),
        integrality=1,
        bounds=Bounds(0, 1),
        options={"time_limit": seconds},
    )
    if result.x is None:
        return None
    masks = np.concatenate([images[first[j]] for j in np.flatnonzero(result.x > 0.5)])
    cover = np.nonzero(masks[:, None] >> np.arange(d) & 1)[1].reshape(len(masks), k)
    return drop_redundant(cover, d, t)


def symmetric_covers(d: int, k: int, t: int, *, seconds: float, rng) -> Iterator[np.ndarray]:
    """Covers of (d, k, t) under one group after another, those with few orbits first."""
    tried = sorted(generate_groups(d), key=lambda g: subset_orbits(g, t).max())
    for generators in tried:
        cover = symmetric_cover(generators, k, t, seconds=seconds, rng=rng)
        if cover is not None:
            yield cover
