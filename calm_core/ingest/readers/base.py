"""The interface of readers."""

import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from calm_core.errors import DataError, InputError
from calm_core.ingest.limits import Limits
from calm_core.ingest.normalize_table import Raw
from calm_core.ingest.table import ReadOptions

TEXT = frozenset({"encoding", "bad_bytes"})
# Options about the file format; the others are about its content.
FORMAT_OPTIONS = TEXT | {"separator", "header", "header_row", "header_rows", "sheet", "ragged"}


class Batches(Protocol):
    """The rows of a file as Raw batches, so that a file larger than memory can be read.

    The buffer is the file as it lies there, perhaps packed: see `open_unpacked`. The last batch may hold
    no rows, only what can be said at the end of the file.
    """

    def __call__(
        self,
        buffer: pa.Buffer,
        options: ReadOptions,
        limits: Limits,
        *,
        names: list[str] | None,
        rows: int,
    ) -> Iterator[Raw]:
        """Batches of about `rows` rows, or fewer; with `names` other columns need not be read."""
        ...


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
    batches : Batches, optional
        The same in parts, for `stream_batches`; None where the format must be read whole.
    takes : frozenset of str
        Those of `FORMAT_OPTIONS` that it goes by.
    """

    name: str
    extensions: tuple[str, ...]
    accepts: Callable[[bytes, str, ReadOptions], bool]
    read: Callable[[pa.Buffer, ReadOptions, Limits], Raw]
    batches: Batches | None = None
    takes: frozenset[str] = frozenset()

    def check(self, options: ReadOptions) -> None:
        """Raise if an option is for other formats."""
        for word in options.to_words():
            name = word.partition("=")[0]
            if name in FORMAT_OPTIONS - self.takes:
                raise InputError(f"read ({word:.60}) is not for {self.name} files; leave it out")


def open_unpacked(buffer: pa.Buffer) -> pa.NativeFile:
    """The content of a file as a stream, unpacked if it is gzip."""
    packed = memoryview(buffer)[:2].tobytes() == b"\x1f\x8b"
    plain = pa.BufferReader(buffer)
    return pa.CompressedInputStream(plain, "gzip") if packed else plain


def unpack_whole(buffer: pa.Buffer, limits: Limits) -> pa.Buffer:
    """The content of a file that cannot be read as a stream, unpacked if it is gzip."""
    if memoryview(buffer)[:2].tobytes() != b"\x1f\x8b":
        return buffer
    try:
        buffer = open_unpacked(buffer).read_buffer(limits.unpacked_bytes + 1)
    except OSError as error:
        raise DataError("the gzip file is damaged or cut short; pack it again") from error
    limits.check_unpacked(buffer.size, limits.unpacked_bytes)
    return buffer


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
