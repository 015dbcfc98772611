"""Stacking: several inferences from the same reports, weighed by how each foretells reports it has not seen.

thinning divides support counts among people, as if each had sent her own report; classes fits mixtures of
latent classes to what the views measured; weighing turns errors on reports left out into weights; answers
serves the weighted tables.
"""

from calm_core.inference.stacking.answers import StackedMarginals, infer_stacked
from calm_core.inference.stacking.thinning import divide_reports, is_divisible

__all__ = ["StackedMarginals", "divide_reports", "is_divisible", "infer_stacked"]
