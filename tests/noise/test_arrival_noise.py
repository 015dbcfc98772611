"""The first reports of a collection have the law of fewer reports, with the power to notice.

Every statistic is compared with its value by formula at six standard errors: on a random seed the file
raises a false alarm less than once in 100,000 runs. What is 20% off is rejected on any seed.
"""

import math

import numpy as np
import pytest

from calm_core import Dataset, Domain, run
from calm_core.collection.aggregation import draw_arrivals, draw_first_reports
from calm_core.collection.simulation import ViewReports
from calm_core.evaluation.run import expected_raw_wrong, follow_view
from calm_core.methods import Calm
from calm_core.oracles import ORACLES, OUE

COUNTS = np.array([150, 90, 30, 20, 10, 0])
N = int(COUNTS.sum())
SHARES = COUNTS / N
EARLY, LATE = 60, 180
REPEATS = 4000

every_oracle = pytest.mark.parametrize("kind", ORACLES.values(), ids=ORACLES)


def variance_of(oracle, reports):
    """Of a cell's share from a random part of the group's people, each reporting once."""
    left = (N - reports) / (N - 1)
    return oracle.variance(reports, SHARES) + SHARES * (1 - SHARES) / reports * left


def accepts(estimates, variance):
    """Whether estimates (repeats, cells) have the true shares as mean, and this variance."""
    repeats = len(estimates)
    bias = np.abs(estimates.mean(axis=0) - SHARES) / np.sqrt(variance / repeats)
    spread = np.abs(estimates.var(axis=0, ddof=1) / variance - 1)
    return bool(bias.max() < 6 and spread.max() < 6 * math.sqrt(2.2 / repeats))


def courses(oracle, rng):
    """Support counts at two moments of many collections, (repeats, 2, cells)."""
    totals = oracle.simulate(np.tile(COUNTS, (REPEATS, 1)), rng=rng)
    groups = (ViewReports(("a",), oracle, total, N) for total in totals)
    return np.array(
        [
            [part.support for part in draw_first_reports(group, (EARLY, LATE), rng=rng)]
            for group in groups
        ]
    )


@every_oracle
def test_early_reports_and_those_between_two_moments_are_reports_like_any(kind, rng):
    oracle = kind(1.0, len(COUNTS))
    early, late = courses(oracle, rng).transpose(1, 0, 2)
    for support, reports in ((early, EARLY), (late, LATE), (late - early, LATE - EARLY)):
        estimates, variance = oracle.estimate(support, reports), variance_of(oracle, reports)
        assert accepts(estimates, variance)
        assert not accepts(estimates, 1.2 * variance) and not accepts(estimates, variance / 1.2)


def test_the_covariance_left_out_is_what_the_docstring_says(rng):
    # Real reports, bit by bit, against those drawn from their sums.
    oracle = OUE(4.0, len(COUNTS))
    people = np.repeat(np.arange(len(COUNTS)), COUNTS)
    real = []
    for _ in range(REPEATS):
        first = rng.permutation(people)[:EARLY]
        real.append(oracle.support(oracle.perturb(first, rng=rng)))
    drawn = courses(oracle, rng)[:, 0]
    real, drawn = (oracle.estimate(part, EARLY)[:, :2] for part in (np.array(real), drawn))
    left_out = -SHARES[0] * SHARES[1] * (1 / EARLY - 1 / N)
    scale = np.sqrt(np.prod(variance_of(oracle, EARLY)[:2]) * 1.2 / REPEATS)
    difference = np.cov(real.T)[0, 1] - np.cov(drawn.T)[0, 1]
    assert abs(difference - left_out) < 6 * math.sqrt(2) * scale < abs(left_out) / 1.2


def test_groups_come_as_a_sample_without_replacement(rng):
    sizes = np.array([200, 80, 20])
    came = np.array([draw_arrivals(sizes, (60, 180), rng=rng) for _ in range(REPEATS)])
    for part, r in ((came[:, 0], 60), (came[:, 1], 180), (came[:, 1] - came[:, 0], 120)):
        share = sizes / 300
        variance = r * share * (1 - share) * (300 - r) / 299
        assert (np.abs(part.mean(axis=0) - r * share) < 6 * np.sqrt(variance / REPEATS)).all()
        assert (np.abs(part.var(axis=0) / variance - 1) < 6 * math.sqrt(2.2 / REPEATS)).all()


@every_oracle
def test_other_collections_are_as_far_off_as_the_number_says(kind, rng):
    # One view of all attributes: in the end everybody has reported and no sampling error is left.
    codes = np.stack([rng.integers(0, 2, 900), np.maximum(0, rng.integers(-3, 3, 900))], axis=1)
    data = Dataset.from_codes(codes, Domain(("a", "b"), (2, 3)))
    outcome = run(data, Calm(epsilon=3.0, k=2, l=2, m=1, oracle=kind.name), seed=1)
    seen = follow_view(outcome, 0, (0, 90, 900), rng=rng, repeats=2000)
    off = seen.repeats - seen.truth.values.ravel()
    assert np.isnan(off[:, 0]).all() and math.isinf(seen.errors[0])
    for moment in (1, 2):
        mean, spread = off[:, moment].mean(axis=0), off[:, moment].std(axis=0)
        assert (np.abs(mean) < 6 * np.maximum(spread, 1e-12) / math.sqrt(2000)).all()
        ratio = np.abs(off[:, moment]).sum(axis=1).mean() / 2 / seen.errors[moment]
        assert abs(ratio - 1) < 0.06
    sampled = expected_raw_wrong(outcome.plan.oracles[0], seen.truth, 900, 10**9)
    assert sampled > 1.12 * seen.errors[-1], "the test sees a forgotten finite population"
