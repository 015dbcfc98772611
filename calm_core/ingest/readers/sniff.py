"""Layout of a delimited text: separator, lines before the table, header."""

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass, replace

from calm_core.ingest.readers.header_rows import count_header_rows, join_header
from calm_core.ingest.table import ColumnDescription, ReadOptions
from calm_core.ingest.values.words import MISSING_WORDS
from calm_core.text import format_count

SEPARATORS = (",", ";", "\t", "|")
SAMPLE_LINES = 200
MAX_TITLES = 20
MAX_CHANCE = 4  # numbers in a row that count up by chance less often than as names
_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)*|[.,]\d+)([eE][+-]?\d+)?%?\s*")
_YEAR = re.compile(r"\s*(19|20)\d\d\s*")


@dataclass(frozen=True)
class Layout:
    """Position of the table in a file.

    Attributes
    ----------
    separator : str
    names : tuple of str or None
        Column names; None where the file has none.
    skip : int
        Lines (rows of a sheet) before the first row of data.
    width : int
        Fields per row.
    preamble : int
        Lines before the table: before the names, or before the data without names.
    titles : tuple of str
        What those lines hold.
    doubt : int
        The line that may hold the names instead; 0 if there is no doubt.
    header_rows : int
        Rows that hold names and titles; 0 without names.
    texts : tuple of str
        What further header rows call each column at length, such as a question.
    """

    separator: str
    names: tuple[str, ...] | None
    skip: int
    width: int
    preamble: int
    titles: tuple[str, ...] = ()
    doubt: int = 0
    header_rows: int = 0
    texts: tuple[str, ...] = ()

    def descriptions(self) -> list[ColumnDescription]:
        """What the further header rows say about each column; nothing where there are none."""
        if not any(self.texts):
            return []
        return [ColumnDescription(title=text) for text in self.texts[: len(self.names or ())]]

    @property
    def columns(self) -> list[str]:
        """Names of the columns, numbered if the file has none."""
        return list(self.names or [f"column {i + 1}" for i in range(self.width)])

    def dialect(self, options: ReadOptions, **found) -> ReadOptions:
        """The options with all that was detected."""
        return replace(
            options,
            header=self.names is not None,
            header_row=self.preamble,
            header_rows=self.header_rows or None,
            **found,
        )

    def notes(self, what: str) -> list[str]:
        """Notes about the lines before the table and about doubts; `what` is "line" or "row"."""
        notes = []
        if self.titles:
            listed = "; ".join(f"{title:.60}" for title in self.titles[:3])
            listed += " ..." * (len(self.titles) > 3)
            were = format_count(
                len(self.titles), f"{what} before the table was", f"{what}s before the table were"
            )
            notes.append(f"{were} skipped ({listed}).")
        if self.names and all(map(_is_number, self.names)):
            notes.append(
                "The column names are numbers; if they are the first row of data, read with header=no."
            )
        if self.header_rows > 1:
            more = format_count(self.header_rows - 1, "more row was", "more rows were")
            notes.append(
                f"{more} read as questions or options; if these are people, read with header_rows=1."
            )
        if self.doubt:
            notes.append(
                f"{what.capitalize()} {self.doubt:,} may hold the column names (it holds words "
                f"above numbers): if so, read with header_row={self.skip}, the number of {what}s "
                "above the table."
            )
        return notes


def detect_layout(text: str, options: ReadOptions, *, before: int = 0) -> Layout:
    """Layout detected from the first lines, except what the options set.

    With `options.header_row`, the text starts there, after `before` lines.

    Examples
    --------
    >>> layout = detect_layout("sex;age\\nf;12\\nm;35\\nm;7\\n", ReadOptions())
    >>> layout.separator, layout.names, layout.skip
    (';', ('sex', 'age'), 1)
    """
    separator = options.separator or _separator(text)
    rows, ends = _rows(text, separator)
    return layout_from_rows(rows, [before + end for end in ends], separator, options)


def layout_from_rows(
    rows: list[list[str]], ends: list[int], separator: str, options: ReadOptions
) -> Layout:
    """Layout detected from the first rows.

    Parameters
    ----------
    rows : list of list of str
        Fields of the first rows that are not blank; from the header on with `options.header_row`.
    ends : list of int
        Line (or row of the sheet) at which each row ends, from 1.
    """
    if not rows:
        return Layout(separator, None, options.header_row or 0, 1, options.header_row or 0)
    width = _usual_width(rows)
    start = _start(rows, width) if options.header_row is None else 0
    has_header = options.header
    if has_header is None:
        has_header = _is_header(rows[start], rows[start + 1 :])
        above = _count_filled(rows[start - 1]) if start else 0
        if not has_header and above > 1 and options.header_row is None:
            # Several words above a table without names are its names, not a title.
            start, has_header = start - 1, True
    before = ends[start - 1] if start else options.header_row or 0
    titles = tuple(" ".join(filter(str.strip, row)) for row in rows[:start])
    if not has_header:
        return Layout(separator, None, before, width, before, titles)
    count = options.header_rows or count_header_rows(rows[start:], _is_number)
    block = _even_out(rows[start : start + count], width)
    joined, texts = join_header(block) if count > 1 else (rows[start], ())
    last = start + len(block) - 1
    names = _fit_names(list(joined), rows[last + 1 :], width)
    unsure = count == 1 and options.header_row is None and _names_below(rows, start)
    doubt = ends[start + 1] if unsure else 0
    return Layout(
        separator, names, ends[last], len(names), before, titles, doubt, len(block), texts
    )


def _even_out(rows: list[list[str]], width: int) -> list[list[str]]:
    """Rows with blank cells added up to the width of the widest, at least `width`."""
    width = max(width, *map(len, rows))
    return [row + [""] * (width - len(row)) for row in rows]


def _start(rows: list[list[str]], width: int) -> int:
    """Index of the first row of the table; titles and remarks above it fill fewer cells."""
    if width < 2:
        return 0
    usual = Counter(map(_count_filled, rows[1:] or rows)).most_common()
    usual = max(filled for filled, count in usual if count == usual[0][1])
    first = 0
    for i, row in enumerate(rows):
        reaches = max((at + 1 for at, cell in enumerate(row) if cell.strip()), default=0)
        if _count_filled(row) > 1 and (reaches >= width - 1 or _count_filled(row) >= usual - 1):
            first = i
            break
    words = [cell.strip() for cell in rows[first]]
    if first and len(set(words)) < len(words) and _count_filled(rows[first - 1]) > 1:
        # Options are named in this row, their questions in the one above.
        return first - 1
    for i in range(first + 1, min(first + MAX_TITLES, len(rows) - 1)):
        fuller = all(_count_filled(row) < _count_filled(rows[i]) for row in rows[first:i])
        if fuller and _names_above_numbers(rows[i], rows[i + 1 :]):
            return i
    return first


def _count_filled(row: list[str]) -> int:
    """Number of fields that are not blank."""
    return sum(bool(cell.strip()) for cell in row)


def _names_above_numbers(row: list[str], data: list[list[str]]) -> bool:
    """Whether a row holds distinct words only, at least one of them above a column of numbers."""
    words = [cell.strip() for cell in row if cell.strip()]
    if len(set(words)) < len(words) or any(map(_is_number, words)) or len(data) < 2:
        return False
    return any(
        cell.strip() and _is_numeric([row[at] for row in data if at < len(row)])
        for at, cell in enumerate(row)
    )


def _names_below(rows: list[list[str]], start: int) -> bool:
    """Whether the row below what was taken as names looks more like names."""
    if start + 1 >= len(rows) or _count_filled(rows[start + 1]) < _count_filled(rows[start]):
        return False
    words = {cell.strip().casefold() for cell in rows[start + 1]}
    return not words & MISSING_WORDS and _names_above_numbers(rows[start + 1], rows[start + 2 :])


def _is_numeric(cells: list[str]) -> bool:
    """Whether more than nine tenths of the cells that are not blank are numbers, and there are any."""
    cells = [cell for cell in cells if cell.strip()]
    return bool(cells) and sum(map(_is_number, cells)) > 0.9 * len(cells)


def _rows(text: str, separator: str) -> tuple[list[list[str]], list[int]]:
    """Fields of the first rows that are not blank, and the line number at which each ends."""
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    rows, ends = [], []
    try:
        for row in reader:
            if row:
                rows.append(row)
                ends.append(reader.line_num)
            if len(rows) >= SAMPLE_LINES:
                break
    except csv.Error:  # for instance a field beyond csv's own length limit: use what was read
        pass
    return rows, ends


def _separator(text: str) -> str:
    """The separator that gives most rows the same number of fields."""
    best, best_score = ",", 0.0
    for separator in SEPARATORS:
        rows, _ = _rows(text, separator)
        width = _usual_width(rows) if rows else 0
        if width < 2:
            continue
        share = sum(len(row) == width for row in rows) / len(rows)
        score = share + 0.001 * min(width, 50)
        if share >= 0.5 and score > best_score + 1e-9:
            best, best_score = separator, score
    return best


def _usual_width(rows: list[list[str]]) -> int:
    widths = Counter(len(row) for row in rows[1:] or rows)
    highest = max(widths.values())
    tied = [width for width, count in widths.items() if count == highest]
    return len(rows[0]) if len(rows[0]) in tied else max(tied)


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None


def _is_header(first: list[str], data: list[list[str]]) -> bool:
    """Whether the first row has names: distinct texts unlike the column below."""
    if not data:
        return not any(_is_number(cell) for cell in first)
    filled = [cell for cell in first if cell.strip()]
    if _are_positions(first):
        return True
    votes = 0
    for at, cell in enumerate(first):
        below = [row[at] for row in data if at < len(row) and row[at].strip()]
        numeric = _is_numeric(below)
        if _YEAR.fullmatch(cell) and not all(map(_YEAR.fullmatch, below)):
            continue  # a column may be called by its year
        if _is_number(cell):
            votes -= 1
        elif numeric and cell.strip():
            votes += 1
        elif cell in below:
            votes -= 1
    named = any(not _is_number(cell) for cell in filled)
    return votes > 0 or (votes == 0 and named)


def _are_positions(cells: list[str]) -> bool:
    """Whether a row numbers its columns from 0 or 1."""
    if len(cells) < MAX_CHANCE or not all(cell.strip().isdecimal() for cell in cells):
        return False
    numbers = [int(cell) for cell in cells]
    return numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[0] + len(cells)))


def _fit_names(header: list[str], data: list[list[str]], width: int) -> tuple[str, ...]:
    """The names; blank ones are added or removed only if that moves no value."""
    names = list(header)
    extra_cells = [row[len(names) :] for row in data]
    if any(extra_cells) and len(names) < width and not any(map(_count_filled, extra_cells)):
        names += [""] * (width - len(names))  # separators at the end of every row
    elif extra_cells and {*map(len, extra_cells)} == {1}:
        names = ["", *names]  # of the numbers or names of the rows
    while data and len(names) > width and not names[-1].strip():
        names.pop()
    return tuple(names)
