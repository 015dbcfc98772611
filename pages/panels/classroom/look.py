"""Results as the wall draws them: texts and marks for every question, the table of two."""

from collections.abc import Sequence

from calm_core.classroom.projector import Progress
from calm_core.classroom.results import Link, Results, Table
from calm_core.classroom.survey import MAX_CHOICE, MAX_TEXT, Question
from pages import words
from pages.ui import escape
from pages.ui.components.wall import Asked, Cell, Count, Mark, Pair, PairRow, Row
from pages.words import numbers

# What is less than half a point is none.
NO_LINK = 0.005
# Letters of a question and of an answer where a link is told in a lecture: with what is doubtful of it two lines.
BRIEFLY = 44, 24


def counts(now: Progress, found: Results | None = None) -> tuple[Count, Count, Count]:
    """The three numbers on top; of all classes that `found`, what stands below, is about."""
    said = words.classroom_counts
    phones, reports, groups, smallest = said.NUMBERS
    if found is not None and found.collected.classes > 1:
        held = found.collected
        least = min(held.groups)
        return (
            Count(groups, f"{len(held.groups)}", said.APART),
            Count(reports, f"{held.n:,}", said.OF_ALL.format(classes=held.classes)),
            Count(smallest, f"{least:,}", said.in_group(least)),
        )
    # Closed, there are no tickets left to count.
    first = Count(groups, f"{len(now.groups)}", said.APART)
    if now.phones is not None:
        first = Count(phones, f"{now.phones:,}", said.joined(now.phones))
    return (
        first,
        Count(reports, f"{now.reports:,}", said.arrived(now.reports)),
        Count(smallest, f"{now.smallest:,}", said.in_group(now.smallest)),
    )


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


def pair(found: Results, first: str, second: str, *, brief: bool = False) -> Pair | None:
    """The table of two questions, with their link in words; None where one of them was not asked yet.

    In a lecture (`brief`) the link names questions and answers by their beginnings: the table has them in full.
    """
    by_name = {question.name: question for question in found.collected.survey.questions}
    table = found.pair(first, second)
    if table is None:
        return None
    notes = [
        link_told(found, link, brief=brief)
        for link in found.links
        if {link.first, link.second} == {first, second}
    ]
    notes.append(
        words.classroom.asked(table.asked, both=True)
        if table.asked
        else words.classroom.TOO_FEW_BOTH
    )
    # Its questions are in the survey's order, whichever was named first.
    rows_of, columns_of = (by_name[name] for name in table.names)
    rows = tuple(
        PairRow(choice, tuple(_cell(table, at, other) for other in range(len(columns_of.choices))))
        for at, choice in enumerate(rows_of.choices)
    )
    return Pair(rows_of.text, columns_of.text, columns_of.choices, rows, tuple(notes))


def _cell(table: Table, at: int, other: int) -> Cell:
    share, low, high = (float(part[at, other]) for part in (table.values, table.low, table.high))
    return Cell(
        share, numbers.percent(share, 0), "" if low == high else words.classroom.interval(low, high)
    )


def link_told(found: Results, link: Link, *, brief: bool = False) -> str:
    """A link as a sentence."""
    question, answer = BRIEFLY if brief else (MAX_TEXT, MAX_CHOICE)
    by_name = {asked.name: asked for asked in found.collected.survey.questions}
    asked = [by_name[name] for name in (link.first, link.second)]
    first, second = (escape.short(one.text, question) for one in asked)
    if link.excess < NO_LINK:
        return words.classroom_results.no_link(first, second)
    said, also = (
        escape.short(one.choices[at], answer)
        for one, at in zip(asked, (link.first_choice, link.second_choice))
    )
    return words.classroom_results.link(
        (first, said), (second, also), link.excess, link.half_width, link.direction_only
    )
