"""Optimized local hashing: a noisy hash of the value, short however large the domain."""

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar

import numpy as np

from calm_core._checks import EPSILON_LIMIT
from calm_core.oracles.base import (
    WORD,
    Draws,
    Oracle,
    ReportForm,
    odds_threshold,
    refuse_reports,
    to_hex,
)

# The increment and the two multipliers of the splitmix64 generator (Steele et al., 2014).
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
# Number of support counts that fit in the first-level cache.
_BLOCK = 2**11


@dataclass(frozen=True)
class OLH(Oracle):
    """Optimized local hashing. Reports are uint64 (n, 2): the hash's seed and the noisy hash.

    Each user draws a 64-bit seed, which stands for a function H from the L values to
    ``g = round(e^epsilon) + 1`` buckets, and sends ``H(value)`` through randomized response over
    the buckets. A report supports every value that H sends to the reported bucket: the true one
    with ``p = e^epsilon / (e^epsilon + g - 1)``, any other with ``q = 1 / g``.

    Privacy does not rest on the hash: given the seed, which is drawn without looking at the
    value, a report is a randomized response.

    Parameters
    ----------
    epsilon, size
        See `Oracle`.

    References
    ----------
    CALM (Zhang et al., CCS 2018), section 2.2; Wang et al., USENIX Security 2017.

    Examples
    --------
    A table of 2 x 3 values has six cells:

    >>> import numpy as np
    >>> oracle = OLH(epsilon=1.0, size=2 * 3)
    >>> oracle.buckets, round(oracle.p, 4), round(oracle.q, 4)
    (4, 0.4754, 0.25)
    >>> oracle.perturb(np.array([0, 0, 3, 5]), rng=np.random.default_rng(0)).shape
    (4, 2)
    """

    name: ClassVar[str] = "olh"
    title: ClassVar[str] = "Local hashing (OLH)"
    summary: ClassVar[str] = (
        "Sends a random hash function and a noisy hash: as exact as unary encoding, and short "
        "however large the table."
    )
    device_text: ClassVar[str] = (
        "The device sends a random hash function and a noisy hash. It fits the true cell with "
        "chance {p}, each other one with chance {q}."
    )
    fixed_support: ClassVar[bool] = False
    # Under a random function the hashes of the other values are independent of each other, of the true value's hash
    # and of the noise. So given the reported bucket each other value is supported with probability 1/g independently,
    # and the true one is if and only if the noise kept it.
    independent_bits: ClassVar[bool] = True

    @property
    def buckets(self) -> int:
        """Number of values of the hash, g: the optimum e^epsilon + 1, rounded.

        The variance is at most 2.1% above that of the best whole number.
        """
        return round(math.exp(min(self.epsilon, EPSILON_LIMIT))) + 1

    def _probabilities(self) -> tuple[float, float, float]:
        p = 1 / (1 + (self.buckets - 1) * math.exp(-self.epsilon))
        q = 1 / self.buckets
        # p - 1/g = p (g - 1) (1 - e^-epsilon) / g
        return p, q, -math.expm1(-self.epsilon) * p * (1 - q)

    @cached_property
    def keep(self) -> int:
        """Probability that the true bucket is sent, exactly, in units of 2^-64."""
        return odds_threshold(self.epsilon, 1, self.buckets - 1)

    @property
    def form(self) -> ReportForm:
        return ReportForm(self.buckets, direct=False, has_seeds=True)

    @property
    def device(self) -> dict[str, int | str]:
        return {
            "buckets": self.buckets,
            "bucket_words": to_hex(int(self._bucket_words)),
            "keep": to_hex(self.keep),
        }

    def _randomize(self, values: np.ndarray, draws: Draws) -> np.ndarray:
        seeds = draws.words(len(values))
        hashed = self._hash(seeds, values)
        if self.size > 1:
            keep = draws.chance(self.keep, values.shape)
            other = draws.uniform_below(self.buckets - 1, len(values)).astype(np.uint64)
            other += other >= hashed
            hashed = np.where(keep, hashed, other)
        return np.stack([seeds, hashed], axis=1)

    def _hash(self, seeds: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return the bucket of each value under the function of each seed; shapes broadcast."""
        words = _mix(seeds + (values.astype(np.uint64) + np.uint64(1)) * _STEP)
        return np.minimum(words // self._bucket_words, np.uint64(self.buckets - 1))

    @property
    def _bucket_words(self) -> np.uint64:
        """Number of 64-bit words per bucket; the last one takes the remainder, below g."""
        return np.uint64(WORD // self.buckets)

    def _support(self, reports: np.ndarray) -> np.ndarray:
        support = np.zeros(self.size, dtype=np.int64)
        self.add_support(reports, np.zeros(len(reports), dtype=np.int64), support)
        return support

    def add_support(self, reports: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> None:
        """As `Oracle.add_support`, all groups at once."""
        self._check_reports(reports)
        _kernel()(reports, self._bucket_words, self.buckets, starts, self.size, counts)

    def _supports(self, reports: np.ndarray, values: np.ndarray) -> np.ndarray:
        if len(values) < self.size:
            self._check_reports(reports)
            return self._hash(reports[:, :1], values) == reports[:, 1:]
        # Of all values the compiled counts are ten times as quick.
        counts = np.zeros(len(reports) * self.size, dtype=np.int64)
        self.add_support(reports, np.arange(len(reports)) * self.size, counts)
        return counts.reshape(-1, self.size)[:, values] > 0

    def _check_reports(self, reports: np.ndarray) -> None:
        if reports.ndim != 2 or reports.shape[1] != 2 or reports.dtype != np.uint64:
            refuse_reports(reports, "a uint64 array of shape (n, 2), seed and hash")
        self._check_range(reports[:, 1], "reports", self.buckets)


def _mix(words: np.ndarray) -> np.ndarray:
    """Return 64 well-mixed bits for each word, an array or one alone: the output of splitmix64.

    The word of a seed and a value is that of the seed's term value + 1. An array is overwritten.
    """
    words ^= words >> np.uint64(30)
    words *= _MIX[0]
    words ^= words >> np.uint64(27)
    words *= _MIX[1]
    words ^= words >> np.uint64(31)
    return words


@cache
def _kernel():
    """Compiled once per machine (cached on disk); imported late so that starting up stays quick."""
    from numba import njit
    from numba.extending import register_jitable

    # As a closure's own it would have another name, and all be compiled anew, in every process.
    register_jitable(_mix)
    highest = np.uint64(WORD - 1)

    @njit(cache=True, nogil=True)
    def count(reports, width, buckets, starts, size, counts):
        for value in range(0, size, _BLOCK):
            for i in range(len(reports)):
                seed = reports[i, 0] + np.uint64(value) * _STEP
                # A word is in the reported bucket if it is less than one width above the bucket's
                # low end: cheaper than dividing each of the n L words.
                low = reports[i, 1] * width
                last = reports[i, 1] == np.uint64(buckets - 1)
                most = highest - low if last else width - np.uint64(1)
                first = starts[i] + value
                block = counts[first : first + min(_BLOCK, size - value)]
                for step in range(len(block)):
                    word = _mix(seed + np.uint64(step + 1) * _STEP)
                    block[step] += np.int64(word - low <= most)

    return count
