"""Files larger than memory: encoded in chunks by a schema that is already decided."""

import codecs
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pyarrow as pa

from calm_core.errors import DataError, InfeasibleError
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.encode import Encoded, encode_rows
from calm_core.ingest.limits import LIMITS, Limits, lacks_memory
from calm_core.ingest.readers import DELIMITED, PARQUET, READERS, Reader
from calm_core.ingest.readers.delimited import (
    SAMPLE_BYTES,
    how_read,
    layout_at,
    names_and_dialect,
)
from calm_core.ingest.readers.encoding import Utf8Stream, encoding_of, replaced
from calm_core.ingest.readers.lengths import Lengths, fields_instead
from calm_core.ingest.readers.parquet import checked, damaged_parquet, open_parquet
from calm_core.ingest.readers.rows import (
    csv_options,
    lines_swallowed,
    offset_of,
    open_quote,
    parse_sentence,
)
from calm_core.ingest.readers.sniff import Layout
from calm_core.ingest.reading import HEAD, map_file, refuse_other_files
from calm_core.ingest.schema import Schema
from calm_core.ingest.table import ReadOptions, Table
from calm_core.ingest.tidy import Raw, tidy

CHUNK_ROWS = 1 << 18
BLOCK = 1 << 22  # bytes of text parsed at a time: what is read ahead must be small, too


@contextmanager
def enough_memory() -> Iterator[None]:
    """What does not fit into memory is one sentence with a remedy."""
    try:
        yield
    except (MemoryError, OSError, RuntimeError, pa.ArrowException) as error:
        if not lacks_memory(error):
            raise
        raise InfeasibleError(
            "reading the file in chunks needs more memory than there is; use fewer columns "
            "(--columns, --d), fewer values (--max-values) or a smaller k, or free some memory"
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

    CSV (also gzipped) and Parquet can be streamed. Every chunk has the same Domain, and the
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
) -> Schema:
    """A schema detected from the file's first chunk."""
    return detect_schema(next(stream_tables(path, None, rows, limits, options)))


def stream_tables(
    path, names: list[str] | None, rows: int, limits: Limits, options: ReadOptions | None = None
) -> Iterator[Table]:
    """The file's rows as Tables of about `rows` rows, only with the named columns.

    The last table may be one without rows, with what can be said only at the end of the file.
    """
    options = options or ReadOptions()
    buffer = map_file(path)
    if _reader(buffer, path, options) is PARQUET:
        opened = _parquet(buffer, names, rows, limits)
    else:
        opened = _delimited(buffer, limits, options)
    for raw in opened:
        yield tidy(raw, name=str(path), limits=limits, empty=True)


def _open(buffer: pa.Buffer) -> pa.NativeFile:
    packed = memoryview(buffer)[:2].tobytes() == b"\x1f\x8b"
    plain = pa.BufferReader(buffer)
    return pa.CompressedInputStream(plain, "gzip") if packed else plain


def _reader(buffer: pa.Buffer, path, options: ReadOptions) -> Reader:
    """The file's reader, if its files can be read in chunks."""
    name = os.path.basename(path).lower().removesuffix(".gz")
    try:
        head = bytes(_open(buffer).read(HEAD))
    except OSError as error:
        raise DataError("the gzip file is damaged or cut short; pack it again") from error
    refuse_other_files(head)
    reader = next(r for r in READERS if r.accepts(head, name, options))
    if reader not in (PARQUET, DELIMITED) or options.shape not in (None, "table"):
        what = reader.name if reader is not DELIMITED else "lists of items"
        raise DataError(f"{what} cannot be streamed; read it whole, or save it as CSV or Parquet")
    return reader


def _parquet(buffer: pa.Buffer, names, rows: int, limits: Limits) -> Iterator[Raw]:
    file = open_parquet(buffer, replace(limits, rows=1 << 62, cells=1 << 62))
    absent = [name for name in names or () if name not in file.schema_arrow.names]
    if absent:
        raise DataError(f"column {absent[0]!r:.80} of the schema is not in the file")
    with damaged_parquet():
        for batch in file.iter_batches(batch_size=rows, columns=names):
            yield Raw(list(batch.schema.names), checked(batch).columns, ReadOptions())


def _delimited(buffer: pa.Buffer, limits: Limits, options: ReadOptions) -> Iterator[Raw]:
    """Blocks of a text file; the layout is judged from its first lines."""
    try:
        head = _head(buffer, options)
        encoding = encoding_of(memoryview(head[: head.rfind(b"\n") + 1] or head), options)
        # Incremental, because the head may end within a character.
        text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(head).encode()
        layout = layout_at(memoryview(text[: text.rfind(b"\n") + 1] or text), options)
        limits.check_shape(1, layout.width)
        labels, dialect = names_and_dialect(layout, options, encoding)
        notes = [how_read(dialect), *layout.notes("line")]
        for columns, said, left_out in _blocks(buffer, layout, encoding, options):
            yield Raw(labels, columns, dialect, notes + said, left_out)
            notes = []
    except (pa.ArrowInvalid, OSError, UnicodeError) as error:
        if lacks_memory(error):
            raise MemoryError(str(error)) from error
        raise DataError(parse_sentence(str(error))) from error


def _blocks(buffer: pa.Buffer, layout: Layout, encoding: str, options: ReadOptions) -> Iterator:
    """Columns, notes and what is left out of every block; the last has no rows, only an account."""
    from pyarrow import csv

    one = layout.width == 1
    decoded = Utf8Stream(encoding, options, cut_blank_end=one)
    found, last, firsts = [], [], {}
    lengths = Lengths(layout.width, options.ragged, "the header" if layout.names else "most rows")

    def first(shorter: bool) -> str:
        return f"a row {fields_instead(firsts[shorter], layout.width)}"

    def left_out(rows: int) -> list[tuple[str, int]]:
        for row in found:
            last[:] = [row]
            firsts.setdefault(row.actual_columns < layout.width, row)
        counted = lengths.add(rows, found, first)
        found.clear()
        return counted

    arguments = csv_options(
        layout.width, layout.separator, found.append, skip_rows=layout.skip, skip_blank=not one,
        block=BLOCK,
    )  # fmt: skip
    cell: list = []
    for batch in csv.open_csv(pa.TransformInputStream(_open(buffer), decoded), **arguments):
        cell = batch.column(layout.width - 1).slice(max(0, batch.num_rows - 1)).to_pylist() or cell
        yield batch.columns, [], left_out(batch.num_rows)
    rest = left_out(0)
    if lines := lines_swallowed(decoded.tail.encode(), cell, last):
        raise DataError(open_quote("the last quotation mark of the file", lines))
    lengths.account(first)
    said = [replaced(decoded.bad, encoding)] if decoded.bad else []
    yield [pa.array([], pa.string())] * layout.width, said, rest


def _head(buffer: pa.Buffer, options: ReadOptions) -> bytes:
    """The first bytes, with all lines above the table and as much again as is judged."""
    source, head = _open(buffer), b""
    while True:
        head += bytes(source.read(SAMPLE_BYTES))
        more = len(head) - offset_of(memoryview(head), options.header_row or 0)
        if more >= SAMPLE_BYTES or not (block := bytes(source.read(SAMPLE_BYTES))):
            return head
        head += block
