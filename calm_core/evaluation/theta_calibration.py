"""Theta from data: the error of CALM without noise (advice of the paper, section 4.3)."""

import math
from dataclasses import dataclass

import numpy as np

from calm_core._checks import check_count, check_k
from calm_core.collection.aggregation import NoisyMarginals
from calm_core.evaluation.metrics import sse
from calm_core.methods.calm import Calm
from calm_core.planning.plan import make_plan
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import choose_queries

SMALLEST_THETA = 1e-6


@dataclass(frozen=True)
class Calibration:
    """The reconstruction error measured on public or synthetic data.

    Attributes
    ----------
    theta : float
        The proposed value: the mean SSE to two digits, at least `SMALLEST_THETA`.
    l, m : int
        Size and number of the views.
    scores : tuple of float
        SSE of every query.
    """

    theta: float
    l: int  # noqa: E741 - the paper's name
    m: int
    scores: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean SSE of the queries."""
        return sum(self.scores) / len(self.scores)


def calibrate_theta(
    dataset: Dataset,
    *,
    k: int,
    l: int = 2,  # noqa: E741
    m: int | None = None,
    queries: int = 50,
    rng: np.random.Generator,
) -> Calibration:
    """Run CALM without noise on a data set and propose its error as theta.

    The views are exact, so the error is that of reconstructing a k-way marginal from smaller ones, which
    theta estimates. Use public or synthetic data with similar correlations: measuring on the private data
    would leak information.

    Parameters
    ----------
    dataset : Dataset
        Public or synthetic data.
    k : int
        Size of the marginals of interest, more than l.
    l : int
        Attributes per view; 2, the views Algorithm 1 falls back on, gives the largest theta.
    m : int, optional
        Number of views; all C(d, l) where omitted.
    queries : int
        Random k-way marginals to measure.
    rng : numpy Generator
        Chooses views and queries.

    Examples
    --------
    >>> from calm_core.tables.domain import Domain
    >>> rng = np.random.default_rng(1)
    >>> codes = rng.integers(0, 2, size=(1000, 3))
    >>> codes[:, 2] = codes[:, 0] ^ codes[:, 1]
    >>> data = Dataset.from_codes(codes, Domain(("a", "b", "sum"), (2, 2, 3)))
    >>> calibrate_theta(data, k=3, rng=rng).theta
    0.12
    """
    domain = dataset.domain
    k = check_k(k, domain.d, low=2)
    check_count("l", l, high=k - 1, remedy="larger views hold the table: nothing is rebuilt")
    m = math.comb(domain.d, l) if m is None else m
    plan = make_plan(domain, max(dataset.n, m), epsilon=1.0, k=k, rng=rng, l=l, m=m)
    exact = tuple(dataset.marginals(plan.views))
    noisy = NoisyMarginals(domain, exact, (1.0,) * plan.m, (dataset.n,) * plan.m)
    asked = choose_queries(domain, k, queries, rng=rng)
    answers = Calm(epsilon=1.0, k=k).infer(noisy).marginals(asked)
    scores = tuple(map(sse, dataset.marginals(asked), answers))
    theta = max(float(f"{sum(scores) / len(scores):.1e}"), SMALLEST_THETA)
    return Calibration(min(theta, 1.0), l, plan.m, scores)
