"""Clean a table as a careful person would: one row a person, one column an attribute, what is no answer left out.

All that is sure or proposed is applied; `list_changes` names each change, and each can be taken back.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations

import numpy as np

from calm_core.ingest.binning import group_values
from calm_core.ingest.counting import ValueCounts, count_column
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.editing import accept_proposal
from calm_core.ingest.multiple_answers import NOT_ASKED, find_options
from calm_core.ingest.proposed_columns import LAST_CHOICE, find_doubts, is_count_column, is_weight
from calm_core.ingest.schema import ColumnSchema, Schema
from calm_core.ingest.steps import (
    OneRowEach,
    RepeatRows,
    SplitOptions,
    Step,
    TickBoxes,
    answered_any,
    numbers_rows,
    prepare_table,
    read_plain_numbers,
)
from calm_core.ingest.suggestions import Proposal, needs_confirmation
from calm_core.ingest.table import Table, split_question
from calm_core.ingest.values.scales import fold_word
from calm_core.ingest.values.words import WORDS
from calm_core.runtime.weak_cache import cache_per_object

# Kinds of columns that may hold lists of options.
LISTS = ("category", "text", "id-like")
# A long form has so many people, rows each, and questions at most; few of its pairs repeat.
PEOPLE, ROWS_EACH, QUESTIONS, AGAIN, COMPLETE = 5, 1.5, 64, 0.05, 0.9
# Most of the answers that two questions have in common.
ALIKE = 0.5
# These are only not proposed.
STAYING = ("nearly constant column", "nearly empty column", "copy of another column")
# Words for no and yes that are called so.
STATES = ({"false", "true"}, {"unchecked", "checked"})
_ID, _YEAR = re.compile(r"\d"), re.compile(r"(?:1[89]|20)\d\d")
# Columns of one question that are numbered: "Q2_1", "Q2_2".
_ITEM = re.compile(r"(?P<question>.+_)\d+")
_NUMBERED = re.compile(r"(?P<question>.*\D)\d+")
# Words in the names of the columns of a long form.
_QUESTION, _ANSWER = (
    re.compile("|".join(WORDS[name].split()), re.I) for name in ("question_column", "answer_column")
)


def clean_table(table: Table) -> Schema:
    """The schema of a table with its steps, all suggestions that are sure, and what is no answer left out.

    Examples
    --------
    >>> from calm_core.ingest.table import make_table
    >>> table = make_table({"ResponseId": [f"R_{i}" for i in range(30)], "by": ["Bus, Car", "Car", "Bus"] * 10})
    >>> [column.name for column in clean_table(table).used_columns]
    ['by: Bus', 'by: Car']
    """
    return apply_steps(table, find_steps(table))


@cache_per_object
def _detect(table: Table) -> Schema:
    """The schema detected on a table, which several steps look at."""
    return detect_schema(table)


def apply_steps(table: Table, steps: Sequence[Step]) -> Schema:
    """The cleaned schema of a table that is prepared by these steps."""
    table = prepare_table(table, steps)
    return clean_schema(count_columns(table), detect_prepared(table, steps))


def detect_prepared(table: Table, steps: Sequence[Step]) -> Schema:
    """The schema detected on a table that these steps have prepared."""
    schema = _detect(table)
    if any(isinstance(step, RepeatRows) and not step.mean for step in steps):
        # A table of counts lists its values in an order of its own.
        schema = replace(schema, columns=tuple(_order_as_listed(table, c) for c in schema.columns))
    return replace(schema, steps=tuple(steps))


def count_columns(table: Table) -> list[ValueCounts]:
    """The values of all columns of a table."""
    return [count_column(table, name) for name in table.names]


def clean_schema(counts: Sequence[ValueCounts], detected: Schema) -> Schema:
    """A detected schema with sure suggestions accepted, and what is no answer left out."""
    # Columns whose values the file lists in an order.
    labeled = {count.name for count in counts if count.description.order}
    split = {
        step.column: len(step.option_columns)
        for step in detected.steps
        if isinstance(step, SplitOptions)
    }
    is_count_table = any(isinstance(step, RepeatRows) and not step.mean for step in detected.steps)
    joined = _find_joined(detected.columns)
    schema = accept_suggestions(counts, detected, labeled)
    doubts = find_doubts(schema)
    columns = []
    for column in _name_options(schema.columns):
        if column.name in split:
            reason = f"its {split[column.name]} options are columns of their own"
            column = replace(column, keep=False, reason=reason)
        elif column.keep and column.name in joined:
            column = replace(column, keep=False, reason="copy of another column")
        elif column.keep and (doubt := doubts.get(column.name)) in LAST_CHOICE.keys() - STAYING:
            column = replace(column, keep=False, reason=doubt)
        if not is_count_table and column.name not in labeled:
            column = order_by_name(column)
        columns.append(column)
    return replace(schema, columns=tuple(columns))


def order_by_name(column: ColumnSchema) -> ColumnSchema:
    """A column whose values have no order of their own, in that of the alphabet: the same in every wave.

    Examples
    --------
    >>> column = ColumnSchema("c", "category", labels=("m", "f"), values=("m", "f"), counts=(3, 2), groups=(0, 1))
    >>> order_by_name(column).labels
    ('f', 'm')
    """
    if column.kind != "category" or column.other is not None or not column.values:
        return column
    labels = [column.labels[group] for group in column.groups]
    return group_values(
        column, labels, order=sorted(labels, key=lambda label: (fold_word(label), label))
    )


def _order_as_listed(table: Table, column: ColumnSchema) -> ColumnSchema:
    """A column whose values have no order of their own, in the order of the table."""
    if column.kind != "category" or column.other is not None or column.name not in table.names:
        return column
    texts = table.texts(column.name).dictionary.to_pylist()
    labels = dict(zip(column.values, (column.labels[group] for group in column.groups)))
    order = dict.fromkeys(labels[text] for text in texts if text in labels)
    return group_values(column, [*labels.values()], order=[*order])


def iter_suggestions(schema: Schema) -> Iterator[tuple[str, Proposal]]:
    """Yield the suggestions, with their column."""
    for column in schema.columns:
        for proposal in column.proposals:
            yield column.name, proposal


def sure_suggestions(schema: Schema, labeled: Collection[str]) -> list[tuple[str, Proposal]]:
    """The suggestions that may be accepted together; possible answers are accepted one by one.

    Columns whose values the file labels could have marked them as missing: there it is a question, too.
    """
    return [
        (name, proposal)
        for name, proposal in iter_suggestions(schema)
        if not (needs_confirmation(proposal) or (proposal.what == "missing" and name in labeled))
    ]


def accept_suggestions(
    counts: Sequence[ValueCounts], schema: Schema, labeled: Collection[str]
) -> Schema:
    """The schema with all sure suggestions accepted, one after the other."""
    counts_of = {count.name: count for count in counts}
    # The largest first: it may make others needless or change their counts.
    for name, proposal in sorted(
        sure_suggestions(schema, labeled), key=lambda one: -len(one[1].texts)
    ):
        offered = schema.column(name).proposals
        proposal_now = next((made for made in offered if made.key == proposal.key), None)
        if proposal_now is not None:
            schema = accept_proposal(counts_of[name], schema, proposal_now)
    return schema


def find_steps(table: Table) -> tuple[Step, ...]:
    """The steps that make a table one row a person and one column an attribute."""
    steps: list[Step] = []
    if long := find_long_form(table):
        steps.append(long)
        table = long.apply(table)
    for step in find_column_steps(count_columns(table), _detect(table)):
        if isinstance(step, TickBoxes) and count_empty_rows(table, step) > NOT_ASKED * table.n:
            step = replace(step, empty="missing")
        steps.append(step)
    if count_step := find_counts(table):
        steps.append(count_step)
    return tuple(steps)


def find_column_steps(
    counts: Sequence[ValueCounts], schema: Schema
) -> list[SplitOptions | TickBoxes]:
    """The steps that are seen in the values of each column alone."""
    questions = Counter(split_question(count.name)[0] for count in counts)
    splits = [
        step
        for count, column in zip(counts, schema.columns)
        # The options of a column may have columns of their own beside it.
        if column.kind in LISTS and questions[count.name] < 2 and (step := find_options(count))
    ]
    return [*splits, *find_boxes(counts)]


def find_boxes(counts: Sequence[ValueCounts]) -> list[TickBoxes]:
    """Columns of one question that hold one text, such as their own option, or nothing, by question.

    Examples
    --------
    >>> from calm_core.ingest.table import make_table
    >>> table = make_table({"by? Bus": ["Bus", None, "Bus"], "by? Car": [None, "Car", None], "age": ["1", "2", "3"]})
    >>> find_boxes([count_column(table, name) for name in table.names])[0].columns
    ('by? Bus', 'by? Car')
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    for count in counts:
        if len(count.texts) != 1 or not count.missing:
            continue
        tick = count.texts[0].as_py()
        question, option = split_question(count.name)
        if not question and (numbered := _NUMBERED.fullmatch(count.name)):
            question = numbered["question"]
        elif not question and option.casefold() != tick.casefold():
            question, option = split_question(count.description.title)
        if question or option.casefold() == tick.casefold():
            groups.setdefault(question, []).append((count.name, tick))
    return [
        TickBoxes(tuple(name for name, _ in group), tuple(tick for _, tick in group))
        for group in groups.values()
        if len(group) > 1
    ]


def _name_options(columns: Sequence[ColumnSchema]) -> list[ColumnSchema]:
    """The columns with false and true called no and yes, and 0 and 1, N and Y where they are options of one question."""
    questions = {
        column.name: {split_question(called)[0] for called in (column.name, column.title)} - {""}
        | {match["question"] for match in [_ITEM.fullmatch(column.name)] if match}
        for column in columns
        if column.kind == "yes/no"
        and {*map(len, column.values)} == {1}
        and {*column.groups} == {0, 1}
    }
    times = Counter(chain.from_iterable(questions.values()))
    return [
        _call_yes_no(column)
        if any(times[question] > 1 for question in questions.get(column.name, ()))
        or {text.casefold() for text in column.values} in STATES
        else column
        for column in columns
    ]


def _call_yes_no(column: ColumnSchema) -> ColumnSchema:
    """A column of no and yes in other words, with these labels."""
    labels = [("no", "yes")[group] for group in column.groups]
    return group_values(replace(column, value_names=()), labels, order=("no", "yes"))


def _find_joined(columns: Sequence[ColumnSchema]) -> set[str]:
    """Columns whose cells list options that have columns of their own."""
    options: dict[str, list[str]] = {}
    for column in columns:
        question, option = split_question(column.name)
        if question and column.kind == "yes/no":
            options.setdefault(question, []).append(option.casefold())
    joined = set()
    for column in columns:
        own = options.get(column.name, ())
        listed = sum(any(option in text.casefold() for option in own) for text in column.values)
        if len(own) > 1 and column.kind in LISTS and listed > ALIKE * len(column.values):
            joined.add(column.name)
    return joined


def count_empty_rows(table: Table, step: SplitOptions | TickBoxes) -> int:
    """Number of people who left the question of a step empty; 0 if the table has not all its columns."""
    columns = step.columns if isinstance(step, TickBoxes) else (step.column,)
    if not {*columns} <= {*table.names}:
        return 0
    return int((~answered_any(table, columns)).sum())


def find_long_form(table: Table) -> OneRowEach | None:
    """The step that turns a table with a row for each answer; None if its rows are people.

    It has a column of ids that repeat, one of questions that no person answers twice as a rule, and one of
    answers. Where no name says that these are questions, everybody answers them all, or answers differ by question.

    Examples
    --------
    >>> from calm_core.ingest.table import make_table
    >>> rows = [(f"p{i}", *answer) for i in range(9) for answer in (("sex", "fm"[i % 2]), ("ill", "no"))]
    >>> find_long_form(make_table(dict(zip(("id", "question", "answer"), map(list, zip(*rows))))))
    OneRowEach(person='id', question='question', answer='answer', kept=())
    """
    names = table.names
    named = [at for at, name in enumerate(names) if _QUESTION.search(name)]
    replies = [at for at, name in enumerate(names) if _ANSWER.search(name) and at not in named]
    if table.n < PEOPLE * ROWS_EACH or not (
        len(names) == 3 or len(names) > 3 and named and replies
    ):
        return None
    cells = table.frame.copy()
    cells.columns = range(len(names))
    sizes = cells.nunique(dropna=False)
    if len(names) > 3:
        question, answer = named[0], replies[-1]
    else:
        question, answer = 0 if sizes[0] < sizes[1] else 1, 2
    texts = cells[question].dropna().unique()
    if not 1 < sizes[question] <= QUESTIONS or all(
        text.strip().lstrip("+-").replace(".", "").isdecimal() for text in texts
    ):
        return None
    for person in cells.columns.difference([question, answer]):
        people = sizes[person]
        pairs = len(cells.drop_duplicates([person, question]))
        enough = people >= max(PEOPLE, sizes[question]) and table.n >= ROWS_EACH * people
        if enough and table.n - pairs <= AGAIN * table.n:
            break
    else:
        return None
    if is_count_column(_detect(table).columns[answer]):
        return None
    # Columns that say the same in all rows of a person say something about the person.
    rest = cells.columns.difference([person, question, answer])
    fixed = [at for at in rest if len(cells.drop_duplicates([person, at])) == people]
    step = OneRowEach(
        names[person], names[question], names[answer], tuple(names[at] for at in fixed)
    )
    if named:
        return step
    called = [text or "" for text in table.texts(names[person]).dictionary.to_pylist()]
    if not all(map(_ID.search, called)) or all(map(_YEAR.fullmatch, called)):
        return None
    complete = pairs >= COMPLETE * people * sizes[question]
    return step if complete or not _have_answers_in_common(cells[question], cells[answer]) else None


def _have_answers_in_common(question, answers) -> bool:
    """Whether two questions have most of their answers in common, as a rule."""
    sets = [{*some.dropna()} for _, some in answers.groupby(question, dropna=False, observed=True)]
    common = [len(a & b) / max(1, min(len(a), len(b))) for a, b in combinations(sets, 2)]
    return bool(np.mean(common) > ALIKE)


def find_counts(table: Table) -> RepeatRows | None:
    """The step for a table whose rows are groups with their number of people; None if its rows are people.

    Examples
    --------
    >>> from calm_core.ingest.table import make_table
    >>> find_counts(make_table({"sex": ["f", "f", "m", "m"], "ill": ["no", "yes"] * 2, "n": ["30", "2", "40", "5"]}))
    RepeatRows(column='n', mean=0.0, decimal='.')
    """
    for column in _detect(table).columns if len(table.names) > 1 else ():
        if not is_count_column(column):
            continue
        names = [name for name in table.names if not numbers_rows(table, name)]
        rest = table.frame[[name for name in names if name != column.name]]
        # No column by itself tells the rows apart, as an id does.
        distinct = rest.columns.size and not rest.duplicated().any()
        if distinct and (2 * rest.nunique() <= table.n).all():
            return RepeatRows(column.name, decimal=column.decimal)
    return None


def find_repeat(table: Table) -> RepeatRows | None:
    """The step that counts a row as several people, or in proportion to a weight; None if no column says so."""
    return find_counts(table) or find_weight(table)


def find_weight(table: Table) -> RepeatRows | None:
    """The step that takes people in proportion to a survey weight; None if no column looks like one."""
    for column in _detect(table).columns:
        if is_weight(column):
            numbers = read_plain_numbers(table, column.name, column.decimal)
            return RepeatRows(column.name, float(np.nanmean(numbers)), column.decimal)
    return None
