"""Parities of answers: report whether answers agree, instead of the answers themselves."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from calm_core.errors import InputError
from calm_core.oracles.base import Draws, Oracle, ReportForm
from calm_core.oracles.grr import GRR


@lru_cache(maxsize=256)
def _all_sums(parities: tuple[tuple[int, ...], ...]) -> frozenset[tuple[int, ...]]:
    """Return all sums modulo 2 of some of the sets, without the empty one."""
    sums = {frozenset()}
    for parity in parities:
        sums |= {subset ^ frozenset(parity) for subset in sums}
    return frozenset(tuple(sorted(subset)) for subset in sums if subset)


@dataclass(frozen=True)
class Parity(Oracle):
    """Randomized response on parities. A report is a number of bits, one per parity, an int64.

    The cells are those of a view of attributes with two values each. A parity is the sum of some of the
    answers, modulo 2; all of them together assign every cell to one of 2^b classes, and GRR sends the class.
    The reports measure the interactions of the sets of attributes in `sets`, the parities and all their sums
    modulo 2, and no others: the parities (0, 1) and (1, 2) of three attributes measure all three pairs,
    without spending anything on single attributes. A report supports the cells of its class, and the estimate
    divides the share of a class equally among them.

    Parameters
    ----------
    epsilon, size
        See `Oracle`; the size is a power of two.
    parities : tuple of tuple of int
        Attributes of every parity, by position in the view; none is the sum of others.

    Raises
    ------
    InputError
        If the size is no power of two or the parities do not name sets of its attributes.

    References
    ----------
    Every pure randomizer, averaged over relabelings, is a mixture over sets of cells; a convex program
    over such sets showed that these cosets are useful.

    Examples
    --------
    >>> oracle = Parity(epsilon=1.0, size=8, parities=((0, 1), (1, 2)))
    >>> oracle.classes.tolist(), sorted(oracle.sets)
    ([0, 1, 3, 2, 2, 3, 1, 0], [(0, 1), (0, 2), (1, 2)])
    >>> oracle.estimate(oracle.support(np.array([0, 0, 3])), 3).round(2).tolist()
    [0.82, -0.29, 0.26, -0.29, -0.29, 0.26, -0.29, 0.82]
    """

    parities: tuple[tuple[int, ...], ...]

    name: ClassVar[str] = "parity"
    title: ClassVar[str] = "Parities"
    summary: ClassVar[str] = (
        "Sends which answers agree, or now and then something else; nothing is spent on single answers."
    )
    device_text: ClassVar[str] = (
        "The device adds up some answers modulo 2 and sends the true sums with chance {p}, "
        "any other ones with chance {q}: {times} times less."
    )
    fixed_support: ClassVar[bool] = True

    def __post_init__(self):
        super().__post_init__()
        if self.size & (self.size - 1):
            raise InputError(
                f"size ({self.size}) must be a power of two, as of attributes of two values"
            )
        attributes = self.size.bit_length() - 1
        try:
            parities = tuple(tuple(map(int, parity)) for parity in self.parities)
        except (TypeError, ValueError):
            parities = ()
        for parity in parities:
            if (
                sorted(set(parity)) != list(parity)
                or not parity
                or not 0 <= parity[0] <= parity[-1] < attributes
            ):
                raise InputError(
                    f"parities ({self.parities}) must be sets of places from 0 to {attributes - 1}, ascending"
                )
        object.__setattr__(self, "parities", parities)
        if not parities or len(self.sets) + 1 < 2 ** len(parities):
            raise InputError(
                f"parities ({self.parities}) must be at least one, none the sum of others"
            )

    @property
    def sets(self) -> frozenset[tuple[int, ...]]:
        """The sets of positions whose interactions the reports measure: all sums of parities."""
        return _all_sums(self.parities)

    @cached_property
    def classes(self) -> np.ndarray:
        """The class of every cell, int64 (L,): one bit per parity, the first highest."""
        attributes = self.size.bit_length() - 1
        bits = np.arange(self.size)[:, None] >> np.arange(attributes)[::-1] & 1
        found = np.zeros(self.size, dtype=np.int64)
        for parity in self.parities:
            found = 2 * found + bits[:, list(parity)].sum(axis=1) % 2
        return found

    @cached_property
    def class_oracle(self) -> GRR:
        """The oracle that randomizes the class."""
        return GRR(self.epsilon, 2 ** len(self.parities))

    @property
    def cells_per_class(self) -> int:
        """Number of cells in a class."""
        return self.size // self.class_oracle.size

    def _probabilities(self) -> tuple[float, float, float]:
        classes = self.class_oracle
        return classes.p, classes.q, classes.gap * self.cells_per_class

    @property
    def form(self) -> ReportForm:
        return ReportForm(self.class_oracle.size, direct=False)

    @property
    def device(self) -> Mapping[str, int | str | list[int]]:
        top = self.size.bit_length() - 2
        masks = [sum(1 << top - place for place in parity) for parity in self.parities]
        return {"parities": masks, **self.class_oracle.device}

    def variance(self, n: float | np.ndarray, f: float | np.ndarray = 0.0) -> float | np.ndarray:
        """As `Oracle.variance`, for a cell whose whole class has the fraction `f` for every cell."""
        return super().variance(n, np.minimum(np.asarray(f) * self.cells_per_class, 1.0))

    def contrast_variance(self, n: int | np.ndarray) -> float | np.ndarray:
        """Return the mean variance of a normalized contrast of the `sets`; others are not measured."""
        return self.class_oracle.contrast_variance(n) / self.cells_per_class

    def value_variance(self, n: int | np.ndarray) -> float | np.ndarray:
        """As `Oracle.value_variance`: a contrast of the `sets` is one of the classes."""
        return self.class_oracle.value_variance(n)

    def add_support(self, reports: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> None:
        """As `Oracle.add_support`, of all groups at once."""
        reports = np.asarray(reports)
        self._check_range(reports, "reports", self.class_oracle.size)
        first, group = np.unique(starts, return_inverse=True)
        counts_of_classes = np.bincount(
            group * self.class_oracle.size + reports, minlength=len(first) * self.class_oracle.size
        )
        cells = first[:, None] + np.arange(self.size)
        counts[cells] += counts_of_classes.reshape(len(first), -1)[:, self.classes]

    def _randomize(self, values: np.ndarray, draws: Draws) -> np.ndarray:
        return self.class_oracle._randomize(self.classes[values], draws)

    def _support(self, reports: np.ndarray) -> np.ndarray:
        return self.class_oracle._support(reports)[self.classes]

    def _supports(self, reports: np.ndarray, values: np.ndarray) -> np.ndarray:
        return self.class_oracle._supports(reports, self.classes[values])

    def _simulate(self, true_counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        inside = self.classes[:, None] == np.arange(self.class_oracle.size)
        return self.class_oracle._simulate(true_counts @ inside, rng)[:, self.classes]
