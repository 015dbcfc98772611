"""What a cleaning did, each change with its own way back, and what it asks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from calm_core.errors import InputError
from calm_core.ingest.cleaning import (
    apply_steps,
    count_empty_rows,
    find_repeat,
    iter_suggestions,
    order_by_name,
    sure_suggestions,
)
from calm_core.ingest.counting import ValueCounts, count_column
from calm_core.ingest.editing import accept_proposal, answer_question, decline_proposal
from calm_core.ingest.findings import describe_column
from calm_core.ingest.proposed_columns import LAST_CHOICE, find_doubts
from calm_core.ingest.schema import ColumnSchema, Schema
from calm_core.ingest.steps import (
    OneRowEach,
    RepeatRows,
    SplitOptions,
    Step,
    TickBoxes,
    prepare_table,
)
from calm_core.ingest.suggestions import quote_texts
from calm_core.ingest.table import Table

MAX_QUESTIONS = 3
# Share of people who left a question empty that is worth a question.
FEW = 0.02


@dataclass(frozen=True)
class CleaningQuestion:
    """What a cleaning leaves to the user.

    Attributes
    ----------
    key : str
        Names it for `answer_cleaning`.
    sentence : str
    choices : tuple of str
    taken : int
        The choice by which the table is read until somebody answers.
    people : int
        How many people it concerns.
    """

    key: str
    sentence: str
    choices: tuple[str, ...]
    taken: int
    people: int


def list_changes(schema: Schema, detected: Schema) -> dict[str, str]:
    """What was done to a table beside detection: a sentence for each change, by the key that `undo_change` takes.

    Parameters
    ----------
    schema : Schema
        As cleaned, and edited since.
    detected : Schema
        As detected on the prepared table.

    Examples
    --------
    >>> from calm_core.ingest import detect_schema
    >>> from calm_core.ingest.cleaning import clean_table
    >>> from calm_core.ingest.table import make_table
    >>> table = make_table({"ResponseId": [f"R_{i}" for i in range(30)], "by": ["Bus, Car", "Car", "Bus"] * 10})
    >>> [*list_changes(clean_table(table), detect_schema(table))]
    ['step 0', 'left out column about the survey']
    """
    changes = {f"step {at}": step.sentence for at, step in enumerate(schema.steps)}
    for kind, columns in _left_out(schema).items():
        names = [column.name for column in columns]
        what = kind if len(names) == 1 else LAST_CHOICE[kind]
        changes[f"left out {kind}"] = f"{len(names):,} {what} left out: {quote_texts(names)}."
    detected_columns = {column.name: column for column in detected.columns}
    for column in schema.columns:
        was = detected_columns.get(column.name)
        as_detected = was and replace(column, keep=was.keep, reason=was.reason, title=was.title)
        if column.keep and as_detected not in (was, was and order_by_name(was)):
            called, becomes = column.title or column.name, describe_column(column).becomes
            changes[f"column {column.name}"] = f"Suggestions for {called!r:.60}: {becomes}."
    return changes


def _left_out(schema: Schema) -> dict[str, list[ColumnSchema]]:
    """Columns left out for a reason, by what they are."""
    doubts, columns = find_doubts(schema), {}
    for column in schema.columns:
        if not column.keep and column.reason:
            kind = column.reason if column.reason in LAST_CHOICE else doubts.get(column.name, "")
            if kind in LAST_CHOICE:
                columns.setdefault(kind, []).append(column)
    return columns


def undo_change(table: Table, schema: Schema, detected: Schema, key: str) -> Schema:
    """The schema without one change; the other changes and later edits stay where they can.

    Parameters
    ----------
    table : Table
        As read from the file.
    """
    what, _, which = key.partition(" ")
    if what == "step" and which.isdecimal() and int(which) < len(schema.steps):
        at = int(which)
        return change_steps(table, schema, (*schema.steps[:at], *schema.steps[at + 1 :]))
    if what == "column" and which in detected.names:
        return schema.with_column(detected.column(which))
    if what == "left" and (back := _left_out(schema).get(which.removeprefix("out "))):
        for column in back:
            if column.size > 1:
                schema = schema.with_column(replace(column, keep=True, reason=""))
        return schema
    raise InputError(f"change ({key:.60}) is not there any more")


def change_steps(table: Table, schema: Schema, steps: Sequence[Step]) -> Schema:
    """The schema for other steps; columns that no changed step touches stay as they are.

    Where rows become other people, all columns are read anew.
    """
    fresh, touched = apply_steps(table, steps), set()
    for step in {*steps} ^ {*schema.steps}:
        match step:
            case SplitOptions():
                touched |= {step.column, *step.option_columns}
            case TickBoxes():
                touched |= {*step.columns}
            case OneRowEach() | RepeatRows():
                return fresh
    columns = (
        schema.column(column.name)
        if column.name in schema.names and column.name not in touched
        else column
        for column in fresh.columns
    )
    return replace(fresh, columns=tuple(columns))


def list_questions(table: Table, schema: Schema) -> tuple[CleaningQuestion, ...]:
    """At most three questions, those that concern most people first.

    Examples
    --------
    >>> from calm_core.ingest.cleaning import clean_table
    >>> from calm_core.ingest.table import make_table
    >>> table = make_table({"sex": ["f", "f", "m", "m"], "ill": ["no", "yes", "no", "yes"], "n": list("9241")})
    >>> [(question.sentence, question.choices) for question in list_questions(table, clean_table(table))]
    [("Does each row stand for 'n' people?", ('No, each row is one person', "Yes, 'n' people"))]
    """
    questions = []
    repeated = next((step for step in schema.steps if isinstance(step, RepeatRows)), None)
    if step := find_repeat(table):
        yes = repeated is not None and repeated.column == step.column
        if step.mean:
            text = f"Use {step.column!r:.60} as survey weight? Everybody still sends one report."
            choices = "No, leave it out", "Yes"
        else:
            text = f"Does each row stand for {step.column!r:.60} people?"
            choices = "No, each row is one person", f"Yes, {step.column!r:.40} people"
        questions.append(CleaningQuestion("rows", text, choices, int(yes), table.n))
    for at, step in enumerate(schema.steps):
        if isinstance(step, SplitOptions | TickBoxes):
            people = count_empty_rows(table, step)
            if people > FEW * table.n:
                text = f"{people:,} people left {step.question!r:.60} empty. Were they asked?"
                choices = "Yes, they chose nothing", "No, count them as missing"
                taken = int(step.empty == "missing")
                questions.append(CleaningQuestion(f"empty {at}", text, choices, taken, people))
    for column in schema.used_columns:
        for question in column.questions:
            texts = tuple(choice.text for choice in question.choices)
            key = f"{question.about} {column.name}"
            taken = question.choices.index(question.taken)
            people = column.numbers_count or sum(column.counts)
            questions.append(CleaningQuestion(key, question.sentence, texts, taken, people))
    used = {column.name for column in schema.used_columns}
    labeled = {name for name, description in table.descriptions.items() if description.order}
    sure = sure_suggestions(schema, labeled)
    for name, proposal in iter_suggestions(schema):
        if name in used and proposal.what == "missing" and (name, proposal) not in sure:
            text = (
                f"Does {quote_texts(proposal.texts)} in {name!r:.60} mean that there is no answer?"
            )
            choices = "No, it is an answer", "Yes, count it as missing"
            key = f"missing {proposal.key}\x1e{name}"
            questions.append(CleaningQuestion(key, text, choices, 0, proposal.count))
    return tuple(sorted(questions, key=lambda question: -question.people)[:MAX_QUESTIONS])


def answer_cleaning(table: Table, schema: Schema, key: str, choice: int) -> Schema:
    """The schema after an answer to one of `list_questions`."""
    about, _, rest = key.partition(" ")
    if key == "rows":
        other_steps = tuple(step for step in schema.steps if not isinstance(step, RepeatRows))
        step = find_repeat(table)
        return change_steps(table, schema, (*other_steps, step) if choice and step else other_steps)
    if about == "empty" and rest.isdecimal() and int(rest) < len(schema.steps):
        at, empty = int(rest), ("no", "missing")[choice]
        changed = replace(schema.steps[at], empty=empty)
        return change_steps(table, schema, (*schema.steps[:at], changed, *schema.steps[at + 1 :]))

    def counted(name: str) -> ValueCounts:
        return count_column(prepare_table(table, schema.steps), name)

    for column in schema.columns:
        for question in column.questions:
            if key == f"{question.about} {column.name}":
                answer = question.choices[choice]
                return answer_question(counted(column.name), schema, question, answer)
        for proposal in column.proposals:
            if key == f"missing {proposal.key}\x1e{column.name}":
                if not choice:
                    return decline_proposal(schema, column.name, proposal)
                return accept_proposal(counted(column.name), schema, proposal)
    raise InputError(f"question ({about} {rest:.40}) is not open any more")
