"""Counted: the distinct values of a column and how many rows hold each; all that decisions look at."""

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from calm_core.ingest.column import ColumnSchema
from calm_core.ingest.kernels import pc
from calm_core.ingest.table import Table, is_texts


@dataclass(frozen=True, eq=False)
class Counted:
    """One column of a table.

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
        Rows that hold an infinite number, where there are `numbers`.
    beyond : int
        Cells with other texts, that were too many to be kept.
    """

    name: str
    missing: int
    texts: pa.Array
    counts: np.ndarray
    numbers: np.ndarray | None = None
    infinite: int = 0
    beyond: int = 0

    @property
    def rows(self) -> int:
        """Cells that are not empty."""
        return int(self.counts.sum()) + self.infinite

    def base(self, kind: str = "category") -> ColumnSchema:
        """A column of which nothing is decided."""
        return ColumnSchema(self.name, kind, n_values=len(self.counts), n_missing=self.missing)

    def only(self, which: np.ndarray) -> "Counted":
        """The same with only some of the texts; the others are not counted anywhere."""
        return replace(self, texts=self.texts.filter(pa.array(which)), counts=self.counts[which])

    def most_frequent(self, most: int) -> "Counted":
        """The same with the most frequent texts only; ties go by text, whatever the order of rows."""
        if len(self.texts) <= most:
            return self
        pairs = pa.table({"rows": self.counts, "text": self.texts})
        keys = [("rows", "descending"), ("text", "ascending")]
        at = pc.select_k_unstable(pairs, most, keys)
        return replace(self, texts=self.texts.take(at), counts=self.counts[np.asarray(at)])


def count_column(table: Table, name: str) -> Counted:
    """The values of one column of a table.

    Examples
    --------
    >>> from calm_core.ingest.table import table_of
    >>> found = count_column(table_of({"sex": ["f", "m", None, "m"]}), "sex")
    >>> found.texts.to_pylist(), found.counts.tolist(), found.missing
    (['f', 'm'], [1, 2], 1)
    """
    column = table.data.column(table.position(name))
    if is_texts(column):
        return count_texts(name, table.texts(name))
    return count_numbers(name, np.asarray(column.cast(pa.float64())))


def count_texts(name: str, column: pa.DictionaryArray) -> Counted:
    """The values of a column of texts."""
    texts, indices = column.dictionary, column.indices
    if indices.null_count:
        indices = indices.drop_null()
    # A null inside the dictionary (emptied by trimming) is a missing cell too.
    counts = np.bincount(np.asarray(indices), minlength=len(texts))
    used = (counts > 0) & np.asarray(texts.is_valid())
    counts = counts[used]
    return Counted(name, len(column) - int(counts.sum()), texts.filter(pa.array(used)), counts)


def count_numbers(name: str, numbers: np.ndarray) -> Counted:
    """The values of a column of numbers; NaN is an empty cell."""
    missing = int(np.isnan(numbers).sum())
    plain = np.sort(numbers[np.isfinite(numbers)])
    starts = np.flatnonzero(np.append(len(plain) > 0, np.diff(plain) > 0))
    return Counted(
        name, missing, pa.array([], pa.string()), np.diff(np.append(starts, len(plain))),
        plain[starts], len(numbers) - missing - len(plain),
    )  # fmt: skip
