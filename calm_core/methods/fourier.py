"""FT: users are split over the Fourier coefficients of which all k-way marginals consist."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from calm_core._checks import check_k, check_rng
from calm_core.collection.simulation import GroupDone, assign_groups
from calm_core.errors import InfeasibleError, Toward
from calm_core.methods.base import (
    KWayAnswer,
    UnbiasedMethod,
    check_query_size,
    mean_inverse_size,
    postprocess,
)
from calm_core.methods.calm_binary import BinaryEncoding
from calm_core.oracles import choose_oracle
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

WORD_BITS = 64


def count_coefficients(bits: Iterable[int], k: int) -> int:
    """Return the number of coefficients that marginals of up to k attributes with these bits need.

    Non-empty sets of bits that touch at most k attributes; sum of C(d, s) for s = 1..k if binary.

    Examples
    --------
    >>> count_coefficients((1,) * 16, 3), count_coefficients((1, 2), 1)
    (696, 4)
    """
    return sum(symmetric_sums([2**b - 1 for b in bits], k)[1:])


def symmetric_sums(numbers: Iterable[int], k: int) -> list[int]:
    """Return the elementary symmetric sums of order 0 to k: each the sum of all products of so many numbers.

    >>> symmetric_sums((2, 3, 4), 2)
    [1, 9, 26]
    """
    sums = [1] + [0] * k
    for number in numbers:
        for j in range(k, 0, -1):
            sums[j] += number * sums[j - 1]
    return sums


@lru_cache(maxsize=8)
def coefficient_masks(bits: tuple[int, ...], k: int) -> np.ndarray:
    """Return the bit sets of all coefficients as masks, uint64 of shape (M, words), bit b at position b."""
    words = -(-sum(bits) // WORD_BITS)
    # levels[s]: the masks that touch exactly s of the attributes seen so far.
    levels = [np.zeros((1, words), np.uint64)] + [np.zeros((0, words), np.uint64)] * k
    first = 0
    for b in bits:
        local = _subsets(range(first, first + b), words)[1:]
        for s in range(k, 0, -1):
            longer = levels[s - 1][:, None, :] | local[None, :, :]
            levels[s] = np.concatenate([levels[s], *longer])
        first += b
    masks = np.concatenate(levels[1:])
    masks.flags.writeable = False
    return masks


@lru_cache(maxsize=8)
def _numbering(bits: tuple[int, ...], k: int) -> dict[bytes, int]:
    return {mask.tobytes(): i for i, mask in enumerate(coefficient_masks(bits, k))}


def pack_bits(codes: np.ndarray) -> np.ndarray:
    """Pack rows of zeros and ones, shape (n, bits), into uint64 words of shape (n, words), bit b at place b."""
    padded = np.pad(codes, ((0, 0), (0, -codes.shape[1] % WORD_BITS)))
    packed = np.packbits(padded, axis=1, bitorder="little")
    return np.ascontiguousarray(packed).view("<u8")


def _subsets(positions: Sequence[int], words: int) -> np.ndarray:
    """Return masks of all subsets of the positions, (2^len, words), in the order of the cells' binary code."""
    masks = np.zeros((1, words), np.uint64)
    for position in positions:
        bit = np.zeros(words, np.uint64)
        word, place = divmod(position, WORD_BITS)
        bit[word] = np.uint64(1) << np.uint64(place)
        masks = np.stack([masks, masks | bit], axis=1).reshape(-1, words)
    return masks


def walsh_hadamard(values: np.ndarray) -> np.ndarray:
    """Return the sum of values[v] (-1)^<u, v> for every u, of 2^b values; its own inverse up to 2^-b.

    Examples
    --------
    >>> walsh_hadamard(np.array([0.4, 0.3, 0.2, 0.1])).round(3).tolist()
    [1.0, 0.2, 0.4, 0.0]
    """
    table = np.asarray(values, dtype=float).ravel()
    half = table.size // 2
    while half:
        pairs = table.reshape(-1, 2, half)
        table = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).ravel()
        half //= 2
    return table


@dataclass(frozen=True, eq=False)
class FourierAnswer(KWayAnswer):
    """Unbiased estimates of all coefficients, each the mean of (-1)^(sum of the bits in its set)."""

    encoding: BinaryEncoding
    k: int
    coefficients: np.ndarray
    nonnegativity: str

    @property
    def domain(self) -> Domain:
        """Shape of the data."""
        return self.encoding.domain

    def coefficients_of(self, attrs: Iterable[str]) -> np.ndarray:
        """Return coefficients of all bit sets within the attributes, the empty one first, shape (2^bits,)."""
        bits = self.encoding.bits
        words = -(-sum(bits) // WORD_BITS)
        masks = _subsets(self.encoding.positions_of(attrs), words)[1:]
        numbers = _numbering(bits, self.k)
        return np.append(1.0, self.coefficients[[numbers[mask.tobytes()] for mask in masks]])

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the marginal over at most k attributes: T(v) = 2^-b sum of coef (-1)^<set, v>.

        Codes that are no value are left out; the estimate stays unbiased.
        """
        attrs = check_query_size(self.domain, attrs, self.k, "FT")
        coefficients = self.coefficients_of(attrs)
        cells = walsh_hadamard(coefficients) / len(coefficients)
        table = Marginal(self.domain.project(attrs), self.encoding.decode(cells, attrs))
        return postprocess(table, self.nonnegativity)


@dataclass(frozen=True)
class EvenGroups:
    """m nearly equal groups of users; m is 0 if nothing has to be collected."""

    m: int


@dataclass(frozen=True, eq=False)
class SignReports:
    """How many users of each group sent + and how many -.

    Attributes
    ----------
    encoding : BinaryEncoding
        The attributes as bits.
    signs : ndarray of int64, shape (M, 2)
        One row per coefficient; counts of disjoint groups of users add up.
    """

    encoding: BinaryEncoding
    signs: np.ndarray

    def __add__(self, other: "SignReports") -> "SignReports":
        return SignReports(self.encoding, self.signs + other.signs)


@dataclass(frozen=True)
class Fourier(UnbiasedMethod):
    """FT (Kulkarni et al.; CALM section 3.2): each user sends one sign by randomized response.

    Attributes with more than two values are first encoded as bits. Only coefficients that some k-way marginal
    needs are collected, those whose bits belong to at most k attributes; the paper counts every set of up to
    k ceil(log2 c) bits, which is more and would favor CALM.

    Raises
    ------
    InfeasibleError
        On release, if there are fewer users than coefficients.

    Examples
    --------
    >>> from calm_core.tables.dataset import Dataset
    >>> rng = np.random.default_rng(1)
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> data = Dataset.from_codes(rng.integers(0, 2, size=(5000, 2)), domain)
    >>> Fourier(epsilon=4.0, k=2).release(data, rng=rng).marginal(("sex",)).values.round(1).tolist()
    [0.5, 0.5]
    """

    name: ClassVar[str] = "ft"
    title: ClassVar[str] = "FT"
    summary: ClassVar[str] = (
        "People are split over Fourier coefficients of binary data (Kulkarni et al.)."
    )
    no_public_plan_reason: ClassVar[str] = (
        "it collects signs of sets of bits, and a public plan collects whole attributes"
    )

    def plan(self, domain: Domain, n: int, *, rng=None) -> EvenGroups:
        """Return one group for every coefficient."""
        check_k(self.k, domain.d)
        m = count_coefficients(BinaryEncoding(domain).bits, self.k)
        if n < m:
            raise InfeasibleError(
                f"FT needs {m:,} coefficients for tables of {self.k} attributes but has {n:,} "
                f"people, fewer than one for each coefficient; use at least {m:,} people, fewer "
                "attributes or a smaller k",
                remedies=[("n", m), ("d", Toward.LESS), ("k", Toward.LESS)],
            )
        return EvenGroups(m)

    def collect(self, dataset, plan, *, rng, notify=None) -> SignReports:
        """Return one randomized sign of every user."""
        check_rng(rng)
        encoding, m = BinaryEncoding(dataset.domain), plan.m
        if not m:
            # Every attribute has a single value: nothing has to be collected.
            return SignReports(encoding, np.empty((0, 2), dtype=np.int64))
        labels = assign_groups(dataset.n, (1 / m,) * m, rng=rng)
        masks = coefficient_masks(encoding.bits, self.k)
        bits = pack_bits(encoding.encode(dataset).codes)
        # Odd parity is the sign -1, value 1 of the binary oracle.
        odd = np.zeros(dataset.n, dtype=np.int64)
        for word in range(masks.shape[1]):
            odd ^= np.bitwise_count(bits[:, word] & masks[labels, word]) & 1
        oracle = choose_oracle(2, self.epsilon, "grr")
        counts = np.bincount(labels * np.int64(2) + odd, minlength=2 * m).reshape(-1, 2)
        if notify:
            notify(GroupDone(m, m, dataset.n))
        return SignReports(encoding, oracle.simulate(counts, rng=rng))

    def answer(self, plan, reports) -> FourierAnswer:
        """Return unbiased coefficients."""
        oracle, signs = choose_oracle(2, self.epsilon, "grr"), reports.signs
        fractions = oracle.estimate(signs, signs.sum(axis=1)) if plan.m else signs
        return FourierAnswer(
            reports.encoding, self.k, fractions[:, 0] - fractions[:, 1], self.nonnegativity
        )

    def unbiased_sse(self, domain, n, attrs, *, truth=None) -> float:
        """Return the expected SSE; (1 - 2^-k) M ((e^eps + 1) / (e^eps - 1))^2 / n.

        That is the value for a uniform binary marginal and large n. With the truth the variance of every
        coefficient is exact, for groups drawn without replacement.
        """
        attrs = check_query_size(domain, attrs, self.k, self.title)
        encoding = BinaryEncoding(domain)
        m = self.plan(domain, n).m
        inverse = mean_inverse_size(n, m) if m else 0.0
        shape = [2 ** encoding.bits[i] for i in domain.positions(attrs)]
        cells = int(np.prod(shape))
        coefficients = np.zeros(cells)
        if truth is not None:
            padded = np.zeros(shape)
            padded[tuple(slice(c) for c in truth.values.shape)] = truth.values
            coefficients = walsh_hadamard(padded)
        oracle = choose_oracle(2, self.epsilon, "grr")
        response = (1 / oracle.gap**2 - 1) * inverse
        sampling = (1 - coefficients[1:] ** 2) * (n * inverse - 1) / max(n - 1, 1)
        return float((response + sampling).sum() * domain.cells_of(attrs) / cells**2)
