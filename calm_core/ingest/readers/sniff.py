"""What a delimited text file looks like: separator, lines before the table, header or not."""

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass

from calm_core.ingest.table import ReadOptions

SEPARATORS = (",", ";", "\t", "|")
SAMPLE_LINES = 200
_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)*|[.,]\d+)([eE][+-]?\d+)?%?\s*")
_YEAR = re.compile(r"\s*(19|20)\d\d\s*")


@dataclass(frozen=True)
class Layout:
    """Separator, header names (None: the file has none), first line of data, fields per row."""

    separator: str
    names: tuple[str, ...] | None
    skip: int
    width: int
    preamble: int


def sniff(text: str, options: ReadOptions) -> Layout:
    """Find out the layout from the first lines, keeping whatever the options fix.

    Examples
    --------
    >>> layout = sniff("sex;age\\nf;12\\nm;35\\nm;7\\n", ReadOptions())
    >>> layout.separator, layout.names, layout.skip
    (';', ('sex', 'age'), 1)
    """
    separator = options.separator or _separator(text)
    rows, ends = _rows(text, separator)
    return layout_of(rows, ends, separator, options)


def layout_of(
    rows: list[list[str]], ends: list[int], separator: str, options: ReadOptions
) -> Layout:
    """Where the table starts in the first rows, and whether it starts with names."""
    if not rows:
        return Layout(separator, None, 0, 1, 0)
    width = _usual_width(rows)
    start = options.header_row
    if start is None:
        # Titles and remarks above a table fill fewer cells than the table is wide.
        start = next((i for i, row in enumerate(rows) if _filled(row) >= max(2, width - 1)), 0)
        start = start if width > 1 else 0
    start = min(start, len(rows) - 1)
    before = ends[start - 1] if start else 0
    data = rows[start + 1 :]
    has_header = options.header if options.header is not None else _is_header(rows[start], data)
    if not has_header:
        return Layout(separator, None, before, width, start)
    names = _fit_names(rows[start], data, width)
    return Layout(separator, names, ends[start], len(names), start)


def _filled(row: list[str]) -> int:
    """Fields up to the last one that is not blank."""
    return max((i + 1 for i, cell in enumerate(row) if cell.strip()), default=0)


def _rows(text: str, separator: str) -> tuple[list[list[str]], list[int]]:
    """Fields of the first rows that are not blank, and the line number at which each ends."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
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
    """The separator that cuts most rows into the same number of fields, more than one."""
    best, best_score = ",", 0.0
    for separator in SEPARATORS:
        rows, _ = _rows(text, separator)
        if not rows:
            continue
        width = _usual_width(rows)
        if width < 2:
            continue
        share = sum(len(row) == width for row in rows) / len(rows)
        score = share + 0.001 * min(width, 50)
        if share >= 0.5 and score > best_score + 1e-9:
            best, best_score = separator, score
    return best


def _usual_width(rows: list[list[str]]) -> int:
    widths = Counter(len(row) for row in rows[1:] or rows)
    most = max(widths.values())
    tied = [width for width, count in widths.items() if count == most]
    return len(rows[0]) if len(rows[0]) in tied else max(tied)


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None


def _is_header(first: list[str], data: list[list[str]]) -> bool:
    """Names are text, distinct, and unlike the column below them."""
    if not data:
        return not any(_is_number(cell) for cell in first)
    filled = [cell for cell in first if cell.strip()]
    votes = 0
    for at, cell in enumerate(first):
        below = [row[at] for row in data if at < len(row) and row[at].strip()]
        numeric = bool(below) and sum(map(_is_number, below)) > 0.9 * len(below)
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


def _fit_names(header: list[str], data: list[list[str]], width: int) -> tuple[str, ...]:
    """Names as many as fields: row names without a title (as R writes them), trailing separators."""
    names = list(header)
    if data and len(names) == width - 1:
        trailing = all(not row[-1].strip() for row in data if len(row) == width)
        names = [*names, ""] if trailing else ["", *names]
    while data and len(names) > width and not names[-1].strip():
        names.pop()
    return tuple(names)
