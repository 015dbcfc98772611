"""Raw bytes of uploads are bounded, whether a browser says that they may go or not."""

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.ui.uploads import raw_files


@pytest.fixture
def sent(monkeypatch):
    """`sent("Ann", "a", 30)` gives what everybody still has; 6 files and 400 bytes for each, 1,000 in all."""
    monkeypatch.setattr(raw_files, "MAX_OF_ONE", 400)
    monkeypatch.setattr(raw_files, "MAX_IN_ALL", 1000)
    manager = MemoryUploadedFileManager("/upload")
    raw_files.Bounded(manager)

    def send(session: str, name: str, size: int) -> str:
        manager.add_file(session, UploadedFileRec(name, f"{name}.csv", "text/csv", bytes(size)))
        return held(manager)

    send.manager = manager
    return send


def held(manager: MemoryUploadedFileManager) -> str:
    return " ".join("".join(manager.file_storage.get(who, ())) for who in ("Ann", "Bob", "Eve"))


def test_a_session_that_sends_and_sends_keeps_its_last_files(sent):
    for name in "abcdef":
        sent("Ann", name, 10)
    assert sent("Ann", "g", 10) == "bcdefg  "
    assert sent("Ann", "h", 360) == "defgh  ", "fewer where they are large"
    assert sent("Ann", "i", 500) == "i  ", "what has just come stays, whatever its size"


def test_who_sends_much_pushes_out_nobody_else(sent):
    sent("Ann", "a", 200)
    sent("Bob", "b", 300)
    assert sent("Eve", "x", 390) == "a b x"
    # 1,000 in all: Eve's own go first, then of whoever holds most.
    assert sent("Eve", "y", 390) == "a b y"
    assert sent("Eve", "z", 600) == "a  z"
    assert sent.manager.get_stats()["cache_memory_bytes"][0].byte_length == 800


def test_what_goes_by_itself_does_not_count(sent):
    sent("Ann", "a", 300)
    sent("Ann", "a", 200)
    sent("Ann", "b", 200)
    assert held(sent.manager) == "ab  ", "a file that is sent again counts once"
    sent.manager.remove_file("Ann", "a")
    assert sent("Ann", "c", 200) == "bc  "
    sent.manager.remove_session_files("Ann")
    sent.manager.remove_file("Ann", "b")
    assert sent("Ann", "d", 400) == "d  "
