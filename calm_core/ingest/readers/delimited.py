"""CSV, TSV and their kin, through pyarrow's multi-threaded reader."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from calm_core.errors import DataError
from calm_core.ingest.limits import Limits
from calm_core.ingest.readers._base import Reader
from calm_core.ingest.readers.encoding import to_utf8
from calm_core.ingest.readers.sniff import Layout, sniff
from calm_core.ingest.table import ReadOptions
from calm_core.ingest.tidy import Raw

NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", " ": "space"}
SAMPLE_BYTES = 1 << 18
RAGGED_SHARE = 0.1
NO_ROWS = "the file holds column names and no rows; at least one row is needed"


def read_delimited(buffer: pa.Buffer, options: ReadOptions, limits: Limits) -> Raw:
    """Text with one row per line; every column as text."""
    content = memoryview(buffer)
    if not content.nbytes or not bytes(content[:65536]).strip():
        raise DataError("the file is empty; upload a table with a header and at least one row")
    content, encoding = to_utf8(content, options.encoding)
    content = memoryview(content)
    layout = sniff(first_lines(content), options)
    limits.check_shape(_count(content, 10) + 1 - layout.skip, layout.width)
    names, found = names_and_dialect(layout, options, encoding)
    body = content[_offset(content, layout.skip) :]
    if not bytes(body[:65536]).strip():
        raise DataError(NO_ROWS)
    table, left_out = read_rows(body, layout.width, layout.separator, lines_before=layout.skip)
    return Raw(names, table.columns, found, _notes(found, layout), left_out)


def names_and_dialect(
    layout: Layout, options: ReadOptions, encoding: str
) -> tuple[list[str], ReadOptions]:
    """Column names, numbered where the file has none, and the options with all that was found."""
    found = replace(
        options,
        encoding=encoding,
        separator=layout.separator,
        header=layout.names is not None,
        header_row=layout.preamble,
    )
    return list(layout.names or [f"column {i + 1}" for i in range(layout.width)]), found


def read_rows(
    body: memoryview,
    width: int,
    separator: str,
    *,
    lines_before: int,
    quote: str = '"',
    nulls: tuple[str, ...] = ("",),
) -> tuple[pa.Table, list[tuple[str, int]]]:
    """Rows of `width` fields as text columns; a few rows of another length are left out.

    Raises
    ------
    DataError
        If more than a tenth of the rows have another length, naming the first.
    """
    ragged, table = _parse(body, width, separator, quote, nulls)
    if not ragged:
        return table, []
    line, fields = _first_ragged(body, width, separator, quote, nulls)
    line += lines_before
    rows = ragged + table.num_rows
    where = f"line {line:,} has {fields} field{'s' * (fields != 1)} instead of {width}"
    if ragged > RAGGED_SHARE * rows:
        many = f", and {ragged:,} of {rows:,} rows are like that" if ragged > 1 else ""
        raise DataError(f"{where}{many}; make all rows equally long or choose another separator")
    return table, [(f"a wrong number of fields (first: {where})", ragged)]


def first_lines(content: memoryview) -> str:
    """The first lines as text, cut after the last whole line."""
    head = bytes(content[:SAMPLE_BYTES])
    if len(head) < content.nbytes:
        head = head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1] or head
    return head.decode("utf-8", errors="replace")


def _count(content: memoryview, byte: int) -> int:
    """How often a byte occurs, counted in steps so that no large copy is made."""
    data, step = np.frombuffer(content, dtype=np.uint8), 1 << 22
    return sum(int(np.count_nonzero(data[i : i + step] == byte)) for i in range(0, len(data), step))


def _offset(content: memoryview, lines: int) -> int:
    """Byte at which the line after `lines` lines starts, for any kind of line end."""
    head, at = bytes(content[: 4 * SAMPLE_BYTES]), 0
    for _ in range(lines):
        ends = [e for e in (head.find(b"\n", at), head.find(b"\r", at)) if e >= 0]
        if not ends:
            return len(head)
        end = min(ends)
        at = end + (2 if head[end : end + 2] == b"\r\n" else 1)
    return at


def _parse(body, width, separator, quote, nulls, *, threads=True, on_ragged=None):
    """How many rows had a wrong number of fields, and the others as a table of text."""
    from pyarrow import csv

    ragged = []
    block = 1 << (20 if body.nbytes < 1 << 24 else 24)
    options = csv_options(
        width, separator, ragged.append, quote=quote, nulls=nulls, block=block, threads=threads,
        newlines=_count(body, ord(quote)) > 0,
    )  # fmt: skip
    try:
        table = csv.read_csv(pa.BufferReader(pa.py_buffer(body)), **options)
    except pa.ArrowInvalid as error:
        raise DataError(parse_sentence(str(error))) from error
    if on_ragged:
        on_ragged(ragged)
    return len(ragged), table


def csv_options(
    width: int,
    separator: str,
    on_ragged,
    *,
    quote: str = '"',
    nulls: tuple[str, ...] = ("",),
    block: int = 1 << 24,
    threads: bool = True,
    newlines: bool = True,
    **read,
) -> dict:
    """Arguments for pyarrow's readers: all columns as text, rows of another length reported."""
    from pyarrow import csv

    def leave_out(row):
        on_ragged((row.number, row.actual_columns))
        return "skip"

    names = [str(i) for i in range(width)]
    text = pa.dictionary(pa.int32(), pa.string())
    return {
        "read_options": csv.ReadOptions(
            column_names=names, use_threads=threads, block_size=block, **read
        ),
        "parse_options": csv.ParseOptions(
            delimiter=separator,
            quote_char=quote,
            newlines_in_values=newlines,
            invalid_row_handler=leave_out,
        ),
        "convert_options": csv.ConvertOptions(
            column_types=dict.fromkeys(names, text),
            null_values=list(nulls),
            strings_can_be_null=True,
        ),
    }


def _first_ragged(body, width, separator, quote, nulls) -> tuple[int, int]:
    """Line and number of fields of the first row of another length."""
    found = []
    _parse(body, width, separator, quote, nulls, threads=False, on_ragged=found.extend)
    return found[0]


def parse_sentence(message: str) -> str:
    """What a parser's message means, in a sentence."""
    if "straddl" in message or "out of sync" in message:
        return "a quotation mark is opened and never closed; mend the file or save it again"
    if "Empty CSV" in message:
        return NO_ROWS
    return f"the file cannot be read as a table ({message.splitlines()[0]:.120})"


def _notes(found: ReadOptions, layout: Layout) -> list[str]:
    notes = [
        f"Text encoding: {found.encoding.upper()}; separator: "
        f"{NAMES.get(found.separator, repr(found.separator))}; "
        + ("first row taken as column names." if found.header else "no column names found.")
    ]
    if layout.preamble:
        notes.append(f"{layout.preamble} line(s) before the table were skipped.")
    return notes


DELIMITED = Reader(
    "CSV", (".csv", ".tsv", ".txt", ".tab"), lambda head, name, options: True, read_delimited
)
