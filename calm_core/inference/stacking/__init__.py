"""Stacking: several inferences from the same reports, weighted by how well they predict held-out reports.

`thinning` divides support counts among people, as if individual reports were known; `latent_classes` fits
mixtures of latent classes to the measured moments; `answers` turns held-out errors into weights and
answers with the weighted tables.
"""

from calm_core.inference.stacking.answers import StackedMarginals, infer_stacked
from calm_core.inference.stacking.thinning import divide_reports, is_divisible

__all__ = ["StackedMarginals", "divide_reports", "is_divisible", "infer_stacked"]
