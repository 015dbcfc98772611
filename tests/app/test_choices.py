"""Every choice in a component reaches Python once and in order, whatever else is pressed meanwhile."""

from types import SimpleNamespace

import pytest

from calm_core.settings import Settings
from pages.ui import components, settings_bar
from pages.ui import state as settings_state
from pages.ui.components import handle_choices, last_handled_time
from tests.app.screen import session_of


class Interrupted(BaseException):
    """What Streamlit raises in a callback where another run shall begin."""


@pytest.fixture
def state(monkeypatch):
    """The state of a session that has heard nothing."""
    held = {}
    monkeypatch.setattr(components, "st", SimpleNamespace(session_state=held))
    return held


def choices(*values, since=100):
    return [{"value": value, "at": since + at} for at, value in enumerate(values)]


def test_choices_that_come_together_count_in_order_and_once(state):
    heard = []
    handle_choices("rows", "used", heard.append)
    state["rows"] = {"used": choices("a", "b")}
    handle_choices("rows", "used", heard.append)
    handle_choices("rows", "used", heard.append)
    assert heard == ["a", "b"] and last_handled_time("rows", "used") == 101
    # Another field of another component has its own numbers.
    state["rows"] = {"used": choices("a", "b", "b")}
    state["settings_bar"] = {"used": choices("c", since=1)}
    handle_choices("rows", "used", heard.append)
    handle_choices("settings_bar", "used", heard.append)
    assert heard == ["a", "b", "b", "c"]


@pytest.mark.parametrize("error, again", [(Interrupted, True), (ValueError, False)])
def test_a_choice_whose_callback_was_interrupted_counts_again_and_a_bug_does_not(
    state, error, again
):
    state["rows"] = {"used": choices("a", "b")}
    heard = []

    def fail(value):
        raise error

    with pytest.raises(error):
        handle_choices("rows", "used", fail)
    handle_choices("rows", "used", heard.append)
    assert heard == (["a", "b"] if again else ["b"])


def test_undo_goes_back_one_setting_at_a_time_and_lecture_mode_stays():
    seen = []
    presses = [("k", 2), ("epsilon", "2"), ("presenter", True), ("undo", 1), ("undo", 1)]
    with session_of(settings=Settings(d=4)) as session:
        for field, value in presses:
            settings_bar.apply_choice(field, value)
            now = session["settings"]
            seen.append((now.k, now.epsilon, now.presenter, settings_state.can_undo()))
    assert seen == [
        (2, 1.0, False, True), (2, 2.0, False, True), (2, 2.0, True, True), (2, 1.0, True, True),
        (3, 1.0, True, False),
    ]  # fmt: skip
