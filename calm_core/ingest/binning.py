"""Columns of listed values or of bins, and how values are merged."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from calm_core._checks import check_count
from calm_core.errors import InputError
from calm_core.ingest.counting import ValueCounts
from calm_core.ingest.schema import MISSING, OTHER, ColumnSchema, Schema
from calm_core.ingest.values.dates import DAY, calendar_edges, choose_unit, period_labels
from calm_core.ingest.values.units import SIXTIETHS

SKETCH = 121  # quantiles at 0, 1/120, ..., 1: exact for 2, 3, 4, 5, 6, 8, 10 and 12 bins


def merge_schema(schema: Schema, c: int) -> Schema:
    """The schema with at most c values per column: the c-1 most frequent and the rest, or c bins.

    Examples
    --------
    >>> city = ColumnSchema(
    ...     "city", "category", n_values=3, labels=("Bonn", "Köln", "Ulm"),
    ...     values=("Bonn", "Köln", "Ulm"), counts=(2, 9, 1), groups=(0, 1, 2),
    ... )
    >>> merge_schema(Schema((city,)), 2).columns[0].labels
    ('Köln', 'other')
    """
    c = check_count("max_values", c, low=2)
    return replace(schema, columns=tuple(merge_column(column, c) for column in schema.columns))


def merge_column(column: ColumnSchema, c: int) -> ColumnSchema:
    """The column with at most c values: quantile bins for numbers, else the c-1 most frequent values.

    Values of their own for missing cells or for texts among numbers count toward c.
    """
    if column.size <= c:
        return column
    if not column.is_number:
        return keep_most_frequent(column, c)
    rest = len(_not_numbers(column))
    one_rest = rest > 1 and c < rest + 2
    edges = quantile_edges(column.sketch, max(1, c - (1 if one_rest else rest)))
    return with_edges(column, edges, "quantiles", one_rest=one_rest)


def keep_most_frequent(column: ColumnSchema, c: int) -> ColumnSchema:
    """Keep the c-1 most frequent values in their order and merge the rest into "other"."""
    counts = column.label_counts()
    codes = [code for code in range(column.size) if code != column.other]
    # Of equally frequent values the first ones stay.
    top = sorted(sorted(codes, key=lambda code: -counts[code])[: c - 1])
    new = dict.fromkeys(range(column.size), c - 1) | {code: at for at, code in enumerate(top)}
    labels = [column.labels[code] for code in top]
    return column.recode((*labels, distinct_label(OTHER, labels)), new, other=c - 1)


def distinct_label(label: str, labels: Sequence[str]) -> str:
    """The label, in brackets if a value of the data has the same one."""
    while label in labels:
        label = f"({label})"
    return label


def _not_numbers(column: ColumnSchema) -> list[int]:
    """Codes of the texts among the numbers and of missing cells, ascending."""
    missing = [] if column.missing_code is None else [column.missing_code]
    return sorted({*column.groups, *missing})


def quantile_edges(sketch: Sequence[float], bins: int) -> tuple[float, ...]:
    """Upper ends of all but the last of `bins` bins with equally many rows, if ties allow it.

    Examples
    --------
    >>> quantile_edges((1, 2, 3, 4, 5), 2)
    (3.0,)
    >>> quantile_edges((0, 0, 0, 0, 9), 2), quantile_edges((0, 9, 9, 9, 9), 2)
    ((0.0,), (0.0,))
    """
    grid = np.asarray(sketch, dtype=float)
    if not len(grid) or bins < 2:
        return ()
    at = np.round(np.arange(1, bins) * (len(grid) - 1) / bins).astype(int)
    edges = np.unique(grid[at])
    edges = edges[edges < grid[-1]]
    if not len(edges) and grid[0] < grid[-1]:
        # Nearly all rows have one value: separate it from all smaller ones.
        edges = grid[grid < grid[-1]][-1:]
    return tuple(float(edge) for edge in edges)


def width_edges(sketch: Sequence[float], bins: int) -> tuple[float, ...]:
    """Upper ends of all but the last of `bins` equally wide bins."""
    low, high = float(sketch[0]), float(sketch[-1])
    edges = np.unique(low + (high - low) * np.arange(1, bins) / bins)
    return tuple(float(f"{edge:.6g}") for edge in edges if edge < high) if high > low else ()


def fixed_edges(texts: Sequence[float]) -> tuple[float, ...]:
    """Edges typed by a user: finite and increasing."""
    edges = tuple(float(edge) for edge in texts)
    if not all(np.isfinite(edges)) or list(edges) != sorted(set(edges)):
        raise InputError(f"edges {edges} must be increasing numbers, such as 18, 30, 65")
    return edges


def with_edges(
    column: ColumnSchema, edges: tuple[float, ...], binning: str, *, one_rest: bool = False
) -> ColumnSchema:
    """The column with new bins; texts among the numbers and missing cells keep their own values.

    With `one_rest`, and where some texts are not listed, all that is not a number shares one value.
    """
    labels, codes = bin_labels(edges, column, binning), _not_numbers(column)
    first = len(labels)
    if one_rest or column.other is not None:
        new = dict.fromkeys(codes, first)
        labels.append(distinct_label(OTHER, labels))
    else:
        new = {code: first + i for i, code in enumerate(codes)}
        labels += [distinct_label(column.labels[code], labels) for code in codes]
    other = None if column.other is None else first
    return column.recode(labels, new, edges=edges, binning=binning, other=other)


def bin_labels(edges: tuple[float, ...], column: ColumnSchema, binning: str = "") -> list[str]:
    """Distinct labels of the bins with their unit; whole numbers if the data are whole."""
    if binning == "calendar" and column.sketch and column.bin_unit:
        return period_labels(edges, column.sketch, column.bin_unit)
    write = date_text if column.kind == "date" else _number
    unit = f" {column.unit}" if column.unit and column.kind == "number" else ""
    if column.unit == SIXTIETHS:
        write, unit = _sixtieths, ""
    if not edges:
        ends = (write(column.sketch[0]), write(column.sketch[-1])) if column.sketch else ()
        return [f"{ends[0]} to {ends[1]}{unit}" if ends else "any"]
    ends = [write(edge) for edge in edges]
    if len(set(ends)) < len(ends):
        ends = [repr(edge) for edge in edges]
    middle = [f"above {a} to {b}{unit}" for a, b in zip(ends, ends[1:])]
    return [f"up to {ends[0]}{unit}", *middle, f"above {ends[-1]}{unit}"]


def _number(value: float) -> str:
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e15 else f"{value:.6g}"


def _sixtieths(value: float) -> str:
    """A number as it was written, such as 1:30."""
    return f"{round(60 * value) // 60}:{round(60 * value) % 60:02}"


def date_text(value: float) -> str:
    """A day as text, with the time if it has one.

    Examples
    --------
    >>> date_text(1.0), date_text(1.25)
    ('1970-01-02', '1970-01-02T06:00:00')
    """
    if value == np.floor(value):
        return str(np.datetime64(int(value), "D"))
    return str(np.datetime64(round(value * DAY), "s"))


BINS = 5
MAX_CATEGORIES = 64
LISTED = 256
FEW_WORDS = 5  # at most so many texts among numbers keep their own value


def make_listed_column(
    base: ColumnSchema, cells: ValueCounts, keys: np.ndarray | None = None
) -> ColumnSchema:
    """The column with its values listed, by their keys (texts without one after them) or by frequency."""
    at = cells.rank(LISTED)
    if keys is not None:
        texts = cells.texts.take(pa.array(at)).to_pylist()
        sort_keys = np.where(np.isnan(keys), np.inf, keys)[at]
        at = np.array([i for _, _, i in sorted(zip(sort_keys, texts, at))], dtype=np.int64)
    column = _list_values(base, cells.take(at), cells)
    return keep_most_frequent(column, MAX_CATEGORIES) if column.size > MAX_CATEGORIES else column


def _list_values(base: ColumnSchema, listed: ValueCounts, every: ValueCounts) -> ColumnSchema:
    """The column with a code for each value listed, one for all others, and one for missing cells."""
    values, unlisted = tuple(listed.texts.to_pylist()), every.rows - listed.rows
    labels, codes = list(values), {}
    for name, label, there in (
        ("other", OTHER, unlisted), ("missing_code", MISSING, base.n_missing)
    ):  # fmt: skip
        if there:
            codes[name] = len(labels)
            labels.append(distinct_label(label, labels))
    return replace(
        base, labels=tuple(labels), values=values, counts=tuple(listed.counts.tolist()),
        groups=tuple(range(len(values))), other_count=unlisted, **codes,
    )  # fmt: skip


def group_values(
    column: ColumnSchema, labels: Sequence[str], *, order: Sequence[str] = ()
) -> ColumnSchema:
    """The column with new labels of its values; values with the same label are merged.

    Parameters
    ----------
    labels : sequence of str
        One label per value of `column.values`.
    order : sequence of str, optional
        Labels in the order their codes shall have; the rest follow by first appearance.

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
    codes = {"other": column.other, "missing_code": column.missing_code}
    code_labels = {name: column.labels[code] for name, code in codes.items() if code is not None}
    wished = [label for label in order if label in labels]
    order = [*dict.fromkeys([*wished, *labels, *code_labels.values()])]
    codes |= {name: order.index(label) for name, label in code_labels.items()}
    return column.with_labels(order, groups=tuple(map(order.index, labels)), **codes)


def make_binned_column(
    base: ColumnSchema,
    cells: ValueCounts,
    numbers: np.ndarray,
    finest: str = "",
    sentinels: np.ndarray | None = None,
) -> ColumnSchema:
    """The column with its numbers or dates in bins; texts among them keep their own value.

    Parameters
    ----------
    finest : str
        How finely dates are written; "" for numbers.
    sentinels : ndarray of bool, optional
        Dates that the bins are not made for; they fall into the outer ones.
    """
    is_number = ~np.isnan(numbers)
    words = cells.select(~is_number)
    sketch = near = weighted_sketch(numbers[is_number], cells.counts[is_number])
    if sentinels is not None and sentinels.any():
        usual = is_number & ~sentinels
        near = weighted_sketch(numbers[usual], cells.counts[usual])
    column = replace(
        _list_values(base, words.take(words.rank(LISTED)), words),
        sketch=tuple(float(x) for x in sketch),
        numbers_count=int(cells.counts[is_number].sum()),
        # Many different texts among numbers share one value, which includes the unlisted ones.
        other=0 if len(words.texts) > FEW_WORDS else None,
    )
    if not finest:
        return with_edges(column, quantile_edges(column.sketch, BINS), "quantiles")
    column = replace(column, bin_unit=choose_unit(near, finest))
    return with_edges(column, calendar_edges(near, column.bin_unit), "calendar")


def weighted_sketch(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Quantiles at 0, 1/120, ..., 1 of values that occur with whole-number weights."""
    order = np.argsort(values)
    ends = np.cumsum(weights[order])
    # The smallest value with at least that share of rows at or below it (inverted CDF).
    ranks = np.maximum(-(-np.arange(SKETCH) * ends[-1] // (SKETCH - 1)), 1)
    return values[order][np.searchsorted(ends, ranks, side="left")]
