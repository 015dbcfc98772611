"""Coverings from finite geometry: flats of affine and projective spaces, circles, Golay octads.

Any s + 1 points of AG(n, q) or PG(n, q) lie in a flat of dimension s; any three points of the
projective line over GF(q^n) lie in one image of the line over GF(q); any five points lie in one
octad of the Golay code. Each gives a covering far better than a search would find.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations, product

import numpy as np

PRIME_POWERS = {
    2: 2, 3: 3, 4: 2, 5: 5, 7: 7, 8: 2, 9: 3, 11: 11, 16: 2, 25: 5, 27: 3, 32: 2, 49: 7, 64: 2,
    81: 3, 121: 11, 125: 5,
}  # fmt: skip
MAX_POINTS = 128
MAX_BLOCKS = 200_000


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
    found = []
    for pivots, bases in subspaces(n, s, q):
        spans = _combine(_vectors(s, q), bases, q)
        shifts = _vectors(n, q)
        shifts = shifts[(shifts[:, list(pivots)] == 0).all(axis=1)]
        flats = add[spans[:, None], shifts[None, :, None]] @ weights
        found.append(flats.reshape(-1, q**s))
    return np.sort(np.concatenate(found), axis=1)


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
    found = [
        np.searchsorted(codes, _combine(coefficients, bases, q) @ weights)
        for _, bases in subspaces(n + 1, s + 1, q)
    ]
    return np.sort(np.concatenate(found), axis=1)


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
    infinity, seen, found = size, set(), []
    for a, b, c in combinations(range(size + 1), 3):
        if (a, b, c) in seen:
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
        seen.update(combinations(block, 3))
        found.append(block)
    return np.array(found)


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
    chosen = octads[octads[:, :through].all(axis=1)][:, through:]
    return np.sort(np.nonzero(chosen)[1].reshape(len(chosen), 8 - through), axis=1)


def _subspace_count(n: int, r: int, q: int) -> int:
    above = math.prod(q ** (n - i) - 1 for i in range(r))
    return above // math.prod(q ** (i + 1) - 1 for i in range(r))


@lru_cache(maxsize=1)
def geometry_catalog() -> tuple[Geometry, ...]:
    """Every geometry with at most 128 points and 200,000 blocks."""
    found = [
        Geometry(24 - i, 8 - i, 5 - i, (759, 253, 77)[i], partial(golay_blocks, i))
        for i in range(3)
    ]
    for q in (2, 3, 4, 5, 7, 8, 9, 11):
        for n in range(2, 8):
            for s in range(1, n):
                if q**n <= MAX_POINTS:
                    size = q ** (n - s) * _subspace_count(n, s, q)
                    build = partial(affine_flats, n, s, q)
                    found.append(Geometry(q**n, q**s, s + 1, size, build))
                points, block = (q ** (n + 1) - 1) // (q - 1), (q ** (s + 1) - 1) // (q - 1)
                if points <= MAX_POINTS:
                    size = _subspace_count(n + 1, s + 1, q)
                    build = partial(projective_flats, n, s, q)
                    found.append(Geometry(points, block, s + 1, size, build))
            if q > 2 and q**n < MAX_POINTS:
                size = math.comb(q**n + 1, 3) // math.comb(q + 1, 3)
                found.append(Geometry(q**n + 1, q + 1, 3, size, partial(circles, q, n)))
    return tuple(g for g in found if g.size <= MAX_BLOCKS)
