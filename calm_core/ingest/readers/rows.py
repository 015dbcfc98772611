"""Rows of a text file in UTF-8, through pyarrow: none is shifted, swallowed or dropped unsaid."""

import csv as standard_csv
import io
import itertools
import re
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from calm_core.errors import DataError
from calm_core.ingest.readers.lengths import Lengths, fields_instead

STEP_BYTES = 1 << 22
LARGEST_BLOCK = (1 << 31) - 1
LINE_END = re.compile(rb"\r\n|\n|\r")
NO_ROWS = "the file holds column names and no rows; at least one row is needed"


@dataclass
class Rows:
    """The rows of `body`, each of `width` fields.

    Attributes
    ----------
    lines_before : int
        Lines of the file above `body`.
    ragged : str or None
        As in `ReadOptions`.
    header : str
        What rows are longer or shorter than, in words.
    blank_is_missing : bool
        Whether a blank line among the rows of a single column is an empty cell; blank lines are
        skipped and counted otherwise.
    notes : list of str
        What was skipped.
    """

    body: memoryview
    width: int
    separator: str
    lines_before: int = 0
    ragged: str | None = None
    header: str = "the header"
    quote: str = '"'
    nulls: tuple[str, ...] = ("",)
    blank_is_missing: bool = True
    notes: list[str] = field(default_factory=list)

    def read(self) -> tuple[pa.Table, list[tuple[str, int]]]:
        """The rows as text columns, and how many were left out for what reason.

        Raises
        ------
        DataError
            If rows are longer than `width`, more than a tenth of them shorter (unless `ragged` says
            what to do), or a quotation mark is never closed.
        """
        one = self.width == 1 and self.blank_is_missing
        blank = self._cut_blank_end() if one else 0
        if not bytes(self.body[:65536]).strip():
            raise DataError(NO_ROWS)
        table, ragged = self._parse(skip_blank=not one)
        self._check_quotes(table, ragged)
        if not one and has_blank_lines(self.body):
            blank += self._parse(skip_blank=False, first_only=True)[0].num_rows - table.num_rows
        lengths = Lengths(self.width, self.ragged, self.header)
        lengths.add(table.num_rows, ragged, self._first)
        left_out = lengths.account(self._first)
        self.notes += skipped(blank + lengths.blank) if self.blank_is_missing else []
        return table, left_out

    @property
    def at_least(self) -> int:
        """How many rows there are for certain, known before any memory is taken.

        Exact where no line is blank and no cell is quoted.
        """
        if count_byte(self.body, ord(self.quote)) or has_blank_lines(self.body):
            return 0
        unfinished = self.body.nbytes and self.body[-1] not in b"\r\n"
        ends = max(count_byte(self.body, 10), count_byte(self.body, 13))
        return ends + bool(unfinished)

    def _first(self, *, shorter: bool) -> str:
        """Line and number of fields of the first row that is shorter, or longer."""
        _, ragged = self._parse(skip_blank=False, first_only=True, threads=False)
        row = next(
            row for row in ragged
            if (row.actual_columns < self.width) == shorter and row.text.strip()
        )  # fmt: skip
        line = self.lines_before + self._line_of(row.number)
        return f"line {line:,} {fields_instead(row, self.width)}"

    def _line_of(self, record: int) -> int:
        """Line of the body at which a record starts; both count from 1."""
        if not count_byte(self.body, ord(self.quote)):
            return record
        lines = io.TextIOWrapper(io.BytesIO(self.body), "utf-8", newline="")
        reader = standard_csv.reader(lines, delimiter=self.separator, quotechar=self.quote)
        try:
            next(itertools.islice(reader, record - 1, record - 1), None)
        except standard_csv.Error:  # a cell beyond that module's own limit of length
            return record
        return reader.line_num + 1

    def _parse(
        self, *, skip_blank: bool, first_only: bool = False, threads: bool = True
    ) -> tuple[pa.Table, list]:
        """A table of text, and the rows with another number of fields."""
        from pyarrow import csv

        ragged: list = []
        small = 1 << (20 if self.body.nbytes < 1 << 24 else 24)
        whole = min(self.body.nbytes + 1, LARGEST_BLOCK)
        for block in (small, whole):
            ragged.clear()
            options = csv_options(
                self.width, self.separator, ragged.append, quote=self.quote, nulls=self.nulls,
                block=block, threads=threads, skip_blank=skip_blank,
                newlines=count_byte(self.body, ord(self.quote)) > 0,
            )  # fmt: skip
            if first_only:
                options["convert_options"].include_columns = ["0"]
            try:
                return csv.read_csv(pa.BufferReader(pa.py_buffer(self.body)), **options), ragged
            except pa.ArrowInvalid as error:
                # A row longer than a block: once more, in one block.
                if block == whole or not is_long_row(str(error)):
                    raise DataError(parse_sentence(str(error))) from error
        raise AssertionError("one block, and yet a row is longer than a block")

    def _check_quotes(self, table: pa.Table, ragged: list) -> None:
        """Refuse a quotation mark that is never closed: it swallows all lines below."""
        last = last_byte(self.body, ord(self.quote))
        if last is None:
            return
        tail = bytes(self.body[last + 1 :])
        cells = table.column(self.width - 1).slice(max(0, table.num_rows - 1)).to_pylist()
        if swallowed := lines_swallowed(tail, cells, ragged):
            line = 1 + self.lines_before + len(LINE_END.findall(self.body[:last]))
            raise DataError(open_quote(f"the quotation mark in line {line:,}", swallowed))

    def _cut_blank_end(self) -> int:
        """Cut blank lines off the end; their number."""
        end = self.body.nbytes
        while end:
            part = bytes(self.body[max(0, end - STEP_BYTES) : end])
            ends = len(part) - len(part.rstrip(b"\r\n"))
            end -= ends
            if ends < len(part):
                break
        # The first line end after the last row is that row's own.
        blank = len(LINE_END.findall(self.body[end:])) - (end > 0)
        self.body = self.body[:end]
        return max(0, blank)


def skipped(blank: int) -> list[str]:
    """What to say about blank lines."""
    return [f"{blank:,} blank line{'s were' if blank > 1 else ' was'} skipped."] if blank else []


def lines_swallowed(tail: bytes, cells: list[str | None], ragged: list) -> int:
    """Lines after the last quotation mark that became part of a cell; 0 where it was closed.

    Parameters
    ----------
    tail : bytes
        What follows the last quotation mark of the file.
    cells : list of str
        The last cell of the last row, if there is one.
    ragged : list
        The rows with another number of fields.
    """
    tail = tail.rstrip(b"\r\n")
    lines = len(LINE_END.findall(tail))
    text = tail.decode("utf-8", errors="replace")
    found = [*(cell or "" for cell in cells), *(row.text for row in ragged)] if lines else []
    return lines if any(one.rstrip("\r\n").endswith(text) for one in found) else 0


def open_quote(which: str, lines: int) -> str:
    """The sentence about a quotation mark that is never closed."""
    return (
        f"{which} is opened and never closed, so that {lines:,} more line{'s' * (lines != 1)} "
        "became one cell; mend the file or save it again"
    )


def count_byte(content: memoryview, byte: int) -> int:
    """How often a byte occurs, counted in steps so that no large copy is made."""
    data = np.frombuffer(content, dtype=np.uint8)
    starts = range(0, len(data), STEP_BYTES)
    return sum(int(np.count_nonzero(data[i : i + STEP_BYTES] == byte)) for i in starts)


def last_byte(content: memoryview, byte: int) -> int | None:
    """Where a byte stands last."""
    for start in range(max(0, content.nbytes - 1) // STEP_BYTES * STEP_BYTES, -1, -STEP_BYTES):
        found = bytes(content[start : start + STEP_BYTES]).rfind(byte)
        if found >= 0:
            return start + found
    return None


def has_blank_lines(content: memoryview) -> bool:
    """Whether two line ends follow each other, inside quotation marks or not."""
    data = np.frombuffer(content, dtype=np.uint8)
    if len(data) and data[0] in b"\r\n":
        return True
    for start in range(0, len(data), STEP_BYTES):
        part = data[start : start + STEP_BYTES + 1]
        ends = (part == 10) | (part == 13)
        if (ends[:-1] & ends[1:] & ~((part[:-1] == 13) & (part[1:] == 10))).any():
            return True
    return False


def offset_of(content: memoryview, lines: int) -> int:
    """Byte at which the line after `lines` lines starts, for any kind of line end."""
    if not lines:
        return 0
    ends = (found.end() for found in LINE_END.finditer(content))
    return next(itertools.islice(ends, lines - 1, None), content.nbytes)


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
    skip_blank: bool = True,
    **read,
) -> dict:
    """Arguments for pyarrow's readers: all columns as text, rows of another length reported."""
    from pyarrow import csv

    def leave_out(row):
        on_ragged(row)
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
            ignore_empty_lines=skip_blank,
            invalid_row_handler=leave_out,
        ),
        "convert_options": csv.ConvertOptions(
            column_types=dict.fromkeys(names, text),
            null_values=list(nulls),
            strings_can_be_null=True,
        ),
    }


def is_long_row(message: str) -> bool:
    """Whether a parser gave up because a row is longer than its block."""
    return "straddl" in message or "out of sync" in message


def parse_sentence(message: str) -> str:
    """What a parser's message means, in a sentence."""
    if is_long_row(message):
        return (
            "a row is too long to be read (perhaps a quotation mark is opened and never closed); "
            "mend the file or save it again"
        )
    if "Empty CSV" in message:
        return NO_ROWS
    return f"the file cannot be read as a table ({message.splitlines()[0]:.120})"
