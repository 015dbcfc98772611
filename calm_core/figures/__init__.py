"""Figures: tidy tables to plotly figures. The only part of the library that imports plotly."""
