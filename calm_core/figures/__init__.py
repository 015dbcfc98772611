"""Tidy tables become plotly figures here, and nowhere else."""
