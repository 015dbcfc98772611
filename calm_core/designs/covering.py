"""Covering designs: constructions from geometry and from others, with sizes known in advance, and the public functions.

A covering (d, l, t) is a set of l-subsets ("blocks") of d points such that every t-subset of the points lies
inside at least one block. CALM's views are the blocks, its attributes the points.

Any s + 1 points of AG(n, q) or PG(n, q) lie in a flat of dimension s; any three points of the
projective line over GF(q^n) lie in one image of the line over GF(q); any five points lie in one
octad of the Golay code. Each gives a covering far better than a search would find.

Every rule is a size of a covering (d, l, t) with a function to build it. The size table has the minimum
over all rules, and the rule that reaches it is built. Sizes are therefore exact without building.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations, product
from pathlib import Path

import numpy as np

from calm_core._checks import check_count
from calm_core.errors import InfeasibleError, InputError
from calm_core.runtime.cancellation import checkpoint

PRIME_POWERS = {
    2: 2, 3: 3, 4: 2, 5: 5, 7: 7, 8: 2, 9: 3, 11: 11, 16: 2, 25: 5, 27: 3, 32: 2, 49: 7, 64: 2,
    81: 3, 121: 11, 125: 5,
}  # fmt: skip
MAX_POINTS = 128
MAX_GEOMETRY_BLOCKS = 200_000


@dataclass(frozen=True)
class Geometry:
    """A known covering: `size` blocks of `block` among `points` points, holding every t-subset."""

    points: int
    block: int
    t: int
    size: int
    build: Callable[[], np.ndarray]


@lru_cache(maxsize=32)
def field_tables(q: int) -> tuple[np.ndarray, np.ndarray]:
    """Addition and multiplication tables of GF(q); element a has base-p digits of a polynomial."""
    p = PRIME_POWERS[q]
    e = round(math.log(q, p))
    powers = p ** np.arange(e)
    digits = np.arange(q)[:, None] // powers % p
    add = ((digits[:, None] + digits[None]) % p) @ powers
    for tail in product(range(p), repeat=e):
        shifted = [digits]
        for _ in range(e - 1):
            lead = shifted[-1][:, -1:]
            moved = np.concatenate([np.zeros((q, 1), dtype=int), shifted[-1][:, :-1]], axis=1)
            shifted.append((moved + lead * np.array(tail)) % p)
        times = np.einsum("ai,ibj->abj", digits, np.array(shifted)) % p @ powers
        if (times[1:, 1:] > 0).all():  # no zero divisors: the polynomial is irreducible
            return add, times
    raise AssertionError(f"no irreducible polynomial for GF({q})")


def subspaces(n: int, r: int, q: int):
    """Yield (pivots, bases) for all r-dimensional subspaces of GF(q)^n, in echelon form.

    bases has shape (number, r, n); together they hold every subspace exactly once.
    """
    for pivots in combinations(range(n), r):
        free = [
            (i, j) for i, pivot in enumerate(pivots) for j in range(pivot + 1, n) if j not in pivots
        ]
        number = q ** len(free)
        bases = np.zeros((number, r, n), dtype=np.int64)
        for i, pivot in enumerate(pivots):
            bases[:, i, pivot] = 1
        for place, (i, j) in enumerate(free):
            bases[:, i, j] = np.arange(number) // q**place % q
        yield pivots, bases


def _vectors(n: int, q: int) -> np.ndarray:
    """All q^n vectors of GF(q)^n in order of their codes, shape (q^n, n)."""
    return np.arange(q**n)[:, None] // q ** np.arange(n) % q


def _combine(coefficients: np.ndarray, bases: np.ndarray, q: int) -> np.ndarray:
    """Linear combinations (number, c, n) of the rows of bases (number, r, n)."""
    add, times = field_tables(q)
    total = np.zeros((len(bases), len(coefficients), bases.shape[2]), dtype=np.int64)
    for i in range(bases.shape[1]):
        total = add[total, times[coefficients[:, i][None, :, None], bases[:, i, None, :]]]
    return total


def affine_flats(n: int, s: int, q: int) -> np.ndarray:
    """All s-flats of AG(n, q): blocks of q^s among q^n points, covering s + 1."""
    add, _ = field_tables(q)
    weights = q ** np.arange(n)
    parts = []
    for pivots, bases in subspaces(n, s, q):
        spans = _combine(_vectors(s, q), bases, q)
        shifts = _vectors(n, q)
        shifts = shifts[(shifts[:, list(pivots)] == 0).all(axis=1)]
        flats = add[spans[:, None], shifts[None, :, None]] @ weights
        parts.append(flats.reshape(-1, q**s))
    return np.sort(np.concatenate(parts), axis=1)


def _normalized(n: int, q: int) -> np.ndarray:
    """Vectors of GF(q)^n whose first entry other than zero is one: the projective points."""
    vectors = _vectors(n, q)[1:]
    first = vectors[np.arange(len(vectors)), (vectors != 0).argmax(axis=1)]
    return vectors[first == 1]


def projective_flats(n: int, s: int, q: int) -> np.ndarray:
    """All s-flats of PG(n, q), covering s + 1 of its (q^(n+1) - 1) / (q - 1) points."""
    weights = q ** np.arange(n + 1)
    codes = np.sort(_normalized(n + 1, q) @ weights)
    coefficients = _normalized(s + 1, q)
    flats = [
        np.searchsorted(codes, _combine(coefficients, bases, q) @ weights)
        for _, bases in subspaces(n + 1, s + 1, q)
    ]
    return np.sort(np.concatenate(flats), axis=1)


def circles(q: int, n: int) -> np.ndarray:
    """Images of the line over GF(q) in that over GF(q^n): 3-(q^n + 1, q + 1, 1)."""
    size = q**n
    add, times = field_tables(size)
    negative = (add == 0).argmax(axis=1)
    inverse = (times == 1).argmax(axis=1)
    power = elements = np.arange(size)
    for _ in range(q - 1):
        power = times[power, elements]
    line = np.flatnonzero(power == elements)
    infinity, triples, blocks = size, set(), []
    for a, b, c in combinations(range(size + 1), 3):
        if (a, b, c) in triples:
            continue
        # the map z -> (az' + b) / (z' + 1), z' = z (c-b)/(a-c), takes infinity, 0, 1 to a, b, c;
        # with c the point at infinity the line is b + z (a - b)
        if c == infinity:
            image = add[b, times[line, add[a, negative[b]]]].tolist() + [infinity]
        else:
            ratio = times[add[c, negative[b]], inverse[add[a, negative[c]]]]
            z = times[line, ratio]
            below = add[z, 1]
            above = add[times[z, a], b]
            image = np.where(below == 0, infinity, times[above, inverse[below]]).tolist() + [a]
        block = tuple(sorted(image))
        triples.update(combinations(block, 3))
        blocks.append(block)
    return np.array(blocks)


def golay_blocks(through: int) -> np.ndarray:
    """Octads of the extended Golay code through `through` fixed points, those points removed.

    0 gives (24, 8, 5) with 759 blocks, 1 gives (23, 7, 4) with 253, 2 gives (22, 6, 3) with 77.
    """
    residues = {x * x % 23 for x in range(1, 23)}
    # the idempotent of the code of quadratic residues modulo 23 generates it by its shifts
    row = np.array([x in residues for x in range(23)])
    shifts = np.array([np.roll(row, s) for s in range(23)])
    words = {bytes(24)}
    for shift in shifts:
        extended = np.append(shift, shift.sum() % 2).astype(np.uint8)
        if extended.tobytes() not in words:
            words |= {(np.frombuffer(w, np.uint8) ^ extended).tobytes() for w in words}
    table = np.array([np.frombuffer(w, np.uint8) for w in sorted(words)])
    octads = table[table.sum(axis=1) == 8].astype(bool)
    blocks = octads[octads[:, :through].all(axis=1)][:, through:]
    return np.sort(np.nonzero(blocks)[1].reshape(len(blocks), 8 - through), axis=1)


def _subspace_count(n: int, r: int, q: int) -> int:
    above = math.prod(q ** (n - i) - 1 for i in range(r))
    return above // math.prod(q ** (i + 1) - 1 for i in range(r))


@lru_cache(maxsize=1)
def geometry_catalog() -> tuple[Geometry, ...]:
    """Every geometry with at most 128 points and 200,000 blocks."""
    geometries = [
        Geometry(24 - i, 8 - i, 5 - i, (759, 253, 77)[i], partial(golay_blocks, i))
        for i in range(3)
    ]
    for q in (2, 3, 4, 5, 7, 8, 9, 11):
        for n in range(2, 8):
            for s in range(1, n):
                if q**n <= MAX_POINTS:
                    size = q ** (n - s) * _subspace_count(n, s, q)
                    build = partial(affine_flats, n, s, q)
                    geometries.append(Geometry(q**n, q**s, s + 1, size, build))
                points, block = (q ** (n + 1) - 1) // (q - 1), (q ** (s + 1) - 1) // (q - 1)
                if points <= MAX_POINTS:
                    size = _subspace_count(n + 1, s + 1, q)
                    build = partial(projective_flats, n, s, q)
                    geometries.append(Geometry(points, block, s + 1, size, build))
            if q > 2 and q**n < MAX_POINTS:
                size = math.comb(q**n + 1, 3) // math.comb(q + 1, 3)
                geometries.append(Geometry(q**n + 1, q + 1, 3, size, partial(circles, q, n)))
    return tuple(g for g in geometries if g.size <= MAX_GEOMETRY_BLOCKS)


@lru_cache(maxsize=64)
def positions_of_subsets(k: int, t: int) -> np.ndarray:
    """All t-subsets of 0..k-1 as an array (C(k, t), t)."""
    flat = np.fromiter((x for c in combinations(range(k), t) for x in c), dtype=np.int64)
    return flat.reshape(math.comb(k, t), t)


def to_membership(blocks: np.ndarray, d: int) -> np.ndarray:
    """Blocks (b, k) as a boolean table (b, d)."""
    table = np.zeros((len(blocks), d), dtype=bool)
    np.put_along_axis(table, np.asarray(blocks, dtype=np.int64), True, axis=1)
    return table


def from_membership(table: np.ndarray) -> np.ndarray:
    """The blocks (b, k) of a boolean table (b, d) whose rows all hold k points."""
    k = int(table[0].sum())
    return np.nonzero(table)[1].reshape(len(table), k)


# One compressed file has the blocks of every design that is smaller than those of all constructions, one bit per
# block and point, and all sizes for up to 64 points. The search for them is at 9a0d1b87 (docs/explanation/measured.md).
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


Rule = tuple[int, Callable[[], np.ndarray]]
NONE = 10**15


def known_size(d: int, k: int, t: int) -> int:
    """Size of the covering (d, k, t) of `build_covering`; from the table for up to 64 points."""
    if t > d:
        return 0
    if k >= d or t == 0:
        return 1
    if k < t:
        return NONE
    if d <= TABLE_POINTS and t <= TABLE_T:
        return int(size_table()[t, d, k])
    return _size_beyond_table(d, k, t)


@lru_cache(maxsize=100_000)
def _size_beyond_table(d: int, k: int, t: int) -> int:
    return min(size for size, _ in covering_rules(d, k, t))


def covering_table(d: int, k: int, t: int) -> np.ndarray:
    """The covering as a boolean table (known_size(d, k, t), d), min(k, d) points in each row.

    Rows are distinct and in lexicographic order of their points.
    """
    return _distinct(pad_blocks(build_covering(d, k, t), min(k, d)))


def build_covering(d: int, k: int, t: int) -> np.ndarray:
    """The covering (d, k, t) as its rule builds it: rows may repeat or have fewer points."""
    known = known_size(d, k, t)
    for size, make in covering_rules(d, k, t):
        checkpoint()
        if size == known:
            return make()
    raise AssertionError(f"no rule reaches the tabled size {known} of ({d}, {k}, {t})")


def covering_rules(d: int, k: int, t: int) -> Iterator[Rule]:
    """Yield all ways to build (d, k, t); rows of their tables may have fewer than k points."""
    if t > d:
        yield 0, lambda: np.zeros((0, d), dtype=bool)
        return
    if k >= d or t == 0:
        yield 1, lambda: np.arange(d)[None, :] < k
        return
    if t == 1:
        yield -(-d // k), lambda: np.arange(d)[None, :] // k == np.arange(-(-d // k))[:, None]
        return
    if k == t:
        yield math.comb(d, t), lambda: to_membership(positions_of_subsets(d, t), d)
        return
    if (d, k, t) in bundled_sizes():
        yield bundled_sizes()[d, k, t], lambda: to_membership(bundled_blocks(d, k, t), d)
    for geometry in geometry_catalog():
        if geometry.points >= d and geometry.block <= k and geometry.t >= t:
            yield (
                geometry.size,
                lambda g=geometry: to_membership(g.build(), g.points)[:, :d],
            )
    for copies in range(2, k // t + 1):
        points = -(-d // copies)
        yield (
            known_size(points, k // copies, t),
            lambda c=copies, p=points: np.repeat(build_covering(p, k // c, t), c, axis=1)[:, :d],
        )
    if d > TABLE_POINTS or t > TABLE_T:
        yield _wide_split(d, k, t)
        return
    yield known_size(d, k - 1, t), lambda: build_covering(d, k - 1, t)
    if t + 1 < k and t < TABLE_T:
        yield known_size(d, k, t + 1), lambda: build_covering(d, k, t + 1)
    if d < TABLE_POINTS:
        yield known_size(d + 1, k, t), lambda: build_covering(d + 1, k, t)[:, :d]
    if t == 3 and k >= 4:
        yield from _class_products(d, k)
    yield from _split_products(d, k, t)


def _split_products(d, k, t) -> Iterator[Rule]:
    """Split the points in two; a t-set with s points on the left needs a cover of s times t - s."""
    table = size_table()
    lefts = np.arange(1, d // 2 + 1)[:, None]
    inside = np.arange(k + 1)[None, :]
    sizes = [
        table[s, lefts, inside].astype(float) * table[t - s, d - lefts, k - inside]
        for s in range(t + 1)
    ]
    totals = np.minimum(sum(size.min(axis=1) for size in sizes), NONE)
    left = int(totals.argmin())
    shares = tuple(int(size[left].argmin()) for size in sizes)
    if totals[left] < NONE:
        yield int(totals[left]), lambda: _split_product(d, k, t, left + 1, shares)


def _wide_split(d, k, t) -> Rule:
    """The split product beyond the table, with the number of points of the table on the right."""
    left = d - TABLE_POINTS if d > TABLE_POINTS else d // 2
    shares = [
        min((known_size(left, a, s) * known_size(d - left, k - a, t - s), a) for a in range(k + 1))
        for s in range(t + 1)
    ]
    size = min(sum(size for size, _ in shares), NONE)
    return size, lambda: _split_product(d, k, t, left, [a for _, a in shares])


def _split_product(d, k, t, left, shares) -> np.ndarray:
    parts = []
    for s, share in enumerate(shares):
        if known_size(left, share, s) and known_size(d - left, k - share, t - s):
            parts.append(
                _product(build_covering(left, share, s), build_covering(d - left, k - share, t - s))
            )
    return np.concatenate(parts)


def _product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Every row of `left` joined with every row of `right`."""
    return np.concatenate(
        [np.repeat(left, len(right), axis=0), np.tile(right, (len(left), 1))], axis=1
    )


def pair_classes(points: int, group: int) -> tuple[int, int, int]:
    """(classes, groups per class, order) of partitions that hold every pair in some group.

    The points are divided into `order` bundles (an even number), paired by a round-robin tournament;
    every group is a pair of bundles and has at most `group` points.
    """
    bundle = group // 2
    order = -(-points // bundle)
    order += order % 2
    return order - 1, order // 2, order


def _pair_partition(points: int, group: int, which: int) -> np.ndarray:
    """The groups of one class of `pair_classes` as a boolean table (order / 2, points)."""
    classes, _, order = pair_classes(points, group)
    rounds = [(classes, which)] + [
        ((which + i) % classes, (which - i) % classes) for i in range(1, order // 2)
    ]
    owner = np.arange(points) // (group // 2)
    return np.array([(owner == a) | (owner == b) for a, b in rounds])


def _class_products(d, k) -> Iterator[Rule]:
    """Doubling (t = 3): groups times groups within equal classes, then each side on its own."""
    for left in range(max(2, d // 3), d // 2 + 1):
        for share in range(2, k - 1):
            a, b = pair_classes(left, share), pair_classes(d - left, k - share)
            mixed = max(a[0], b[0]) * a[1] * b[1]
            size = mixed + known_size(left, k, 3) + known_size(d - left, k, 3)
            yield size, lambda v=left, w=share: _class_product(d, k, v, w)


def _class_product(d, k, left, share) -> np.ndarray:
    right = d - left
    a, b = pair_classes(left, share)[0], pair_classes(right, k - share)[0]
    parts = [
        _product(_pair_partition(left, share, i % a), _pair_partition(right, k - share, i % b))
        for i in range(max(a, b))
    ]
    for points, before in ((left, 0), (right, left)):
        cover = build_covering(points, k, 3) if points >= 3 else np.zeros((0, points), dtype=bool)
        parts.append(np.pad(cover, ((0, 0), (before, d - before - points))))
    return np.concatenate(parts)


def pad_blocks(table: np.ndarray, k: int) -> np.ndarray:
    """Pad rows to k points, using the points cyclically."""
    short = np.flatnonzero(table.sum(axis=1) < k)
    if len(short):
        table = table.copy()
        d = table.shape[1]
        turn = (np.arange(d)[None, :] - short[:, None] * k) % d
        turn[table[short]] = -1
        first = np.argsort(turn, axis=1, kind="stable")[:, :k]
        table[short[:, None], first] = True
    return table


def _distinct(table: np.ndarray) -> np.ndarray:
    """Rows in lexicographic order of their points, with repeated rows replaced by unused ones."""
    words = _words(table)
    order = np.lexsort(words.T[::-1])[::-1]
    table, words = table[order], words[order]
    fresh = np.append(True, (words[1:] != words[:-1]).any(axis=1))
    if fresh.all():
        return table
    used = {row.tobytes() for row in words[fresh]}
    spare: list[np.ndarray] = []
    row = np.arange(int(table[0].sum()))
    while len(spare) < len(table) - fresh.sum():
        candidate = np.zeros((1, table.shape[1]), dtype=bool)
        candidate[0, row] = True
        if _words(candidate)[0].tobytes() not in used:
            spare.append(candidate[0])
        # The next in lexicographic order.
        i, k = len(row) - 1, len(row)
        while row[i] == table.shape[1] - k + i:
            i -= 1
        row = np.concatenate([row[:i], row[i] + 1 + np.arange(k - i)])
    return _distinct(np.concatenate([table[fresh], np.array(spare)]))


def _words(table: np.ndarray) -> np.ndarray:
    """Rows as 64-bit words, first point highest: earlier in lexicographic order is larger."""
    packed = np.packbits(table, axis=1)
    return np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))).view(">u8").astype(np.uint64)


MAX_BLOCKS = 2_000_000
Blocks = tuple[tuple[int, ...], ...]


def _check_design(d: int, l: int, t: int) -> tuple[int, int, int]:  # noqa: E741
    d, l, t = check_count("d", d), check_count("l", l), check_count("t", t)  # noqa: E741
    if t > min(l, d):
        raise InputError(
            f"t ({t}) must be at most the view size ({min(l, d)}): a view of {min(l, d)} "
            f"attributes cannot hold {t}; choose larger views or a smaller t"
        )
    return d, l, t


def covering_size(d: int, l: int, t: int) -> int:  # noqa: E741
    """Number of blocks of `find_covering(d, l, t)`, without building it (microseconds).

    Parameters
    ----------
    d, l, t : int
        Number of attributes, attributes in a block, attributes to be covered together.

    Raises
    ------
    InputError
        If t is larger than the block.

    Examples
    --------
    >>> covering_size(8, 4, 3), covering_size(3, 2, 2), covering_size(2, 3, 2)
    (14, 3, 1)
    """
    return known_size(*_check_design(d, l, t))


def find_covering(d: int, l: int, t: int) -> Blocks:  # noqa: E741
    """A small set of l-subsets of 0..d-1 such that every t-subset lies in one of them.

    Designs found beforehand are read from the package; all others are built from finite
    geometries and from smaller designs, in proportion to their blocks: for d <= 64, l <= 16 and
    t <= 4 mostly in milliseconds, at most about a second (0.7 s of one core for the 164,114
    blocks of (64, 5, 4)). The answer is the same every time.

    Parameters
    ----------
    d, l, t : int
        Number of attributes, attributes in a block, attributes to be covered together (SPEC 4;
        CALM section 4.3). With l >= d there is one block of all attributes.

    Returns
    -------
    tuple of tuple of int
        covering_size(d, l, t) distinct ascending blocks, in lexicographic order.

    Raises
    ------
    InputError
        If t is larger than the block.
    InfeasibleError
        If the design would have more than 2,000,000 blocks.

    Examples
    --------
    >>> find_covering(3, 2, 2)
    ((0, 1), (0, 2), (1, 2))
    """
    d, l, t = _check_design(d, l, t)  # noqa: E741
    size = known_size(d, l, t)
    if size > MAX_BLOCKS:
        number = f"{size:,}" if size < NONE else f"about {math.comb(d, t) // math.comb(l, t):,}"
        raise InfeasibleError(
            f"covering every {t} of {d} attributes with blocks of {l} would take {number} blocks, "
            f"more than the limit of {MAX_BLOCKS:,}; use larger blocks or a smaller t"
        )
    return tuple(map(tuple, from_membership(covering_table(d, l, t)).tolist()))
