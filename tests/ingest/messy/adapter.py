"""From a messy column to what the import decided about it, through the same door as a user's file."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from calm_core.errors import UserError
from calm_core.ingest import (
    ReadOptions,
    Schema,
    Table,
    apply_schema,
    detect_schema,
    read_table,
    values_read,
)
from calm_core.ingest.encode import Report
from calm_core.ingest.schema import ColumnSchema

AS_WRITTEN = ReadOptions(separator=",", header=True, header_row=0)
MEASURES = ("number", "date")


def csv_of(columns: Mapping[str, Sequence[str]]) -> bytes:
    """The columns as a file of comma-separated values."""
    sink = io.StringIO(newline="")
    csv.writer(sink, quoting=csv.QUOTE_ALL).writerows([list(columns), *zip(*columns.values())])
    return sink.getvalue().encode()


@dataclass(frozen=True)
class Decided:
    """What the import made of one column.

    Attributes
    ----------
    schema, column
        Of the table, and of the column.
    texts : list
        What the reader handed over for every cell, None where it is empty.
    values : ndarray or None
        What every cell was read as, where the column is one of numbers or dates.
    codes : ndarray or None
        The code of every row used, None where no row can be.
    report : Report or None
        The account of the rows.
    """

    schema: Schema
    column: ColumnSchema
    texts: list[str | None]
    values: np.ndarray | None
    codes: np.ndarray | None
    report: Report | None

    @property
    def unit(self) -> str:
        return self.column.unit

    @property
    def taken_missing(self) -> set[str]:
        """Texts that count as empty without anybody having said so."""
        return set(self.column.missing_texts)

    @property
    def proposed_missing(self) -> set[str]:
        return {text for p in self.column.proposals if p.what == "missing" for text in p.texts}

    @property
    def proposed_merges(self) -> list[frozenset[str]]:
        """Sets of texts of this column to be merged; sets that meet are one."""
        known, sets = set(self.texts), []
        for proposal in self.column.proposals:
            if proposal.what == "merge":
                sets.append((set(proposal.texts) | {proposal.into}) & known)
        joined: list[set[str]] = []
        for new in sets:
            apart = [old for old in joined if not old & new]
            joined = [*apart, new.union(*(old for old in joined if old & new))]
        return [frozenset(one) for one in joined if len(one) > 1]


def read_values(texts: Sequence[str | None], column: ColumnSchema) -> np.ndarray | None:
    """What the import reads in every text of a column of numbers or dates."""
    if column.kind not in MEASURES:
        return None
    return np.asarray(values_read(pa.array(list(texts), pa.string()), column))


def decide(table: Table, schema: Schema, name: str) -> Decided:
    """All that the checks ask for, of one column."""
    column = schema.column(name)
    texts = table.texts(name).to_pylist()
    codes = report = None
    try:
        encoded = apply_schema(table, schema.choose([name]))
        codes, report = encoded.dataset.codes[:, 0].astype(int), encoded.report
    except UserError:
        pass  # no row can be used: nothing but empty cells
    return Decided(schema, column, texts, read_values(texts, column), codes, report)


def decide_alone(header: str, cells: Sequence[str]) -> Decided:
    """The decision about one column in a file of its own, beside a column of running numbers."""
    beside = "row" if header != "row" else "line"
    content = csv_of({header: cells, beside: [str(i) for i in range(1, len(cells) + 1)]})
    table = read_table(content, name="messy.csv", options=AS_WRITTEN, isolate=False)
    assert table.n == len(cells)
    return decide(table, detect_schema(table), header)
