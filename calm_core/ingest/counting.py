"""Counts of the values of columns; a streamed file is counted in parts, in bounded memory."""

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from calm_core.ingest.binning import with_missing_texts
from calm_core.ingest.normalize_table import numbers_if_many, texts_if_few
from calm_core.ingest.schema import ColumnSchema
from calm_core.ingest.table import (
    UNDESCRIBED,
    ColumnDescription,
    Table,
    as_texts,
    is_texts,
    pc,
)


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Distinct values of one column and how often each occurs.

    Attributes
    ----------
    name : str
    missing : int
        Empty cells.
    texts, counts : arrays
        Distinct texts and their rows.
    numbers : ndarray or None
        Distinct numbers, ascending, instead of texts where the table keeps the column as numbers.
    infinite : int
        Rows with an infinite number, if there are `numbers`.
    beyond : int
        Cells with other texts, that were too many to be kept.
    description : ColumnDescription
        What the file says about the column.
    """

    name: str
    missing: int
    texts: pa.Array
    counts: np.ndarray
    numbers: np.ndarray | None = None
    infinite: int = 0
    beyond: int = 0
    description: ColumnDescription = UNDESCRIBED

    @property
    def rows(self) -> int:
        """Number of cells that are not empty."""
        return int(self.counts.sum()) + self.infinite

    def new_column(self, kind: str = "category") -> ColumnSchema:
        """A ColumnSchema with the title that the file gives, and nothing decided yet."""
        return ColumnSchema(
            self.name, kind, n_values=len(self.counts), n_missing=self.missing,
            title=self.description.title,
        )  # fmt: skip

    def column_without(self, kind: str, which: np.ndarray) -> ColumnSchema:
        """A ColumnSchema in which some of the texts count as missing."""
        part = self.select(which)
        return with_missing_texts(
            self.new_column(kind), part.texts.to_pylist(), part.counts.tolist()
        )

    def select(self, which: np.ndarray) -> "ValueCounts":
        """The counts of some of the texts only."""
        return replace(self, texts=self.texts.filter(pa.array(which)), counts=self.counts[which])

    def matches(self, pattern: str) -> np.ndarray:
        """Which texts hold a regular expression."""
        return np.asarray(pc.match_substring_regex(self.texts, pattern))

    def share(self, pattern: str) -> float:
        """Share of the texts that hold a regular expression."""
        return float(self.matches(pattern).mean())

    def most_frequent(self, most: int) -> "ValueCounts":
        """The counts of the most frequent texts only; ties are broken by text."""
        if len(self.texts) <= most:
            return self
        pairs = pa.table({"rows": self.counts, "text": self.texts})
        keys = [("rows", "descending"), ("text", "ascending")]
        at = pc.select_k_unstable(pairs, most, keys)
        return replace(self, texts=self.texts.take(at), counts=self.counts[np.asarray(at)])


def count_column(table: Table, name: str) -> ValueCounts:
    """The values of one column of a table.

    Examples
    --------
    >>> from calm_core.ingest.table import make_table
    >>> found = count_column(make_table({"sex": ["f", "m", None, "m"]}), "sex")
    >>> found.texts.to_pylist(), found.counts.tolist(), found.missing
    (['f', 'm'], [1, 2], 1)
    """
    column = table.data.column(table.position(name))
    if is_texts(column):
        found = count_texts(name, table.texts(name))
    else:
        found = count_numbers(name, np.asarray(column.cast(pa.float64())))
    return replace(found, description=table.describe(name))


def count_texts(name: str, column: pa.DictionaryArray) -> ValueCounts:
    """The values of a column of texts."""
    texts, indices = column.dictionary, column.indices
    if indices.null_count:
        indices = indices.drop_null()
    # A null inside the dictionary (emptied by trimming) is a missing cell too.
    counts = np.bincount(np.asarray(indices), minlength=len(texts))
    used = (counts > 0) & np.asarray(texts.is_valid())
    counts = counts[used]
    return ValueCounts(name, len(column) - int(counts.sum()), texts.filter(pa.array(used)), counts)


def count_numbers(name: str, numbers: np.ndarray) -> ValueCounts:
    """The values of a column of numbers; NaN is an empty cell."""
    missing = int(np.isnan(numbers).sum())
    plain = np.sort(numbers[np.isfinite(numbers)])
    starts = np.flatnonzero(np.append(len(plain) > 0, np.diff(plain) > 0))
    return ValueCounts(
        name, missing, pa.array([], pa.string()), np.diff(np.append(starts, len(plain))),
        plain[starts], len(numbers) - missing - len(plain),
    )  # fmt: skip


PENDING = 1 << 20  # values collected before equal ones are summed
MAX_TEXTS = 1 << 20  # distinct texts kept of a column; other cells are only counted
MAX_NUMBERS = 1 << 22  # distinct numbers kept; with more of them neighbors are merged


class ColumnCounter:
    """Counts the values of one column part by part.

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
            found = count_texts(self.name, as_texts(column))
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
        sums = pa.concat_tables(self.texts).group_by("text", use_threads=False)
        sums = sums.aggregate([("rows", "sum")]).rename_columns(["text", "rows"]).combine_chunks()
        if len(sums) > MAX_TEXTS:
            numbers = numbers_if_many(_combine_chunks(sums["text"]))
            if numbers is not None:
                self.numbers.append((np.asarray(numbers), np.asarray(sums["rows"])))
                self._add_up_numbers()
                sums = sums.slice(0, 0)
            else:
                # The first ones are kept, in order of appearance.
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

    def to_counts(self) -> ValueCounts:
        """The counts, as for a table read whole."""
        if self.texts:
            self._add_up_texts()
        texts = _combine_chunks(self.texts[0]["text"]) if self.texts else pa.array([], pa.string())
        rows = np.asarray(self.texts[0]["rows"]) if self.texts else np.zeros(0, np.int64)
        if self.numbers and len(texts):
            numbers = pa.array(np.asarray(texts.cast(pa.float64())))
        else:
            numbers = numbers_if_many(texts)
        if numbers is not None:
            self.numbers.append((np.asarray(numbers), rows))
        if not self.numbers:
            return ValueCounts(self.name, self.missing, texts, rows, beyond=self.beyond)
        self._add_up_numbers()
        values, rows = self.numbers[0]
        few = texts_if_few(pa.array(values))
        if few is not None:
            return ValueCounts(self.name, self.missing, few, rows)
        finite = np.isfinite(values)
        infinite = int(rows[~finite].sum())
        none = pa.array([], pa.string())
        return ValueCounts(self.name, self.missing, none, rows[finite], values[finite], infinite)


def _combine_chunks(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def count_tables(tables) -> tuple[list[ValueCounts], Table]:
    """Counts of all columns of a table that comes in parts, and its first part."""
    first, counts = None, []
    for table in tables:
        if first is None:
            first, counts = table, [ColumnCounter(name) for name in table.names]
        for count in counts:
            if table.n:
                count.add(table.data.column(table.position(count.name)))
    assert first is not None
    found = [replace(c.to_counts(), description=first.describe(c.name)) for c in counts]
    return found, first
