"""DataCube: a greedy choice of marginals to release (Ding et al., SIGMOD 2011; PriView section 3.4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import ClassVar

import numpy as np

from calm_core._checks import FEWER_CELLS
from calm_core.errors import InfeasibleError, Toward
from calm_core.methods.central.base import MAX_TOTAL_CELLS, MeasuredTablesMethod
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain

MAX_ATTRIBUTES = 12
MAX_BUDGETS = 64


def cube_lattice(domain: Domain, what: str) -> list[tuple[int, ...]]:
    """Return all non-empty sets of attribute positions; refused if 2^d of them are too many."""
    if domain.d > MAX_ATTRIBUTES:
        raise InfeasibleError(
            f"{what} would look at all {2**domain.d:,} sets of {domain.d} attributes; "
            f"use at most {MAX_ATTRIBUTES} attributes",
            remedies=[("d", MAX_ATTRIBUTES)],
        )
    orders = (combinations(range(domain.d), r) for r in range(1, domain.d + 1))
    return list(chain.from_iterable(orders))


def choose_cubes(sizes: Sequence[int], lattice: list[tuple[int, ...]], k: int):
    """Choose marginals to release from which every k-way one follows, with the least largest noise.

    For every budget of cells, k-way sets are covered greedily by sets within the budget; w released marginals
    of at most C cells give noise of w^2 C on a query. The budget with the least noise is used.
    """
    cells = np.array([np.prod([sizes[i] for i in view], dtype=float) for view in lattice])
    member = np.zeros((len(lattice), len(sizes)), dtype=bool)
    for row, view in enumerate(lattice):
        checkpoint()
        member[row, list(view)] = True
    queries = member[member.sum(axis=1) == k]
    covers = (member.astype(int) @ queries.T.astype(int)) == k
    needed = cells[member.sum(axis=1) == k].max()
    budgets = np.unique(cells[(cells >= needed) & (cells <= MAX_TOTAL_CELLS)])
    if not len(budgets):
        raise InfeasibleError(
            f"a table of k = {k} attributes has up to {needed:,.0f} cells, more than the limit of "
            f"{MAX_TOTAL_CELLS:,}; use a smaller k, fewer attributes or merge values",
            remedies=[("k", Toward.LESS), *FEWER_CELLS],
        )
    if len(budgets) > MAX_BUDGETS:
        budgets = budgets[np.linspace(0, len(budgets) - 1, MAX_BUDGETS).astype(int)]
    best, least_noise = [], np.inf
    for budget in budgets:
        rows = greedy_cover(covers, cells, budget)
        noise = len(rows) ** 2 * cells[rows].max()
        if noise < least_noise:
            best, least_noise = rows, noise
    return [lattice[row] for row in best]


def greedy_cover(covers: np.ndarray, cells: np.ndarray, budget: float) -> list[int]:
    """Return rows within the budget that together cover all columns, most newly covered first."""
    allowed = np.flatnonzero(cells <= budget)
    uncovered = np.ones(covers.shape[1], dtype=bool)
    rows = []
    while uncovered.any():
        checkpoint()
        gain = covers[allowed][:, uncovered].sum(axis=1)
        row = int(allowed[np.lexsort((cells[allowed], -gain))[0]])
        rows.append(row)
        uncovered &= ~covers[row]
    return rows


@dataclass(frozen=True)
class DataCube(MeasuredTablesMethod):
    """Release greedily chosen marginals with Lap(w/epsilon), reconciled by least squares.

    For few binary attributes the choice is the full table, as PriView's authors note.
    """

    name: ClassVar[str] = "datacube"
    title: ClassVar[str] = "DataCube"
    summary: ClassVar[str] = (
        "A few tables chosen greedily so that every k-way table is a sum of one (Ding et al.)."
    )

    reconciles: ClassVar[bool] = True

    def views(self, domain):
        """The tables chosen greedily."""
        cubes = choose_cubes(domain.sizes, cube_lattice(domain, self.title), self.k)
        return [tuple(domain.names[i] for i in cube) for cube in cubes]
