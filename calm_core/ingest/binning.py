"""From decided values to a column: listed values, or bins of numbers and dates."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from calm_core.ingest.column import OTHER, ColumnSchema
from calm_core.ingest.kernels import pc
from calm_core.ingest.merging import (
    SKETCH,
    distinct_label,
    keep_most_frequent,
    missing_label,
    quantile_edges,
    with_edges,
)
from calm_core.ingest.values.calendar import calendar_edges, choose_unit

BINS = 5
MAX_CATEGORIES = 64
LISTED = 256
FEW_WORDS = 5  # distinct texts among numbers that keep a value of their own


def with_taken(base: ColumnSchema, texts: Sequence[str], counts: Sequence[int]) -> ColumnSchema:
    """The column with some texts counted as empty cells, the most frequent first."""
    order = sorted(zip(texts, counts), key=lambda pair: (-pair[1], pair[0]))
    return replace(
        base,
        n_values=base.n_values - len(order),
        n_missing=base.n_missing + int(sum(counts)),
        missing_texts=tuple(text for text, _ in order),
        missing_counts=tuple(int(count) for _, count in order),
    )


def listed(base: ColumnSchema, texts: pa.Array, counts: np.ndarray, *, by_number) -> ColumnSchema:
    """List the values: in the order of their numbers (texts after them), else by frequency."""
    # Ties in frequency go by text, so that the order of rows does not matter.
    found = pa.table({"count": counts, "text": texts, "at": np.arange(len(counts))})
    by_count = [("count", "descending"), ("text", "ascending")]
    found = found.take(pc.select_k_unstable(found, min(LISTED, len(counts)), by_count))
    names, rank = found["text"].to_pylist(), found["at"].to_pylist()
    order = list(range(len(names)))
    if by_number is not None:
        key = np.where(np.isnan(by_number), np.inf, by_number)
        order.sort(key=lambda i: (key[rank[i]], names[i]))
    values = tuple(names[i] for i in order)
    kept = tuple(int(counts[rank[i]]) for i in order)
    unlisted = int(counts.sum()) - sum(kept)
    labels = list(values)
    other = None
    if unlisted:
        other = len(labels)
        labels.append(distinct_label(OTHER, labels))
    missing = _add_missing(base, labels)
    column = replace(
        base,
        labels=tuple(labels),
        values=values,
        counts=kept,
        groups=tuple(range(len(values))),
        other=other,
        other_count=unlisted,
        missing_code=missing,
    )
    return keep_most_frequent(column, MAX_CATEGORIES) if column.size > MAX_CATEGORIES else column


def binned(
    base: ColumnSchema,
    texts: pa.Array,
    counts: np.ndarray,
    numbers: np.ndarray,
    finest: str = "",
    apart: np.ndarray | None = None,
) -> ColumnSchema:
    """Bins of numbers, or of dates by the calendar; texts among them keep their own value.

    Parameters
    ----------
    finest : str
        How finely dates are written; "" for numbers.
    apart : ndarray of bool, optional
        Dates that the bins are not made for; they fall into the outer ones.
    """
    is_number = ~np.isnan(numbers)
    plain, weights = numbers[is_number], counts[is_number]
    words = sorted(
        zip(texts.filter(pa.array(~is_number)).to_pylist(), counts[~is_number].tolist()),
        key=lambda pair: (-pair[1], pair[0]),
    )
    sketch = weighted_sketch(plain, weights)
    near = sketch
    if apart is not None and apart.any():
        near = weighted_sketch(numbers[is_number & ~apart], counts[is_number & ~apart])
    return with_default_bins(base, sketch, int(weights.sum()), words, finest, near)


def with_default_bins(
    base: ColumnSchema, sketch, rows: int, words: list[tuple[str, int]], finest: str = "", near=()
) -> ColumnSchema:
    """The column with its usual bins, from quantiles of its numbers and the texts among them.

    Bins of dates are made for those whose quantiles are in `near`.
    """
    few = words[:LISTED]
    labels = [word for word, _ in few]
    missing = _add_missing(base, labels)
    column = replace(
        base,
        labels=tuple(labels),
        values=tuple(word for word, _ in few),
        counts=tuple(count for _, count in few),
        groups=tuple(range(len(few))),
        missing_code=missing,
        sketch=tuple(float(x) for x in sketch),
        numbers_count=rows,
        other_count=sum(count for _, count in words[LISTED:]),
    )
    # Many different texts among the numbers share one value, which also takes those unlisted.
    column = replace(column, other=0 if len(few) > FEW_WORDS else None)
    if not finest:
        return with_edges(column, quantile_edges(column.sketch, BINS), "quantiles")
    column = replace(column, bin_unit=choose_unit(near, finest))
    return with_edges(column, calendar_edges(near, column.bin_unit), "calendar")


def _add_missing(base: ColumnSchema, labels: list[str]) -> int | None:
    """The code of empty cells, whose label is added; None where there are none."""
    if not base.n_missing:
        return None
    labels.append(missing_label(labels))
    return len(labels) - 1


def weighted_sketch(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Quantiles at 0, 1/120, ..., 1 of values that occur with whole-number weights."""
    order = np.argsort(values)
    ends = np.cumsum(weights[order])
    targets = np.linspace(0, 1, SKETCH) * ends[-1]
    # The smallest value with at least that share of rows at or below it (inverted CDF).
    at = np.searchsorted(ends, np.maximum(targets - 1e-9 * ends[-1], 1e-9), side="left")
    return values[order][np.minimum(at, len(values) - 1)]
