"""Files that are written whole or not at all, by one process at a time; what goes wrong is said.

Everything that writes where a person asked goes through `write_atomically`, after `check_writable` at the
start, so that hours of work do not end at a path that could never be written.
"""

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from calm_core.errors import InputError

try:
    import fcntl
except ImportError:  # Windows has none: there, files are not locked
    fcntl = None

# What people call the file or folder of results.
OUT = "--out"
# How far down a root is looked for what can be opened.
MAX_DEPTH = 4
# What people can do about the errors of a file system; others are told in the system's words.
REMEDIES = {
    errno.ENOSPC: "the disk is full; make room or choose another place",
    errno.EDQUOT: "your share of the disk is full; make room or choose another place",
    errno.EFBIG: "the file would be larger than allowed here; choose another place",
    errno.EROFS: "the disk is read-only; choose another place",
    errno.EACCES: "you may not write there; choose another place",
    errno.EPERM: "you may not write there; choose another place",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
    errno.ENOENT: "its folder does not exist; make the folder first",
    errno.ENOTDIR: "what should be its folder is a file; choose another place",
    errno.EEXIST: "something else has that name; choose another",
    errno.ELOOP: "its symbolic links lead round in a circle; choose another place",
}

# Those that say there is no room.
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def explain_os_errors(path: Path, what: str) -> Iterator[None]:
    """Errors of the file system as one sentence about `path`, which people know as `what`."""
    try:
        yield
    except OSError as error:
        reason = REMEDIES.get(error.errno or 0, f"{error.strerror or error}; choose another place")
        raise InputError(f"{what} ({_brief(path)}) cannot be written: {reason}") from error


def _brief(path: Path) -> str:
    text = str(path)
    return text if len(text) <= 200 else f"{text[:100]} ... {text[-90:]}"


def _destination(path: Path, what: str) -> Path:
    """The file itself behind symbolic links; refuses all that exists and is not a regular file."""
    # `resolve` would raise a RuntimeError for a circle of links.
    found = Path(os.path.realpath(path))
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        os.stat(found.parent)
        return found
    if stat.S_ISDIR(mode):
        raise InputError(f"{what} ({_brief(path)}) must be a file, but it is a folder; add a name")
    if not stat.S_ISREG(mode):
        raise InputError(
            f"{what} ({_brief(path)}) must be an ordinary file, but it is a device, a pipe or a "
            "socket; choose another name"
        )
    return found


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A name for a file that becomes `target` once it is whole; gone whatever happens."""
    partial = target.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        yield partial
    finally:
        with suppress(FileNotFoundError):
            partial.unlink()


def write_atomically(path: str | Path, content: str | bytes, *, what: str = "the file") -> None:
    """Write a file so that a reader, or a crash, finds the old one or the new one, never half.

    Symbolic links are followed: what they point to is written, and they stay.

    Parameters
    ----------
    path : path
        A new name, or a regular file, which keeps its permissions.
    content : str or bytes
        Text is written as UTF-8.
    what : str
        What people call the file: "--out" for an option.

    Raises
    ------
    InputError
        If a folder, a device or anything else but a regular file is there, or the system refuses;
        the old file is untouched then and no partial one is left.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "ages.csv", "age\\n7\\n")
    ...     (Path(folder) / "ages.csv").read_text()
    'age\\n7\\n'
    """
    path = Path(path)
    with explain_os_errors(path, what):
        target = _destination(path, what)
        with _beside(target) as partial:
            with open(partial, "xb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                shutil.copymode(target, partial)
            os.replace(partial, target)


def check_writable(path: str | Path, what: str) -> Path:
    """The path, if `write_atomically` can write there now; found out by making a file beside it.

    Raises
    ------
    InputError
        As `write_atomically` does.
    """
    path = Path(path)
    with explain_os_errors(path, what):
        with _beside(_destination(path, what)) as partial:
            open(partial, "xb").close()
    return path


def check_same_content(path: Path, content: bytes, what: str, remedy: str) -> None:
    """Refuse a file that is there already with another content: others may go by that one."""
    if path.exists() and path.read_bytes() != content:
        raise InputError(f"{what} is there already, with another content; {remedy}")


def prepare_folder(path: str | Path, what: str) -> Path:
    """The path, made a folder if nothing is there and if files can be made in it."""
    path = Path(path)
    if path.exists() and not path.is_dir():
        raise InputError(f"{what} ({_brief(path)}) must be a folder, but a file is there")
    with explain_os_errors(path, what):
        path.mkdir(parents=True, exist_ok=True)
        with _beside(path / "any") as partial:
            open(partial, "xb").close()
    return path


@contextmanager
def output_folder(path: str | Path, what: str) -> Iterator[Path]:
    """The folder that what follows writes into; where it comes to nothing, none is left behind."""
    new = [one for one in (Path(path), *Path(path).parents) if not one.exists()]
    folder = prepare_folder(path, what)
    try:
        yield folder
    except BaseException:
        with suppress(OSError):
            # Only empty ones go.
            for one in new:
                one.rmdir()
        raise


def lock_file(path: Path) -> int | None:
    """Lock a file, made where it is not there; None where another process holds it.

    The lock goes with the descriptor, so with the process, however that ends.
    """
    while True:
        held = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        if fcntl is None:
            return held
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(held)
            return None
        if os.fstat(held).st_nlink:
            return held
        # Who held it has just finished and removed it: lock the file that has the name now.
        os.close(held)


@contextmanager
def write_lock(path: str | Path, what: str) -> Iterator[None]:
    """Keep every other process from writing `path` meanwhile, by a hidden lock file beside it.

    Raises
    ------
    InputError
        If another process holds the claim, or there is no place for the lock.
    """
    path = Path(path)
    with explain_os_errors(path, what):
        target = _destination(path, what)
        place = target.with_name(f".{target.name}.lock")
        held = lock_file(place)
    if held is None:
        raise InputError(
            f"{what} ({_brief(path)}) is being written by another process; wait until it has "
            "finished or choose another name"
        )
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            place.unlink()
        os.close(held)


def check_regular_file(path: str | Path, what: str) -> None:
    """Refuse a folder, a device or a pipe, which would be waited for without end."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise InputError(f"{what} must be an ordinary file; check the path")


def read_file(path: str | Path, *, what: str, most: int) -> bytes:
    """The content of an ordinary file, said in one sentence where it cannot be read.

    Parameters
    ----------
    path : path
    what : str
        What people call the file.
    most : int
        Bytes above which it is not read at all.

    Raises
    ------
    InputError
        If it is not there, no ordinary file, too large, or the system refuses.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "ages.csv", "age\\n7\\n")
    ...     read_file(Path(folder) / "ages.csv", what="the file", most=100)
    b'age\\n7\\n'
    """
    try:
        check_regular_file(path, what)
        with open(path, "rb") as file:
            # All room for a length that is named would be taken at once, 2 GiB for a state of 2 kB.
            content = file.read() if os.fstat(file.fileno()).st_size <= most else None
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise InputError(f"{what} cannot be opened ({reason}); check the path") from error
    if content is None or len(content) > most:
        raise InputError(f"{what} is larger than {most:,} bytes, which none of its kind can be")
    return content


def walk_folders(root: str | Path) -> Iterator[tuple[Path, list[str]]]:
    """Folders below a root with the names of their files, each relative to it; hidden ones are left out.

    Links to folders are not followed, and nothing deeper than four folders is looked at.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "ages.csv", "age\\n7\\n")
    ...     [(str(at), names) for at, names in walk_folders(folder)]
    [('.', ['ages.csv'])]
    """
    home = Path(root).resolve()
    for folder, folders, files in os.walk(home):
        at = Path(folder).relative_to(home)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if len(at.parts) >= MAX_DEPTH:
            folders.clear()
        yield at, sorted(name for name in files if not name.startswith("."))


def strip_root(text: str, root: str | Path) -> str:
    """A sentence without the place of the root on this computer, which is nobody's business.

    >>> strip_root("file '/srv/data/ages.csv' cannot be read", "/srv/data")
    "file 'ages.csv' cannot be read"
    """
    return text.replace(f"{Path(root).resolve()}{os.sep}", "")


def resolve_below(root: str | Path, name: str) -> Path:
    """A file or folder below a root, its links followed; nothing outside can be named.

    Parameters
    ----------
    root : path
        The folder that may be read.
    name : str
        Where in it, as its list says.

    Raises
    ------
    InputError
        If the name is absolute, goes up, leads outside through a link, or is not there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "ages.csv", "age\\n7\\n")
    ...     below(folder, "ages.csv").name
    'ages.csv'
    """
    refused = InputError(f"{name!r:.200} is not below the folder given; choose one of its list")
    try:
        home, path = Path(root).resolve(strict=True), Path(name)
        if path.is_absolute() or ".." in path.parts:
            raise refused
        found = (home / path).resolve(strict=True)
    except (OSError, ValueError, RuntimeError) as error:
        # Errors of ours are ValueErrors, too. What lies outside is not told from what is not there.
        raise refused from error
    if not found.is_relative_to(home):
        raise refused
    return found
