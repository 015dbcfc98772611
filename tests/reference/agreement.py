"""Whether tables agree, compared pair by pair."""

from collections.abc import Iterable

import numpy as np

from calm_core import Marginal


def is_consistent(tables: Iterable[Marginal], tol: float = 1e-9) -> bool:
    """Whether every two tables have the same projection on the attributes they share."""
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
