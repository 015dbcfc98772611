"""Errors: the finding, where, why and what would help; every view, every method."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from calm_core import Domain
from calm_core.settings import Settings
from pages import words
from pages.panels.errors import pairs, why
from pages.ui import cached, naming

VIEWS = tuple(words.errors.VIEWS)


def clean(app: AppTest) -> AppTest:
    assert not app.exception, app.exception
    assert not app.error, [error.value for error in app.error]
    return app


def turn(app: AppTest, view: str) -> AppTest:
    """Choose a view in the row at the foot."""
    return clean(app.segmented_control(key="view_errors").set_value(view).run())


def figures(app: AppTest) -> int:
    return len(app.get("plotly_chart"))


def said(app: AppTest) -> str:
    html = [element.proto.body for element in app.get("html")]
    return " ".join([*(text.value for text in (*app.markdown, *app.caption)), *html])


@pytest.mark.parametrize("view", VIEWS)
def test_every_view(open_app, view):
    app = turn(open_app("errors", d="5", k="2"), view)
    if view in ("sizes", "curves"):
        assert figures(app) == 0
        name = "views" if view == "sizes" else "curve_epsilon"
        app = clean(app.button(key=f"measure_{name}").click().run())
    assert figures(app) == (0 if view in ("pairs", "sources") else 1)


@pytest.mark.parametrize(
    "query",
    [
        {"d": "2", "k": "2"},
        {"d": "2", "k": "1", "n": "2"},
        {"method": "uni"},
        {"method": "calm_plus", "design": "two_phase"},
        {"method": "calm_binary", "d": "4"},
        {"method": "priview", "d": "4"},
        {"method": "am", "d": "4"},
    ],
)
def test_small_data_and_other_methods(open_app, query):
    app = clean(open_app("errors", **query))
    for view in VIEWS:
        turn(app, view)


def test_the_title_is_the_finding(open_app):
    app = clean(open_app("errors"))
    settings = app.session_state["settings"]
    outcome = cached.outcome(settings)
    scored = pairs.pairs_of(settings, outcome)
    worst = max(zip(scored["sse"], scored["attributes"]))
    [title] = app.title
    named = " × ".join(naming.short_titles(outcome.domain.project(worst[1])))
    typical = words.numbers.points(outcome.points)
    assert title.value.replace("\\", "") == f"Typical {typical}; {named} is worst"
    cell = 100 * (worst[0] / 4) ** 0.5
    assert pairs.worst_of(outcome.domain, scored) == (named, pytest.approx(cell))


def test_the_squares_of_the_sources_add_up_to_that_of_the_typical_error():
    settings = Settings(columns=("age", "female", "income", "area"), d=4, n=5_000, queries=6, k=2)
    outcome = cached.outcome(settings)
    found = why.squares(why.parts_of(settings, outcome), outcome.domain)
    together = sum(found[name] for name in ("noise", "sampling", "reconstruction"))
    assert found["sse"] == pytest.approx(outcome.points**2) == pytest.approx(together)


PARTS = {"noise": 4.0, "sampling": 1.0, "reconstruction": 0.0}


def split(**parts) -> dict:
    """One table of four cells whose sources cost so many squared points."""
    parts = PARTS | parts
    row = {name: [4e-4 * square] for name, square in parts.items()}
    whole = {"sse": [4e-4 * sum(parts.values())]}
    reruns = {"without_noise": [4e-4], "without_grouping": [0.0], "direct": [8e-4]}
    table = pd.DataFrame(row | whole | reruns | {"attributes": [("a", "b")]})
    return why.squares(table, Domain(("a", "b"), (2, 2)))


def test_a_source_below_zero_is_said_and_left_out_of_the_bar(monkeypatch):
    told = []
    monkeypatch.setattr(why.st, "caption", told.append)
    usual, odd = split(), split(sampling=-1.0)
    why.say_below_zero(usual)
    assert not told and why.bar(usual, 5.0, high=9).count("<span") == 2
    why.say_below_zero(odd)
    assert told == [words.errors.below_zero(["sampling"])]
    drawn = why.bar(odd, odd["sse"], high=9)
    assert "sampling)" not in drawn and "sampling none" in drawn and "width:100.0%" in drawn
    # Above the bar: without the source that cancelled, squares do not add up.
    monkeypatch.setattr(why, "parts_of", lambda *_: None)
    monkeypatch.setattr(why, "legend", lambda *_: "")
    run, head = SimpleNamespace(points=2.0, domain=None), []
    monkeypatch.setattr(why.st, "markdown", head.append)
    for found in (usual, odd):
        monkeypatch.setattr(why, "squares", lambda *_, found=found: found)
        why.show(Settings(), run)
    assert "add up to the square" in head[0] and "add up to more than the square" in head[1]


def test_widths_of_the_bar_are_squares():
    drawn = why.bar(split(), 5.0, high=9)
    assert "width:80.0%;background:var(--calm-released)" in drawn
    assert "width:20.0%;background:var(--striped),var(--calm-sampling)" in drawn
    assert "noise ±2.0 points, sampling ±1.0 points" in drawn


def test_other_methods_are_not_split_but_offer_calm(open_app):
    app = clean(open_app("errors", d="4", method="ft"))
    assert words.errors.NOT_SPLIT in said(app)
    app = clean(app.button(key="why_calm").click().run())
    assert app.session_state["settings"].method == "calm"
    assert words.errors.NOT_SPLIT not in said(app) and "the square of" in said(app)


@pytest.mark.parametrize(
    ("field", "value"), [("epsilon", 2.0), ("n", 240_000), ("k", 2), ("method", "calm_plus")]
)
def test_apply_changes_the_named_setting_and_can_be_undone(open_app, field, value):
    app = clean(open_app("errors"))
    before = app.session_state["settings"]
    app = clean(app.button(key=f"apply_{field}").click().run())
    assert app.session_state["settings"] == before.changed(**{field: value})
    app = clean(app.button(key="undo").click().run())
    assert app.session_state["settings"] == before


def test_a_cell_opens_its_table():
    app = AppTest.from_string(
        "import streamlit as st\nfrom pages.ui import places, state\n"
        "from pages.panels.errors import pairs\nplaces.enter('errors')\nstate.current()\n"
        "pairs._heard(('female', 'smoked_month', 'drank_month'), 2, 0)"
    )
    app.run()
    assert not app.exception
    assert app.session_state["settings"].attrs == ("female", "drank_month")
    assert app.session_state["go"] == "marginals"


def test_a_lecture_names_the_twelve_worst_attributes():
    names = tuple(f"a{i}" for i in range(20))
    domain = Domain(names, (2,) * 20)
    rows = [
        ((a, b), float(i + j)) for i, a in enumerate(names) for j, b in enumerate(names) if i < j
    ]
    scored = pd.DataFrame(rows, columns=["attributes", "points"])
    assert pairs.drawn(domain, scored, lecture=True) == names[8:]
    assert pairs.drawn(domain, scored, lecture=False) == names
    few = Domain(names[:12], (2,) * 12)
    assert pairs.drawn(few, scored, lecture=True) == names[:12]


def test_the_lecture_is_one_title_and_one_picture(open_app):
    app = clean(open_app("errors", presenter="1"))
    assert not app.segmented_control and not app.expander and figures(app) == 0
    assert not [button for button in app.button if button.key and button.key.startswith("apply")]
    assert "calm-headline" in said(app)


def test_no_better_than_noise_is_said_with_ways_out(open_app):
    app = open_app("errors", n="500", epsilon="0.2")
    assert "Mostly noise: ±" in said(app) and "Guessing equal shares is off by ±" in said(app)
    offered = [
        button for button in app.button if button.key and button.key.startswith("remedy_noise")
    ]
    assert offered and all("points" in button.label for button in offered)
    assert "Mostly noise" not in said(open_app("errors"))


@pytest.mark.parametrize("method", ["calm", "calm_binary", "ft", "em", "priview"])
def test_a_prediction_stands_beside_the_error_where_there_is_a_formula(open_app, method):
    query = {"d": "4", "k": "2", "source": "browsing", "method": method, "queries": "6"}
    app = turn(open_app("errors", **query), "spread")
    found = {metric.label: metric.value for metric in app.metric}
    assert ("Predicted" in found) == (method in ("calm", "ft", "priview"))


def test_the_spread_is_in_points_of_all_tables(open_app):
    few = turn(open_app("errors", d="5", k="2", queries="4"), "spread")
    assert words.errors.TITLE_OF.format(queries=4) in said(few), "two typical errors differ"
    app = turn(open_app("errors", d="5", k="2"), "spread")
    assert "random" not in said(app)
    found = {metric.label: metric.value for metric in app.metric}
    settings = app.session_state["settings"]
    typical = cached.outcome(settings).points
    # All ten tables are asked for: the random ones of the run are all there are.
    assert found["Typical"] == words.numbers.points(typical)
    assert np.isclose(
        float(found["Times closer"]), cached.outcome(settings).guess_points / typical, 0.01
    )


def test_measures_of_the_papers_wait_in_a_drawer(open_app):
    app = clean(open_app("errors", d="4"))
    assert "SSE" not in said(app)
    assert [panel.label for panel in app.expander][0] == words.errors.DETAILS
