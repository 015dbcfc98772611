"""Consistency: make overlapping noisy views agree (PriView section 4.4, CALM section 4.4).

The papers average the projections of all views on every shared set of attributes, in topological
order. Here the same result comes in one pass, see `averaging`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from calm_core._checks import check_choice, check_count
from calm_core.collection.aggregating import NoisyMarginals, check_tables
from calm_core.errors import InputError
from calm_core.inference.averaging import Averager
from calm_core.inference.nonnegativity import NONNEGATIVITY
from calm_core.inference.reconstruction import (
    RECONSTRUCTION,
    MarginalQuery,
    ReconstructionNote,
    ViewIndex,
    answer_queries,
    check_query,
)
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

MAX_ROUNDS = 1000


@dataclass(frozen=True)
class ConsistencyReport:
    """How far the views agree after the last step.

    Attributes
    ----------
    nonnegativity, weights : str
        The variant and the weights that were used.
    rounds : int
        Times (non-negativity, consistency) followed the first consistency step.
    residual : float
        Largest difference of two views over a shared contrast (an orthonormal coefficient of a
        shared marginal, in fractions); 0 up to rounding, as consistency comes last.
    most_negative : float
        Smallest cell of all views, 0 if none is negative.
    converged : bool
        Whether the views agree to 1e-9.
    """

    nonnegativity: str
    weights: str
    rounds: int
    residual: float
    most_negative: float
    converged: bool


@dataclass(frozen=True, eq=False)
class ConsistentMarginals:
    """Views that agree on every overlap and sum to 1; answers any marginal.

    Attributes
    ----------
    domain : Domain
        All attributes of the collection.
    tables : tuple of Marginal
        One table per view; cells may be slightly negative (`report.most_negative`), answers never.
    report : ConsistencyReport
        What was done and how well the views agree.
    reconstruction : str
        How a marginal that no view covers is found, one of RECONSTRUCTION.
    raw : tuple of Marginal
        The views before consistency: "lp" works on them.

    Raises
    ------
    InputError
        If there are no tables, they do not fit the domain, or "lp" has nothing to work on.
    """

    domain: Domain
    tables: tuple[Marginal, ...]
    report: ConsistencyReport
    reconstruction: str = "maxent"
    raw: tuple[Marginal, ...] = ()

    def __post_init__(self):
        check_choice("reconstruction", self.reconstruction, RECONSTRUCTION)
        if not self.tables:
            raise InputError("tables (0) must be at least one; nothing else is known")
        check_tables(self.domain, self.tables)
        check_tables(self.domain, self.raw)
        if self.reconstruction == "lp" and not self.raw:
            raise InputError('raw () must hold the views before consistency; "lp" works on them')

    @cached_property
    def views(self) -> tuple[tuple[str, ...], ...]:
        """Attribute names of every view."""
        return tuple(table.attrs for table in self.tables)

    @cached_property
    def _index(self) -> ViewIndex:
        return ViewIndex(self.domain, self.raw if self.reconstruction == "lp" else self.tables)

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether some view holds every given attribute."""
        return bool(self._index.holding(self.domain.positions(attrs)).size)

    def _ask(self, queries: Iterable[Iterable[str]]) -> list[MarginalQuery]:
        at = [check_query(self.domain, attrs) for attrs in queries]
        return answer_queries(self._index, at, self.reconstruction)

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """The marginal over `attrs`: a distribution, whether a view covers it or not."""
        return self._ask([attrs])[0].table()

    def marginals(self, queries: Iterable[Iterable[str]]) -> list[Marginal]:
        """Many marginals in the order asked, faster together than one by one."""
        return [question.table() for question in self._ask(queries)]

    def explain(self, attrs: Iterable[str]) -> ReconstructionNote:
        """Where the marginal over `attrs` comes from and how well it was determined."""
        return self._ask([attrs])[0].note(self.reconstruction)


def consistency_stages(
    noisy: NoisyMarginals,
    *,
    nonnegativity: str = "ripple",
    rounds: int = 3,
    weights: str = "precision",
) -> Iterator[tuple[str, tuple[Marginal, ...]]]:
    """Yield (name, tables) step by step: raw, consistent, non-negative and consistent per round.

    The names are "raw", "consistent", "non-negative i", "consistent i" (i from 1 to rounds); the
    last one is what `make_consistent` returns.
    """
    averager = Averager(noisy, weights)
    yield "raw", noisy.tables
    for name, cells in _steps(averager, noisy, nonnegativity, rounds):
        yield name, averager.tables(noisy, cells)


def _steps(averager, noisy, nonnegativity, rounds) -> Iterator[tuple[str, np.ndarray]]:
    check_choice("nonnegativity", nonnegativity, NONNEGATIVITY)
    rounds = check_count("rounds", rounds, low=0, high=MAX_ROUNDS)
    cells = averager.average(averager.flatten(noisy.tables))
    yield "consistent", cells
    for i in range(1, 1 + (rounds if nonnegativity != "none" else 0)):
        checkpoint()
        cells = averager.nonnegative(cells, nonnegativity)
        yield f"non-negative {i}", cells
        cells = averager.average(cells)
        yield f"consistent {i}", cells


def make_consistent(
    noisy: NoisyMarginals,
    *,
    nonnegativity: str = "ripple",
    rounds: int = 3,
    weights: str = "precision",
    reconstruction: str = "maxent",
) -> ConsistentMarginals:
    """Make noisy views agree on every overlap, sum to 1 and be (nearly) non-negative.

    Consistency first, then `rounds` times non-negativity and consistency (PriView's Ripple_r).

    Parameters
    ----------
    noisy : NoisyMarginals
        Unbiased estimates of m views with their variances. A view on which nobody reported
        (infinite variance) has no say and takes what others know, else is uniform.
    nonnegativity : {"ripple", "none", "simple", "global", "norm_sub"}
        How negative cells are removed in between (SPEC section 7).
    rounds : int
        How often; 0 leaves consistency alone.
    weights : {"precision", "equal"}
        Weight of a view for a set it shares: the precision of its projection on that set, or the
        same for all views (PriView).
    reconstruction : {"maxent", "lp", "clp", "cln"}
        How marginals that no view covers are found later.

    Raises
    ------
    InputError
        If a choice or number is not one of those offered.

    Examples
    --------
    The example of PriView section 4.4, with attributes of 2, 2 and 2 values:

    >>> domain = Domain(("a1", "a2", "a3"), (2, 2, 2))
    >>> views = (Marginal(domain.project(("a1", "a2")), [[0.3, 0.3], [0.3, 0.1]]),
    ...          Marginal(domain.project(("a1", "a3")), [[0.2, 0.3], [0.1, 0.4]]))
    >>> noisy = NoisyMarginals(domain, views, variances=(1e-4, 1e-4), users=(100, 100))
    >>> for table in make_consistent(noisy).tables:
    ...     print(table.values.round(3).tolist())
    [[0.275, 0.275], [0.325, 0.125]]
    [[0.225, 0.325], [0.075, 0.375]]
    """
    averager = Averager(noisy, weights)
    *_, (_, cells) = _steps(averager, noisy, nonnegativity, rounds)
    residual = averager.residual(cells)
    report = ConsistencyReport(
        nonnegativity=nonnegativity,
        weights=weights,
        rounds=rounds if nonnegativity != "none" else 0,
        residual=residual,
        most_negative=min(0.0, float(cells.min())),
        converged=residual <= 1e-9,
    )
    tables = averager.tables(noisy, cells)
    return ConsistentMarginals(noisy.domain, tables, report, reconstruction, noisy.tables)


def is_consistent(tables: Iterable[Marginal], tol: float = 1e-9) -> bool:
    """Whether every two tables have the same projection on the attributes they share.

    Examples
    --------
    >>> domain = Domain(("sex", "age"), (2, 3))
    >>> both = Marginal(domain, [[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]])
    >>> is_consistent([both, Marginal(domain.project(("sex",)), [0.4, 0.6])])
    True
    >>> is_consistent([both, Marginal(domain.project(("age",)), [0.4, 0.3, 0.3])])
    False
    """
    tables = tuple(tables)
    for i, one in enumerate(tables):
        for other in tables[:i]:
            shared = tuple(name for name in one.attrs if name in other.attrs)
            if shared:
                gap = np.abs(one.project(shared).values - other.project(shared).values).max()
            else:
                gap = abs(one.values.sum() - other.values.sum())
            if gap > tol:
                return False
    return True
