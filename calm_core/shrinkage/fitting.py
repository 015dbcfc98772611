"""Penalised log-linear fits: many small tables of one shape at once, by Newton's method.

For every query the table is p(x) proportional to exp(sum_S lambda_S . f_S(x)), with the contrasts
f_S of the subsets S. The fit maximises

    lambda . R - log Z(lambda) - 1/2 sum_S delta_S |lambda_S - centre_S|^2,

which is strictly concave. With delta = 0 it is the table of maximum entropy with moments R; with
delta_S large the interaction stays at its prior centre.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from calm_core._checks import readonly
from calm_core.bases import transform
from calm_core.shrinkage.interactions import Subset, subsets_within

MOST_STEPS = 60
TOLERANCE = 1e-9


@lru_cache(maxsize=128)
def features(sizes: tuple[int, ...], order: int) -> tuple[tuple[Subset, ...], np.ndarray]:
    """Subsets of axes up to `order`, and their contrasts f_S as rows of one matrix (F, cells)."""
    cells = math.prod(sizes)
    basis = transform(np.eye(cells), sizes).T.reshape(*sizes, cells)
    subsets = tuple(
        s for s in subsets_within(range(len(sizes)), order) if all(sizes[a] > 1 for a in s)
    )
    rows = [np.empty((0, cells))]
    for subset in subsets:
        part = tuple(slice(1, None) if a in subset else 0 for a in range(len(sizes)))
        outside = cells / math.prod(sizes[a] for a in subset)
        rows.append(basis[part].reshape(-1, cells) * math.sqrt(outside))
    return subsets, readonly(np.concatenate(rows))


@dataclass(frozen=True, eq=False)
class Fits:
    """Fitted tables (Q, cells), coefficients (Q, F), and whether each fit converged (Q,)."""

    tables: np.ndarray
    coefficients: np.ndarray
    converged: np.ndarray


def _tables(exponent: np.ndarray) -> np.ndarray:
    weight = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    return weight / weight.sum(axis=1, keepdims=True)


def fit_tables(
    contrasts: np.ndarray, targets: np.ndarray, penalties: np.ndarray, centres: np.ndarray
) -> Fits:
    """Fit Q tables at once.

    Parameters
    ----------
    contrasts : ndarray, shape (F, cells)
        Feature functions, see `features`.
    targets, penalties, centres : ndarray, shape (Q, F)
        R, delta > 0 and the centre of lambda.
    """
    found = np.array(centres, dtype=float)
    converged = np.zeros(len(targets), dtype=bool)
    todo = np.arange(len(targets))
    identity = np.arange(len(contrasts))
    for _ in range(MOST_STEPS):
        now = found[todo]
        p = _tables(now @ contrasts)
        mean = p @ contrasts.T
        gradient = targets[todo] - mean - penalties[todo] * (now - centres[todo])
        # In units of the moments; a stiff penalty only holds its own coefficient.
        small = (np.abs(gradient) / (1 + penalties[todo])).max(axis=1, initial=0) <= TOLERANCE
        converged[todo[small]] = True
        todo, p, mean, gradient = todo[~small], p[~small], mean[~small], gradient[~small]
        if not len(todo):
            break
        hessian = (contrasts * p[:, None, :]) @ contrasts.T - mean[:, :, None] * mean[:, None, :]
        hessian[:, identity, identity] += penalties[todo]
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        change = step @ contrasts
        spread = np.ptp(change, axis=1)
        # A step of log(1 + s) / s never overshoots where the exponent changes by a spread of s.
        length = np.where(spread > 1e-9, np.log1p(spread) / np.maximum(spread, 1e-9), 1.0)
        found[todo] += length[:, None] * step
    return Fits(_tables(found @ contrasts), found, converged)
