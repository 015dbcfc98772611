"""Shrinkage: the estimator of CALM+, empirical-Bayes regularized maximum entropy.

`interactions` computes the interaction of every measured set of attributes; `priors` learns from them
how strong interactions of each order are. `regions` chooses which attributes are fitted together and up to
which order, and sets up these fits; `log_linear` fits posterior modes of log-linear tables. `empirical_bayes`
learns the priors again from the fits and loosens them where residuals are too large. `noise` is the covariance
of the measured moments, `intervals` the credible intervals, and `answers` the object that is queried.
"""

from calm_core.inference.shrinkage.answers import PlusMarginals, PlusNote, infer_plus
from calm_core.inference.shrinkage.interactions import (
    Interactions,
    full_tables_from_parities,
    measure_interactions,
)
from calm_core.inference.shrinkage.priors import Knowledge, learn_priors

__all__ = [
    "Interactions",
    "Knowledge",
    "PlusMarginals",
    "PlusNote",
    "infer_plus",
    "learn_priors",
    "measure_interactions",
    "full_tables_from_parities",
]
