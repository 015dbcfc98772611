"""Figures of results: what they show is what the tables say, and texts from files stay texts."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from calm_core import Dataset, Domain, make_method, run
from calm_core.evaluation.metrics import summarize_wrong
from calm_core.evaluation.run import score_pairs
from calm_core.figures import errors, plan
from calm_core.figures.theme import SERIES, apply_layout, escape_label
from calm_core.oracles import ORACLES
from calm_core.release.estimate import Estimate

NASTY = "<b>x</b>"
DOMAIN = Domain(("true", NASTY, "c"), (2, 3, 2), (("no", "yes"), ("a", "<i>", "c"), ("0", "1")))


@pytest.fixture(scope="module")
def outcome():
    rng = np.random.default_rng(4)
    codes = np.column_stack([rng.integers(0, size, 4_000) for size in DOMAIN.sizes])
    return run(Dataset.from_codes(codes, DOMAIN), make_method("calm", epsilon=1.0, k=2), seed=1)


def test_cells_of_pairs_say_their_attributes_and_errors(outcome):
    pairs = score_pairs(outcome.dataset, outcome.answer)
    figure = errors.pair_heatmap(pairs, DOMAIN.names, "sse")
    (heat,) = figure.data
    assert NASTY not in figure.to_json().replace("\\u003c", "<").replace("\\u003e", ">")
    for (a, b), error in zip(pairs["attributes"], pairs["sse"]):
        at = DOMAIN.names.index(a), DOMAIN.names.index(b)
        for cell in (at, at[::-1]):
            assert heat.z[cell] == np.log10(error)
            assert heat.text[cell].startswith(f"{escape_label(a)} × {escape_label(b)}<br>")
    assert np.isnan(heat.z[0][0])


def test_central_methods_are_dashed_after_local_ones():
    rows = [
        (method, trust, epsilon, repetition, error / epsilon)
        for method, trust, error in (("priview", "central", 0.01), ("calm", "local", 0.1))
        for epsilon in (0.5, 2.0)
        for repetition in (0, 1)
    ]
    scores = pd.DataFrame(rows, columns=["method", "trust", "epsilon", "repetition", "l1"])
    summary = summarize_wrong(scores)
    assert list(summary["method"]) == ["calm", "calm", "priview", "priview"]
    figure = errors.method_curves(summary, {"calm": "CALM"}, guess=20.0, now=2.0)
    lines = [trace for trace in figure.data if trace.name is not None]
    assert [line.line.dash for line in lines] == ["solid", "dash"]
    assert lines[0].x[1] == 2.0 and lines[0].name == "CALM"
    assert figure.layout.yaxis.type == "log"
    # On a logarithmic axis a text stands at the exponent.
    placed = {note.text: note for note in figure.layout.annotations}
    assert placed["guessing 20"].y == pytest.approx(np.log10(20))
    assert placed["Unusable"].y == pytest.approx(np.log10(10)) and placed[
        "Precise"
    ].y == pytest.approx(np.log10(2))
    assert placed["now"].x == pytest.approx(np.log10(2))
    by_people = summarize_wrong(scores.assign(n=[1_000, 1_000, 10**6, 10**6] * 2), "n")
    over_n = errors.method_curves(by_people, {}, "n")
    assert over_n.layout.xaxis.title.text == "n, number of people"
    assert list(over_n.layout.xaxis.ticktext) == ["1,000", "1,000,000"]
    assert list(over_n.data[1].y) == list(lines[0].y) and list(over_n.data[1].x) == [1_000, 10**6]
    assert "calm at n = 1,000,000 (2.5 of 100)" in errors.describe_methods(by_people, {}, "n")
    assert "CALM at ε = 0.5 (10 of 100)" in errors.describe_methods(summary, {"calm": "CALM"})


def test_bars_are_what_was_answered_and_a_bar_without_an_answer_stays_empty():
    found, true = (Estimate(value, 0.1, 0.4, (), "") for value in (0.2, 0.3))
    drawn = [errors.Bar("<b>", found, true), errors.Bar("few", None, None)]
    marks, bars = errors.draw_answers(drawn, "people of 100", scale=100).data
    np.testing.assert_allclose(bars.x, [20, np.nan])
    np.testing.assert_allclose(np.add(bars.x, bars.error_x.array), [40, np.nan])
    np.testing.assert_allclose(np.subtract(bars.x, bars.error_x.arrayminus), [10, np.nan])
    np.testing.assert_allclose(marks.x, [30, np.nan])
    assert list(bars.y) == ["&lt;b&gt;", "few"] and bars.marker.opacity[0] > bars.marker.opacity[1]


def test_long_names_are_shortened_in_the_sentence_on_pairs():
    pairs = pd.DataFrame({"attributes": [("L" * 200, "<b>")], "sse": [1.2e-7], "covered": [True]})
    said = errors.describe_pairs(pairs, "sse")
    assert "L" * 40 not in said and "<b>" in said and "1.2 × 10⁻⁷" in said


def test_no_oracle_is_left_out_where_there_are_more_than_colors(monkeypatch):
    many = {f"{name} {copy}": kind for name, kind in ORACLES.items() for copy in range(4)}
    monkeypatch.setattr(plan, "ORACLES", many)
    lines = [t for t in plan.variance_by_size(1.0, 6).data if t.mode == "lines" and t.name]
    assert len(lines) == len(many) > len(SERIES)


def test_the_label_of_the_last_bar_is_drawn_where_labels_are_turned():
    assert apply_layout(go.Figure()).layout.xaxis.ticklabeloverflow == "allow"


def test_names_and_numbers_stand_apart_at_the_ends_of_lines_and_at_the_value_marked():
    means = {"calm": 5.0, "ft": 5.1, "em": 40.0}
    rows = [
        ("local", method, x, mean / x, mean / x, mean / x, 0, 1)
        for method, mean in means.items()
        for x in (1.0, 2.0)
    ]
    columns = ["trust", "method", "epsilon", "mean", "low", "high", "failed", "repetitions"]
    summary = pd.DataFrame(rows, columns=columns)
    figure = errors.method_curves(summary, {"calm": "CALM"}, guess=50.0, now=1.0)
    notes = {note.text: note for note in figure.layout.annotations}
    assert {notes[f"<b>{name}</b>"].x for name in ("CALM", "ft", "em")} == {np.log10(2)}
    assert {notes[f"<b>{number}</b>"].x for number in ("5", "5.1", "40")} == {0}
    low, top = figure.layout.yaxis.range
    at = {name: errors.INSIDE * notes[f"<b>{name}</b>"].y / (top - low) + notes[f"<b>{name}</b>"].yshift for name in ("CALM", "ft")}  # fmt: skip
    assert at["ft"] - at["CALM"] == pytest.approx(errors.GAP)
    assert figure.layout.showlegend is False and notes["<b>em</b>"].yshift == 0
    many = pd.concat([summary.assign(method=summary["method"] + str(i)) for i in range(3)])
    assert errors.method_curves(many, {}, guess=50.0).layout.showlegend is None
