"""How the server is set up."""

import gc
from unittest.mock import MagicMock

import pytest
from streamlit import config
from streamlit.runtime.scriptrunner import ScriptRunner, ScriptRunnerEvent


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
