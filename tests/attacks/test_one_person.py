"""One report: posterior and hit rate against Bayes' rule on every possible report, and gains against the formula."""

from itertools import combinations, product

import numpy as np
import pytest

import calm_core as cc
from calm_core.attacks.guessing import hit_rate, posterior
from calm_core.attacks.one_person import PRIORS, OnePerson
from calm_core.errors import InputError
from calm_core.oracles import GRR, OLH, ORACLES, OUE, Oracle, Parity, SubsetSelection


def likelihoods_of(oracle: Oracle) -> np.ndarray:
    """The chance of every report given every cell, (reports, L), by the definition of the oracle."""
    cells = range(oracle.size)
    if oracle.countable:
        return oracle.likelihoods()
    if isinstance(oracle, SubsetSelection):
        sets = [[v in chosen for v in cells] for chosen in combinations(cells, oracle.width)]
        holds = np.array(sets)
        return np.where(holds, oracle.p / holds[:, 0].sum(), (1 - oracle.p) / (~holds[:, 0]).sum())
    if isinstance(oracle, Parity):
        own = oracle.classes == np.arange(oracle.class_oracle.size)[:, None]
        return np.where(own, oracle.p, oracle.q)
    # Every function from cells to buckets, with every bucket sent.
    functions = np.array(list(product(range(oracle.buckets), repeat=oracle.size)))
    same = functions[:, None] == np.arange(oracle.buckets)[:, None]
    chance = np.where(same, oracle.p, (1 - oracle.p) / (oracle.buckets - 1)) / len(functions)
    return chance.reshape(-1, oracle.size)


SMALL = [kind(epsilon, 5) for kind in (GRR, OUE, OLH, SubsetSelection) for epsilon in (0.3, 1.2)]
SMALL += [Parity(1.0, 8, ((0, 1), (1, 2))), SubsetSelection(0.3, 6)]


@pytest.mark.parametrize("oracle", SMALL, ids=repr)
def test_the_hit_rate_is_that_of_bayes_rule_on_every_report(oracle, rng):
    chances = likelihoods_of(oracle)
    for prior in (np.full(oracle.size, 1 / oracle.size), rng.dirichlet(np.ones(oracle.size))):
        expected = (chances * prior).max(axis=1).sum()
        assert hit_rate(oracle, prior) == pytest.approx(expected, rel=1e-12)
        # An attacker with a wrong prior; its own order where cells are alike.
        truth = rng.dirichlet(np.ones(oracle.size))
        best = chances * prior
        ties = np.isclose(best, best.max(axis=1, keepdims=True), rtol=1e-12)
        expected = (ties * chances * truth / ties.sum(axis=1, keepdims=True)).sum()
        assert hit_rate(oracle, prior, truth) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", ORACLES.values())
def test_the_posterior_of_a_report_moves_odds_by_epsilon(kind, rng):
    oracle, prior = kind(1.0, 6), rng.dirichlet(np.ones(6))
    for report in oracle.perturb(np.arange(6), rng=rng):
        after = posterior(oracle, report, prior)
        assert after.sum() == pytest.approx(1)
        moved = np.log(after / prior)
        inside = oracle.support(report[None]) > 0
        # A report that supports all cells, or none, moves nothing.
        tells = 0 < inside.sum() < len(inside)
        base = moved[~inside].mean() if tells else 0.0
        assert moved[inside if tells else slice(None)] - base == pytest.approx(float(tells))


@pytest.mark.parametrize("prior", [[0.5, 0.5], [1, -1, 1], [0, 0, 0], [np.nan, 1, 1]])
def test_a_prior_that_is_none_is_refused(prior):
    with pytest.raises(InputError, match="one number from 0 for each of the 3 cells"):
        posterior(GRR(1.0, 3), 0, prior)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("oracle", ["adaptive", "olh", "subset"])
def test_the_gain_is_within_5_percent_of_the_formula(oracle, prior, rng):
    domain = cc.Domain(("a", "b", "c"), (2, 3, 2))
    codes = (rng.random((4000, 3)) ** 2 * domain.sizes).astype(int)
    people = cc.Dataset.from_codes(codes, domain)
    plan = cc.make_plan(domain, people.n, epsilon=1.0, k=2, rng=rng, oracle=oracle)
    found = OnePerson(prior, people=30_000).run(plan, people, rng=rng)
    assert found.gain == pytest.approx(found.bound, rel=0.05)
    # With errors in the prior, less of a report may be more.
    assert prior == "released" or found.bound > found.defense.gain
    assert found.table["weight"].sum() == pytest.approx(1)


def test_the_bound_of_randomized_response_is_the_textbook_one(rng):
    plan = cc.make_plan(cc.Domain(("a", "b"), (2, 3)), 100, epsilon=2.0, k=2, rng=rng, oracle="grr")
    found = OnePerson(people=10).run(plan, rng=rng)
    assert found.bound == pytest.approx(np.exp(2) / (np.exp(2) + 5))


def test_an_attack_refuses_people_of_another_domain(rng):
    plan = cc.make_plan(cc.Domain(("a", "b"), (2, 3)), 100, epsilon=2.0, k=2, rng=rng)
    people = cc.Dataset.from_codes(np.zeros((9, 2), int), cc.Domain(("a", "b"), (2, 2)))
    with pytest.raises(InputError, match="plan again"):
        OnePerson(people=10).run(plan, people, rng=rng)
