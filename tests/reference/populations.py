"""Populations on which inference by shrinkage was weak, and random ones of the same kinds: whole tables."""

from collections.abc import Sequence
from itertools import permutations

import numpy as np

import calm_core as cc
from tests.reference.exact_collection import population

ROWS = 2**18
MAX_CELLS = 2**17


def zipf(size: int, power: float) -> np.ndarray:
    """Shares that fall with the rank to this power."""
    shares = (1.0 + np.arange(size)) ** -power
    return shares / shares.sum()


def _table(columns, sizes) -> cc.Marginal:
    """The population of these rows."""
    cells = np.bincount(np.ravel_multi_index(tuple(columns), sizes), minlength=np.prod(sizes))
    return population(cells.reshape(sizes).astype(float))


def independent(*shares) -> cc.Marginal:
    """Attributes with these shares, independent."""
    table = np.ones(())
    for one in shares:
        table = np.multiply.outer(table, one)
    return population(table)


def skewed_functions() -> cc.Marginal:
    """A skewed attribute of fifty values, three functions of it, and a fair bit."""
    table = np.zeros((50, 50, 2, 2, 2))
    x = np.arange(50)
    for bit in (0, 1):
        table[x, 7 * x % 50, x % 2, (x > 3).astype(int), bit] = zipf(50, 2) / 2
    return population(table)


def rare_cluster(share: float = 0.002) -> cc.Marginal:
    """A few people have each of eight habits with chance 1/2; all others none."""
    table = np.full((2,) * 8, share / 256)
    table[(0,) * 8] += 1 - share
    return population(table)


def one_of_eight(*shares: float) -> cc.Marginal:
    """Everybody has exactly one of eight, with these shares."""
    table = np.zeros((2,) * 8)
    table.flat[2 ** np.arange(7, -1, -1)] = shares
    return population(table)


def all_different(size: int = 5) -> cc.Marginal:
    """As many attributes as values, all of different values."""
    table = np.zeros((size,) * size)
    for values in permutations(range(size)):
        table[values] = 1
    return population(table)


def skewed_exclusive_ors() -> cc.Marginal:
    """Bits of 30%, and the exclusive-ors of three pairs of them."""
    rng = np.random.default_rng(5)
    a, b, c, d, e, f = (rng.random((6, ROWS)) < 0.3).astype(int)
    return _table([a, b, a ^ b, c, d, c ^ d, e, e ^ f], (2,) * 8)


def few_cells() -> cc.Marginal:
    """Eight bits of which few combinations are common."""
    return population(np.random.default_rng(6).dirichlet([0.05] * 256).reshape((2,) * 8))


def exclusive_or() -> cc.Marginal:
    """Two fair bits and their exclusive-or."""
    table = np.zeros((2, 2, 2))
    table[0, 0, 0] = table[0, 1, 1] = table[1, 0, 1] = table[1, 1, 0] = 1
    return population(table)


# Name: population, n, k, epsilon.
WEAK = {
    "fifty values, functions": (skewed_functions, 2**14, 2, 0.5),
    "fifty values, independent": (lambda: independent(zipf(50, 2), zipf(50, 2), *[[0.5, 0.5]] * 3), 2**14, 2, 0.5),
    "fifty values, power 1": (lambda: independent(zipf(50, 1), zipf(20, 1), zipf(5, 1), zipf(2, 1)), 2**14, 2, 0.5),
    "two questions": (lambda: independent([0.5, 0.5], [0.7, 0.3]), 3000, 2, 2.0),
    "three questions": (lambda: independent([0.5, 0.5], [0.7, 0.3], [0.2, 0.8]), 1000, 2, 4.0),
    "rare cluster, 2^24": (rare_cluster, 2**24, 3, 2.0), "rare cluster, 2^20": (rare_cluster, 2**20, 2, 4.0),
    "rare cluster, 2^26": (rare_cluster, 2**26, 2, 1.0),
    "one of eight": (lambda: one_of_eight(0.3, *[0.1] * 7), 2**20, 2, 1.0), "one of eight, 90%": (lambda: one_of_eight(0.9, *[0.1 / 7] * 7), 2**17, 3, 0.5),
    "all different": (all_different, 2**20, 3, 8.0), "skewed exclusive-ors": (skewed_exclusive_ors, 2**17, 3, 1.0),
    "few cells": (few_cells, 2**17, 3, 1.0), "exclusive-or": (exclusive_or, 2**14, 3, 1.0),
}  # fmt: skip


def related_columns(rng: np.random.Generator, sizes: Sequence[int]) -> list[np.ndarray]:
    """Columns of these numbers of values, skewed and related in ways that are drawn."""
    shares = [rng.permutation(zipf(size, rng.uniform(0, 2.5))) for size in sizes]
    columns = [rng.choice(size, ROWS, p=p) for size, p in zip(sizes, shares)]
    for at in range(1, len(sizes)):
        kind, other = rng.integers(5), int(rng.integers(at))
        if kind == 1:  # a function of another attribute, blurred
            kept = rng.random(ROWS) < rng.uniform(0.3, 1)
            images = rng.integers(0, sizes[at], sizes[other])
            columns[at] = np.where(kept, images[columns[other]], columns[at])
        elif kind == 2:  # values that exclude each other
            same = columns[at] % 2 == columns[other] % 2
            columns[at] = np.where(same, (columns[at] + 1) % sizes[at], columns[at])
        elif kind == 3 and at > 1:  # an exclusive-or of two others
            columns[at] = (columns[other] + columns[at - 1]) % sizes[at]
        elif kind == 4:  # a rare cluster
            inside = rng.random(ROWS) < 10 ** rng.uniform(-3, -1)
            columns[at] = np.where(
                inside & (columns[other] == sizes[other] - 1), sizes[at] - 1, columns[at]
            )
    return columns


def random_setting(rng: np.random.Generator) -> tuple[cc.Marginal, int, int, float]:
    """A population of two to six attributes of 2 to 60 values, n, k and epsilon, all drawn."""
    sizes: list[int] = []
    while len(sizes) < 2 or len(sizes) < 6 and rng.random() < 0.8:
        size = int(np.exp(rng.uniform(np.log(2), np.log(61))))
        if np.prod(sizes, dtype=float) * size > MAX_CELLS:
            break
        sizes.append(size)
    columns = related_columns(rng, sizes)
    n, epsilon = int(2 ** rng.uniform(12, 24)), float(np.exp(rng.uniform(np.log(0.2), np.log(8))))
    return _table(columns, tuple(sizes)), n, int(rng.integers(1, 4)), epsilon
