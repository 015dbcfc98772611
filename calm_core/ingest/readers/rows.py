"""Rows of a UTF-8 text by pyarrow; each row is read, or counted as left out."""

import csv as standard_csv
import io
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from calm_core.errors import DataError
from calm_core.text import format_count

QUOTE = ord('"')
MAX_HELD = 1 << 26  # bytes of a cell that is not closed yet; longer ones no parser takes


@dataclass
class QuoteRepair:
    """Escapes quotation marks that quote nothing, in a text or in its parts.

    Attributes
    ----------
    separator : str
    lines : int
        Line ends in what was given back so far, and above it.
    stray : int
        Cells with such marks; `first` is the line of the first one.

    Examples
    --------
    >>> QuoteRepair(",").repair(b'a,b\\n1,"x\\n2,"y, z"\\n3,"5" pipe"\\n')
    b'a,b\\n1,\"\"\"x\"\\n2,"y, z"\\n3,"5\"\" pipe"\\n'
    """

    separator: str
    lines: int = 0
    stray: int = 0
    first: int = 0
    held: bytes = field(default=b"", repr=False)

    def __post_init__(self):
        sign = re.escape(self.separator.encode())
        end = rb"(?=[" + sign + rb"\r\n]|\Z)"
        self._start = re.compile(rb"(?:\A|(?<=[\r\n])|(?<=" + sign + rb'))( *)"')
        self._quoted = re.compile(rb'"[^"]*+(?:""[^"]*+)*+" *' + end)
        self._open = re.compile(rb'"[^"]*+(?:""[^"]*+)*+"?\Z')
        # On its line, up to the first mark in front of a separator, no other cell quoted between.
        self._loose = re.compile(rb'"((?:(?!' + sign + rb'")[^\r\n])*?)" *' + end)
        self._cell = re.compile(rb"[^" + sign + rb"\r\n]*")

    def repair(self, content: memoryview | bytes) -> memoryview | bytes:
        """The repaired text; the same object if nothing is wrong."""
        if self._is_sound(np.frombuffer(content, np.uint8)):
            return content
        return self._repair_rows(bytes(content), final=True)[0]

    def __call__(self, block: bytes) -> bytes:
        """The repaired part of the text so far; an empty block ends it."""
        data = self.held + block
        final = not block or len(data) > MAX_HELD
        used = len(data) if final else _line_start(data, 0, len(data))
        if b'"' in data:
            used = self._sound_start(np.frombuffer(data, np.uint8), final=final)
        out, rest = data[:used], data[used:]
        self.lines += _lines(out)
        if rest and (final or not out):
            repaired, more = self._repair_rows(rest, final=final)
            self.lines += _lines(rest[:more])
            out, rest = out + repaired, rest[more:]
        self.held = rest
        return out

    @property
    def note(self) -> list[str]:
        """Note about repaired marks."""
        if not self.stray:
            return []
        cells = "cells hold" if self.stray > 1 else "cell holds"
        return [
            f"{self.stray:,} {cells} a quotation mark that quotes nothing (first: line {self.first:,}); "
            "such marks are kept as they are."
        ]

    def _is_sound(self, data: np.ndarray) -> bool:
        """Whether all marks quote: odd ones open a cell, even ones close it."""
        opens = True
        for start in range(0, len(data), STEP_BYTES):
            at = start + np.flatnonzero(data[start : start + STEP_BYTES] == QUOTE)
            if not self._sound(data, at, opens).all():
                return False
            opens ^= bool(len(at) % 2)
        return opens

    def _sound(self, data: np.ndarray, at: np.ndarray, opens: bool) -> np.ndarray:
        """Which marks stand where the opening or the closing one of a cell must stand."""
        opening = np.arange(len(at)) % 2 == (0 if opens else 1)
        beside = np.where(opening, at - 1, at + 1)
        outside = (beside < 0) | (beside >= len(data))
        sign = data[np.clip(beside, 0, max(0, len(data) - 1))]
        ends = np.frombuffer(b'\r\n"' + self.separator.encode(), np.uint8)
        return outside | np.isin(sign, ends)

    def _sound_start(self, data: np.ndarray, *, final: bool) -> int:
        """Bytes of the rows from the start in which every mark quotes, as far as that is easily seen."""
        at = np.flatnonzero(data == QUOTE)
        sound = self._sound(data, at, True)
        known = len(at) if sound.all() else int(np.argmin(sound))
        if final and known == len(at) and known % 2 == 0:
            return len(data)
        ends = data[: at[known] if known < len(at) else len(data)]
        ends = np.flatnonzero((ends == 10) | (ends == 13))
        outside = np.searchsorted(at[:known], ends) % 2 == 0
        return int(ends[outside][-1]) + 1 if outside.any() else 0

    def _repair_rows(self, data: bytes, *, final: bool) -> tuple[bytes, int]:
        """Repaired rows, and the number of bytes they had; without `final` the last may need what follows."""
        parts, strays, done, row, kept = [], [], 0, 0, 0
        while found := self._start.search(data, done):
            if line := _line_start(data, done, found.start()):
                parts.append(data[done:line])
                done = row = line
                kept = len(parts)
            at = found.end() - 1
            if not final and self._open.match(data, at):
                break
            if quoted := self._quoted.match(data, at):
                # Blanks before it go into the cell, where they are trimmed as all blanks are.
                cell, end = b'"' + found[1] + quoted[0][1:], quoted.end()
            else:
                strays.append(at)
                cell, end = self._quote_cell(data, found.start(), at)
            parts += [data[done : found.start()], cell]
            done = end
        else:
            if line := len(data) if final else _line_start(data, done, len(data)):
                parts.append(data[done:line])
                row, kept = line, len(parts)
        strays = [at for at in strays if at < row]
        if strays and not self.first:
            self.first = 1 + self.lines + _lines(data[: strays[0]])
        self.stray += len(strays)
        return b"".join(parts[:kept]), row

    def _quote_cell(self, data: bytes, start: int, at: int) -> tuple[bytes, int]:
        """A cell whose first mark quotes nothing, as one that is quoted, and where it ends."""
        loose = self._loose.match(data, at)
        if loose and start == at:
            text, end = loose[1].replace(b'""', b'"'), loose.end()
        else:
            plain = self._cell.match(data, start)
            assert plain is not None
            text, end = plain[0], plain.end()
        return b'"' + text.replace(b'"', b'""') + b'"', end


def _lines(data: bytes) -> int:
    """Line ends of any kind."""
    return max(data.count(b"\n"), data.count(b"\r"))


def _line_start(data: bytes, low: int, high: int) -> int:
    """Start of the last line after `low`; 0 if there is none."""
    return max(data.rfind(b"\n", low, high), data.rfind(b"\r", low, high)) + 1


RAGGED_SHARE = 0.1
TOO_SHORT, TOO_LONG = "too few fields", "too many fields"


class RowLengths:
    """Counts rows with another number of fields than `width`; raises if there are too many.

    Attributes
    ----------
    rows, shorter, longer, blank : int
        Rows so far, of any length; shorter and longer ones; lines of nothing but spaces.
    """

    def __init__(self, width: int, ragged: str | None, header: str = "the header"):
        self.width, self.header = width, header
        self.leave_out = ragged == "leave_out"
        self.rows = self.shorter = self.longer = self.blank = 0

    def add(self, kept: int, ragged: list, first: Callable[..., str]) -> list[tuple[str, int]]:
        """Count rows; returns how many are left out, by reason.

        Parameters
        ----------
        ragged : list of pyarrow's InvalidRow
        first : callable (shorter: bool) -> str
            Says where the first such row is.
        """
        lengths = [row.actual_columns for row in ragged if row.text.strip()]
        longer = [length for length in lengths if length > self.width]
        self.blank += len(ragged) - len(lengths)
        self.rows += kept + len(lengths)
        self.longer += len(longer)
        self.shorter += len(lengths) - len(longer)
        if longer and not self.leave_out:
            raise DataError(self._refusal(longer, first(shorter=False)))
        found = ((TOO_SHORT, len(lengths) - len(longer)), (TOO_LONG, len(longer)))
        return [(reason, count) for reason, count in found if count]

    def account(self, first: Callable[..., str]) -> list[tuple[str, int]]:
        """Rows left out in all, by reason with the first line; raises if they are too many."""
        kept = self.rows - self.shorter - self.longer
        if self.rows and not kept or not self.leave_out and self.shorter > RAGGED_SHARE * self.rows:
            raise DataError(
                f"{first(shorter=self.shorter > 0)}, and {self.shorter + self.longer:,} of "
                f"{self.rows:,} rows have another length than {self.header}; make all rows equally "
                "long, choose another separator, or leave a part out with ragged=leave_out"
            )
        found = ((TOO_SHORT, self.shorter, True), (TOO_LONG, self.longer, False))
        return [
            (f"{reason} (first: {first(shorter=short)})", count)
            for reason, count, short in found
            if count
        ]

    def _refusal(self, longer: list[int], start: str) -> str:
        """What to say about rows longer than the header."""
        if longer == [self.width + 1] * self.rows and self.header == "the header":
            return (
                f"{start}, and all {self.rows:,} rows have one field more than the header; if the "
                "first column has no name, read with ragged=first_unnamed, otherwise fix the header"
            )
        return (
            f"{start}, and {len(longer):,} of {self.rows:,} rows {'are' if len(longer) > 1 else 'is'}"
            f" longer than {self.header}; put quotation marks around cells that hold the separator, "
            "or leave such rows out with ragged=leave_out"
        )


def describe_length(row, width: int) -> str:
    """Phrase about the number of fields of a row."""
    return f"has {format_count(row.actual_columns, 'field')} instead of {width:,}"


STEP_BYTES = 1 << 22
LARGEST_BLOCK = (1 << 31) - 1
LINE_END = re.compile(rb"\r\n|\n|\r")
NO_ROWS = "the file holds column names and no rows; at least one row is needed"


@dataclass
class RowReader:
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
        """The rows as text columns, and how many were left out, by reason.

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
        lengths = RowLengths(self.width, self.ragged, self.header)
        lengths.add(table.num_rows, ragged, self._first)
        left_out = lengths.account(self._first)
        blank += lengths.blank
        if blank and self.blank_is_missing:
            self.notes.append(
                f"{format_count(blank, 'blank line was', 'blank lines were')} skipped."
            )
        return table, left_out

    @property
    def at_least(self) -> int:
        """Least number of rows, known before memory is allocated.

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
        return f"line {line:,} {describe_length(row, self.width)}"

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
        """Raise if a quotation mark is never closed and swallows all lines below."""
        last = last_byte(self.body, ord(self.quote))
        if last is None:
            return
        tail = bytes(self.body[last + 1 :]).rstrip(b"\r\n")
        lines = len(LINE_END.findall(tail))
        text = tail.decode("utf-8", errors="replace")
        cells = table.column(self.width - 1).slice(max(0, table.num_rows - 1)).to_pylist()
        found = [*(cell or "" for cell in cells), *(row.text for row in ragged)]
        if lines and any(one.rstrip("\r\n").endswith(text) for one in found):
            line = 1 + self.lines_before + len(LINE_END.findall(self.body[:last]))
            raise DataError(
                f"the quotation mark in line {line:,} is opened and never closed, so that "
                f"{format_count(lines, 'more line')} became one cell; fix the file or save it again"
            )

    def _cut_blank_end(self) -> int:
        """Remove blank lines at the end and return their number."""
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


def count_byte(content: memoryview, byte: int) -> int:
    """Number of occurrences of a byte, counted without a large copy."""
    data = np.frombuffer(content, dtype=np.uint8)
    starts = range(0, len(data), STEP_BYTES)
    return sum(int(np.count_nonzero(data[i : i + STEP_BYTES] == byte)) for i in starts)


def last_byte(content: memoryview, byte: int) -> int | None:
    """Position of the last occurrence of a byte."""
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


def find_line_start(content: memoryview, lines: int) -> int:
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
    """Whether a parser failed because a row is longer than its block."""
    return "straddl" in message or "out of sync" in message


def parse_sentence(message: str) -> str:
    """A plain message for an error of the parser."""
    if is_long_row(message):
        return (
            "a row is too long to be read (perhaps a quotation mark is opened and never closed); "
            "fix the file or save it again"
        )
    if "Empty CSV" in message:
        return NO_ROWS
    return f"the file cannot be read as a table ({message.splitlines()[0]:.120})"
