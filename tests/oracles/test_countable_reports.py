"""Oracles whose reports can be counted: numbers, likelihoods and supports of the reports agree."""

import numpy as np
import pytest

from calm_core.methods.em import EM_ORACLES
from calm_core.oracles import ORACLES, RULE_CANDIDATES

COUNTABLE = [kind for kind in ORACLES.values() if kind.countable]
CASES = [
    kind(epsilon, size) for kind in COUNTABLE for epsilon in (0.2, 1.5) for size in (1, 2, 3, 6)
]

every_case = pytest.mark.parametrize("oracle", CASES, ids=repr)


@every_case
def test_likelihoods_are_how_often_a_report_is_sent(oracle, rng):
    table = oracle.likelihoods()
    assert table.shape == (oracle.symbols, oracle.size) and np.allclose(table.sum(axis=0), 1)
    value = oracle.size // 2
    reports = oracle.perturb(np.full(40_000, value), rng=rng)
    seen = np.bincount(oracle.number(reports), minlength=oracle.symbols) / 40_000
    # Largest of at most 64 cells: 5 sigma is exceeded about once in 30,000 seeds.
    bound = 5 * np.sqrt(table[:, value] / 40_000) + 1e-9
    assert np.all(np.abs(seen - table[:, value]) <= bound)


@every_case
def test_no_report_is_likelier_than_e_to_the_epsilon_times(oracle):
    table = oracle.likelihoods()
    if oracle.size > 1:
        worst = (table.max(axis=1) / table.min(axis=1)).max()
        assert worst == pytest.approx(np.exp(oracle.epsilon))


@every_case
def test_counted_reports_support_what_the_reports_support(oracle, rng):
    reports = oracle.perturb(rng.integers(oracle.size, size=500), rng=rng)
    counts = np.bincount(oracle.number(reports), minlength=oracle.symbols)
    assert oracle.support_from_counts(counts).tolist() == oracle.support(reports).tolist()


@every_case
def test_a_report_supports_its_value_with_p_and_another_with_q(oracle):
    for value in range(oracle.size):
        chances = oracle.support_from_counts(oracle.likelihoods()[:, value])
        assert chances == pytest.approx(
            [oracle.p if v == value else oracle.q for v in range(oracle.size)]
        )


def test_em_takes_the_rules_whose_choices_are_countable():
    assert {"adaptive", "contrast", "grr", "oue"} <= set(EM_ORACLES)
    assert not {"best", "olh"} & set(EM_ORACLES) and set(EM_ORACLES) <= set(RULE_CANDIDATES)
    for kind in ORACLES.values():
        assert (kind.name in EM_ORACLES) == kind.countable
        if not kind.countable:
            with pytest.raises(NotImplementedError, match=f"reports of {kind.name} are not"):
                kind(1.0, 3).likelihoods()
