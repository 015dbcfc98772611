"""HDG: grids of ordered values, of single attributes and of pairs; any range of values follows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from calm_core._checks import check_k, choice_checker, count_checker, optional_checker
from calm_core.collection.aggregation import aggregate
from calm_core.collection.simulation import SIMULATIONS, Reports, collect
from calm_core.errors import InfeasibleError, Toward
from calm_core.inference.grids import GridMarginals, make_grids_consistent
from calm_core.methods.base import Answer, option
from calm_core.methods.reporting import ReportingMethod
from calm_core.methods.unbiased import Split
from calm_core.oracles import OLH
from calm_core.planning.grid_layout import Grids, cut_axis, granularities
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal
from calm_core.tables.population import People, Population
from calm_core.tables.ranges import Ranges, ordered_attributes

# Cells of the tables of all pairs together: they are gone over hundreds of times.
MAX_PAIR_CELLS = 2**22


@dataclass(frozen=True, eq=False)
class HdgAnswer(Answer):
    """Grids that agree, without cells below 0; what they do not tell is filled in.

    Attributes
    ----------
    domain : Domain
        Shape of the data.
    inferred : GridMarginals
        What answers, with how the attributes are cut into cells (`grids`).
    """

    domain: Domain
    inferred: GridMarginals

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether at most two attributes are asked for: a grid of their own was asked about."""
        return len(self.domain.positions(attrs)) <= 2

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """The marginal over `attrs`; a distribution. Inside a cell of a grid all values are alike."""
        return self.inferred.marginal(attrs)

    def range_shares(self, queries: Sequence[Ranges]) -> np.ndarray:
        """Share of the people inside the ranges of every query, as the paper answers.

        Of one or two attributes that is the sum of the cells of the table. Of three or more it is not:
        the paper works out every query from the ranges of pairs alone, the table has all cells at once.
        """
        return np.array([self.inferred.share(query) for query in queries])


@dataclass(frozen=True)
class GridSplit:
    """Who is asked about which grid: users split evenly, a group for every attribute and every pair.

    Attributes
    ----------
    grids : Grids
        How the attributes are cut into cells.
    split : Split
        The groups, in terms of cells: first those of single attributes, then those of pairs.
    """

    grids: Grids
    split: Split

    @property
    def m(self) -> int:
        """Number of groups of users."""
        return self.split.m


def to_grid_cells(people: People, grids: Grids) -> People:
    """The same people with the cells of `grids` for values.

    Examples
    --------
    >>> domain = Domain(("age", "income"), (8, 8))
    >>> data = Dataset.from_codes([[0, 7], [5, 2]], domain)
    >>> to_grid_cells(data, Grids(domain, (cut(8, 8, 4, 2),) * 2)).codes.tolist()
    [[0, 3, 0, 1], [2, 1, 1, 0]]
    """
    if isinstance(people, Population):
        return people.mapped(lambda rows: _dataset_to_cells(rows, grids))
    return _dataset_to_cells(people, grids)


def _dataset_to_cells(dataset: Dataset, grids: Grids) -> Dataset:
    fine = [axis.fine_of[dataset.codes[:, i]] for i, axis in enumerate(grids.axes)]
    coarse = [axis.coarse_of[cells] for axis, cells in zip(grids.axes, fine)]
    return Dataset.from_codes(np.stack([*fine, *coarse], axis=1), grids.cells)


def _nontrivial_attributes(domain: Domain) -> list[int]:
    """Positions of the attributes that there is something to ask about: all where there is none."""
    return [a for a, size in enumerate(domain.sizes) if size > 1] or list(range(domain.d))


@dataclass(frozen=True)
class Hdg(ReportingMethod):
    """HDG (Yang, Wang, Li, Cheng, Su; PVLDB 14, 2020), made for attributes whose values have an order.

    Ordered values (`Domain.ordered`) are put into ranges: `g1` of them for a grid of every single
    attribute, `g2` for a grid of every pair, as many as the guideline of the paper says, rounded to
    powers of two. Other values, and all where there are no more than cells, each have a cell of their
    own, so that of attributes without an order it is AM on single attributes and pairs with the
    inference of HDG. Everybody reports one cell of one grid through OLH with all of epsilon.

    Beyond the paper, whose attributes all have the same power of two of values: ranges are as equal as
    they can be, coarse ones are whole fine ones, attributes of a single value are not asked about. A
    table over three attributes or more is what weighted update makes of those over two.

    Attributes
    ----------
    g1, g2 : int or None
        Cells by hand; None follows the guideline.
    simulation : str
        "aggregate" or "per_user", see `collect`.

    Raises
    ------
    InfeasibleError
        On release, if fewer than one user is left per grid or the tables are too large together.

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
    simulation: str = option(choice_checker(SIMULATIONS), "aggregate")
    uses_counts_only: ClassVar[bool] = True
    name: ClassVar[str] = "hdg"
    title: ClassVar[str] = "HDG"
    summary: ClassVar[str] = (
        "People are split over grids of attributes and of pairs, ordered values in ranges (Yang et al.)."
    )
    no_public_plan_reason: ClassVar[str] = (
        "it asks about ranges of values, and a public plan asks about the values themselves"
    )

    @classmethod
    def data_warning(cls, domain) -> str:
        """Which attributes have no order to make use of."""
        others = domain.d - len(ordered_attributes(domain))
        if not others:
            return ""
        which = "None of these" if others == domain.d else f"Of {domain.d} attributes {others}"
        has = "attributes has an" if others == domain.d else "have no"
        return f"{which} {has} order to use: each of their values is a cell of its own."

    def plan(self, domain: Domain, n: int, *, rng=None) -> GridSplit:
        """One group for the grid of every attribute, one for that of every pair."""
        check_k(self.k, domain.d)
        asked = _nontrivial_attributes(domain)
        pairs = list(combinations(asked, 2))
        groups = len(asked) + len(pairs)
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
        views = [(names[a],) for a in asked]
        views += [(names[domain.d + a], names[domain.d + b]) for a, b in pairs]
        oracles = tuple(OLH(self.epsilon, grids.cells.cells_of(view)) for view in views)
        return GridSplit(grids, Split(grids.cells, tuple(views), oracles))

    def collect(self, dataset, plan, *, rng, notify=None) -> Reports:
        """One report on a cell of the grid of her group from everybody."""
        people = to_grid_cells(dataset, plan.grids)
        return collect(people, plan.split, rng=rng, simulation=self.simulation, notify=notify)

    def answer(self, plan, reports) -> HdgAnswer:
        """The noise undone, the grids made to agree."""
        tables = [table.values for table in aggregate(reports).tables]
        asked = _nontrivial_attributes(plan.grids.domain)
        lines = dict(zip(asked, tables))
        squares = dict(zip(combinations(asked, 2), tables[len(asked) :]))
        agreed = make_grids_consistent(lines, squares, plan.grids.axes)
        inferred = GridMarginals(plan.grids, *agreed, tolerance=1 / reports.n)
        return HdgAnswer(plan.grids.domain, inferred)
