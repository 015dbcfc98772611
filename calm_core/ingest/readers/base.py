"""The interface of readers."""

import datetime
import gzip
import io
import mmap
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from calm_core.errors import DataError, InputError
from calm_core.ingest.limits import Limits
from calm_core.ingest.normalize_table import Raw
from calm_core.ingest.table import ReadOptions
from calm_core.io.atomic_files import explain_os_errors
from calm_core.runtime.temp_dirs import TEMP_FOLDER

# Options about the file format; the others are about its content.
FORMAT_OPTIONS = frozenset(
    {"encoding", "separator", "header", "header_row", "header_rows", "sheet", "ragged"}
)


@dataclass(frozen=True)
class Reader:
    """One file format.

    Attributes
    ----------
    name : str
        What users call it.
    extensions : tuple of str
        Lower-case file name endings, for the upload widget.
    accepts : callable (head: bytes, name: str, options) -> bool
        Whether this reader is for a file with these first bytes (64 kB) and this name.
    read : callable (buffer, options, limits) -> Raw
        Parse; raises DataError with one sentence.
    batches : callable (buffer, options, limits, *, names, rows) -> iterator of Raw, optional
        The same in parts of about `rows` rows or fewer, for `stream_batches`; None where the format must be read
        whole. The buffer is the file as it lies there, perhaps packed: see `open_unpacked`. With `names` other
        columns need not be read. The last part may hold no rows, only what can be said at the end of the file.
    takes : frozenset of str
        Those of `FORMAT_OPTIONS` that it goes by.
    """

    name: str
    extensions: tuple[str, ...]
    accepts: Callable[[bytes, str, ReadOptions], bool]
    read: Callable[[pa.Buffer, ReadOptions, Limits], Raw]
    batches: Callable[..., Iterator[Raw]] | None = None
    takes: frozenset[str] = frozenset()

    def check(self, options: ReadOptions) -> None:
        """Raise if an option is for other formats."""
        for word in options.to_words():
            name = word.partition("=")[0]
            if name in FORMAT_OPTIONS - self.takes:
                raise InputError(f"read ({word:.60}) is not for {self.name} files; leave it out")


def is_gzip(buffer: pa.Buffer | bytes) -> bool:
    """Whether a file begins as a gzip file does."""
    return memoryview(buffer)[:2].tobytes() == b"\x1f\x8b"


def open_unpacked(buffer: pa.Buffer) -> pa.NativeFile:
    """The content of a file as a stream, unpacked if it is gzip."""
    plain = pa.BufferReader(buffer)
    return pa.CompressedInputStream(plain, "gzip") if is_gzip(buffer) else plain


def unpack_whole(buffer: pa.Buffer, limits: Limits) -> pa.Buffer:
    """The content of a file; that of a gzip file is unpacked into a temporary file and memory-mapped."""
    if not is_gzip(buffer):
        return buffer
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
            return pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError("the gzip file is damaged or cut short; pack it again") from error


def join_batches(batches: Iterable[Raw], limits: Limits) -> Raw:
    """A file read whole, from its batches."""
    rows, chunks, notes, left_out = 0, [], [], []
    for raw in batches:
        columns = [*raw.columns]
        rows += len(columns[0]) if columns else 0
        limits.check_shape(rows, len(columns))
        chunks.append(columns)
        notes += raw.notes
        left_out += raw.left_out
    columns = [pa.chunked_array(parts) for parts in zip(*chunks)]
    return replace(raw, columns=columns, notes=notes, left_out=left_out)


def cell_text(cell) -> str | None:
    """A cell as text: whole numbers without a point, dates in ISO form, empty cells as None.

    Examples
    --------
    >>> cell_text(3.0), cell_text(0.1), cell_text(True), cell_text("")
    ('3', '0.1', 'true', None)
    """
    if isinstance(cell, str):
        return cell or None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(" ").removesuffix(" 00:00:00")
    return str(cell)
