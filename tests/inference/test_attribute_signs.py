"""Attributes that are coded the other way round: found, turned, and only where the reports tell so."""

import math
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from scipy.special import logsumexp

import calm_core as cc
from calm_core.inference.shrinkage import priors
from calm_core.inference.shrinkage.answers import infer_plus
from calm_core.inference.shrinkage.interactions import contrasts_up_to_order
from calm_core.inference.shrinkage.priors import (
    GRID,
    Evidence,
    estimate_signs,
    fit_mixture,
    pseudo_counts,
)
from calm_core.inference.shrinkage.regions import build_problem
from calm_core.planning.plan import make_plan
from tests.reference.exact_collection import collect_exactly, mixture

PAIRS = np.array(list(combinations(range(8), 2)))


def evidence(first: np.ndarray, noise: float) -> Evidence:
    return Evidence(first, first**2, np.full(len(first), noise), np.ones(len(first)))


def reverse_attributes(noisy: cc.NoisyMarginals, names) -> cc.NoisyMarginals:
    """What would have been told, had some attributes been coded the other way round."""
    tables = [reverse(table, names) for table in noisy.tables]
    return replace(noisy, tables=tuple(tables))


def reverse(table: cc.Marginal, names) -> cc.Marginal:
    axes = [axis for axis, name in enumerate(table.attrs) if name in names]
    return cc.Marginal(table.domain, np.flip(table.values, axes))


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_answers_do_not_depend_on_which_way_attributes_are_coded(epsilon, rng):
    rates = [[0.15, 0.25, 0.1, 0.3, 0.2, 0.15], [0.7, 0.8, 0.6, 0.75, 0.7, 0.85]]
    people = mixture([0.6, 0.4], rates)
    plan = make_plan(people.domain, 2**17, epsilon=epsilon, k=2, theta=1e-3, rng=rng)
    noisy, truth = collect_exactly(people, plan, rng)
    asked = list(combinations(people.domain.names, 2))
    plain = infer_plus(noisy, order=2).marginals(asked)
    error = np.mean([cc.sse(truth.project(table.attrs), table) for table in plain])
    for names in ("b", "ce", "bdf"):
        others = infer_plus(reverse_attributes(noisy, names), order=2).marginals(asked)
        apart = [cc.sse(reverse(b, names), a) for a, b in zip(plain, others)]
        # Single attributes are drawn to the mean share of first values, which does depend on it.
        assert np.mean(apart) < 0.08 * error


def test_what_pairs_of_a_region_have_in_common_follows_their_signs(rng):
    people = mixture([0.5, 0.5], [[0.2, 0.75, 0.2, 0.8], [0.8, 0.2, 0.75, 0.2]])
    plan = make_plan(people.domain, 2**17, epsilon=1.0, k=2, theta=1e-3, rng=rng)
    known = infer_plus(collect_exactly(people, plan, rng)[0], order=2).known
    assert sorted(known.signs) == [-1, -1, 1, 1]
    problem = build_problem(known, [(0, 1, 2, 3)])
    for subset, part in zip(problem.contrasts.subsets, problem.contrasts.parts):
        if len(subset) == 2:
            sign = known.signs[list(subset)].prod()
            assert sign * problem.targets.common[0, 0, part.start] > 0
            assert sign * problem.targets.centers[0, part.start] * known.pair_mean > 0


def test_signs_of_contrasts_are_those_of_reversed_values():
    sizes = (2, 3, 4)
    contrasts = contrasts_up_to_order(sizes, 3)
    matrix = contrasts.matrix().reshape(-1, *sizes)
    for chosen in product((1.0, -1.0), repeat=3):
        (signs,) = contrasts.sign_factors(np.array([chosen]))
        axes = [axis + 1 for axis, sense in enumerate(chosen) if sense < 0]
        reversed_values = np.flip(matrix, axes)
        np.testing.assert_allclose(signs[:, None, None, None] * matrix, reversed_values, atol=1e-12)


def one_factor(rng) -> np.ndarray:
    """Pairs of attributes that all go with one thing, half of them coded backwards."""
    strengths = rng.uniform(0.4, 0.8, 8) * rng.permutation([1, 1, 1, 1, -1, -1, -1, -1])
    return strengths[PAIRS].prod(axis=1)


POPULATIONS = {
    "one factor": one_factor,
    "all interact, in either sense": lambda rng: rng.normal(0, math.sqrt(0.02), len(PAIRS)),
    "few interact": lambda rng: rng.normal(0, math.sqrt(0.12), 28) * (rng.random(28) < 1 / 6),
    "some very strongly": lambda rng: 0.05 * rng.standard_t(2, len(PAIRS)),
    "none": lambda rng: np.zeros(len(PAIRS)),
}


@pytest.mark.parametrize("noise", [0.03, 0.001])
@pytest.mark.parametrize("population", POPULATIONS)
def test_attributes_are_turned_where_all_pairs_go_together_and_only_there(population, noise, rng):
    count = 0
    for _ in range(60):
        first = POPULATIONS[population](rng) + rng.normal(0, math.sqrt(noise), len(PAIRS))
        found = estimate_signs(evidence(first, noise), PAIRS, 8)
        count += (found.signs < 0).any()
        np.testing.assert_array_equal(found.seen.first, first * found.signs[PAIRS].prod(axis=1))
    assert count >= 55 if population == "one factor" else count <= 4


def test_the_signs_are_the_best_there_are(rng):
    every = np.array(list(product((1.0, -1.0), repeat=8)))
    for _ in range(20):
        told = rng.normal(0, 0.25, (8, 8))
        told[PAIRS[:, 0], PAIRS[:, 1]] += one_factor(rng)
        told = np.triu(told, 1) + np.triu(told, 1).T
        found = priors.maximize_agreement(told)
        best = np.einsum("si,ij,sj->s", every, told, every).max()
        assert found @ told @ found == pytest.approx(best)
        # Most stay as they are coded.
        assert found.sum() >= 0
        # Where nothing is clear no single attribute is better turned.
        told = rng.normal(size=(8, 8))
        told = np.triu(told, 1) + np.triu(told, 1).T
        found = priors.maximize_agreement(told)
        assert (found * (told @ found) >= 0).all()


def normal(at, mean, variance):
    """The density of a normal distribution."""
    return np.exp(-((at - mean) ** 2) / (2 * variance)) / np.sqrt(2 * math.pi * variance)


def test_evidence_is_what_all_means_together_foretell(rng):
    """The mean by quadrature; of constants that all evidence has in common only differences are told."""
    z, noise, usual = rng.normal(0.2, 0.1, 28), 0.01, 0.02
    seen = evidence(z, noise)

    def told(prior, mean):
        each = normal(z[:, None], mean, GRID + noise) @ prior.population_weights[0]
        moved = imagined @ np.log(prior.population_weights[0] / (imagined / imagined.sum()))
        return np.log(each).sum() + moved

    (imagined, _) = pseudo_counts(usual)
    free, fixed = (fit_mixture(seen, usual=usual, free_mean=free) for free in (True, False))
    means = np.linspace(-0.5, 0.7, 2_001)
    each = [told(free, mean) + math.log(normal(mean, 0, usual)) for mean in means]
    whole = logsumexp(each) + math.log(means[1] - means[0])
    assert free.log_evidence - fixed.log_evidence == pytest.approx(
        whole - told(fixed, 0.0), abs=0.3
    )
