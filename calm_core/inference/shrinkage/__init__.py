"""Shrinkage: the engine of CALM+, empirical-Bayes regularized maximum entropy.

interactions measures what the reports say about every set of attributes; priors takes a first look at
how strong these are, orders says how large sets count, regions picks which attributes are fitted together.
features, fitting (large, where tables are) and local make the tables around the center of centers; cavities
and learning read off them how strong interactions are here, as mixtures of normal distributions (mixtures),
and discrepancy whether their residuals are as large as such priors make them. noise says how reports really
err, by which tables are fitted again; intervals how sure these are; answers serves them, and notes says
how they came about. whole makes tables for methods that know no parities.
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
