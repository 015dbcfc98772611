"""Local fits: the tables of many queries from what was learnt about the whole population."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calm_core.inference.shrinkage.fitting import (
    TOLERANCE,
    Contrasts,
    Fits,
    contrasts_within,
    find_modes,
    fit_tables,
)
from calm_core.inference.shrinkage.interactions import Subset, subsets_within
from calm_core.inference.shrinkage.priors import Knowledge

# A penalty that holds a coefficient at its centre, for subsets no view contains.
UNMEASURED = 1e8
# Pull of the prior moments' own fit towards independence: such moments need not belong to any table.
PRIOR_RIDGE = 1e-3
# Enough for a fit that is only where the next one starts.
ROUGH = 1e-4


@dataclass(frozen=True, eq=False)
class LocalProblem:
    """The fits of Q queries of one shape.

    Attributes
    ----------
    contrasts : Contrasts
        Features, pairs before higher orders.
    targets, penalties : ndarray, shape (Q, F)
        R and delta.
    precisions, priors : ndarray, shape (Q, F)
        1/V and rho: how much the reports and the prior are worth.
    expected : ndarray, shape (Q, P)
        Moments expected before looking at the interactions of the query, of its P contrasts of
        one or two attributes.
    """

    contrasts: Contrasts
    targets: np.ndarray
    penalties: np.ndarray
    precisions: np.ndarray
    priors: np.ndarray
    expected: np.ndarray


def _order(known: Knowledge, queries: Sequence[Subset]) -> int:
    """Order of the largest measured interaction in any query; pairs always count."""
    index, longest = known.interactions.index, len(queries[0])
    for order in range(min(longest, known.interactions.order), 2, -1):
        if any(s in index for q in queries for s in subsets_within(q, order) if len(s) == order):
            return order
    return 2


def pose(known: Knowledge, queries: Sequence[Subset]) -> LocalProblem:
    """Gather what the fits of queries (positions) of one shape need."""
    sizes = tuple(known.interactions.domain.sizes[i] for i in queries[0])
    contrasts = contrasts_within(sizes, _order(known, queries))
    targets = np.zeros((len(queries), len(contrasts.index)))
    penalties = np.full(targets.shape, UNMEASURED)
    precisions, priors = np.zeros(targets.shape), np.full(targets.shape, UNMEASURED)
    pairs = max(
        (p.stop for s, p in zip(contrasts.subsets, contrasts.parts) if len(s) < 3), default=0
    )
    expected = np.zeros((len(queries), pairs))
    for subset, part in zip(contrasts.subsets, contrasts.parts):
        keys = [tuple(query[a] for a in subset) for query in queries]
        if len(subset) < 3:
            expected[:, part] = [known.expected(key) for key in keys]
        for row, key in enumerate(keys):
            if key in known.penalties:
                targets[row, part] = known.target(key)
                penalties[row, part] = known.penalties[key]
                precisions[row, part] = known.measured_precision(key)
                priors[row, part] = known.prior_precision(key)
    return LocalProblem(contrasts, targets, penalties, precisions, priors, expected)


def solve(known: Knowledge, problem: LocalProblem) -> Fits:
    """Fit the tables around the centre that the prior mean asks for.

    The prior mean is a statement about moments. Its coefficients are those of the table with
    exactly these moments, which is a fit of its own where the mean is not independence.
    """
    centres = np.zeros(problem.targets.shape)
    if not centres.size:
        ones = np.ones((len(centres), 1))
        return Fits(ones, centres, ones[:, 0] > 0)
    if known.pair_mean:
        pairs = problem.expected.shape[1]
        within = contrasts_within(problem.contrasts.sizes, 2)
        ridge = np.full(problem.expected.shape, PRIOR_RIDGE)
        first = fit_tables(within, problem.expected, ridge, np.zeros(problem.expected.shape))
        centres[:, :pairs] = first.coefficients
    dense = problem.contrasts.dense
    first = fit_tables(
        problem.contrasts, problem.targets, problem.penalties, centres,
        tolerance=ROUGH if dense else TOLERANCE,
    )  # fmt: skip
    if not dense:
        return first
    return find_modes(
        problem.contrasts, first, problem.targets, problem.precisions, problem.priors, centres
    )
