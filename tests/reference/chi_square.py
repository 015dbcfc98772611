"""P-values of chi-square tests; importing `scipy.stats` for them takes most of a second in every worker."""

import numpy as np
from scipy.special import chdtrc


def fit_pvalue(found, expected) -> float:
    """Whether counts are those expected."""
    found, expected = np.asarray(found), np.broadcast_to(expected, np.shape(found))
    return chdtrc(found.size - 1, ((found - expected) ** 2 / expected).sum())


def same_law_pvalue(table) -> float:
    """Whether the rows of a table of counts are drawn from one distribution."""
    table = np.asarray(table)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    degrees = (table.shape[0] - 1) * (table.shape[1] - 1)
    return chdtrc(degrees, ((table - expected) ** 2 / expected).sum())
