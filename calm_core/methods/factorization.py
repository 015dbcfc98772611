"""Workload factorization: one matrix of probabilities, optimized for all k-way marginals at once."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from calm_core._checks import check_k, check_rng, choice_checker
from calm_core.collection.simulation import GroupDone
from calm_core.errors import InfeasibleError, Toward
from calm_core.inference.nonnegativity import NONNEGATIVITY, nearest_distribution
from calm_core.methods.base import KWayAnswer, option
from calm_core.methods.unbiased_answers import UnbiasedMethod, check_query_size, postprocess
from calm_core.planning.workload import Strategy, cyclic_differences, factorize, k_way_workload
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal
from calm_core.tables.population import Population

# The matrix has a probability for every cell and output; the paper went to 512 cells, on a server.
MAX_CELLS = 256
WNNLS = "wnnls"
# Up to so many people are drawn one by one; beyond, a multinomial draw per cell is faster.
MAX_PEOPLE_ONE_BY_ONE = 1_000_000


@dataclass(frozen=True, eq=False)
class OutputReports:
    """How many users sent each output.

    Attributes
    ----------
    domain : Domain
        Shape of the data.
    strategy : Strategy
        The matrix of probabilities.
    counts : ndarray of int64, shape (J, N)
        Counts of disjoint groups of users add up.
    """

    domain: Domain
    strategy: Strategy
    counts: np.ndarray

    def __add__(self, other: "OutputReports") -> "OutputReports":
        return OutputReports(self.domain, self.strategy, self.counts + other.counts)


def draw_outputs(strategy: Strategy, counts: np.ndarray, *, rng: np.random.Generator) -> np.ndarray:
    """Draw how often every output is sent, (J, N), given the number of people per cell (N,).

    Everybody draws a row and a shift with the same probabilities, and sends the cell minus the shift.
    """
    less, chances = cyclic_differences(strategy.sizes), strategy.rows.ravel()
    cells, n = len(counts), int(counts.sum())
    if n <= MAX_PEOPLE_ONE_BY_ONE:
        drawn = np.repeat(np.arange(len(chances)), rng.multinomial(n, chances))
        rows, shifts = np.divmod(rng.permutation(drawn), cells)
        sent = rows * cells + less[np.repeat(np.arange(cells), counts), shifts]
        return np.bincount(sent, minlength=len(chances)).reshape(strategy.rows.shape)
    found = np.zeros(strategy.rows.shape, dtype=np.int64)
    for cell in np.flatnonzero(counts):
        checkpoint()
        found[:, less[cell]] += rng.multinomial(counts[cell], chances).reshape(found.shape)
    return found


@dataclass(frozen=True, eq=False)
class FactorizationAnswer(KWayAnswer):
    """An unbiased full table, for marginals of at most k attributes.

    Attributes
    ----------
    domain : Domain
        Shape of the data.
    cells : ndarray, shape (N,)
        The full table, row-major, without interactions of more than k attributes.
    k : int
        Largest number of attributes of a query.
    nonnegativity : str
        How negative cells are removed.
    """

    domain: Domain
    cells: np.ndarray
    k: int
    nonnegativity: str

    @cached_property
    def table(self) -> Marginal:
        """The full table, as estimated or made a distribution as a whole."""
        cells = self.cells
        if self.nonnegativity == WNNLS:
            cells = nearest_distribution(k_way_workload(self.domain.sizes, self.k), cells)
        return Marginal(self.domain, cells.reshape(self.domain.sizes))

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the marginal over at most k attributes."""
        attrs = check_query_size(self.domain, attrs, self.k, Factorization.title)
        own = "none" if self.nonnegativity == WNNLS else self.nonnegativity
        return postprocess(self.table.project(attrs), own)


@dataclass(frozen=True)
class Factorization(UnbiasedMethod):
    """Workload factorization: everybody sends one output by a matrix made for all k-way marginals.

    The matrix depends only on the numbers of values, k and epsilon, see `factorize`; the answer is the
    unbiased one of least variance, and its error is known in advance, whatever the data.

    Attributes
    ----------
    nonnegativity : str
        "none" (unbiased), "wnnls" (the distribution over the full table with the nearest k-way
        marginals), or another of `NONNEGATIVITY`, applied to every answer.

    Raises
    ------
    InfeasibleError
        Before anybody reports, if the full table has more than 256 cells.

    References
    ----------
    McKenna, Maity, Mazumdar, Miklau, "A workload-adaptive mechanism for linear queries under local
    differential privacy", VLDB 2020. Unlike there, n is used when cells are made non-negative.

    Examples
    --------
    >>> from calm_core.tables.dataset import Dataset
    >>> rng = np.random.default_rng(1)
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> data = Dataset.from_codes(rng.integers(0, 2, size=(5000, 2)), domain)
    >>> method = Factorization(epsilon=4.0, k=2)
    >>> method.release(data, rng=rng).marginal(("sex",)).values.round(1).tolist()
    [0.5, 0.5]
    """

    nonnegativity: str = option(choice_checker((*NONNEGATIVITY, WNNLS)), "none")
    uses_counts_only: ClassVar[bool] = True
    comparison_nonnegativity: ClassVar[str] = WNNLS
    name: ClassVar[str] = "factor"
    title: ClassVar[str] = "Factorization"
    summary: ClassVar[str] = (
        "Everybody sends one output of a matrix optimized for all tables at once; for few cells "
        "(McKenna et al.)."
    )
    no_public_plan_reason: ClassVar[str] = (
        "it collects whole records by one matrix of probabilities, and a public plan collects tables"
    )

    def check(self, domain, n) -> None:
        """Refuse data that `release` would refuse, without computing the matrix."""
        check_k(self.k, domain.d)
        cells = math.prod(domain.sizes)
        if cells > MAX_CELLS:
            fitting = domain.count_fitting(MAX_CELLS)
            raise InfeasibleError(
                f"{self.title} would need a matrix for the {cells:,} cells of {domain.d} attributes, more "
                f"than the limit of {MAX_CELLS:,}; the first {fitting} attributes would fit",
                remedies=[("d", fitting), ("max_values", Toward.LESS)],
            )

    def plan(self, domain: Domain, n: int, *, rng=None) -> Strategy:
        """Return the matrix, which depends only on the domain and the settings."""
        self.check(domain, n)
        return factorize(domain.sizes, self.k, self.epsilon)

    def collect(self, dataset, plan, *, rng, notify=None) -> OutputReports:
        """Return one output of every user."""
        check_rng(rng)
        names = dataset.domain.names
        if isinstance(dataset, Population):
            (counts,) = dataset.group_counts([names], [dataset.n], rng=rng)
        else:
            (counts,) = dataset.counts([names])
        sent = draw_outputs(plan, counts.ravel(), rng=rng)
        if notify:
            notify(GroupDone(1, 1, dataset.n))
        return OutputReports(dataset.domain, plan, sent)

    def answer(self, plan, reports) -> FactorizationAnswer:
        """Return the unbiased estimate."""
        cells = plan.cells(reports.counts)
        return FactorizationAnswer(reports.domain, cells, self.k, self.nonnegativity)

    def unbiased_sse(self, domain, n, attrs, *, truth=None) -> float:
        """Exact, for users whose values are fixed."""
        attrs = check_query_size(domain, attrs, self.k, self.title)
        return self.plan(domain, n).error(domain.positions(attrs)) / n
