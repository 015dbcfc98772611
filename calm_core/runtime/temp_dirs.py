"""Private temporary folders: readable by this user only, and removed with the process that made them.

True records lie in them for a moment. A folder goes when its work ends, at the latest with this process; what a killed
process leaves, the next start of the program removes (`remove_stale`). It recognizes a living owner by a lock, which
the system releases when a process dies, not by a process number, which another process may have by then.
"""

import os
import shutil
import stat
import tempfile
import weakref
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from calm_core.io.atomic_files import explain_os_errors, fcntl, lock_file

TEMP_FOLDER = "the temporary folder"
PREFIX, UNLOCKED_PREFIX, OWNER = "calm-scratch-", "calm-unborn-", "owner.lock"


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _remove(folder: Path, lock: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)


class PrivateTempDir:
    """A private folder (mode 0700, files 0600) that goes with `close`, the object, or the process.

    Examples
    --------
    >>> with PrivateTempDir() as folder:
    ...     with folder.open("ages.csv", "w") as file:
    ...         print("age", file=file)
    >>> folder.path.exists()
    False
    """

    def __init__(self):
        with explain_os_errors(Path(tempfile.gettempdir()), TEMP_FOLDER):
            new = Path(tempfile.mkdtemp(prefix=UNLOCKED_PREFIX))
            lock = lock_file(new / OWNER)
            if lock is None:
                raise AssertionError("a folder that nobody else knows is locked")
            # Renamed only once it is locked, so that `remove_stale` cannot take it for a dead process's.
            self.path = new.rename(new.with_name(PREFIX + new.name.removeprefix(UNLOCKED_PREFIX)))
        self._finalizer = weakref.finalize(self, _remove, self.path, lock)

    @contextmanager
    def open(self, name: str, mode: str = "r", **options) -> Generator[IO]:
        """Open a file of the folder; a new one is readable by this user only.

        Raises
        ------
        InputError
            If the system refuses to write.
        """
        with explain_os_errors(self.path, TEMP_FOLDER):
            with open(self.path / name, mode, opener=_open_private, **options) as file:
                yield file

    def close(self) -> None:
        """Remove the folder with everything in it."""
        self._finalizer()

    def __enter__(self) -> "PrivateTempDir":
        return self

    def __exit__(self, *error) -> None:
        self.close()


def remove_stale() -> list[Path]:
    """Remove the folders that killed processes of this user have left, and return them."""
    if fcntl is None:  # no locks: nobody can tell whether an owner lives
        return []
    removed = []
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
                continue
            (folder / OWNER).lstat()
            lock = lock_file(folder / OWNER)
        except FileNotFoundError:  # not one of ours, or its owner has just removed it
            continue
        if lock is not None:
            _remove(folder, lock)
            removed.append(folder)
    return removed
