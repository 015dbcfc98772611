"""The data of the table component: names of cells, the axis, the cells left out, steps of epsilon."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal
from pages.ui import readings, tables

YES = ("0", "1")
DRUGS = Domain(tuple("abcdef"), (2,) * 6, (YES,) * 6)
PEOPLE = Domain(("age", "smoked"), (3, 2), (("<20", "20-39", "40+"), YES))


def shares(domain: Domain, seed: int = 1) -> Marginal:
    drawn = np.random.default_rng(seed).dirichlet(np.ones(int(np.prod(domain.sizes))))
    return Marginal(domain, drawn.reshape(domain.sizes))


def test_a_table_of_64_cells_shows_the_20_largest_and_sums_up_the_rest():
    truth, answer = shares(DRUGS), shares(DRUGS, 2)
    found = tables.make_table_data(truth, answer)
    assert len(found.cells) == len(found.levels) == 20
    assert list(found.reconstructed) == sorted(answer.values.ravel(), reverse=True)[:20]
    left = 1 - sum(found.reconstructed), 1 - sum(found.true)
    assert found.more == ("44 more", f"true {left[1]:.0%}", f"reconstructed {left[0]:.0%}")
    for cell, level, true in zip(found.cells, found.levels, found.true):
        assert truth.values[tuple(map(int, level))] == true, cell
    worst = np.abs(np.array(found.reconstructed) - found.true).argmax()
    assert found.worst == worst


def test_only_the_cells_drawn_are_named(monkeypatch):
    named, name = [], tables.cell_name
    monkeypatch.setattr(
        tables, "cell_name", lambda *given, **more: named.append(given) or name(*given, **more)
    )
    large = Domain(tuple("abcdefghijklmn"), (2,) * 14)
    reconstructed = shares(large)
    drawn = tables.make_table_data(shares(large, 2), reconstructed, style="pale")
    first = np.unravel_index(reconstructed.values.argmax(), large.sizes)
    assert drawn.cells[0] == name(large, range(14), first)
    assert len(named) <= tables.RANKED + 1


def test_a_ranked_table_of_one_kind_of_share_sums_up_only_that_kind():
    given = shares(DRUGS)
    left = f"{1 - np.sort(given.values.ravel())[-20:].sum():.0%}"
    assert tables.make_table_data(given, None).more == ("44 more", f"true {left}")
    assert tables.make_table_data(None, given).more == ("44 more", f"reconstructed {left}")


def test_cells_are_named_by_their_values_and_grouped_by_the_first_attribute():
    found = tables.make_table_data(shares(PEOPLE), shares(PEOPLE, 2))
    assert found.cells[:2] == ("<20, smoked: no", "<20, smoked: yes")
    assert found.groups == (("<20", 2), ("20-39", 2), ("40+", 2))
    assert found.labels[:2] == ("smoked: no", "smoked: yes")
    assert not {"0", "1"} & {*found.labels, *found.cells}


def test_names_of_cells_are_distinct():
    names = tables.cell_names(DRUGS)[0]
    assert len(set(names)) == 64
    assert names[0] == "none of these" and names[-1] == "all 6" and names[3] == "e, f"


def test_every_drawing_is_json_and_either_side_may_be_missing():
    truth, answer = shares(PEOPLE), shares(PEOPLE, 2)
    for mode in ("bars", "grid", "list", "ranked"):
        sent = json.loads(json.dumps(asdict(tables.make_table_data(truth, answer, mode=mode))))
        assert sum(sent["reconstructed"]) == pytest.approx(1), mode
    alone = tables.make_table_data(None, answer)
    assert alone.true is None and alone.worst is None
    assert tables.make_table_data(answer, None).reconstructed is None


def test_the_axis_covers_every_bar_and_has_lines_at_5_10_or_20_percent():
    for highest in (0.003, 0.04, 0.09, 0.16, 0.33, 0.7, 0.71, 1.0):
        axis = tables.make_axis([highest, 0.001], [0.001, highest])
        assert axis.top >= highest and axis.tick in (0.05, 0.1, 0.2)
        assert axis.tick <= axis.top * 2 + 1e-9
    assert tables.make_axis([0.4], [0.4], spread=0.1).top >= 0.6
    assert tables.make_axis([0.9], [0.9], spread=0.1).top == 1.0


def test_imagined_collections_have_the_spread_asked_for_and_are_independent():
    drawn = np.array(tables.ghost_errors(6))
    assert drawn.shape == (20, 6)
    assert np.sqrt((drawn**2).mean(axis=0)) == pytest.approx(1, abs=1e-4)
    assert abs(drawn.mean(axis=0)).max() < 1e-4
    assert len({tuple(column) for column in drawn.T}) == 6, "cells do not move together"


def test_a_step_has_its_error_its_verdict_and_a_text_for_screen_readers():
    truth = shares(PEOPLE)
    guess = readings.guess_wrong(truth)
    assert guess == pytest.approx(abs(truth.values - 1 / 6).sum() / 2)
    step = readings.make_step(0.2, readings.Wrong(guess, 0.05, 0.2, repeats=20), guess)
    assert (step.verdict, step.name, step.sign) == ("unusable", "Unusable", "○")
    assert step.spread == 0.05 and step.source == "mean of 20 repeats"
    assert "0.2" in step.spoken and f"{step.number} of 100 people" in step.spoken
    assert readings.make_step(4, readings.expected_wrong(0.01, 6), guess).source == "expected"


def test_repeats_say_which_differences_are_real():
    truth = shares(PEOPLE)
    off = np.array([[0.01, -0.01, 0, 0, 0, 0], [0, 0, 0.02, -0.01, -0.01, 0]])
    found = readings.measured_wrong(truth.values.ravel() + off, truth)
    assert found.real == pytest.approx(0.03) and found.share == pytest.approx(0.015)
    assert readings.make_reading(found, 0.3).sentence[0] == "Differences above 3 points are real."


def test_a_value_shared_by_attributes_is_named_with_its_attribute():
    marks = Domain(
        ("math", "art", "school"), (2, 2, 2), (("high", "low"), ("high", "low"), ("n", "s"))
    )
    assert tables.cell_name(marks, range(3), (1, 0, 1)) == "math: low, art: high, s"
    rows = tables.make_table_data(shares(marks), shares(marks, 2)).attributes
    # A file's own column is named in the rows, also where its values are its own.
    assert rows == ("math: low", "art: low", "school: s")
