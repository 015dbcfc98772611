"""Transactions in the format of FIMI: one basket of item ids per line."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from calm_core.errors import DataError
from calm_core.ingest.limits import Limits
from calm_core.ingest.normalize_table import Raw
from calm_core.ingest.readers.base import TEXT, Reader
from calm_core.ingest.readers.encoding import to_utf8
from calm_core.ingest.table import ReadOptions
from calm_core.ingest.transactions import describe_items, item_columns
from calm_core.text import format_count

BLANKS = b" \t\x0b\x0c\x1c\x1d\x1e\x1f"  # blanks but line ends


def read_baskets(buffer: pa.Buffer, options: ReadOptions, limits: Limits) -> Raw:
    """0/1 columns of the most frequent items; an empty line between others is an empty basket."""
    content, encoding, notes = to_utf8(memoryview(buffer), options)
    text = bytes(content).replace(b"\r\n", b"\n").replace(b"\r", b"\n").removesuffix(b"\n")
    separator = options.separator or ("," if b"," in text[:65536] else " ")
    blanks = BLANKS + separator.encode()
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
