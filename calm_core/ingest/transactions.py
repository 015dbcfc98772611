"""Baskets of items as 0/1 columns of the most frequent items, also from files with one basket of item ids a line (FIMI)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from calm_core._checks import check_count
from calm_core.errors import DataError
from calm_core.ingest.limits import Limits
from calm_core.ingest.normalize_table import BLANKS, Raw
from calm_core.ingest.readers.base import TEXT, Reader
from calm_core.ingest.readers.encoding import to_utf8
from calm_core.ingest.table import ReadOptions, Table, as_texts, pc
from calm_core.text import format_count

ITEM_SEPARATORS = (";", "|", ",", "\t", " ")
# Basket and item of every mention, names of the items, number of baskets, lines left out, notes.
Baskets = tuple[np.ndarray, np.ndarray, pa.Array, int, Sequence[tuple[str, int]], tuple[str, ...]]


def item_columns(
    baskets: np.ndarray, items: np.ndarray, names: pa.Array, n: int, top: int, limits: Limits
) -> tuple[list[str], list[pa.DictionaryArray]]:
    """0/1 columns of the `top` most frequent items, most frequent first (ties by name).

    Parameters
    ----------
    baskets, items : ndarray of int, shape (tokens,)
        Basket and item of every mention; repeated mentions count once.
    names : pyarrow array of string
        Name of every item.
    n : int
        Number of baskets, empty ones included.
    """
    top = min(check_count("items", top, high=limits.columns), len(names))
    limits.check_shape(n, top)
    # Sorting nearly sorted numbers; np.unique would hash them, many times slower.
    pairs = np.sort(baskets.astype(np.int64) * len(names) + items)
    pairs = pairs[np.append(True, np.diff(pairs) > 0)] if len(pairs) else pairs
    baskets, items = np.divmod(pairs, len(names))
    counts = np.bincount(items, minlength=len(names))
    texts = names.to_pylist()
    ranked = sorted(np.flatnonzero(counts).tolist(), key=lambda i: (-counts[i], texts[i]))[:top]
    place = np.full(len(names), -1)
    place[ranked] = np.arange(len(ranked))
    seen = np.zeros((len(ranked), n), dtype=np.int8)
    kept = place[items] >= 0
    seen[place[items[kept]], baskets[kept]] = 1
    words = pa.array(["0", "1"])
    columns = [pa.DictionaryArray.from_arrays(pa.array(row), words) for row in seen]
    return [texts[i] for i in ranked], columns


def describe_items(items: int, top: int) -> str:
    """Note about how many items there are and how many are kept."""
    kept = f"the {top:,} most frequent are kept" if items > top else "all are kept"
    return (
        f"Transactions with {items:,} different items: {kept} as 0/1 columns, most frequent first."
    )


def to_item_columns(table: Table, limits: Limits) -> Table:
    """A table of item lists (shape "items") or of user, item pairs (shape "pairs") as 0/1 columns.

    Examples
    --------
    >>> from calm_core.ingest.limits import LIMITS
    >>> from calm_core.ingest.table import ReadOptions, make_table
    >>> lists = make_table({"bought": ["milk;tea", "tea"]}, dialect=ReadOptions(shape="items"))
    >>> to_item_columns(lists, LIMITS).frame.to_dict("list")
    {'tea': ['1', '1'], 'milk': ['1', '0']}
    """
    shape = table.dialect.shape
    read = _read_pairs if shape == "pairs" else _read_lists
    baskets, items, names, n, left_out, said = read(table)
    if not len(names):
        raise DataError("no item was found; check the separator between items")
    labels, columns = item_columns(baskets, items, names, n, table.dialect.items, limits)
    return replace(
        table,
        data=pa.table(columns, names=labels),
        notes=(*table.notes, describe_items(len(names), len(labels)), *said),
        left_out=left_out,
        rows_read=-1,
        transactions=True,
    )


def _columns_left_out(table: Table, used: int) -> tuple[str, ...]:
    """Note about columns other than users and items."""
    rest = table.names[used:]
    if not rest:
        return ()
    shown = ", ".join(f"{name!r:.40}" for name in rest[:5]) + " ..." * (len(rest) > 5)
    return (f"{format_count(len(rest), 'more column')} left out ({shown}).",)


def _read_lists(table: Table) -> Baskets:
    """Baskets of a table whose first column has lists of items."""
    texts = as_texts(table.data.column(0))
    filled = texts.dictionary.fill_null("")
    joined = filled.slice(0, 1000).to_pylist()
    separator = max(ITEM_SEPARATORS, key=lambda s: (sum(s in text for text in joined), -ord(s)))
    parts = pc.split_pattern(filled, separator)
    rows = parts.take(texts.indices)
    baskets = np.asarray(pc.list_parent_indices(rows)).astype(np.int64)
    flat = pc.utf8_trim(pc.list_flatten(rows), BLANKS)
    named = np.asarray(pc.not_equal(flat, ""))
    encoded = flat.filter(pa.array(named)).dictionary_encode()
    items = np.asarray(encoded.indices), encoded.dictionary
    return baskets[named], *items, table.n, table.left_out, _columns_left_out(table, 1)


def _read_pairs(table: Table) -> Baskets:
    """First column: user; second column: item. Lines without one of them are left out, counted."""
    if len(table.names) < 2:
        raise DataError("a table of user and item needs two columns; this one has 1")
    users, items = as_texts(table.data.column(0)), as_texts(table.data.column(1))
    whole = np.asarray(pc.and_(users.is_valid(), items.is_valid()))
    users, items = users.filter(pa.array(whole)), items.filter(pa.array(whole))
    present, baskets = np.unique(np.asarray(users.indices), return_inverse=True)
    lines = [*table.left_out]
    if not whole.all():
        lines.append(("an empty user or item", int((~whole).sum())))
    said = (
        f"{table.n:,} lines of user and item make {len(present):,} users.",
        *(f"{count:,} lines left out for {why}." for why, count in lines),
        *_columns_left_out(table, 2),
    )
    return baskets, np.asarray(items.indices), items.dictionary, len(present), (), said


BYTE_BLANKS = b" \t\x0b\x0c\x1c\x1d\x1e\x1f"  # blanks but line ends


def read_baskets(buffer: pa.Buffer, options: ReadOptions, limits: Limits) -> Raw:
    """0/1 columns of the most frequent items; an empty line between others is an empty basket."""
    content, encoding, notes = to_utf8(memoryview(buffer), options)
    text = bytes(content).replace(b"\r\n", b"\n").replace(b"\r", b"\n").removesuffix(b"\n")
    separator = options.separator or ("," if b"," in text[:65536] else " ")
    blanks = BYTE_BLANKS + separator.encode()
    if not text.strip(blanks + b"\n"):
        raise DataError("the file is empty; upload one basket of items per line")
    baskets = text.rstrip(b"\n")
    if len(baskets) < len(text):
        skipped = len(text) - len(baskets)
        notes.append(f"{format_count(skipped, 'blank line')} at the end left out.")
    at, items = _tokens(np.frombuffer(baskets, dtype=np.uint8), blanks + b"\n")
    lines = np.flatnonzero(np.frombuffer(baskets, dtype=np.uint8) == ord("\n"))
    names, columns = item_columns(
        np.searchsorted(lines, at), np.asarray(items.indices), items.dictionary, len(lines) + 1,
        options.items, limits,
    )  # fmt: skip
    found = replace(options, encoding=encoding, separator=separator, shape="baskets")
    counts = describe_items(len(items.dictionary), len(names))
    notes = [f"Text encoding: {encoding.upper()}.", counts, *notes]
    return Raw(names, columns, found, notes, transactions=True)


def _tokens(data: np.ndarray, between: bytes) -> tuple[np.ndarray, pa.DictionaryArray]:
    """Start of each item, and the items; only ASCII separates them, so they stay UTF-8."""
    inside = ~np.isin(data, np.frombuffer(between, dtype=np.uint8))
    edges = np.flatnonzero(np.diff(inside, prepend=False, append=False))
    starts, ends = edges[0::2], edges[1::2]
    offsets = np.concatenate([[0], np.cumsum(ends - starts)]).astype(np.int64)
    texts = pa.LargeStringArray.from_buffers(
        len(starts), pa.py_buffer(offsets), pa.py_buffer(data[inside])
    )
    items = texts.dictionary_encode()
    return starts, pa.DictionaryArray.from_arrays(items.indices, items.dictionary.cast(pa.string()))


def _accepts(head: bytes, name: str, options: ReadOptions) -> bool:
    if options.shape is not None:
        return options.shape == "baskets"
    return name.endswith((".dat", ".basket")) and b"\0" not in head


BASKETS = Reader(
    "transactions", (".dat", ".basket"), _accepts, read_baskets, takes=TEXT | {"separator"}
)
