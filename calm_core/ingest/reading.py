"""read_table: from a path or an upload to a Table."""

import gzip
import io
import mmap
import os
import sys
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa

from calm_core.errors import DataError, UserError, lacks_memory
from calm_core.ingest.isolation import parse_in_child
from calm_core.ingest.limits import LIMITS, Limits
from calm_core.ingest.normalize_table import tidy
from calm_core.ingest.readers import EXTENSIONS, reader_of
from calm_core.ingest.table import ReadOptions, Table
from calm_core.ingest.transactions import to_items
from calm_core.io.atomic_files import explain_os_errors, resolve_below, walk_folders
from calm_core.runtime.temp_dirs import TEMP_FOLDER

HEAD = 65536
# Windows lets go by itself.
FORGETS = sys.platform != "win32"
NOT_TABLES = (
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"ARROW1", "an Arrow file, which is not read from uploads; save it as Parquet"),
    (b"FEA1", "a Feather file, which is not read from uploads; save it as Parquet"),
    (b"\x80\x02", "a pickle, which is never opened because it could run code"),
    (b"\x80\x03", "a pickle, which is never opened because it could run code"),
    (b"\x80\x04", "a pickle, which is never opened because it could run code"),
    (b"\x80\x05", "a pickle, which is never opened because it could run code"),
    (b"SQLite format 3", "a database"),
    (b"\x89HDF", "an HDF5 file"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"\xfd7zXZ", "an xz archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive; unpack it first"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
)


def read_table(
    source: str | os.PathLike | bytes,
    *,
    name: str | None = None,
    options: ReadOptions | None = None,
    limits: Limits = LIMITS,
    isolate: bool = True,
    attend: Callable[[], None] | None = None,
) -> Table:
    """Read a file of any known format into a Table.

    Parameters
    ----------
    source : path or bytes
        The file, or the content of an upload.
    name : str, optional
        File name of an upload; formats are recognised by content first, by name second.
    options : ReadOptions, optional
        What to take as given instead of finding out.
    limits : Limits
    isolate : bool
        Parse in a child process with its own memory and time limits (about 0.3 s). Only files that
        this project made itself need no such care.
    attend : callable, optional
        Called ten times a second while a child process parses; what it raises ends that process.

    Raises
    ------
    DataError
        With one sentence: what is wrong, where, what to do.

    Examples
    --------
    >>> table = read_table(b"sex,age\\nf,12\\nm,35\\n", name="people.csv")
    >>> table.names, table.n
    (('sex', 'age'), 2)
    """
    options = options or ReadOptions()
    size, name = _size_and_name(source, name)
    if not size:
        raise DataError("the file is empty; upload a table with a header and at least one row")
    upload = isinstance(source, bytes | bytearray | memoryview)
    limits.check_bytes(size, upload=upload)
    if isolate:
        return parse_in_child(source, name, options, limits, attend)
    return parse(pa.py_buffer(source) if upload else map_file(source), name, options, limits)


def _size_and_name(source, name: str | None) -> tuple[int, str]:
    """Size in bytes and file name; a path that cannot be opened is refused."""
    if isinstance(source, bytes | bytearray | memoryview):
        return len(source), name or "upload"
    try:
        path = Path(source)
        if path.is_dir():
            raise DataError(f"{path.name!r:.200} is a folder; name one file")
        with path.open("rb"):
            return path.stat().st_size, name or path.name
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "not a file name").lower()
        raise DataError(f"file {str(source)!r:.200} cannot be opened ({reason})") from error


def map_file(path: str | os.PathLike) -> pa.Buffer:
    """A file as a memory-mapped buffer: nothing is copied until it is read."""
    return map_in_parts(path)[0]


def map_in_parts(path: str | os.PathLike) -> tuple[pa.Buffer, Callable[[], None]]:
    """The same, and what lets go of all that was read of it so far.

    What is needed again is read again: a file larger than memory takes none that others need.
    """
    size, _ = _size_and_name(path, None)
    try:
        if not size:
            return pa.py_buffer(b""), lambda: None
        with open(path, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        forget = partial(mapped.madvise, mmap.MADV_DONTNEED) if FORGETS else lambda: None
        return pa.py_buffer(mapped), forget
    except OSError as error:
        if lacks_memory(error):
            raise MemoryError(str(error)) from error
        raise DataError(f"file {str(path)!r:.200} cannot be read; copy it to a disk") from error


def parse(buffer: pa.Buffer, name: str, options: ReadOptions, limits: Limits) -> Table:
    """Parse in this process."""
    packed = memoryview(buffer)[:2].tobytes() == b"\x1f\x8b"
    if packed:
        buffer, name = unpack_gzip(buffer, limits), name.removesuffix(".gz")
    head = memoryview(buffer)[:HEAD].tobytes()
    if packed and head[:2] == b"\x1f\x8b":
        raise DataError("the file is packed twice; unpack it once")
    refuse_other_files(head)
    reader = reader_of(head, name, options)
    raw = reader.read(buffer, options, limits)
    if packed:
        raw.notes.insert(0, "Unpacked from gzip.")
    table = tidy(raw, name=name, limits=limits)
    listed = options.shape in ("items", "pairs")
    return to_items(table, limits) if listed else table


def unpack_gzip(buffer: pa.Buffer, limits: Limits) -> pa.Buffer:
    """Decompress into a file without a name, which is mapped; stops at a limit, not where a disk is full."""
    packed, size, here = memoryview(buffer), 0, Path(tempfile.gettempdir())
    try:
        with tempfile.TemporaryFile() as file:
            with gzip.GzipFile(fileobj=io.BytesIO(packed)) as stream:
                while block := stream.read(1 << 22):
                    size += len(block)
                    limits.check_unpacked(size, packed.nbytes)
                    with explain_os_errors(here, TEMP_FOLDER):
                        file.write(block)
                        file.flush()
            if not size:
                raise DataError(
                    "the file is empty once unpacked; upload a table with at least one row"
                )
            return pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError("the gzip file is damaged or cut short; pack it again") from error


def refuse_other_files(head: bytes) -> None:
    """Say what a file is when it cannot be a table."""
    for magic, what in NOT_TABLES:
        if head.startswith(magic):
            tail = "" if ";" in what or "," in what else "; upload CSV, Excel (.xlsx) or Parquet"
            raise DataError(f"the file is {what}{tail}")
    start = head[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html", b"<?xml")):
        raise DataError("the file is a web page or XML; download the table itself as CSV")


MAX_LISTED = 200
# What the metadata of a Parquet file of reports says: it is a part of a collection and no table.
OF_REPORTS = b"plan_digest"


@dataclass(frozen=True)
class SharedTable:
    """A file that may be a table.

    Attributes
    ----------
    name : str
        Where it lies below the folder.
    size : int
        Its bytes.
    """

    name: str
    size: int

    def fits(self, limits: Limits = LIMITS) -> bool:
        """Whether it is read whole, as an upload is.

        >>> SharedTable("ages.csv", 1000).fits(), SharedTable("ages.csv", 10**10).fits()
        (True, False)
        """
        return self.size <= limits.upload_bytes


def tables_below(root: str | Path) -> list[SharedTable]:
    """Files of the formats that are read, below a root, by name; at most `MAX_LISTED`.

    Report files are no tables, and what leads outside by a link is not offered.
    """
    found: list[SharedTable] = []
    for at, files in walk_folders(root):
        for name in files:
            known = name.lower().removesuffix(".gz").endswith(EXTENSIONS)
            table = _table(root, str(at / name)) if known else None
            if table is not None:
                found.append(table)
            if len(found) >= MAX_LISTED:
                return found
    return found


def _table(root: str | Path, name: str) -> SharedTable | None:
    try:
        path = resolve_below(root, name)
        size = path.stat().st_size
    except (UserError, OSError):
        return None
    if not path.is_file() or _of_reports(path):
        return None
    return SharedTable(name, size)


def _of_reports(path: Path) -> bool:
    """Whether a Parquet file says that it holds reports; a damaged one says nothing."""
    if path.suffix != ".parquet":
        return False
    from pyarrow import parquet

    try:
        return OF_REPORTS in (parquet.read_schema(path).metadata or {})
    except (OSError, pa.ArrowException):
        return False
