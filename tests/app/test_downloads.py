"""A download can be pressed while its page is drawn anew, whoever else is there."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib import import_module
from types import SimpleNamespace

import pytest
from streamlit.runtime import media_file_manager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from pages.ui import cached, theme
from pages.ui.downloads import LATEST, LONGEST, Sweeper
from pages.ui.uploads.raw_files import Bounded
from tests.app.conftest import ROOT


@pytest.fixture
def files(monkeypatch):
    """Streamlit's manager with a sweeper; Ann offers a file, and her page begins to be drawn anew."""
    monkeypatch.setattr(media_file_manager, "_get_session_id", lambda: "Ann")
    files, files.now = media_file_manager.MediaFileManager(MemoryMediaFileStorage("/media")), 0.0
    Sweeper(files, clock=lambda: files.now)
    with ThreadPoolExecutor(1) as ann:
        files.ann = ann
        files.offered = files.add_deferred(lambda: "her table", "text/csv", "1.2")
        ann.submit(files.clear_session_refs, "Ann").result()
        yield files


def test_what_a_page_offers_is_there_while_it_is_drawn_anew(files):
    files.remove_orphaned_files()
    assert files.execute_deferred(files.offered).startswith("/media/")
    files.ann.submit(files.remove_orphaned_files).result()
    with pytest.raises(MediaFileStorageError):
        files.execute_deferred(files.offered)


@pytest.mark.parametrize("seconds", [LONGEST, LATEST])
def test_nobody_is_waited_for_forever(files, seconds):
    files.now = seconds
    if seconds == LATEST:
        # Others come and go.
        files.clear_session_refs("Bob")
        files.ann.submit(files.clear_session_refs, "Ann").result()
    files.remove_orphaned_files()
    with pytest.raises(MediaFileStorageError):
        files.execute_deferred(files.offered)


def test_the_server_keeps_its_files_so(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    entry = import_module("app")
    files = SimpleNamespace(clear_session_refs=print, remove_orphaned_files=print)
    raw = MemoryUploadedFileManager("/upload")
    server = SimpleNamespace(media_file_mgr=files, uploaded_file_mgr=raw)
    monkeypatch.setattr(entry.runtime, "exists", lambda: True)
    monkeypatch.setattr(entry.runtime, "get_instance", lambda: server)
    # All else that a server does at its start.
    monkeypatch.setattr(entry, "store", lru_cache(lambda: None))
    monkeypatch.setattr(entry.store, "cache_info", lambda: SimpleNamespace(currsize=0))
    for module, name in ((cached, "warm_up"), (theme, "keep")):
        monkeypatch.setattr(module, name, lambda: None)

    async def starts() -> None:
        async with entry.lifespan(None):
            assert isinstance(files.remove_orphaned_files.__self__, Sweeper)
            assert isinstance(raw.add_file.__self__, Bounded)

    # In a thread of its own: Playwright's loop runs in that of the browser tests.
    with ThreadPoolExecutor(1) as server_thread:
        server_thread.submit(asyncio.run, starts()).result()
