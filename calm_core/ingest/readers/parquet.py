"""Parquet, through pyarrow."""

import pyarrow as pa

from calm_core.errors import DataError
from calm_core.ingest.limits import Limits
from calm_core.ingest.readers._base import Reader
from calm_core.ingest.table import ReadOptions
from calm_core.ingest.tidy import Raw


def open_parquet(buffer: pa.Buffer, limits: Limits):
    """The opened file, its shape checked from the footer before any column is read."""
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(pa.BufferReader(buffer))
    except (pa.ArrowException, OSError) as error:
        if "encrypt" in str(error).lower():
            raise DataError("the Parquet file is encrypted; save it without encryption") from error
        raise DataError("the Parquet file is damaged or cut short; export it again") from error
    limits.check_shape(file.metadata.num_rows, file.metadata.num_columns)
    return file


def read_parquet(buffer: pa.Buffer, options: ReadOptions, limits: Limits) -> Raw:
    """All columns, typed as the file has them."""
    file = open_parquet(buffer, limits)
    try:
        table = file.read()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError("the Parquet file is damaged or cut short; export it again") from error
    return Raw(list(table.column_names), table.columns, options, ["Read as Parquet."])


PARQUET = Reader(
    "Parquet",
    (".parquet", ".pq"),
    lambda head, name, options: head[:4] == b"PAR1" or head[:4] == b"PARE",
    read_parquet,
)
