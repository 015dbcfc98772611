"""How the server is set up."""

import ctypes
import gc
import runpy
import subprocess
import sys
from inspect import unwrap
from pathlib import Path
from threading import Event, Thread
from unittest.mock import MagicMock

import pytest
from streamlit import config
from streamlit.proto.NewSession_pb2 import NewSession
from streamlit.runtime import app_session
from streamlit.runtime.scriptrunner import ScriptRunner, ScriptRunnerEvent
from streamlit.runtime.scriptrunner_utils import script_run_context

from calm_core.runtime import processes
from pages.ui import cached, connections, progress, serving, theme
from pages.ui.jobs.result_cache import ResultCache

ROOT = Path(__file__).resolve().parents[2]


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


# More than the C library would take from the heap at first is freed: after that it takes all of it from there.
LARGE = """
import ctypes, runpy, sys
told = runpy.run_path(sys.argv[1])
if sys.argv[2:]: told["tune_malloc"]()
class Memory(ctypes.Structure):
    _fields_ = [(str(i), ctypes.c_size_t) for i in range(10)]
library = ctypes.CDLL(None)
library.mallinfo2.restype = Memory
freed = bytearray(30_000_000)
del freed
kept = bytearray(8_000_000)
mapped_by_itself = getattr(library.mallinfo2(), "4")
print(mapped_by_itself >= len(kept))
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="of glibc's memory")
def test_large_memory_goes_back_to_the_system_when_it_is_freed():
    def alone(*arguments: str) -> str:
        words = [sys.executable, "-I", "-c", LARGE, processes.__file__, *arguments]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()

    assert (alone(), alone("kept little")) == ("False", "True")


def test_the_server_keeps_little_memory_asks_nobody_outside_and_watches_no_files(monkeypatch):
    asked = []
    monkeypatch.setattr(processes, "tune_malloc", lambda: asked.append("memory"))
    monkeypatch.setattr(serving, "disable_external_ip_lookup", lambda: asked.append("outside"))
    monkeypatch.setattr(connections, "watch_no_files", lambda: asked.append("files"))
    monkeypatch.setattr(connections, "answer_in_turn", lambda: asked.append("in turn"))
    runpy.run_path(str(ROOT / "app.py"))
    assert asked == ["memory", "outside", "files", "in turn"]


def test_what_is_made_ready_while_the_server_starts_warns_of_nothing(monkeypatch):
    """A teacher reads the terminal: Streamlit would say there that the server's own work is no page's."""
    told = []
    monkeypatch.setattr(
        script_run_context._LOGGER, "warning", lambda *words, **how: told.append(words)
    )
    # As in a server that has just started.
    monkeypatch.setattr(cached, "_RUNS", ResultCache(1))
    monkeypatch.setattr(progress, "WARM", Event())
    kept = []
    monkeypatch.setattr(gc, "freeze", lambda: kept.append("frozen"))
    monkeypatch.setattr(gc, "collect", lambda: kept.append("collected"))
    thread = Thread(target=cached.warm_up)
    thread.start()
    thread.join()
    assert progress.WARM.is_set() and not told
    assert kept == ["collected", "frozen"], "a full collection would look through all of it"


@pytest.mark.parametrize("option", ["none", "poll"])
def test_no_file_is_watched_nor_by_who_comes_back_unless_asked_for(monkeypatch, option):
    assert config.get_option("server.fileWatcherType") == "none"
    # Another test may have started the app; what is set here is set back afterwards.
    usual, begun = unwrap(app_session.AppSession.register_file_watchers), []
    monkeypatch.setattr(app_session.AppSession, "register_file_watchers", usual)
    monkeypatch.setattr(
        app_session, "LocalSourcesWatcher", lambda pages: begun.append(pages) or MagicMock()
    )
    monkeypatch.setattr(app_session, "config", MagicMock())

    def comes_back() -> int:
        begun.clear()
        app_session.AppSession.register_file_watchers(MagicMock(_local_sources_watcher=None))
        return len(begun)

    config.set_option("server.fileWatcherType", option)
    try:
        assert comes_back() == 1, (
            "Streamlit asks its option itself: then nothing is to be prevented"
        )
        connections.watch_no_files()
        assert comes_back() == (option != "none")
    finally:
        config.set_option("server.fileWatcherType", "none")


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
