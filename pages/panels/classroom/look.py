"""Results as the wall draws them: texts and marks for every question, the table of two."""

from collections.abc import Sequence

from calm_core.classroom.desk import Progress
from calm_core.classroom.results import Results, Table
from calm_core.classroom.survey import Question
from pages import words
from pages.ui.components.wall import Asked, Cell, Count, Mark, Pair, PairRow, Row
from pages.words import numbers


def counts(now: Progress) -> tuple[Count, Count, Count]:
    """The three numbers on top."""
    said = words.classroom
    phones, reports, smallest = said.COUNTS
    return (
        Count(phones, "–" if now.phones is None else f"{now.phones:,}", said.TICKETS_GONE if now.phones is None else said.JOINED),
        Count(reports, f"{now.reports:,}", said.OF_PHONES),
        Count(smallest, f"{now.smallest:,}", said.IN_GROUP),
    )  # fmt: skip


def choices_shown(asked: Question) -> range:
    """Choices with a line of their own: of two the last one says it all."""
    count = len(asked.choices)
    return range(1, 2) if count == 2 else range(count)


def questions(
    found: Sequence[Results], step: str, chosen: Sequence[int] | None = None
) -> tuple[Asked, ...]:
    """The questions chosen, all where none are; `found` has the results of every column.

    Parameters
    ----------
    step : str
        "arrived" for shares in the raw reports, else "corrected".
    """
    first = found[0]
    asked = first.collected.survey.questions
    return tuple(
        _asked(asked[at], [_table(one, asked[at].name, step) for one in found], first.collected.asked(asked[at].name))
        for at in (range(len(asked)) if chosen is None else chosen)
    )  # fmt: skip


def _table(found: Results, name: str, step: str) -> Table | None:
    if not found.collected.asked(name):
        return None
    return found.raw(name) if step == "arrived" else found.share(name)


def _asked(question: Question, tables: Sequence[Table | None], phones: int) -> Asked:
    rows = (
        Row(question.choices[at], tuple(_mark(table, at) for table in tables))
        for at in choices_shown(question)
    )
    return Asked(question.text, words.classroom.asked(phones), tuple(rows))


def _mark(table: Table | None, at: int) -> Mark:
    """One choice of a table; one without a width shows no interval."""
    if table is None:
        return Mark(words.classroom.NOT_ASKED)
    share, low, high = (float(part[at]) for part in (table.values, table.low, table.high))
    text = numbers.percent(share, 0)
    if low == high:
        return Mark(text, "", share)
    return Mark(text, words.classroom.interval(low, high), share, low, high)


def pair(found: Results, first: str, second: str, note: str = "") -> Pair | None:
    """The table of two questions; None where one of them was not asked yet."""
    by_name = {question.name: question for question in found.collected.survey.questions}
    table = found.pair(first, second)
    if table is None:
        return None
    told = (
        [words.classroom.asked(table.asked, both=True)]
        if table.asked
        else [words.classroom.TOO_FEW_BOTH]
    )
    rows = tuple(
        PairRow(choice, tuple(_cell(table, at, other) for other in range(table.values.shape[1])))
        for at, choice in enumerate(by_name[first].choices)
    )
    return Pair(
        by_name[first].text,
        by_name[second].text,
        by_name[second].choices,
        rows,
        " ".join([*told, note]).strip(),
    )


def _cell(table: Table, at: int, other: int) -> Cell:
    share, low, high = (float(part[at, other]) for part in (table.values, table.low, table.high))
    return Cell(
        share, numbers.percent(share, 0), "" if low == high else words.classroom.interval(low, high)
    )
