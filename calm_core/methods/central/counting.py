"""Exact counts of many marginals at once, and Fourier coefficients of binary data."""

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from calm_core.errors import InfeasibleError, InputError, Toward
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain
from calm_core.tables.population import People

MAX_TABLES = 200_000
MAX_TOTAL_CELLS = 20_000_000


def marginal_sets(domain: Domain, k: int, what: str) -> list[tuple[str, ...]]:
    """All k-way attribute sets, refused where their tables would not fit in memory."""
    count = math.comb(domain.d, k)
    largest = math.prod(sorted(domain.sizes)[-k:])
    if count > MAX_TABLES or count * largest > MAX_TOTAL_CELLS:
        raise InfeasibleError(
            f"{what} would release all {count:,} tables of {k} attributes (about {count * largest:,} "
            f"cells, the limit is {MAX_TOTAL_CELLS:,}); use a smaller k or fewer attributes",
            remedies=[("k", Toward.LESS), ("d", Toward.LESS)],
        )
    return list(combinations(domain.names, k))


def require_binary(domain: Domain, what: str) -> None:
    """Refuse attributes with other than two values."""
    for name, size in zip(domain.names, domain.sizes):
        if size != 2:
            raise InputError(
                f"{what} needs yes/no attributes, but {name!r} has {size} values; "
                "leave it out or merge its values to two",
                remedies=[("max_values", 2)],
            )


def coefficient_sets(d: int, k: int) -> Iterator[tuple[int, ...]]:
    """Attribute positions of every Fourier coefficient of order 0 to k."""
    for order in range(k + 1):
        checkpoint()
        yield from combinations(range(d), order)


def parity_sums(dataset: People, k: int) -> dict[tuple[int, ...], int]:
    """Fourier coefficients of order 0 to k: sum over users of (-1)^(number of ones in the set).

    Bits are packed eight users to a byte, so that a coefficient costs n/8 byte operations; prefixes
    are shared between coefficients.

    Examples
    --------
    >>> from calm_core.tables.dataset import Dataset
    >>> domain = Domain(("a", "b"), (2, 2))
    >>> parity_sums(Dataset.from_codes([[0, 1], [1, 1], [0, 0]], domain), 2)
    {(): 3, (0,): 1, (1,): -1, (0, 1): 1}
    """
    # The rows there are: a user adds 1 or -1 to every sum, whatever number of users is published.
    n = len(dataset.codes)
    padded = np.zeros((dataset.domain.d, -(-n // 64) * 64), dtype=np.uint8)
    padded[:, :n] = dataset.codes.T
    bits = np.packbits(padded, axis=1).view(np.uint64)
    sums, level = {(): n}, {(): np.zeros(bits.shape[1], dtype=np.uint64)}
    for order in range(1, k + 1):
        checkpoint()
        following = {}
        for head, parity in level.items():
            for i in range(head[-1] + 1 if head else 0, len(bits)):
                mixed = parity ^ bits[i]
                sums[*head, i] = n - 2 * int(np.bitwise_count(mixed).sum())
                if order < k:
                    following[*head, i] = mixed
        level = following
    return {subset: sums[subset] for subset in coefficient_sets(len(bits), k)}


def from_coefficients(coefficients: dict[tuple[int, ...], float], at: tuple[int, ...]):
    """The table over binary attributes `at` whose Fourier coefficients are given.

    T(v) = 2^-k sum over subsets alpha of A of coefficient(alpha) (-1)^(alpha . v).
    """
    table = np.zeros((2,) * len(at))
    for order in range(len(at) + 1):
        for chosen in combinations(range(len(at)), order):
            where = tuple(int(axis in chosen) for axis in range(len(at)))
            table[where] = coefficients[tuple(at[axis] for axis in chosen)]
    for axis in range(len(at)):
        zero, one = np.take(table, 0, axis), np.take(table, 1, axis)
        table = np.stack([zero + one, zero - one], axis=axis) / 2
    return table
