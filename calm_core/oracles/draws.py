"""Sources of the random draws of a report: simulated, or from the operating system.

An oracle randomizes a report with three kinds of draw only, so the code that runs on a real device is the
code that simulates it, and a test can enumerate every outcome. Probabilities are whole 64-bit thresholds:
comparing a 53-bit fraction with a rounded probability would give less privacy than promised.
"""

import decimal
import math
import os
import secrets

import numpy as np

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


def odds_threshold(epsilon: float, weight: int, others: int) -> int:
    """Return weight e^epsilon / (weight e^epsilon + others) in units of 2^-64, rounded down.

    Rounded down, likely outcomes are never more likely than e^epsilon allows.

    Parameters
    ----------
    epsilon : float
        Privacy budget.
    weight, others : int
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
        exact = WORD * weight / (weight + others * shrink)
        whole = int(exact.to_integral_value(decimal.ROUND_FLOOR))
    return min(max(whole, 1), WORD - 1)


def to_hex(threshold: int) -> str:
    """Return a threshold as 16 hexadecimal digits, for other programs.

    Examples
    --------
    >>> to_hex(odds_threshold(2.0, 1, 3))
    'b6137869fdc8da20'
    """
    return f"{threshold:016x}"
