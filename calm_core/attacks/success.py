"""Success of the attacker against error, for every oracle: which one gives away least at equal error."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from calm_core._checks import EPSILON_LIMIT, check_count
from calm_core.attacks.guessing import hit_rate
from calm_core.evaluation.survey_design import bisect
from calm_core.oracles import ORACLES

# Two numbers that differ by less are the same.
SAME = 1e-9
LEAST_EPSILON = 0.01


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
        no oracle of the same cells and epsilon is at least as good in both and better in one; `on_whole_front`, the same among all
        epsilons.

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
    >>> table[["oracle", "success", "error", "on_front"]].round(4).values.tolist()
    [['grr', 0.1534, 0.0006, False], ['oue', 0.1157, 0.0004, True], ['olh', 0.1181, 0.0004, False], ['subset', 0.1188, 0.0003, True]]
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
    for column, keys in ("on_front", ["cells", "epsilon"]), ("on_whole_front", ["cells"]):
        table[column] = False
        for _, group in table.groupby(keys):
            table.loc[group.index, column] = _find_front(group[["success", "error"]].to_numpy())
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
    >>> {name: round(chance, 3) for name, chance in success_at_error(16, 4e-4, 10_000).items()}
    {'grr': 0.175, 'oue': 0.113, 'olh': 0.116, 'subset': 0.106}
    """
    found = {}
    for name, kind in ORACLES.items():
        if size > kind.largest:
            continue

        def small(epsilon: float, kind=kind) -> bool:
            return float(kind(epsilon, size).variance(n, 1 / size)) <= error

        if small(EPSILON_LIMIT) and not small(LEAST_EPSILON):
            epsilon = bisect(small, LEAST_EPSILON, EPSILON_LIMIT, tolerance=1e-6)
            found[name] = hit_rate(kind(epsilon, size), np.full(size, 1 / size))
    return found


def _find_front(costs: np.ndarray) -> np.ndarray:
    """Which rows no other row beats: at least as good in both columns, better in one."""
    others, own = costs[np.newaxis], costs[:, np.newaxis]
    no_worse = np.all(others <= own * (1 + SAME), axis=2)
    better = np.any(others < own * (1 - SAME), axis=2)
    return np.logical_not(np.any(no_worse & better, axis=1))
