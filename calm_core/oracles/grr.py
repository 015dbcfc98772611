"""Generalized randomized response: send the true value, or sometimes another one."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from calm_core.oracles.base import Draws, Oracle, ReportForm, odds_threshold, refuse_reports, to_hex


@dataclass(frozen=True)
class GRR(Oracle):
    """Generalized randomized response. A report is one value, an int64; reports have shape (n,).

    The true value is sent with probability ``p = e^epsilon / (e^epsilon + L - 1)``, each other
    value with ``q = 1 / (e^epsilon + L - 1)``. Best for small domains.

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
    >>> oracle = GRR(epsilon=1.0, size=2 * 3)
    >>> round(oracle.p, 4), round(oracle.q, 4)
    (0.3522, 0.1296)
    >>> reports = oracle.perturb(np.array([0, 0, 3, 5]), rng=np.random.default_rng(0))
    >>> oracle.support(reports).sum()
    np.int64(4)
    """

    name: ClassVar[str] = "grr"
    title: ClassVar[str] = "Randomized response (GRR)"
    summary: ClassVar[str] = "Sends the true cell, or sometimes another one; best for small tables."
    device_text: ClassVar[str] = (
        "The device sends the true cell with chance {p}, each other cell with chance {q}: "
        "{times} times less."
    )
    fixed_support: ClassVar[bool] = True
    countable: ClassVar[bool] = True

    def _probabilities(self) -> tuple[float, float, float]:
        shrink = math.exp(-self.epsilon)
        p = 1 / (1 + (self.size - 1) * shrink)
        return p, shrink * p, -math.expm1(-self.epsilon) * p

    @cached_property
    def keep(self) -> int:
        """Probability that the true value is sent, exactly, in units of 2^-64.

        Examples
        --------
        >>> f"{GRR(epsilon=2.0, size=4).keep:016x}"
        'b6137869fdc8da20'
        """
        return odds_threshold(self.epsilon, 1, self.size - 1)

    @property
    def form(self) -> ReportForm:
        return ReportForm(self.size)

    @property
    def device(self) -> dict[str, int | str]:
        return {"keep": to_hex(self.keep)}

    def _randomize(self, values: np.ndarray, draws: Draws) -> np.ndarray:
        if self.size == 1:
            return np.zeros(len(values), dtype=np.int64)
        keep = draws.chance(self.keep, values.shape)
        other = draws.uniform_below(self.size - 1, len(values))
        other += other >= values
        return np.where(keep, values, other)

    def _support(self, reports: np.ndarray) -> np.ndarray:
        if reports.ndim != 1 or reports.dtype.kind not in "iu":
            refuse_reports(reports, "a one-dimensional integer array")
        self._check_range(reports, "reports", self.size)
        return np.bincount(reports, minlength=self.size).astype(np.int64, copy=False)

    def _simulate(self, true_counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        # A report is the truth with probability p - q and otherwise uniform over all L values
        # (which adds q to every value, the true one too): the uniform ones of all users of a
        # group are a single multinomial draw.
        truthful = rng.binomial(true_counts, self.gap)
        uniform = (true_counts - truthful).sum(axis=1)
        return truthful + rng.multinomial(uniform, np.full(self.size, 1 / self.size))

    @property
    def symbols(self) -> int:
        """A report is one of the values."""
        return self.size

    def number(self, reports: np.ndarray) -> np.ndarray:
        """Return the value that is sent."""
        return reports

    def likelihoods(self) -> np.ndarray:
        """Return p where the value sent is the true one, else q."""
        return np.where(np.eye(self.size, dtype=bool), self.p, self.q)

    def support_from_counts(self, counts: np.ndarray) -> np.ndarray:
        """A report supports the value it names."""
        return counts
