"""Answer queries: from the attributes of a marginal to its table and a note on how it was computed.

Beside maximum entropy there are least violation (LP, CLP) and least norm (CLN; PriView section 4.3).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calm_core._checks import check_cells, check_choice
from calm_core.errors import InfeasibleError, InputError
from calm_core.inference.nonnegativity import norm_sub
from calm_core.inference.reconstruction.maxent import fit_ipf, fit_maximum_entropy
from calm_core.inference.reconstruction.patterns import (
    Pattern,
    ViewIndex,
    maximal_masks,
    pattern_of,
)
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_FEASIBLE = 1e-9


def _projection_matrix(pattern: Pattern) -> "csr_array":
    """Sparse 0/1 matrix from the cells of the table to those of all constraints."""
    from scipy.sparse import csr_array

    ones = np.ones(pattern.maps.size)
    columns = np.tile(np.arange(pattern.cells), len(pattern.masks))
    return csr_array(
        (ones, (pattern.maps.ravel(), columns)), shape=(pattern.starts[-1], pattern.cells)
    )


def fit_least_violation(
    pattern: Pattern, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return a distribution with the least largest violation of any constraint (LP of PriView).

    Parameters
    ----------
    pattern : Pattern
        The constraints.
    low, high : ndarray, shape (all constraint cells,)
        Smallest and largest value any view gives for each of their cells.

    Returns
    -------
    (ndarray of shape (cells,), float)
        The table and its violation. Many tables may be optimal; the solver picks a vertex.
    """
    cells = pattern.cells
    if not pattern.masks:
        return np.full(cells, 1.0 / cells), 0.0
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, vstack

    summing = _projection_matrix(pattern)
    slack = csr_array(-np.ones((len(low), 1)))
    found = linprog(
        c=np.r_[np.zeros(cells), 1.0],
        A_ub=vstack([hstack([summing, slack]), hstack([-summing, slack])]),
        b_ub=np.r_[low, -high],
        A_eq=np.r_[np.ones(cells), 0.0][None],
        b_eq=[1.0],
        bounds=(0, None),
        method="highs",
    )
    table = np.maximum(found.x[:-1], 0.0)
    return table / table.sum(), float(found.x[-1])


def fit_least_norm(pattern: Pattern, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the distribution of least L2 norm that meets the constraints (CLN of PriView).

    If no table meets them, they are relaxed by the least possible violation.
    """
    import cvxpy as cp

    start, violation = fit_least_violation(pattern, low, high)
    if not pattern.masks:
        return start, violation
    table = cp.Variable(pattern.cells, nonneg=True)
    sums = _projection_matrix(pattern) @ table
    relaxed = violation * (1 + 1e-6) + 1e-12
    if violation <= _FEASIBLE:
        rules = [sums == (low + high) / 2]
    else:
        rules = [sums <= low + relaxed, sums >= high - relaxed]
    problem = cp.Problem(cp.Minimize(cp.sum_squares(table)), [*rules, cp.sum(table) == 1])
    problem.solve(solver=cp.CLARABEL)
    if table.value is None:
        return start, violation
    return np.maximum(table.value, 0.0), violation


RECONSTRUCTION = ("maxent", "lp", "clp", "cln")
TOLERANCE, ROUGH_TOLERANCE = 1e-7, 1e-4
MAX_ATTRIBUTES = 62


@dataclass(frozen=True)
class ReconstructionNote:
    """How a marginal was computed and how well it is determined.

    Attributes
    ----------
    covered : bool
        Whether one view contains all attributes, so that its cells were summed.
    views : tuple of tuples of str
        The views used.
    constraints : tuple of tuples of str
        The sets of attributes on which the views restrict the marginal (only maximal ones for
        "maxent" and "cln"); empty if covered.
    method : str
        "sum" if covered, else one of RECONSTRUCTION.
    converged : bool
        Whether every constraint was met to `tolerance`.
    iterations : int
        Sweeps over all constraints and Newton steps, or steps of the solver.
    tolerance, violation : float
        Largest allowed and largest actual violation of a constraint, in fractions.
    """

    covered: bool
    views: tuple[tuple[str, ...], ...]
    constraints: tuple[tuple[str, ...], ...] = ()
    method: str = "sum"
    converged: bool = True
    iterations: int = 0
    tolerance: float = TOLERANCE
    violation: float = 0.0


def _distribution(values: np.ndarray) -> np.ndarray:
    """Return the nearest distribution; rounding or a last consistency step may leave negative cells."""
    if values.min() >= 0:
        return values / values.sum()
    return norm_sub(values[None], total=1.0)[0]


class MarginalQuery:
    """One queried marginal: its constraints from the views and, later, its answer.

    Parameters
    ----------
    index : ViewIndex
        The views.
    at : tuple of int
        Ascending positions of the k attributes.
    """

    def __init__(self, index: ViewIndex, at: tuple[int, ...]):
        self.index, self.at = index, at
        self.sizes = tuple(index.domain.sizes[i] for i in at)
        self.masks = maximal_masks(np.unique(index.masks(at)).tolist())
        self.covered = self.masks == ((1 << len(at)) - 1,)
        self.values = np.empty(0)
        self.violation, self.iterations = 0.0, 0

    def positions(self, mask: int) -> tuple[int, ...]:
        """Return the domain positions of the attributes in a mask (bit i stands for at[i])."""
        return tuple(i for bit, i in enumerate(self.at) if mask >> bit & 1)

    def targets(self) -> np.ndarray:
        """Return the projections of the views on all constraints, concatenated, each of total 1."""
        parts = [self.index.projection(self.positions(mask)) for mask in self.masks]
        return np.concatenate(
            [np.empty(0), *(part + (1 - part.sum()) / part.size for part in parts)]
        )

    def table(self) -> Marginal:
        """Return the answer, a distribution."""
        names = self.index.domain.names
        domain = self.index.domain.project(tuple(names[i] for i in self.at))
        return Marginal(domain, _distribution(self.values).reshape(self.sizes))

    def note(self, method: str) -> ReconstructionNote:
        """Return how the answer was computed."""
        names = self.index.domain.names
        missing = np.array(self.masks, dtype=np.int64) & ~self.index.masks(self.at)[:, None]
        used = np.flatnonzero((missing == 0).any(axis=1))
        constraints = tuple(tuple(names[i] for i in self.positions(m)) for m in self.masks)
        return ReconstructionNote(
            covered=self.covered,
            views=tuple(self.index.tables[v].attrs for v in used),
            constraints=() if self.covered else constraints,
            method="sum" if self.covered else method,
            converged=bool(self.violation <= TOLERANCE),
            iterations=int(self.iterations),
            violation=float(self.violation),
        )


def _fit_in_groups(questions: list[MarginalQuery]) -> None:
    """Fit maximum entropy tables for all queries; those with one pattern share its structure."""
    groups: dict[tuple, list[MarginalQuery]] = {}
    for question in questions:
        groups.setdefault((question.sizes, question.masks), []).append(question)
    for (sizes, masks), members in groups.items():
        checkpoint()
        targets = np.stack([question.targets() for question in members])
        fit = fit_maximum_entropy(pattern_of(sizes, masks), targets, TOLERANCE)
        for question, *found in zip(members, fit.tables, fit.violations, fit.iterations):
            question.values, question.violation, question.iterations = found


def answer_roughly(index: ViewIndex, at: tuple[int, ...]) -> np.ndarray:
    """Return a marginal that no view covers, of maximum entropy up to `ROUGH_TOLERANCE`: not quite a distribution."""
    question = MarginalQuery(index, at)
    pattern = pattern_of(question.sizes, question.masks)
    fit = fit_ipf(pattern, question.targets()[None], ROUGH_TOLERANCE)
    return fit.tables.reshape(question.sizes)


def answer_queries(
    index: ViewIndex, queries: Iterable[tuple[int, ...]], method: str = "maxent"
) -> list[MarginalQuery]:
    """Answer marginals over ascending positions of attributes, all of a batch at once.

    "maxent", "clp" and "cln" sum a view where one covers the query. "lp" does not assume that views
    agree and runs the solver for every query.
    """
    questions = [MarginalQuery(index, at) for at in queries]
    opened = []
    for question in questions:
        checkpoint()
        if question.covered and method != "lp":
            question.values = index.projection(question.at)
        else:
            opened.append(question)
    if method == "maxent":
        _fit_in_groups(opened)
        return questions
    for question in opened:
        checkpoint()
        fit = fit_least_norm if method == "cln" else fit_least_violation
        question.values, question.violation = fit(*index.bounds(question.at))
    return questions


def reconstruct(
    domain: Domain,
    constraints: Sequence[Marginal],
    attrs: Iterable[str],
    method: str = "maxent",
) -> tuple[Marginal, ReconstructionNote]:
    """Return the marginal over `attrs` that the given tables determine best.

    Parameters
    ----------
    domain : Domain
        All attributes.
    constraints : sequence of Marginal
        Tables over any attributes; consistent views, except for "lp".
    attrs : iterable of str
        The k attributes asked for.
    method : {"maxent", "lp", "clp", "cln"}
        Maximum entropy; least violation ("lp" is meant for raw noisy views, "clp" for consistent
        ones); least L2 norm (PriView section 4.3).

    Returns
    -------
    (Marginal, ReconstructionNote)
        A distribution of shape (c_1, ..., c_k), never negative, and how it was found.

    Raises
    ------
    InputError
        If an attribute or the method is unknown.
    InfeasibleError
        If the marginal would have more than 10^7 cells.

    Examples
    --------
    With one-way tables alone the answer is their product:

    >>> domain = Domain(("sex", "age"), (2, 3))
    >>> sex = Marginal(domain.project(("sex",)), [0.4, 0.6])
    >>> age = Marginal(domain.project(("age",)), [0.5, 0.3, 0.2])
    >>> table, note = reconstruct(domain, [sex, age], ("sex", "age"))
    >>> table.values.round(3).tolist(), note.constraints
    ([[0.2, 0.12, 0.08], [0.3, 0.18, 0.12]], (('sex',), ('age',)))
    """
    check_choice("reconstruction", method, RECONSTRUCTION)
    at = check_query(domain, attrs)
    (question,) = answer_queries(ViewIndex(domain, constraints), [at], method)
    return question.table(), question.note(method)


def check_query(domain: Domain, attrs: Iterable[str]) -> tuple[int, ...]:
    """Return ascending positions of the attributes; refuses none, unknown and too many."""
    at = domain.positions(attrs)
    if not at:
        raise InputError("attributes () must name at least one; choose some")
    if len(at) > MAX_ATTRIBUTES:
        raise InfeasibleError(
            f"a table over {len(at)} attributes is more than the limit of {MAX_ATTRIBUTES}; "
            "ask for fewer"
        )
    check_cells((domain.sizes[i] for i in at), f"the table over {len(at)} attributes")
    return at
