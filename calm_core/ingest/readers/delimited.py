"""CSV, TSV and their kin, through pyarrow's multi-threaded reader."""

from dataclasses import replace

import pyarrow as pa

from calm_core.errors import DataError
from calm_core.ingest.limits import Limits
from calm_core.ingest.readers._base import Reader
from calm_core.ingest.readers.encoding import to_utf8
from calm_core.ingest.readers.rows import LINE_END, Rows, offset_of
from calm_core.ingest.readers.sniff import Layout, sniff
from calm_core.ingest.table import ReadOptions
from calm_core.ingest.tidy import Raw

NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", " ": "space"}
SAMPLE_BYTES = 1 << 18


def read_delimited(buffer: pa.Buffer, options: ReadOptions, limits: Limits) -> Raw:
    """Text with one row per line; every column as text."""
    content = memoryview(buffer)
    if not content.nbytes or not bytes(content[:65536]).strip():
        raise DataError("the file is empty; upload a table with a header and at least one row")
    content, encoding, notes = to_utf8(content, options)
    layout = layout_at(content, options)
    names, found = names_and_dialect(layout, options, encoding)
    rows = Rows(
        content[offset_of(content, layout.skip) :], layout.width, layout.separator,
        lines_before=layout.skip, ragged=options.ragged,
        header="the header" if found.header else "most rows",
    )  # fmt: skip
    limits.check_shape(rows.at_least, layout.width)
    table, left_out = rows.read()
    notes = [how_read(found), *layout.notes("line"), *notes, *rows.notes]
    return Raw(names, table.columns, found, notes, left_out)


def layout_at(content: memoryview, options: ReadOptions) -> Layout:
    """The layout of a text in UTF-8, judged from its first lines."""
    before = options.header_row or 0
    start = offset_of(content, before)
    if before and start >= content.nbytes:
        raise DataError(
            f"header_row ({before:,}) must be less than the number of lines of the file; choose fewer"
        )
    return sniff(first_lines(content[start:]), options, before=before)


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


def first_lines(content: memoryview) -> str:
    """The first lines as text; the last of them is whole, however long it is."""
    end = SAMPLE_BYTES
    if content.nbytes > end:
        found = LINE_END.search(content, end)
        end = found.end() if found else content.nbytes
    return bytes(content[:end]).decode("utf-8", errors="replace")


def how_read(found: ReadOptions) -> str:
    """Encoding, separator and names in a sentence."""
    return (
        f"Text encoding: {found.encoding.upper()}; separator: "
        f"{NAMES.get(found.separator, repr(found.separator))}; "
        + ("first row taken as column names." if found.header else "no column names found.")
    )


DELIMITED = Reader(
    "CSV", (".csv", ".tsv", ".txt", ".tab"), lambda head, name, options: True, read_delimited
)
