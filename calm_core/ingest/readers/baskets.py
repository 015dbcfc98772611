"""Transactions as the FIMI repository keeps them: one basket of item ids per line."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from calm_core.errors import DataError
from calm_core.ingest.limits import Limits
from calm_core.ingest.readers._base import Reader
from calm_core.ingest.readers.encoding import to_utf8
from calm_core.ingest.table import ReadOptions
from calm_core.ingest.tidy import Raw
from calm_core.ingest.transactions import counted, item_columns

UNIT = "\x1f"  # a separator that no item id holds


def read_baskets(buffer: pa.Buffer, options: ReadOptions, limits: Limits) -> Raw:
    """0/1 columns of the most frequent items; an empty line between others is an empty basket."""
    content = memoryview(buffer)
    content, encoding = to_utf8(content, options.encoding)
    text = bytes(content).rstrip().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not text:
        raise DataError("the file is empty; upload one basket of items per line")
    separator = options.separator or ("," if b"," in text[:65536] else " ")
    between = separator.encode() + b"\t "
    data = np.frombuffer(text, dtype=np.uint8)
    gap = np.isin(data, np.frombuffer(between + b"\n", dtype=np.uint8))
    starts = np.flatnonzero(~gap & np.concatenate([[True], gap[:-1]]))
    lines = np.flatnonzero(data == 10)
    baskets = np.searchsorted(lines, starts)
    items = _tokens(text.translate(bytes.maketrans(between, b"\n" * len(between))))
    if len(items) != len(starts):
        raise DataError("the baskets cannot be read; write item ids separated by spaces")
    n = len(lines) + 1
    names, columns = item_columns(
        baskets, np.asarray(items.indices), items.dictionary, n, options.items, limits
    )
    found = replace(options, encoding=encoding, separator=separator, shape="baskets")
    note = counted(len(items.dictionary), len(names))
    return Raw(names, columns, found, [note], transactions=True)


def _tokens(lines: bytes) -> pa.DictionaryArray:
    """Every non-empty line as one item."""
    from pyarrow import csv

    table = csv.read_csv(
        pa.BufferReader(lines),
        read_options=csv.ReadOptions(column_names=["item"], block_size=1 << 24),
        parse_options=csv.ParseOptions(delimiter=UNIT, quote_char=False),
        convert_options=csv.ConvertOptions(
            column_types={"item": pa.dictionary(pa.int32(), pa.string())}, null_values=[]
        ),
    )
    return table.column(0).unify_dictionaries().combine_chunks()


def _accepts(head: bytes, name: str, options: ReadOptions) -> bool:
    if options.shape is not None:
        return options.shape == "baskets"
    return name.endswith((".dat", ".basket")) and b"\0" not in head


BASKETS = Reader("transactions", (".dat", ".basket"), _accepts, read_baskets)
