"""What every method of a trusted curator really spends, by an account kept from outside."""

from dataclasses import replace

import numpy as np
import pytest

import calm_core as cc
from calm_core.methods.central import CENTRAL
from tests.reference.sensitivity import account, record_noise

EPSILON = 0.5
BITS, MIXED = (2,) * 5, (2, 3, 5, 2)
# Method, sizes, settings. DataCube and the Matrix Mechanism release several marginals for k = 1,
# Learning several orders for k = 3; MWEM also runs out of marginals to select.
CASES = {
    "priview": ("priview", BITS, {"k": 2, "view_size": 3}),
    "priview-mixed": ("priview", MIXED, {"k": 2, "view_size": 3}),
    "flat": ("flat", MIXED, {"k": 2}),
    "direct": ("direct", MIXED, {"k": 2}),
    "fourier": ("fourier", BITS, {"k": 2}),
    "fourier_lp": ("fourier_lp", BITS, {"k": 3}),
    "datacube": ("datacube", MIXED, {"k": 1}),
    "matrix": ("matrix", MIXED, {"k": 1}),
    "mwem": ("mwem", BITS, {"k": 2, "turns": 5}),
    "mwem-usual": ("mwem", MIXED, {"k": 2}),
    "learning": ("learning", BITS, {"k": 3}),
}


def case(name):
    """A configured method, records of 24 users and their domain."""
    method, sizes, settings = CASES[name]
    domain = cc.Domain(tuple("abcde"[: len(sizes)]), sizes)
    codes = np.random.default_rng(7).integers(0, sizes, size=(24, len(sizes)))
    return cc.METHODS[method](epsilon=EPSILON, **settings), codes, domain


def test_the_account_knows_every_method():
    assert {method for method, _, _ in CASES.values()} == {method.name for method in CENTRAL}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_one_user_more_or_less_costs_epsilon(name, rng):
    spent = account(*case(name), rng=rng)
    assert max(spent) <= EPSILON * (1 + 1e-9)
    if name.startswith("mwem"):
        # Some user makes one marginal look better and another worse in most rounds.
        assert max(spent) > 0.7 * EPSILON
    else:
        assert min(spent) >= EPSILON * (1 - 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["flat", "direct", "fourier", "priview", "mwem", "learning"])
def test_one_record_replaced_costs_up_to_twice_epsilon(name, rng):
    method, codes, domain = case(name)
    spent = account(method, codes[:8], domain, rng=rng, replace=True)
    assert EPSILON < max(spent) <= 2 * EPSILON * (1 + 1e-9)
    if name == "flat":
        assert min(spent) >= 2 * EPSILON * (1 - 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["flat", "fourier", "priview", "mwem", "learning"])
def test_one_record_replaced_costs_epsilon_where_that_is_promised(name, rng):
    method, codes, domain = case(name)
    method = replace(method, neighbors="replace")
    assert max(account(method, codes[:8], domain, rng=rng, replace=True)) <= EPSILON * (1 + 1e-9)


@pytest.mark.parametrize("name", CASES)
def test_every_scale_is_doubled_where_a_replacement_is_protected(name, rng):
    method, codes, domain = case(name)

    def scales(neighbors):
        with record_noise() as steps:
            replace(method, neighbors=neighbors).release(
                cc.Dataset.from_codes(codes, domain), rng=rng
            )
        return [step.kind for step in steps], np.array([step.scale for step in steps])

    kinds, usual = scales("add-remove")
    doubled = scales("replace")
    assert kinds == doubled[0]
    assert np.allclose(doubled[1], 2 * usual)


def test_mwem_selects_no_marginal_twice_while_one_is_left(rng, monkeypatch):
    # The worst choice there could be: always the first marginal that may still be selected.
    monkeypatch.setattr(
        "calm_core.methods.central.base.CentralMethod.select",
        lambda self, scores, scale, *, rng: int(np.flatnonzero(scores > -np.inf)[0]),
    )
    _, codes, domain = case("mwem")
    data = cc.Dataset.from_codes(codes, domain)
    with record_noise() as steps:
        cc.METHODS["mwem"](epsilon=EPSILON, k=2, turns=10).release(data, rng=rng)
    assert [step.out for step in steps if step.kind == "select"] == list(range(10))


def test_selection_follows_the_exponential_mechanism(rng):
    # Chi-square at 3 degrees of freedom: above 35 about once in 10^7 runs.
    method = cc.METHODS["mwem"](epsilon=1.0, k=1)
    scores, scale, draws = np.array([0.0, 3.0, -np.inf, 5.0, 6.0]), 4.0, 20_000
    seen = np.bincount([method.select(scores, scale, rng=rng) for _ in range(draws)], minlength=5)

    def distance(scale):
        chances = np.exp(scores / scale)
        expected = draws * (chances / chances.sum())[[0, 1, 3, 4]]
        return ((seen[[0, 1, 3, 4]] - expected) ** 2 / expected).sum()

    assert seen[2] == 0
    assert distance(scale) < 35
    assert min(distance(scale / 1.3), distance(1.3 * scale)) > 35
