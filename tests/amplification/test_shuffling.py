"""The guarantee after shuffling, against published numbers, direct sums and the mechanism itself."""

import math
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

import calm_core as cc
from calm_core.oracles import GRR, OLH, OUE, SubsetSelection
from calm_core.oracles.parity import Parity

shuffled_epsilon, shuffle = cc.amplification.shuffled_epsilon, cc.amplification.shuffle


def counts_of(n: int, kinds: int) -> np.ndarray:
    """All ways to have n reports of so many kinds."""
    return np.array([c for c in product(range(n + 1), repeat=kinds) if sum(c) == n])


def delta_by_sums(epsilon, others, chances_x, chances_y, n):
    """The hockey stick of one report among n - 1 others, which have the given chances and may show nothing."""
    # Half a second, for whoever only collects the tests.
    from scipy.stats import multinomial

    rest = [*others, 1 - sum(others)]
    counts = counts_of(n, len(rest))

    def chance(own):
        without = [counts - np.eye(len(rest), dtype=int)[kind] for kind in range(len(own))]
        each = [
            np.where((c >= 0).all(axis=1), multinomial.pmf(np.maximum(c, 0), n - 1, rest), 0)
            for c in without
        ]
        return sum(p * part for p, part in zip(own, each))

    return np.maximum(chance(chances_x) - math.exp(epsilon) * chance(chances_y), 0).sum()


def assert_least(found, epsilon, delta, exact):
    """`found` keeps the promise of the direct sums, and a little less does not."""
    assert exact(found) <= delta
    assert found == epsilon or exact(found - 1e-3 * epsilon) > delta


@pytest.mark.parametrize(
    ("n", "published"), [(2340, (0.045, 0.116, 0.341, 1.61)), (8333, (0.023, 0.058, 0.171, 0.67))]
)
def test_clones_bound_meets_published_numbers(n, published):
    for epsilon, coarse in zip((0.5, 1, 2, 4), published):
        found = shuffled_epsilon(epsilon, n, 1e-6)
        # The published ones have two or three digits of a coarser evaluation.
        assert 0.97 * coarse <= found <= 1.01 * coarse
        assert shuffle(epsilon, n, 1e-6).epsilon <= found


# Lower and upper bound by the authors' own program (github.com/apple/ml-shuffling-amplification at 993d285,
# `numericalanalysis` with 14 halvings and steps of max(1, n // 2000)).
PUBLISHED = {
    (1_001, 1e-5, 0.5): (0.05825, 0.06199),
    (1_001, 1e-5, 1): (0.15397, 0.16270),
    (1_001, 1e-5, 2): (0.46716, 0.48889),
    (1_001, 1e-5, 4): (3.89380, 3.93530),
    (10_000, 1e-6, 0.5): (0.02040, 0.02153),
    (10_000, 1e-6, 1): (0.05299, 0.05548),
    (10_000, 1e-6, 2): (0.15495, 0.16057),
}


def test_clones_bound_is_that_of_the_published_program():
    for (n, delta, epsilon), (low, high) in PUBLISHED.items():
        found = shuffled_epsilon(epsilon, n, delta)
        assert abs(found / low - 1) < 0.001 and found < high, (n, epsilon)


@pytest.mark.parametrize(("epsilon", "n"), [(0.1, 9), (1.0, 30), (3.0, 2)])
def test_clones_bound_is_that_of_direct_sums(epsilon, n):
    clone, truth = math.exp(-epsilon) / 2, 1 / (1 + math.exp(-epsilon))

    def exact(central):
        return delta_by_sums(central, [clone] * 2, [truth, 1 - truth], [1 - truth, truth], n)

    delta = exact(0.4 * epsilon)
    assert_least(shuffled_epsilon(epsilon, n, delta), epsilon, delta, exact)


@pytest.mark.parametrize("oracle", [GRR(1.0, 5), SubsetSelection(0.8, 7), OUE(2.0, 5)], ids=repr)
def test_blanket_bound_is_that_of_direct_sums(oracle):
    """The sums go over the kinds of reports: which of two values a report supports."""
    n, shrink = 8, math.exp(-oracle.epsilon)
    table = oracle.likelihoods() if oracle.name != "subset" else subset_table(oracle)
    least = table.min(axis=1)
    if oracle.name == "oue":
        # Its report of all cells counts as if there were a cell that it does not support.
        least[-1] *= shrink
    supports = np.isclose(table[:, :2], least[:, None] / shrink)
    kind = supports @ [1, 2]

    def by_kind(chances):
        return np.bincount(kind, weights=chances, minlength=4)

    def exact(central):
        own = [by_kind(table[:, value]) for value in (0, 1)]
        return delta_by_sums(central, list(by_kind(least)), *own, n)

    delta = exact(0.3)
    found = shuffle(oracle.epsilon, n, delta, randomizer=oracle)
    assert found.bound == "blanket"
    assert_least(found.epsilon, oracle.epsilon, delta, exact)


def test_a_table_of_probabilities_is_bounded_as_by_direct_sums():
    n, table = 7, np.random.default_rng(1).dirichlet(np.full(3, 9.0), 3)
    least = table.min(axis=0)
    epsilon = np.log(table / least).max()

    def exact(central):
        pairs = product(table, repeat=2)
        return max(delta_by_sums(central, list(least), *pair, n) for pair in pairs)

    delta = exact(0.4 * epsilon)
    found = cc.amplification.shuffle_table(table, n, delta)
    assert found.bound == "blanket"
    assert_least(found.epsilon, epsilon, delta, exact)


@pytest.mark.parametrize("oracle", [GRR(1.0, 64), OUE(1.0, 5)], ids=repr)
def test_the_table_of_an_oracle_gives_its_guarantee(oracle):
    table = np.hstack([oracle.likelihoods().T, np.zeros((oracle.size, 1))])
    by_table = cc.amplification.shuffle_table(table, 500, 1e-6)
    known = shuffle(1.0, 500, 1e-6, randomizer=oracle)
    assert by_table.epsilon == pytest.approx(known.epsilon, rel=1e-4)


def test_a_table_whose_inputs_do_the_same_tells_nothing():
    assert cc.amplification.shuffle_table(np.full((3, 4), 0.25), 9, 1e-6).epsilon == 0


@pytest.mark.parametrize(
    ("table", "delta", "message"),
    [
        ([[1.0, 0.0], [0.5, 0.5]], 1e-6, "some inputs only"),
        ([[0.5, 0.5, -0.1], [0.5, 0.5, -0.1]], 1e-6, "from 0 to 1"),
        ([[0.5, 0.5, np.nan], [0.5, 0.5, np.nan]], 1e-6, "from 0 to 1"),
        ([[1 - 1e-9, 1e-9], [0.5, 0.5]], 1e-6, "epsilon .* must be from"),
        ([[0.5, 0.5], [0.5, 0.5]], 0, r"delta \(0\) must be above 0"),
        ([[0.5, 0.5]], 1e-6, "two inputs"),
    ],
)
def test_tables_that_promise_nothing_are_refused(table, delta, message):
    with pytest.raises(cc.InputError, match=message):
        cc.amplification.shuffle_table(table, 9, delta)


def subset_table(oracle):
    """The chance of every set of the oracle's width under every value."""
    sets = counts_of(oracle.width, oracle.size)
    sets = sets[sets.max(axis=1) == 1]
    holds = sets.sum(axis=0)[0]
    return np.where(sets == 1, oracle.p / holds, (1 - oracle.p) / (len(sets) - holds))


def test_the_mechanism_itself_keeps_the_promise():
    """For all answers of the others, the shuffled reports of GRR are at least as private as the bound says."""
    oracle, n, delta = GRR(1.5, 3), 6, 0.02
    table, outcomes = oracle.likelihoods(), [tuple(c) for c in counts_of(n, 3)]
    found = shuffle(oracle.epsilon, n, delta, randomizer=oracle).epsilon
    assert found < 0.9 * oracle.epsilon

    def chances(values):
        reached = {(0, 0, 0): 1.0}
        for value in values:
            following = {}
            for counts, chance in reached.items():
                for report in range(3):
                    now = tuple(c + (i == report) for i, c in enumerate(counts))
                    following[now] = following.get(now, 0) + chance * table[report, value]
            reached = following
        return np.array([reached[c] for c in outcomes])

    worst = max(
        np.maximum(chances((x, *rest)) - math.exp(found) * chances((y, *rest)), 0).sum()
        for rest in combinations_with_replacement(range(3), n - 1)
        for x in range(3) for y in range(3)
    )  # fmt: skip
    assert 0.3 * delta < worst <= delta


@pytest.mark.parametrize("epsilon", [1e-6, 0.5, 16.0])
def test_more_reports_and_what_is_known_of_them_only_help(epsilon):
    before = epsilon
    parities = Parity(epsilon, 8, ((0, 1), (1, 2)))
    for n in (1, 100, 10**12):
        clones = shuffled_epsilon(epsilon, n, 1e-8)
        unknown = shuffle(epsilon, n, 1e-8)
        assert unknown.epsilon <= clones <= before * (1 + 1e-4)
        assert unknown.epsilon <= epsilon
        for oracle in (GRR(epsilon, 6), OLH(epsilon, 6), parities):
            assert shuffle(epsilon, n, 1e-8, randomizer=oracle).epsilon <= unknown.epsilon * (
                1 + 1e-4
            )
        before = clones


def test_a_plan_promises_what_its_worst_view_does():
    domain = cc.Domain(("a", "b", "c"), (2, 2, 12))
    oracles = (GRR(1.0, 4), OUE(1.0, 24), GRR(1.0, 24))
    choice = cc.choose_views(9000, domain.sizes, 1.0, 2)
    views = (("a", "b"), ("b", "c"), ("a", "c"))
    plan = cc.Plan(domain, 9000, 1.0, 2, 1e-3, views, oracles, choice, weights=(0, 1, 2))
    found = cc.amplification.shuffle_plan(plan, 9001, 1e-6)
    assert [view.n for view in found.views] == [0, 3000, 6000]
    assert found.views[0].bound == "local" and found.epsilon == 1.0
    for view, oracle in zip(found.views[1:], oracles[1:]):
        assert view == shuffle(1.0, view.n, 1e-6, randomizer=oracle)


def test_a_view_of_one_cell_has_no_secret():
    assert shuffle(1.0, 50, 1e-6, randomizer=GRR(1.0, 1)).epsilon == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n": 0}, r"n \(0\) must be a whole number"),
        ({"delta": 0}, r"delta \(0\) must be above 0"),
        ({"epsilon": 20}, r"epsilon \(20\) must be from"),
        ({"randomizer": GRR(2.0, 4)}, "must be that of the reports, 1"),
    ],
)
def test_refusals(given, message):
    with pytest.raises(cc.InputError, match=message):
        shuffled_epsilon(**{"epsilon": 1.0, "n": 100, "delta": 1e-6, **given})
