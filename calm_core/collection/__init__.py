"""The privacy boundary: users report, reports become unbiased estimates."""
