"""Shares of single attributes: against exact integrals, and how often their intervals hold."""

import numpy as np
import pytest

from calm_core.inference.nonnegativity import norm_sub
from calm_core.inference.shrinkage import one_way
from calm_core.inference.shrinkage.answers import infer_plus
from calm_core.inference.shrinkage.one_way import SharePosterior, infer_shares
from calm_core.planning.plan import make_plan
from tests.reference.exact_collection import collect_exactly, errors_of, ratio
from tests.reference.populations import independent, skewed_functions, zipf


def exact_posteriors(measured, noise) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means (G, 3), variances (G, 3) and log evidence (G,) for three values, summed over a fine grid."""
    steps = (np.arange(600) + 0.5) / 600
    # Shares as products: a first one, and how the rest is divided.
    first, second = np.meshgrid(steps, steps, indexing="ij")
    shares = np.stack([first, (1 - first) * second, (1 - first) * (1 - second)])
    like = np.exp(-0.5 * ((shares - measured[:, None, None]) ** 2 / noise[:, None, None]).sum(0))
    logs, found = np.log(shares).sum(0), []
    for a in np.geomspace(one_way.MAX_SKEWED / 3, one_way.MAX_EQUAL, one_way.DISTRIBUTIONS):
        log = (a - 1) * logs
        weight = np.exp(log - log.max()) * (1 - first)
        joint = weight * like
        mean = (shares * joint).sum((1, 2)) / joint.sum()
        variance = ((shares - mean[:, None, None]) ** 2 * joint).sum((1, 2)) / joint.sum()
        found.append((mean, variance, np.log(joint.sum() / weight.sum())))
    return tuple(map(np.array, zip(*found)))


@pytest.mark.parametrize("measured", [(0.8, 0.15, 0.05), (0.45, 0.35, 0.2), (1.02, 0.05, -0.07)])
def test_posteriors_are_close_to_exact_integrals(measured):
    measured, noise = np.array(measured), np.full(3, 0.06**2)
    means, variances, evidence = one_way._posteriors(measured[None], noise[None])
    exact_means, exact_variances, exact_evidence = exact_posteriors(measured, noise)
    # Distributions of which the grid of the referee sees all.
    for g in range(5, one_way.DISTRIBUTIONS):
        ours = SharePosterior(np.ones(1), means[0, g : g + 1], variances[0, g : g + 1], noise)
        np.testing.assert_allclose(ours.mean, exact_means[g], atol=0.02)
        sd = np.sqrt(exact_variances[g])
        np.testing.assert_allclose(np.sqrt(ours.covariance().diagonal()), sd, rtol=0.2, atol=0.003)
    off = (evidence[0] - exact_evidence)[5:]
    assert np.ptp(off) < 0.7


def test_a_posterior_has_the_trace_that_it_says(rng):
    (one,) = infer_shares([np.array([0.5, 0.3, 0.2, 0.0])], [np.full(4, 0.01)])
    assert one.mean.sum() == pytest.approx(1) and one.mean.min() > 0
    assert one.covariance().sum() == pytest.approx(0, abs=1e-6)
    assert one.mean_variance == pytest.approx(one.covariance().trace() / 3)
    assert 0 < one.kept_share < 1
    (exact,) = infer_shares([np.array([0.5, 0.3, 0.2, 0.0])], [np.full(4, 1e-12)])
    np.testing.assert_allclose(exact.mean, [0.5, 0.3, 0.2, 0], atol=1e-5)


# Shares, and the noise of a cell; the largest bias and the ratio of squared errors to Norm-Sub's.
SKEWED = {
    "fifty values, 61% in one": (zipf(50, 2), 0.1), "and less noise": (zipf(50, 2), 0.02),
    "nearly all in one of fifty": (np.append(np.full(49, 0.02 / 49), 0.98), 0.1),
    "a fifth in one of fifty": (zipf(50, 1), 0.03), "five values": (zipf(5, 1), 0.05),
}  # fmt: skip


@pytest.mark.parametrize("name", SKEWED)
def test_the_largest_share_of_a_skewed_attribute_stays(name, rng):
    shares, sd = SKEWED[name]
    measured = shares + sd * rng.standard_normal((60, len(shares)))
    measured -= (measured.sum(axis=1, keepdims=True) - 1) / len(shares)
    found = [infer_shares([one], [np.full(len(shares), sd**2)])[0] for one in measured]
    means = np.array([one.mean for one in found])
    sds = np.array([np.sqrt(one.covariance().diagonal()) for one in found])
    at = shares.argmax()
    assert abs((means - shares)[:, at].mean()) < 0.75 * sd
    assert (np.abs(means - shares)[:, at] < 1.96 * sds[:, at] + 1e-9).mean() > 0.85
    squares = ((means - shares) ** 2).sum()
    assert squares < 1.03 * ((norm_sub(measured, total=1.0) - shares) ** 2).sum()


def test_equal_shares_are_shrunk_together_and_attributes_help_each_other(rng):
    measured = 0.05 + 0.03 * rng.standard_normal((8, 20))
    measured -= (measured.sum(axis=1, keepdims=True) - 1) / 20
    noise = [np.full(20, 0.03**2)] * 8
    alone = [infer_shares([one], noise[:1])[0].mean for one in measured]
    together = [one.mean for one in infer_shares(list(measured), noise)]
    errors = [np.square(np.array(means) - 0.05).sum() for means in (measured, alone, together)]
    assert errors[1] < 0.3 * errors[0] and errors[2] < errors[1]


@pytest.mark.slow
def test_skewed_attributes_with_many_values_err_less_than_by_calm():
    # 1.80 when one prior strength held for all contrasts of an attribute, around equal shares.
    rows = errors_of(skewed_functions(), n=2**14, epsilon=0.5, k=2, repetitions=4, covered=0)
    assert ratio(rows)[0] < 1


def test_a_large_cell_among_many_is_as_uncertain_as_the_share_it_comes_from(rng):
    # So many contrasts that moments count as independent, and nearly all of them are known to be small.
    people = independent(zipf(50, 2), zipf(50, 2), [0.5, 0.5])
    plan = make_plan(people.domain, 2**14, epsilon=0.5, k=2, theta=1e-3, rng=rng)
    plus = infer_plus(collect_exactly(people, plan, rng)[0], order=2)
    table = plus.marginal(("a", "b")).values
    row, column = np.unravel_index(table.argmax(), table.shape)
    sd = np.sqrt(plus.known.shares[0].covariance()[row, row])
    low, high = plus.interval(("a", "b"))
    assert (high - low)[row, column] > 2 * 1.9 * sd * table.sum(axis=0)[column]
    low, high = plus.interval_of_sum(("a", "b"), np.arange(50)[:, None] == np.full((50, 50), row))
    assert high - low > 2 * 1.9 * sd
