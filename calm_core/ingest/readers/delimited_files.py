"""CSV, TSV and similar text, by pyarrow's reader."""

import codecs
from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa

from calm_core.errors import DataError, lacks_memory
from calm_core.ingest.limits import Limits
from calm_core.ingest.normalize_table import Raw
from calm_core.ingest.readers.base import FORMAT_OPTIONS, Reader, open_unpacked
from calm_core.ingest.readers.encoding import (
    Utf8Stream,
    choose_encoding,
    page_notes,
    replacement_note,
    to_utf8,
)
from calm_core.ingest.readers.rows import (
    LINE_END,
    QuoteRepair,
    RowLengths,
    RowReader,
    csv_options,
    describe_length,
    find_line_start,
    parse_sentence,
)
from calm_core.ingest.readers.sniff import Layout, detect_layout
from calm_core.ingest.table import ReadOptions

NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", " ": "space"}
SAMPLE_BYTES = 1 << 18
# Bytes of text parsed at a time. Arrow reads 32 blocks ahead, and no row may be longer than one.
MIN_BLOCK, MAX_BLOCK = 1 << 20, 1 << 22


def read_delimited(buffer: pa.Buffer, options: ReadOptions, limits: Limits) -> Raw:
    """Columns of a delimited text file, all as text."""
    content = memoryview(buffer)
    if not content.nbytes or not bytes(content[:65536]).strip():
        raise DataError("the file is empty; upload a table with a header and at least one row")
    content, encoding, notes = to_utf8(content, options)
    layout = layout_at(content, options)
    names, found = names_and_dialect(layout, options, encoding)
    quotes = QuoteRepair(layout.separator, lines=layout.skip)
    body = memoryview(quotes.repair(content[find_line_start(content, layout.skip) :]))
    rows = RowReader(
        body, layout.width, layout.separator,
        lines_before=layout.skip, ragged=options.ragged,
        header="the header" if found.header else "most rows",
    )  # fmt: skip
    limits.check_shape(rows.at_least, layout.width)
    table, left_out = rows.read()
    notes = [*describe_reading(encoding, layout), *notes, *quotes.note, *rows.notes]
    return Raw(names, table.columns, found, notes, left_out, descriptions=layout.descriptions())


def delimited_batches(
    buffer: pa.Buffer, options: ReadOptions, limits: Limits, *, names: list[str] | None, rows: int
) -> Iterator[Raw]:
    """The columns in blocks; the layout is detected from the first lines."""
    try:
        head = _head(buffer, options)
        encoding = choose_encoding(memoryview(head[: head.rfind(b"\n") + 1] or head), options)
        # Incremental, because the head may end within a character.
        text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(head).encode()
        layout = layout_at(memoryview(text[: text.rfind(b"\n") + 1] or text), options)
        limits.check_shape(1, layout.width)
        labels, dialect = names_and_dialect(layout, options, encoding)
        notes = describe_reading(encoding, layout)
        notes += page_notes(memoryview(head), encoding, options)
        longest = max(map(len, text.split(b"\n")))
        block = min(max(MIN_BLOCK, 64 * longest), MAX_BLOCK)
        for columns, said, left_out in _blocks(buffer, layout, encoding, options, block):
            yield Raw(
                labels, columns, dialect, notes + said, left_out,
                descriptions=layout.descriptions(),
            )  # fmt: skip
            notes = []
    except (pa.ArrowInvalid, OSError, UnicodeError) as error:
        if lacks_memory(error):
            raise MemoryError(str(error)) from error
        raise DataError(parse_sentence(str(error))) from error


def _blocks(
    buffer: pa.Buffer, layout: Layout, encoding: str, options: ReadOptions, block: int
) -> Iterator:
    """Columns, notes and left-out rows of each block; the last has no rows."""
    from pyarrow import csv

    one = layout.width == 1
    decoded = Utf8Stream(encoding, options, cut_blank_end=one)
    quotes = QuoteRepair(layout.separator)
    found, firsts = [], {}
    lengths = RowLengths(
        layout.width, options.ragged, "the header" if layout.names else "most rows"
    )

    def first(shorter: bool) -> str:
        return f"a row {describe_length(firsts[shorter], layout.width)}"

    def left_out(rows: int) -> list[tuple[str, int]]:
        for row in found:
            firsts.setdefault(row.actual_columns < layout.width, row)
        counted = lengths.add(rows, found, first)
        found.clear()
        return counted

    arguments = csv_options(
        layout.width, layout.separator, found.append, skip_rows=layout.skip, skip_blank=not one,
        block=block,
    )  # fmt: skip
    text = pa.TransformInputStream(open_unpacked(buffer), lambda part: quotes(decoded(part)))
    for batch in csv.open_csv(text, **arguments):
        yield batch.columns, [], left_out(batch.num_rows)
    rest = left_out(0)
    lengths.account(first)
    said = [replacement_note(decoded.bad, encoding)] * bool(decoded.bad) + quotes.note
    yield [pa.array([], pa.string())] * layout.width, said, rest


def _head(buffer: pa.Buffer, options: ReadOptions) -> bytes:
    """The first bytes: all lines above the table and a sample below."""
    source, head = open_unpacked(buffer), b""
    while True:
        head += bytes(source.read(SAMPLE_BYTES))
        more = len(head) - find_line_start(memoryview(head), options.header_row or 0)
        if more >= SAMPLE_BYTES or not (block := bytes(source.read(SAMPLE_BYTES))):
            return head
        head += block


def layout_at(content: memoryview, options: ReadOptions) -> Layout:
    """The layout of a UTF-8 text, detected from its first lines."""
    before = options.header_row or 0
    start = find_line_start(content, before)
    if before and start >= content.nbytes:
        raise DataError(
            f"header_row ({before:,}) must be less than the number of lines of the file; choose fewer"
        )
    content, end = content[start:], SAMPLE_BYTES
    if content.nbytes > end:
        # To the end of the line.
        found = LINE_END.search(content, end)
        end = found.end() if found else content.nbytes
    text = bytes(content[:end]).decode("utf-8", errors="replace")
    return detect_layout(text, options, before=before)


def names_and_dialect(
    layout: Layout, options: ReadOptions, encoding: str
) -> tuple[list[str], ReadOptions]:
    """Column names, numbered if the file has none, and the options with all that was detected."""
    found = replace(
        options,
        encoding=encoding,
        separator=layout.separator,
        header=layout.names is not None,
        header_row=layout.preamble,
        header_rows=layout.header_rows or None,
    )
    return list(layout.names or [f"column {i + 1}" for i in range(layout.width)]), found


def describe_reading(encoding: str, layout: Layout) -> list[str]:
    """Sentences about encoding, separator and column names, and about the layout."""
    separator = NAMES.get(layout.separator, repr(layout.separator))
    names = "no column names found." if layout.names is None else "first row taken as column names."
    reading = f"Text encoding: {encoding.upper()}; separator: {separator}; {names}"
    return [reading, *layout.notes("line")]


DELIMITED = Reader(
    "CSV",
    (".csv", ".tsv", ".txt", ".tab"),
    lambda head, name, options: True,
    read_delimited,
    delimited_batches,
    FORMAT_OPTIONS - {"sheet"},
)
