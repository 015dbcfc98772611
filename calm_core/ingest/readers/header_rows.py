"""Headers of several rows, as survey tools write them: names, question texts, options, codes of the tool.

Found by their shape alone: the cells of a header row stand above values of another kind, or above values that
repeat while they do not.
"""

import json
from collections import Counter
from collections.abc import Sequence

from calm_core.ingest.table import MAX_HEADER_ROWS, join_question
from calm_core.ingest.values.words import MISSING_WORDS

# Rows below a header, at least, and the share of its filled cells that must be unlike those below.
MIN_PEOPLE, UNLIKE = 5, 0.5
NUMERIC, REPEATED = 0.9, 0.5
# Between a question and its item in one text.
DASH = " - "

Row = Sequence[str]


def count_header_rows(rows: Sequence[Row], is_number) -> int:
    """How many of the first rows are a header, at least 1; the first is known to be one.

    Parameters
    ----------
    rows : sequence of sequences of str
        The header's first row and those below.
    is_number : callable (str) -> bool
        Whether a cell is a number.

    Examples
    --------
    >>> names, texts = ["Q1", "Q2"], ["How old are you?", "Your sex?"]
    >>> count_header_rows([names, texts, *([str(age), "fm"[age % 2]] for age in range(20, 40))], str.isdigit)
    2
    >>> count_header_rows([names, *([str(age), "fm"[age % 2]] for age in range(20, 40))], str.isdigit)
    1
    """
    count = 1
    for at, row in enumerate(rows[1:MAX_HEADER_ROWS], 1):
        below = rows[at + 1 :]
        people = len([other for other in below if not _is_machine_row(other, ())])
        blanks = sum(not name.strip() for name in rows[0])
        if _is_machine_row(row, below) or (below and _is_machine_row(below[0], below[1:])):
            count = at + 1
        elif blanks > 1 and not people and _continues(row, rows[0]):
            # Questions and their options, and nobody has answered yet.
            count = at + 1
        elif people >= MIN_PEOPLE and _is_header_row(row, below, rows[:at], is_number):
            count = at + 1
        else:
            break
    return count


def _is_header_row(row: Row, below: Sequence[Row], above: Sequence[Row], is_number) -> bool:
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
        elif sum(map(is_number, filled_values)) >= NUMERIC * len(filled_values):
            words = any(map(str.isalpha, cell))
            if not words or is_number(cell) or cell.casefold() in MISSING_WORDS:
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
