"""Detection of the kind, values and bins of each column, as its file describes it or as its values show."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from calm_core._checks import check_choice
from calm_core.errors import InputError
from calm_core.ingest.binning import (
    MAX_CATEGORIES,
    distinct_label,
    group_values,
    make_listed_column,
)
from calm_core.ingest.counting import ValueCounts, count_column
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
from calm_core.ingest.normalize_table import NUMBER
from calm_core.ingest.schema import ORDERED_KINDS, OTHER, ColumnSchema, Schema, read_numbers
from calm_core.ingest.suggestions import SHOWN, quote_texts, spellings_note
from calm_core.ingest.table import ReadOptions, Table, pc
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


def follow_description(column: ColumnSchema, cells: ValueCounts, hints: Hints) -> ColumnSchema:
    """The detected column, with the order and the level of measurement that the file gives.

    Identifiers without value labels, dates, and columns that hold nothing stay what they are.

    Examples
    --------
    >>> from calm_core.ingest.detect import detect_schema
    >>> from calm_core.ingest.table import ColumnDescription, make_table
    >>> said = ColumnDescription(order=("low", "high"), codes=(1, 5), kind="ordered")
    >>> table = make_table({"x": ["3", "low", "high", "low"]}, descriptions={"x": said})
    >>> column = detect_schema(table).columns[0]
    >>> column.kind, column.labels
    ('ordered', ('low', '3', 'high'))
    """
    kind = cells.description.kind
    if column.kind == "constant":
        return column
    if _is_labeled(cells):
        return _follow_order(column, cells)
    if column.kind == "yes/no" or not cells.matches(NUMBER).all():
        return column
    if kind == "number" and column.kind == "ordered":
        # The steps of a scale are better listed one by one.
        if np.ptp(np.asarray(cells.texts.cast(pa.float64()))) > FEW_WHOLE:
            return number_column(cells, hints, forced=True) or column
    listed = kind in ("category", "ordered") and len(cells.texts) <= MAX_CATEGORIES
    if listed and column.kind in ("number", "ordered"):
        return _list_values(cells, kind)
    return column


def order_values(cells: ValueCounts) -> np.ndarray:
    """Sort keys of the texts by the order that the file gives; NaN where it gives none."""
    description = cells.description
    codes = description.codes or tuple(range(len(description.order)))
    key_of = dict(zip(description.order, codes))
    keys = np.array([key_of.get(text, np.nan) for text in cells.texts.to_pylist()], float)
    if description.codes or not description.order:
        numbers = pc.if_else(pc.match_substring_regex(cells.texts, NUMBER), cells.texts, None)
        keys = np.where(np.isnan(keys), np.asarray(numbers.cast(pa.float64()), float), keys)
    return keys


def _is_labeled(cells: ValueCounts) -> bool:
    """Whether the file names the values, and not only a few marks such as "Refused" among numbers."""
    named = _in_order(cells) & ~is_word(cells.texts, MISSING_WORDS)
    few = len(cells.texts) <= FEW_WHOLE
    return bool(named.any() and (few or named.sum() >= 0.5 * len(named)))


def _in_order(cells: ValueCounts) -> np.ndarray:
    order = pa.array(cells.description.order, pa.string())
    return np.asarray(pc.is_in(cells.texts, order))


def _list_values(cells: ValueCounts, kind: str) -> ColumnSchema:
    base = cells.new_column(kind)
    return make_listed_column(base, cells, order_values(cells))


def _follow_order(column: ColumnSchema, cells: ValueCounts) -> ColumnSchema:
    """The column with its named values in their order."""
    if column.kind == "yes/no":
        key_of = dict(zip(cells.texts.to_pylist(), order_values(cells)))
        labels = [column.labels[group] for group in column.groups]
        keys = {label: key_of[text] for text, label in zip(column.values, labels)}
        order = sorted(keys, key=lambda label: np.nan_to_num(keys[label], nan=np.inf))
        return group_values(column, labels, order=order)
    kind = cells.description.kind.removeprefix("number")
    # Numbers between named ends, as in a scale from 0 to 10.
    between = cells.matches(NUMBER) & ~_in_order(cells)
    in_order = column.kind in ORDERED_KINDS or bool(cells.description.codes and between.any())
    return _list_values(cells, kind or ("ordered" if in_order else "category"))


def distinguish_titles(columns: Sequence[ColumnSchema]) -> list[ColumnSchema]:
    """The columns with distinct titles: equal ones get the name of their column behind them.

    Examples
    --------
    >>> twins = [ColumnSchema(name, "category", title="Agreement") for name in ("q1", "q2")]
    >>> [column.title for column in distinguish_titles(twins)]
    ['Agreement (q1)', 'Agreement (q2)']
    """
    titles = Counter(column.title or column.name for column in columns)
    columns = [
        replace(column, title=f"{column.title} ({column.name})")
        if column.title and titles[column.title] > 1
        else column
        for column in columns
    ]
    titles = Counter(column.title or column.name for column in columns)
    return [replace(c, title="") if c.title and titles[c.title] > 1 else c for c in columns]
