"""detect_schema: what every column seems to mean, and what will be done with it."""

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from calm_core._checks import check_choice
from calm_core.errors import InputError
from calm_core.ingest.merging import (
    SKETCH,
    distinct_label,
    keep_most_frequent,
    missing_label,
    quantile_edges,
    with_edges,
)
from calm_core.ingest.parse_values import (
    MISSING_WORDS,
    date_values,
    detect_date_order,
    detect_decimal,
    number_values,
)
from calm_core.ingest.schema import OTHER, ColumnSchema, Schema
from calm_core.ingest.table import Table, is_texts

CHOICES = ("category", "ordered", "number", "date")
FEW_WHOLE = 20  # whole numbers with at most so many values stay ordered categories
FEW_DECIMAL = 10
FEW_WORDS = 5  # distinct texts tolerated in a column of numbers
BINS = 5
MOST_CATEGORIES = 64
LISTED = 256
ID_SHARE = 0.95
ID_NAME = re.compile(r"(^|[_\W])(id|uuid|guid|key)$|^id[_\W]|Id$", re.IGNORECASE)
RANGE = re.compile(
    r"(?P<below>under|less than|below|up to|<=?|≤)?(?P<above>over|more than|above|at least|>=?|≥)?"
    r"\s*[$€£]?\s*(?P<number>\d[\d,]*(?:\.\d+)?)\s*(?:[-–+]|to\b|or\b|and\b|years?\b|$)"
)
SCALES = (
    ("very low", "low", "medium", "high", "very high"),
    ("low", "moderate", "high"),
    ("never", "rarely", "seldom", "sometimes", "often", "usually", "always"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("none", "mild", "moderate", "severe"),
    ("small", "medium", "large"),
    ("less than high school", "high school", "some college", "college degree"),
)
YES_NO = (
    ("0", "1"),
    ("no", "yes"),
    ("n", "y"),
    ("false", "true"),
    ("f", "t"),
    ("off", "on"),
    ("nein", "ja"),
    ("non", "oui"),
    ("nee", "ja"),
    ("nie", "tak"),
    ("não", "sim"),
)


def detect_schema(table: Table) -> Schema:
    """What each column means: its kind, values, bins, and whether it is used.

    Examples
    --------
    >>> from calm_core.ingest.table import table_of
    >>> schema = detect_schema(table_of({"sex": ["f", "m", "m"], "ill": ["yes", "no", "no"]}))
    >>> [(c.name, c.kind, c.labels) for c in schema.columns]
    [('sex', 'category', ('m', 'f')), ('ill', 'yes/no', ('no', 'yes'))]
    """
    columns, notes = [], []
    for name in table.names:
        column = table.data.column(table.position(name))
        if is_texts(column):
            found = _of_texts(_counted(name, table.texts(name)), table.dialect.decimal)
        else:
            found = _of_numbers(name, np.asarray(column.cast(pa.float64())))
        columns.append(found)
    binned = [column.name for column in columns if column.keep and column.binning == "quantiles"]
    if binned:
        listing = ", ".join(f"{name:.40}" for name in binned[:8]) + ", ..." * (len(binned) > 8)
        notes.append(
            f"Numbers were cut at quantiles of this data ({listing}): fit for a demonstration; "
            "a real collector must fix the edges beforehand."
        )
    notes += _missing_words(columns)
    return Schema(tuple(columns), tuple(notes))


def _missing_words(columns: list[ColumnSchema], most: int = 8) -> list[str]:
    """A sentence about texts that often stand for an empty cell, with how often they occur."""
    found = [
        f"{text!r} in column {column.name!r:.60} ({count:,} row{'s' * (count > 1)})"
        for column in columns
        if column.keep
        for text, count in zip(column.values, column.counts)
        if text.casefold() in MISSING_WORDS
    ]
    if not found:
        return []
    more = f" and {len(found) - most:,} more" if len(found) > most else ""
    return [
        f"Counted as values, though they may mean missing: {', '.join(found[:most])}{more}; "
        "mark them as empty cells if they do."
    ]


def detect_as(table: Table, name: str, kind: str) -> ColumnSchema:
    """One column read as the kind a user says it is, and kept.

    Examples
    --------
    >>> from calm_core.ingest.table import table_of
    >>> table = table_of({"age": [str(a) for a in range(40)]})
    >>> detect_as(table, "age", "number").labels[0], detect_as(table, "age", "ordered").size
    ('up to 7', 40)
    """
    check_choice("kind", kind, CHOICES)
    base, texts, counts = _counted(name, table.texts(name))
    base = replace(base, kind=kind)
    if not len(texts) or kind == "category":
        return _listed(base, texts, counts, by_number=None)
    decimal = detect_decimal(texts, table.dialect.decimal)
    order = detect_date_order(texts)
    numbers = number_values(texts, decimal) if order is None else date_values(texts, order)
    if kind == "ordered":
        scale = _scale_order(texts)
        return _listed(base, texts, counts, by_number=numbers if scale is None else scale)
    if (kind == "date") != (order is not None) or np.isnan(numbers).all():
        raise InputError(f"column {name!r:.80} cannot be read as a {kind}; choose another kind")
    base = replace(base, decimal=decimal, date_order=order or "ymd")
    return _binned(base, texts, counts, numbers)


def _counted(name: str, column: pa.DictionaryArray) -> tuple[ColumnSchema, pa.Array, np.ndarray]:
    """A column with nothing decided, its distinct values and how often each occurs."""
    texts = column.dictionary
    indices = column.indices
    if indices.null_count:
        indices = indices.drop_null()
    # A null inside the dictionary (emptied by trimming) is a missing cell too.
    counts = np.bincount(np.asarray(indices), minlength=len(texts))
    used = (counts > 0) & np.asarray(texts.is_valid())
    counts = counts[used]
    texts = texts.filter(pa.array(used))
    missing = len(column) - int(counts.sum())
    return (
        ColumnSchema(name, "category", n_values=len(texts), n_missing=missing),
        texts,
        counts,
    )


def _of_texts(counted, decimal: str | None) -> ColumnSchema:
    """Judge a column by its distinct values and their counts."""
    base, texts, counts = counted
    if len(texts) <= 1 and not (len(texts) and base.n_missing):
        reason = f"every row holds {texts[0].as_py()!r:.40}" if len(texts) else "every row is empty"
        base = replace(base, kind="constant", keep=False, reason=reason)
        return _listed(base, texts, counts, by_number=None)
    order = _yes_no(texts)
    if order is not None:
        return _listed(replace(base, kind="yes/no"), texts, counts, by_number=order)
    decimal = detect_decimal(texts, decimal)
    numbers = number_values(texts, decimal)
    is_number = ~np.isnan(numbers)
    words = int((~is_number).sum())
    if is_number.any() and words <= FEW_WORDS and counts[is_number].sum() >= 0.9 * counts.sum():
        return _numeric(replace(base, decimal=decimal), texts, counts, numbers)
    order = detect_date_order(texts)
    if order is not None:
        days = date_values(texts, order)
        base = replace(base, kind="date", date_order=order)
        few = len(texts) <= FEW_WHOLE
        dates = {"by_number": days} if few else {"numbers": days}
        return (_listed if few else _binned)(base, texts, counts, **dates)
    return _words(base, texts, counts)


def _yes_no(texts: pa.Array) -> np.ndarray | None:
    """0 and 1 for a known pair of words, in the order of `texts`."""
    if len(texts) != 2:
        return None
    words = [text.casefold() for text in texts.to_pylist()]
    for pair in YES_NO:
        if sorted(words) == sorted(pair):
            return np.array([pair.index(word) for word in words], dtype=float)
    return None


def _numeric(base: ColumnSchema, texts, counts, numbers) -> ColumnSchema:
    """Few values stay ordered categories; many are binned; running numbers are id-like."""
    plain = numbers[~np.isnan(numbers)]
    whole = bool((plain == np.round(plain)).all())
    if len(plain) <= (FEW_WHOLE if whole else FEW_DECIMAL):
        return _listed(replace(base, kind="ordered"), texts, counts, by_number=numbers)
    rows = int(counts.sum())
    base = replace(base, kind="number")
    if whole and _id_like(base.name, len(plain), rows):
        base = _as_id(base, len(plain), rows)
    return _binned(base, texts, counts, numbers)


def _id_like(name: str, values: int, rows: int) -> bool:
    share = values / max(1, rows)
    return rows >= 20 and (share > ID_SHARE or (share > 0.5 and ID_NAME.search(name) is not None))


def _as_id(base: ColumnSchema, values: int, rows: int) -> ColumnSchema:
    reason = f"id-like ({values:,} different values in {rows:,} rows)"
    return replace(base, kind="id-like", keep=False, reason=reason)


def _scale_order(texts: pa.Array) -> np.ndarray | None:
    """Ranks where the texts are ranges ("18-25", "65+", "under 20") or a known scale of words."""
    if not 3 <= len(texts) <= FEW_WHOLE:
        return None
    words = [" ".join(text.casefold().split()) for text in texts.to_pylist()]
    for scale in SCALES:
        if set(words) <= set(scale):
            return np.array([scale.index(word) for word in words], dtype=float)
    found = [match for match in map(RANGE.match, words) if match]
    if len(found) < len(words):
        return None
    numbers = [float(match["number"].replace(",", "") or 0) for match in found]
    shift = [-0.25 if match["below"] else 0.25 if match["above"] else 0.0 for match in found]
    keys = np.array(numbers) + np.array(shift)
    return keys if len(set(keys)) == len(keys) else None


def _words(base: ColumnSchema, texts, counts) -> ColumnSchema:
    """Category (ordered if it is a scale), or id-like, or free text where nearly all rows differ."""
    order = _scale_order(texts)
    if order is not None:
        return _listed(replace(base, kind="ordered"), texts, counts, by_number=order)
    rows = int(counts.sum())
    if _id_like(base.name, len(texts), rows) or (len(texts) > 0.5 * rows and len(texts) > 100):
        spaced = pc.mean(pc.match_substring(texts.slice(0, 1000), " ").cast(pa.float64())).as_py()
        if spaced > 0.5:
            reason = f"free text ({len(texts):,} different values in {rows:,} rows)"
            base = replace(base, kind="text", keep=False, reason=reason)
        else:
            base = _as_id(base, len(texts), rows)
    return _listed(base, texts, counts, by_number=None)


def _listed(base: ColumnSchema, texts, counts, *, by_number) -> ColumnSchema:
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
    other = missing = None
    if unlisted:
        other = len(labels)
        labels.append(distinct_label(OTHER, labels))
    if base.n_missing:
        missing = len(labels)
        labels.append(missing_label(labels))
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
    return keep_most_frequent(column, MOST_CATEGORIES) if column.size > MOST_CATEGORIES else column


def _binned(base: ColumnSchema, texts, counts, numbers) -> ColumnSchema:
    """Quantile bins; texts among the numbers keep their own value."""
    is_number = ~np.isnan(numbers)
    plain, weights = numbers[is_number], counts[is_number]
    words = sorted(
        zip(texts.filter(pa.array(~is_number)).to_pylist(), counts[~is_number].tolist()),
        key=lambda pair: (-pair[1], pair[0]),
    )[:LISTED]
    return _with_default_bins(base, _weighted_sketch(plain, weights), int(weights.sum()), words)


def _of_numbers(name: str, numbers: np.ndarray) -> ColumnSchema:
    """A column of very many distinct numbers from a typed file."""
    plain = np.sort(numbers[np.isfinite(numbers)])
    missing = int(np.isnan(numbers).sum())
    values = 1 + int(np.count_nonzero(np.diff(plain)))
    base = ColumnSchema(name, "number", n_values=values, n_missing=missing)
    if bool((plain == np.round(plain)).all()) and _id_like(name, values, len(plain)):
        base = _as_id(base, values, len(plain))
    at = np.ceil(np.linspace(0, 1, SKETCH) * len(plain) - 1e-9).astype(np.int64) - 1
    sketch = plain[np.maximum(at, 0)]
    return _with_default_bins(base, sketch, len(plain), [])


def _with_default_bins(base: ColumnSchema, sketch, rows: int, words) -> ColumnSchema:
    labels = [word for word, _ in words]
    missing = None
    if base.n_missing:
        missing = len(labels)
        labels.append(missing_label(labels))
    column = replace(
        base,
        labels=tuple(labels),
        values=tuple(word for word, _ in words),
        counts=tuple(count for _, count in words),
        groups=tuple(range(len(words))),
        missing_code=missing,
        sketch=tuple(float(x) for x in sketch),
        numbers_count=rows,
    )
    # Many different texts among the numbers share one value, which also takes those unlisted.
    column = replace(column, other=0 if len(words) > FEW_WORDS else None)
    return with_edges(column, quantile_edges(column.sketch, BINS), "quantiles")


def _weighted_sketch(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Quantiles at 0, 1/120, ..., 1 of values that occur with whole-number weights."""
    order = np.argsort(values)
    ends = np.cumsum(weights[order])
    targets = np.linspace(0, 1, SKETCH) * ends[-1]
    # The smallest value with at least that share of rows at or below it (inverted CDF).
    at = np.searchsorted(ends, np.maximum(targets - 1e-9 * ends[-1], 1e-9), side="left")
    return values[order][np.minimum(at, len(values) - 1)]
