"""A page does not work for long unasked: it says so, and goes on where somebody wants it."""

from threading import Event
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from calm_core.runtime.cancellation import cancellable, checkpoint
from calm_core.settings import Settings
from pages import words
from pages.ui import cached_calls, frame, progress, settings_bar
from tests.app.conftest import SHELL

SLOW = {"k": "6", "d": "16", "source": "browsing", "queries": "100", "seed": "4321"}


@pytest.fixture
def short(monkeypatch):
    """No patience, on a server that has warmed up."""
    warm = Event()
    warm.set()
    monkeypatch.setattr(progress, "WARM", warm)
    monkeypatch.setattr(progress, "BUDGET", 0.02)
    monkeypatch.setattr(progress, "SLOW", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.001)


def test_a_page_that_takes_long_is_ended_and_goes_on_when_asked(open_app, short):
    app = open_app("errors", **SLOW)
    (warning,) = app.warning
    assert warning.value == words.common.too_long(settings=app.session_state["settings"])
    assert cached_calls.peek(app.session_state["settings"]) is None
    app.button(key="go_on_anyway").click().run()
    assert not app.exception and not app.warning
    assert cached_calls.peek(app.session_state["settings"]) is not None


def test_what_stands_around_a_page_is_within_its_budget(open_app, short, monkeypatch):
    monkeypatch.setattr(frame, "step_results", endless)
    app = open_app("errors", **SLOW)
    assert [warning.value for warning in app.warning] == [
        words.common.too_long(settings=app.session_state["settings"])
    ]
    monkeypatch.setattr(frame, "step_results", lambda page: {})
    app.button(key="go_on_anyway").click().run()
    assert not app.exception and not app.warning


def test_a_link_whose_data_take_long_is_ended_before_it_has_settings(open_app, short, monkeypatch):
    own = cached_calls.encoded_data
    monkeypatch.setattr(cached_calls, "encoded_data", endless)
    # Ended before it knows its page.
    app = AppTest.from_file(str(SHELL), default_timeout=120)
    app.query_params.update(SLOW)
    app.run()
    told = Settings(k=6, d=16, source="browsing", queries=100, seed=4321)
    assert [warning.value for warning in app.warning] == [words.common.too_long(settings=told)]
    monkeypatch.setattr(cached_calls, "encoded_data", own)
    app.button(key="go_on_anyway").click().run()
    assert not app.exception and not app.warning and app.session_state["settings"] == told


def test_a_fragment_drawn_by_itself_has_a_budget_of_its_own(short):
    def script():
        import streamlit as st

        from pages.ui import error_boundary, state
        from tests.app.test_budget import endless

        state.ensure_settings()
        # The part stands for itself: nothing of a page is drawn around it.
        error_boundary.fragment_with_errors(
            endless if st.session_state.get("patient") is None else st.caption
        )("as long as it takes")

    app = AppTest.from_function(script, default_timeout=120)
    app.run()
    assert [warning.value for warning in app.warning] == [
        words.common.too_long(settings=Settings())
    ]
    app.button(key="go_on_anyway").click().run()
    assert not app.warning and [caption.value for caption in app.caption] == ["as long as it takes"]


def endless(settings):
    for _ in range(10**8):
        checkpoint()
    pytest.fail("nobody ends it")


def test_a_budget_counts_this_drawing_only_and_every_thread(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress, "cpu_seconds", lambda: now[0])
    with cancellable(lambda: None):
        progress.set_budget(8.0)
        budget = progress._BUDGET.get()
        now[0] = 105.0
        budget.check(now[0])
        budget.spend(4.0)
        with pytest.raises(progress.CpuBudgetExceeded):
            budget.check(now[0])
        progress.set_budget(None)
        assert progress._BUDGET.get() is None


def test_the_number_beside_epsilon_is_left_out_where_it_takes_long_and_not_tried_again(
    open_app, monkeypatch
):
    asked = []

    def predicted(settings):
        asked.append(settings)
        endless(settings)

    monkeypatch.setattr(settings_bar, "warnings", SimpleNamespace(predict_wrong=predicted))
    monkeypatch.setattr(settings_bar, "PREDICTION_SECONDS", 0.01)
    monkeypatch.setattr(progress, "PAUSE", 0.001)
    app = open_app("plan", seed="4322")
    assert not app.exception and app.title
    app.run()
    assert len(asked) == 1
