"""Shrinkage: the estimator of CALM+, empirical-Bayes regularized maximum entropy.

`interactions` computes the interaction of every measured set of attributes, and their covariance; `priors` learns from them
how strong interactions of each order are. `regions` chooses which attributes are fitted together and up to
which order, and sets up these fits; `log_linear` fits posterior modes of log-linear tables. `empirical_bayes`
learns the priors again from the fits and loosens them where residuals are too large. `intervals` has the credible
intervals, and `answers` the object that is queried.
"""
