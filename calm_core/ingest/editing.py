"""Edits of one column of a schema, as the confirm page offers them; each returns a new column."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from calm_core._checks import check_choice, check_count
from calm_core.errors import InputError
from calm_core.ingest.binning import (
    date_text,
    distinct_label,
    fixed_edges,
    merge_column,
    missing_label,
    quantile_edges,
    width_edges,
    with_edges,
)
from calm_core.ingest.column import MISSING_RULES, ColumnSchema
from calm_core.ingest.detect import detect_as
from calm_core.ingest.detect_numbers import ZERO_ONE
from calm_core.ingest.detect_words import yes_no_named
from calm_core.ingest.schema import Schema
from calm_core.ingest.suggestions import REGIONS, Choice, Proposal, Question, by_prefix
from calm_core.ingest.table import Table
from calm_core.ingest.values.calendar import DAY, calendar_edges, choose_unit
from calm_core.ingest.values.variants import yes_or_no

MAX_BINS = 100


def bin_numbers(
    column: ColumnSchema, binning: str, *, bins: int = 5, edges: Sequence[float] = ()
) -> ColumnSchema:
    """Other bins for a column of numbers or dates.

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
    if binning == "calendar":
        return _by_calendar(column, bins)
    make = quantile_edges if binning == "quantiles" else width_edges
    return with_edges(column, make(column.sketch, bins), binning)


def _by_calendar(column: ColumnSchema, bins: int) -> ColumnSchema:
    if column.kind != "date" or not column.sketch:
        raise InputError(f"column {column.name!r:.80} holds no dates; choose other bins")
    times = any(day != round(day) for day in column.sketch)
    column = replace(column, bin_unit=choose_unit(column.sketch, "time" if times else "day", bins))
    return with_edges(column, calendar_edges(column.sketch, column.bin_unit, bins), "calendar")


def read_edges(column: ColumnSchema, text: str) -> tuple[float, ...]:
    """Edges as people type them: "18, 30, 65"; for dates "2024-01-31, 2024-06-30".

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
    """The column's edges as `read_edges` reads them; nothing where it has no bins."""
    edges = column.edges or ()
    if column.kind == "date":
        return ", ".join(map(date_text, edges))
    return ", ".join(f"{edge:g}" for edge in edges)


def group_values(
    column: ColumnSchema,
    labels: Sequence[str],
    *,
    other: str | None = None,
    order: Sequence[str] = (),
) -> ColumnSchema:
    """Name and merge the listed values: values with the same label become one, in that order.

    Parameters
    ----------
    labels : sequence of str
        One label per value of `column.values`.
    order : sequence of str, optional
        Labels in the order their codes shall have; the rest follow by first appearance.
    other : str, optional
        Label of the values that are not listed; as before where omitted.

    Examples
    --------
    >>> column = ColumnSchema("c", "category", labels=("a", "b", "c"), values=("a", "b", "c"),
    ...                       counts=(3, 2, 1), groups=(0, 1, 2))
    >>> group_values(column, ["rest", "B", "rest"]).groups
    (0, 1, 0)
    """
    if column.is_number:
        raise InputError(f"column {column.name!r:.80} holds numbers; choose bins instead")
    if len(labels) != len(column.values):
        raise InputError(
            f"labels ({len(labels)}) must be one for each of {len(column.values)} values"
        )
    labels = [str(label).strip() for label in labels]
    if not all(labels):
        raise InputError(f"every value of column {column.name!r:.80} needs a label")
    order = [label for label in dict.fromkeys([*order, *labels]) if label in labels]
    groups = tuple(order.index(label) for label in labels)
    codes = {}
    for name, code in (("other", column.other), ("missing_code", column.missing_code)):
        if code is None:
            continue
        label = other if name == "other" and other else column.labels[code]
        if label not in order:
            order.append(label)
        codes[name] = order.index(label)
    return column.relabelled(order, groups=groups, **codes)


def name_values(column: ColumnSchema, names: Mapping[str, str]) -> ColumnSchema:
    """Call some values otherwise on screen, by label; an empty name gives the label back.

    Examples
    --------
    >>> sex = ColumnSchema("sex", "yes/no", labels=("0", "1"))
    >>> name_values(sex, {"1": "woman"}).called
    ('0', 'woman')
    """
    for label in names:
        if label not in column.labels:
            raise InputError(f"{label!r:.60} is not a value of column {column.name!r:.80} any more")
    old = {**dict(zip(column.labels, column.value_names)), **names}
    new = tuple(str(old.get(label, "")).strip() for label in column.labels)
    return replace(column, value_names=new if any(new) else ())


def as_kind(table: Table, column: ColumnSchema, kind: str) -> ColumnSchema:
    """The column read as another kind; it keeps its title, and so do values that stay.

    Examples
    --------
    >>> from calm_core.ingest.table import table_of
    >>> table = table_of({"age": [str(a) for a in range(40)]})
    >>> column = ColumnSchema("age", "category", title="Age in years")
    >>> as_kind(table, column, "number").size, as_kind(table, column, "number").title
    (5, 'Age in years')
    """
    found = detect_as(table, column.name, kind)
    names = column.names_for(found.labels)
    return replace(found, title=column.title, short=column.short, value_names=names)


def treat_missing(column: ColumnSchema, rule: str) -> ColumnSchema:
    """Empty cells as a value of their own, or their rows left out.

    Examples
    --------
    >>> column = ColumnSchema("c", "category", n_missing=1, labels=("a", "missing"), values=("a",),
    ...                       counts=(3,), groups=(0,), missing_code=1)
    >>> treat_missing(column, "rows").labels, treat_missing(column, "value") == column
    (('a',), True)
    """
    check_choice("missing", rule, MISSING_RULES)
    if rule == column.missing:
        return column
    column = replace(column, missing=rule)
    if rule == "rows":
        return _without_missing_code(column)
    if not column.n_missing:
        return column
    return _with_missing_code(column)


def _with_missing_code(column: ColumnSchema) -> ColumnSchema:
    labels = (*column.labels, missing_label(column.labels))
    return column.relabelled(labels, missing_code=len(labels) - 1)


def _without_missing_code(column: ColumnSchema) -> ColumnSchema:
    code = column.missing_code
    column = replace(column, missing_code=None)
    if code is None or code in column.groups or code == column.other:
        return column  # merged with other values, whose code stays
    return _drop_code(column, code)


def _drop_code(column: ColumnSchema, code: int) -> ColumnSchema:
    """Remove a code that nothing uses; later codes move up."""

    def moved(old: int | None) -> int | None:
        return old if old is None or old < code else old - 1

    return column.relabelled(
        column.labels[:code] + column.labels[code + 1 :],
        groups=tuple(moved(group) for group in column.groups),
        other=moved(column.other),
        missing_code=moved(column.missing_code),
    )


def _counts_of(column: ColumnSchema, more: int) -> tuple[int, ...]:
    """How often every text that means missing occurs, one more of them; nothing where that is unknown."""
    known = len(column.missing_counts) == len(column.missing_texts)
    return (*column.missing_counts, more) if known else ()


def keep_words(column: ColumnSchema, words: Sequence[str]) -> ColumnSchema:
    """Give texts that count as empty cells a value of their own again.

    Examples
    --------
    >>> column = ColumnSchema("c", "category", labels=("a", "NA"), values=("a", "NA"),
    ...                       counts=(3, 2), groups=(0, 1))
    >>> keep_words(words_are_missing(column, ["NA"]), ["NA"]) == column
    True
    """
    for word in words:
        if word not in column.missing_texts or not column.missing_counts:
            raise InputError(f"{word!r:.60} is not counted as empty in column {column.name!r:.80}")
        at = column.missing_texts.index(word)
        count = column.missing_counts[at]
        column = replace(
            column,
            n_values=column.n_values + 1,
            n_missing=column.n_missing - count,
            missing_texts=column.missing_texts[:at] + column.missing_texts[at + 1 :],
            missing_counts=column.missing_counts[:at] + column.missing_counts[at + 1 :],
        )
        if not column.n_missing:
            column = _without_missing_code(column)
        place = column.size if column.missing_code in (None, 0) else column.missing_code
        labels = list(column.labels)
        labels.insert(place, distinct_label(word, labels))

        def moved(code: int | None, place=place) -> int | None:
            return code if code is None or code < place else code + 1

        column = column.relabelled(
            labels,
            values=(*column.values, word),
            counts=(*column.counts, count),
            groups=(*(moved(group) for group in column.groups), place),
            other=moved(column.other),
            missing_code=moved(column.missing_code),
        )
    return column


def words_are_missing(column: ColumnSchema, words: Sequence[str]) -> ColumnSchema:
    """Count some listed texts, such as "NA" or "?", as empty cells.

    Examples
    --------
    >>> column = ColumnSchema("c", "category", labels=("a", "NA"), values=("a", "NA"),
    ...                       counts=(3, 2), groups=(0, 1))
    >>> words_are_missing(column, ["NA"]).labels, words_are_missing(column, ["NA"]).n_missing
    (('a', 'missing'), 2)
    """
    for word in words:
        if word not in column.values:
            raise InputError(f"{word!r:.60} is not a listed value of column {column.name!r:.80}")
        at = column.values.index(word)
        code, count = column.groups[at], column.counts[at]
        column = replace(
            column,
            n_values=column.n_values - 1,
            n_missing=column.n_missing + count,
            values=column.values[:at] + column.values[at + 1 :],
            counts=column.counts[:at] + column.counts[at + 1 :],
            groups=column.groups[:at] + column.groups[at + 1 :],
            missing_texts=(*column.missing_texts, word),
            missing_counts=_counts_of(column, count),
        )
        if code not in column.groups and code not in (column.other, column.missing_code):
            column = _drop_code(column, code)
    if column.missing == "value" and column.missing_code is None and column.n_missing:
        column = _with_missing_code(column)
    return column


def coarser(column: ColumnSchema, most: int) -> tuple[ColumnSchema, str]:
    """The column with at most `most` values, and what was done, in a few words.

    Examples
    --------
    >>> zips = tuple(f"{region}{i}" for region in (101, 200, 506) for i in range(20))
    >>> column = ColumnSchema("zip", "category", labels=zips, values=zips, counts=(1,) * 60,
    ...                       groups=tuple(range(60)))
    >>> fewer, how = coarser(column, 8)
    >>> fewer.labels, how
    (('1...', '2...', '5...'), '60 values to 3 that start alike')
    """
    check_count("most", most, low=2)
    size = column.size
    if column.is_number:
        extra = size - len(column.edges or ()) - 1
        if column.binning == "calendar" and most > extra:
            fewer = bin_numbers(column, "calendar", bins=most - extra)
            if fewer.size <= most:
                return fewer, f"{size:,} bands to {fewer.size:,}, each a {fewer.bin_unit}"
        fewer = merge_column(column, most)
        return fewer, f"{size:,} bands to {fewer.size:,}"
    extra = (column.missing_code is not None) + (column.other is not None)
    if most > extra and (fewer := regions(column, most - extra)) is not None:
        return fewer, f"{size:,} values to {fewer.size:,} that start alike"
    fewer = merge_column(column, most)
    return fewer, f"{size:,} values to the {fewer.size - 1:,} most frequent and the rest"


def regions(column: ColumnSchema, most: int) -> ColumnSchema | None:
    """The column with its codes grouped by what they start with; None where they do not start alike."""
    if column.kind not in ("category", "id-like") or not column.values:
        return None
    starts = by_prefix(column.values, most)
    if starts is None:
        return None
    return group_values(
        column, [f"{start}..." for start in starts], order=sorted(f"{s}..." for s in set(starts))
    )


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
