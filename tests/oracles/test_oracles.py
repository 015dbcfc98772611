"""Frequency oracles: formulas, edges, refusals, countable reports, and the choice among them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calm_core.errors import DataError, InfeasibleError, InputError
from calm_core.methods.em import EM_ORACLES
from calm_core.oracles import ORACLE_RULES, ORACLES, RULE_CANDIDATES, choose_oracle
from tests.reference.oracle_laws import STEP, WORD, invert_mixing, olh_support

every_oracle = pytest.mark.parametrize("kind", ORACLES.values(), ids=ORACLES)
kinds = st.sampled_from(tuple(ORACLES.values()))
epsilons = st.floats(0.01, 10)


@given(kinds, epsilons, st.sampled_from([1, 2, 3, 4, 16, 64, 4096]))
def test_the_gap_is_p_minus_q(kind, epsilon, size):
    oracle = kind(epsilon, size)
    assert 0 <= oracle.q < oracle.p <= 1
    assert oracle.gap == pytest.approx(oracle.p - oracle.q, rel=1e-9)


@given(epsilons, st.integers(2, 64))
def test_formulas_of_the_papers(epsilon, size):
    e, n = math.exp(epsilon), 1000
    grr, oue = ORACLES["grr"](epsilon, size), ORACLES["oue"](epsilon, size)
    assert (grr.p, grr.q) == pytest.approx((e / (e + size - 1), 1 / (e + size - 1)))
    assert (oue.p, oue.q) == pytest.approx((1 / 2, 1 / (e + 1)))
    assert grr.variance(n) == pytest.approx((size - 2 + e) / ((e - 1) ** 2 * n), rel=1e-9)
    assert oue.variance(n) == pytest.approx(4 * e / ((e - 1) ** 2 * n), rel=1e-9)


@every_oracle
def test_estimates_and_variances_by_hand(kind):
    oracle = kind(0.7, 6)
    p, q = oracle.p, oracle.q
    by_hand = (0.3 * p * (1 - p) + 0.7 * q * (1 - q)) / (500 * (p - q) ** 2)
    both = oracle.variance(np.array([[500], [1000]]), np.array([0.0, 0.3, 1.0]))
    assert both.shape == (2, 3)
    assert both[0, 1] == oracle.variance(500, 0.3) == pytest.approx(by_hand, rel=1e-12)
    fractions = np.array([[0.5, 0.2, 0.1, 0.1, 0.1, 0.0], [0.0, 0.0, 0.0, 0.0, 0.25, 0.75]])
    n = np.array([1000, 20])
    expected = n[:, None] * (q + fractions * (p - q))
    assert oracle.estimate(expected, n) == pytest.approx(fractions, abs=1e-12)
    # Neither clipped nor rescaled.
    low, high = oracle.estimate(np.array([0, 100, 0, 100, 0, 0]), 100)[:2]
    assert (low, high) == pytest.approx((-q / oracle.gap, (1 - q) / oracle.gap))


@every_oracle
def test_a_single_value_holds_no_secret(kind, rng):
    oracle = kind(0.5, 1)
    reports = oracle.perturb(np.zeros(7, dtype=int), rng=rng)
    assert oracle.support(reports).tolist() == [7]
    assert oracle.simulate(np.array([[7], [9]]), rng=rng).tolist() == [[7], [9]]
    assert oracle.estimate(np.array([7]), 7) == 1
    assert oracle.variance(7) == oracle.variance(7, 1.0) == oracle.contrast_variance(7) == 0
    assert oracle.support(np.stack([oracle.perturb_securely(0)])).tolist() == [1]


@every_oracle
@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_extreme_budgets_do_not_overflow(kind, size):
    # A budget that the constructor would refuse.
    oracle = object.__new__(kind)
    object.__setattr__(oracle, "epsilon", 1000.0)
    object.__setattr__(oracle, "size", size)
    assert oracle.q == pytest.approx(0, abs=1e-6)
    assert all(math.isfinite(oracle.variance(10, f)) for f in (0.0, 0.5, 1.0))
    assert np.isfinite(kind(1e-12, size).estimate(np.arange(size), 3)).all()


@every_oracle
def test_wrong_arguments_are_refused(kind, rng):
    oracle = kind(1.0, 4)
    for values in ([0, 4], [-1, 2], [0.0, 1.0], [[0, 1]], [True, False], 3):
        with pytest.raises(InputError, match="values"):
            oracle.perturb(np.array(values), rng=rng)
    for value in (4, -1):
        with pytest.raises(DataError, match="from 0 to 3"):
            oracle.perturb_securely(value)
    for counts in ([1, 2, 3], [1, 2, 3, -4], [1.0, 2.0, 3.0, 4.0], 4):
        with pytest.raises(InputError, match="true_counts"):
            oracle.simulate(np.array(counts), rng=rng)
    with pytest.raises(InputError, match="rng"):
        oracle.perturb(np.array([1]), rng=np.random)
    with pytest.raises(InputError, match="rng"):
        oracle.simulate(np.array([1, 0, 0, 0]), rng=3)
    for call in (lambda n: oracle.estimate(np.zeros((2, 4)), n), oracle.variance):
        with pytest.raises(InputError, match="n "):
            call(np.array([5, 0]))


MALFORMED = {
    "grr": ([0.0, 1.0], [[1, 2]], [0, 4], [-1, 0]),
    "oue": ([0, 1, 0, 1], [[1, 0, 1]], [[0, 2, 0, 1]], [[0.0, 1, 0, 1]]),
    "subset": ([[1, 0, 1, 0]], [[0, 0, 0, 0]], [0, 1, 0, 0]),
    "olh": ([[5, 4]], [[5, -1]], [[5, 0, 0]], [5, 0]),
}


@pytest.mark.parametrize(("name", "reports"), [(n, r) for n, rs in MALFORMED.items() for r in rs])
def test_malformed_reports_are_refused(name, reports):
    oracle = ORACLES[name](2.0 if name == "subset" else 1.0, 4)
    array = np.array(reports)
    with pytest.raises(DataError, match="reports"):
        oracle.support(array.astype(np.uint64) if name == "olh" else array)
    if name == "olh":
        with pytest.raises(DataError, match="reports"):
            oracle.support(np.array([[5, 0]]))


@every_oracle
def test_small_integer_types_do_not_wrap(kind, rng):
    oracle = kind(1.0, 200)
    values = np.arange(200, dtype=np.uint8)
    assert oracle.support(oracle.perturb(values, rng=rng)).dtype == np.int64
    big = np.full(200, 30_000, dtype=np.int16)
    assert (oracle.estimate(oracle.simulate(big, rng=rng), 200 * 30_000) < 0.1).all()


@every_oracle
def test_the_support_of_each_report_adds_up_and_may_be_asked_of_some_values(kind, rng):
    oracle = kind(1.0, 5)
    reports = oracle.perturb(rng.integers(0, 5, 300), rng=rng)
    each = oracle.supports(reports)
    assert (each.sum(axis=0) == oracle.support(reports)).all()
    assert (oracle.supports(reports, np.array([3, 0])) == each[:, [3, 0]]).all()


@every_oracle
@pytest.mark.parametrize("size", [1, 5, 2050])
def test_supports_of_groups_are_those_of_each(kind, size, rng):
    oracle = kind(1.0, size)
    reports, groups = oracle.perturb(rng.integers(size, size=60), rng=rng), rng.integers(3, size=60)
    # There are gaps between the groups, and earlier counts.
    counts = np.ones(3 * size + 4, dtype=np.int64)
    starts = np.array([0, 2 * size + 4, size + 1])
    oracle.add_support(reports, starts[groups], counts)
    for group, start in enumerate(starts):
        counts[start : start + size] -= oracle.support(reports[groups == group])
    assert (counts == 1).all()
    parts = oracle.support(reports[:20]) + oracle.support(reports[20:])
    assert (oracle.support(reports) == parts).all() and (oracle.support(reports[:0]) == 0).all()


@every_oracle
def test_inputs_stay_unchanged_and_runs_repeat(kind):
    oracle, values = kind(1.0, 5), np.arange(5)
    first, again = (
        [call(values, rng=np.random.default_rng(3)) for call in (oracle.perturb, oracle.simulate)]
        for _ in range(2)
    )
    assert (values == np.arange(5)).all()
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


@pytest.mark.parametrize("size", [1, 7, 2047, 2048, 2049, 4500])
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_compiled_counts_of_hashes_follow_the_definition(epsilon, size, rng):
    oracle = ORACLES["olh"](epsilon, size)
    reports = oracle.perturb(rng.integers(size, size=20), rng=rng)
    reports[:3, 0] = 0, 1, WORD - 1
    pairs = [tuple(map(int, report)) for report in reports]
    assert oracle.support(reports).tolist() == olh_support(pairs, size, oracle.buckets)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 1.5])
def test_buckets_have_exact_edges(epsilon):
    """Seeds are computed backwards from words at the edges; the last bucket takes the remainder."""
    oracle = ORACLES["olh"](epsilon, 2)
    width = WORD // oracle.buckets
    starts = [bucket * width for bucket in range(oracle.buckets)]
    words = {w % WORD for start in [*starts, WORD] for w in (start - 1, start, start + 1)}
    words |= {width * oracle.buckets % WORD}
    for word in sorted(words):
        seed = (invert_mixing(word) - STEP) % WORD
        reports = np.array([[seed, b] for b in range(oracle.buckets)], dtype=np.uint64)
        bucket = max(b for b, start in enumerate(starts) if start <= word)
        supports = [oracle.support(reports[[b]])[0] for b in range(oracle.buckets)]
        assert supports == [int(b == bucket) for b in range(oracle.buckets)]
        assert oracle._hash(reports[:, 0], np.zeros(len(reports), np.int64))[0] == bucket


@given(epsilons)
def test_the_number_of_buckets_is_close_to_the_best(epsilon):
    e, oracle = math.exp(epsilon), ORACLES["olh"](epsilon, 64)
    assert oracle.buckets == round(e) + 1 and oracle.q == 1 / oracle.buckets
    assert oracle.p == pytest.approx(e / (e + oracle.buckets - 1), rel=1e-12)
    g = np.arange(2, 2 * oracle.buckets + 2)
    p = e / (e + g - 1)
    assert oracle.variance(1) <= ((1 / g) * (1 - 1 / g) / (p - 1 / g) ** 2).min() * 1.0211


@given(epsilons, st.integers(2, 130) | st.just(1000))
def test_subsets_have_the_best_width_and_are_never_worse(epsilon, size):
    e, oracle = math.exp(epsilon), ORACLES["subset"](epsilon, size)
    w = np.arange(1, size, dtype=float)
    p = w * e / (w * e + size - w)
    q = (p * (w - 1) + (1 - p) * w) / (size - 1)
    every = (p * (1 - p) + (size - 1) * q * (1 - q)) / (p - q) ** 2 / size
    assert (oracle.p, oracle.q) == pytest.approx((p[oracle.width - 1], q[oracle.width - 1]))
    assert oracle.variance(1, 1 / size) == pytest.approx(every.min(), rel=1e-6)
    others = [ORACLES[name](epsilon, size).contrast_variance(1) for name in ("grr", "oue")]
    assert oracle.contrast_variance(1) <= min(others) * (1 + 1e-9)


@given(epsilons, st.integers(1, 200) | st.sampled_from([1000, 10**5]))
def test_rules_follow_their_inequalities(epsilon, size):
    e = math.exp(epsilon)
    assert choose_oracle(size, epsilon).name == ("grr" if size - 2 < 3 * e else "oue")
    exact = (e + size - 1) ** 2 < 4 * size * e + 2 * (e - 1) ** 2
    assert choose_oracle(size, epsilon, "contrast").name == ("grr" if exact else "oue")
    best = choose_oracle(size, epsilon, "best")
    rivals = [kind(epsilon, size) for kind in ORACLES.values() if size <= kind.largest]
    assert best.contrast_variance(1) == min(r.contrast_variance(1) for r in rivals)


def test_the_registry_and_its_limits():
    assert all(kind.name == name for name, kind in ORACLES.items())
    assert ORACLE_RULES == ("adaptive", "contrast", "best", *ORACLES)
    size = ORACLES["subset"].largest + 1
    with pytest.raises(InfeasibleError, match="65,537.*65,536"):
        choose_oracle(size, 1.0, "subset")
    assert choose_oracle(size, 1.0, "best").name == "oue"
    with pytest.raises(InputError, match="oracle rule"):
        choose_oracle(4, 1.0, "rappor")


@pytest.mark.parametrize("kind", [k for k in ORACLES.values() if k.countable], ids=lambda k: k.name)
@pytest.mark.parametrize("epsilon", [0.2, 1.5])
@pytest.mark.parametrize("size", [1, 3, 6])
def test_countable_reports_have_their_likelihoods_and_supports(kind, epsilon, size, rng):
    oracle = kind(epsilon, size)
    table, value = oracle.likelihoods(), size // 2
    assert table.shape == (oracle.symbols, size) and np.allclose(table.sum(axis=0), 1)
    reports = oracle.perturb(np.full(40_000, value), rng=rng)
    counts = np.bincount(oracle.number(reports), minlength=oracle.symbols)
    # Largest of at most 64 cells: 5 sigma is exceeded about once in 30,000 seeds.
    bound = 5 * np.sqrt(table[:, value] / 40_000) + 1e-9
    assert np.all(np.abs(counts / 40_000 - table[:, value]) <= bound)
    if size > 1:
        worst = (table.max(axis=1) / table.min(axis=1)).max()
        assert worst == pytest.approx(np.exp(epsilon))
    assert oracle.support_from_counts(counts).tolist() == oracle.support(reports).tolist()
    for v in range(size):
        chances = oracle.support_from_counts(table[:, v])
        assert chances == pytest.approx([oracle.p if u == v else oracle.q for u in range(size)])


def test_em_takes_the_rules_with_countable_reports():
    assert {"adaptive", "contrast", "grr", "oue"} <= set(EM_ORACLES) <= set(RULE_CANDIDATES)
    assert not {"best", "olh"} & set(EM_ORACLES)
    for kind in ORACLES.values():
        assert (kind.name in EM_ORACLES) == kind.countable
        if not kind.countable:
            with pytest.raises(NotImplementedError, match=f"reports of {kind.name} are not"):
                kind(1.0, 3).likelihoods()
