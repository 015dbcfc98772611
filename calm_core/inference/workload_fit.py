"""The distribution over the full table whose marginals are nearest to what was estimated (WNNLS)."""

import numpy as np

from calm_core.inference.nonnegativity import norm_sub
from calm_core.planning.workload import Workload
from calm_core.runtime.cancellation import checkpoint

_MAX_STEPS, _TOLERANCE = 20_000, 1e-12


def nearest_distribution(load: Workload, cells: np.ndarray) -> np.ndarray:
    """Cells (N,) from 0 with sum 1 and the least squared distance of all k-way tables from those of `cells`.

    By accelerated gradient steps, each followed by the nearest distribution; they begin anew where they
    would go uphill, and end where no cell moves.

    Examples
    --------
    >>> from calm_core.planning.workload import k_way
    >>> nearest_distribution(k_way((2, 2), 2), np.array([0.7, 0.4, 0.1, -0.2])).round(3).tolist()
    [0.633, 0.333, 0.033, 0.0]
    """
    weights = load.spread(load.importance)
    wanted, step = cells @ load.columns, 1 / (len(cells) * weights.max())
    now = ahead = norm_sub(cells[np.newaxis], total=1.0)[0]
    speed = 1.0
    for _ in range(_MAX_STEPS):
        checkpoint()
        slope = load.columns @ (weights * (ahead @ load.columns - wanted))
        after = norm_sub((ahead - step * slope)[np.newaxis], total=1.0)[0]
        moved = after - now
        if np.abs(moved).max() <= _TOLERANCE:
            return after
        # Uphill: what was gathered leads away.
        speed = 1.0 if (ahead - after) @ moved > 0 else speed
        faster = (1 + np.sqrt(1 + 4 * speed**2)) / 2
        now, ahead, speed = after, after + (speed - 1) / faster * moved, faster
    return now
