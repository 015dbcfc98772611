"""Start: the ways in, presets with a way back, the first table and its epsilon."""

import numpy as np

from calm_core.settings import EPSILONS, Settings
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain
from pages.panels import start as start_panel
from pages.ui import cached_calls, results, state
from tests.app.screen import session_of

YES = ("0", "1")


def test_start_shows_the_entries_the_presets_and_the_first_table(open_app, data_of):
    app = open_app()
    doors = data_of(app, "entry_cards")
    assert [door["id"] for door in doors["cards"]] == ["learn", "data", "lecture"]
    assert [preset["id"] for preset in doors["presets"]] == ["shopping", "large_k", "fails"]
    found = data_of(app, "first_table")
    outcome = cached_calls.outcome(Settings())
    attrs = results.get_first_pair(Settings(), outcome)
    assert found["true"] == outcome.dataset.marginal(attrs).values.ravel().tolist()
    assert found["reconstructed"] == outcome.answer.marginal(attrs).values.ravel().tolist()
    assert found["cells"] == ["neither", "cannabis", "drank", "both"]
    assert found["slider"] and len(found["steps"]) == len(EPSILONS)
    assert found["steps"][found["index"]]["epsilon"] == "1"
    assert found["head"]["subtitle"] == "60,000 people, one noisy report each"


def test_a_method_that_answers_single_attributes_alone_has_a_first_table_too(open_app, data_of):
    app = open_app(k="1", method="am")
    assert not app.error and len(data_of(app, "first_table")["cells"]) == 2


def test_the_entries_keep_the_settings_and_leave_out_hidden_pages(open_app, data_of):
    app = open_app(epsilon="2.0", pages="learn,plan")
    doors = {door["id"]: door["href"] for door in data_of(app, "entry_cards")["cards"]}
    assert set(doors) == {"learn", "lecture"}
    assert doors["learn"].startswith("learn?") and "epsilon=2.0" in doors["learn"]
    assert "presenter=1" in doors["lecture"]


def test_a_preset_opens_its_page_and_can_be_undone():
    before = Settings(epsilon=3.0, hide=("theta",))
    for name, (page, preset) in start_panel.PRESETS.items():
        with session_of(settings=before) as session:
            start_panel.open_preset(name)
        after = session["settings"]
        assert after.results_key == preset.results_key and after.hide == before.hide
        assert session["go"] == page, name
        with session_of(**session) as session:
            state.undo()
            assert state.current() == before, name
        assert session["go"] == "start", name


def test_epsilon_has_a_slider_unless_it_is_hidden_or_in_a_lecture(open_app, data_of):
    app = open_app(presenter="1")
    found = data_of(app, "first_table")
    assert found["lecture"] and not found["slider"]
    assert not [e for e in app.get("bidi_component") if e.proto.id.endswith("-entry_cards")]
    assert not data_of(open_app(hide="epsilon"), "first_table")["slider"]


def test_the_subtitle_names_who_adds_the_noise(open_app, data_of):
    found = data_of(open_app(d="4", method="priview"), "first_table")
    assert "curator" in found["head"]["subtitle"]


def table(*columns, labels) -> Dataset:
    names = tuple("abcdef"[: len(columns)])
    domain = Domain(names, tuple(map(len, labels)), labels)
    return Dataset.from_codes(np.column_stack(columns), domain)


def test_the_first_pair_is_of_yes_or_no_questions_with_uneven_shares():
    rng = np.random.default_rng(1)
    coin, other, seldom, rare = (rng.random((4, 4000)).T < (0.5, 0.5, 0.3, 0.2)).T.astype(int)
    sex = ("man", "woman")
    found = table(coin, coin, labels=(sex, YES))
    assert results.find_first_pair(found) == ("a", "b")
    # The two coins are even, but equal shares would say the same.
    found = table(coin, other, seldom, rare, labels=(YES,) * 4)
    assert results.find_first_pair(found) == ("a", "d")
    found = table(coin, seldom, rare, labels=(sex, YES, YES))
    assert results.find_first_pair(found) == ("b", "c"), "questions first"
    codes = np.random.default_rng(1).integers(0, 3, size=(500, 2))
    found = table(*codes.T, labels=(("x", "y", "z"),) * 2)
    assert results.find_first_pair(found) == ("a", "b"), "where there are no other questions"
