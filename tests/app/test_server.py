"""How the server is set up, and what the app relies on in Streamlit's own server."""

import asyncio
import ctypes
import gc
import runpy
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace

import pytest
from streamlit import config

from calm_core.runtime import processes
from pages.ui import cached_calls, streamlit_compat
from pages.ui.result_cache import ResultCache
from tests.app.screen import run_coroutine

ROOT = Path(__file__).resolve().parents[2]
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

    assert (alone(), alone("tuned")) == ("False", "True")


@pytest.mark.parametrize(
    "option, value",
    [
        # Nobody else on the network is served unless asked for, and no code is shown.
        ("server.address", "127.0.0.1"),
        ("client.showErrorDetails", "none"),
        ("server.enableAgentApi", False),
        # A full garbage collection or a look at all imported files would slow every visit.
        ("runner.postScriptGC", False),
        ("server.fileWatcherType", "none"),
        # Two runs of one session at once lose what either writes.
        ("runner.fastReruns", False),
        # A page refers to messages that its browser still has.
        ("global.maxCachedMessageAge", 60),
    ],
)
def test_the_configuration_is_ours(option, value):
    assert config.get_option(option) == value


def test_the_entry_tunes_memory_and_warns_of_an_untried_version(monkeypatch, capsys):
    tuned = []
    monkeypatch.setattr(processes, "tune_malloc", lambda: tuned.append(True))
    monkeypatch.setattr(streamlit_compat, "version_warning", lambda: "another version")
    runpy.run_path(str(ROOT / "app.py"))
    assert tuned and "another version" in capsys.readouterr().err


def test_what_tabs_have_left_expires_without_any_visitor(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    import app as entry
    from pages.ui import uploads

    expired = Event()
    monkeypatch.setattr(entry, "EXPIRE_EVERY", 0.01)
    monkeypatch.setattr(uploads, "STORE", SimpleNamespace(expire=expired.set))
    monkeypatch.setattr(entry, "get_store", lru_cache(lambda: None))
    monkeypatch.setattr(entry.get_store, "cache_info", lambda: SimpleNamespace(currsize=0))
    monkeypatch.setattr(cached_calls, "warm_up", lambda: None)

    async def start() -> None:
        async with entry.lifespan(None):
            await asyncio.to_thread(expired.wait, 30)

    run_coroutine(start())
    assert expired.is_set()


def test_the_warm_up_warns_of_nothing_and_freezes_what_it_made(monkeypatch, caplog):
    """A teacher reads the terminal: Streamlit would say there that the server's own work belongs to no page."""
    monkeypatch.setattr(cached_calls, "_RUNS", ResultCache(1))
    done = []
    monkeypatch.setattr(gc, "freeze", lambda: done.append("freeze"))
    monkeypatch.setattr(gc, "collect", lambda: done.append("collect"))
    thread = Thread(target=cached_calls.warm_up)
    thread.start()
    thread.join()
    assert not caplog.records
    assert done == ["collect", "freeze"]
