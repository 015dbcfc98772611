"""Shrinkage: the engine of CALM+, empirical-Bayes regularised maximum entropy.

interactions measures what the reports say about every set of attributes; priors learns from all of
them how strong interactions are here; regions picks which attributes are fitted together; fitting and
local make the tables, intervals says how sure they are; answers serves them.
"""

from calm_core.inference.shrinkage.answers import PlusMarginals, PlusNote, infer_plus
from calm_core.inference.shrinkage.interactions import Interactions, measure
from calm_core.inference.shrinkage.priors import Knowledge, learn

__all__ = [
    "Interactions",
    "Knowledge",
    "PlusMarginals",
    "PlusNote",
    "infer_plus",
    "learn",
    "measure",
]
