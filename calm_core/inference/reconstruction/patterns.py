"""The constraints that views put on a set of attributes, and the positions of their cells."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from calm_core._checks import as_readonly
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal, transform_contrasts

_CACHED_CELLS = 1 << 16


@dataclass(frozen=True, eq=False)
class Pattern:
    """The shape of one reconstruction, shared by all queries with the same constraints on their axes.

    Attributes
    ----------
    sizes : tuple of int
        Shape of the table that is wanted.
    masks : tuple of int
        One constraint each: bit i is set if axis i is in it. None contains another.
    """

    sizes: tuple[int, ...]
    masks: tuple[int, ...]

    @property
    def cells(self) -> int:
        """Number of cells of the table."""
        return math.prod(self.sizes)

    def axes(self, mask: int) -> tuple[int, ...]:
        """Return the axes in a constraint."""
        return tuple(i for i in range(len(self.sizes)) if mask >> i & 1)

    def _shape(self, mask: int) -> tuple[int, ...]:
        return tuple(self.sizes[i] for i in self.axes(mask))

    @cached_property
    def starts(self) -> np.ndarray:
        """Start of each constraint in the vector of all targets; the last entry is its end."""
        counts = [math.prod(self._shape(mask)) for mask in self.masks]
        return as_readonly(np.cumsum([0, *counts]))

    @cached_property
    def maps(self) -> np.ndarray:
        """Index in the vector of targets to which each cell contributes, shape (constraints, cells)."""
        every = np.indices(self.sizes).reshape(len(self.sizes), -1)
        maps = np.empty((len(self.masks), self.cells), dtype=np.int32)
        for row, mask, start in zip(maps, self.masks, self.starts):
            row[:] = start + np.ravel_multi_index(every[list(self.axes(mask))], self._shape(mask))
        return as_readonly(maps)

    @cached_property
    def known_coefficients(self) -> np.ndarray:
        """Coefficients of the table that the constraints fix, except the total."""
        digits = np.indices(self.sizes).reshape(len(self.sizes), -1) > 0
        support = (digits.T @ (1 << np.arange(len(self.sizes)))).astype(np.int64)
        inside = np.zeros(self.cells, dtype=bool)
        for mask in self.masks:
            inside |= (support & ~mask) == 0
        return as_readonly(np.flatnonzero(inside & (support > 0)))

    def split(self, targets: np.ndarray) -> list[np.ndarray]:
        """Split targets of shape (q, all cells) by constraint, each in a shape that broadcasts to the table."""
        parts = []
        for mask, low, high in zip(self.masks, self.starts, self.starts[1:]):
            shape = [size if mask >> i & 1 else 1 for i, size in enumerate(self.sizes)]
            parts.append(targets[:, low:high].reshape(len(targets), *shape))
        return parts

    def sums(self, tables: np.ndarray) -> np.ndarray:
        """Return the projections of tables (q, cells) on all constraints, shape (q, all targets)."""
        shaped = tables.reshape(len(tables), *self.sizes)
        found = np.empty((len(tables), self.starts[-1]))
        for mask, low, high in zip(self.masks, self.starts, self.starts[1:]):
            out = tuple(1 + i for i in range(len(self.sizes)) if not mask >> i & 1)
            found[:, low:high] = shaped.sum(axis=out).reshape(len(tables), -1)
        return found

    def coefficients(self, targets: np.ndarray) -> np.ndarray:
        """The `known` coefficients of the wanted tables, from targets of shape (q, all cells)."""
        found = np.zeros((len(targets), *self.sizes))
        seen = np.zeros(self.sizes)
        for mask, low, high in zip(self.masks, self.starts, self.starts[1:]):
            shape = self._shape(mask)
            own = transform_contrasts(targets[:, low:high], shape) / math.sqrt(
                self.cells / math.prod(shape)
            )
            corner = tuple(slice(None) if mask >> i & 1 else 0 for i in range(len(self.sizes)))
            found[(slice(None), *corner)] += own.reshape(len(targets), *shape)
            seen[corner] += 1
        mean = found.reshape(len(targets), -1) / np.maximum(seen, 1).ravel()
        return mean[:, self.known_coefficients]


@lru_cache(maxsize=512)
def _small_pattern(sizes: tuple[int, ...], masks: tuple[int, ...]) -> Pattern:
    return Pattern(sizes, masks)


def pattern_of(sizes: tuple[int, ...], masks: tuple[int, ...]) -> Pattern:
    """The pattern, kept for the next query where it is small."""
    small = math.prod(sizes) * max(1, len(masks)) <= _CACHED_CELLS
    return _small_pattern(sizes, masks) if small else Pattern(sizes, masks)


def maximal_masks(masks: Sequence[int]) -> tuple[int, ...]:
    """The bit sets that no other one contains, largest first; the empty set is left out.

    Examples
    --------
    >>> maximal_masks([0b001, 0b011, 0b110, 0b010])
    (3, 6)
    """
    kept: list[int] = []
    for mask in sorted(set(masks), key=lambda m: (-m.bit_count(), m)):
        if mask and not any(mask & larger == mask for larger in kept):
            kept.append(mask)
    return tuple(kept)


class ViewIndex:
    """Looks up tables by attributes: which view covers a set, and its projection on it.

    Parameters
    ----------
    domain : Domain
        All d attributes.
    tables : sequence of Marginal
        m views that agree with each other.
    """

    def __init__(self, domain: Domain, tables: Sequence[Marginal]):
        self.domain = domain
        # Small views first: the first that covers a set is the fastest to sum.
        self.tables = tuple(sorted(tables, key=lambda table: table.values.size))
        self.holds = np.zeros((len(self.tables), domain.d), dtype=bool)
        for row, table in zip(self.holds, self.tables):
            row[list(domain.positions(table.attrs))] = True
        self._projections: dict[tuple[int, ...], np.ndarray] = {}

    def masks(self, at: tuple[int, ...]) -> np.ndarray:
        """Return for each view the attributes of a query it contains: bit i stands for position at[i]."""
        return self.holds[:, at] @ (1 << np.arange(len(at), dtype=np.int64))

    def views_containing(self, at: tuple[int, ...]) -> np.ndarray:
        """Return the indices of the views that contain all of some positions, the smallest first."""
        return np.flatnonzero(self.holds[:, at].all(axis=1))

    def projection(self, at: tuple[int, ...]) -> np.ndarray:
        """Return the flat marginal over covered positions, from the smallest view that covers them."""
        found = self._projections.get(at)
        if found is None:
            table = self.tables[int(self.holds[:, at].all(axis=1).argmax())]
            out = tuple(
                axis for axis, i in enumerate(self.domain.positions(table.attrs)) if i not in at
            )
            found = self._projections[at] = as_readonly(table.values.sum(axis=out).ravel())
        return found

    def bounds(self, at: tuple[int, ...]) -> tuple[Pattern, np.ndarray, np.ndarray]:
        """Return the smallest and largest value of any view for every cell of every set it shares with `at`.

        Unlike the maximal constraints, these apply to views that disagree. Only totals are corrected to 1.

        Returns
        -------
        (Pattern, low, high)
            A pattern whose masks may contain each other; low and high of its targets.
        """
        pattern = Pattern(
            tuple(self.domain.sizes[i] for i in at),
            tuple(mask for mask in np.unique(self.masks(at)).tolist() if mask),
        )
        low = np.full(pattern.starts[-1], np.inf)
        high = -low
        local = self.masks(at)
        for mask, start, stop in zip(pattern.masks, pattern.starts, pattern.starts[1:]):
            wanted = {at[i] for i in pattern.axes(mask)}
            for v in np.flatnonzero(local == mask):
                table = self.tables[v]
                held = self.domain.positions(table.attrs)
                out = tuple(axis for axis, i in enumerate(held) if i not in wanted)
                claim = table.values.sum(axis=out).ravel()
                claim = claim + (1 - claim.sum()) / claim.size
                np.minimum(low[start:stop], claim, out=low[start:stop])
                np.maximum(high[start:stop], claim, out=high[start:stop])
        return pattern, low, high
