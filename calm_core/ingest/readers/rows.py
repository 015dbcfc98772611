"""Rows of a UTF-8 text: those swallowed by a quotation mark are refused, those of another length counted or refused."""

import re
from collections import Counter

import pyarrow as pa

from calm_core.errors import DataError
from calm_core.ingest.table import pc
from calm_core.text import format_count


class BlankRemover:
    """Takes blanks out of a UTF-8 text that stand before the quotation mark of a cell; an empty block ends it.

    Examples
    --------
    >>> remove = BlankRemover(",")
    >>> remove(b'1, "x, y",2\\n2, ') + remove(b'"z"\\n') + remove(b"")
    b'1,"x, y",2\\n2,"z"\\n'
    """

    def __init__(self, separator: str):
        start = b"(" + re.escape(separator.encode()) + rb"|[\r\n])"
        self.blanks = re.compile(start + rb' +(?=")')
        self.open = re.compile(start + rb" *\Z")
        self.held = b""

    def __call__(self, block: bytes) -> bytes:
        """The part of the text so far."""
        text = self.held + block
        last = self.open.search(text) if block else None
        end = last.start() if last else len(text)
        self.held = text[end:]
        return self.blanks.sub(rb"\1", text[:end])


def check_quotes(rows: pa.RecordBatch, separator: str) -> None:
    """Refuse rows that a quotation mark has swallowed: it opens a cell, and nothing closes it.

    Examples
    --------
    >>> cells = pa.array(["x", "y\\n2,z"]).dictionary_encode()
    >>> check_quotes(pa.record_batch([cells, cells], names=["a", "b"]), ",")
    Traceback (most recent call last):
    calm_core.errors.DataError: a cell ('y\\n2,z') holds what looks like further rows; if the quotation mark before it quotes nothing, double it or take it out
    """
    whole_row = rf"[\r\n](?:[^\r\n]*{re.escape(separator)}){{{rows.num_columns - 1}}}"
    for column in rows.columns if rows.num_columns > 1 else ():
        texts = column.dictionary
        swallowed = texts.filter(pc.match_substring_regex(texts, whole_row))
        if len(swallowed):
            raise DataError(
                f"a cell ({swallowed[0].as_py()!r:.40}) holds what looks like further rows; if the quotation "
                "mark before it quotes nothing, double it or take it out"
            )


RAGGED_SHARE = 0.1
TOO_SHORT, TOO_LONG = "too few fields", "too many fields"


class RowLengths:
    """Counts rows by their number of fields; raises if too many have another one than `width`.

    Parameters
    ----------
    width : int
    leave_out : bool
        Whether all rows of another length are left out. Otherwise longer ones are refused, and more than a tenth
        of shorter ones.
    header : str
        What rows are longer or shorter than, in words.
    """

    def __init__(self, width: int, leave_out: bool, header: str):
        self.width, self.leave_out, self.header = width, leave_out, header
        self.rows = 0
        self.others: Counter[str] = Counter()
        self.firsts: dict[str, str] = {}

    def skip(self, row) -> str:
        """Count one of pyarrow's invalid rows, and have it left out; one of nothing but spaces is a blank line."""
        if row.text.strip():
            kind = TOO_LONG if row.actual_columns > self.width else TOO_SHORT
            self.others[kind] += 1
            fields = format_count(row.actual_columns, "field")
            where = f"row {row.number:,} of the file ({row.text.strip()!r:.40})"
            self.firsts.setdefault(kind, f"{where} has {fields} instead of {self.width:,}")
        return "skip"

    def add(self, rows: int) -> None:
        """Count rows of the right length."""
        self.rows += rows
        if self.others[TOO_LONG] and not self.leave_out:
            self._refuse(
                TOO_LONG,
                "put quotation marks around cells that hold the separator, or leave such rows out with "
                "ragged=leave_out",
            )

    def close(self) -> list[str]:
        """Notes about the rows left out; raises if they are too many."""
        every = self.rows + self.others.total()
        many = not self.leave_out and self.others[TOO_SHORT] > RAGGED_SHARE * every
        if self.others and (many or not self.rows):
            self._refuse(
                TOO_SHORT if self.others[TOO_SHORT] else TOO_LONG,
                "make all rows equally long, choose another separator, or leave a part out with ragged=leave_out",
            )
        return [f"The first row with {kind}: {first}." for kind, first in self.firsts.items()]

    def _refuse(self, kind: str, remedy: str) -> None:
        count, every = self.others.total(), self.rows + self.others.total()
        have = "has" if count == 1 else "have"
        raise DataError(
            f"{self.firsts[kind]}, and {count:,} of {every:,} rows {have} another length than {self.header}; {remedy}"
        )
