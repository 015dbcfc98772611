"""Using a release: questions with intervals, microdata, and the privacy card.

Everything works from plan and reports (a simulation, an opened state, a class) and never sees the data set.
"""

# Not lazy, as `calm_core` is: some functions have the name of their module, which would hide them once it is imported.
from calm_core.release.associations import association, independence
from calm_core.release.comparison import difference, ratio
from calm_core.release.estimate import Estimate, ValueRange
from calm_core.release.microdata import ScoreCard, microdata, score_card
from calm_core.release.numbers import mean, quantile
from calm_core.release.privacy_card import PrivacyCard, privacy_card
from calm_core.release.questions import ask, ask_together
from calm_core.release.regressions import regression
from calm_core.release.shares import GroupShares, find_group_shares, share

__all__ = [
    "Estimate", "GroupShares", "PrivacyCard", "ScoreCard", "ValueRange", "ask", "ask_together", "association", "difference", "find_group_shares",
    "independence", "mean", "microdata", "privacy_card", "quantile", "ratio", "regression", "score_card",
    "share",
]  # fmt: skip
