"""Errors of answers against the truth: runs, repetitions, sources of error."""
