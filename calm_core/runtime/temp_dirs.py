"""Private temporary folders: only this user can look in, and none outlives its process for long.

True records lie in them for a moment. A folder goes when its work ends, with this process at the
latest; what a killed process could not clear away, the next start of the program does (`remove_stale`).
Whether the owner is alive is told by a lock that it holds and the system takes from the dead, not by
a process number, which another process may have by then.
"""

import os
import shutil
import stat
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from calm_core.io.atomic_files import explain_os_errors, fcntl, lock_file

TEMP_FOLDER = "the temporary folder"
PREFIX, UNBORN, OWNER = "calm-scratch-", "calm-unborn-", "owner.lock"


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _remove(folder: Path, held: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(held)


class PrivateTempDir:
    """A private folder (mode 0700, files 0600) that goes with `close`, the object, or the process.

    Examples
    --------
    >>> with PrivateTempDir() as scratch:
    ...     with scratch.open("ages.csv", "w") as file:
    ...         print("age", file=file)
    >>> scratch.path.exists()
    False
    """

    def __init__(self):
        with explain_os_errors(Path(tempfile.gettempdir()), TEMP_FOLDER):
            made = Path(tempfile.mkdtemp(prefix=UNBORN))
            held = lock_file(made / OWNER)
            if held is None:
                raise AssertionError("a folder that nobody else knows is locked")
            # It is ours to see only once it is locked, so that no sweep takes it for a dead one's.
            self.path = made.rename(made.with_name(PREFIX + made.name.removeprefix(UNBORN)))
        self._end = weakref.finalize(self, _remove, self.path, held)

    @contextmanager
    def open(self, name: str, mode: str = "r", **options) -> Iterator[IO]:
        """Open a file of the folder; a new one is readable by this user only.

        Raises
        ------
        InputError
            If the system refuses to write.
        """
        with explain_os_errors(self.path, TEMP_FOLDER):
            with open(self.path / name, mode, opener=_private, **options) as file:
                yield file

    def close(self) -> None:
        """Remove the folder with everything in it."""
        self._end()

    def __enter__(self) -> "PrivateTempDir":
        return self

    def __exit__(self, *error) -> None:
        self.close()


def remove_stale() -> list[Path]:
    """Remove the folders that killed processes of this user have left; those of the living stay.

    Returns
    -------
    list of Path
        What was removed.
    """
    if fcntl is None:  # without locks nobody can tell the dead from the living
        return []
    removed = []
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            found = folder.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
                continue
            (folder / OWNER).lstat()
            held = lock_file(folder / OWNER)
        except FileNotFoundError:  # not one of ours, or its owner has just removed it
            continue
        if held is not None:
            _remove(folder, held)
            removed.append(folder)
    return removed
