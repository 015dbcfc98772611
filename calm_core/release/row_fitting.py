"""Rows whose tables are close to given ones: simulated annealing over single values, compiled by numba.

Rows start from independent attributes. Then one value of one row after the other is drawn anew, with odds that fall
with the squared distance of the tables of all rows from the given ones. At a high temperature rows keep the entropy
that the tables leave them, as a log-linear model does; the last passes only take what brings the tables closer.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

# Rows that are fitted together first.
BLOCK = 2**12
# The temperature of every pass: the square of a distance, as people of one block and then of all rows, that is as good
# as none, over the number of rows. The passes over all rows remove what rounding is left in blocks.
WARM, COLD = (1 / 8, 1 / 64, 1 / 512, 0.0), (0.0,)


@cache
def _kernel():
    """The compiled pass over some values of the rows."""
    from numba import njit

    @njit(cache=True, nogil=True)
    def redraw(
        rows, order, draws, heat, excess, sizes, first, starts, steps, widths, others, strides
    ):
        """Draw values anew and return how many changed; `excess` is the count of every cell beyond the wanted one."""
        scores = np.empty(sizes.max())
        changed = 0
        for step in range(len(order)):
            row, i = divmod(order[step], rows.shape[1])
            size, old = sizes[i], rows[row, i]
            scores[:size] = 0.0
            for t in range(first[i], first[i + 1]):
                cell = starts[t]
                for j in range(widths[t]):
                    cell += rows[row, others[t, j]] * strides[t, j]
                for value in range(size):
                    scores[value] += excess[cell + value * steps[t]]
            # Half of the change of the sum of squares, up to a constant.
            scores[old] -= first[i + 1] - first[i]
            new = old
            if heat > 0:
                least, total = scores[:size].min(), 0.0
                for value in range(size):
                    scores[value] = math.exp(2 * (least - scores[value]) / heat)
                    total += scores[value]
                left, new = draws[step] * total - scores[0], 0
                while left > 0 and new < size - 1:
                    new += 1
                    left -= scores[new]
            else:
                for value in range(size):
                    if scores[value] < scores[new]:
                        new = value
            if new == old:
                continue
            changed += 1
            for t in range(first[i], first[i + 1]):
                cell = starts[t]
                for j in range(widths[t]):
                    cell += rows[row, others[t, j]] * strides[t, j]
                excess[cell + old * steps[t]] -= 1
                excess[cell + new * steps[t]] += 1
            rows[row, i] = new
        return changed

    return redraw


@dataclass(frozen=True, eq=False)
class _Tables:
    """The given tables end to end, and for every attribute the tables that contain it.

    Attributes
    ----------
    shares : ndarray
        Cells of all tables.
    queries : list of (tuple of int, int)
        Attributes of every table and its first cell.
    first : ndarray of int
        Entries of attribute i are first[i]..first[i + 1] of the following arrays.
    starts, steps, widths : ndarray of int
        First cell of the table, how many cells the next value of the attribute is away, and how many other attributes
        the table has.
    others, strides : ndarray of int, shape (entries, largest table - 1)
        The other attributes of the table, and how many cells their next values are away; 0 where there are fewer.
    """

    shares: np.ndarray
    queries: list[tuple[tuple[int, ...], int]]
    first: np.ndarray
    starts: np.ndarray
    steps: np.ndarray
    widths: np.ndarray
    others: np.ndarray
    strides: np.ndarray

    @classmethod
    def from_marginals(cls, domain: Domain, tables: Sequence[Marginal]) -> "_Tables":
        places = [domain.positions(table.attrs) for table in tables]
        starts = np.cumsum([0, *(table.values.size for table in tables)]).tolist()
        width = max(map(len, places)) - 1
        entries: list[list[tuple]] = [[] for _ in domain.names]
        for at, start in zip(places, starts):
            ahead = [math.prod(domain.sizes[j] for j in at[a + 1 :]) for a in range(len(at))]
            for a, i in enumerate(at):
                rest = [(j, ahead[b]) for b, j in enumerate(at) if b != a]
                rest += [(0, 0)] * (width - len(rest))
                strides = [stride for _, stride in rest]
                entries[i].append((start, ahead[a], len(at) - 1, [j for j, _ in rest], strides))
        flat = [entry for part in entries for entry in part]
        columns = [np.array(column, dtype=np.int64) for column in zip(*flat)]
        first = np.cumsum([0, *map(len, entries)])
        shares = np.concatenate([table.values.ravel() for table in tables])
        return cls(shares, list(zip(places, starts)), first, *columns)

    def count(self, domain: Domain, rows: np.ndarray) -> np.ndarray:
        """The cells of all tables of the rows."""
        found = np.empty(len(self.shares))
        for at, start in self.queries:
            shape = [domain.sizes[i] for i in at]
            cells = np.ravel_multi_index([rows[:, i] for i in at], shape)
            found[start : start + math.prod(shape)] = np.bincount(cells, minlength=math.prod(shape))
        return found


def fit_rows(
    domain: Domain, tables: Sequence[Marginal], n: int, *, rng: np.random.Generator
) -> np.ndarray:
    """Return codes of n rows whose tables are close to the given ones.

    Parameters
    ----------
    domain : Domain
        The attributes, each of which must be in a table.
    tables : sequence of Marginal
        Fractions. Negative cells are allowed, and tables may contradict each other.
    n : int
        Number of rows.
    rng : numpy Generator
        Randomness of the rows.

    Returns
    -------
    ndarray of int, shape (n, d)

    Examples
    --------
    >>> domain = Domain(("sex", "age"), (2, 3))
    >>> table = Marginal(domain, [[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]])
    >>> rows = fit_rows(domain, [table], 1000, rng=np.random.default_rng(1))
    >>> (np.bincount(3 * rows[:, 0] + rows[:, 1]) / 1000).round(2).tolist()
    [0.1, 0.2, 0.1, 0.3, 0.2, 0.1]
    """
    known = _Tables.from_marginals(domain, tables)
    blocks = -(-n // BLOCK)
    sizes = [n // blocks + (b < n % blocks) for b in range(blocks)]
    made = [
        _draw_values(domain, known, _draw_independent(domain, tables, size, rng), WARM, rng)
        for size in sizes
    ]
    return _draw_values(domain, known, rng.permutation(np.concatenate(made)), COLD, rng)


def _draw_independent(
    domain: Domain, tables: Sequence[Marginal], n: int, rng: np.random.Generator
) -> np.ndarray:
    """Rows whose single attributes have the shares of the tables, independent of each other."""
    rows = np.empty((n, domain.d), dtype=np.int64)
    for i, name in enumerate(domain.names):
        table = next(table for table in tables if name in table.attrs)
        shares = np.maximum(table.project((name,)).values, 0.0) + 1e-12
        ends = np.cumsum(shares / shares.sum())
        # Evenly spaced points: counts are those of the shares, rounded.
        values = np.searchsorted(ends, (np.arange(n) + rng.random()) / n)
        rows[:, i] = rng.permutation(np.minimum(values, domain.sizes[i] - 1))
    return rows


def _draw_values(
    domain: Domain,
    known: _Tables,
    rows: np.ndarray,
    heats: Sequence[float],
    rng: np.random.Generator,
) -> np.ndarray:
    """The rows after a pass at every heat, relative to their number; changes them in place."""
    redraw, sizes, values = _kernel(), np.array(domain.sizes), rows.size
    excess = known.count(domain, rows) - len(rows) * known.shares
    for heat in heats:
        checkpoint()
        redraw(
            rows, rng.permutation(values), rng.random(values), heat and max(1.0, heat * len(rows)),
            excess, sizes, known.first, known.starts, known.steps, known.widths, known.others,
            known.strides,
        )  # fmt: skip
    return rows
