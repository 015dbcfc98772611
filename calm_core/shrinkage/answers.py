"""CALM+: answers to any marginal by shrunken interactions, from the reports that CALM has."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from calm_core._checks import check_cells, check_choice, check_count
from calm_core.aggregating import NoisyMarginals
from calm_core.consistency import ConsistentMarginals, make_consistent
from calm_core.domain import Domain
from calm_core.errors import InputError
from calm_core.marginal import Marginal
from calm_core.shrinkage.fitting import count_contrasts
from calm_core.shrinkage.interactions import Subset, measure, subsets_within
from calm_core.shrinkage.intervals import Laplace, cell_deviations, laplace, reaches
from calm_core.shrinkage.local import pose, solve
from calm_core.shrinkage.priors import Knowledge, learn

MOST_ORDER = 6
FORMS = ("auto", "local", "joint")
QUICK_JOINT_CELLS = 2**10
MOST_JOINT_CELLS = 2**16
QUICK_JOINT_NUMBERS = 60_000


@dataclass(frozen=True)
class PlusNote:
    """How one marginal was found.

    Attributes
    ----------
    method : str
        "shrunken", or "calm" where the fit did not converge and CALM's answer was given instead.
    measured, unmeasured : tuple of tuple of str
        Pairs of the marginal that some view holds, and pairs that none does.
    text : str
        The same in one sentence.
    """

    method: str
    measured: tuple[tuple[str, ...], ...]
    unmeasured: tuple[tuple[str, ...], ...]
    text: str


@dataclass(frozen=True, eq=False)
class PlusMarginals:
    """Answers of CALM+ from noisy views; every answer is a distribution.

    Attributes
    ----------
    noisy : NoisyMarginals
        The reports, aggregated: all that is known of the data.
    known : Knowledge
        Measured interactions and the priors learnt from them.
    form : str
        "local": one fit per query, from what was measured inside it. "joint": one fit of the whole
        domain, of which every answer is a marginal, so that all answers agree exactly.
    """

    noisy: NoisyMarginals
    known: Knowledge
    form: str = "local"

    @property
    def domain(self) -> Domain:
        """All attributes of the collection."""
        return self.noisy.domain

    @cached_property
    def views(self) -> ConsistentMarginals:
        """Faithful CALM's inference from the very same reports, for paired comparison."""
        return make_consistent(self.noisy)

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether a view holds every given attribute."""
        return self.noisy.covers(attrs)

    @cached_property
    def _whole(self) -> tuple[np.ndarray, bool]:
        """The joint fit of all attributes, and whether it converged."""
        sizes = self.domain.sizes
        fits = solve(self.known, pose(self.known, [tuple(range(len(sizes)))]))
        return fits.tables[0].reshape(sizes), bool(fits.converged[0])

    @cached_property
    def _whole_laplace(self) -> Laplace | None:
        """The Laplace approximation at the joint fit."""
        return laplace(self.known, tuple(range(self.domain.d)), self._whole[0])

    def _fit(self, queries: Sequence[Subset]) -> tuple[list[np.ndarray], list[bool]]:
        """Tables of the queries (positions) and whether each comes from a fit that converged."""
        if self.form == "joint":
            whole, converged = self._whole
            everything = set(range(self.domain.d))
            tables = [whole.sum(axis=tuple(everything - set(query))) for query in queries]
            return tables, [converged] * len(queries)
        by_shape: dict[tuple[int, ...], list[int]] = {}
        for row, query in enumerate(queries):
            by_shape.setdefault(tuple(self.domain.sizes[i] for i in query), []).append(row)
        tables: list = [None] * len(queries)
        fitted = [False] * len(queries)
        for sizes, rows in by_shape.items():
            fits = solve(self.known, pose(self.known, [queries[row] for row in rows]))
            for row, table, converged in zip(rows, fits.tables, fits.converged):
                tables[row], fitted[row] = table.reshape(sizes), bool(converged)
        return tables, fitted

    def _ask(self, queries: Iterable[Iterable[str]]) -> list[tuple[Marginal, bool]]:
        queries = [self.domain.canonical(attrs) for attrs in queries]
        for attrs in queries:
            self.domain.cells_of(attrs)
        tables, fitted = self._fit([self.domain.positions(attrs) for attrs in queries])
        return [
            (Marginal(self.domain.project(attrs), table) if ok else self.views.marginal(attrs), ok)
            for attrs, table, ok in zip(queries, tables, fitted)
        ]

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """The marginal over `attrs`: non-negative, sum 1."""
        return self._ask([attrs])[0][0]

    def marginals(self, queries: Iterable[Iterable[str]]) -> list[Marginal]:
        """Many marginals in the order asked; queries of one shape are fitted together."""
        return [answer for answer, _ in self._ask(queries)]

    def interval(self, attrs: Iterable[str], level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """An interval for every cell of the true marginal over `attrs`.

        Parameters
        ----------
        attrs : iterable of str
            The marginal.
        level : float
            Nominal probability, above 0 and below 1, that a cell lies in its interval.

        Returns
        -------
        low, high : ndarray, shape of the marginal
            Fractions in [0, 1].
        """
        if not 0 < level < 1:
            raise InputError(f"level ({level}) must be above 0 and below 1; 0.95 is usual")
        answer = self.marginal(attrs)
        query = self.domain.positions(answer.attrs)
        whole = self._whole_laplace if self.form == "joint" else None
        around = whole or laplace(self.known, query, answer.values)
        axes = query if whole else tuple(range(len(query)))
        deviations = cell_deviations(self.known, query, answer.values, around, axes)
        reach = reaches(answer.values, deviations, level)
        return np.maximum(answer.values - reach, 0), np.minimum(answer.values + reach, 1)

    def explain(self, attrs: Iterable[str]) -> PlusNote:
        """Which pairs of `attrs` were measured, and whether the fit had to give way to CALM's."""
        ((_, fitted),) = self._ask([attrs])
        pairs = [s for s in subsets_within(self.domain.positions(attrs), 2) if len(s) == 2]
        names = {s: tuple(self.domain.names[i] for i in s) for s in pairs}
        index = self.known.interactions.index
        measured = tuple(names[s] for s in pairs if s in index)
        unmeasured = tuple(names[s] for s in pairs if s not in index)
        text = f"{len(measured)} of {len(pairs)} pairs were measured."
        if not fitted:
            text += " The fit did not converge, so CALM's answer is given."
        return PlusNote("shrunken" if fitted else "calm", measured, unmeasured, text)


def _affordable_order(noisy: NoisyMarginals) -> int:
    """Largest order that some view holds and a joint fit can take along at little cost."""
    sizes = noisy.domain.sizes
    largest = max((len(table.attrs) for table in noisy.tables), default=0)
    for order in range(min(largest, MOST_ORDER), 2, -1):
        if math.prod(sizes) * count_contrasts(sizes, order) <= QUICK_JOINT_NUMBERS:
            return order
    return 2


def infer_plus(
    noisy: NoisyMarginals, *, order: int | None = None, form: str = "auto"
) -> PlusMarginals:
    """CALM+ on noisy views: learn the priors from the reports, answer by penalised fits.

    Parameters
    ----------
    noisy : NoisyMarginals
        What CALM itself starts from.
    order : int, optional
        Largest interactions to model, usually k; at most 6, which is the default. A joint fit of a
        small table models all that the views hold.
    form : str
        "local" or "joint", see `PlusMarginals`; joint needs a whole table of at most 65,536 cells.
        "auto": joint where that table has at most 1,024 cells, since it knows more, else local.

    Examples
    --------
    >>> from calm_core.domain import Domain
    >>> domain = Domain(("sex", "age"), (2, 3))
    >>> table = Marginal(domain, [[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]])
    >>> noisy = NoisyMarginals(domain, (table,), variances=(1e-7,), users=(10**6,))
    >>> infer_plus(noisy).marginal(("sex", "age")).values.round(2).tolist()
    [[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]]
    """
    if check_choice("form", form, FORMS) == "auto":
        form = "joint" if math.prod(noisy.domain.sizes) <= QUICK_JOINT_CELLS else "local"
    if form == "joint":
        check_cells(noisy.domain.sizes, "the joint fit", limit=MOST_JOINT_CELLS)
    order = MOST_ORDER if order is None else check_count("order", order)
    if form == "joint":
        order = max(order, _affordable_order(noisy))
    found = measure(noisy, order=max(2, min(order, MOST_ORDER)))
    return PlusMarginals(noisy, learn(found), form)
