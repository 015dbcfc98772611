"""Columns of a reader as a Table: distinct names, trimmed text, few types."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from calm_core.errors import DataError
from calm_core.ingest.limits import LIMITS, Limits
from calm_core.ingest.table import (
    UNDESCRIBED,
    ColumnDescription,
    ReadOptions,
    Table,
    as_codes,
    as_texts,
    pc,
    with_dictionary,
)
from calm_core.text import join_some, pluralize

MIDNIGHT = " 00:00:00"
TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}  # in a second


def moments_as_texts(column, name: str, notes: list[str]):
    """Points in time as ISO texts: "2013-05-01" at midnight, else "2013-05-01 14:30:00" or "14:30:00".

    Every cell is written by itself, so that a file read in parts gives the texts of the whole. Times
    with a zone are those of its clocks.

    Examples
    --------
    >>> moments_as_texts(pa.array([0, 86399], pa.timestamp("s")), "t", []).to_pylist()
    ['1970-01-01', '1970-01-01 23:59:59']
    """
    if pa.types.is_date(column.type):
        return column.cast(pa.date32(), safe=False).cast(pa.string())
    if pa.types.is_time(column.type):
        seconds = column.cast(pa.time32("s"), safe=False)
        _note_fractions(column, seconds, name, notes)
        return seconds.cast(pa.string())
    if column.type.tz is not None:
        try:
            column = pc.local_timestamp(column)
        except pa.ArrowInvalid:
            notes.append(
                f"Column {name!r:.60} has a time zone that is not known ({column.type.tz!r:.40}); its "
                "times are read as UTC."
            )
            column = column.cast(pa.timestamp(column.type.unit))
    seconds = pc.floor_temporal(column, unit="second").cast(pa.timestamp("s"))
    _note_fractions(column, seconds, name, notes)
    texts = seconds.cast(pa.string())
    return pc.if_else(
        pc.ends_with(texts, MIDNIGHT), pc.utf8_slice_codeunits(texts, 0, -len(MIDNIGHT)), texts
    )


def _note_fractions(column, seconds, name: str, notes: list[str]) -> None:
    back = seconds.cast(column.type)
    if pc.any(pc.not_equal(back, column)).as_py():
        notes.append(f"Column {name!r:.60} holds fractions of a second, which are dropped.")


def lengths_as_seconds(column, name: str, notes: list[str]):
    """Durations as numbers of seconds.

    Examples
    --------
    >>> lengths_as_seconds(pa.array([1500, None], pa.duration("ms")), "t", []).to_pylist()
    [1.5, None]
    """
    notes.append(f"Column {name!r:.60} holds lengths of time; they are read as seconds.")
    ticks = column.cast(pa.int64()).cast(pa.float64(), safe=False)
    return pc.divide(ticks, float(TICKS[column.type.unit]))


# Whole numbers from here on are written with a power of ten.
LARGEST_WHOLE = 2.0**53
NUMBER = r"^[+-]?(?:\d{1,18}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$"
LEADING_ZERO = r"^[+-]?0\d"
# White space, zero-width spaces and byte order marks.
BLANKS = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\u200b\u2060\ufeff"
)


@dataclass
class Raw:
    """What a reader returns: columns of any Arrow type, in file order.

    The columns may come from a generator, so that a large file is never whole in memory. `descriptions`
    has one entry for each name, or none at all.
    """

    names: list[str]
    columns: Iterable[pa.ChunkedArray | pa.Array]
    dialect: ReadOptions
    notes: list[str] = field(default_factory=list)
    left_out: list[tuple[str, int]] = field(default_factory=list)
    descriptions: list[ColumnDescription] = field(default_factory=list)


def normalize_table(
    raw: Raw, *, name: str = "", limits: Limits = LIMITS, empty: bool = False
) -> Table:
    """A Table of a reader's columns, with a note about each change.

    A table without rows is refused, unless `empty` (for one part of a larger file).
    """
    if not raw.names:
        raise DataError("the file holds no columns; a table needs at least one")
    notes = list(raw.notes)
    names = _normalize_names(raw.names, raw.dialect.normalize, notes)
    used_names, columns, trimmed, composed = [], [], [], []
    for label, column in zip(names, raw.columns):
        limits.check_shape(len(column), len(names))
        if pa.types.is_duration(column.type):
            column = lengths_as_seconds(column, label, notes)
        column = _to_texts(label, column, notes)
        if column is None:
            continue
        if raw.dialect.normalize:
            column, spaces, forms = _normalize(column)
            trimmed += [label] * bool(spaces)
            composed += [label] * bool(forms)
        index = np.min_scalar_type(-len(column.dictionary) - 1)
        indices = column.indices.cast(pa.from_numpy_dtype(index))
        column = pa.DictionaryArray.from_arrays(indices, column.dictionary)
        used_names.append(label)
        columns.append(column)
    if not columns:
        raise DataError("no column of the file can be read as values; save it as CSV")
    if trimmed:
        notes.append(f"Spaces around values were trimmed in {_name_columns(trimmed)}.")
    if composed:
        notes.append(
            f"Letters made of several Unicode characters were composed in {_name_columns(composed)}."
        )
    if not len(columns[0]) and not empty:
        raise DataError("the file holds column names and no rows; at least one row is needed")
    return Table(
        pa.table(columns, names=used_names),
        notes=tuple(notes),
        left_out=tuple(raw.left_out),
        dialect=raw.dialect,
        name=name,
        descriptions=_describe(names, used_names, raw),
    )


def _describe(names: list[str], used_names: list[str], raw: Raw) -> dict[str, ColumnDescription]:
    """Descriptions of the columns kept, their texts normalized as the values are."""
    descriptions = {}
    for name, description in zip(names, raw.descriptions):
        if name in used_names and description != UNDESCRIBED:
            # A title has one line.
            title = unicodedata.normalize("NFC", " ".join(description.title.split()))
            title, order = "" if title == name else title, description.order
            if raw.dialect.normalize:
                order = tuple(unicodedata.normalize("NFC", text.strip(BLANKS)) for text in order)
            descriptions[name] = replace(description, title=title, order=order)
    return descriptions


def _name_columns(names: list[str]) -> str:
    return f"{pluralize(len(names), 'column')} {join_some([f'{name!r:.60}' for name in names], 5)}"


def _normalize_names(names: list[str], normalize: bool, notes: list[str]) -> list[str]:
    """Distinct, non-empty names; blank ones are numbered, repeated ones get a number."""
    if normalize:
        names = [unicodedata.normalize("NFC", name.strip()) for name in names]
    blank = [i for i, name in enumerate(names) if not name]
    known_names, labels, repeated = set(names), {}, []
    for i, name in enumerate(names):
        label, number = name or f"column {i + 1}", 1
        base = label
        while label in labels or (label in known_names and label != name):
            number += 1
            label = f"{base} ({number})"
        labels[label] = None
        repeated += [name] * (name not in ("", label))
    if blank:
        which = ", ".join(str(i + 1) for i in blank[:5]) + (" ..." if len(blank) > 5 else "")
        notes.append(
            f"{len(blank)} column name{'s are' if len(blank) > 1 else ' is'} blank (position{'s' * (len(blank) > 1)} "
            f"{which}): called 'column {blank[0] + 1}'{' and so on' * (len(blank) > 1)}."
        )
    if repeated:
        notes.append(f"Repeated column names got a number: {_name_columns(sorted(set(repeated)))}.")
    return list(labels)


def _to_texts(name: str, column, notes: list[str]):
    """The column as texts, each distinct one once; None if that is impossible."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        if not _is_text(kind.value_type):
            return _to_texts(name, column.cast(kind.value_type), notes)
        column = column.cast(pa.dictionary(pa.int32(), pa.string()))
    elif pa.types.is_floating(kind):
        column = _write_numbers(column)
    elif pa.types.is_temporal(kind):
        column = moments_as_texts(column, name, notes)
    elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        try:
            column = column.cast(pa.string())
        except pa.ArrowInvalid:
            notes.append(f"Column {name!r:.60} holds binary content and was left out.")
            return None
    elif kind.num_fields:
        notes.append(f"Column {name!r:.60} holds nested values ({kind!s:.40}) and was left out.")
        return None
    return as_texts(column)


def _is_text(kind: pa.DataType) -> bool:
    return (
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _write_numbers(column) -> pa.DictionaryArray:
    """Floats as texts, whole ones without a point: pandas stores 1 beside an empty cell as 1.0; NaN means empty."""
    encoded = as_codes(column.cast(pa.float64()))
    numbers = encoded.dictionary
    texts = numbers.cast(pa.string())
    plain = np.asarray(numbers)
    is_whole = (plain == np.round(plain)) & (np.abs(plain) < LARGEST_WHOLE)
    as_whole = pa.array(np.where(is_whole, plain, 0).astype(np.int64)).cast(pa.string())
    texts = pc.if_else(pa.array(is_whole), as_whole, texts)
    texts = pc.if_else(pa.array(np.isnan(plain)), pa.scalar(None, pa.string()), texts)
    return pa.DictionaryArray.from_arrays(encoded.indices, texts)


def _normalize(column: pa.DictionaryArray) -> tuple[pa.DictionaryArray, int, int]:
    """The column trimmed and in NFC, empty texts missing; and how many texts changed by each."""
    old = column.dictionary
    trimmed = pc.utf8_trim(old, BLANKS)
    spaces = pc.sum(pc.not_equal(trimmed, old)).as_py() or 0
    new = pc.utf8_normalize(trimmed, form="NFC")
    forms = pc.sum(pc.not_equal(new, trimmed)).as_py() or 0
    empty = pc.any(pc.equal(new, "")).as_py()
    if not (spaces or forms or empty):
        return column, 0, 0
    new = pc.if_else(pc.equal(new, ""), pa.scalar(None, pa.string()), new)
    return with_dictionary(column, new), spaces, forms
