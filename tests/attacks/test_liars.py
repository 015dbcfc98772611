"""Liars: crafted reports gain what the formula says, and defenses see those that no honest people send."""

import json

import numpy as np
import pytest

from calm_core.attacks import liars
from calm_core.attacks.liar_defenses import (
    find_watched_cells,
    support_laws,
    weigh_by_count,
    weigh_by_pattern,
)
from calm_core.attacks.liars import KINDS, Liars, craft_reports, expected_gain
from calm_core.errors import InputError
from calm_core.oracles import GRR, OLH, ORACLES, OUE, SubsetSelection
from calm_core.planning.plan import make_plan
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain

SHAPE = (2, 2, 3)
GROUPS = find_watched_cells(SHAPE)
# Cells of one answer to each of the first two questions, out of twelve.
CELLS = [3, 4, 5]


@pytest.mark.parametrize("oracle", ORACLES.values())
@pytest.mark.parametrize(("epsilon", "cells"), [(3.0, [4]), (0.5, CELLS)])
@pytest.mark.parametrize("kind", KINDS)
def test_crafted_reports_gain_what_the_formula_says(oracle, cells, kind, epsilon):
    oracle, n = oracle(epsilon, 12), 20_000
    reports = craft_reports(oracle, cells, n, kind=kind, rng=np.random.default_rng(1))
    found = oracle.estimate(oracle.support(reports), n)[cells].sum()
    noise = oracle.supports(reports)[:, cells].sum(axis=1).std() / oracle.gap / np.sqrt(n)
    wanted = expected_gain(oracle, 1.0, cells=len(cells), kind=kind)
    assert found == pytest.approx(wanted, abs=4 * noise + 1e-9, rel=0.003)


@pytest.mark.parametrize(("epsilon", "points"), [(0.2, 14.5), (1.0, 2.7)])
def test_one_liar_of_100_moves_a_pair_of_yes_and_no_questions(epsilon, points):
    assert 100 * expected_gain(GRR(epsilon, 4), 0.01) == pytest.approx(points, abs=0.06)


@pytest.mark.parametrize("oracle", ORACLES.values())
@pytest.mark.parametrize("value", [0, 7])
def test_honest_reports_support_cells_by_their_law(oracle, value):
    oracle, n = oracle(1.0, 8), 40_000
    reports = oracle.perturb(np.full(n, value), rng=np.random.default_rng(1))
    numbers = oracle.supports(reports)[:, :3].sum(axis=1)
    law = support_laws(oracle, 3)[value == 7]
    noise = np.sqrt(law * (1 - law) / n)
    assert np.all(np.abs(np.bincount(numbers, minlength=4) / n - law) <= 4 * noise + 1e-12)


@pytest.mark.parametrize("oracle", [OUE, OLH, SubsetSelection])
@pytest.mark.parametrize(("kind", "seen"), [("maximal", True), ("adaptive", False)])
def test_the_pattern_of_supports_tells_liars_unless_they_keep_to_one_cell(oracle, kind, seen):
    oracle, rng = oracle(1.0, 12), np.random.default_rng(1)
    honest = oracle.perturb(rng.integers(12, size=19_000), rng=rng)
    lies = craft_reports(oracle, CELLS, 1000, kind=kind, rng=rng)
    supports = oracle.supports(np.concatenate([honest, lies]))
    weights = weigh_by_pattern(oracle, supports, GROUPS)
    assert weights[:19_000].mean() > 0.95
    assert (weights[19_000:].mean() < 0.6) == seen
    assert weigh_by_pattern(oracle, supports[:19_000], GROUPS).min() == 1


def test_bitmaps_with_too_few_ones_count_less():
    oracle, rng = OUE(3.0, 12), np.random.default_rng(1)
    honest = oracle.perturb(rng.integers(12, size=9000), rng=rng)
    lies = craft_reports(oracle, CELLS, 1000, rng=rng)
    weights = weigh_by_count(oracle, np.concatenate([honest, lies]))
    assert weights[9000:].max() < 0.5 < weights[:9000].mean()


@pytest.fixture
def people() -> Dataset:
    """Four questions that depend on each other."""
    rng = np.random.default_rng(1)
    kinds = rng.random((40_000, 1)) < 0.4
    codes = (rng.random((40_000, 4)) < np.where(kinds, 0.6, 0.2)).astype(int)
    return Dataset.from_codes(codes, Domain(tuple("abcd"), (2, 2, 2, 2)))


@pytest.mark.parametrize(("kind", "most_cells"), [("maximal", 0), ("false_value", 1 << 25)])
def test_a_collection_gains_what_the_formula_says(people, kind, most_cells, monkeypatch):
    monkeypatch.setattr(liars, "MAX_CELLS", most_cells)
    rng = np.random.default_rng(1)
    plan = make_plan(people.domain, people.n, epsilon=2.0, k=2, l=3, m=4, oracle="oue", rng=rng)
    attack = Liars(share=0.1, kind=kind, target={"a": 1, "b": 1}, repetitions=10)
    found = attack.run(plan, people, rng=rng)
    assert found.gain == pytest.approx(found.bound, rel=0.05, abs=3 * found.standard_error)
    own = found.table[found.table.share == 0.1].set_index("estimate")
    assert ("pattern" in own.index) == (most_cells > 0)
    cell = {key: table.values[found.cell] for key, table in found.tables.items()}
    assert cell["lied"] - cell["honest"] == pytest.approx(own.gain["calm"])
    assert abs(cell["defended"] - cell["true"]) <= abs(cell["lied"] - cell["true"])
    assert json.dumps(found.to_dict())


def test_reports_that_no_honest_people_send_are_taken_off(people):
    rng = np.random.default_rng(1)
    plan = make_plan(people.domain, people.n, epsilon=2.0, k=2, l=3, m=4, oracle="oue", rng=rng)
    table = Liars(target={"a": 1, "b": 1}).run(plan, people, rng=rng).table
    own = table[table.share == 0.05].set_index("estimate")
    assert own.gain["pattern"] < own.gain["calm"] / 2
    assert own.loss["pattern"] <= liars.MAX_LOSS


def test_a_liar_who_is_asked_nothing_of_the_target_reports_honestly(people):
    rng = np.random.default_rng(1)
    plan = make_plan(people.domain, people.n, epsilon=2.0, k=2, l=2, m=6, rng=rng)
    target = {"a": 1, "b": 1}
    collection = liars._Collection(plan, people, target, Liars(target=target))
    (honest, _), (attacked, _) = collection.collect([0.1], rng)
    for view, before, after in zip(plan.views, honest.views, attacked.views):
        assert np.array_equal(before.support, after.support) == (view == ("c", "d"))


def test_without_a_target_the_rarest_cell_is_pushed(people):
    rng = np.random.default_rng(1)
    plan = make_plan(people.domain, people.n, epsilon=2.0, k=2, l=2, m=6, rng=rng)
    rarest = people.marginal(plan.views[0]).values.min()
    found = Liars(repetitions=2).run(plan, people, rng=rng)
    assert found.bound == pytest.approx(expected_gain(plan.oracles[0], 0.05, true_share=rarest))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"share": 1.0}, "share"),
        ({"kind": "brave"}, "kind"),
        ({"repetitions": 1}, "repetitions"),
        ({"target": {"a": -1}}, "code of a"),
        ({"target": {"a": 2}}, "code of a"),
        ({"target": {"z": 0}}, "z"),
        ({"target": {"a": 0, "b": 0, "c": 0}}, "target"),
    ],
)
def test_wrong_settings_are_refused(settings, words, people):
    plan = make_plan(people.domain, 1000, epsilon=1.0, k=2, l=2, m=6, rng=np.random.default_rng(1))
    with pytest.raises(InputError, match=words):
        Liars(**settings).run(plan, people, rng=np.random.default_rng(1))
