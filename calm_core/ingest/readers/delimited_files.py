"""CSV, TSV and similar text, by pyarrow's reader; rows swallowed by a quotation mark or of another length are refused."""

import codecs
import re
from collections import Counter
from collections.abc import Iterator

import pyarrow as pa

from calm_core.errors import DataError, lacks_memory
from calm_core.ingest.limits import Limits
from calm_core.ingest.normalize_table import Raw
from calm_core.ingest.readers.base import FORMAT_OPTIONS, Reader, join_batches, open_unpacked
from calm_core.ingest.readers.encoding import Utf8Stream, choose_encoding, page_notes
from calm_core.ingest.readers.sniff import Layout, detect_layout
from calm_core.ingest.table import ReadOptions, pc
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


NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", " ": "space"}
# Texts, each distinct one once.
TEXTS = pa.dictionary(pa.int32(), pa.string())
SAMPLE_BYTES = 1 << 18
# Bytes of text parsed at a time. Arrow reads 32 blocks ahead, and no row may be longer than one.
MIN_BLOCK, MAX_BLOCK = 1 << 20, 1 << 22


def read_delimited(buffer: pa.Buffer, options: ReadOptions, limits: Limits) -> Raw:
    """Columns of a delimited text file, all as text."""
    encoding = choose_encoding(memoryview(buffer).cast("B"), options)
    return join_batches(_parse(buffer, options, limits, encoding), limits)


def delimited_batches(
    buffer: pa.Buffer, options: ReadOptions, limits: Limits, *, names: list[str] | None, rows: int
) -> Iterator[Raw]:
    """The columns in blocks; the encoding is detected from the first lines."""
    encoding = choose_encoding(memoryview(_head(buffer, options)[0]), options)
    return _parse(buffer, options, limits, encoding)


def _parse(buffer: pa.Buffer, options: ReadOptions, limits: Limits, encoding: str) -> Iterator[Raw]:
    """The columns in blocks, their layout detected from the first lines; the last block has no rows."""
    from pyarrow import csv

    try:
        head, longest = _head(buffer, options)
        # Incremental, because the head may end within a character.
        text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(head)
        layout = detect_layout(text.removeprefix("\ufeff"), options)
        limits.check_shape(1, layout.width)
        dialect = layout.dialect(options, encoding=encoding, separator=layout.separator)
        notes = describe_reading(encoding, layout) + page_notes(memoryview(head), encoding, options)
        titles = layout.descriptions()
        decoded = Utf8Stream(encoding, cut_blank_end=layout.width == 1)
        remove = BlankRemover(layout.separator)
        header = "the header" if layout.names else "most rows"
        lengths = RowLengths(layout.width, options.ragged == "leave_out", header)
        plain = pa.TransformInputStream(open_unpacked(buffer), lambda part: remove(decoded(part)))
        block = min(max(MIN_BLOCK, 64 * longest), MAX_BLOCK)
        for batch in csv.open_csv(plain, **_csv_options(layout, lengths, block)):
            lengths.add(batch.num_rows)
            check_quotes(batch, layout.separator)
            yield Raw(layout.columns, batch.columns, dialect, notes, descriptions=titles)
            notes = []
        notes += lengths.close()
        none = [pa.array([], TEXTS)] * layout.width
        yield Raw(
            layout.columns, none, dialect, notes, [*lengths.others.items()], descriptions=titles
        )
    except (pa.ArrowInvalid, OSError, UnicodeError) as error:
        if lacks_memory(error):
            raise MemoryError(str(error)) from error
        raise DataError(_explain(str(error))) from error


def _csv_options(layout: Layout, lengths: RowLengths, block: int) -> dict:
    """Arguments for pyarrow's reader: all columns as text, rows of another length counted."""
    from pyarrow import csv

    names = [str(i) for i in range(layout.width)]
    return {
        "read_options": csv.ReadOptions(
            column_names=names, block_size=block, skip_rows=layout.skip, use_threads=False
        ),
        "parse_options": csv.ParseOptions(
            delimiter=layout.separator,
            newlines_in_values=True,
            # A blank line among the rows of a single column is an empty cell.
            ignore_empty_lines=layout.width > 1,
            invalid_row_handler=lengths.skip,
        ),
        "convert_options": csv.ConvertOptions(
            column_types=dict.fromkeys(names, TEXTS),
            null_values=[""],
            strings_can_be_null=True,
        ),
    }


def _explain(message: str) -> str:
    """A plain message for an error of the parser."""
    if "straddl" in message or "out of sync" in message:
        return (
            "a row is too long to be read (perhaps a quotation mark is opened and never closed); "
            "fix the file or save it again"
        )
    if "Empty CSV" in message:
        return "the file holds column names and no rows; at least one row is needed"
    return f"the file cannot be read as a table ({message.splitlines()[0]:.120})"


def _head(buffer: pa.Buffer, options: ReadOptions) -> tuple[bytes, int]:
    """Whole lines from the start of the file, those above the table and a sample below; and the longest line."""
    size = SAMPLE_BYTES + 1000 * (options.header_row or 0)
    head = bytes(open_unpacked(buffer).read(size))
    longest = max(map(len, head.split(b"\n")))
    return (head[: head.rfind(b"\n") + 1] or head if len(head) == size else head), longest


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
