"""Optimized unary encoding: one noisy bit per value."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from calm_core.oracles.base import HALF, WORD, Draws, Oracle, ReportForm, odds_threshold, to_hex


@dataclass(frozen=True)
class OUE(Oracle):
    """Optimized unary encoding. A report is one bit per value; reports are booleans (n, L).

    The bit of the true value is 1 with probability ``p = 1/2``, every other bit independently
    with ``q = 1 / (e^epsilon + 1)``. The variance does not grow with L: best for large domains.

    Parameters
    ----------
    epsilon, size
        See `Oracle`.

    References
    ----------
    CALM (Zhang et al., CCS 2018), section 2.2.

    Examples
    --------
    A table of 2 x 3 values has six cells:

    >>> import numpy as np
    >>> oracle = OUE(epsilon=1.0, size=2 * 3)
    >>> round(oracle.p, 4), round(oracle.q, 4)
    (0.5, 0.2689)
    >>> oracle.perturb(np.array([0, 0, 3, 5]), rng=np.random.default_rng(0)).shape
    (4, 6)
    """

    name: ClassVar[str] = "oue"
    title: ClassVar[str] = "Unary encoding (OUE)"
    summary: ClassVar[str] = (
        "Sends one noisy bit per cell; its error does not grow with the table, so it is best "
        "for large ones."
    )
    device_text: ClassVar[str] = (
        "The device sends one bit per cell: a coin flip ({p}) for the true cell, a 1 with "
        "chance {q} for each other cell."
    )
    fixed_support: ClassVar[bool] = False
    independent_bits: ClassVar[bool] = True
    countable: ClassVar[bool] = True

    def _probabilities(self) -> tuple[float, float, float]:
        shrink = math.exp(-self.epsilon)
        return 0.5, shrink / (1 + shrink), math.tanh(self.epsilon / 2) / 2

    @cached_property
    def _stray(self) -> int:
        # 1 - e^epsilon / (e^epsilon + 1); the complement is rounded down, so this is rounded up.
        return WORD - odds_threshold(self.epsilon, 1, 1)

    @property
    def form(self) -> ReportForm:
        return ReportForm(self.size, bitmap=True)

    @property
    def device(self) -> dict[str, int | str]:
        return {"stray": to_hex(self._stray)}

    def _randomize(self, values: np.ndarray, draws: Draws) -> np.ndarray:
        if self.size == 1:
            return np.ones((len(values), 1), dtype=bool)
        bits = draws.chance(self._stray, (len(values), self.size))
        bits[np.arange(len(values)), values] = draws.chance(HALF, values.shape)
        return bits

    def _support(self, reports: np.ndarray) -> np.ndarray:
        return np.count_nonzero(self._check_masks(reports), axis=0).astype(np.int64, copy=False)

    @property
    def symbols(self) -> int:
        """A report is a set of bits."""
        return 2**self.size

    @property
    def _bits(self) -> np.ndarray:
        """The bits of every symbol, its number in binary, (symbols, L)."""
        return (np.arange(self.symbols)[:, np.newaxis] >> np.arange(self.size)) & 1

    def number(self, reports: np.ndarray) -> np.ndarray:
        """The bits read as a number, that of value 0 the lowest."""
        return reports @ (1 << np.arange(self.size))

    def likelihoods(self) -> np.ndarray:
        """The chance of the own bit times those of the others."""
        bits, p, q = self._bits, self.p, self.q
        # The other bits are all alike, whichever value is the true one.
        others = bits.sum(axis=1, keepdims=True) - bits
        own = np.where(bits == 1, p, 1 - p)
        return own * q**others * (1 - q) ** (self.size - 1 - others)

    def support_from_counts(self, counts: np.ndarray) -> np.ndarray:
        """A report supports the values whose bits are 1."""
        return counts @ self._bits
