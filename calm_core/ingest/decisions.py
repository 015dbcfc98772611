"""What a person decides about a schema: answers, proposals accepted or declined, markers kept as values.

Each gives a new Schema; whoever keeps the former one can go back.
"""

from collections.abc import Sequence
from dataclasses import replace

from calm_core.errors import InputError
from calm_core.ingest.coarsening import regions
from calm_core.ingest.column import ColumnSchema
from calm_core.ingest.detect_numbers import ZERO_ONE
from calm_core.ingest.detect_words import yes_no_named
from calm_core.ingest.editing import (
    group_values,
    keep_words,
    name_values,
    treat_missing,
    words_are_missing,
)
from calm_core.ingest.questions import Choice, Proposal, Question
from calm_core.ingest.schema import Schema
from calm_core.ingest.suggestions import REGIONS
from calm_core.ingest.values.variants import yes_or_no

TWO_VALUED = ("category", "yes/no", "ordered")


def answer(schema: Schema, name: str, question: Question, choice: Choice) -> Schema:
    """The schema with a question answered: the column is read as the choice says.

    Examples
    --------
    >>> from calm_core.ingest import detect_schema
    >>> from calm_core.ingest.table import table_of
    >>> schema = detect_schema(table_of({"w": [f"{i}.{100 + i}" for i in range(1, 40)]}))
    >>> question = schema.columns[0].questions[0]
    >>> question.sentence
    "Is '1.101' in column 'w' 1.101 or 1,101? It is read as 1.101 until you say."
    >>> told = answer(schema, "w", question, question.choices[1]).columns[0]
    >>> told.decimal, told.sketch[0], told.questions
    (',', 1101.0, ())
    """
    column = schema.column(name)
    if question not in column.questions:
        raise InputError(f"column {name!r:.80} does not ask that any more")
    if choice not in question.choices:
        raise InputError(f"choice ({choice.text:.60}) must be one of those of the question")
    left = tuple(other for other in column.questions if other != question)
    if choice == question.taken:
        # It was read so already: whatever was changed since stays.
        return schema.with_column(replace(column, questions=left))
    changed = _as_before(column, column.changed(choice.changes))
    return schema.with_column(replace(changed, questions=left))


def _as_before(old: ColumnSchema, new: ColumnSchema) -> ColumnSchema:
    """The new reading with what the user had decided about empty cells and names."""
    words = [text for text in old.missing_texts if text in new.values]
    new = words_are_missing(new, words)
    new = treat_missing(replace(new, missing="value"), old.missing)
    return replace(new, value_names=old.names_for(new.labels))


def accept(schema: Schema, name: str, proposal: Proposal) -> Schema:
    """The schema with a proposal carried out.

    Examples
    --------
    >>> from calm_core.ingest import detect_schema
    >>> from calm_core.ingest.table import table_of
    >>> schema = detect_schema(table_of({"ill": ["Yes", "no", "yes", "Yes", "YES?"]}))
    >>> merge = schema.columns[0].proposals[0]
    >>> merge.sentence
    "Merge these 3 into 'Yes': 'Yes', 'YES?', 'yes' (4 rows)."
    >>> told = accept(schema, "ill", merge).columns[0]
    >>> told.labels, told.kind, told.called
    (('no', 'Yes'), 'yes/no', ('no', 'Yes'))
    """
    column = _offering(schema, name, proposal)
    if proposal.changes:
        column = _as_before(column, column.changed(proposal.changes))
    elif proposal.what == "missing":
        column = words_are_missing(column, proposal.texts)
    elif proposal.what == "names":
        column = name_values(column, dict(zip(proposal.texts, ("no", "yes"))))
    elif proposal.what == "coarser":
        column = regions(column, REGIONS) or column
    else:
        column = _merged(column, proposal)
    return schema.with_column(as_yes_no(column))


def _offering(schema: Schema, name: str, proposal: Proposal) -> ColumnSchema:
    """The column that makes a proposal; refuses one that it does not make, or not any more."""
    column = schema.column(name)
    if proposal not in column.proposals:
        raise InputError(f"column {name!r:.80} does not offer that any more")
    return column


def _merged(column: ColumnSchema, proposal: Proposal) -> ColumnSchema:
    """All of the texts become one value."""
    labels = [column.labels[group] for group in column.groups]
    into = dict(zip(column.values, labels))[proposal.into]
    labels = [
        into if value in proposal.texts else label for value, label in zip(column.values, labels)
    ]
    if into in labels and column.kind != "category":
        # A place in the order is kept by the value that stays.
        order = [label for label in column.labels if label in labels]
        return group_values(column, labels, order=order)
    return group_values(column, labels)


def as_yes_no(column: ColumnSchema) -> ColumnSchema:
    """A column of which only a yes and a no are left, or 0 and 1, is one of yes and no.

    Examples
    --------
    >>> ill = ColumnSchema("ill", "ordered", labels=("0", "1"), values=("0", "1"), counts=(5, 4), groups=(0, 1))
    >>> as_yes_no(ill).kind, as_yes_no(replace(ill, value_names=("low", "high"))).kind
    ('yes/no', 'ordered')
    """
    if column.is_number or column.other is not None or column.kind not in TWO_VALUED:
        return column
    two = {
        label: name
        for at, (label, name) in enumerate(zip(column.labels, column.called))
        if at != column.missing_code
    }
    sides = yes_or_no([*two.values()]) if len(two) == 2 else None
    if sides is None or (column.kind == "ordered" and set(two) not in ZERO_ONE):
        return column
    order = sorted(two, key=lambda label: sides[[*two].index(label)])
    own = [column.labels[group] for group in column.groups]
    return yes_no_named(group_values(replace(column, kind="yes/no"), own, order=order))


def decline(schema: Schema, name: str, proposal: Proposal) -> Schema:
    """The schema without a proposal: it is not made again."""
    column = _offering(schema, name, proposal)
    return schema.with_column(replace(column, declined=(*column.declined, proposal.key)))


def keep_as_values(schema: Schema, name: str, texts: Sequence[str]) -> Schema:
    """The schema with texts that counted as empty cells as values of their own again.

    Examples
    --------
    >>> from calm_core.ingest import detect_schema
    >>> from calm_core.ingest.table import table_of
    >>> schema = detect_schema(table_of({"n": ["1", "2", "1", "2", "?", "3"]}))
    >>> schema.columns[0].missing_texts, keep_as_values(schema, "n", ["?"]).columns[0].labels
    (('?',), ('1', '2', '3', '?'))
    """
    return schema.with_column(keep_words(schema.column(name), texts))
