"""Audits: sound whatever is chosen, sharp for what is exact, and a word for everything that is wrong."""

import json

import numpy as np
import pandas as pd
import pytest

import calm_core as cc
from calm_core.attacks.bad_randomizers import BAD_RANDOMIZERS
from calm_core.attacks.distinguishing import clopper_pearson, log_capital
from calm_core.oracles import GRR, ORACLES, OUE, Parity

pytestmark = pytest.mark.usefixtures("parse_in_process")
EPSILONS = (0.5, 4.0)
# One report in a thousand shows at most 4 with a million trials; half a probability of a sixteenth too much is 0.011.
HIDDEN = {("rare_leak", 4.0), ("coarse_threshold", 0.5)}
# Trials that flag randomized response short of 30% of its noise in 20 of 20 repetitions (docs/how-to/audit.md).
ENOUGH = {0.5: 1_000, 1.0: 3_000, 2.0: 10_000, 4.0: 30_000}


@pytest.mark.parametrize("hits, trials", [(0, 50), (3, 50), (50, 50)])
def test_proportions_have_the_bounds_of_clopper_and_pearson(hits, trials):
    from scipy.stats import binomtest

    exact = binomtest(hits, trials).proportion_ci(0.98, method="exact")
    assert clopper_pearson(hits, trials, 0.99) == pytest.approx((exact.low, exact.high))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", ORACLES)
def test_the_librarys_oracles_are_private_and_the_bound_is_close(name, epsilon, rng):
    found = cc.attacks.audit_oracle(ORACLES[name](epsilon, 8), rng=rng)
    assert not found.broken and found.lower_bound >= 0.9 * epsilon, found.sentence


def test_parities_are_private(rng):
    oracle = Parity(1.0, 8, ((0, 1), (1, 2)))
    found = cc.attacks.audit_oracle(oracle, cells=(0, 1), rng=rng)
    assert not found.broken and found.lower_bound >= 0.9


def test_an_audit_finds_the_telling_outputs_among_all_bits_of_all_inputs(rng):
    oracle = OUE(0.5, 12)
    found = cc.attacks.audit_callable(
        lambda values, rng: oracle.perturb(values, rng=rng), range(12), 0.5, rng=rng
    )
    assert not found.broken and found.lower_bound >= 0.9 * 0.5, found.sentence


@pytest.mark.parametrize(
    "name, epsilon", sorted({(name, e) for name in BAD_RANDOMIZERS for e in EPSILONS} - HIDDEN)
)
def test_bad_examples_are_flagged(name, epsilon, rng):
    found = cc.attacks.audit_callable(
        lambda values, rng: BAD_RANDOMIZERS[name](values, epsilon, rng), [0, 1], epsilon, rng=rng
    )
    assert found.broken, found.sentence


@pytest.mark.parametrize("epsilon, trials", ENOUGH.items())
def test_so_many_trials_flag_noise_that_is_30_percent_short(epsilon, trials, rng):
    bad = BAD_RANDOMIZERS["grr_short_of_noise"]
    found = cc.attacks.audit_callable(
        lambda values, rng: bad(values, epsilon, rng), [0, 1], epsilon, rng=rng, trials=trials
    )
    assert found.broken, found.sentence


def test_choosing_the_event_does_not_spoil_the_confidence(rng):
    """Many outputs that say nothing: what looks telling by chance must not count."""
    false = 0
    for _ in range(300):
        pairs = np.stack([rng.integers(0, 4, 400), rng.integers(0, 20, 400)], axis=1)
        found = cc.attacks.audit(pairs, 1e-6, confidence=0.8, rng=rng)
        false += found.broken
    # 60 are allowed, and three standard deviations.
    assert false <= 60 + 3 * 7


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_looking_at_all_times_does_not_spoil_the_confidence(epsilon, rng):
    """A thousand audits that stop as soon as they can claim more than is true."""
    runs, pairs, level = 1_000, 2_000, 0.8
    first = 0.9
    one = rng.random((runs, pairs)) < first
    two = rng.random((runs, pairs)) < first * np.exp(-epsilon)
    counts = [found.cumsum(axis=1)[:, ::10] for found in (one & ~two, ~one & two, one & two)]
    capital = log_capital(*counts, epsilon).max(axis=1)
    false = np.count_nonzero(capital >= -np.log(1 - level))
    # 200 are allowed, and three standard deviations.
    assert 0 < false <= 200 + 3 * 13


def test_a_running_audit_flags_the_bad_and_spares_the_good():
    results = {}
    for claimed in (0.5, 1.0):
        rng = np.random.default_rng(4)
        running = cc.attacks.RunningAudit(claimed, rng=np.random.default_rng(5))
        for _ in range(20):
            values = rng.integers(0, 4, 2_000)
            batch = np.stack([values, GRR(1.0, 4).perturb(values, rng=rng)], axis=1)
            before, found = running.result, running.add(batch)
            assert found.lower_bound >= before.lower_bound
        results[claimed] = found
    assert results[0.5].broken and not results[1.0].broken
    assert results[1.0].lower_bound > 0.8
    # No trial is used twice: the bets must be independent.
    assert sum(results[1.0].trials) <= 20 * 2_000


def test_a_table_is_audited_exactly(rng):
    table = GRR(2.0, 5).likelihoods().T
    assert cc.attacks.audit_table(table, 2.0).lower_bound == pytest.approx(2.0, rel=1e-12)
    assert not cc.attacks.audit_table(table, 2.0).broken
    assert cc.attacks.audit_table(table, 1.999).broken
    found = cc.attacks.audit_table(np.array([[1.0, 0.0], [0.5, 0.5]]), 2.0)
    assert found.broken and "infinite" in found.sentence and found.to_dict()["lower_bound"] is None


@pytest.mark.parametrize(
    "pairs, words",
    [
        (np.zeros((5, 3)), "two columns"),
        (np.zeros((0, 2)), "no pairs"),
        (np.zeros((5, 2), dtype=int), "one input only"),
        (np.array([[0, 1.0], [1, np.nan]]), "row 2 has no output"),
        (pd.DataFrame({"input": [1], "answer": [2]}), "must be input and output"),
    ],
)
def test_pairs_that_are_none_are_refused(pairs, words):
    with pytest.raises(cc.InputError, match=words):
        cc.attacks.audit(pairs)


@pytest.mark.parametrize(
    "table, words",
    [([[0.5, 0.4], [0.5, 0.5]], "sum to 0.9"), ([[1.0]], "two inputs"), ([["a"], ["b"]], "numbers"),
     ([[1.5, -0.5], [0.5, 0.5]], "from 0 to 1")],
)  # fmt: skip
def test_tables_that_are_none_are_refused(table, words):
    with pytest.raises(cc.InputError, match=words):
        cc.attacks.audit_table(np.array(table))


def write_pairs(path, randomize, rng, n=100_000):
    values = rng.integers(0, 2, n)
    pd.DataFrame({"input": values, "output": randomize(values)}).to_csv(path, index=False)
    return path


def test_the_command_says_broken_with_exit_status_1(tmp_path, call, rng):
    good = write_pairs(tmp_path / "good.csv", lambda v: GRR(1.0, 3).perturb(v, rng=rng), rng)
    done = call("audit", good, "--epsilon", 1)
    assert done.status == 0 and "nothing speaks against it" in done.out
    assert "Read as 100,000 pairs" in done.err
    done = call("audit", good, "--epsilon", 0.5, "--confidence", 0.99, "--json")
    found = json.loads(done.out)
    assert done.status == 1 and found["broken"] and 0.9 < found["lower_bound"] < 1
    assert found["confidence"] == 0.99 and "broken" in found["sentence"]


def test_the_command_tells_a_table_by_its_shape(tmp_path, call):
    file = tmp_path / "table.csv"
    file.write_text("input,yes,no\nsmoker,0.75,0.25\nother,0.25,0.75\n")
    done = call("audit", file, "--epsilon", 1.1)
    assert done.status == 0 and "Epsilon is 1.099" in done.out
    assert "table of probabilities of 2 inputs and 2 outputs" in done.err
    assert call("audit", file).status == 1


@pytest.mark.parametrize(
    "text, words",
    [("a,b\n1,2\n3,4\n", "columns input"), ("input,output\n1,\n2,3\n", "row 1 has no output"),
     ("input,yes,no\na,often,0.5\nb,0.5,0.5\n", "numbers alone")],
)  # fmt: skip
def test_files_that_cannot_be_audited_are_one_line_and_status_2(tmp_path, call, text, words):
    file = tmp_path / "wrong.csv"
    file.write_text(text)
    done = call("audit", file)
    assert done.status == 2 and words in done.err.splitlines()[-1] and not done.out
