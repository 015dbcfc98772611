"""Empirical-Bayes regularised maximum entropy: the engine of CALM+."""
