"""The averaging step of consistency: shared coefficients of all views in one pass.

In an orthonormal basis whose first vector is constant along every attribute, a view splits into
one block of coefficients per subset S of its attributes. Divided by the scale of the attributes
outside S, a block belongs to the population and not to the view: it is averaged over all views
that contain S, and put back.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from calm_core._checks import check_choice, readonly
from calm_core.collection.aggregating import NoisyMarginals
from calm_core.inference.nonnegativity import make_nonnegative
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.contrasts import transform
from calm_core.tables.marginal import Marginal

WEIGHTS = ("precision", "equal")
# Of all views together; 24 bytes each.
CACHED_CELLS = 2**16
MAX_CACHED_CELLS = 2_000_000


@dataclass(frozen=True, eq=False)
class _Structure:
    """What consistency needs to know of the views, whatever their tables hold.

    All coefficients of all views stand in one vector, views of one shape beside each other.

    Attributes
    ----------
    groups : tuple of (sizes, views)
        Shape and the indices of the views of that shape.
    block : ndarray of int, shape (cells of all views,)
        Which coefficient of the population each entry is; 0 is the total.
    scale : ndarray, same shape
        sqrt of the number of cells over the attributes that the coefficient does not involve.
    owner : ndarray, same shape
        Index of the view.
    """

    groups: tuple[tuple[tuple[int, ...], np.ndarray], ...]
    block: np.ndarray
    scale: np.ndarray
    owner: np.ndarray


def _index(sizes: tuple[int, ...], views: tuple[tuple[int, ...], ...]) -> _Structure:
    """Index the coefficients of views (positions of attributes) in a domain of these sizes."""
    by_shape: dict[tuple[int, ...], list[int]] = {}
    for index, view in enumerate(views):
        by_shape.setdefault(tuple(sizes[i] for i in view), []).append(index)
    groups = tuple((shape, np.array(index)) for shape, index in by_shape.items())
    ordered = [index for _, members in groups for index in members]
    counts = [math.prod(sizes[i] for i in views[index]) for index in ordered]
    owner = np.repeat(ordered, counts)
    starts = np.cumsum([0, *counts])
    key = np.zeros(starts[-1], dtype=np.int64)
    scale = np.ones(starts[-1])
    bound = 1
    holders: list[list[tuple[int, int, int]]] = [[] for _ in sizes]
    for start, index in zip(starts, ordered):
        for axis, attribute in enumerate(views[index]):
            holders[attribute].append((start, index, axis))
    digits = {
        shape: np.indices(shape, dtype=np.int64).reshape(len(shape), -1) for shape, _ in groups
    }
    for size, held in zip(sizes, holders):
        if bound > 2**62 // size:
            _, key = np.unique(key, return_inverse=True)
            bound = int(key.max()) + 1
        key *= size
        bound *= size
        for start, index, axis in held:
            digit = digits[tuple(sizes[i] for i in views[index])][axis]
            part = slice(start, start + len(digit))
            key[part] += digit
            scale[part] *= np.where(digit, 1.0, math.sqrt(size))
    _, block = np.unique(key, return_inverse=True)
    return _Structure(groups, readonly(block), readonly(scale), readonly(owner))


# Sixteen large ones could weigh gigabytes: of those the last is kept, for the next collection with its plan; not
# what takes over 50 MB.
_small, _large = lru_cache(maxsize=16)(_index), lru_cache(maxsize=1)(_index)


def _structure(sizes: tuple[int, ...], views: tuple[tuple[int, ...], ...]) -> _Structure:
    """The index, kept for the next tables of the same views."""
    cells = sum(math.prod(sizes[i] for i in view) for view in views)
    make = _small if cells <= CACHED_CELLS else _large if cells <= MAX_CACHED_CELLS else _index
    return make(sizes, views)


def _precisions(variances: Iterable[float]) -> np.ndarray:
    """1/variance up to a common factor; a noise-free view outweighs all others."""
    variances = np.array(tuple(variances), dtype=float)
    noisy = variances[(variances > 0) & np.isfinite(variances)]
    least = float(noisy.min()) if noisy.size else 1.0
    return least / np.maximum(variances, least * 1e-30)


class Averager:
    """The consistency step for given views and weights, on one vector of all cells."""

    def __init__(self, noisy: NoisyMarginals, weights: str):
        views = tuple(noisy.domain.positions(view) for view in noisy.views)
        self.structure = _structure(noisy.domain.sizes, views)
        precision = _precisions(noisy.variances)
        if check_choice("weights", weights, WEIGHTS) == "equal":
            self.weight = (precision > 0).astype(float)[self.structure.owner]
        else:
            self.weight = precision[self.structure.owner] / self.structure.scale**2
        total = np.bincount(self.structure.block, self.weight)
        self.mass = np.where(total > 0, total, np.inf)

    def batches(self, cells: np.ndarray) -> Iterator[tuple[slice, tuple[int, ...], np.ndarray]]:
        """The tables of each shape: where they stand, their sizes, and a (m, cells) array."""
        start = 0
        for sizes, members in self.structure.groups:
            part = slice(start, start + len(members) * math.prod(sizes))
            yield part, sizes, cells[part].reshape(len(members), -1)
            start = part.stop

    def _move(self, cells: np.ndarray, *, inverse: bool) -> np.ndarray:
        moved = np.empty_like(cells)
        for part, sizes, batch in self.batches(cells):
            checkpoint()
            moved[part] = transform(batch, sizes, inverse=inverse).ravel()
        return moved

    def average(self, cells: np.ndarray) -> np.ndarray:
        """Consistent tables: shared coefficients averaged, totals 1."""
        s = self.structure
        own = self._move(cells, inverse=False) * s.scale
        shared = np.bincount(s.block, own * self.weight) / self.mass
        shared[0] = 1.0
        return self._move(shared[s.block] / s.scale, inverse=True)

    def residual(self, cells: np.ndarray) -> float:
        """Largest difference of two views over one shared coefficient."""
        s = self.structure
        own = self._move(cells, inverse=False) * s.scale
        high = np.full(len(self.mass), -np.inf)
        low = np.full(len(self.mass), np.inf)
        np.maximum.at(high, s.block, own)
        np.minimum.at(low, s.block, own)
        return float((high - low).max())

    def nonnegative(self, cells: np.ndarray, nonnegativity: str) -> np.ndarray:
        """Every table without negative cells, by the named variant."""
        changed = np.empty_like(cells)
        for part, sizes, batch in self.batches(cells):
            checkpoint()
            tables = batch.reshape(-1, *sizes)
            changed[part] = make_nonnegative(tables, nonnegativity).ravel()
        return changed

    def flatten(self, tables: tuple[Marginal, ...]) -> np.ndarray:
        """All cells of the views in one vector."""
        members = np.concatenate([index for _, index in self.structure.groups])
        return np.concatenate([tables[index].values.ravel() for index in members])

    def tables(self, noisy: NoisyMarginals, cells: np.ndarray) -> tuple[Marginal, ...]:
        """The views, in their own order, with the given cells."""
        found: list = [None] * len(noisy.tables)
        members = np.concatenate([index for _, index in self.structure.groups])
        stops = np.cumsum([noisy.tables[index].values.size for index in members])
        for index, values in zip(members, np.split(cells, stops[:-1])):
            like = noisy.tables[index]
            found[index] = Marginal(like.domain, values.reshape(like.domain.sizes))
        return tuple(found)
