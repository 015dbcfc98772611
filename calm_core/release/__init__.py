"""Questions to a release: shares, means, comparisons, associations and regressions, with intervals.

They work from plan and reports (a simulation, an opened state, a class) and never see the data set.
"""

from calm_core.release.associations import association, independence, strongest_pairs
from calm_core.release.comparison import difference, ratio
from calm_core.release.conditions import ValueRange
from calm_core.release.estimate import Estimate
from calm_core.release.numbers import mean, quantile
from calm_core.release.questions import ask
from calm_core.release.regressions import regression
from calm_core.release.shares import share

__all__ = [
    "ValueRange", "Estimate", "ask", "association", "difference", "independence", "mean", "quantile",
    "ratio", "regression", "share", "strongest_pairs",
]  # fmt: skip
