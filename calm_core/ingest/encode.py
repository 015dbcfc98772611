"""Encoding of tables by a schema, with an account of all rows."""

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from calm_core.errors import DataError
from calm_core.ingest.binning import merge_schema
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.limits import LIMITS, Limits
from calm_core.ingest.proposed_columns import propose_columns
from calm_core.ingest.reading import read_table
from calm_core.ingest.schema import ColumnSchema, Schema, read_numbers
from calm_core.ingest.steps import prepare_table
from calm_core.ingest.table import ReadOptions, Table, pc
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain
from calm_core.text import format_count

LEAVE_EMPTY = -1
LEAVE_UNKNOWN = -2
LISTED = 30  # columns whose empty cells are named one by one


@dataclass(frozen=True)
class Report:
    """Account of rows and columns: rows_in is rows_used plus all of left_out.

    Attributes
    ----------
    rows_in, rows_used : int
    left_out : tuple of (str, int)
        Reasons and numbers of rows; every row left out counts once, under its first reason.
    notes : tuple of str
        Sentences from reading, detection and encoding, the columns left out among them.
    empty : tuple of (str, int)
        Columns used and how many of their cells are empty, in all rows read as a table; columns
        without any are not listed.
    """

    rows_in: int
    rows_used: int
    left_out: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    empty: tuple[tuple[str, int], ...] = ()

    def __post_init__(self):
        if self.rows_in != self.rows_used + sum(count for _, count in self.left_out):
            raise AssertionError("rows in must be rows used plus rows left out")

    def __add__(self, other: "Report") -> "Report":
        """Report of two parts of one file."""
        return Report(
            self.rows_in + other.rows_in,
            self.rows_used + other.rows_used,
            _add_counts(self.left_out, other.left_out),
            tuple(dict.fromkeys((*self.notes, *other.notes))),
            _add_counts(self.empty, other.empty),
        )

    @property
    def sentence(self) -> str:
        """Sentence about rows read, used and left out, and empty cells by column."""
        text = f"{self.rows_in:,} rows read, {self.rows_used:,} used"
        if self.left_out:
            reasons = "; ".join(f"{count:,} for {reason}" for reason, count in self.left_out)
            text += f", {self.rows_in - self.rows_used:,} left out ({reasons})"
        if not self.empty:
            return f"{text}."
        listed = ", ".join(f"{count:,} in {name!r:.60}" for name, count in self.empty[:LISTED])
        if rest := self.empty[LISTED:]:
            cells = sum(count for _, count in rest)
            listed += f", {cells:,} in {format_count(len(rest), 'more column')}"
        return f"{text}. Empty cells: {listed}."


def _add_counts(one: tuple, other: tuple) -> tuple[tuple[str, int], ...]:
    """Sums of two tuples of names and counts."""
    return tuple((Counter(dict(one)) + Counter(dict(other))).items())


@dataclass(frozen=True, eq=False)
class EncodedData:
    """A Dataset, its schema and the account of its rows."""

    dataset: Dataset
    schema: Schema
    report: Report


def encode_rows(table: Table, schema: Schema) -> tuple[np.ndarray, Domain, Report]:
    """Codes of the usable rows of a prepared table, the domain, and the account of all rows."""
    columns, domain = schema.used_columns, schema.domain
    schema.check_against(table.names)
    largest = np.min_scalar_type(max(domain.sizes) - 1)
    codes = np.empty((table.n, len(columns)), dtype=largest, order="F")
    used = np.ones(table.n, dtype=bool)
    left_out, empty = list(table.left_out), []
    for j, column in enumerate(columns):
        coded, missing = encode_column(table.texts(column.name), column)
        empty += [(column.name, missing)] * (missing > 0)
        for code, reason in (
            (LEAVE_EMPTY, f"an empty cell in column {column.name!r:.80}"),
            (LEAVE_UNKNOWN, f"a value in column {column.name!r:.80} that the schema does not list"),
        ):
            if coded.min(initial=0) >= 0:
                break
            rows = (coded == code) & used
            if rows.any():
                left_out.append((reason, int(rows.sum())))
                used &= ~rows
        codes[:, j] = np.maximum(coded, 0)
    codes = codes if used.all() else codes[used]
    report = Report(table.rows_read, len(codes), tuple(left_out), empty=tuple(empty))
    return codes, domain, report


def encode_column(texts: pa.DictionaryArray, schema: ColumnSchema) -> tuple[np.ndarray, int]:
    """Codes of one column, negative if the row is left out, and how many cells are empty or mean missing."""
    # The last text is for empty cells.
    distinct = pa.concat_arrays([texts.dictionary, pa.nulls(1, pa.string())])
    at = np.asarray(texts.indices.fill_null(len(distinct) - 1))
    missing = pa.array([*schema.missing_texts, None], pa.string())
    is_missing = np.asarray(pc.is_in(distinct, missing))
    codes = _encode_texts(distinct, schema)
    by_row = schema.missing == "rows" or schema.missing_code is None
    codes[is_missing] = LEAVE_EMPTY if by_row else schema.missing_code
    only_empty = not is_missing[:-1].any()
    empty = texts.indices.null_count if only_empty else int(is_missing[at].sum())
    return codes.astype(np.min_scalar_type(-max(2, schema.size)))[at], empty


def count_codes(table: Table, column: ColumnSchema) -> np.ndarray:
    """Number of rows with each value of one column, int64 of shape (size,).

    Examples
    --------
    >>> from calm_core.ingest import detect_schema
    >>> from calm_core.ingest.table import make_table
    >>> table = make_table({"sex": ["f", "m", "m"]})
    >>> count_codes(table, detect_schema(table).columns[0]).tolist()
    [2, 1]
    """
    codes, _ = encode_column(table.texts(column.name), column)
    return np.bincount(codes[codes >= 0], minlength=column.size)


def _encode_texts(texts: pa.Array, schema: ColumnSchema) -> np.ndarray:
    """Code of each distinct text that is not missing."""
    unknown = LEAVE_UNKNOWN if schema.other is None else schema.other
    codes = np.full(len(texts), unknown, dtype=np.int64)
    if schema.edges is not None:
        numbers = read_numbers(texts, schema)
        is_number = ~np.isnan(numbers)
        codes[is_number] = np.searchsorted(schema.edges, numbers[is_number], side="left")
    if schema.values:
        # Listed texts keep their code even if they could be read as numbers.
        at = np.asarray(pc.index_in(texts, pa.array(schema.values)).fill_null(-1))
        codes[at >= 0] = np.array(schema.groups, dtype=np.int64)[at[at >= 0]]
    return codes


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
) -> EncodedData:
    """Read a file and encode it: the named columns or d that look like survey answers, merged to max_values.

    Parameters
    ----------
    source, name, options, limits
        As in `read_table`.
    columns : iterable of str, optional
        Names of the columns to use, in this order.
    d : int, optional
        How many columns to take: see `propose_columns` (with `columns`: the first of those).
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
) -> EncodedData:
    """A table encoded by a given or a detected schema.

    Raises
    ------
    DataError
        If a column is not in the table or no row can be used.

    Examples
    --------
    >>> from calm_core.ingest.table import make_table
    >>> encoded = encode_table(make_table({"sex": ["f", "m", "m"], "age": ["1", "3", None]}))
    >>> encoded.dataset.domain.labels, encoded.dataset.codes.tolist()
    ((('m', 'f'), ('1', '3', 'missing')), [[1, 0], [0, 1], [0, 2]])
    """
    try:
        schema = choose_schema(schema or detect_schema(table), columns, d, max_values)
    except DataError as error:
        raise DataError(table.explain_refusal(str(error))) from error
    table = prepare_table(table, schema.steps)
    codes, domain, report = encode_rows(table, schema)
    if not len(codes):
        reasons = "; ".join(f"{count:,} for {reason}" for reason, count in report.left_out)
        raise DataError(f"no row can be used ({reasons}); keep missing values as a value instead")
    notes = (*table.notes, *schema.notes, *schema.left_out)
    return EncodedData(Dataset.from_codes(codes, domain), schema, replace(report, notes=notes))


def choose_schema(
    schema: Schema, columns: Iterable[str] | None, d: int | None, max_values: int | None
) -> Schema:
    """The schema of the chosen columns (by default all usable ones), merged to max_values.

    Of columns that are named the first d are taken, else those that look most like survey answers.
    """
    if columns is not None:
        schema = schema.choose(columns)
    if columns is None and d is not None:
        schema = propose_columns(schema, d)
    else:
        schema = schema.first(len(schema.used_columns) or 1 if d is None else d)
    return schema if max_values is None else merge_schema(schema, max_values)
