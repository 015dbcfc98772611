"""Frequency oracles: formulas, edges, refusals, and the choice among them."""

import dataclasses
import math

import numpy as np
import pytest

from calm_core.errors import DataError, InfeasibleError, InputError
from calm_core.oracles import ORACLE_RULES, ORACLES, choose_oracle
from tests.reference.oracle_laws import STEP, WORD, olh_support, unmixed

EPSILONS = (0.01, 0.1, 0.5, 1, 2, 4, 8, 10)
SIZES = (2, 3, 4, 16, 64)

every_oracle = pytest.mark.parametrize("kind", ORACLES.values(), ids=ORACLES)


def unchecked(kind, epsilon, size):
    """An oracle that its constructor would refuse."""
    oracle = object.__new__(kind)
    object.__setattr__(oracle, "epsilon", epsilon)
    object.__setattr__(oracle, "size", size)
    return oracle


@every_oracle
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_gap_is_p_minus_q(kind, epsilon):
    for size in (1, *SIZES, 4096):
        oracle = kind(epsilon, size)
        assert 0 <= oracle.q < oracle.p <= 1
        assert oracle.gap == pytest.approx(oracle.p - oracle.q, rel=1e-9)


def test_p_and_q_of_grr_and_oue():
    grr, oue = ORACLES["grr"](math.log(3), 5), ORACLES["oue"](math.log(3), 5)
    assert (grr.p, grr.q) == pytest.approx((3 / 7, 1 / 7), rel=1e-14)
    assert (oue.p, oue.q) == pytest.approx((1 / 2, 1 / 4), rel=1e-14)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("size", SIZES)
def test_small_frequency_variance_is_the_papers(epsilon, size):
    e, n = math.exp(epsilon), 1000
    grr = (size - 2 + e) / ((e - 1) ** 2 * n)
    oue = 4 * e / ((e - 1) ** 2 * n)
    assert ORACLES["grr"](epsilon, size).variance(n) == pytest.approx(grr, rel=1e-9)
    assert ORACLES["oue"](epsilon, size).variance(n) == pytest.approx(oue, rel=1e-9)


@every_oracle
def test_variance_broadcasts_and_has_the_frequency_term(kind):
    oracle = kind(1.0, 6)
    p, q = oracle.p, oracle.q
    by_hand = (0.3 * p * (1 - p) + 0.7 * q * (1 - q)) / (500 * (p - q) ** 2)
    assert oracle.variance(500, 0.3) == pytest.approx(by_hand, rel=1e-12)
    both = oracle.variance(np.array([[500], [1000]]), np.array([0.0, 0.3, 1.0]))
    assert both.shape == (2, 3)
    assert both[0, 1] == pytest.approx(by_hand, rel=1e-12)


@every_oracle
def test_estimate_undoes_the_expected_support(kind):
    oracle = kind(0.7, 6)
    fractions = np.array([[0.5, 0.2, 0.1, 0.1, 0.1, 0.0], [0.0, 0.0, 0.0, 0.0, 0.25, 0.75]])
    n = np.array([1000, 20])
    expected = n[:, None] * (oracle.q + fractions * (oracle.p - oracle.q))
    assert oracle.estimate(expected, n) == pytest.approx(fractions, abs=1e-12)
    assert oracle.estimate(expected[0], 1000) == pytest.approx(fractions[0], abs=1e-12)


@every_oracle
def test_estimate_is_neither_clipped_nor_rescaled(kind):
    oracle = kind(1.0, 4)
    low, high = oracle.estimate(np.array([0, 100, 0, 100]), 100)[:2]
    assert low == pytest.approx(-oracle.q / oracle.gap)
    assert high == pytest.approx((1 - oracle.q) / oracle.gap)


@every_oracle
def test_one_value_holds_no_secret(kind, rng):
    oracle = kind(0.5, 1)
    reports = oracle.perturb(np.zeros(7, dtype=int), rng=rng)
    assert oracle.support(reports).tolist() == [7]
    assert oracle.simulate(np.array([[7], [9]]), rng=rng).tolist() == [[7], [9]]
    assert oracle.estimate(np.array([7]), 7) == 1
    assert oracle.variance(7) == oracle.variance(7, 1.0) == oracle.contrast_variance(7) == 0
    assert oracle.support(np.stack([oracle.perturb_securely(0)])).tolist() == [1]


@every_oracle
@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_nothing_overflows(kind, size):
    oracle = unchecked(kind, 1000.0, size)
    assert (oracle.p, oracle.q) == pytest.approx((oracle.p, 0), abs=1e-6)
    for f in (0.0, 0.5, 1.0):
        assert math.isfinite(oracle.variance(10, f))
    tiny = kind(1e-12, size)
    assert np.isfinite(tiny.estimate(np.arange(size), 3)).all()


@every_oracle
@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf, 16.1, "1", True, None])
def test_bad_epsilon_is_refused(kind, epsilon):
    with pytest.raises(InputError, match="epsilon"):
        kind(epsilon, 4)


@every_oracle
@pytest.mark.parametrize("size", [0, -3, 2.5, True, 10**8])
def test_bad_size_is_refused(kind, size):
    with pytest.raises(InputError, match="size"):
        kind(1.0, size)


@every_oracle
@pytest.mark.parametrize("values", [[0, 4], [-1, 2], [0.0, 1.0], [[0, 1]], [True, False], 3])
def test_values_outside_the_domain_are_refused(kind, values, rng):
    with pytest.raises(InputError, match="values"):
        kind(1.0, 4).perturb(np.array(values), rng=rng)


@every_oracle
@pytest.mark.parametrize("value", [4, -1])
def test_a_real_value_outside_the_domain_never_leaves(kind, value):
    with pytest.raises(DataError, match="from 0 to 3"):
        kind(1.0, 4).perturb_securely(value)


@every_oracle
@pytest.mark.parametrize("counts", [[1, 2, 3], [1, 2, 3, -4], [1.0, 2.0, 3.0, 4.0], 4])
def test_bad_true_counts_are_refused(kind, counts, rng):
    with pytest.raises(InputError, match="true_counts"):
        kind(1.0, 4).simulate(np.array(counts), rng=rng)


@every_oracle
def test_randomness_is_never_ambient(kind):
    oracle = kind(1.0, 4)
    with pytest.raises(InputError, match="rng"):
        oracle.perturb(np.array([1]), rng=np.random)
    with pytest.raises(InputError, match="rng"):
        oracle.simulate(np.array([1, 0, 0, 0]), rng=3)


@every_oracle
def test_a_group_without_reports_is_refused(kind):
    oracle = kind(1.0, 4)
    for call in (lambda n: oracle.estimate(np.zeros((2, 4)), n), oracle.variance):
        with pytest.raises(InputError, match="n "):
            call(np.array([5, 0]))


@every_oracle
def test_small_integer_types_do_not_wrap(kind, rng):
    oracle = kind(1.0, 200)
    values = np.arange(200, dtype=np.uint8)
    assert oracle.support(oracle.perturb(values, rng=rng)).dtype == np.int64
    big = np.full(200, 30_000, dtype=np.int16)
    assert (oracle.estimate(oracle.simulate(big, rng=rng), 200 * 30_000) < 0.1).all()


@every_oracle
def test_supports_of_parts_add_up(kind, rng):
    oracle = kind(1.0, 5)
    reports = oracle.perturb(rng.integers(5, size=300), rng=rng)
    parts = oracle.support(reports[:100]) + oracle.support(reports[100:])
    assert (oracle.support(reports) == parts).all()
    assert (oracle.support(reports[:0]) == 0).all()


@every_oracle
@pytest.mark.parametrize("size", [1, 5, 2050])
def test_supports_of_groups_are_those_of_each(kind, size, rng):
    oracle = kind(1.0, size)
    reports, groups = oracle.perturb(rng.integers(size, size=60), rng=rng), rng.integers(3, size=60)
    # Something lies between the groups, and something was counted before.
    counts = np.ones(3 * size + 4, dtype=np.int64)
    starts = np.array([0, 2 * size + 4, size + 1])
    oracle.add_support(reports, starts[groups], counts)
    for group, start in enumerate(starts):
        counts[start : start + size] -= oracle.support(reports[groups == group])
    assert (counts == 1).all()


@every_oracle
def test_inputs_are_left_alone_and_runs_repeat(kind):
    oracle = kind(1.0, 5)
    values, counts = np.arange(5), np.arange(5)
    first, again = (
        (
            oracle.perturb(values, rng=np.random.default_rng(3)),
            oracle.simulate(counts, rng=np.random.default_rng(3)),
        )
        for _ in range(2)
    )
    assert (values == np.arange(5)).all() and (counts == np.arange(5)).all()
    assert all((a == b).all() for a, b in zip(first, again, strict=True))


@every_oracle
def test_batches_are_separate_groups(kind, rng):
    oracle = kind(8.0, 4)
    counts = np.array([[[1000, 0, 0, 0], [0, 0, 0, 1000]], [[0, 0, 0, 0], [0, 500, 500, 0]]])
    support = oracle.simulate(counts, rng=rng)
    assert support.shape == counts.shape and support.dtype == np.int64
    assert support[1, 0].tolist() == [0, 0, 0, 0]
    assert (support[0].argmax(axis=1) == [0, 3]).all()
    assert oracle.simulate(np.zeros((0, 4), dtype=int), rng=rng).shape == (0, 4)
    if oracle.fixed_support:
        per_report = oracle.support(oracle.perturb(np.array([0]), rng=rng)).sum()
        assert (support.sum(axis=-1) == counts.sum(axis=-1) * per_report).all()


@pytest.mark.parametrize("reports", [[0.0, 1.0], [[1, 2]], [0, 4], [-1, 0]])
def test_malformed_grr_reports_are_refused(reports):
    with pytest.raises(DataError, match="reports"):
        ORACLES["grr"](1.0, 4).support(np.array(reports))


@pytest.mark.parametrize("reports", [[0, 1, 0, 1], [[1, 0, 1]], [[0, 2, 0, 1]], [[0.0, 1, 0, 1]]])
def test_malformed_oue_reports_are_refused(reports):
    with pytest.raises(DataError, match="reports"):
        ORACLES["oue"](1.0, 4).support(np.array(reports))


@pytest.mark.parametrize("reports", [[[1, 0, 1, 0]], [[0, 0, 0, 0]], [0, 1, 0, 0]])
def test_malformed_subsets_are_refused(reports):
    oracle = ORACLES["subset"](2.0, 4)
    assert oracle.width == 1
    with pytest.raises(DataError, match="reports"):
        oracle.support(np.array(reports))


@pytest.mark.parametrize("reports", [[[5, 4]], [[5, -1]], [[5, 0, 0]], [5, 0]])
def test_malformed_hashes_are_refused(reports):
    oracle = ORACLES["olh"](1.0, 4)
    assert oracle.buckets == 4
    with pytest.raises(DataError, match="reports"):
        oracle.support(np.array(reports).astype(np.uint64))
    with pytest.raises(DataError, match="reports"):
        oracle.support(np.array([[5, 0]]))


@pytest.mark.parametrize("size", [1, 2, 7, 64, 2047, 2048, 2049, 4500])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_compiled_counts_of_hashes_are_those_of_the_definition(epsilon, size, rng):
    oracle = ORACLES["olh"](epsilon, size)
    sent = oracle.perturb(rng.integers(size, size=20), rng=rng)
    sent[:3, 0] = 0, 1, WORD - 1
    pairs = [tuple(map(int, report)) for report in sent]
    assert oracle.support(sent).tolist() == olh_support(pairs, size, oracle.buckets)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 1.5])
def test_the_last_word_of_a_bucket_is_its_own_and_the_next_is_not(epsilon):
    """Seeds are made backwards from words at the edges; the last bucket has what is left over."""
    oracle = ORACLES["olh"](epsilon, 2)
    width = WORD // oracle.buckets
    starts = [bucket * width for bucket in range(oracle.buckets)]
    words = {w % WORD for start in [*starts, WORD] for w in (start - 1, start, start + 1)}
    words |= {width * oracle.buckets % WORD}
    for word in sorted(words):
        seed = (unmixed(word) - STEP) % WORD
        told = np.array([[seed, b] for b in range(oracle.buckets)], dtype=np.uint64)
        bucket = max(b for b, start in enumerate(starts) if start <= word)
        supports = [oracle.support(told[[b]])[0] for b in range(oracle.buckets)]
        assert supports == [int(b == bucket) for b in range(oracle.buckets)]
        assert oracle._hash(told[:, 0], np.zeros(len(told), np.int64))[0] == bucket


@pytest.mark.parametrize("epsilon", (*EPSILONS, 0.36, 0.4, 0.405, 0.91))
def test_the_buckets_of_olh_are_close_to_the_best(epsilon):
    e, oracle = math.exp(epsilon), ORACLES["olh"](epsilon, 64)
    assert oracle.buckets == round(e) + 1
    assert oracle.p == pytest.approx(e / (e + oracle.buckets - 1), rel=1e-12)
    assert oracle.q == 1 / oracle.buckets
    g = np.arange(2, 2 * oracle.buckets + 2)
    p = e / (e + g - 1)
    small = (1 / g) * (1 - 1 / g) / (p - 1 / g) ** 2
    assert oracle.variance(1) <= small.min() * 1.021


@pytest.mark.parametrize("size", [2, 3, 4, 16, 64, 1000])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_subsets_have_the_best_width(epsilon, size):
    e, oracle = math.exp(epsilon), ORACLES["subset"](epsilon, size)
    w = np.arange(1, size, dtype=float)
    p = w * e / (w * e + size - w)
    q = (p * (w - 1) + (1 - p) * w) / (size - 1)
    every = (p * (1 - p) + (size - 1) * q * (1 - q)) / (p - q) ** 2 / size
    chosen = oracle.width - 1
    assert (oracle.p, oracle.q) == pytest.approx((p[chosen], q[chosen]), rel=1e-9)
    assert oracle.variance(1, 1 / size) == pytest.approx(every.min(), rel=1e-6)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_subsets_are_never_worse(epsilon):
    for size in (*range(2, 130), 1000):
        grr, oue, subset = (
            ORACLES[name](epsilon, size).contrast_variance(1) for name in ("grr", "oue", "subset")
        )
        assert subset <= min(grr, oue) * (1 + 1e-9)


@every_oracle
def test_oracles_are_frozen_values(kind):
    oracle = kind(1, 4)
    assert oracle == kind(1.0, 4) and hash(oracle) == hash(kind(1.0, 4))
    assert isinstance(oracle.epsilon, float)
    with pytest.raises(dataclasses.FrozenInstanceError):
        oracle.epsilon = 2.0


def test_the_registry_is_keyed_by_name():
    assert all(kind.name == name for name, kind in ORACLES.items())
    assert ORACLE_RULES == ("adaptive", "contrast", "best", *ORACLES)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_rules_follow_their_inequalities(epsilon):
    e = math.exp(epsilon)
    for size in (*range(1, 200), 1000, 10**5):
        assert choose_oracle(size, epsilon).name == ("grr" if size - 2 < 3 * e else "oue")
        exact = (e + size - 1) ** 2 < 4 * size * e + 2 * (e - 1) ** 2
        assert choose_oracle(size, epsilon, "contrast").name == ("grr" if exact else "oue")
        best = choose_oracle(size, epsilon, "best")
        rivals = [kind(epsilon, size) for kind in ORACLES.values() if size <= kind.largest]
        assert best.contrast_variance(1) == min(r.contrast_variance(1) for r in rivals)


@pytest.mark.parametrize("name", ORACLES)
def test_an_oracle_can_be_forced(name):
    assert choose_oracle(9, 1.0, name) == ORACLES[name](1.0, 9)


def test_a_domain_too_large_for_subsets_is_refused_and_best_goes_on():
    size = ORACLES["subset"].largest + 1
    with pytest.raises(InfeasibleError, match="65,537.*65,536"):
        choose_oracle(size, 1.0, "subset")
    assert choose_oracle(size, 1.0, "best").name == "oue"


def test_an_unknown_rule_is_refused():
    with pytest.raises(InputError, match="oracle rule"):
        choose_oracle(4, 1.0, "rappor")
