"""Tables: the question, the chart with its number, every view of it, and the data of the component."""

import json
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from calm_core.evaluation.metrics import wrong_share
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal
from pages import words
from pages.panels import marginals as panel
from pages.ui import cached_calls, error_by_epsilon, results, tables
from tests.app.screen import clean, open_view, press


def turn(app: AppTest, view: str) -> AppTest:
    """Another view, as its segment or a link chooses it."""
    return clean(open_view(app, "marginals", view))


def test_the_error_shown_is_that_of_the_table_shown(open_app, data_of):
    attrs = ("drank_month", "cannabis_year")
    app = clean(open_app("marginals", attrs=",".join(attrs)))
    found, outcome = data_of(app, "marginal"), cached_calls.outcome(Settings())
    truth, answer = outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs)
    assert found["reading"]["number"] == words.numbers.wrong(wrong_share(truth, answer))
    assert found["reading"]["source"] == "this collection"
    assert [name for name, _ in found["chips"]["chosen"]] == list(attrs)
    assert len(found["chips"]["others"]) == 6


def test_a_table_of_six_attributes_is_ranked(open_app, data_of):
    found = data_of(clean(open_app("marginals", k="6")), "marginal")
    assert len(found["cells"]) == len(found["ghosts"][0]) == 20
    rest = float(found["more"][2].split()[1].rstrip("%")) / 100
    assert sum(found["reconstructed"]) + rest == pytest.approx(1, abs=0.01)


def test_calm_plus_shows_intervals(open_app, data_of):
    app = clean(open_app("marginals", d="5", k="3", method="calm_plus"))
    assert any("95% intervals" in caption.value for caption in app.caption)
    listed = app.dataframe[-1].value
    assert (listed["95% from"] <= listed["reconstructed share"] + 1e-12).all()
    assert (listed["95% to"] >= listed["reconstructed share"] - 1e-12).all()
    found = data_of(app, "marginal")
    outcome = cached_calls.outcome(Settings(d=5, k=3, method="calm_plus"))
    limits = results.cell_intervals(outcome.answer, tuple(listed.columns[:3]))
    for field, name, ends in zip(("low", "high"), ("95% from", "95% to"), limits):
        assert found[field] == ends.tolist()
        assert listed[name].tolist() == ends.round(4).tolist()
    assert found["axis"]["top"] >= max(found["high"])


def test_stages_share_an_axis_that_reaches_below_zero(open_app, data_of):
    app = turn(open_app("marginals", d="5", k="2", epsilon="0.2", n="3000", seed="1"), "stages")
    stages = ("raw", "consistent", "non-negative", "final")
    found = [data_of(app, f"stage_{name}") for name in stages]
    assert min(found[0]["reconstructed"]) < 0 <= min(found[-1]["reconstructed"])
    assert len({tuple(table["axis"].values()) for table in found}) == 1
    assert found[0]["axis"]["bottom"] <= min(found[0]["reconstructed"])


def test_the_origin_of_a_table_is_stated():
    outcome = cached_calls.outcome(Settings())
    measured = panel.table_origin(outcome, outcome.plan.views[0])
    assert measured["action"][0] == "stages" and "Rebuilt" not in measured["text"]
    rebuilt = panel.table_origin(outcome, outcome.domain.names[:3])
    assert "Rebuilt from 3 tables of 2" in rebuilt["text"]
    assert "maximum entropy" in panel.origin_remarks(outcome, outcome.domain.names[:3])[0]


def test_a_guess_is_scored_against_the_truth(open_app):
    app = turn(open_app("marginals", d="3", k="1", attrs="female"), "guess")
    app.slider(key="guess_female_0").set_value(100)
    app.slider(key="guess_female_1").set_value(0)
    app = clean(press(app, "Reveal"))
    # Half of the sample are women: a guess of none puts all of them into the wrong cell.
    assert int(app.metric[0].value.split()[0]) == pytest.approx(51, abs=2)


def test_the_list_of_tables_is_ordered_by_error_and_no_small_error_is_shown_as_none(open_app):
    app = turn(open_app("marginals"), "all")
    table = app.dataframe[0].value
    wrong = table[words.marginals.RANKING_COLUMNS["wrong"]]
    assert len(table) == 56 and wrong.is_monotonic_decreasing
    outcome = cached_calls.outcome(Settings())
    attrs = app.session_state["ranking_attrs"][3]
    truth, answer = outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs)
    assert wrong[3] == pytest.approx(100 * wrong_share(truth, answer))
    formats = re.findall(r'"format": ?"([^"]+)"', app.dataframe[0].proto.columns)
    assert len(formats) == 3
    assert all(float((one % 0.00123).rstrip("%")) == pytest.approx(0.00123) for one in formats)


def test_the_headline_rises_with_the_size_of_the_table():
    """A table of more cells has more people in the wrong one, on both samples."""
    for source in ("survey", "browsing"):
        wrong = [cached_calls.outcome(Settings(source=source, k=k)).wrong for k in (1, 2, 3, 4, 6)]
        assert wrong == sorted(wrong), source


def test_methods_without_intervals_have_those_of_their_repeats(open_app, data_of, monkeypatch):
    settings = Settings(d=4, k=2, n=4_000)
    outcome = cached_calls.outcome(settings)
    attrs = outcome.domain.names[:2]
    known = error_by_epsilon.get_known_shares(settings, outcome.domain, attrs)
    rows = outcome.dataset.marginal(attrs).values.ravel() + 0.01 * np.eye(4)[np.arange(20) % 4]
    known.reconstructed[1.0] = rows
    found = data_of(clean(open_app("marginals", d="4", k="2", n="4000")), "marginal")
    half = 1.96 * rows.std(axis=0)
    shares = outcome.answer.marginal(attrs).values.ravel()
    assert found["low"] == pytest.approx(np.maximum(shares - half, 0))
    assert found["high"] == pytest.approx(shares + half)


# ---------------------------------------------------------------- the data of the table component


YES = ("0", "1")
DRUGS = Domain(tuple("abcdef"), (2,) * 6, (YES,) * 6)
PEOPLE = Domain(("age", "smoked"), (3, 2), (("<20", "20-39", "40+"), YES))


def shares(domain: Domain, seed: int = 1) -> Marginal:
    drawn = np.random.default_rng(seed).dirichlet(np.ones(int(np.prod(domain.sizes))))
    return Marginal(domain, drawn.reshape(domain.sizes))


def test_a_table_of_64_cells_shows_the_20_largest_and_sums_up_the_rest():
    truth, answer = shares(DRUGS), shares(DRUGS, 2)
    found = tables.make_table_data(truth, answer)
    assert len(found["cells"]) == len(found["levels"]) == 20
    assert list(found["reconstructed"]) == sorted(answer.values.ravel(), reverse=True)[:20]
    left = 1 - sum(found["reconstructed"]), 1 - sum(found["true"])
    assert found["more"] == ("44 more", f"true {left[1]:.0%}", f"reconstructed {left[0]:.0%}")
    for cell, level, true in zip(found["cells"], found["levels"], found["true"]):
        assert truth.values[tuple(map(int, level))] == true, cell
    worst = np.abs(np.array(found["reconstructed"]) - found["true"]).argmax()
    assert found["worst"] == worst


def test_only_the_cells_drawn_are_named(monkeypatch):
    named, name = [], tables.cell_name
    monkeypatch.setattr(
        tables, "cell_name", lambda *given, **more: named.append(given) or name(*given, **more)
    )
    large = Domain(tuple("abcdefghijklmn"), (2,) * 14)
    reconstructed = shares(large)
    drawn = tables.make_table_data(shares(large, 2), reconstructed, style="pale")
    first = np.unravel_index(reconstructed.values.argmax(), large.sizes)
    assert drawn["cells"][0] == name(large, range(14), first)
    assert len(named) <= tables.RANKED + 1


def test_a_ranked_table_of_one_kind_of_share_sums_up_only_that_kind():
    given = shares(DRUGS)
    left = f"{1 - np.sort(given.values.ravel())[-20:].sum():.0%}"
    assert tables.make_table_data(given, None)["more"] == ("44 more", f"true {left}")
    assert tables.make_table_data(None, given)["more"] == ("44 more", f"reconstructed {left}")


def test_cells_are_named_by_their_values_and_grouped_by_the_first_attribute():
    found = tables.make_table_data(shares(PEOPLE), shares(PEOPLE, 2))
    assert found["cells"][:2] == ["<20, smoked: no", "<20, smoked: yes"]
    assert found["groups"] == (("<20", 2), ("20-39", 2), ("40+", 2))
    assert found["labels"][:2] == ["smoked: no", "smoked: yes"]
    assert not {"0", "1"} & {*found["labels"], *found["cells"]}


def test_names_of_cells_are_distinct():
    names = tables.cell_names(DRUGS)[0]
    assert len(set(names)) == 64
    assert names[0] == "none of these" and names[-1] == "all 6" and names[3] == "e, f"


def test_every_drawing_is_json_and_either_side_may_be_missing():
    truth, answer = shares(PEOPLE), shares(PEOPLE, 2)
    for mode in ("bars", "grid", "list", "ranked"):
        sent = json.loads(json.dumps(tables.make_table_data(truth, answer, mode=mode)))
        assert sum(sent["reconstructed"]) == pytest.approx(1), mode
    alone = tables.make_table_data(None, answer)
    assert alone["true"] is None and alone["worst"] is None
    assert tables.make_table_data(answer, None)["reconstructed"] is None


def test_the_axis_covers_every_bar_and_has_lines_at_5_10_or_20_percent():
    for highest in (0.003, 0.04, 0.09, 0.16, 0.33, 0.7, 0.71, 1.0):
        axis = tables.make_axis([highest, 0.001], [0.001, highest])
        assert axis["top"] >= highest and axis["tick"] in (0.05, 0.1, 0.2)
        assert axis["tick"] <= axis["top"] * 2 + 1e-9
    assert tables.make_axis([0.4], [0.4], spread=0.1)["top"] >= 0.6
    assert tables.make_axis([0.9], [0.9], spread=0.1)["top"] == 1.0


def test_imagined_collections_have_the_spread_asked_for_and_are_independent():
    drawn = tables.ghost_errors(6)
    assert drawn.shape == (20, 6)
    assert np.sqrt((drawn**2).mean(axis=0)) == pytest.approx(1, abs=1e-4)
    assert abs(drawn.mean(axis=0)).max() < 1e-4
    assert len({tuple(column) for column in drawn.T}) == 6, "cells do not move together"


def test_a_step_has_its_error_its_verdict_and_a_text_for_screen_readers():
    truth = shares(PEOPLE)
    guess = results.guess_wrong(truth)
    assert guess == pytest.approx(abs(truth.values - 1 / 6).sum() / 2)
    step = results.make_step(0.2, results.Wrong(guess, 0.05, 0.2, repeats=20), guess)
    assert (step.verdict, step.name, step.sign) == ("unusable", "Unusable", "○")
    assert step.spread == 0.05 and step.source == "mean of 20 repeats"
    assert "0.2" in step.spoken and f"{step.number} of 100 people" in step.spoken
    assert results.make_step(4, results.expected_wrong(0.01, 6), guess).source == "expected"


def test_repeats_say_which_differences_are_real():
    truth = shares(PEOPLE)
    off = np.array([[0.01, -0.01, 0, 0, 0, 0], [0, 0, 0.02, -0.01, -0.01, 0]])
    found = results.measured_wrong(truth.values.ravel() + off, truth)
    assert found.real == pytest.approx(0.03) and found.share == pytest.approx(0.015)
    assert results.make_reading(found, 0.3).sentence[0] == "Differences above 3 points are real."


def test_a_value_shared_by_attributes_is_named_with_its_attribute():
    marks = Domain(
        ("math", "art", "school"), (2, 2, 2), (("high", "low"), ("high", "low"), ("n", "s"))
    )
    assert tables.cell_name(marks, range(3), (1, 0, 1)) == "math: low, art: high, s"
    rows = tables.make_table_data(shares(marks), shares(marks, 2))["attributes"]
    # A file's own column is named in the rows, also where its values are its own.
    assert rows == ("math: low", "art: low", "school: s")
