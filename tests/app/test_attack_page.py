"""Attack: all attacks as cards, each guessed before its gain is shown, beside bound and defense."""

import pytest

from calm_core.attacks import ATTACKS
from pages import words
from pages.ui import attacking as panel
from tests.app.screen import change, clean, open_view, press, read, settings_of

SMALL = {"d": "4", "k": "2", "n": "4000"}


def guess(app, name: str, value: float):
    """Guess as the picture does, whose guess a test cannot send."""
    app.session_state["guesses"] = {f"attack-{name}": value}
    return app.run()


@pytest.mark.parametrize("name", panel.VIEWS)
def test_each_attack_is_guessed_before_its_gain_is_shown(open_app, name):
    app = clean(open_app("attack", view=name, **SMALL))
    run = next(button for button in app.button if button.label == words.attack.RUN)
    assert run.disabled and words.attack.BOUND not in read(app)
    app = clean(press(guess(app, name, 10), words.attack.RUN))
    found = panel.find_result(panel.target_of(settings_of(app)), name, defaults(name))
    assert panel.number_text(name, found) in read(app) and words.attack.BOUND in read(app)
    # The first page remembers it for these settings.
    app = clean(open_view(app, "attack"))
    assert panel.number_text(name, found) in read(app)


def defaults(name: str) -> dict:
    return {control.key: control.default for control in panel.VIEWS[name].controls}


def test_every_attack_of_the_library_is_shown():
    assert set(panel.VIEWS) == set(ATTACKS) == set(words.attack.ATTACKS)


def test_an_unknown_attack_leads_to_all(open_app):
    assert clean(open_app("attack", view="nobody")).title[0].value == words.attack.TITLE


def test_other_settings_are_another_attack(open_app):
    app = guess(open_app("attack", view="one-person", at="1", **SMALL), "one-person", 10)
    before = read(app)
    assert read(change(app, epsilon=4.0)) != before


def test_a_randomizer_of_ones_own_is_audited_or_refused_in_a_sentence(open_app):
    app = open_app("attack", view="audit", **SMALL)
    for header, part in (
        ("input", "Epsilon is 1.386, claimed 1.0: broken."),
        ("inputs", "must have the columns input and output"),
    ):
        app.text_area(key="attack_table").set_value(f"{header},a,b\nyes,0.8,0.2\nno,0.2,0.8").run()
        assert not app.exception and part in read(app)
