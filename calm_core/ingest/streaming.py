"""Files larger than memory, encoded in chunks."""

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pyarrow as pa

from calm_core.errors import DataError, LowMemoryError, lacks_memory
from calm_core.ingest.cleaning import clean_schema, find_column_steps
from calm_core.ingest.counting import count_tables
from calm_core.ingest.detect import detect_from_counts
from calm_core.ingest.encode import EncodedData, Report, encode_rows
from calm_core.ingest.limits import LIMITS
from calm_core.ingest.normalize_table import normalize_table
from calm_core.ingest.reading import find_reader, map_file, map_in_parts
from calm_core.ingest.schema import Schema
from calm_core.ingest.steps import OneRowEach, Step, prepare_table
from calm_core.ingest.table import ReadOptions, Table
from calm_core.tables.dataset import Dataset

CHUNK_ROWS = 1 << 18
# A file may have any number of rows: they are never together in memory.
ANY_ROWS = replace(LIMITS, rows=1 << 62, cells=1 << 62)


@contextmanager
def explain_memory_errors() -> Generator[None]:
    """Raise an error with a remedy if memory is short."""
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
) -> Generator[EncodedData]:
    """The file's rows as Dataset chunks whose sums are those of the whole file.

    Formats whose reader offers batches can be streamed: CSV, Parquet, JSON, SPSS, Stata and SAS. Every chunk has the same Domain, and the
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
    if unstreamed := [step for step in schema.steps if isinstance(step, OneRowEach)]:
        raise DataError(
            f"the schema needs all rows at once ({unstreamed[0].sentence.rstrip('.')}); read the file whole"
        )
    names = {column.name for column in schema.used_columns}
    for step in reversed(schema.steps):
        names = step.sources(names)
    waiting, report = None, Report(0, 0)
    for table in stream_tables(path, [*names], rows, options, steps=schema.steps):
        codes, domain, more = encode_rows(table, schema)
        report += replace(more, notes=table.notes)
        if not len(codes):
            continue  # Rows left out are counted with the next chunk.
        if waiting is not None:
            yield waiting
        waiting = EncodedData(Dataset.from_codes(codes, domain), schema, report)
        report = Report(0, 0)
    if waiting is None:
        raise DataError("no row of the file can be used with this schema")
    yield replace(waiting, report=waiting.report + report)


@explain_memory_errors()
def stream_schema(
    path: str | os.PathLike,
    *,
    options: ReadOptions | None = None,
    rows: int = CHUNK_ROWS,
    notify: Callable[[int], None] | None = None,
    clean: bool = False,
) -> Schema:
    """Schema detected from all rows in a first pass; the same as for the file read whole.

    `notify` is called after each chunk with the number of rows read so far. With `clean` all that the
    values of single columns show is cleaned, which takes a second pass where columns are made.
    """

    def read(steps: Sequence[Step] = ()) -> Iterator[Table]:
        rows_read = 0
        for table in stream_tables(path, None, rows, options, steps=steps):
            yield table
            rows_read += table.n
            if notify:
                notify(rows_read)

    counts, first = count_tables(read())
    schema = detect_from_counts(counts, first.dialect)
    if not clean:
        return schema
    steps = find_column_steps(counts, schema)
    if steps:
        counts, first = count_tables(read(steps))
    schema = replace(detect_from_counts(counts, first.dialect), steps=tuple(steps))
    return clean_schema(counts, schema)


def stream_tables(
    path,
    names: list[str] | None,
    rows: int,
    options: ReadOptions | None = None,
    *,
    steps: Sequence[Step] = (),
) -> Iterator[Table]:
    """The file's rows as Tables of about `rows` rows, only with the named columns, prepared by steps.

    The last table may be one without rows, with what can be said only at the end of the file.
    """
    options = options or ReadOptions()
    buffer, forget = map_in_parts(path)
    reader = find_reader(buffer, os.fspath(path), options)
    if reader.batches is None:
        raise DataError(
            f"{reader.name} cannot be streamed; read it whole, or save it as CSV or Parquet"
        )
    for raw in reader.batches(buffer, options, ANY_ROWS, names=names, rows=rows):
        table = normalize_table(raw, name=str(path), limits=ANY_ROWS, empty=True)
        yield prepare_table(table, steps)
        forget()


def can_stream(path: str | os.PathLike, options: ReadOptions | None = None) -> bool:
    """Whether the file can be read in chunks."""
    reader = find_reader(map_file(path), os.fspath(path), options or ReadOptions())
    return reader.batches is not None
