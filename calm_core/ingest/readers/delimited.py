"""CSV, TSV and their kin, through pyarrow's multi-threaded reader."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from calm_core.errors import DataError
from calm_core.ingest.limits import Limits
from calm_core.ingest.readers._base import Reader
from calm_core.ingest.readers.encoding import detect_encoding, to_utf8
from calm_core.ingest.readers.sniff import Layout, sniff
from calm_core.ingest.table import ReadOptions
from calm_core.ingest.tidy import Raw

NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", " ": "space"}
SAMPLE_BYTES = 1 << 18
RAGGED_SHARE = 0.1


def read_delimited(buffer: pa.Buffer, options: ReadOptions, limits: Limits) -> Raw:
    """Text with one row per line; every column as text."""
    content = memoryview(buffer)
    if not content.nbytes or not bytes(content[:65536]).strip():
        raise DataError("the file is empty; upload a table with a header and at least one row")
    encoding = options.encoding or detect_encoding(content)
    content = memoryview(to_utf8(content, encoding))
    sample = _sample(content)
    layout = sniff(sample, options)
    limits.check_shape(_count(content, 10) + 1 - layout.skip, layout.width)
    found = replace(
        options,
        encoding=encoding,
        separator=layout.separator,
        header=layout.names is not None,
        header_row=layout.preamble,
    )
    names = list(layout.names or [f"column {i + 1}" for i in range(layout.width)])
    if not bytes(content[_offset(content, layout.skip) :][:65536]).strip():
        raise DataError("the file holds column names and no rows; at least one row is needed")
    table, ragged = _parse(content, layout)
    left_out = []
    if ragged:
        line, fields = _first_ragged(content, layout)
        where = f"line {line:,} has {fields} field{'s' * (fields != 1)} instead of {layout.width}"
        if ragged > RAGGED_SHARE * (ragged + table.num_rows):
            raise DataError(
                f"{where}, and so do {ragged:,} of {ragged + table.num_rows:,} rows; "
                "make all rows equally long or choose another separator"
                if ragged > 1
                else f"{where}; make all rows equally long or choose another separator"
            )
        left_out.append((f"a wrong number of fields (first: {where})", ragged))
    return Raw(names, table.columns, found, _notes(found, layout), left_out)


def _sample(content: memoryview) -> str:
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


def _parse(content: memoryview, layout: Layout, *, threads: bool = True, on_ragged=None):
    """The table as text columns, and how many rows had a wrong number of fields."""
    from pyarrow import csv

    ragged = [0]

    def leave_out(row):
        ragged[0] += 1
        return on_ragged(row) if on_ragged else "skip"

    names = [str(i) for i in range(layout.width)]
    body = content[_offset(content, layout.skip) :]
    text = pa.dictionary(pa.int32(), pa.string())
    try:
        table = csv.read_csv(
            pa.BufferReader(pa.py_buffer(body)),
            read_options=csv.ReadOptions(
                column_names=names, use_threads=threads, block_size=_block_size(body)
            ),
            parse_options=csv.ParseOptions(
                delimiter=layout.separator,
                newlines_in_values=_count(body, 34) > 0,
                invalid_row_handler=leave_out,
            ),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, text),
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
    except pa.ArrowInvalid as error:
        raise DataError(_sentence(str(error))) from error
    return table, ragged[0]


def _block_size(body: memoryview) -> int:
    return 1 << 20 if body.nbytes < 1 << 24 else 1 << 24


def _first_ragged(content: memoryview, layout: Layout) -> tuple[int, int]:
    """Line number and number of fields of the first row with a wrong number of fields."""
    found = []

    def keep_first(row):
        found.append((layout.skip + (row.number or 0), row.actual_columns))
        return "skip"

    _parse(content, layout, threads=False, on_ragged=keep_first)
    return found[0]


def _sentence(message: str) -> str:
    if "straddl" in message or "out of sync" in message:
        return "a quotation mark is opened and never closed; mend the file or save it again"
    if "Empty CSV" in message:
        return "the file holds column names and no rows; at least one row is needed"
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
