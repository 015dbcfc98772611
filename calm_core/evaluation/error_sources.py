"""The sources of the error: noise, sampling and reconstruction, separated by rerunning.

The error of CALM has three sources (section 4.1): randomized reports, groups that are only a sample of
the users, and marginals that no view covers. Each is measured by repeating the collection with the same
plan and the same groups, and removing one source. The third alone, of a public data set, is a value of theta.
"""

import copy
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd

from calm_core._checks import check_count, check_k
from calm_core.collection.aggregation import NoisyMarginals, aggregate
from calm_core.collection.simulation import collect
from calm_core.evaluation.metrics import sse, wrong_share
from calm_core.methods.calm import Calm
from calm_core.planning.plan import make_plan
from calm_core.runtime.cancellation import checkpoint
from calm_core.tables.dataset import Dataset, People
from calm_core.tables.domain import TABLES_SCORED, choose_queries

PARTS = ("noise", "sampling", "reconstruction")


@dataclass(frozen=True)
class _Truthful:
    """A frequency oracle without noise: every report is the true value."""

    size: int
    sets: ClassVar[None] = None

    def simulate(self, counts: np.ndarray, *, rng: np.random.Generator) -> np.ndarray:
        return np.asarray(counts)

    def estimate(self, support: np.ndarray, n: int) -> np.ndarray:
        return support / n

    def variance(self, n: int) -> float:
        return 1.0 / n

    contrast_variance = variance

    def value_variance(self, n: int) -> float:
        return 0.0


def split_error(
    dataset: People,
    method: Calm,
    queries: Sequence[Iterable[str]],
    *,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Split the SSE of every query into noise, sampling and reconstruction error.

    The same plan and the same groups are used three times: with noise; without noise, so that the table
    of every group is exact; and without noise and grouping, so that every view is exact for the whole
    population and only reconstruction errs. The differences are the parts, which add up to the measured
    SSE. A part of one run can be slightly negative, because errors can cancel.

    Parameters
    ----------
    dataset : Dataset
        n users; the truth, so this exists in simulation only.
    method : Calm
        The configuration to explain.
    queries : sequence of attribute sets
        Marginals to score.
    rng : numpy Generator
        Randomness of plan, groups and reports.

    Returns
    -------
    DataFrame
        One row per query: `query`, `attributes`, `covered`, `sse` and its parts `noise`, `sampling`,
        `reconstruction`; and `wrong`, the share of people in the wrong cell.

    Examples
    --------
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> rng = np.random.default_rng(1)
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> data = Dataset.from_codes(rng.integers(0, 2, size=(5000, 2)), domain)
    >>> row = split_error(data, Calm(epsilon=1.0, k=2), [("sex", "age")], rng=rng).iloc[0]
    >>> bool(row.covered), bool(abs(row.noise + row.sampling + row.reconstruction - row.sse) < 1e-12)
    (True, True)
    """
    queries = [dataset.domain.canonical(query) for query in queries]
    plan = method.plan(dataset.domain, dataset.n, rng=rng)
    same_groups = copy.deepcopy(rng)
    noisy = aggregate(collect(dataset, plan, rng=rng))
    truthful = replace(plan, oracles=tuple(_Truthful(oracle.size) for oracle in plan.oracles))
    groups = aggregate(collect(dataset, truthful, rng=same_groups))
    # Other tables for the same views, with the weights of the noisy ones.
    tables = noisy.tables, groups.tables, tuple(dataset.marginals(plan.views))
    stages = (replace(noisy, tables=each) for each in tables)
    answers = [method.infer(stage).marginals(queries) for stage in stages]
    rows = []
    for i, (query, truth) in enumerate(zip(queries, dataset.marginals(queries))):
        checkpoint()
        full, no_noise, no_groups = (sse(truth, answer[i]) for answer in answers)
        rows.append({
            "query": i, "attributes": query, "covered": plan.covers(query), "sse": full,
            "noise": full - no_noise, "sampling": no_noise - no_groups, "reconstruction": no_groups,
            "wrong": wrong_share(truth, answers[0][i]),
        })  # fmt: skip
    return pd.DataFrame(rows)


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
    queries: int = TABLES_SCORED,
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
    sample = choose_queries(domain, k, queries, rng=rng)
    answers = Calm(epsilon=1.0, k=k).infer(noisy).marginals(sample)
    scores = tuple(map(sse, dataset.marginals(sample), answers))
    theta = max(float(f"{sum(scores) / len(scores):.1e}"), SMALLEST_THETA)
    return Calibration(min(theta, 1.0), l, plan.m, scores)
