"""Shrinkage: the engine of CALM+, empirical-Bayes regularised maximum entropy.

interactions measures what the reports say about every set of attributes; priors takes a first look at
how strong these are, orders says how large sets count, regions picks which attributes are fitted together.
features, fitting (large, where tables are) and local make the tables around the centre of centres; cavities
and learning read off them how strong interactions are here, as mixtures of normal distributions (mixtures),
and discrepancy whether their residuals are as large as such priors make them. noise says how reports really
err, by which tables are fitted again; intervals how sure these are; answers serves them, and notes says
how they came about. whole makes tables for methods that know no parities.
"""

from calm_core.inference.shrinkage.answers import PlusMarginals, infer_plus
from calm_core.inference.shrinkage.interactions import Interactions, measure_interactions
from calm_core.inference.shrinkage.notes import PlusNote
from calm_core.inference.shrinkage.priors import Knowledge, learn_priors
from calm_core.inference.shrinkage.whole import full_tables_from_parities

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
