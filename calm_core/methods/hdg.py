"""HDG: grids over single attributes and pairs of ordered attributes, for range queries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from calm_core._checks import check_k, count_checker, optional_checker
from calm_core.collection.aggregation import aggregate
from calm_core.collection.simulation import Reports
from calm_core.errors import InfeasibleError, Toward
from calm_core.inference.grids import (
    GridMarginals,
    Grids,
    cut_axis,
    granularities,
    make_grids_consistent,
)
from calm_core.methods.base import Answer, OracleMethod, option
from calm_core.methods.unbiased_answers import Split
from calm_core.oracles import OLH
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal
from calm_core.tables.population import People, Population
from calm_core.tables.ranges import Ranges, ordered_attributes

# Limit on the cells of the tables of all pairs: weighted update passes over them hundreds of times.
MAX_PAIR_CELLS = 2**22


@dataclass(frozen=True, eq=False)
class HdgAnswer(Answer):
    """Consistent, non-negative grids; cells between them are filled in.

    Attributes
    ----------
    domain : Domain
        Shape of the data.
    inferred : GridMarginals
        The inference, with how the attributes are cut into cells (`grids`).
    """

    domain: Domain
    inferred: GridMarginals

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether the query has at most two attributes: each has a grid of its own."""
        return len(self.domain.positions(attrs)) <= 2

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the marginal over `attrs`; a distribution. All values inside a cell of a grid are equal."""
        return self.inferred.marginal(attrs)

    def range_shares(self, queries: Sequence[Ranges]) -> np.ndarray:
        """Return the share of people inside the ranges of every query, as the paper answers.

        For one or two attributes this is the sum of the cells of the table. For three or more it is not: the
        paper computes every query from the ranges of pairs, and the table from all cells at once.
        """
        return np.array([self.inferred.share(query) for query in queries])


@dataclass(frozen=True)
class GridSplit(Split):
    """Users split evenly over grids: a group for every attribute, then for every pair.

    Attributes
    ----------
    domain : Domain
        The cells of the attributes as values.
    grids : Grids
        How the attributes are cut into cells.
    """

    grids: Grids


def to_grid_cells(people: People, grids: Grids) -> People:
    """Return the same people with the cells of `grids` as values.

    Examples
    --------
    >>> domain = Domain(("age", "income"), (8, 8))
    >>> data = Dataset.from_codes([[0, 7], [5, 2]], domain)
    >>> to_grid_cells(data, Grids(domain, (cut_axis(8, 8, 4, 2),) * 2)).codes.tolist()
    [[0, 3, 0, 1], [2, 1, 1, 0]]
    """
    if isinstance(people, Population):
        return people.map_rows(lambda rows: _dataset_to_cells(rows, grids))
    return _dataset_to_cells(people, grids)


def _dataset_to_cells(dataset: Dataset, grids: Grids) -> Dataset:
    fine = [axis.fine_of[dataset.codes[:, i]] for i, axis in enumerate(grids.axes)]
    coarse = [axis.coarse_of[cells] for axis, cells in zip(grids.axes, fine)]
    return Dataset.from_codes(np.stack([*fine, *coarse], axis=1), grids.cells)


def _nontrivial_attributes(domain: Domain) -> list[int]:
    """Return positions of the attributes with several values; all if there are none."""
    return [a for a, size in enumerate(domain.sizes) if size > 1] or list(range(domain.d))


@dataclass(frozen=True)
class Hdg(OracleMethod):
    """HDG (Yang, Wang, Li, Cheng, Su; PVLDB 14, 2020), made for attributes whose values have an order.

    Ordered values (`Domain.ordered`) are grouped into ranges: `g1` of them for a grid of every single
    attribute, `g2` for a grid of every pair, by the guideline of the paper, rounded to powers of two. Each
    value of other attributes, or of those with fewer values than cells, has its own cell, so for attributes
    without order it is AM on single attributes and pairs with the inference of HDG. Everybody reports one
    cell of one grid through OLH with all of epsilon.

    Beyond the paper, whose attributes all have the same power of two of values: ranges are as equal as
    possible, coarse ranges are unions of fine ones, and attributes with a single value are skipped. Tables
    over three or more attributes are fitted by weighted update to those over two.

    Attributes
    ----------
    g1, g2 : int or None
        Numbers of cells; None follows the guideline.
    simulation
        As in `OracleMethod`.

    Raises
    ------
    InfeasibleError
        On release, if there are fewer users than grids or the tables are too large together.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> domain = Domain(names=("age", "income"), sizes=(32, 32))
    >>> data = Dataset.from_codes(rng.integers(0, 32, size=(50_000, 2)), domain)
    >>> answer = Hdg(epsilon=2.0, k=2).release(data, rng=rng)
    >>> answer.range_shares([{"age": (0, 15)}, {"age": (0, 15), "income": (8, 31)}]).round(1).tolist()
    [0.5, 0.4]
    """

    g1: int | None = option(optional_checker(count_checker(2)), None)
    g2: int | None = option(optional_checker(count_checker(2)), None)
    name: ClassVar[str] = "hdg"
    title: ClassVar[str] = "HDG"
    summary: ClassVar[str] = (
        "People are split over grids of attributes and pairs, with ordered values in ranges (Yang et al.)."
    )
    no_public_plan_reason: ClassVar[str] = (
        "it collects ranges of values, and a public plan collects the values themselves"
    )

    @classmethod
    def data_warning(cls, domain) -> str:
        """Return a sentence on how many attributes have no order."""
        others = domain.d - len(ordered_attributes(domain))
        if not others:
            return ""
        which = "None of these" if others == domain.d else f"Of {domain.d} attributes {others}"
        has = "attributes has an" if others == domain.d else "have no"
        return f"{which} {has} order to use: each of their values is a cell of its own."

    def plan(self, domain: Domain, n: int, *, rng=None) -> GridSplit:
        """Return one group for the grid of every attribute and of every pair."""
        check_k(self.k, domain.d)
        attributes = _nontrivial_attributes(domain)
        pairs = list(combinations(attributes, 2))
        groups = len(attributes) + len(pairs)
        if n < groups:
            raise InfeasibleError(
                f"HDG has {groups:,} grids, one for each attribute and each pair, but {n:,} people, "
                f"fewer than one for each grid; use at least {groups:,} people or fewer attributes",
                remedies=[("n", groups), ("d", Toward.LESS)],
            )
        g1, g2 = granularities(n, self.epsilon, groups)
        axes = tuple(
            cut_axis(size, domain.ordered_of(name), self.g1 or g1, self.g2 or g2)
            for name, size in zip(domain.names, domain.sizes)
        )
        cells = sum(len(axes[a].fine) * len(axes[b].fine) for a, b in pairs)
        if cells > MAX_PAIR_CELLS:
            raise InfeasibleError(
                f"HDG would need {cells:,} cells for its tables of {len(pairs):,} pairs, more than the "
                f"limit of {MAX_PAIR_CELLS:,}; use fewer attributes or merge values",
                remedies=[("d", Toward.LESS), ("max_values", Toward.LESS)],
            )
        grids = Grids(domain, axes)
        names = grids.cells.names
        views = [(names[a],) for a in attributes]
        views += [(names[domain.d + a], names[domain.d + b]) for a, b in pairs]
        oracles = tuple(OLH(self.epsilon, grids.cells.cells_of(view)) for view in views)
        return GridSplit(grids.cells, tuple(views), oracles, grids)

    def collect(self, dataset, plan, *, rng, notify=None) -> Reports:
        """Return one report of every user, on a cell of her group's grid."""
        return super().collect(to_grid_cells(dataset, plan.grids), plan, rng=rng, notify=notify)

    def answer(self, plan, reports) -> HdgAnswer:
        """Return the consistent grids."""
        tables = [table.values for table in aggregate(reports).tables]
        attributes = _nontrivial_attributes(plan.grids.domain)
        lines = dict(zip(attributes, tables))
        squares = dict(zip(combinations(attributes, 2), tables[len(attributes) :]))
        agreed = make_grids_consistent(lines, squares, plan.grids.axes)
        inferred = GridMarginals(plan.grids, *agreed, tolerance=1 / reports.n)
        return HdgAnswer(plan.grids.domain, inferred)
