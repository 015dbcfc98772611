"""Edits of columns and schemas by the user; each returns a new column or schema."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from calm_core._checks import check_choice, check_count
from calm_core.errors import InputError
from calm_core.ingest.binning import (
    date_text,
    distinct_label,
    fixed_edges,
    group_values,
    quantile_edges,
    width_edges,
    with_edges,
)
from calm_core.ingest.counting import ValueCounts
from calm_core.ingest.detect import detect_as, read_again
from calm_core.ingest.detect_numbers import ZERO_ONE, Hints
from calm_core.ingest.detect_words import name_yes_no
from calm_core.ingest.schema import MISSING, MISSING_RULES, ColumnSchema, Schema
from calm_core.ingest.suggestions import Choice, Proposal, Question
from calm_core.ingest.table import Table, pc
from calm_core.ingest.values.dates import DAY, calendar_edges, choose_unit
from calm_core.ingest.values.variants import yes_no_codes

MAX_BINS = 100


def bin_numbers(
    column: ColumnSchema, binning: str, *, bins: int = 5, edges: Sequence[float] = ()
) -> ColumnSchema:
    """The column with other bins for its numbers or dates.

    Parameters
    ----------
    binning : {"quantiles", "width", "calendar", "fixed"}
        Equally many rows, equally wide, whole units of the calendar (at most `bins` of the finest that
        fits; dates only), or the given edges (upper ends, inclusive).

    Examples
    --------
    >>> column = ColumnSchema("age", "number", labels=("any",), edges=(), sketch=(0, 30, 90))
    >>> bin_numbers(column, "fixed", edges=(18, 65)).labels
    ('up to 18', 'above 18 to 65', 'above 65')
    >>> bin_numbers(column, "width", bins=3).edges
    (30.0, 60.0)
    """
    check_choice("binning", binning, ("quantiles", "width", "calendar", "fixed"))
    if not column.is_number:
        raise InputError(f"column {column.name!r:.80} holds no numbers and cannot be binned")
    if binning == "fixed":
        check_count("number of edges", len(edges), high=MAX_BINS - 1)
        return with_edges(column, fixed_edges(edges), binning)
    bins = check_count("bins", bins, low=1, high=MAX_BINS)
    if binning != "calendar":
        make = quantile_edges if binning == "quantiles" else width_edges
        return with_edges(column, make(column.sketch, bins), binning)
    if column.kind != "date" or not column.sketch:
        raise InputError(f"column {column.name!r:.80} holds no dates; choose other bins")
    finest = "minute" if any(day != round(day) for day in column.sketch) else "day"
    column = replace(column, bin_unit=choose_unit(column.sketch, finest, bins))
    return with_edges(column, calendar_edges(column.sketch, column.bin_unit, bins), binning)


def read_edges(column: ColumnSchema, text: str) -> tuple[float, ...]:
    """Edges from typed text: "18, 30, 65"; for dates "2024-01-31, 2024-06-30".

    Examples
    --------
    >>> read_edges(ColumnSchema("age", "number"), "18, 30.5; 65")
    (18.0, 30.5, 65.0)
    >>> read_edges(ColumnSchema("day", "date"), "1970-01-02")
    (1.0,)
    """
    parts = [part for part in re.split(r"[;,\s]+", text.strip()) if part]
    try:
        if column.kind == "date":
            return tuple(float(np.datetime64(part, "s").astype(int) / DAY) for part in parts)
        return tuple(float(part) for part in parts)
    except ValueError:
        example = "2024-01-31, 2024-06-30" if column.kind == "date" else "18, 30, 65"
        raise InputError(f"edges ({text:.60}) must be increasing, such as {example}") from None


def write_edges(column: ColumnSchema) -> str:
    """The edges as text for `read_edges`; "" if the column has no bins."""
    edges = column.edges or ()
    if column.kind == "date":
        return ", ".join(map(date_text, edges))
    return ", ".join(f"{edge:g}" for edge in edges)


def name_values(column: ColumnSchema, names: Mapping[str, str]) -> ColumnSchema:
    """The column with other display names for some labels; an empty name restores the label.

    Examples
    --------
    >>> sex = ColumnSchema("sex", "yes/no", labels=("0", "1"))
    >>> name_values(sex, {"1": "woman"}).display_names
    ('0', 'woman')
    """
    for label in names:
        if label not in column.labels:
            raise InputError(f"{label!r:.60} is not a value of column {column.name!r:.80} any more")
    old = {**dict(zip(column.labels, column.value_names)), **names}
    new = tuple(str(old.get(label, "")).strip() for label in column.labels)
    return replace(column, value_names=new if any(new) else ())


def change_kind(table: Table, column: ColumnSchema, kind: str) -> ColumnSchema:
    """The column read as another kind; titles and display names are kept.

    Examples
    --------
    >>> from calm_core.ingest.table import make_table
    >>> table = make_table({"age": [str(a) for a in range(40)]})
    >>> column = ColumnSchema("age", "category", title="Age in years")
    >>> change_kind(table, column, "number").size, change_kind(table, column, "number").title
    (5, 'Age in years')
    """
    detected = detect_as(table, column.name, kind)
    names = column.value_names_for(detected.labels)
    return replace(detected, title=column.title, short=column.short, value_names=names)


def set_missing_rule(column: ColumnSchema, rule: str) -> ColumnSchema:
    """The column with missing cells as a value, or with their rows left out.

    Examples
    --------
    >>> column = ColumnSchema("c", "category", n_missing=1, labels=("a", "missing"), values=("a",),
    ...                       counts=(3,), groups=(0,), missing_code=1)
    >>> set_missing_rule(column, "rows").labels, set_missing_rule(column, "value") == column
    (('a',), True)
    """
    check_choice("missing", rule, MISSING_RULES)
    if rule == column.missing:
        return column
    column = replace(column, missing=rule)
    return _fit_labels(replace(column, missing_code=None) if rule == "rows" else column)


def _fit_labels(column: ColumnSchema) -> ColumnSchema:
    """The column with a label for missing cells if they need one, and without labels that nothing has."""
    if column.missing == "value" and column.n_missing and column.missing_code is None:
        labels = (*column.labels, distinct_label(MISSING, column.labels))
        column = column.with_labels(labels, missing_code=column.size)
    bins = range(0 if column.edges is None else len(column.edges) + 1)
    codes = {*bins, *column.groups, column.other, column.missing_code}
    used = sorted(code for code in codes if code is not None)
    new = {code: at for at, code in enumerate(used)}
    return column.recode([column.labels[code] for code in used], new)


def mark_missing(column: ColumnSchema, words: Sequence[str]) -> ColumnSchema:
    """The column with some listed texts, such as "NA" or "?", counted as missing.

    Examples
    --------
    >>> column = ColumnSchema("c", "category", labels=("a", "NA"), values=("a", "NA"),
    ...                       counts=(3, 2), groups=(0, 1))
    >>> mark_missing(column, ["NA"]).labels, mark_missing(column, ["NA"]).n_missing
    (('a', 'missing'), 2)
    """
    for word in words:
        if word not in column.values:
            raise InputError(f"{word!r:.60} is not a listed value of column {column.name!r:.80}")
    rows = dict(zip(column.values, column.counts))
    remaining = [at for at, value in enumerate(column.values) if value not in words]
    are_counted = len(column.missing_counts) == len(column.missing_texts)
    counts = (*column.missing_counts, *(rows[word] for word in words)) if are_counted else ()
    return _fit_labels(
        replace(
            column,
            n_values=column.n_values - len(words),
            n_missing=column.n_missing + sum(rows[word] for word in words),
            values=tuple(column.values[at] for at in remaining),
            counts=tuple(column.counts[at] for at in remaining),
            groups=tuple(column.groups[at] for at in remaining),
            missing_texts=(*column.missing_texts, *words),
            missing_counts=counts,
        )
    )


TWO_VALUED = ("category", "yes/no", "ordered")


def answer_question(
    cells: ValueCounts, schema: Schema, question: Question, choice: Choice
) -> Schema:
    """The schema with a question answered and the column, whose values are given, read accordingly.

    Examples
    --------
    >>> from calm_core.ingest import detect_schema
    >>> from calm_core.ingest.counting import count_column
    >>> from calm_core.ingest.table import make_table
    >>> table = make_table({"w": [f"{i}.{100 + i}" for i in range(1, 40)]})
    >>> schema = detect_schema(table)
    >>> question = schema.columns[0].questions[0]
    >>> question.sentence
    "Is '1.101' in column 'w' 1.101 or 1,101? It is read as 1.101 until you answer."
    >>> edited = answer_question(count_column(table, "w"), schema, question, question.choices[1]).columns[0]
    >>> edited.decimal, edited.sketch[0], edited.questions
    (',', 1101.0, ())
    """
    column = schema.column(cells.name)
    if question not in column.questions:
        raise InputError(f"column {cells.name!r:.80} does not ask that any more")
    if choice not in question.choices:
        raise InputError(f"choice ({choice.text:.60}) must be one of those of the question")
    remaining = tuple(other for other in column.questions if other != question)
    if choice == question.taken:
        # It was read so already: later changes stay.
        return schema.with_column(replace(column, questions=remaining))
    hints = Hints(**{"decimal" if question.about == "decimal" else "order": choice.reads})
    changed = _keep_decisions(column, read_again(cells, column, hints))
    return schema.with_column(replace(changed, questions=remaining))


def _keep_decisions(old: ColumnSchema, new: ColumnSchema) -> ColumnSchema:
    """The new reading with the user's decisions about use, missing cells and names."""
    new = mark_missing(new, [text for text in old.missing_texts if text in new.values])
    new = set_missing_rule(new, old.missing)
    return replace(
        new, keep=old.keep, reason=old.reason, title=old.title, short=old.short,
        declined=old.declined, value_names=old.value_names_for(new.labels),
    )  # fmt: skip


def accept_proposal(cells: ValueCounts, schema: Schema, proposal: Proposal) -> Schema:
    """The schema with a proposal applied to the column, whose values are given.

    Examples
    --------
    >>> from calm_core.ingest import detect_schema
    >>> from calm_core.ingest.counting import count_column
    >>> from calm_core.ingest.table import make_table
    >>> table = make_table({"ill": ["Yes", "no", "yes", "Yes", "YES?"]})
    >>> schema = detect_schema(table)
    >>> merge = schema.columns[0].proposals[0]
    >>> merge.sentence
    "Merge these 3 into 'Yes': 'Yes', 'YES?', 'yes' (4 rows)."
    >>> edited = accept_proposal(count_column(table, "ill"), schema, merge).columns[0]
    >>> edited.labels, edited.kind, edited.display_names
    (('no', 'yes'), 'yes/no', ('no', 'yes'))
    """
    column = _column_with_proposal(schema, cells.name, proposal)
    if proposal in column.codes:
        rest = cells.mark(np.asarray(pc.is_in(cells.texts, pa.array(proposal.texts))))
        hints = Hints(column.decimal, column.date_order)
        column = _keep_decisions(column, read_again(rest, column, hints))
    elif proposal.what == "missing":
        column = mark_missing(column, proposal.texts)
    else:
        column = _merge(column, proposal)
    return schema.with_column(detect_yes_no(column))


def _column_with_proposal(schema: Schema, name: str, proposal: Proposal) -> ColumnSchema:
    """The column with this proposal; raises if it has no such proposal."""
    column = schema.column(name)
    if proposal not in column.proposals:
        raise InputError(f"column {name!r:.80} does not offer that any more")
    return column


def _merge(column: ColumnSchema, proposal: Proposal) -> ColumnSchema:
    """The column with all texts of a proposal merged into one value."""
    labels = [column.labels[group] for group in column.groups]
    into = dict(zip(column.values, labels))[proposal.into]
    merged = zip(column.values, labels)
    labels = [into if value in proposal.texts else label for value, label in merged]
    # The value that stays keeps its place in the order.
    order = [] if column.kind == "category" else [x for x in column.labels if x in labels]
    return group_values(column, labels, order=order)


def detect_yes_no(column: ColumnSchema) -> ColumnSchema:
    """The column as yes/no if only yes and no, or 0 and 1, are left.

    Examples
    --------
    >>> ill = ColumnSchema("ill", "ordered", labels=("0", "1"), values=("0", "1"), counts=(5, 4), groups=(0, 1))
    >>> detect_yes_no(ill).kind, detect_yes_no(replace(ill, value_names=("low", "high"))).kind
    ('yes/no', 'ordered')
    """
    if column.is_number or column.other is not None or column.kind not in TWO_VALUED:
        return column
    two = {
        label: name
        for at, (label, name) in enumerate(zip(column.labels, column.display_names))
        if at != column.missing_code
    }
    sides = yes_no_codes([*two.values()]) if len(two) == 2 else None
    if sides is None or (column.kind == "ordered" and set(two) not in ZERO_ONE):
        return column
    order = sorted(two, key=lambda label: sides[[*two].index(label)])
    own = [column.labels[group] for group in column.groups]
    return name_yes_no(group_values(replace(column, kind="yes/no"), own, order=order))


def decline_proposal(schema: Schema, name: str, proposal: Proposal) -> Schema:
    """The schema with a proposal declined; it is not made again."""
    column = _column_with_proposal(schema, name, proposal)
    return schema.with_column(replace(column, declined=(*column.declined, proposal.key)))


def keep_as_values(schema: Schema, name: str) -> Schema:
    """The schema with all texts of a column that counted as missing as values again.

    Examples
    --------
    >>> from calm_core.ingest import detect_schema
    >>> from calm_core.ingest.table import make_table
    >>> schema = detect_schema(make_table({"n": ["1", "2", "1", "2", "?", "3"]}))
    >>> schema.columns[0].missing_texts, keep_as_values(schema, "n").columns[0].labels
    (('?',), ('1', '2', '3', '?'))
    """
    column = schema.column(name)
    words, labels = column.missing_texts, list(column.labels)
    # Files from before they were counted do not say how often they occur.
    counts = column.missing_counts or (0,) * len(words)
    for word in words:
        labels.append(distinct_label(word, labels))
    empty = column.n_missing - sum(counts)
    restored = column.with_labels(
        labels,
        n_values=column.n_values + len(words),
        n_missing=empty,
        missing_texts=(),
        missing_counts=(),
        values=(*column.values, *words),
        counts=(*column.counts, *counts),
        groups=(*column.groups, *range(column.size, len(labels))),
        missing_code=column.missing_code if empty else None,
    )
    return schema.with_column(_fit_labels(restored))
