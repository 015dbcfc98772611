"""What every frequency oracle has in common: the format of reports, p, q, the estimate and its exact variance.

An oracle randomizes a report with three kinds of draw only, simulated or from the operating system, so the code that
runs on a real device is the code that simulates it, and a test can enumerate every outcome. Probabilities are whole
64-bit thresholds: comparing a 53-bit fraction with a rounded probability would give less privacy than promised.
"""

import decimal
import math
import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NoReturn

import numpy as np

from calm_core._checks import (
    EPSILON_PART,
    FEWER_CELLS,
    MAX_CELLS,
    check_count,
    check_epsilon,
    check_rng,
    set_fields,
)
from calm_core.errors import DataError, InfeasibleError, InputError

WORD = 2**64
HALF = 2**63


class SecureDraws:
    """Draws from the operating system's cryptographic generator, for the reports of real people."""

    def chance(self, threshold: int, shape: tuple[int, ...]) -> np.ndarray:
        """Booleans, each true with probability exactly threshold / 2^64."""
        return (self.words(math.prod(shape)) < np.uint64(threshold)).reshape(shape)

    def uniform_below(self, bound: int, count: int) -> np.ndarray:
        """int64 values, each exactly uniform on 0..bound-1."""
        return np.array([secrets.randbelow(bound) for _ in range(count)], dtype=np.int64)

    def words(self, count: int) -> np.ndarray:
        """uint64 values, each uniform on all 64-bit words."""
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


class SimulatedDraws:
    """The same draws from a seeded numpy generator, for experiments."""

    def __init__(self, rng: np.random.Generator):
        self._rng = rng

    def chance(self, threshold: int, shape: tuple[int, ...]) -> np.ndarray:
        # The first eight bits decide unless they equal the threshold's: only those few draws
        # need the other 56 bits, and the result is exactly that of a whole word.
        size = math.prod(shape)
        top, rest = divmod(threshold, 2**56)
        first = self.words(-(-size // 8)).view(np.uint8)[:size]
        answer = first < top
        tied = np.flatnonzero(first == top)
        answer[tied] = (self.words(len(tied)) >> np.uint64(8)) < rest
        return answer.reshape(shape)

    def uniform_below(self, bound: int, count: int) -> np.ndarray:
        return self._rng.integers(bound, size=count)

    def words(self, count: int) -> np.ndarray:
        return self._rng.integers(WORD, size=count, dtype=np.uint64)


# The draws an oracle may request from a source of randomness.
Draws = SecureDraws | SimulatedDraws


def odds_threshold(epsilon: float, weight: int, other_weight: int) -> int:
    """Return weight e^epsilon / (weight e^epsilon + others) in units of 2^-64, rounded down.

    Rounded down, likely outcomes are never more likely than e^epsilon allows.

    Parameters
    ----------
    epsilon : float
        Privacy budget.
    weight, other_weight : int
        Numbers of outcomes that are e^epsilon times likelier, and that are not; both at least 1.

    Examples
    --------
    >>> odds_threshold(1.0, 1, 2) / 2**64
    0.5761168847658291
    """
    with decimal.localcontext() as context:
        # 2^64 has 20 digits; 60 digits are enough to round down correctly.
        context.prec = 60
        shrink = (-decimal.Decimal(epsilon)).exp()
        exact = WORD * weight / (weight + other_weight * shrink)
        threshold = int(exact.to_integral_value(decimal.ROUND_FLOOR))
    return min(max(threshold, 1), WORD - 1)


def to_hex(threshold: int) -> str:
    """Return a threshold as 16 hexadecimal digits, for other programs.

    Examples
    --------
    >>> to_hex(odds_threshold(2.0, 1, 3))
    'b6137869fdc8da20'
    """
    return f"{threshold:016x}"


@dataclass(frozen=True)
class ReportForm:
    """The format of an oracle's reports, so that they can be written, checked and counted.

    Attributes
    ----------
    size : int
        Number of different numbers; for a bitmap the number of bits, one per cell.
    bitmap : bool
        Whether a report has a bit per cell, rather than a number. The bit of cell c is bit
        7 - c % 8 of byte c // 8, so cells are in reading order.
    ones : int, optional
        How many bits of every bitmap are 1, if the oracle fixes it; only for bitmaps.
    direct : bool
        Whether a report lists the cells it supports: that of its number, or those of its bits.
        Otherwise `Oracle.support` is needed.
    has_seeds : bool
        Whether an arbitrary 64-bit word belongs to the report; only for numbers that name no cell.

    Examples
    --------
    >>> form = ReportForm(size=10, bitmap=True)
    >>> packed = form.pack(np.array([[1, 0, 0, 0, 0, 0, 0, 0, 1, 0]], dtype=bool))
    >>> form.width, packed.tolist(), form.unpack(packed, None).astype(int).tolist()
    (2, [[128, 128]], [[1, 0, 0, 0, 0, 0, 0, 0, 1, 0]])
    """

    size: int
    bitmap: bool = False
    ones: int | None = None
    direct: bool = True
    has_seeds: bool = False

    @property
    def width(self) -> int:
        """Bytes of a report, without its seed."""
        bits = self.size if self.bitmap else (self.size - 1).bit_length()
        return max(1, -(-bits // 8))

    def pack(self, reports: np.ndarray) -> np.ndarray:
        """Return reports of the oracle as bytes: uint8 of shape (n, width), highest first."""
        if self.bitmap:
            return np.packbits(reports, axis=1)
        numbers = reports[:, 1] if self.has_seeds else reports
        big = numbers.astype(">u8").view(np.uint8).reshape(len(numbers), 8)
        return np.ascontiguousarray(big[:, 8 - self.width :])

    def seeds(self, reports: np.ndarray) -> np.ndarray | None:
        """Return the seed of every report, uint64 (n,), if there are seeds."""
        return reports[:, 0] if self.has_seeds else None

    def unpack(self, packed: np.ndarray, seeds: np.ndarray | None) -> np.ndarray:
        """Return the reports from the results of `pack` and `seeds`."""
        if self.bitmap:
            return np.unpackbits(packed, axis=1, count=self.size).astype(bool)
        big = np.zeros((len(packed), 8), dtype=np.uint8)
        big[:, 8 - self.width :] = packed
        return self.reports_from_numbers(big.view(">u8")[:, 0].astype(np.uint64), seeds)

    def reports_from_numbers(self, numbers: np.ndarray, seeds: np.ndarray | None) -> np.ndarray:
        """Return the reports of the oracle from their numbers and seeds."""
        if seeds is None:
            return numbers.astype(np.int64)
        return np.stack([seeds, numbers.astype(np.uint64)], axis=1)


@dataclass(frozen=True)
class Oracle(ABC):
    """A frequency oracle over a domain of ``size`` values, used by both sides.

    The device calls `perturb` (or `perturb_securely`), the aggregator `support` and `estimate`; one frozen
    object holds the parameters, so the two cannot disagree. A report *supports* a value; it supports the
    user's own value with probability `p`, any other with probability `q`. With a single value nothing is
    secret: p = 1, q = 0, the estimate is 1, its variance 0.

    Parameters
    ----------
    epsilon : float
        Privacy budget of one report, from 1e-12 to 16: it may be one of many parts of a budget.
    size : int
        Number of values of the domain, L.

    References
    ----------
    CALM (Zhang et al., CCS 2018), section 2.
    """

    epsilon: float
    size: int

    # Key in `ORACLES`; the name on screen; one sentence on what it does and where it is best.
    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    # What a device does, in one sentence for the screen: `describe_device` fills in {p}, {q} and
    # {times} (p / q), and other properties as {oracle.attribute}.
    device_text: ClassVar[str]
    # Whether every report supports equally many values; then the noise of a table sums to zero.
    fixed_support: ClassVar[bool]
    # Whether reports support each value independently of the others.
    independent_bits: ClassVar[bool] = False
    # The most values it can serve in reasonable time and memory.
    largest: ClassVar[int] = MAX_CELLS
    # Whether there are few enough different reports to count. Then `symbols`, `number`, `likelihoods`
    # and `support_from_counts` are implemented, which EM uses.
    countable: ClassVar[bool] = False

    def __post_init__(self):
        epsilon = check_epsilon(self.epsilon, least=EPSILON_PART)
        set_fields(self, epsilon=epsilon, size=check_count("size", self.size, high=MAX_CELLS))
        if self.size > self.largest:
            raise InfeasibleError(
                f"size ({self.size:,}) must be at most {self.largest:,} for the oracle "
                f"{self.name!r}; choose another oracle or fewer cells",
                remedies=[("oracle", "adaptive"), *FEWER_CELLS],
            )

    @property
    def p(self) -> float:
        """Probability that a report supports the user's own value."""
        return self._chances[0]

    @property
    def q(self) -> float:
        """Probability that a report supports a given other value."""
        return self._chances[1]

    @property
    def gap(self) -> float:
        """p - q, computed without cancellation: it is tiny where epsilon is."""
        return self._chances[2]

    @cached_property
    def _chances(self) -> tuple[float, float, float]:
        return self._probabilities() if self.size > 1 else (1.0, 0.0, 1.0)

    @abstractmethod
    def _probabilities(self) -> tuple[float, float, float]:
        """Return p, q and p - q, for at least two values."""

    @property
    @abstractmethod
    def form(self) -> ReportForm:
        """The format of a report in a file, and how reports from outside are validated."""

    @property
    def sets(self) -> frozenset[tuple[int, ...]] | None:
        """Sets of positions in a view whose interactions the reports measure; None for all of them."""
        return None

    @property
    @abstractmethod
    def device(self) -> Mapping[str, int | str | list[int]]:
        """Parameters of `device.js` besides `size`; thresholds are 16 hex digits."""

    @abstractmethod
    def _randomize(self, values: np.ndarray, draws: Draws) -> np.ndarray:
        """Return the reports of checked values (n,)."""

    @abstractmethod
    def _support(self, reports: np.ndarray) -> np.ndarray:
        """Return the support counts (L,) of an array of reports, after checking them."""

    def _simulate(self, true_counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return support counts (groups, L) for checked true counts (groups, L); here for `independent_bits`."""
        # Each cell is two binomials: its own users and all the others.
        others = true_counts.sum(axis=1, keepdims=True) - true_counts
        return rng.binomial(true_counts, self.p) + rng.binomial(others, self.q)

    @property
    def symbols(self) -> int:
        """Number of different reports, if they are `countable`."""
        raise NotImplementedError(f"the reports of {self.name} are not countable")

    def number(self, reports: np.ndarray) -> np.ndarray:
        """Return the number of each report among the `symbols`, int64 (n,), if they are `countable`."""
        raise NotImplementedError(f"the reports of {self.name} are not countable")

    def likelihoods(self) -> np.ndarray:
        """Return the probability of every report given every value, (symbols, L), if `countable`.

        Examples
        --------
        >>> from calm_core.oracles import GRR
        >>> GRR(epsilon=1.0, size=2).likelihoods().round(3).tolist()
        [[0.731, 0.269], [0.269, 0.731]]
        """
        raise NotImplementedError(f"the reports of {self.name} are not countable")

    def support_from_counts(self, counts: np.ndarray) -> np.ndarray:
        """Return the support counts given the count of each numbered report, (symbols,)."""
        raise NotImplementedError(f"the reports of {self.name} are not countable")

    def perturb(self, values: np.ndarray, *, rng: np.random.Generator) -> np.ndarray:
        """Return one simulated report per user.

        Parameters
        ----------
        values : int array (n,)
            Each user's value, 0..L-1. Anything else is refused: it would be sent unperturbed.
        rng : numpy Generator
            Source of randomness; reports of real people come from `perturb_securely`.

        Returns
        -------
        array, first axis n
            The reports, in the format of the class.
        """
        return self._randomize(self._check_values(values), SimulatedDraws(check_rng(rng)))

    def perturb_securely(self, value: int) -> np.ndarray:
        """Return the report of one real person, drawn with the operating system's generator.

        The report is one row of what `perturb` returns; ``np.stack`` makes reports of several.
        """
        return self._randomize(self._check_values(np.array([value])), SecureDraws())[0]

    def support(self, reports: np.ndarray) -> np.ndarray:
        """Return how many of the reports support each value, int64 (L,).

        Reports come from outside, so a malformed one is refused with a DataError. Support counts of disjoint
        sets of reports add up.
        """
        return self._support(np.asarray(reports))

    def supports(self, reports: np.ndarray, values: np.ndarray | None = None) -> np.ndarray:
        """Return whether each report supports each of some values, bool (n, number of values).

        Parameters
        ----------
        reports : array, first axis n
            As for `support`.
        values : int array, optional
            The values; by default all.

        Examples
        --------
        >>> from calm_core.oracles import GRR
        >>> GRR(epsilon=1.0, size=4).supports(np.array([1, 0, 3]), np.array([0, 1])).astype(int).tolist()
        [[0, 1], [1, 0], [0, 0]]
        """
        columns = np.arange(self.size) if values is None else self._check_values(values)
        return self._supports(np.asarray(reports), columns)

    def _supports(self, reports: np.ndarray, values: np.ndarray) -> np.ndarray:
        """As `supports`, for reports that list what they support."""
        if self.form.bitmap:
            return self._check_masks(reports)[:, values]
        self._check_range(reports, "reports", self.form.size)
        return reports[:, np.newaxis] == values

    def add_support(self, reports: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> None:
        """Add the support counts of reports of many groups to one long array.

        Parameters
        ----------
        reports : array, first axis n
            As for `support`.
        starts : int64 array (n,)
            Start of the L counts of each report's group.
        counts : int64 array
            The counts are added here.

        Examples
        --------
        >>> from calm_core.oracles import GRR
        >>> counts = np.zeros(4, dtype=np.int64)
        >>> GRR(epsilon=1.0, size=2).add_support(np.array([1, 0, 1]), np.array([2, 0, 2]), counts)
        >>> counts.tolist()
        [1, 0, 0, 2]
        """
        reports = np.asarray(reports)
        for start in np.unique(starts):
            counts[start : start + self.size] += self._support(reports[starts == start])

    def simulate(self, true_counts: np.ndarray, *, rng: np.random.Generator) -> np.ndarray:
        """Return support counts with exactly the distribution of per-user reports.

        Parameters
        ----------
        true_counts : int array (..., L)
            Number of users with each value, per group; leading axes are independent groups.
        rng : numpy Generator
            Source of randomness.

        Returns
        -------
        int64 array (..., L)
            As ``support(perturb(values))`` for each group, at a cost independent of n.
        """
        counts = self._check_counts(true_counts)
        check_rng(rng)
        if self.size == 1:
            return counts.copy()
        return self._simulate(counts.reshape(-1, self.size), rng).reshape(counts.shape)

    def estimate(self, support: np.ndarray, n: int | np.ndarray) -> np.ndarray:
        """Return the unbiased estimate of the fractions: (support / n - q) / (p - q).

        Neither clipped nor rescaled: cells may be negative and need not sum to 1.

        Parameters
        ----------
        support : array (..., L)
            Support counts.
        n : int or array (...)
            Reports of each group, at least 1.
        """
        reports = _check_reports_count(n)
        fractions = np.asarray(support) / reports[..., np.newaxis]
        return (fractions - self.q) / self.gap

    def variance(self, n: float | np.ndarray, f: float | np.ndarray = 0.0) -> float | np.ndarray:
        """Return the exact variance of one estimated cell with true fraction ``f``.

        ``[f p (1-p) + (1-f) q (1-q)] / (n (p-q)^2)``, for the users' values held fixed. ``n`` and
        ``f`` broadcast against each other; f = 1 / L gives the mean over the cells of any table.
        """
        p, q = self.p, self.q
        fraction = np.asarray(f, dtype=float)
        spread = fraction * p * (1 - p) + (1 - fraction) * q * (1 - q)
        answer = spread / (_check_reports_count(n) * self.gap**2)
        return float(answer) if answer.ndim == 0 else answer

    def contrast_variance(self, n: int | np.ndarray) -> float | np.ndarray:
        """Return the mean variance of a normalized contrast: the uncertainty once the total is known.

        A table's total is known to be 1, so only its L - 1 orthonormal contrasts are uncertain. If every report
        supports equally many values, all of the noise is in the contrasts; otherwise a share 1 / L of it is in
        the total and is removed with it.
        """
        cell = self.variance(n, 1 / self.size)
        return cell * self.size / (self.size - 1) if self.fixed_support and self.size > 1 else cell

    def value_variance(self, n: int | np.ndarray) -> float | np.ndarray:
        """Return the part B of a contrast's variance that depends on the table.

        A contrast c of the estimates (coefficients of the cells that sum to 0) has the variance
        ``A sum c(y)^2 + B sum f(y) c(y)^2`` for true fractions f, whatever the oracle; for f = 1 / L it is
        `contrast_variance`. Two contrasts have the covariance with products instead of squares.

        Examples
        --------
        For randomized response with a large epsilon it is nearly half the mean variance:

        >>> from calm_core.oracles import GRR
        >>> oracle = GRR(epsilon=4.0, size=4)
        >>> share = oracle.value_variance(100) / oracle.contrast_variance(100)
        >>> round(share / oracle.size, 3)
        0.482
        """
        own, other = self.p * (1 - self.p), self.q * (1 - self.q)
        difference = own - other
        if self.fixed_support and self.size > 1:
            # A report always supports equally many cells: covariances balance variances in every row.
            mixed = -own / (self.size - 1)
            between = -(other + mixed) / (self.size - 2) if self.size > 2 else 0.0
            difference += 2 * (between - mixed)
        answer = difference / (_check_reports_count(n) * self.gap**2)
        return float(answer) if np.ndim(answer) == 0 else answer

    def describe_device(self, share: Callable[[float], str]) -> str:
        """Return what a device does, in one sentence; `share` formats a probability.

        Examples
        --------
        >>> from calm_core.oracles import GRR
        >>> GRR(epsilon=1.0, size=2 * 3).describe_device("{:.0%}".format)
        'The device sends the true cell with chance 35%, each other cell with chance 13%: 2.7 times less.'
        """
        times = f"{self.p / self.q:.1f}" if self.q else "ever so many"
        return self.device_text.format(p=share(self.p), q=share(self.q), times=times, oracle=self)

    def _check_values(self, values: np.ndarray) -> np.ndarray:
        array = np.asarray(values)
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise InputError(
                f"values ({array.dtype} array of shape {array.shape}) must be a one-dimensional "
                "integer array; pass one code per person"
            )
        self._check_range(array, "values", self.size)
        return array.astype(np.int64, copy=False)

    def _check_range(self, array: np.ndarray, what: str, bound: int) -> None:
        if array.size and (array.min() < 0 or array.max() >= bound):
            worst = array.min() if array.min() < 0 else array.max()
            raise DataError(
                f"{what} ({worst}) must be from 0 to {bound - 1:,}; "
                "leave out or recode anything else before it is reported"
            )

    def _check_counts(self, true_counts: np.ndarray) -> np.ndarray:
        array = np.asarray(true_counts)
        if array.dtype.kind not in "iu" or array.ndim == 0 or array.shape[-1] != self.size:
            raise InputError(
                f"true_counts ({array.dtype} array of shape {array.shape}) must be an integer "
                f"array whose last axis has length {self.size:,}; count the people of each value"
            )
        if array.size and array.min() < 0:
            raise InputError(f"true_counts ({array.min()}) must not be negative; count people")
        return array.astype(np.int64, copy=False)

    def _check_masks(self, reports: np.ndarray) -> np.ndarray:
        """Return reports (n, L) of zeros and ones as booleans."""
        if reports.ndim != 2 or reports.shape[1] != self.size or reports.dtype.kind not in "biu":
            refuse_reports(reports, f"an array of zeros and ones of shape (n, {self.size})")
        if reports.dtype != bool:
            self._check_range(reports, "reports", 2)
        return reports.astype(bool, copy=False)


def refuse_reports(reports: np.ndarray, expected: str) -> NoReturn:
    """Refuse an array of reports that is not what an oracle wants."""
    raise DataError(
        f"reports ({reports.dtype} array of shape {reports.shape}) must be {expected}; pass them as they were sent"
    )


def _check_reports_count(n: float | np.ndarray) -> np.ndarray:
    array = np.asarray(n)
    if array.dtype.kind not in "iuf" or not np.all(array >= 1):
        raise InputError(f"n ({n}) must be at least 1; a group without reports tells nothing")
    return array
