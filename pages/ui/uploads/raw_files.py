"""The raw bytes of uploads: bounded for every session and in all.

Streamlit keeps whatever a tab sends until the tab says that it may go, or is closed; a tab need not say so.
"""

from collections.abc import Callable
from threading import Lock
from typing import Protocol

from streamlit.runtime.uploaded_file_manager import UploadedFileRec

# Of a session: one file for every place that takes one, and two of the largest; of all sessions.
MAX_FILES, MAX_OF_ONE, MAX_IN_ALL = 6, 420_000_000, 1_000_000_000


class Manager(Protocol):
    """What Streamlit calls where a file has come, and where it may go."""

    add_file: Callable[[str, UploadedFileRec], None]
    remove_file: Callable[[str, str], None]
    remove_session_files: Callable[[str], None]


class Bounded:
    """Has a manager of files let go of the oldest where a session, or all together, have sent too much.

    Where it is too much in all, who holds most gives: nobody loses a file to a stranger who sends many.
    The file that has just come stays.

    Parameters
    ----------
    manager : Manager
        Streamlit's.
    """

    def __init__(self, manager: Manager):
        self._lock = Lock()
        # Bytes of every file of a session, the oldest first.
        self._held: dict[str, dict[str, int]] = {}
        self._add, self._remove = manager.add_file, manager.remove_file
        self._remove_all = manager.remove_session_files
        manager.add_file, manager.remove_file = self.came, self.goes
        manager.remove_session_files = self.all_go

    def came(self, session_id: str, file: UploadedFileRec) -> None:
        """A file has come."""
        self._add(session_id, file)
        with self._lock:
            own = self._held.setdefault(session_id, {})
            own.pop(file.file_id, None)
            own[file.file_id] = len(file.data)
            gone = [(session_id, name) for name in self._beyond(own)]
            while self._total() > MAX_IN_ALL and (other := self._largest(file.file_id)):
                gone.append((other, self._oldest(other)))
        for session, name in gone:
            self._remove(session, name)

    def goes(self, session_id: str, file_id: str) -> None:
        """A file may go."""
        with self._lock:
            self._held.get(session_id, {}).pop(file_id, None)
        self._remove(session_id, file_id)

    def all_go(self, session_id: str) -> None:
        """All files of a session may go."""
        with self._lock:
            self._held.pop(session_id, None)
        self._remove_all(session_id)

    def _beyond(self, own: dict[str, int]) -> list[str]:
        """Takes what is too much for one session out of its account."""
        gone = []
        while len(own) > 1 and (len(own) > MAX_FILES or sum(own.values()) > MAX_OF_ONE):
            gone.append(next(iter(own)))
            del own[gone[-1]]
        return gone

    def _total(self) -> int:
        return sum(sum(own.values()) for own in self._held.values())

    def _largest(self, new: str) -> str | None:
        """The session that holds most beside the file that is new, if any does."""
        beside = {
            session: sum(size for name, size in own.items() if name != new)
            for session, own in self._held.items()
        }
        most = max(beside, key=beside.__getitem__)
        return most if beside[most] else None

    def _oldest(self, session: str) -> str:
        """Takes a session's oldest file out of its account; a new one is never the oldest of several."""
        own = self._held[session]
        name = next(iter(own))
        del own[name]
        return name
