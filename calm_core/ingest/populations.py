"""Generated populations with a chosen kind of correlation.

Every generator works from uniform thresholds: an attribute's value is the number of its cumulative
rates that lie below a score in [0, 1], so that marginal rates hold whatever the correlation.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from calm_core._checks import check_choice, check_count, check_rng
from calm_core.errors import InfeasibleError, InputError
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain

KINDS = ("independent", "chain", "factor")
MAX_N = 10_000_000
# Users times attributes: half a gigabyte of codes, at most half a minute.
MAX_CODES = 500_000_000


def make_population(
    *,
    kind: str = "chain",
    d: int = 8,
    sizes: int | tuple[int, ...] = 2,
    n: int = 100_000,
    strength: float = 0.5,
    rates: tuple[tuple[float, ...], ...] | None = None,
    rng: np.random.Generator,
) -> Dataset:
    """A dataset of n users with d attributes, correlated as `kind` says.

    Parameters
    ----------
    kind : str
        "independent"; "chain" (attribute j repeats the score of the one before it);
        "factor" (all attributes share one score per user).
    d, n : int
        Attributes (1 to 2,000) and users (1 to 10^7), together at most 5 * 10^8 codes.
    sizes : int or tuple of int
        Values per attribute.
    strength : float
        Probability in [0, 1] that an attribute takes the shared score instead of one of its own:
        0 makes any kind independent.
    rates : tuple of tuple of float, optional
        Marginal rates of every attribute's values; equal rates where omitted.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> data = make_population(kind="chain", d=2, sizes=(2, 3), n=5, rng=rng)
    >>> data.domain.sizes, data.codes.shape
    ((2, 3), (5, 2))
    """
    check_choice("kind", kind, KINDS)
    d, n = check_count("d", d, high=2000), check_count("n", n, high=MAX_N)
    each = tuple(sizes) if isinstance(sizes, Iterable) else (sizes,) * d
    if len(each) != d:
        raise InputError(f"sizes ({len(each)}) must be one number, or one per attribute ({d})")
    each = tuple(check_count("sizes", c, low=2, high=1000) for c in each)
    if not 0 <= strength <= 1:
        raise InputError(f"strength ({strength}) must be from 0 (independent) to 1 (equal scores)")
    check_rng(rng)
    check_codes(n, d)
    ends = _cumulative(rates, each)
    domain = Domain(tuple(f"a{j + 1}" for j in range(d)), each)
    codes = np.empty((n, d), dtype=np.min_scalar_type(max(each) - 1), order="F")
    for j, scores in enumerate(_make_scores(kind, n, d, strength, rng)):
        checkpoint()
        codes[:, j] = np.searchsorted(ends[j], scores, side="right")
    return Dataset.from_codes(codes, domain)


def check_codes(n: int, d: int, limit: int = MAX_CODES) -> None:
    """Raise if a population would have too many codes.

    >>> check_codes(10_000_000, 2_000)
    Traceback (most recent call last):
    calm_core.errors.InfeasibleError: n (10,000,000) times d (2,000) must be at most 500,000,000; choose at most 250,000 people or 50 attributes
    """
    if n * d > limit:
        raise InfeasibleError(
            f"n ({n:,}) times d ({d:,}) must be at most {limit:,}; choose at most {limit // d:,} people "
            f"or {max(1, limit // n):,} attributes"
        )


def _cumulative(rates, sizes: tuple[int, ...]) -> list[np.ndarray]:
    """Upper ends of all values but the last, per attribute."""
    if rates is None:
        return [np.arange(1, c) / c for c in sizes]
    if len(rates) != len(sizes):
        raise InputError(f"rates ({len(rates)}) must be given for every attribute ({len(sizes)})")
    ends = []
    for row, c in zip(rates, sizes):
        row = np.asarray(row, dtype=float)
        if row.shape != (c,) or row.min() < 0 or abs(row.sum() - 1) > 1e-6:
            raise InputError(f"rates {row.tolist()} must be {c} shares of at least 0 that sum to 1")
        ends.append(np.cumsum(row)[:-1])
    return ends


def _make_scores(kind, n, d, strength, rng) -> Iterator[np.ndarray]:
    """Uniform scores of one attribute after another."""
    base = rng.random(n) if kind == "factor" else None
    for _ in range(d):
        own = rng.random(n)
        if base is not None:
            copied = rng.random(n) < strength
            own[copied] = base[copied]
        if kind == "chain":
            base = own
        yield own


def make_mchain(order: int, bits: int, n: int, rng: np.random.Generator) -> Dataset:
    """MCHAIN of PriView: bit chains with Pr[next = 1] = 0.5 + (1 - 2s/i)/4.

    s is the number of ones among the last i = `order` bits; the first i bits are fair coins.

    Examples
    --------
    >>> chain = make_mchain(1, 3, 4, np.random.default_rng(1))
    >>> chain.domain.names, chain.codes.shape
    (('b1', 'b2', 'b3'), (4, 3))
    """
    order, bits = check_count("order", order, high=64), check_count("bits", bits, high=2000)
    n, rng = check_count("n", n, high=MAX_N), check_rng(rng)
    check_codes(n, bits)
    codes = np.empty((n, bits), dtype=np.uint8, order="F")
    ones = np.zeros(n, dtype=np.int16)
    for j in range(bits):
        checkpoint()
        chance = 0.5 if j < order else 0.5 + (1 - 2 * ones / order) / 4
        codes[:, j] = rng.random(n) < chance
        ones += codes[:, j]
        if j >= order:
            ones -= codes[:, j - order]
    return Dataset.from_codes(codes, Domain(tuple(f"b{j + 1}" for j in range(bits)), (2,) * bits))
