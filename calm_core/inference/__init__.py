"""Inference: from noisy views to any marginal (consistency, non-negativity, reconstruction, shrinkage)."""
