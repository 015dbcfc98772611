"""The best guess of a person's cell from reports, and how often it is right, exactly.

A report of any oracle is e^epsilon times likelier from a cell that it supports than from one that it does not, so
the number of reports that support each cell is all that the attacker needs. Its success against the error of every
oracle says which one gives away least at equal error.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from calm_core._checks import EPSILON_LIMIT, check_count, check_rng
from calm_core.errors import InputError
from calm_core.oracles import ORACLES, Oracle, Parity
from calm_core.planning.search import bisect

# Number of support counts that are held at once.
BLOCK = 2**22
# More than rounding errors, less than any difference of log-odds that matters.
JITTER = 1e-9


def check_prior(prior: np.ndarray | None, cells: int) -> np.ndarray:
    """Return a prior as fractions (cells,) that sum to 1; equal ones for None.

    Raises
    ------
    InputError
        If it is not one number from 0 per cell, with a sum above 0.
    """
    if prior is None:
        return np.full(cells, 1 / cells)
    array = np.asarray(prior, dtype=float).reshape(-1)
    fits = len(array) == cells and np.isfinite(array).all() and array.min() >= 0
    if not fits or array.sum() <= 0:
        raise InputError(
            f"the prior must have one number from 0 for each of the {cells:,} cells, not all 0"
        )
    return array / array.sum()


def posterior(oracle: Oracle, report: np.ndarray, prior: np.ndarray | None = None) -> np.ndarray:
    """Return what somebody believes of a person's cell who has seen her report.

    Parameters
    ----------
    oracle : Oracle
        The randomizer of her device.
    report : array
        A row of what `Oracle.perturb` returns.
    prior : array (L,), optional
        What was believed before, as fractions of the cells; equal by default.

    Returns
    -------
    ndarray (L,)
        Fractions. The odds of two cells differ from those of the prior by at most e^epsilon.

    Raises
    ------
    InputError
        If the prior does not fit the oracle, or the report is not one of its reports.

    Examples
    --------
    >>> from calm_core.oracles import GRR
    >>> posterior(GRR(epsilon=1.0, size=3), 2, [0.5, 0.3, 0.2]).round(3).tolist()
    [0.372, 0.223, 0.405]
    """
    before = check_prior(prior, oracle.size)
    if oracle.size == 1:
        return before
    after = before * np.exp(oracle.epsilon * oracle.support(np.asarray(report)[np.newaxis]))
    return after / after.sum()


def guess_cells(scores: np.ndarray, *, rng: np.random.Generator) -> np.ndarray:
    """Return the best cell of each row of log-odds (n, L); equally good ones are drawn at random."""
    return np.argmax(scores + JITTER * rng.random(scores.shape), axis=1)


def log_prior(prior: np.ndarray) -> np.ndarray:
    """Return logarithms, -inf for cells that are impossible."""
    with np.errstate(divide="ignore"):
        return np.log(prior)


def blocks(people: int, cells: int) -> list[int]:
    """Split a number of people so that a row of cells for each of a part fits into memory."""
    each = max(1, BLOCK // cells)
    return [min(each, people - start) for start in range(0, people, each)]


def measure_hits(
    oracle: Oracle, prior: np.ndarray, truth: np.ndarray, people: int, *, rng: np.random.Generator
) -> int:
    """Return how many of some people, drawn from `truth`, one report each gives away to an attacker with a prior."""
    hits, before = 0, log_prior(prior)
    for part in blocks(people, oracle.size):
        cells = check_rng(rng).choice(oracle.size, size=part, p=truth)
        supported = oracle.supports(oracle.perturb(cells, rng=rng))
        hits += int((guess_cells(before + oracle.epsilon * supported, rng=rng) == cells).sum())
    return hits


def hit_rate(oracle: Oracle, prior: np.ndarray, truth: np.ndarray | None = None) -> float:
    """Return how often the best guess from one report is right, exactly.

    With a flat prior and randomized response it is ``e^epsilon / (e^epsilon + L - 1)``. In general, let the cells
    be in descending order of the prior. The guess is the first cell that the report supports, unless the
    first of all has e^epsilon times its prior; and which supported cell comes first has a known distribution, as bits are
    independent (unary encoding, hashing) or sets are equally likely (subset selection, randomized response).

    Parameters
    ----------
    oracle : Oracle
        The randomizer.
    prior : array (L,)
        What the attacker believes, as fractions.
    truth : array (L,), optional
        The true shares; those of the prior by default. Equally good guesses are drawn at random.

    Examples
    --------
    >>> from calm_core.oracles import GRR, OUE
    >>> round(hit_rate(GRR(epsilon=1.0, size=6), np.full(6, 1 / 6)), 4)
    0.3522
    >>> round(hit_rate(OUE(epsilon=1.0, size=6), np.full(6, 1 / 6)), 4)
    0.28
    """
    if oracle.size == 1:
        return 1.0
    prior, truth = sort_cells(oracle, prior, truth)
    if oracle.independent_bits:
        other = np.array([1 - oracle.q, oracle.q])
        return independent_hit_rate(np.array([1 - oracle.p, oracle.p]), other, prior, truth)
    width = support_size(oracle)
    cells = len(prior)
    # Chance that a set supports a cell if none before it is supported, then that it is the first.
    chance = np.minimum(width / (cells - np.arange(cells)), 1)
    first = chance * np.cumprod(np.concatenate([[1.0], 1 - chance[:-1]]))
    inside, outside = oracle.p * cells / width, (1 - oracle.p) * cells / (cells - width)
    followed = prior * np.exp(oracle.epsilon) >= prior[0]
    return float((first * np.where(followed, inside * truth, outside * truth[0])).sum())


def support_size(oracle: Oracle) -> int:
    """Return how many cells (classes, for parities) each report supports, for oracles with a fixed number."""
    return 1 if isinstance(oracle, Parity) else round(oracle.p + (oracle.size - 1) * oracle.q)


def sort_cells(
    oracle: Oracle, prior: np.ndarray, truth: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return prior and truth of the cells that may be guessed, in descending order of the prior.

    Of a class of parities only its likeliest cell is guessed. Cells with the same prior are as good as each other: the
    truth is their mean.
    """
    if truth is None:
        truth = prior
    else:
        _, alike = np.unique(prior, return_inverse=True)
        truth = (np.bincount(alike, weights=truth) / np.bincount(alike))[alike]
    order = np.argsort(-prior, kind="stable")
    if isinstance(oracle, Parity):
        _, first = np.unique(oracle.classes[order], return_index=True)
        order = order[np.sort(first)]
    return prior[order], truth[order]


def independent_hit_rate(
    own: np.ndarray, other: np.ndarray, prior: np.ndarray, truth: np.ndarray
) -> float:
    """Return how often the best guess is right where something independent is seen of every cell.

    Parameters
    ----------
    own, other : array (K,)
        Chances of the K things that may be seen of the person's own cell, and of each other one, in ascending order of
        own / other. Own ones may have another sum than 1, which then multiplies the answer.
    prior, truth : array (L,)
        As for `hit_rate`.

    Examples
    --------
    >>> independent_hit_rate(np.array([0.5, 0.5]), np.array([1.0, 0.0]), np.array([0.5, 0.5]), np.array([0.5, 0.5]))
    0.75
    """
    seen = len(own)
    # What cannot be seen of another cell proves the own one.
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.where(own > 0, np.log(own) - np.log(other), -np.inf)
        below = np.log(np.cumsum(other))
    scores = log_prior(prior)[:, np.newaxis] + odds
    # One event after the other, a cell rises to its next thing seen. The guess is right if the others of that
    # moment have not risen above it.
    order = np.argsort(scores, axis=None, kind="stable")
    cell, thing = np.divmod(order, seen)
    rises = np.diff(below, prepend=0.0)
    others = np.cumsum(rises[thing]) - below[thing]
    begun = np.cumsum(thing == 0) == len(prior)
    return float((begun * truth[cell] * own[thing] * np.exp(others)).sum())


# Two numbers that differ by less are the same.
SAME = 1e-9
MIN_EPSILON = 0.01


def attack_success(
    sizes: Iterable[int], epsilons: Iterable[float], n: int = 10_000
) -> pd.DataFrame:
    """Return how often the best guess from one report is right, and the error, for all oracles.

    Parameters
    ----------
    sizes : iterable of int
        Numbers of cells.
    epsilons : iterable of float
        Budgets of a report.
    n : int
        Number of people, for the error.

    Returns
    -------
    DataFrame
        One row per number of cells, epsilon and oracle that can serve it: `cells`, `epsilon`, `oracle`; `success`, the chance of the
        best guess with a flat prior (exact); `error`, the mean squared error of a cell; `on_front`, whether
        no oracle of the same cells and epsilon is at least as good in both and better in one.

    Raises
    ------
    InputError
        If a number is out of its range.

    References
    ----------
    Arcolezi and Gambs, arXiv 2503.01482, who compare protocols by the attacker's success and the error.

    Examples
    --------
    >>> table = attack_success([16], [1.0])
    >>> table[["oracle", "success", "error", "on_front"]].round(4).values.tolist()[:2]
    [['grr', 0.1534, 0.0006, False], ['oue', 0.1157, 0.0004, True]]
    """
    check_count("n", n)
    rows = [
        {
            "cells": oracle.size, "epsilon": oracle.epsilon, "oracle": name,
            "success": hit_rate(oracle, np.full(oracle.size, 1 / oracle.size)),
            "error": float(oracle.variance(n, 1 / oracle.size)),
        }
        for size in sizes
        for epsilon in epsilons
        for name, kind in ORACLES.items()
        if size <= kind.largest
        for oracle in [kind(epsilon, size)]
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["cells", "epsilon", "oracle", "success", "error"])
    table["on_front"] = False
    for _, group in table.groupby(["cells", "epsilon"]):
        table.loc[group.index, "on_front"] = _find_front(group[["success", "error"]].to_numpy())
    return table


def success_at_error(size: int, error: float, n: int) -> dict[str, float]:
    """Return how often the best guess is right for every oracle, each at the epsilon at which it has that error.

    Parameters
    ----------
    size : int
        Number of cells, equally likely.
    error : float
        Mean squared error of a cell.
    n : int
        Number of people.

    Returns
    -------
    dict
        Chance by the oracle's key; an oracle that cannot have that error at an epsilon from 0.01 to 16 is left out.

    Examples
    --------
    >>> chances = success_at_error(16, 4e-4, 10_000)
    >>> round(chances["grr"], 3), round(chances["subset"], 3)
    (0.175, 0.106)
    """
    chances = {}
    for name, kind in ORACLES.items():
        if size > kind.largest:
            continue

        def small(epsilon: float, kind=kind) -> bool:
            return float(kind(epsilon, size).variance(n, 1 / size)) <= error

        if small(EPSILON_LIMIT) and not small(MIN_EPSILON):
            epsilon = bisect(small, MIN_EPSILON, EPSILON_LIMIT, tolerance=1e-6)
            chances[name] = hit_rate(kind(epsilon, size), np.full(size, 1 / size))
    return chances


def _find_front(costs: np.ndarray) -> np.ndarray:
    """Which rows no other row beats: at least as good in both columns, better in one."""
    others, own = costs[np.newaxis], costs[:, np.newaxis]
    no_worse = np.all(others <= own * (1 + SAME), axis=2)
    better = np.any(others < own * (1 - SAME), axis=2)
    return np.logical_not(np.any(no_worse & better, axis=1))
