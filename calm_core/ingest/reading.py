"""Reading of files and uploads into tables."""

import gzip
import mmap
import os
import re
import sys
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow as pa

from calm_core.errors import DataError, UserError, lacks_memory
from calm_core.ingest.limits import LIMITS, Limits, parse_in_child
from calm_core.ingest.normalize_table import normalize_table
from calm_core.ingest.readers import EXTENSIONS, READERS
from calm_core.ingest.readers.base import Reader, is_gzip, open_unpacked, unpack_whole
from calm_core.ingest.readers.json_files import JSON
from calm_core.ingest.table import ReadOptions, Table
from calm_core.io.atomic_files import resolve_below, walk_folders

HEAD = 65536
# Windows releases memory by itself.
RELEASES_MEMORY = sys.platform != "win32"
_UNPACK = "archive; unpack it first"
NOT_TABLES = {
    "a PDF document": (b"%PDF",),
    "a picture": (b"\x89PNG", b"\xff\xd8\xff", b"GIF8"),
    "an Arrow file, which is not read from uploads; save it as Parquet": (b"ARROW1",),
    "a Feather file, which is not read from uploads; save it as Parquet": (b"FEA1",),
    "a pickle, which is never opened because it could run code": tuple(
        b"\x80" + bytes([protocol]) for protocol in (2, 3, 4, 5)
    ),
    "a database": (b"SQLite format 3",),
    "an HDF5 file": (b"\x89HDF",),
    f"a 7z {_UNPACK}": (b"7z\xbc\xaf",),
    f"a RAR {_UNPACK}": (b"Rar!",),
    f"a bzip2 {_UNPACK}": (b"BZh",),
    f"an xz {_UNPACK}": (b"\xfd7zXZ",),
    f"a zstd {_UNPACK}": (b"\x28\xb5\x2f\xfd",),
    "a program": (b"\x7fELF", b"MZ\x90"),
}


def read_table(
    source: str | os.PathLike | bytes,
    *,
    name: str | None = None,
    options: ReadOptions | None = None,
    limits: Limits = LIMITS,
    isolate: bool = True,
    on_wait: Callable[[], None] | None = None,
) -> Table:
    """Read a file of any known format into a Table.

    Parameters
    ----------
    source : path or bytes
        The file, or the content of an upload.
    name : str, optional
        File name of an upload; formats are recognized by content first, by name second.
    options : ReadOptions, optional
        What to take as given instead of finding out.
    limits : Limits
    isolate : bool
        Parse in a child process with its own memory and time limits (about 0.3 s). Only files that
        this project made itself need no such care.
    on_wait : callable, optional
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
    upload = isinstance(source, bytes | bytearray | memoryview)
    limits.check_bytes(size, upload=upload)
    if isolate:
        return parse_in_child(source, name, options, limits, on_wait)
    return parse_buffer(pa.py_buffer(source) if upload else map_file(source), name, options, limits)


def _size_and_name(source, name: str | None) -> tuple[int, str]:
    """Size in bytes and file name; raises if a path cannot be opened."""
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
    """A file as a memory-mapped buffer, and a function that releases what was read so far.

    What is needed again is read again: a file larger than memory takes none that others need.
    """
    size, _ = _size_and_name(path, None)
    try:
        if not size:
            return pa.py_buffer(b""), lambda: None
        with open(path, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        forget = partial(mapped.madvise, mmap.MADV_DONTNEED) if RELEASES_MEMORY else lambda: None
        return pa.py_buffer(mapped), forget
    except OSError as error:
        if lacks_memory(error):
            raise MemoryError(str(error)) from error
        raise DataError(f"file {str(path)!r:.200} cannot be read; copy it to a disk") from error


def parse_buffer(buffer: pa.Buffer, name: str, options: ReadOptions, limits: Limits) -> Table:
    """The table of a file, parsed in this process."""
    reader = find_reader(buffer, name, options)
    raw = reader.read(unpack_whole(buffer, limits), options, limits)
    if is_gzip(buffer):
        raw.notes.insert(0, "Unpacked from gzip.")
    return normalize_table(raw, name=name, limits=limits)


def find_reader(buffer: pa.Buffer, name: str, options: ReadOptions) -> Reader:
    """The reader of a file, perhaps packed; raises if it is no table or the options are for other formats."""
    try:
        head = bytes(open_unpacked(buffer).read(HEAD))
    except OSError as error:
        raise DataError("the gzip file is damaged or cut short; pack it again") from error
    if not head.strip():
        unpacked = " once unpacked" * is_gzip(buffer)
        raise DataError(
            f"the file is empty{unpacked}; upload a table with a header and at least one row"
        )
    if is_gzip(buffer) and is_gzip(head):
        raise DataError("the file is packed twice; unpack it once")
    _refuse_other_files(head)
    name = name.lower().removesuffix(".gz")
    reader = next(one for one in READERS if one.accepts(head, name, options))
    reader.check(options)
    return reader


def _refuse_other_files(head: bytes) -> None:
    """Raise if a file is of a known kind that is no table."""
    for what, magic in NOT_TABLES.items():
        if head.startswith(magic):
            tail = "" if ";" in what or "," in what else "; upload CSV, Excel (.xlsx) or Parquet"
            raise DataError(f"the file is {what}{tail}")
    start = head[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(b"@relation"):
        raise DataError("the file is an ARFF file; save it as CSV")
    if start.startswith((b"<!doctype html", b"<html", b"<?xml")):
        raise DataError("the file is a web page or XML; download the table itself as CSV")


MAX_LISTED = 200
# Key in the metadata of Parquet files of reports, which are no tables.
REPORT_KEY = b"plan_digest"
# Names in every line of a file of reports.
REPORT_FIELDS = (b'"plan"', b'"id"', b'"view"', b'"report"')


def tables_below(root: str | Path) -> dict[str, int]:
    """Files below a folder that may be tables, by name, with their sizes in bytes; at most `MAX_LISTED`.

    Report files are no tables, and what leads outside by a link is not offered.
    """
    tables: dict[str, int] = {}
    for at, files in walk_folders(root):
        for name in files:
            if not name.lower().removesuffix(".gz").endswith(EXTENSIONS):
                continue
            try:
                path = resolve_below(root, str(at / name))
                size = path.stat().st_size
            except (UserError, OSError):
                continue
            if path.is_file() and not _is_report_file(path) and not _is_other_json(path):
                tables[str(at / name)] = size
            if len(tables) >= MAX_LISTED:
                return tables
    return tables


def _is_report_file(path: Path) -> bool:
    """Whether a Parquet file holds reports by its metadata."""
    if path.suffix != ".parquet":
        return False
    from pyarrow import parquet

    try:
        return REPORT_KEY in (parquet.read_schema(path).metadata or {})
    except (OSError, pa.ArrowException):
        return False


def _is_other_json(path: Path) -> bool:
    """Whether a JSON file is a plan, a state, reports or settings by its beginning."""
    if not path.name.lower().removesuffix(".gz").endswith(JSON.extensions):
        return False
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            head = file.read(HEAD)
    except (OSError, EOFError, zlib.error):
        return False
    own = b'"calm-lab ' in head or all(name in head for name in REPORT_FIELDS)
    # An array of objects, one object in each line, or an array of objects within an object.
    return own or not re.match(rb"\s*\[|.*\n\s*\{|.*:\s*\[\s*\{", head, re.DOTALL)
