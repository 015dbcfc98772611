"""Edits of one column of a schema, as the confirm page offers them; each returns a new column."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from calm_core._checks import check_choice, check_count
from calm_core.errors import InputError
from calm_core.ingest.column import MISSING_RULES, ColumnSchema
from calm_core.ingest.detect import detect_as
from calm_core.ingest.merging import (
    date_text,
    distinct_label,
    fixed_edges,
    missing_label,
    quantile_edges,
    width_edges,
    with_edges,
)
from calm_core.ingest.table import Table
from calm_core.ingest.values.calendar import DAY, calendar_edges, choose_unit

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
