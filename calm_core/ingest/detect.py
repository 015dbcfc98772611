"""Detection of the kind, values and bins of each column."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from calm_core._checks import check_choice
from calm_core.errors import InputError
from calm_core.ingest.binning import distinct_label, make_listed_column
from calm_core.ingest.counting import ValueCounts, count_column
from calm_core.ingest.described_columns import distinguish_titles, follow_description, order_values
from calm_core.ingest.detect_numbers import (
    ZERO_ONE,
    Hints,
    date_column,
    number_column,
    numbers_as_dates,
)
from calm_core.ingest.detect_words import (
    FEW_WHOLE,
    is_identifying_number,
    is_postcode,
    name_yes_no,
    scale_order,
    ticked_column,
    words_column,
    yes_no_column,
)
from calm_core.ingest.schema import OTHER, ColumnSchema, Schema, read_numbers
from calm_core.ingest.suggestions import SHOWN, quote_texts, spellings_note
from calm_core.ingest.table import ReadOptions, Table
from calm_core.ingest.values.amounts import parse_amounts
from calm_core.ingest.values.dates import NUMBERED
from calm_core.ingest.values.words import MISSING_WORDS, NO_VALUE, is_word
from calm_core.text import format_count, join_some

NOTHING_SAID = NO_VALUE | {"-", "--", "---", "–", "—", "*", "/"}
CHOICES = ("category", "ordered", "number", "date")


def detect_schema(table: Table) -> Schema:
    """Schema of a table: kind, values and bins of each column, and whether it is used.

    Examples
    --------
    >>> from calm_core.ingest.table import make_table
    >>> schema = detect_schema(make_table({"sex": ["f", "m", "m"], "ill": ["yes", "no", "no"]}))
    >>> [(c.name, c.kind, c.labels) for c in schema.columns]
    [('sex', 'category', ('m', 'f')), ('ill', 'yes/no', ('no', 'yes'))]
    """
    return detect_from_counts((count_column(table, name) for name in table.names), table.dialect)


def detect_from_counts(columns: Iterable[ValueCounts], dialect: ReadOptions) -> Schema:
    """Schema from the value counts of each column."""
    hints = Hints(dialect.decimal, dialect.date_order)
    schemas, open_cells = [], {}
    for cells in columns:
        column = detect_column(cells, hints)
        if column.questions:
            open_cells[len(schemas)] = cells
        schemas.append(column)
    orders = {c.date_order for c in schemas if {*NUMBERED} & {*c.date_forms} and not c.questions}
    hints = replace(
        hints,
        usual_decimal=_usual_decimal(schemas, dialect),
        usual_order=orders.pop() if len(orders) == 1 else "",
    )
    for at, cells in open_cells.items():
        schemas[at] = detect_column(cells, hints)
    schemas = distinguish_titles(schemas)
    return Schema(tuple(schemas), tuple(_notes(schemas)))


def _usual_decimal(columns: Sequence[ColumnSchema], dialect: ReadOptions) -> str:
    """The decimal sign of the unambiguous columns; a file with semicolons suggests a comma."""
    sure = [column for column in columns if column.kind == "number" and not column.questions]
    if any(column.decimal == "," for column in sure):
        return ","
    if any(x != round(x) for column in sure for x in column.sketch):
        return "."
    return "," if dialect.separator == ";" else ""


def detect_column(cells: ValueCounts, hints: Hints) -> ColumnSchema:
    """Schema of a column from its distinct values and their counts."""
    column = follow_description(_detect_kind(cells, hints), cells, hints)
    if column.is_number:
        return replace(column, numbers_count=column.numbers_count + cells.unlisted)
    # Texts beyond the limit are not listed.
    if cells.unlisted and column.other is None:
        labels = (*column.labels, distinct_label(OTHER, column.labels))
        column = column.with_labels(labels, other=len(labels) - 1)
    return replace(column, other_count=column.other_count + cells.unlisted)


def _detect_kind(cells: ValueCounts, hints: Hints) -> ColumnSchema:
    texts = cells.texts
    reason, is_missing = "", np.zeros(len(texts), bool)
    if len(texts) <= 1 and not (len(texts) and cells.missing):
        reason = f"every row holds {texts[0].as_py()!r:.40}" if len(texts) else "every row is empty"
    elif is_word(texts.slice(0, 1), NOTHING_SAID)[0] and is_word(texts, NOTHING_SAID).all():
        reason = f"no value in any row, only {quote_texts(tuple(texts.to_pylist()))}"
        is_missing = ~is_missing
    if reason:
        rest = cells.mark(is_missing)
        base = replace(rest.new_column("constant"), keep=False, reason=reason)
        return make_listed_column(base, rest)
    if (column := ticked_column(cells)) is not None:
        return column
    column = yes_no_column(cells)
    # Words for missing beside 0 and 1 are no values.
    beside = (
        [{*column.values} - both for both in ZERO_ONE if {*column.values} > both] if column else []
    )
    if column and not any(
        is_word(pa.array(sorted(words)), MISSING_WORDS).all() for words in beside
    ):
        return column
    if is_postcode(cells) or is_identifying_number(cells):
        return words_column(cells)
    column = number_column(cells, hints)
    if column is not None:
        return numbers_as_dates(cells, hints) or name_yes_no(column)
    return date_column(cells, hints) or words_column(cells)


def detect_as(table: Table, name: str, kind: str) -> ColumnSchema:
    """Schema of a column read as the kind that the user chose; texts that do not fit stay values.

    Examples
    --------
    >>> from calm_core.ingest.table import make_table
    >>> table = make_table({"age": [*(str(a) for a in range(40)), "old", "very old"]})
    >>> detect_as(table, "age", "number").labels[0], detect_as(table, "age", "ordered").size
    ('up to 7', 42)
    >>> detect_as(table, "age", "number").proposals[0].sentence
    "Treat these 2 cells that are not numbers as missing: 'old', 'very old'."
    """
    check_choice("kind", kind, CHOICES)
    cells = count_column(table, name)
    base = cells.new_column(kind)
    order_keys = order_values(cells) if cells.description.order else None
    if not len(cells.texts) or kind == "category":
        return make_listed_column(base, cells, order_keys)
    hints = Hints(table.dialect.decimal, table.dialect.date_order)
    if kind == "ordered":
        order = _order_keys(cells, hints) if order_keys is None else order_keys
        return make_listed_column(base, cells, order)
    column = (number_column if kind == "number" else date_column)(cells, hints, forced=True)
    if column is None:
        raise InputError(
            f"column {name!r:.80} cannot be read as a {kind}, with cells such as "
            f"{quote_texts(tuple(cells.most_frequent(SHOWN).texts.to_pylist()))}; choose another kind"
        )
    return column


def read_again(cells: ValueCounts, column: ColumnSchema, hints: Hints) -> ColumnSchema:
    """A column of numbers or dates made anew of its counts: bins, or a list of values, as it was."""
    make = date_column if column.kind == "date" else number_column
    binned = column.is_number and column.kind != "id-like"
    return make(cells, hints, forced=binned) or make(cells, hints, forced=True) or column


def _order_keys(cells: ValueCounts, hints: Hints) -> np.ndarray:
    """Sort keys of texts: steps of a scale, dates, or numbers."""
    few = len(cells.texts) <= FEW_WHOLE + len(MISSING_WORDS)
    scale = scale_order(cells.texts, cells.name) if few else None
    if scale is not None:
        return scale
    dates = date_column(cells, hints)
    if dates is not None:
        return read_numbers(cells.texts, dates)
    return parse_amounts(cells.texts).numbers


def _notes(columns: list[ColumnSchema]) -> list[str]:
    """Sentences about what was decided and what is asked."""
    notes, used = [], [column for column in columns if column.keep]
    if cut := [f"{c.name:.40}" for c in used if c.binning == "quantiles"]:
        notes.append(
            f"Numbers were cut at quantiles of these data ({join_some(cut, 8)}): fit for a demonstration; "
            "a real survey must fix the edges beforehand."
        )
    notes += [question.sentence for c in used for question in c.questions]
    missing = [
        f"{quote_texts(c.missing_texts)} in column {c.name!r:.60} ({format_count(sum(c.missing_counts), 'row')})"
        for c in used
        if c.missing_texts
    ]
    if missing:
        notes.append(
            f"Counted as empty, because they are neither numbers nor dates: {join_some(missing, 8)}."
        )
    if joined := spellings_note(used):
        notes.append(joined)
    words = [
        f"{text!r} in column {c.name!r:.60} ({format_count(count, 'row')})"
        for c in used
        for text, count in zip(c.values, c.counts)
        if text.casefold() in MISSING_WORDS
    ]
    if words:
        notes.append(
            f"Counted as values, though they may mean missing: {join_some(words, 8)}; mark them as empty "
            "cells if they do."
        )
    return notes
