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


def follow_description(column: ColumnSchema, found: ValueCounts, hints: Hints) -> ColumnSchema:
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
    kind = found.description.kind
    if column.kind == "constant":
        return column
    if _is_labeled(found):
        return _follow_order(column, found)
    if column.kind == "yes/no" or not _all_numbers(found):
        return column
    if kind == "number" and column.kind == "ordered" and _is_wide(found):
        return number_column(found, hints, forced=True) or column
    listed = kind in ("category", "ordered") and len(found.texts) <= MAX_CATEGORIES
    if listed and column.kind in ("number", "ordered"):
        return _list_values(found, kind)
    return column


def order_values(found: ValueCounts) -> np.ndarray:
    """Sort keys of the texts by the order that the file gives; NaN where it gives none."""
    description = found.description
    codes = description.codes or tuple(range(len(description.order)))
    key_of = dict(zip(description.order, codes))
    keys = np.array([key_of.get(text, np.nan) for text in found.texts.to_pylist()], float)
    if description.codes or not description.order:
        numbers = pc.if_else(pc.match_substring_regex(found.texts, NUMBER), found.texts, None)
        keys = np.where(np.isnan(keys), np.asarray(numbers.cast(pa.float64()), float), keys)
    return keys


def _is_labeled(found: ValueCounts) -> bool:
    """Whether the file names the values, and not only a few marks such as "Refused" among numbers."""
    named = _in_order(found) & ~is_word(found.texts, MISSING_WORDS)
    few = len(found.texts) <= FEW_WHOLE
    return bool(named.any() and (few or named.sum() >= 0.5 * len(named)))


def _in_order(found: ValueCounts) -> np.ndarray:
    order = pa.array(found.description.order, pa.string())
    return np.asarray(pc.is_in(found.texts, order))


def _is_wide(found: ValueCounts) -> bool:
    """Whether numbers span more than a scale, whose steps are better listed one by one."""
    numbers = np.asarray(found.texts.cast(pa.float64()))
    return bool(numbers.max() - numbers.min() > FEW_WHOLE)


def _all_numbers(found: ValueCounts) -> bool:
    return bool(found.matches(NUMBER).all())


def _list_values(found: ValueCounts, kind: str) -> ColumnSchema:
    base = found.new_column(kind)
    return make_listed_column(base, found, order_values(found))


def _follow_order(column: ColumnSchema, found: ValueCounts) -> ColumnSchema:
    """The column with its named values in their order."""
    if column.kind == "yes/no":
        key_of = dict(zip(found.texts.to_pylist(), order_values(found)))
        labels = [column.labels[group] for group in column.groups]
        keys = {label: key_of[text] for text, label in zip(column.values, labels)}
        order = sorted(keys, key=lambda label: np.nan_to_num(keys[label], nan=np.inf))
        return group_values(column, labels, order=order)
    kind = found.description.kind.removeprefix("number")
    # Numbers between named ends, as in a scale from 0 to 10.
    between = found.matches(NUMBER) & ~_in_order(found)
    in_order = column.kind in ORDERED_KINDS or bool(found.description.codes and between.any())
    return _list_values(found, kind or ("ordered" if in_order else "category"))


def distinguish_titles(columns: Sequence[ColumnSchema]) -> list[ColumnSchema]:
    """The columns with distinct titles: equal ones get the name of their column behind them.

    Examples
    --------
    >>> twins = [ColumnSchema(name, "category", title="Agreement") for name in ("q1", "q2")]
    >>> [column.title for column in distinguish_titles(twins)]
    ['Agreement (q1)', 'Agreement (q2)']
    """
    shown = Counter(column.title or column.name for column in columns)
    columns = [
        replace(column, title=f"{column.title} ({column.name})")
        if column.title and shown[column.title] > 1
        else column
        for column in columns
    ]
    shown = Counter(column.title or column.name for column in columns)
    return [replace(c, title="") if c.title and shown[c.title] > 1 else c for c in columns]
