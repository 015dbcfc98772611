"""The privacy boundary: users report, and reports are counted and turned into unbiased estimates."""
