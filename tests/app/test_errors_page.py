"""Errors: the finding, where, why and what would help."""

from types import SimpleNamespace

import pandas as pd
import pytest

from calm_core import Domain
from calm_core.evaluation.metrics import Verdict
from calm_core.settings import Settings
from pages import words
from pages.panels import errors as errors_panel
from pages.ui import cached_calls, display
from tests.app.screen import clean, plain, read, session_of


def test_the_page_states_the_error_and_the_worst_pair_and_offers_what_helps(open_app, monkeypatch):
    app = clean(open_app("errors"))
    assert "Unusable:" not in read(app)
    settings = app.session_state["settings"]
    outcome = cached_calls.outcome(settings)
    scored = errors_panel.pair_errors(settings, outcome)
    worst = max(zip(scored["l1"], scored["attributes"]))
    [title] = app.title
    named = " × ".join(display.short_titles(outcome.domain.project(worst[1])))
    assert plain(title.value) == words.errors.title(outcome.wrong, "all 56 tables", named)
    assert errors_panel.find_worst_pair(outcome.domain, scored) == (named, worst[0] / 2)
    # Each suggestion changes its setting, and can be undone; it was tried above.
    monkeypatch.setattr(errors_panel.warnings, "try_suggestion", lambda *_: None)
    changes = {"epsilon": 2.0, "n": 240_000, "k": 2, "method": "calm_plus"}
    for field, value in changes.items():
        app = clean(app.button(key=f"apply_{field}").click().run())
        assert app.session_state["settings"] == settings.with_changes(**{field: value})
        app = clean(app.button(key="undo").click().run())
        assert app.session_state["settings"] == settings


def test_the_sources_add_up_to_the_people_in_the_wrong_cell():
    settings = Settings(columns=("age", "female", "income", "area"), d=4, n=5_000, queries=6, k=2)
    outcome = cached_calls.outcome(settings)
    found = errors_panel.mean_parts(errors_panel.error_parts(settings, outcome), outcome.domain)
    together = sum(found[name] for name in ("noise", "sampling", "reconstruction"))
    assert found["wrong"] == pytest.approx(outcome.wrong) == pytest.approx(together)


PARTS = {"noise": 4.0, "sampling": 1.0, "reconstruction": 0.0}


def split(**parts) -> dict:
    """One table of four cells with 5 of 100 people in the wrong cell, whose sources cost so much."""
    parts = PARTS | parts
    row = {name: [4e-4 * square] for name, square in parts.items()}
    row |= {"sse": [4e-4 * sum(parts.values())], "attributes": [("a", "b")]}
    return errors_panel.mean_parts(
        pd.DataFrame(row | {"wrong": [0.05]}), Domain(("a", "b"), (2, 2))
    )


def test_a_negative_source_is_explained_and_left_out_of_the_bar(monkeypatch):
    captions = []
    monkeypatch.setattr(errors_panel.st, "caption", captions.append)
    usual, odd = split(), split(sampling=-1.0)
    errors_panel.show_negative_parts(usual)
    assert not captions and errors_panel.bar_html(usual).count("<span") == 2
    errors_panel.show_negative_parts(odd)
    assert captions == [words.errors.below_zero_note(names="sampling")]
    drawn = errors_panel.bar_html(odd)
    assert "sampling)" not in drawn and "width:100.0%" in drawn


def test_the_widths_of_the_bar_are_parts_of_the_squared_error():
    drawn = errors_panel.bar_html(split())
    assert "width:80.0%;background:var(--calm-reconstructed)" in drawn
    assert "width:20.0%;background:var(--striped),var(--calm-sampling)" in drawn


def test_the_error_of_another_method_is_not_split_and_calm_is_offered(open_app):
    app = clean(open_app("errors", d="4", method="ft"))
    assert words.errors.NOT_SPLIT in read(app)
    app = clean(app.button(key="why_calm").click().run())
    assert app.session_state["settings"].method == "calm"
    assert words.errors.NOT_SPLIT not in read(app)


def test_what_saves_less_than_a_tenth_when_tried_is_not_shown(open_app, monkeypatch):
    tried = SimpleNamespace(wrong=0.06, verdict=Verdict.ROUGH)
    monkeypatch.setattr(errors_panel.warnings, "try_suggestion", lambda *_: tried)
    app = open_app("errors")
    assert words.errors.NOTHING_HELPS in read(app)
    assert not [button for button in app.button if str(button.key).startswith("apply_")]


def test_a_pair_opens_its_table():
    with session_of("errors") as session:
        errors_panel.open_pair_table(("female", "drank_month"))
    assert session["settings"].attrs == ("female", "drank_month") and session["go"] == "marginals"


def test_a_lecture_names_the_twelve_worst_attributes():
    names = tuple(f"a{i}" for i in range(20))
    domain = Domain(names, (2,) * 20)
    rows = [
        ((a, b), float(i + j)) for i, a in enumerate(names) for j, b in enumerate(names) if i < j
    ]
    scored = pd.DataFrame(rows, columns=["attributes", "l1"])
    assert errors_panel.attributes_drawn(domain, scored, lecture=True) == names[8:]
    assert errors_panel.attributes_drawn(domain, scored, lecture=False) == names
    few = Domain(names[:12], (2,) * 12)
    assert errors_panel.attributes_drawn(few, scored, lecture=True) == names[:12]


def test_a_release_no_better_than_equal_shares_offers_remedies(open_app):
    app = open_app("errors", n="500", epsilon="0.2")
    assert "Unusable:" in read(app)
    offered = [button for button in app.button if str(button.key).startswith("suggestion_noise")]
    assert offered and all("of 100" in button.label for button in offered)
