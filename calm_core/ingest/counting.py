"""Counts of the values of columns; a streamed file is counted in parts, in bounded memory."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np
import pyarrow as pa

from calm_core.ingest.schema import ColumnSchema
from calm_core.ingest.table import UNDESCRIBED, ColumnDescription, Table, pc


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
    unlisted : int
        Cells with other texts, that were too many to be kept.
    marked : dict of str to int
        Rows of each text that counts as missing.
    description : ColumnDescription
        What the file says about the column.
    """

    name: str
    missing: int
    texts: pa.Array
    counts: np.ndarray
    unlisted: int = 0
    marked: Mapping[str, int] = field(default_factory=dict)
    description: ColumnDescription = UNDESCRIBED

    @property
    def rows(self) -> int:
        """Number of cells that are not empty."""
        return int(self.counts.sum())

    def new_column(self, kind: str = "category") -> ColumnSchema:
        """A ColumnSchema with the title that the file gives, and nothing decided yet."""
        order = sorted(self.marked, key=lambda text: (-self.marked[text], text))
        return ColumnSchema(
            self.name, kind, n_values=len(self.counts),
            n_missing=self.missing + sum(self.marked.values()), missing_texts=tuple(order),
            missing_counts=tuple(self.marked[text] for text in order), title=self.description.title,
        )  # fmt: skip

    def mark(self, which: np.ndarray) -> "ValueCounts":
        """The counts with some of the texts counted as missing."""
        part = self.select(which)
        marked = dict(zip(part.texts.to_pylist(), part.counts.tolist()))
        return replace(self.select(~which), marked={**self.marked, **marked})

    def select(self, which: np.ndarray) -> "ValueCounts":
        """The counts of some of the texts only."""
        return replace(self, texts=self.texts.filter(pa.array(which)), counts=self.counts[which])

    def matches(self, pattern: str) -> np.ndarray:
        """Which texts hold a regular expression."""
        return np.asarray(pc.match_substring_regex(self.texts, pattern))

    def share(self, pattern: str) -> float:
        """Share of the texts that hold a regular expression."""
        return float(self.matches(pattern).mean())

    def rank(self, limit: int) -> np.ndarray:
        """Positions of the most frequent texts; ties are broken by text, so the order of rows does not matter."""
        pairs = pa.table({"rows": self.counts, "text": self.texts})
        keys = [("rows", "descending"), ("text", "ascending")]
        return np.asarray(pc.select_k_unstable(pairs, min(limit, len(pairs)), keys))

    def take(self, at: np.ndarray) -> "ValueCounts":
        """The counts of the texts at these positions, in this order."""
        return replace(self, texts=self.texts.take(pa.array(at)), counts=self.counts[at])

    def most_frequent(self, limit: int) -> "ValueCounts":
        """The counts of the most frequent texts only."""
        return self if len(self.texts) <= limit else self.take(self.rank(limit))


def count_column(table: Table, name: str) -> ValueCounts:
    """The values of one column of a table.

    Examples
    --------
    >>> from calm_core.ingest.table import make_table
    >>> found = count_column(make_table({"sex": ["f", "m", None, "m"]}), "sex")
    >>> found.texts.to_pylist(), found.counts.tolist(), found.missing
    (['f', 'm'], [1, 2], 1)
    """
    column = table.texts(name)
    texts, indices = column.dictionary, column.indices
    if indices.null_count:
        indices = indices.drop_null()
    # A null inside the dictionary (emptied by trimming) is a missing cell too.
    counts = np.bincount(np.asarray(indices), minlength=len(texts))
    used = (counts > 0) & np.asarray(texts.is_valid())
    counts = counts[used]
    missing, texts = len(column) - int(counts.sum()), texts.filter(pa.array(used))
    return ValueCounts(name, missing, texts, counts, description=table.describe(name))


PENDING = 1 << 20  # values collected before equal ones are summed
MAX_TEXTS = 1 << 20  # distinct texts kept of a column; other cells are only counted


class ColumnCounter:
    """Counts the values of one column part by part.

    Attributes
    ----------
    unlisted : int
        Cells whose text is not among those kept.
    """

    def __init__(self, name: str):
        self.name, self.missing, self.unlisted = name, 0, 0
        self.parts: list[pa.Table] = []

    def add(self, table: Table) -> None:
        """Count one part."""
        counts = count_column(table, self.name)
        self.missing += counts.missing
        self.parts.append(pa.table({"text": counts.texts, "rows": counts.counts}))
        if sum(map(len, self.parts)) > PENDING:
            self._add_up()

    def _add_up(self) -> None:
        """Sum equal texts, and keep the first ones in order of appearance."""
        limit = max(MAX_TEXTS, len(self.parts[0]))
        sums = pa.concat_tables(self.parts).group_by("text", use_threads=False)
        sums = sums.aggregate([("rows", "sum")]).rename_columns(["text", "rows"])
        self.unlisted += int(np.asarray(sums["rows"])[limit:].sum())
        self.parts = [sums.slice(0, limit).combine_chunks()]

    def to_counts(self) -> ValueCounts:
        """The counts, as for a table read whole."""
        self._add_up()
        texts, rows = self.parts[0]["text"].combine_chunks(), np.asarray(self.parts[0]["rows"])
        return ValueCounts(self.name, self.missing, texts, rows, unlisted=self.unlisted)


def count_tables(tables: Iterator[Table]) -> tuple[list[ValueCounts], Table]:
    """Counts of all columns of a table that comes in parts, and its first part."""
    first = next(tables)
    counts = [ColumnCounter(name) for name in first.names]
    for table in chain([first], tables):
        for count in counts:
            count.add(table)
    totals = [replace(c.to_counts(), description=first.describe(c.name)) for c in counts]
    return totals, first
