"""load_dataset: the one call behind the command line and the app, so both give the same numbers."""

import os
from collections.abc import Iterable

from calm_core._checks import check_count
from calm_core.errors import DataError, InputError
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.encode import Encoded, apply_schema
from calm_core.ingest.limits import LIMITS, Limits
from calm_core.ingest.merging import merge_schema
from calm_core.ingest.reading import read_table
from calm_core.ingest.schema import Schema
from calm_core.ingest.table import ReadOptions, Table


def load_dataset(
    source: str | os.PathLike | bytes,
    *,
    name: str | None = None,
    columns: Iterable[str] | None = None,
    d: int | None = None,
    max_values: int | None = None,
    schema: Schema | None = None,
    options: ReadOptions | None = None,
    limits: Limits = LIMITS,
) -> Encoded:
    """Read a file and encode it: columns or the first d usable ones, merged to max_values.

    Parameters
    ----------
    source, name, options, limits
        As in `read_table`.
    columns : iterable of str, optional
        Names of the columns to use, in this order.
    d : int, optional
        How many usable columns to take, from the first on (with `columns`: of those).
    max_values : int, optional
        Keep the max_values - 1 most frequent values and merge the rest; numbers: quantile bins.
    schema : Schema, optional
        A confirmed or saved schema, instead of detection.

    Examples
    --------
    >>> data = load_dataset(b"sex,age\\nf,12\\nm,35\\nm,7\\n", name="people.csv", d=1)
    >>> data.dataset.domain.names, data.report.sentence
    (('sex',), '3 rows read, 3 used.')
    """
    table = read_table(source, name=name, options=options, limits=limits)
    return encode_table(table, columns=columns, d=d, max_values=max_values, schema=schema)


def encode_table(
    table: Table,
    *,
    columns: Iterable[str] | None = None,
    d: int | None = None,
    max_values: int | None = None,
    schema: Schema | None = None,
) -> Encoded:
    """The same from a Table already read."""
    try:
        schema = choose_schema(schema or detect_schema(table), columns, d, max_values)
    except DataError as error:
        raise DataError(table.told_beside(str(error))) from error
    return apply_schema(table, schema)


def choose_schema(
    schema: Schema, columns: Iterable[str] | None, d: int | None, max_values: int | None
) -> Schema:
    """The columns asked for (all usable ones by default), merged to max_values."""
    if columns is not None:
        schema = schema.choose(columns)
    usable = len(schema.kept)
    if d is not None:
        check_count("d", d)
    if d is not None and d > usable > 0:
        raise InputError(
            f"d ({d}) must be at most {usable}, the number of usable columns of the table",
            remedies=[("d", usable)],
        )
    schema = schema.first(d or usable or 1)
    return schema if max_values is None else merge_schema(schema, max_values)
