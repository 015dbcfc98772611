"""Reports and their aggregated simulation: the right distribution, and the power to notice.

Thresholds are six standard deviations, or one in a million for a chi-square test. Each test
compares a few dozen numbers, so on a random seed the whole file raises a false alarm less than
once in 5,000 runs; what is 30% off is rejected on any seed.
"""

import itertools
import math

import numpy as np
import pytest

from calm_core.oracles import OLH, ORACLES
from calm_core.randomness import draw_without_replacement
from tests.reference.chi_square import fit_pvalue
from tests.reference.oracle_laws import exp_bounds, support_law, table_law

every_oracle = pytest.mark.parametrize("kind", ORACLES.values(), ids=ORACLES)
REPEATS = 8000
COUNTS = np.array([150, 90, 30, 20, 10, 0])


def accepts(oracle, support, counts):
    """Whether estimates of repeated collections have the mean and variance that oracle promises."""
    n, fractions = counts.sum(), counts / counts.sum()
    estimates = oracle.estimate(support, n)
    variance = oracle.variance(n, fractions)
    repeats = len(support)
    bias = np.abs(estimates.mean(axis=0) - fractions) / np.sqrt(variance / repeats)
    spread = np.abs(estimates.var(axis=0, ddof=1) / variance - 1)
    return bool(bias.max() < 6 and spread.max() < 6 * math.sqrt(2 / repeats))


def mislead(oracle, p, q, gap):
    """An oracle whose aggregator holds other parameters than its devices."""
    held = {"p": property(lambda _: p), "q": property(lambda _: q), "gap": property(lambda _: gap)}
    return type("Misled", (type(oracle),), held)(oracle.epsilon, oracle.size)


def per_user(oracle, counts, repeats, rng):
    """Support counts of repeated collections, from reports of single users."""
    values = np.repeat(np.arange(len(counts)), counts)
    reports = oracle.perturb(np.tile(values, repeats), rng=rng)
    return np.array([oracle.support(part) for part in np.split(reports, repeats)])


@every_oracle
@pytest.mark.parametrize(("epsilon", "single"), [(0.5, False), (2.0, False), (1.0, True)])
def test_reports_and_their_simulation_are_unbiased_with_the_exact_variance(
    kind, epsilon, single, rng
):
    oracle, counts = kind(epsilon, len(COUNTS)), COUNTS // 10 if single else COUNTS
    if single:
        support = per_user(oracle, counts, REPEATS, rng)
    else:
        support = oracle.simulate(np.tile(counts, (REPEATS, 1)), rng=rng)
    assert accepts(oracle, support, counts)
    p, q = oracle.p, oracle.q
    for factor in (0.7, 1.3):
        wrong = {"variance": lambda _, n, f, factor=factor: factor * oracle.variance(n, f)}
        assert not accepts(type("Wrong", (kind,), wrong)(epsilon, len(counts)), support, counts)
        assert not accepts(mislead(oracle, p * factor, q, p * factor - q), support, counts)
        assert not accepts(mislead(oracle, p, q * factor, p - q * factor), support, counts)


def chi_square(samples, law):
    """p-value of samples (repeats, L) against an exact law of tables; rare tables are pooled."""
    tables, seen = np.unique(samples, axis=0, return_counts=True)
    found = dict(zip(map(tuple, tables.tolist()), seen, strict=True))
    assert found.keys() <= law.keys(), "a table that cannot happen"
    expected = np.array([float(chance) * len(samples) for chance in law.values()])
    observed = np.array([found.get(table, 0) for table in law])
    common = expected >= 10
    expected = np.append(expected[common], expected[~common].sum())
    observed = np.append(observed[common], observed[~common].sum())
    keep = expected > 0
    return fit_pvalue(observed[keep], expected[keep])


SMALL = [
    pytest.param("grr", 1.0, (2, 1, 0, 1), id="grr"),
    pytest.param("oue", 1.0, (2, 1, 0), id="oue"),
    pytest.param("olh", 0.7, (1, 2, 0), id="olh"),
    pytest.param("olh", 2.0, (1, 1, 0), id="olh-wide"),
    pytest.param("subset", 0.5, (2, 0, 1, 0, 0), id="subset"),
    pytest.param("subset", 0.6, (2, 0, 0, 0, 0, 0, 0), id="subset-3-of-7"),
    pytest.param("subset", 3.0, (2, 1, 0, 1), id="subset-as-grr"),
]
# An oracle without a case is tested by means and variances only, until its law is written out.


@pytest.mark.parametrize(("name", "epsilon", "counts"), SMALL)
@pytest.mark.parametrize("path", ["simulated", "per_user"])
def test_whole_tables_have_the_exact_joint_distribution(name, epsilon, counts, path, rng):
    # The law is worked out from the definition, user by user, in exact fractions: it holds
    # every dependence between cells, which means and variances alone do not see.
    oracle = ORACLES[name](epsilon, len(counts))

    def law_of(epsilon):
        # Rounded to twelve digits, so that the fractions stay short.
        e = exp_bounds(epsilon)[0].limit_denominator(10**12)
        shape = {"width": getattr(oracle, "width", 0), "buckets": getattr(oracle, "buckets", 0)}
        users = [v for v, c in enumerate(counts) for _ in range(c)]
        return table_law([support_law(name, e, len(counts), v, **shape) for v in users])

    if path == "simulated":
        samples = oracle.simulate(np.tile(counts, (60_000, 1)), rng=rng)
    else:
        samples = per_user(oracle, counts, 30_000, rng)
    assert chi_square(samples, law_of(epsilon)) > 1e-6
    for wrong in (epsilon * 0.7, epsilon * 1.3):
        assert chi_square(samples, law_of(wrong)) < 1e-6


@pytest.mark.parametrize(("name", "epsilon", "counts"), SMALL)
def test_contrasts_vary_together_as_their_law_says(name, epsilon, counts, rng):
    # Of one report on a random table, from every report it can be.
    size, e = len(counts), exp_bounds(epsilon)[0].limit_denominator(10**12)
    oracle, f = ORACLES[name](epsilon, size), rng.dirichlet(np.ones(size))
    shape = {"width": getattr(oracle, "width", 0), "buckets": getattr(oracle, "buckets", 0)}
    contrasts = rng.normal(size=(3, size))
    contrasts -= contrasts.mean(axis=1, keepdims=True)
    exact = np.zeros((3, 3))
    for value in range(size):
        law = support_law(name, e, size, value, **shape)
        bits, chances = np.array(list(law), dtype=float), np.array(list(law.values()), dtype=float)
        off = (bits - chances @ bits) @ contrasts.T / oracle.gap
        exact += f[value] * (off.T * chances) @ off
    follows = oracle.value_variance(1)
    even = oracle.contrast_variance(1) - follows / size
    found = even * contrasts @ contrasts.T + follows * (contrasts * f) @ contrasts.T
    np.testing.assert_allclose(found, exact, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("groups", [1, 5000], ids=["alone", "batch"])
def test_draws_without_replacement_for_few_groups_and_for_many(groups, rng):
    pool, take = (3, 1, 4, 2), 5
    law = {
        drawn: math.prod(map(math.comb, pool, drawn)) / math.comb(sum(pool), take)
        for drawn in itertools.product(*(range(c + 1) for c in pool))
        if sum(drawn) == take
    }
    args = np.tile(pool, (groups, 1)), np.full(groups, take)
    batches = [draw_without_replacement(*args, rng=rng) for _ in range(5000 // groups)]
    assert chi_square(np.concatenate(batches), law) > 1e-6
    flat = {drawn: 1 / len(law) for drawn in law}
    assert chi_square(np.concatenate(batches), flat) < 1e-6


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_hashes_collide_as_often_as_chance_allows(epsilon, rng):
    # Two values under a random seed, neighboring or far apart, share a bucket once in g.
    oracle, seeds = OLH(epsilon, 2**20), rng.integers(2**64, size=200_000, dtype=np.uint64)
    g = oracle.buckets
    limit = 6 * math.sqrt((1 / g) * (1 - 1 / g) / len(seeds))
    pairs = [(0, 1), (1, 2), (0, 2), (6, 7), (0, 2**19), (255, 256), (12345, 2**20 - 1)]
    rates = []
    for one, other in pairs:
        same = oracle._hash(seeds, np.array([one])) == oracle._hash(seeds, np.array([other]))
        rates.append(same.mean())
    assert np.abs(np.array(rates) - 1 / g).max() < limit
    assert limit < 0.3 / g


def test_consecutive_seeds_hash_as_well_as_random_ones():
    oracle = OLH(1.0, 64)
    seeds = np.arange(20_000, dtype=np.uint64)
    table = oracle._hash(seeds[:, np.newaxis], np.arange(64))
    g = oracle.buckets
    same = np.array([(table[:, [v]] == np.delete(table, v, axis=1)).mean() for v in range(64)])
    # Means over 63 pairs that share a value are a little more spread than 63 separate pairs.
    assert np.abs(same - 1 / g).max() < 6 * math.sqrt((1 / g) * (1 - 1 / g) / len(seeds))


def test_buckets_are_even_and_triples_independent(rng):
    oracle = OLH(1.0, 8)
    seeds = rng.integers(2**64, size=400_000, dtype=np.uint64)
    g = oracle.buckets
    triples = oracle._hash(seeds[:, np.newaxis], np.array([0, 1, 5])) @ np.uint64([g * g, g, 1])
    seen = np.bincount(triples.astype(np.int64), minlength=g**3)
    assert len(seen) == g**3 and fit_pvalue(seen, seen.mean()) > 1e-6
