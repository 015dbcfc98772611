"""Columns read as their file describes them: order of values, level of measurement, title."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from calm_core.ingest.binning import MAX_CATEGORIES, group_values, make_listed_column
from calm_core.ingest.counting import ValueCounts
from calm_core.ingest.detect_numbers import Hints, number_column
from calm_core.ingest.detect_words import FEW_WHOLE
from calm_core.ingest.normalize_table import NUMBER
from calm_core.ingest.schema import ORDERED_KINDS, ColumnSchema
from calm_core.ingest.table import pc
from calm_core.ingest.values.words import MISSING_WORDS, is_word


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
    if column.kind == "yes/no" or not _all_numbers(cells):
        return column
    if kind == "number" and column.kind == "ordered" and _is_wide(cells):
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


def _is_wide(cells: ValueCounts) -> bool:
    """Whether numbers span more than a scale, whose steps are better listed one by one."""
    numbers = np.asarray(cells.texts.cast(pa.float64()))
    return bool(numbers.max() - numbers.min() > FEW_WHOLE)


def _all_numbers(cells: ValueCounts) -> bool:
    return bool(cells.matches(NUMBER).all())


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
