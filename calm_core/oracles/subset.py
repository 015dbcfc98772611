"""Subset selection: send a few values, among which the true one is likelier."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from calm_core.errors import DataError
from calm_core.oracles.base import Draws, Oracle, ReportForm, odds_threshold, to_hex
from calm_core.randomness import draw_without_replacement


@dataclass(frozen=True)
class SubsetSelection(Oracle):
    """Subset selection. A report is a set of w values; reports are boolean masks (n, L).

    A set that contains the true value is e^epsilon times likelier than one that does not, so it contains it
    with probability ``p = w e^epsilon / (w e^epsilon + L - w)``; the rest of the set is uniform. With w = 1
    this is GRR. Not in the papers, and never worse than GRR and OUE.

    Parameters
    ----------
    epsilon, size
        See `Oracle`.

    References
    ----------
    Ye and Barg, IEEE Transactions on Information Theory 64 (2018); Wang et al., 2016.

    Examples
    --------
    A table of 2 x 3 values has six cells:

    >>> import numpy as np
    >>> oracle = SubsetSelection(epsilon=1.0, size=2 * 3)
    >>> oracle.width, round(oracle.p, 4), round(oracle.q, 4)
    (2, 0.5761, 0.2848)
    >>> reports = oracle.perturb(np.array([0, 0, 3, 5]), rng=np.random.default_rng(0))
    >>> reports.sum(axis=1)
    array([2, 2, 2, 2])
    """

    name: ClassVar[str] = "subset"
    title: ClassVar[str] = "Subset selection (SS)"
    summary: ClassVar[str] = (
        "Sends a set of cells that is likely to contain the true one; never worse than the other "
        "oracles."
    )
    device_text: ClassVar[str] = (
        "The device sends a set of {oracle.width} cells. The true one is among them with chance "
        "{p}, each other one with chance {q}."
    )
    fixed_support: ClassVar[bool] = True
    # Reports and their simulation grow with L w, which is nearly L^2.
    largest: ClassVar[int] = 2**16

    @cached_property
    def width(self) -> int:
        """Number of values in a report, w: L / (e^epsilon + 1) rounded to the less variance."""
        if self.size == 1:
            return 1
        shrink = math.exp(-self.epsilon)
        ideal = self.size * shrink / (1 + shrink)
        nearest = {min(max(w, 1), self.size - 1) for w in (int(ideal), int(ideal) + 1)}
        return min(sorted(nearest), key=self._total_variance)

    def _probabilities(self) -> tuple[float, float, float]:
        return self._probabilities_of(self.width)

    def _probabilities_of(self, width: int) -> tuple[float, float, float]:
        """Return p, q and p - q for reports of `width` values."""
        others = self.size - width
        shrink = math.exp(-self.epsilon)
        p = width / (width + others * shrink)
        # q = (w - p) / (L - 1), rearranged so that nothing cancels.
        q = p * (width - 1 + others * shrink) / (self.size - 1)
        return p, q, -math.expm1(-self.epsilon) * p * others / (self.size - 1)

    def _total_variance(self, width: int) -> float:
        """Return the variance summed over the cells; the same for every table."""
        p, q, gap = self._probabilities_of(width)
        return (p * (1 - p) + (self.size - 1) * q * (1 - q)) / gap**2

    @cached_property
    def _hold(self) -> int:
        return odds_threshold(self.epsilon, self.width, self.size - self.width)

    @property
    def form(self) -> ReportForm:
        return ReportForm(self.size, bitmap=True, ones=self.width)

    @property
    def device(self) -> dict[str, int | str]:
        return {"width": self.width, "hold": to_hex(self._hold)}

    def _randomize(self, values: np.ndarray, draws: Draws) -> np.ndarray:
        if self.size == 1:
            return np.ones((len(values), 1), dtype=bool)
        masks = np.zeros((len(values), self.size), dtype=bool)
        flat, start = masks.reshape(-1), np.arange(len(values)) * self.size
        hold = draws.chance(self._hold, values.shape)
        flat[start + values] = hold
        # Floyd's algorithm for a uniform subset of the others: step j adds one of the first j + 1, or
        # the last of them if that one is already taken. A set with the true value needs one fewer,
        # so it starts one step later.
        first = self.size - 1 - self.width
        for j in range(first, self.size - 1):
            pick = draws.uniform_below(j + 1, len(values))
            pick += pick >= values
            last = j + (j >= values)
            pick = start + np.where(flat[start + pick], last, pick)
            flat[pick if j > first else pick[~hold]] = True
        return masks

    def _support(self, reports: np.ndarray) -> np.ndarray:
        masks = self._check_masks(reports)
        if np.any(np.count_nonzero(masks, axis=1) != self.width):
            raise DataError(
                f"reports must hold {self.width} values each; pass them as they were sent"
            )
        return np.count_nonzero(masks, axis=0).astype(np.int64, copy=False)

    def _simulate(self, true_counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Walk over the values, counting users by how many values they have still to take.

        A set is with probability ``p (1 - e^-epsilon)`` uniform among those that hold the true
        value ("truthful"), otherwise uniform among all. A user with r values still to take out of
        a remaining takes the next with probability r / a, so only the number of users with each r
        matters. Truthful users skip their own value; until it comes they are exchangeable, and
        which of them own it is a draw without replacement. At most 3 L w draws, whatever n is.
        """
        truthful = rng.binomial(true_counts, -math.expm1(-self.epsilon) * self.p)
        support = truthful.copy()
        # Users by values still to take: own value still to come; own value past, or none.
        waiting, free = np.zeros((2, len(true_counts), self.width + 1), dtype=np.int64)
        waiting[:, -2] = truthful.sum(axis=1)
        free[:, -1] = (true_counts - truthful).sum(axis=1)
        low, high = self.width - 1, self.width + 1
        for value, ahead in enumerate(range(self.size, 0, -1)):
            # Only the numbers still to take that somebody has; a step can add one below.
            low = max(low - 1, 0)
            to_take, groups = np.arange(low, high), (waiting[:, low:high], free[:, low:high])
            owners = draw_without_replacement(groups[0], truthful[:, value], rng=rng)
            groups[0][:] -= owners
            for users, available in zip(groups, (ahead - 1, ahead), strict=True):
                taken = rng.binomial(users, np.minimum(to_take / max(available, 1), 1))
                support[:, value] += taken.sum(axis=1)
                users -= taken
                users[:, :-1] += taken[:, 1:]
            groups[1][:] += owners
            occupied = np.flatnonzero((groups[0] + groups[1]).any(axis=0))
            low, high = (low + occupied[0], low + occupied[-1] + 1) if occupied.size else (0, 1)
        return support
