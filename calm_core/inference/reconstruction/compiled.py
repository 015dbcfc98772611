"""Iterative proportional fitting as machine code, compiled by numba on first use.

numba is imported only here and only when called: importing the package stays quick. What is fitted
in machine code depends on the question alone, never on what the process did before: sums in another
order end in other digits. The first question of a process waits 0.4 s for numba; where data were
collected before, which loads it too, 5 ms.
"""

from functools import lru_cache

import numpy as np

from calm_core._checks import readonly

_CHECK_EVERY = 32


def _ipf(tables, maps, starts, targets, tolerance, most_sweeps, violations, sweeps):
    """Fit every table (q, cells), in place, to its targets (q, all constraint cells)."""
    sums = np.zeros(starts[-1])
    for q in range(tables.shape[0]):
        table = tables[q]
        target = targets[q]
        before = 1e300
        for sweep in range(1, most_sweeps + 1):
            worst = 0.0
            for j in range(maps.shape[0]):
                for c in range(starts[j], starts[j + 1]):
                    sums[c] = 0.0
                for i in range(maps.shape[1]):
                    sums[maps[j, i]] += table[i]
                for c in range(starts[j], starts[j + 1]):
                    gap = abs(sums[c] - target[c])
                    if gap > worst:
                        worst = gap
                    sums[c] = target[c] / sums[c] if sums[c] > 0.0 else 0.0
                for i in range(maps.shape[1]):
                    table[i] *= sums[maps[j, i]]
            sweeps[q] = sweep
            violations[q] = worst
            if worst <= tolerance:
                break
            if sweep % _CHECK_EVERY == 0:
                # Progress so slow that the sweeps left would not do: another method takes over.
                needed = tolerance / worst
                if (worst / before) ** ((most_sweeps - sweep) / _CHECK_EVERY) > needed:
                    break
                before = worst


@lru_cache(maxsize=1)
def compiled_ipf():
    """The compiled `_ipf`; about a second the first time ever, then read from numba's cache."""
    import numba

    kernel = numba.njit(cache=True, nogil=True)(_ipf)
    # One cell, one constraint: types must be those of a Pattern, read-only arrays included.
    one, count = np.ones((1, 1)), np.zeros(1, dtype=np.int64)
    maps, starts = readonly(np.zeros((1, 1), np.int32)), readonly(np.arange(2))
    kernel(one, maps, starts, one, 1e-9, 1, np.zeros(1), count)
    return kernel


def compile_ipf() -> None:
    """Compile now, so that no question has to wait for it; safe to call in a thread at start."""
    compiled_ipf()
