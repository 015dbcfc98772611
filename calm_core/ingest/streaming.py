"""Files larger than memory: encoded in chunks by a schema that is already decided."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pyarrow as pa

from calm_core.errors import DataError, LowMemoryError, lacks_memory
from calm_core.ingest.counting import count_tables
from calm_core.ingest.detect import schema_of
from calm_core.ingest.encode import Encoded, encode_rows
from calm_core.ingest.limits import LIMITS, Limits
from calm_core.ingest.normalize_table import tidy
from calm_core.ingest.readers import reader_of
from calm_core.ingest.readers.base import Batches, Reader, unpacked
from calm_core.ingest.reading import HEAD, map_file, map_in_parts, refuse_other_files
from calm_core.ingest.schema import Schema
from calm_core.ingest.table import ReadOptions, Table

CHUNK_ROWS = 1 << 18


@contextmanager
def enough_memory() -> Iterator[None]:
    """What does not fit into memory is one sentence with a remedy."""
    try:
        yield
    except (MemoryError, OSError, RuntimeError, pa.ArrowException) as error:
        if not lacks_memory(error):
            raise
        raise LowMemoryError(
            "reading the file in chunks needs more memory than there is; use fewer columns, fewer "
            "values of each or a smaller k, or free some memory"
        ) from error


def stream_batches(
    path: str | os.PathLike,
    schema: Schema,
    *,
    options: ReadOptions | None = None,
    rows: int = CHUNK_ROWS,
    limits: Limits = LIMITS,
) -> Iterator[Encoded]:
    """The file's rows as Dataset chunks; sums over the chunks are what the whole file gives.

    Formats whose reader offers batches can be streamed: CSV (also gzipped) and Parquet. Every chunk has the same Domain, and the
    reports of all chunks add up (`Report.__add__`).

    Parameters
    ----------
    path : path
    schema : Schema
        Decides everything; values it does not list fall to "other" or leave their row out.
    options : ReadOptions, optional
        What to take as given instead of finding out.
    rows : int
        About how many rows a chunk holds.

    Raises
    ------
    DataError
        If the file cannot be streamed or no row of it can be used.
    """
    waiting, rest = None, None
    names = [column.name for column in schema.kept]
    for table in stream_tables(path, names, rows, limits, options):
        codes, domain, report = encode_rows(table, schema)
        report = replace(report, notes=table.notes)
        if not len(codes):
            # Rows left out are accounted for with the next chunk that holds any.
            rest = report if rest is None else rest + report
            continue
        if waiting is not None:
            yield waiting
        report = report if rest is None else rest + report
        waiting, rest = Encoded.of(codes, domain, schema, report), None
    if waiting is None:
        raise DataError("no row of the file can be used with this schema")
    yield waiting if rest is None else replace(waiting, report=waiting.report + rest)


@enough_memory()
def stream_schema(
    path: str | os.PathLike,
    *,
    options: ReadOptions | None = None,
    rows: int = CHUNK_ROWS,
    limits: Limits = LIMITS,
    notify: Callable[[int], None] | None = None,
) -> Schema:
    """A schema detected from all rows in a first pass: the same as for the file read whole.

    `notify` is told after every chunk how many rows have been read.
    """
    tables = stream_tables(path, None, rows, limits, options, counted=True)
    counted, first = count_tables(_told(tables, notify) if notify else tables)
    return schema_of(counted, first.dialect)


def _told(tables: Iterator[Table], notify: Callable[[int], None]) -> Iterator[Table]:
    read = 0
    for table in tables:
        yield table
        read += table.n
        notify(read)


def stream_tables(
    path,
    names: list[str] | None,
    rows: int,
    limits: Limits,
    options: ReadOptions | None = None,
    *,
    counted: bool = False,
) -> Iterator[Table]:
    """The file's rows as Tables of about `rows` rows, only with the named columns.

    With `counted` the columns are as `tidy` says.

    The last table may be one without rows, with what can be said only at the end of the file.
    """
    options = options or ReadOptions()
    buffer, forget = map_in_parts(path)
    batches = _batches(buffer, path, options)
    for raw in batches(buffer, options, limits, names=names, rows=rows):
        yield tidy(raw, name=str(path), limits=limits, empty=True, counted=counted)
        forget()


def can_stream(path: str | os.PathLike, options: ReadOptions | None = None) -> bool:
    """Whether the file's format can be read in chunks; otherwise it has to be read whole."""
    reader = _reader(map_file(path), path, options := options or ReadOptions())
    return reader.batches is not None and options.shape in (None, "table")


def _batches(buffer: pa.Buffer, path, options: ReadOptions) -> Batches:
    """How the file's reader reads it in chunks, if it can."""
    reader = _reader(buffer, path, options)
    if reader.batches is None or options.shape not in (None, "table"):
        what = reader.name if reader.batches is None else "lists of items"
        raise DataError(f"{what} cannot be streamed; read it whole, or save it as CSV or Parquet")
    return reader.batches


def _reader(buffer: pa.Buffer, path, options: ReadOptions) -> Reader:
    """The reader of the file's format."""
    name = os.path.basename(path).lower().removesuffix(".gz")
    try:
        head = bytes(unpacked(buffer).read(HEAD))
    except OSError as error:
        raise DataError("the gzip file is damaged or cut short; pack it again") from error
    refuse_other_files(head)
    return reader_of(head, name, options)
