"""Many reports of one person: hit rates against Bayes' rule on every possible sequence, and gains against the formula."""

from itertools import product

import numpy as np
import pytest

import calm_core as cc
from calm_core.attacks.asked_again import (
    MOVE,
    AskedAgain,
    Loloha,
    Memoized,
    Rappor,
    repeated_hit_rate,
)
from calm_core.oracles import GRR, OLH, OUE, Parity, SubsetSelection
from tests.attacks.test_one_person import likelihoods_of


def after_days(daily: np.ndarray, days: int) -> np.ndarray:
    """The chance of every sequence of daily reports, from that of every report, by column."""
    found = daily
    for _ in range(days - 1):
        found = (found[:, None] * daily).reshape(-1, daily.shape[1])
    return found


def two_rounds(permanent: np.ndarray, daily: np.ndarray, days: int, prior: np.ndarray) -> float:
    """The hit rate where a permanent report is randomized again every day."""
    return float((after_days(daily, days) @ permanent * prior).max(axis=1).sum())


PRIORS = [np.full(4, 1 / 4), np.array([0.4, 0.3, 0.2, 0.1])]


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(
    "oracle", [GRR(0.8, 4), OUE(0.8, 4), OLH(0.2, 4), SubsetSelection(0.8, 4), Parity(0.8, 4, ((0, 1),))],
    ids=repr,
)  # fmt: skip
def test_the_hit_rate_of_fresh_reports_is_that_of_bayes_rule(oracle, prior):
    expected = (after_days(likelihoods_of(oracle), 3) * prior).max(axis=1).sum()
    rel = 0.005 if oracle.name == "subset" else 1e-12
    assert repeated_hit_rate(oracle, prior, 3) == pytest.approx(expected, rel=rel)


@pytest.mark.parametrize("prior", PRIORS)
def test_the_hit_rate_of_two_rounds_is_that_of_bayes_rule(prior):
    way = Rappor(1.5, 4, 0.6)
    bits = np.array(list(product([0, 1], repeat=4)))
    same = bits[:, None] == np.eye(4, dtype=int)
    permanent = np.where(same, way.permanent, 1 - way.permanent).prod(axis=2)
    kept = bits[:, None] == bits
    daily = np.where(kept, way.daily, 1 - way.daily).prod(axis=2)
    assert way.hit_rate(prior, 2) == pytest.approx(two_rounds(permanent, daily, 2, prior), 1e-12)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_the_hit_rate_of_loloha_is_that_of_bayes_rule(epsilon, prior):
    way = Loloha(epsilon, 4, 0.6)
    permanent, daily = (oracle.likelihoods() for oracle in way._rounds(way.buckets))
    functions = list(product(range(way.buckets), repeat=4))
    rates = [two_rounds(permanent[:, list(one)], daily, 3, prior) for one in functions]
    assert way.hit_rate(prior, 3) == pytest.approx(np.mean(rates), rel=1e-12)


@pytest.mark.parametrize("first", [0.3, 0.8])
def test_a_single_day_has_its_share_of_the_budget(first):
    rappor, loloha = Rappor(2.0, 6, first), Loloha(2.0, 6, first)
    own, other = rappor._chances(1)
    # Two bits differ between two cells.
    assert 2 * np.log(own[1] / other[1]) == pytest.approx(2.0 * first)
    permanent, daily = (oracle.likelihoods() for oracle in loloha._rounds(loloha.buckets))
    day = daily @ permanent
    assert np.log(day.max() / day.min()) == pytest.approx(2.0 * first)


@pytest.mark.parametrize("oracle", ["grr", "oue", "olh", "subset"])
def test_gains_are_within_5_percent_of_the_formula(oracle, rng):
    domain = cc.Domain(("a", "b", "c"), (2, 3, 2))
    codes = (rng.random((4000, 3)) ** 2 * domain.sizes).astype(int)
    people = cc.Dataset.from_codes(codes, domain)
    plan = cc.make_plan(domain, people.n, epsilon=1.0, k=2, rng=rng, oracle=oracle)
    found = AskedAgain(days=5, change=0.3, people=8000).run(plan, people, rng=rng)
    moves = found.table["measure"] == MOVE
    table = found.table[~moves]
    assert table["gain"].to_numpy() == pytest.approx(table["expected"].to_numpy(), rel=0.05)
    assert found.bound > found.defense.gain
    last = table[table["day"] == 5].set_index("way")
    assert last.loc["fresh", "budget"] == pytest.approx(5.0)
    assert (last["budget"].drop("fresh") == 1.0).all()
    # Who has moved once is seen if two memoized reports differ; nobody is on the first day.
    seen = found.table[moves].set_index(["way", "day"])["gain"]
    assert seen["memoized", 1] == 0 < seen["memoized", 2] < seen["memoized", 5] < 0.8
    if oracle == "olh":
        assert seen["memoized", 2] == pytest.approx(0.3, rel=0.1), "two seeds are never the same"


def test_moves_between_two_cells_show_where_two_reports_differ(rng):
    cells, oracle = np.zeros(15_000, dtype=np.int64), GRR(1.0, 2)
    seen = Memoized(oracle).measure_seen(cells, 1.0, 2, rng=rng)
    assert seen[1] / len(cells) == pytest.approx(oracle.p**2 + oracle.q**2, rel=0.03)
