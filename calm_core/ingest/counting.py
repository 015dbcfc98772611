"""Counting the values of a file in parts, in bounded memory: the first pass over a file that is streamed."""

import numpy as np
import pyarrow as pa

from calm_core.ingest.counted import Counted, count_texts
from calm_core.ingest.normalize_table import numbers_if_many, texts_if_few
from calm_core.ingest.table import Table, is_texts

PENDING = 1 << 20  # values collected before those that are the same are added up
MAX_TEXTS = 1 << 20  # distinct texts kept of a column; cells beyond them are counted only
MAX_NUMBERS = 1 << 22  # distinct numbers kept; beyond them neighbours are taken together


class ColumnCount:
    """The values of one column, part by part.

    Attributes
    ----------
    beyond : int
        Cells whose text is not among those kept.
    """

    def __init__(self, name: str):
        self.name, self.missing, self.beyond = name, 0, 0
        self.texts: list[pa.Table] = []
        self.numbers: list[tuple[np.ndarray, np.ndarray]] = []

    def add(self, column: pa.ChunkedArray) -> None:
        """Count one part."""
        if is_texts(column):
            found = count_texts(self.name, _as_one(column))
            self.missing += found.missing
            self.texts.append(pa.table({"text": found.texts, "rows": found.counts}))
            if sum(map(len, self.texts)) > PENDING:
                self._add_up_texts()
            return
        cells = np.asarray(column)
        known = cells[~np.isnan(cells)]
        self.missing += len(cells) - len(known)
        self.numbers.append(np.unique(known, return_counts=True))
        if sum(len(values) for values, _ in self.numbers) > PENDING:
            self._add_up_numbers()

    def _add_up_texts(self) -> None:
        kept = len(self.texts[0])
        sums = (
            pa.concat_tables(self.texts)
            .group_by("text", use_threads=False)
            .aggregate([("rows", "sum")])
        )
        sums = sums.rename_columns(["text", "rows"]).combine_chunks()
        if len(sums) > MAX_TEXTS:
            numbers = numbers_if_many(_whole(sums["text"]))
            if numbers is not None:
                self.numbers.append((np.asarray(numbers), np.asarray(sums["rows"])))
                self._add_up_numbers()
                sums = sums.slice(0, 0)
            else:
                # Those that came first stay, in the order in which they came.
                most = max(kept, MAX_TEXTS)
                self.beyond += int(np.asarray(sums["rows"])[most:].sum())
                sums = sums.slice(0, most)
        self.texts = [sums]

    def _add_up_numbers(self) -> None:
        values = np.concatenate([values for values, _ in self.numbers])
        rows = np.concatenate([rows for _, rows in self.numbers])
        values, at = np.unique(values, return_inverse=True)
        rows = np.bincount(at, rows).astype(np.int64)
        while len(values) > MAX_NUMBERS:
            starts = np.arange(0, len(values), 2)
            values, rows = values[starts], np.add.reduceat(rows, starts)
        self.numbers = [(values, rows)]

    def counted(self) -> Counted:
        """What was counted, as for a table read whole."""
        if self.texts:
            self._add_up_texts()
        texts = _whole(self.texts[0]["text"]) if self.texts else pa.array([], pa.string())
        rows = np.asarray(self.texts[0]["rows"]) if self.texts else np.zeros(0, np.int64)
        if self.numbers and len(texts):
            numbers = pa.array(np.asarray(texts.cast(pa.float64())))
        else:
            numbers = numbers_if_many(texts)
        if numbers is not None:
            self.numbers.append((np.asarray(numbers), rows))
        if not self.numbers:
            return Counted(self.name, self.missing, texts, rows, beyond=self.beyond)
        self._add_up_numbers()
        values, rows = self.numbers[0]
        few = texts_if_few(pa.array(values))
        if few is not None:
            return Counted(self.name, self.missing, few, rows)
        finite = np.isfinite(values)
        infinite = int(rows[~finite].sum())
        return Counted(
            self.name,
            self.missing,
            pa.array([], pa.string()),
            rows[finite],
            values[finite],
            infinite,
        )


def _as_one(column: pa.ChunkedArray) -> pa.DictionaryArray:
    return (
        column.unify_dictionaries().combine_chunks().chunk(0)
        if column.num_chunks > 1
        else column.chunk(0)
    )


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def count_tables(tables) -> tuple[list[Counted], Table]:
    """The values of all columns of a table that comes in parts, and its first part without rows."""
    first, counts = None, []
    for table in tables:
        if first is None:
            first, counts = table, [ColumnCount(name) for name in table.names]
        for count in counts:
            if table.n:
                count.add(table.data.column(table.position(count.name)))
    assert first is not None
    return [count.counted() for count in counts], first
