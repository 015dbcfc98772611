"""How the server is set up."""

import gc
from unittest.mock import MagicMock

import pytest
from streamlit import config
from streamlit.proto.NewSession_pb2 import NewSession
from streamlit.runtime import app_session
from streamlit.runtime.scriptrunner import ScriptRunner, ScriptRunnerEvent

from pages.ui import theme


@pytest.fixture
def full_collections():
    """Full garbage collections that somebody asks for; Python's own are off meanwhile."""
    asked = []

    def note(phase: str, info: dict) -> None:
        if phase == "start" and info["generation"] == 2:
            asked.append(info)

    gc.disable()
    gc.callbacks.append(note)
    yield asked
    gc.callbacks.remove(note)
    gc.enable()


def _end_a_run() -> None:
    """What the server does when a run of the script is over."""
    run = MagicMock(has_script_started=False)
    ended = ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS
    ScriptRunner._on_script_finished(MagicMock(), run, ended, False, MagicMock())


def test_no_full_collection_follows_a_rerun(full_collections):
    # The option is not documented: a release without it would slow every rerun, and say nothing.
    _end_a_run()
    assert not full_collections
    config.set_option("runner.postScriptGC", True)
    try:
        _end_a_run()
    finally:
        config.set_option("runner.postScriptGC", False)
    assert full_collections, "the option does not decide it any more"


def test_no_file_is_watched():
    assert config.get_option("server.fileWatcherType") == "none"


def _session(populate) -> NewSession:
    """The theme as Streamlit puts it together."""
    told = NewSession()
    look = told.custom_theme
    sections = {
        "theme": look, "theme.light": look.light, "theme.dark": look.dark, "theme.sidebar": look.sidebar,
        "theme.light.sidebar": look.light.sidebar, "theme.dark.sidebar": look.dark.sidebar,
    }  # fmt: skip
    for section, message in sections.items():
        populate(message, section)
    return told


def test_the_theme_is_worked_out_once_and_is_streamlits_own(monkeypatch):
    usual = app_session._populate_theme_msg
    expected = _session(usual)
    assert expected.custom_theme.light.HasField("sidebar") and expected.custom_theme.HasField(
        "dark"
    )
    asked = []
    monkeypatch.setattr(theme, "_worked_out", lambda *told: asked.append(told) or usual(*told))
    # What is set here is set back afterwards.
    monkeypatch.setattr(app_session, "_populate_theme_msg", usual)
    theme.keep()
    theme._KEPT.clear()
    for _ in range(3):
        assert _session(app_session._populate_theme_msg) == expected
    assert len(asked) == 6, "each section is worked out once"
    theme._KEPT.clear()
