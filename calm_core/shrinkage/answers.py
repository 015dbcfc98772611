"""Local fits: the tables of many queries from what was learnt of the whole population."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calm_core.shrinkage.fitting import Fits, features, fit_tables
from calm_core.shrinkage.priors import Knowledge

UNMEASURED = 1e8


@dataclass(frozen=True, eq=False)
class LocalProblem:
    """The fits of Q queries of one shape: feature matrix, targets, penalties, prior moments."""

    sizes: tuple[int, ...]
    contrasts: np.ndarray
    targets: np.ndarray
    penalties: np.ndarray
    prior: np.ndarray
    pairs: int


def pose(known: Knowledge, queries: Sequence[tuple[int, ...]]) -> LocalProblem:
    """Gather targets R, penalties and prior moments of queries (positions) of one shape."""
    sizes = tuple(known.interactions.domain.sizes[i] for i in queries[0])
    index = known.interactions.index
    mean = known.shrinkages[2].mean if 2 in known.shrinkages else 0.0
    order = max(2, max((len(s) for q in queries for s in _measured(index, q)), default=1))
    subsets, contrasts = features(sizes, order)
    targets = np.zeros((len(queries), len(contrasts)))
    penalties = np.full(targets.shape, UNMEASURED)
    prior = np.zeros(targets.shape)
    at = 0
    pairs = 0
    for subset in subsets:
        width = int(np.prod([sizes[a] - 1 for a in subset]))
        part = slice(at, at + width)
        at += width
        if len(subset) <= 2:
            pairs = at
        for row, query in enumerate(queries):
            key = tuple(query[a] for a in subset)
            if len(key) == 1:
                targets[row, part] = prior[row, part] = known.contrasts[key[0]]
                penalties[row, part] = known.penalties[key]
                continue
            if len(key) == 2:
                i, j = key
                prior[row, part] = np.outer(known.contrasts[i], known.contrasts[j]).ravel()
                prior[row, at - width] += mean * np.sqrt(known.spreads[i] * known.spreads[j])
            if key in index:
                targets[row, part] = known.interactions.values(key)
                penalties[row, part] = known.penalties[key]
    return LocalProblem(sizes, contrasts, targets, penalties, prior, pairs)


def _measured(index, query):
    from calm_core.shrinkage.interactions import subsets_within

    return [s for s in subsets_within(query, len(query)) if s in index]


def solve(problem: LocalProblem, *, centred: bool) -> Fits:
    """Fit the tables; with a prior mean, first the table of the prior moments alone."""
    p = problem
    centres = np.zeros(p.targets.shape)
    if centred:
        ridge = np.full((len(p.targets), p.pairs), 1e-3)
        first = fit_tables(p.contrasts[: p.pairs], p.prior[:, : p.pairs], ridge, centres[:, : p.pairs])
        centres[:, : p.pairs] = first.coefficients
    targets = p.targets.copy()
    held = p.penalties >= UNMEASURED
    targets[held] = 0
    return fit_tables(p.contrasts, targets, p.penalties, centres)
