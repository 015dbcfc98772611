"""Layout of a delimited text or a sheet: separator, lines before the table, header.

Headers of several rows, as survey tools write them, are found by their shape alone: the cells of a header row stand
above values of another kind, or above values that repeat while they do not.
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from calm_core.errors import DataError
from calm_core.ingest.table import MAX_HEADER_ROWS, ColumnDescription, ReadOptions, join_question
from calm_core.ingest.values.words import MISSING_WORDS
from calm_core.text import format_count

SEPARATORS = (",", ";", "\t", "|")
LINE_END = re.compile(r"\r\n|\n|\r")
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


def detect_layout(text: str, options: ReadOptions) -> Layout:
    """Layout detected from the first lines, except what the options set.

    Examples
    --------
    >>> layout = detect_layout("sex;age\\nf;12\\nm;35\\nm;7\\n", ReadOptions())
    >>> layout.separator, layout.names, layout.skip
    (';', ('sex', 'age'), 1)
    """
    before = options.header_row or 0
    if before:
        lines = LINE_END.split(text, before)
        if len(lines) <= before or not lines[before]:
            raise DataError(
                f"header_row ({before:,}) must be less than the number of lines of the file; choose fewer"
            )
        text = lines[before]
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
    count = options.header_rows or count_header_rows(rows[start:])
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


# Rows below a header, at least, and the share of its filled cells that must be unlike those below.
MIN_PEOPLE, UNLIKE = 5, 0.5
NUMERIC, REPEATED = 0.9, 0.5
# Between a question and its item in one text.
DASH = " - "

Row = Sequence[str]


def count_header_rows(rows: Sequence[Row]) -> int:
    """How many of the first rows are a header, at least 1; the first is known to be one.

    Parameters
    ----------
    rows : sequence of sequences of str
        The header's first row and those below.

    Examples
    --------
    >>> names, texts = ["Q1", "Q2"], ["How old are you?", "Your sex?"]
    >>> count_header_rows([names, texts, *([str(age), "fm"[age % 2]] for age in range(20, 40))])
    2
    >>> count_header_rows([names, *([str(age), "fm"[age % 2]] for age in range(20, 40))])
    1
    """
    count = 1
    for at, row in enumerate(rows[1:MAX_HEADER_ROWS], 1):
        below = rows[at + 1 :]
        people = len([other for other in below if not _is_machine_row(other, ())])
        blanks = sum(not name.strip() for name in rows[0])
        machine = _is_machine_row(row, below) or (below and _is_machine_row(below[0], below[1:]))
        # Questions and their options, and nobody has answered yet.
        unanswered = blanks > 1 and not people and _continues(row, rows[0])
        header = people >= MIN_PEOPLE and _is_header_row(row, below, rows[:at])
        if not (machine or unanswered or header):
            break
        count = at + 1
    return count


def _is_header_row(row: Row, below: Sequence[Row], above: Sequence[Row]) -> bool:
    """Whether a row is like a header and unlike the rows below."""
    filled = unlike = judged = 0
    # The rows below may begin with another row of the header.
    columns = _columns([other for other in below if not _is_machine_row(other, ())], len(row))
    for cell, values in zip(map(str.strip, row), columns):
        if not cell:
            continue
        filled += 1
        filled_values = [value for value in values if value]
        if not filled_values:
            continue
        if set(filled_values) == {cell}:
            # A box: ticked, it holds its own option.
            unlike, judged = unlike + (len(filled_values) < len(values)), judged + 1
        elif cell in filled_values:
            return False
        elif sum(map(_is_number, filled_values)) >= NUMERIC * len(filled_values):
            words = any(map(str.isalpha, cell))
            if not words or _is_number(cell) or cell.casefold() in MISSING_WORDS:
                return False
            unlike, judged = unlike + 1, judged + 1
        elif len(set(filled_values)) <= REPEATED * len(filled_values):
            unlike, judged = unlike + 1, judged + 1
        elif _shape(cell) in map(_shape, filled_values):
            judged += 1
    if unlike < 2 or unlike < UNLIKE * max(judged, 1):
        return False
    # Cells may be blank where everybody below has an answer.
    blank = [
        at
        for at, (cell, name) in enumerate(zip(row, above[0]))
        if name.strip() > cell.strip() == ""
    ]
    return (
        _continues(row, above[0])
        or filled >= UNLIKE * sum(bool(c.strip()) for c in above[0])
        or (unlike == judged and all(all(columns[at]) for at in blank))
    )


def _continues(row: Row, names: Row) -> bool:
    """Whether a row fills cells that are blank among the names above."""
    return any(cell.strip() and not name.strip() for cell, name in zip(row, names))


def _is_machine_row(row: Row, below: Sequence[Row]) -> bool:
    """Whether all filled cells are JSON objects, unlike those below."""
    filled = [cell for cell in row if cell.strip()]
    return (
        len(filled) > 1
        and all(map(_is_json_object, filled))
        and not any(_is_json_object(cell) for other in below[:1] for cell in other)
    )


def _is_json_object(cell: str) -> bool:
    cell = cell.strip()
    if not (cell.startswith("{") and cell.endswith("}")):
        return False
    try:
        return isinstance(json.loads(cell), dict)
    except (ValueError, RecursionError):
        return False


def _columns(rows: Sequence[Row], width: int) -> list[list[str]]:
    """The cells of each column, trimmed; cells beyond the end of a row are blank."""
    return [[row[at].strip() if at < len(row) else "" for row in rows] for at in range(width)]


def _shape(cell: str) -> str:
    """The cell with every digit as 0 and every letter as a.

    >>> _shape("R_01x"), _shape("2024-05-01")
    ('a_00a', '0000-00-00')
    """
    return "".join("0" if c.isdigit() else "a" if c.isalpha() else c for c in cell)


def join_header(rows: Sequence[Row]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and titles of the columns from the rows of a header.

    Where the first row names every column by itself it stays, and the next row holds the titles. Where it has blank
    or repeated cells, a question goes on to the right, and the next row names its options.

    Examples
    --------
    >>> join_header([["id", "Which?", ""], ["", "Bus", "Train"]])
    (('id', 'Which? Bus', 'Which? Train'), ('', 'Bus: Which?', 'Train: Which?'))
    >>> join_header([["Q1", "Q2"], ["Your sex?", "Your age?"]])
    (('Q1', 'Q2'), ('Your sex?', 'Your age?'))
    """
    rows = [[cell.strip() for cell in row] for row in rows if not _is_machine_row(row, ())]
    names = rows[0]
    if len(rows) == 1:
        return tuple(names), ("",) * len(names)
    rest = rows[1:]
    if len(set(filter(None, names))) == sum(map(bool, names)) and not any(
        _continues(row, names) for row in rest
    ):
        texts = [" ".join(filter(None, cells)) for cells in zip(*rest)]
        return tuple(names), tuple(shorten_titles(names, texts))
    questions, last = [], ""
    for at, name in enumerate(names):
        last = name or (last if any(at < len(row) and row[at] for row in rest) else "")
        questions.append(last)
    times = Counter(questions)
    joined, titles = [], []
    for question, *options in zip(questions, *rest):
        option = " ".join(filter(None, options))
        # A question with one column needs no option.
        several = times[question] > 1 or not question
        joined.append(join_question(question, option) if several else question)
        # What tells the columns apart comes first, where there is little room.
        titles.append(f"{option}: {question}" if several and question and option else "")
    return tuple(joined), tuple(titles)


def shorten_titles(names: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Question texts without the question that all items of a group repeat before " - ".

    Examples
    --------
    >>> texts = ["How far do you agree? - Buses", "How far do you agree? - Trains", "Again? - Choice", "Again? - Other"]
    >>> shorten_titles(["Q3_1", "Q3_2", "Q5", "Q5_TEXT"], texts)
    ['Buses', 'Trains', 'Again?', 'Again? - Other']
    """
    groups: dict[str, list[int]] = {}
    for at, text in enumerate(texts):
        if DASH in text:
            groups.setdefault(text.partition(DASH)[0].strip(), []).append(at)
    titles = list(texts)
    for question, columns in groups.items():
        shortest = min((names[at] for at in columns), key=len)
        if len(columns) > 1 and all(names[at].startswith(shortest) for at in columns):
            # The column that the others are named after holds the answer itself.
            titles[columns[[names[at] for at in columns].index(shortest)]] = question
        elif len(columns) > 1:
            for at in columns:
                titles[at] = texts[at].partition(DASH)[2].strip()
    counts = Counter(titles)
    return [text if counts[title] > 1 else title for title, text in zip(titles, texts)]
