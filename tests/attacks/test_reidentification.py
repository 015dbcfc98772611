"""Names for reports against Bayes' rule on every report; people alone in tables; the front of success and error."""

import numpy as np
import pytest

import calm_core as cc
from calm_core.attacks.guessing import attack_success
from calm_core.attacks.reidentification import ReIdentification, named_rate
from tests.attacks.test_one_person import SMALL, likelihoods_of


@pytest.mark.parametrize("oracle", SMALL, ids=repr)
def test_the_rate_of_right_names_is_that_of_bayes_rule_on_every_report(oracle):
    for counts in (np.arange(oracle.size), np.ones(oracle.size), np.eye(oracle.size)[0] * 3):
        likely = likelihoods_of(oracle)[:, counts > 0].max(axis=1).sum()
        assert named_rate(oracle, counts) == pytest.approx(likely / counts.sum(), rel=1e-12)


@pytest.fixture
def people(rng):
    domain = cc.Domain(("a", "b", "c"), (4, 5, 3))
    codes = (rng.random((300, 3)) ** 3 * domain.sizes).astype(int)
    return cc.Dataset.from_codes(codes, domain)


@pytest.mark.parametrize("oracle", ["grr", "oue", "olh", "subset"])
def test_the_gain_is_within_5_percent_of_the_formula(oracle, people, rng):
    plan = cc.make_plan(people.domain, people.n, epsilon=1.0, k=3, rng=rng, oracle=oracle)
    found = ReIdentification(people=60_000).run(plan, people, rng=rng)
    assert found.gain == pytest.approx(found.bound, rel=0.05)
    assert abs(found.gain - found.bound) < 4 * found.standard_error
    assert 1 / people.n < found.defense.gain < found.bound < np.e / people.n


def test_people_alone_in_true_tables_are_counted(people, rng):
    plan = cc.make_plan(people.domain, people.n, epsilon=1.0, k=3, rng=rng, l=3, m=1)
    table = ReIdentification(people=10).run(plan, people, rng=rng).table.set_index("source")
    alone = (people.counts([("a", "b", "c")])[0] == 1).sum() / people.n
    assert alone > 0
    assert table.loc["true tables", ["gain", "said"]].tolist() == [alone, alone]
    assert table.loc["released tables", "gain"] <= table.loc["released tables", "said"]


def test_the_front_holds_what_nothing_beats():
    table = attack_success([2, 16, 64], [0.5, 1.0, 4.0])
    for row in table.itertuples():
        same = table[(table["cells"] == row.cells) & (table["epsilon"] == row.epsilon)]
        beaten = (same["success"] < row.success - 1e-9) & (same["error"] < row.error - 1e-12)
        assert not (row.on_front and beaten.any())
    least = table.loc[table.groupby(["cells", "epsilon"])["success"].idxmin()]
    assert least["on_front"].all()
    assert table["on_front"].sum() < len(table)
