"""Start: the ways in, presets with a way back, the first table and its epsilon."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from calm_core.settings import EPSILONS, Settings
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain
from pages.panels.start import presets
from pages.ui import cached, first_pair
from pages.ui.view_state import Route

YES = ("0", "1")


def in_session(script: str, settings: Settings) -> AppTest:
    """What a callback does, in a session with these settings."""
    app = AppTest.from_string(script)
    app.session_state["settings"], app.session_state["page"] = settings, "start"
    app.session_state["places"] = {"start": Route("start")}
    app.run()
    assert not app.exception, app.exception
    return app


def test_three_doors_and_the_first_table(open_app, sent):
    app = open_app()
    doors = sent(app, "entry_cards")
    assert [door["id"] for door in doors["cards"]] == ["learn", "data", "lecture"]
    assert [preset["id"] for preset in doors["presets"]] == ["shopping", "large_k", "fails"]
    found = sent(app, "first_table")
    outcome = cached.outcome(Settings())
    attrs = first_pair.of_settings(Settings(), outcome)
    assert found["true"] == outcome.dataset.marginal(attrs).values.ravel().tolist()
    assert found["released"] == outcome.answer.marginal(attrs).values.ravel().tolist()
    assert found["cells"] == ["neither", "cannabis", "drank", "both"]
    assert found["slider"] and len(found["steps"]) == len(EPSILONS)
    assert found["steps"][found["index"]]["epsilon"] == "1"
    assert found["head"]["subtitle"] == "60,000 people, one noisy report each"


def test_an_epsilon_of_ones_own_is_a_place_of_its_slider(open_app, sent):
    app = open_app(epsilon="0.25")
    found = sent(app, "first_table")
    offered = [step["epsilon"] for step in found["steps"]]
    assert offered[found["index"]] == "0.25" and offered[2:6] == ["0.2", "0.25", "0.3", "0.4"]
    # The settings bar of the other pages tells its tables the same places.
    app.switch_page("../marginals.py").run()
    strip = sent(app, "settings_bar")
    assert [f"{epsilon:g}" for epsilon in strip["grid"]] == offered


def test_doors_lead_where_the_settings_stay(open_app, sent):
    app = open_app(epsilon="2.0", pages="learn,plan")
    doors = {door["id"]: door["href"] for door in sent(app, "entry_cards")["cards"]}
    assert set(doors) == {"learn", "lecture"}, "a page that the link hides has no door"
    assert doors["learn"].startswith("learn?") and "epsilon=2.0" in doors["learn"]
    assert "presenter=1" in doors["lecture"]


@pytest.mark.parametrize("name", presets.PRESETS)
def test_a_preset_opens_the_page_it_is_about_and_says_what_it_changed(name):
    before = Settings(epsilon=3.0, hide=("theta",))
    script = f"from pages.panels.start import presets; presets.begin({name!r})"
    app = in_session(script, before)
    after, preset = app.session_state["settings"], presets.PRESETS[name]
    assert after.results_key == preset.settings.results_key and after.hide == before.hide
    assert app.session_state["go"] == preset.page
    told, former, then = app.session_state["applied"]
    assert (told, former, then) == (f"Settings changed: {preset.told}.", before, after)


def begun(app: AppTest, name: str) -> AppTest:
    """The app after a preset was chosen on its first page."""
    script = f"from pages.panels.start import presets; presets.begin({name!r})"
    done = in_session(script, app.session_state["settings"])
    for key in ("settings", "applied", "departed", "go"):
        app.session_state[key] = done.session_state[key]
    return app.run()


def test_undo_of_a_preset_leads_back_to_where_it_was_chosen(open_app):
    app = open_app(epsilon="2.0")
    former = app.session_state["settings"]
    app = begun(app, "large_k")
    assert app.session_state["page"] == "marginals" and app.session_state["settings"].k == 6
    app.button(key="undo").click().run()
    assert app.session_state["page"] == "start" and app.session_state["settings"] == former


def test_undo_of_a_later_change_stays_on_its_page(open_app):
    app = begun(open_app(), "large_k")
    before = app.session_state["settings"]
    app.session_state["settings"] = before.changed(k=2)
    app.session_state["applied"] = "k = 2", before, before.changed(k=2)
    app.run()
    app.button(key="undo").click().run()
    assert app.session_state["page"] == "marginals" and app.session_state["settings"] == before


def test_a_lecture_has_the_strip_for_epsilon_and_no_doors(open_app, sent):
    app = open_app(presenter="1")
    found = sent(app, "first_table")
    assert found["lecture"] and not found["slider"]
    assert not [e for e in app.get("bidi_component") if e.proto.id.endswith("-entry_cards")]


def test_a_hidden_epsilon_has_no_slider(open_app, sent):
    assert not sent(open_app(hide="epsilon"), "first_table")["slider"]


@pytest.mark.parametrize(("method", "said"), [("calm", "noisy report"), ("priview", "curator")])
def test_who_adds_the_noise_is_said(open_app, sent, method, said):
    assert said in sent(open_app(d="4", method=method), "first_table")["head"]["subtitle"]


def table(*columns, labels) -> Dataset:
    names = tuple("abcdef"[: len(columns)])
    domain = Domain(names, tuple(map(len, labels)), labels)
    return Dataset.from_codes(np.column_stack(columns), domain)


def test_the_first_pair_is_of_yes_or_no_questions_that_tell_something():
    rng = np.random.default_rng(1)
    coin, other, seldom, rare = (rng.random((4, 4000)).T < (0.5, 0.5, 0.3, 0.2)).T.astype(int)
    sex = ("man", "woman")
    found = table(coin, coin, labels=(sex, YES))
    assert first_pair.first_pair(found) == ("a", "b")
    # The two coins are even, but equal shares would say the same.
    found = table(coin, other, seldom, rare, labels=(YES,) * 4)
    assert first_pair.first_pair(found) == ("a", "d")
    found = table(coin, seldom, rare, labels=(sex, YES, YES))
    assert first_pair.first_pair(found) == ("b", "c"), "questions first"


def test_more_values_are_taken_where_there_is_nothing_smaller():
    codes = np.random.default_rng(1).integers(0, 3, size=(500, 2))
    three = ("x", "y", "z")
    assert first_pair.first_pair(table(*codes.T, labels=(three, three))) == ("a", "b")
