"""Files larger than memory: encoded in chunks by a schema that is already decided."""

import codecs
import os
from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa

from calm_core.errors import DataError
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.encode import Encoded, encode_rows
from calm_core.ingest.limits import LIMITS, Limits
from calm_core.ingest.readers.delimited import (
    SAMPLE_BYTES,
    csv_options,
    names_and_dialect,
    parse_sentence,
)
from calm_core.ingest.readers.encoding import detect_encoding
from calm_core.ingest.readers.parquet import open_parquet
from calm_core.ingest.readers.sniff import sniff
from calm_core.ingest.reading import map_file
from calm_core.ingest.schema import Schema
from calm_core.ingest.table import ReadOptions, Table
from calm_core.ingest.tidy import Raw, tidy

CHUNK_ROWS = 1 << 18


def stream_batches(
    path: str | os.PathLike, schema: Schema, *, rows: int = CHUNK_ROWS, limits: Limits = LIMITS
) -> Iterator[Encoded]:
    """The file's rows as Dataset chunks; sums over the chunks are what the whole file gives.

    CSV (also gzipped) and Parquet can be streamed. Every chunk has the same Domain, and the
    reports of all chunks add up (`Report.__add__`).

    Parameters
    ----------
    path : path
    schema : Schema
        Decides everything; values it does not list fall to "other" or leave their row out.
    rows : int
        About how many rows a chunk holds.

    Raises
    ------
    DataError
        If the file cannot be streamed or no row of it can be used.
    """
    waiting, rest = None, None
    for table in stream_tables(path, [column.name for column in schema.kept], rows, limits):
        codes, domain, report = encode_rows(table, schema)
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


def stream_schema(
    path: str | os.PathLike, *, rows: int = CHUNK_ROWS, limits: Limits = LIMITS
) -> Schema:
    """A schema detected from the file's first chunk."""
    return detect_schema(next(stream_tables(path, None, rows, limits)))


def stream_tables(path, names: list[str] | None, rows: int, limits: Limits) -> Iterator[Table]:
    """The file's rows as Tables of about `rows` rows, only with the named columns."""
    buffer = map_file(path)
    parquet = memoryview(buffer)[:4].tobytes() == b"PAR1"
    opened = _parquet(buffer, names, rows, limits) if parquet else _delimited(buffer, limits)
    for raw in opened:
        yield tidy(raw, name=str(path), limits=limits, empty=True)


def _parquet(buffer: pa.Buffer, names, rows: int, limits: Limits) -> Iterator[Raw]:
    file = open_parquet(buffer, replace(limits, rows=1 << 62, cells=1 << 62))
    absent = [name for name in names or () if name not in file.schema_arrow.names]
    if absent:
        raise DataError(f"column {absent[0]!r:.80} of the schema is not in the file")
    for batch in file.iter_batches(batch_size=rows, columns=names):
        yield Raw(list(batch.schema.names), batch.columns, ReadOptions())


def _delimited(buffer: pa.Buffer, limits: Limits) -> Iterator[Raw]:
    """Blocks of a text file; the layout is judged from its first lines."""
    from pyarrow import csv

    def opened():
        packed = memoryview(buffer)[:2].tobytes() == b"\x1f\x8b"
        plain = pa.BufferReader(buffer)
        return pa.CompressedInputStream(plain, "gzip") if packed else plain

    try:
        head = bytes(opened().read(SAMPLE_BYTES))
        encoding = detect_encoding(memoryview(head[: head.rfind(b"\n") + 1] or head))
        # Incremental, because the head may end within a character.
        text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(head)
        layout = sniff(text[: text.rfind("\n") + 1] or text, ReadOptions())
        limits.check_shape(1, layout.width)
        labels, dialect = names_and_dialect(layout, ReadOptions(), encoding)
        ragged = []
        options = csv_options(
            layout.width, layout.separator, ragged.append, skip_rows=layout.skip,
            encoding=encoding.removesuffix("-sig"),
        )  # fmt: skip
        for batch in csv.open_csv(opened(), **options):
            wrong, ragged[:] = len(ragged), []
            left_out = [("a wrong number of fields", wrong)] if wrong else []
            yield Raw(labels, batch.columns, dialect, [], left_out)
    except (pa.ArrowInvalid, OSError, UnicodeDecodeError) as error:
        raise DataError(parse_sentence(str(error))) from error
