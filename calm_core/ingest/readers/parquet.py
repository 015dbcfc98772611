"""Parquet, through pyarrow."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pyarrow as pa

from calm_core.errors import DataError, lacks_memory
from calm_core.ingest.limits import Limits
from calm_core.ingest.normalize_table import Raw
from calm_core.ingest.readers.base import Reader, unpack_whole
from calm_core.ingest.table import ReadOptions

DAMAGED = "the Parquet file is damaged or cut short; export it again"


@contextmanager
def explain_parquet_errors() -> Generator[None]:
    """Raise plain errors for damaged files, and MemoryError if memory is short."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError, IndexError) as error:
        if lacks_memory(error):
            raise MemoryError(str(error)) from error
        if "encrypt" in str(error).lower():
            raise DataError("the Parquet file is encrypted; save it without encryption") from error
        raise DataError(DAMAGED) from error


def open_parquet(buffer: pa.Buffer, limits: Limits):
    """The opened file, its shape checked from the footer before any column is read."""
    from pyarrow import parquet

    with explain_parquet_errors():
        schema = parquet.read_schema(pa.BufferReader(buffer))
        texts = [field.name for field in schema if pa.types.is_string(field.type)]
        file = parquet.ParquetFile(pa.BufferReader(buffer), read_dictionary=texts)
    limits.check_shape(file.metadata.num_rows, file.metadata.num_columns)
    return file


def read_parquet(buffer: pa.Buffer, options: ReadOptions, limits: Limits) -> Raw:
    """All columns, typed as the file has them, read one after the other."""
    file = open_parquet(buffer, limits)
    names = file.schema_arrow.names
    return Raw(list(names), _columns(file), options, ["Read as Parquet."])


def _columns(file) -> Generator[pa.ChunkedArray]:
    names = file.schema_arrow.names
    with explain_parquet_errors():
        if len(set(names)) < len(names):
            # Repeated columns cannot be asked for by name one at a time.
            yield from validate_table(file.read()).columns
            return
        for field in file.schema_arrow:
            if field.type.num_fields == 0:
                yield validate_table(file.read(columns=[field.name])).column(field.name)
            else:
                # Lists are left out without unpacking them.
                yield pa.chunked_array([], field.type)


def parquet_batches(
    buffer: pa.Buffer, options: ReadOptions, limits: Limits, *, names: list[str] | None, rows: int
) -> Iterator[Raw]:
    """The named columns, a number of rows at a time; a packed file is unpacked first."""
    file = open_parquet(unpack_whole(buffer, limits), limits)
    absent = [name for name in names or () if name not in file.schema_arrow.names]
    if absent:
        raise DataError(f"column {absent[0]!r:.80} of the schema is not in the file")
    with explain_parquet_errors():
        for batch in file.iter_batches(batch_size=rows, columns=names):
            yield Raw(list(batch.schema.names), validate_table(batch).columns, ReadOptions())


def validate_table(data: pa.Table | pa.RecordBatch) -> pa.Table | pa.RecordBatch:
    """The table, after a check of all offsets and indices."""
    data.validate(full=True)
    return data


PARQUET = Reader(
    "Parquet",
    (".parquet", ".pq"),
    lambda head, name, options: head[:4] == b"PAR1" or head[:4] == b"PARE",
    read_parquet,
    parquet_batches,
)
