"""Write files whole or not at all, by one process at a time, with file system errors in plain sentences.

Whatever a user names as output is written by `write_atomically`, after `check_writable` at the start: hours of work
must not end at a path that could never be written.
"""

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from calm_core.errors import InputError

try:
    import fcntl
except ImportError:  # Windows has none: there, files are not locked
    fcntl = None

# How messages name the file or folder of results.
OUT = "--out"
# Levels below a root that `walk_folders` visits.
MAX_DEPTH = 4
# What a user can do about file system errors; others are given in the system's words.
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def describe_os_error(error: OSError) -> str:
    """Why a file cannot be written, and what to do."""
    if error.errno in DISK_FULL:
        return "the disk is full; make room or choose another place"
    return f"{(error.strerror or str(error)).lower()}; choose another place"


@contextmanager
def explain_os_errors(path: Path, what: str) -> Generator[None]:
    """Turn file system errors into one sentence about `path`, which the user knows as `what`."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{what} ({_brief(path)}) cannot be written: {describe_os_error(error)}"
        ) from error


def _brief(path: Path) -> str:
    text = str(path)
    return text if len(text) <= 200 else f"{text[:100]} ... {text[-90:]}"


def _destination(path: Path, what: str) -> Path:
    """The file behind symbolic links; anything there but a regular file is refused."""
    # `Path.resolve` raises a RuntimeError for a circle of links.
    target = Path(os.path.realpath(path))
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        os.stat(target.parent)
        return target
    if stat.S_ISDIR(mode):
        raise InputError(f"{what} ({_brief(path)}) must be a file, but it is a folder; add a name")
    if not stat.S_ISREG(mode):
        raise InputError(
            f"{what} ({_brief(path)}) must be an ordinary file, but it is a device, a pipe or a "
            "socket; choose another name"
        )
    return target


@contextmanager
def _partial_file(target: Path) -> Generator[Path]:
    """A name in the same folder for a file that becomes `target` once it is whole; removed in any case."""
    partial = target.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        yield partial
    finally:
        with suppress(FileNotFoundError):
            partial.unlink()


def write_atomically(path: str | Path, content: str | bytes, *, what: str = "the file") -> None:
    """Write a file so that a reader, or a crash, finds the old one or the new one, never a part.

    Symbolic links are followed, and stay.

    Parameters
    ----------
    path : path
        A new name, or a regular file, which keeps its permissions.
    content : str or bytes
        Text is written as UTF-8.
    what : str
        What the user calls the file, such as "--out".

    Raises
    ------
    InputError
        If something else than a regular file is there, or the system refuses; the old file is
        untouched then and no partial one is left.

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
        with _partial_file(target) as partial:
            with open(partial, "xb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                shutil.copymode(target, partial)
            os.replace(partial, target)


def check_writable(path: str | Path, what: str) -> Path:
    """Return the path if `write_atomically` can write there, as a file made beside it shows.

    Raises
    ------
    InputError
        As `write_atomically` does.
    """
    path = Path(path)
    with explain_os_errors(path, what):
        with _partial_file(_destination(path, what)) as partial:
            open(partial, "xb").close()
    return path


def check_same_content(path: Path, content: bytes, what: str, remedy: str) -> None:
    """Refuse to replace a file that has another content: somebody may rely on it."""
    if path.exists() and path.read_bytes() != content:
        raise InputError(f"{what} is there already, with another content; {remedy}")


def prepare_folder(path: str | Path, what: str) -> Path:
    """Return the path as a folder in which files can be made; create it if nothing is there."""
    path = Path(path)
    if path.exists() and not path.is_dir():
        raise InputError(f"{what} ({_brief(path)}) must be a folder, but a file is there")
    with explain_os_errors(path, what):
        path.mkdir(parents=True, exist_ok=True)
        with _partial_file(path / "any") as partial:
            open(partial, "xb").close()
    return path


@contextmanager
def output_folder(path: str | Path, what: str) -> Generator[Path]:
    """The folder for the results of this context; if it fails, empty new folders are removed again."""
    new = [folder for folder in (Path(path), *Path(path).parents) if not folder.exists()]
    folder = prepare_folder(path, what)
    try:
        yield folder
    except BaseException:
        with suppress(OSError):
            for empty in new:
                empty.rmdir()
        raise


def lock_file(path: Path) -> int | None:
    """Lock a file, which is created if needed, and return its descriptor; None if another process has locked it.

    The system releases the lock with the descriptor, so with the process, however it ends.
    """
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        if fcntl is None:
            return descriptor
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        if os.fstat(descriptor).st_nlink:
            return descriptor
        # The previous owner has just removed the file: lock the one that has the name now.
        os.close(descriptor)


@contextmanager
def write_lock(path: str | Path, what: str) -> Generator[None]:
    """Keep other processes from writing `path` meanwhile, by a hidden lock file in its folder.

    Raises
    ------
    InputError
        If another process has the lock, or the lock file cannot be made.
    """
    path = Path(path)
    with explain_os_errors(path, what):
        target = _destination(path, what)
        file = target.with_name(f".{target.name}.lock")
        descriptor = lock_file(file)
    if descriptor is None:
        raise InputError(
            f"{what} ({_brief(path)}) is being written by another process; wait until it has "
            "finished or choose another name"
        )
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            file.unlink()
        os.close(descriptor)


def check_regular_file(path: str | Path, what: str) -> None:
    """Refuse a folder, a device or a pipe: to read from those can block for ever."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise InputError(f"{what} must be an ordinary file; check the path")


def read_file(path: str | Path, *, what: str, max_bytes: int) -> bytes:
    """The content of a regular file; errors are one sentence.

    Parameters
    ----------
    path : path
    what : str
        What the user calls the file.
    max_bytes : int
        Larger files, in bytes, are not read.

    Raises
    ------
    InputError
        If there is no regular file, it is too large, or the system refuses.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "ages.csv", "age\\n7\\n")
    ...     read_file(Path(folder) / "ages.csv", what="the file", max_bytes=100)
    b'age\\n7\\n'
    """
    try:
        check_regular_file(path, what)
        with open(path, "rb") as file:
            # `read(most)` would allocate all of `most` at once.
            content = file.read() if os.fstat(file.fileno()).st_size <= max_bytes else None
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise InputError(f"{what} cannot be opened ({reason}); check the path") from error
    if content is None or len(content) > max_bytes:
        raise InputError(
            f"{what} is larger than {max_bytes:,} bytes, which none of its kind can be"
        )
    return content


def walk_folders(root: str | Path) -> Generator[tuple[Path, list[str]]]:
    """Yield the folders below a root, relative to it, with the names of their files; hidden ones are left out.

    Links to folders are not followed, and folders deeper than four levels are not visited.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "ages.csv", "age\\n7\\n")
    ...     [(str(at), names) for at, names in walk_folders(folder)]
    [('.', ['ages.csv'])]
    """
    root = Path(root).resolve()
    for folder, folders, files in os.walk(root):
        relative = Path(folder).relative_to(root)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if len(relative.parts) >= MAX_DEPTH:
            folders.clear()
        yield relative, sorted(name for name in files if not name.startswith("."))


def strip_root(text: str, root: str | Path) -> str:
    """The text with paths below the root made relative, so that it does not show where the root is.

    Examples
    --------
    >>> strip_root("file '/srv/data/ages.csv' cannot be read", "/srv/data")
    "file 'ages.csv' cannot be read"
    """
    return text.replace(f"{Path(root).resolve()}{os.sep}", "")


def resolve_below(root: str | Path, name: str) -> Path:
    """The path of a file or folder below a root, with links followed; nothing outside can be named.

    Parameters
    ----------
    root : path
        The folder that may be read.
    name : str
        Path relative to it.

    Raises
    ------
    InputError
        If the name is absolute, goes up, leads outside through a link, or is not there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "ages.csv", "age\\n7\\n")
    ...     resolve_below(folder, "ages.csv").name
    'ages.csv'
    """
    refused = InputError(f"{name!r:.200} is not below the folder given; choose one of its list")
    try:
        root, path = Path(root).resolve(strict=True), Path(name)
        if path.is_absolute() or ".." in path.parts:
            raise refused
        target = (root / path).resolve(strict=True)
    except (OSError, ValueError, RuntimeError) as error:
        # The same sentence, so that nobody learns whether a file outside exists.
        raise refused from error
    if not target.is_relative_to(root):
        raise refused
    return target
